//! The reference engine, with whatever it alone can tell.

use std::cell::RefCell;
use std::io::{BufWriter, Error, Write};
use std::rc::Rc;

use isac_ir::Model;
use sim_profile::description::DescriptionPoints;
use sim_profile::{Event, EventSink, EventWriter};
use sim_runtime::Engine as _;
use sim_runtime::launcher::{
    AtomicFile, LaunchInfo, OutputFile, Stdio, exit_status, launch_with, write_remedy,
};
use sim_runtime::record::model_tables;
use sim_runtime::reference::ReferenceEngine;

use super::super::Failure;
use super::super::description::{FollowedModel, digest_model};
use super::super::gdb::run_debugged;
use super::super::html_report::RunPage;
use super::super::pipeline::Pictures;
use super::Options;

/// Runs a program on the reference engine.
///
/// `counted` is the model that counts its points, if they are to be counted; `followed` the one whose
/// statements a debugger follows.
pub(super) fn run_reference(
    model: &Model,
    counted: Option<&(Model, DescriptionPoints)>,
    followed: Option<&FollowedModel>,
    asked: &Options,
    page: Option<&RunPage>,
) -> Result<i32, Failure> {
    let options = &asked.run;
    let info = LaunchInfo::of_model(model, "reference", &digest_model(model));
    let mut engine = match counted {
        Some((counted, points)) => ReferenceEngine::new(counted).with_visits(points.points.len(), model),
        None => ReferenceEngine::new(model),
    };
    if options.caches {
        engine = engine.with_caches();
    }
    if options.wants_measurement() || page.is_some() {
        engine = engine.with_profile();
    }
    if let Some(address) = asked.gdb {
        let mut engine = engine.with_profile();
        let mut statements = Rc::default();
        if let Some((followed, listed)) = followed {
            engine = engine.with_statements(followed);
            statements = Rc::clone(listed);
        }
        return run_debugged(model, Box::new(engine), &info, (address, options), statements, page);
    }
    let pictures = Pictures::begin(model, options, asked.pipeline_view)?;
    let further = page.into_iter().map(RunPage::output).collect();
    let status = run_told(model, pictures.listen(engine), &info, asked, further)?;
    pictures.finish(options)?;
    Ok(status)
}

/// Runs an engine, and writes its events where they are asked for.
fn run_told(
    model: &Model,
    mut engine: ReferenceEngine<'_>,
    info: &LaunchInfo,
    asked: &Options,
    further: Vec<OutputFile<'_>>,
) -> Result<i32, Failure> {
    let options = &asked.run;
    let Some(path) = &options.events else {
        return Ok(launch_with(&mut engine, info, options, Stdio::of_process(), further));
    };
    let unwritable = |error: Error| {
        let remedy = write_remedy(&error);
        Failure::other(format!("cannot write the events {}: {error}; {remedy}", path.display()))
    };
    let file = AtomicFile::create(path).map_err(unwritable)?;
    let writer = EventWriter::new(BufWriter::new(file), &model_tables(model));
    let shared = Rc::new(RefCell::new(writer));
    let mut engine = engine.with_events(Box::new(Shared(Rc::clone(&shared))));
    let status = launch_with(&mut engine, info, options, Stdio::of_process(), further);
    // A run that was refused leaves earlier events alone.
    let has_begun = status != exit_status::FAILURE || engine.cycles() > 0;
    drop(engine);
    if let Some(writer) = Rc::into_inner(shared).filter(|_| has_begun) {
        let buffer = writer.into_inner().finish().map_err(unwritable)?;
        let file = buffer.into_inner().map_err(|error| unwritable(error.into_error()))?;
        file.finish().map_err(unwritable)?;
    }
    Ok(status)
}

/// A writer that the engine and the command share.
struct Shared<W: Write>(Rc<RefCell<EventWriter<W>>>);

impl<W: Write> EventSink for Shared<W> {
    fn event(&mut self, event: Event<'_>) {
        self.0.borrow_mut().event(event);
    }
}
