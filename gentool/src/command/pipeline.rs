//! What a run leaves for whoever looks at the pipeline: a file for a viewer, a picture.

use std::cell::RefCell;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::rc::Rc;

use isac_ir::Model;
use sim_profile::{PipelineView, WIDEST_VIEW};
use sim_runtime::launcher::{AtomicFile, RunOptions, write_remedy};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::trace::{
    CycleTrace, CycleWindow, Diagram, KanataWriter, TraceSink, ViewRecorder, parse_window,
};

use super::Failure;

/// Reads the cycles of `--pipeline-view`.
pub(super) fn parse_view(text: &str) -> Result<CycleWindow, String> {
    let window = parse_window(text)?;
    match window.count {
        ..=WIDEST_VIEW => Ok(window),
        _ => Err(format!("a view has at most {WIDEST_VIEW} cycles; --pipeline-trace takes more")),
    }
}

/// The pictures that a run asks for.
pub(super) struct Pictures<'m> {
    drawn: Rc<RefCell<Drawn<'m>>>,
}

struct Drawn<'m> {
    /// The number of the last cycle, whether it is looked at or not; 0 if there was none.
    last: u64,
    trace: Option<KanataWriter<'m, BufWriter<AtomicFile>>>,
    diagram: Option<Diagram<'m>>,
    view: Option<ViewRecorder<'m>>,
}

/// What the engine tells.
struct Shared<'m>(Rc<RefCell<Drawn<'m>>>);

impl TraceSink for Shared<'_> {
    fn cycle(&mut self, cycle: &CycleTrace) {
        let drawn = &mut *self.0.borrow_mut();
        if let Some(trace) = &mut drawn.trace {
            trace.cycle(cycle);
        }
        if let Some(diagram) = &mut drawn.diagram {
            diagram.cycle(cycle);
        }
        if let Some(view) = &mut drawn.view {
            view.cycle(cycle);
        }
    }

    fn listens_to(&self, cycle: u64) -> bool {
        let drawn = &mut *self.0.borrow_mut();
        drawn.last = cycle;
        drawn.trace.as_ref().is_some_and(|trace| trace.listens_to(cycle))
            || drawn.diagram.as_ref().is_some_and(|diagram| diagram.listens_to(cycle))
            || drawn.view.as_ref().is_some_and(|view| view.listens_to(cycle))
    }

    fn view(&self) -> Option<PipelineView> {
        self.0.borrow().view.as_ref()?.view()
    }
}

impl<'m> Pictures<'m> {
    /// Begins what the options ask for; `view` are the cycles that the profile is to have.
    pub(super) fn begin(
        model: &'m Model,
        options: &RunOptions,
        view: Option<CycleWindow>,
    ) -> Result<Pictures<'m>, Failure> {
        let trace = match &options.pipeline_trace {
            Some(path) => {
                let file = AtomicFile::create(path).map_err(|error| unwritable(path, &error))?;
                Some(KanataWriter::new(BufWriter::new(file), model, options.pipeline_window))
            }
            None => None,
        };
        let diagram = options.pipeline_diagram.map(|window| Diagram::new(model, window));
        let view = view.map(|window| ViewRecorder::new(model, window));
        Ok(Pictures { drawn: Rc::new(RefCell::new(Drawn { last: 0, trace, diagram, view })) })
    }

    /// Lets an engine tell what there is to draw; of one that has nothing to tell to, nothing.
    pub(super) fn listen(&self, engine: ReferenceEngine<'m>) -> ReferenceEngine<'m> {
        let drawn = self.drawn.borrow();
        match drawn.trace.is_some() || drawn.diagram.is_some() || drawn.view.is_some() {
            true => engine.with_trace(Box::new(Shared(Rc::clone(&self.drawn)))),
            false => engine,
        }
    }

    /// Completes the file and shows the picture. A run that has not begun leaves nothing.
    pub(super) fn finish(self, options: &RunOptions) -> Result<(), Failure> {
        let drawn = &mut *self.drawn.borrow_mut();
        if drawn.last == 0 {
            return Ok(());
        }
        if drawn.view.as_ref().is_some_and(|view| view.view().is_none()) {
            say!("note: the run has none of the cycles of --pipeline-view");
        }
        if let Some(diagram) = &drawn.diagram {
            match &diagram.text()[..] {
                "" => say!("note: the run has none of the cycles of --pipeline-diagram"),
                text => _ = write!(std::io::stderr(), "{text}"),
            }
        }
        let (Some(trace), Some(path)) = (drawn.trace.take(), &options.pipeline_trace) else { return Ok(()) };
        if drawn.last < options.pipeline_window.first {
            say!("note: the run has none of the cycles of --pipeline-window");
        }
        let complete = || -> io::Result<()> {
            trace.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
        };
        complete().map_err(|error| unwritable(path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    let remedy = write_remedy(error);
    Failure::other(format!("cannot write the pipeline trace {path}: {error}; {remedy}"))
}
