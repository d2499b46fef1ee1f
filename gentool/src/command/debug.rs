//! `gentool debug`: a command line for looking into a run.

mod code;
mod completion;
mod console;
mod guide;
mod line;
mod location;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gentool::disassembler::Symbol;
use sim_debug::{DebuggedEngine, Debugger};
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, check_results, launch_with};
use sim_runtime::reference::ReferenceEngine;

use self::console::Console;
pub(super) use self::guide::DescriptionGuide;
use super::Failure;
use super::description::{DescriptionOptions, digest_model};
use super::program::{Extent, ProgramFile, read_extents, read_file};

/// Run a program step by step, forwards and backwards, and look at all of it.
///
/// For every model, whether gdb knows it or not. Commands are read from the terminal, with history and
/// completion, or from standard input; `help` lists them. The program itself reads --input. Results are
/// those of `gentool run` by the reference engine.
/// Example: gentool debug models/tiny8/tiny8.isac models/tiny8/programs/sum.bin
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    #[command(flatten)]
    run: RunOptions,

    /// What the program reads from its standard input.
    ///
    /// Default: nothing. Example: --input lines.txt
    #[arg(long, value_name = "FILE", help_heading = "Guest")]
    input: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let (checked, description) = options.description.load_checked()?;
    let results = [
        ("report", &options.run.report),
        ("profile", &options.run.profile),
        ("final state", &options.run.dump_state),
    ];
    for (what, path) in results {
        path.iter().try_for_each(|path| description.check_output(what, path))?;
    }
    check_results(&options.run).map_err(Failure::other)?;
    if let Some(option) = options.run.wants_reference() {
        return Err(Failure::other(format!(
            "{option} is for `gentool run`: what a debugger takes back cannot be unwritten; leave it out"
        )));
    }
    if options.run.sampling().map_err(Failure::other)?.is_some() {
        return Err(Failure::other("a run is debugged as a whole; leave out --sample"));
    }
    if options.run.values.is_some() {
        return Err(Failure::other(
            "--values is for `gentool run`: what a debugger takes back cannot be uncounted; leave it out",
        ));
    }
    let (followed, statements) = description.follow_statements(&checked);
    let model = description.model;
    let info = LaunchInfo::of_model(&model, "reference", &digest_model(&model));
    let mut engine = ReferenceEngine::new(&model).with_profile().with_statements(&followed);
    if options.run.caches {
        engine = engine.with_caches();
    }
    let asked = Arc::new(AtomicBool::new(false));
    let mut stdio = Stdio::of_debugged_process(Arc::clone(&asked));
    stdio.streams.input = open_input(options)?;
    let interrupt = stdio.interrupt.clone();
    let Some(debugger) = Debugger::new(Box::new(engine), &info) else {
        return Err(Failure::other("the reference engine tells no model"));
    };
    let debugger = debugger.with_statements(Rc::clone(&statements));
    let (symbols, extents) = names_of(options, &model);
    let console = Console::new(&model, (symbols, extents), &statements, asked)?;
    let mut debugged = DebuggedEngine::new(debugger, Box::new(console), move || interrupt.raise());
    Ok(launch_with(&mut debugged, &info, &options.run, stdio, Vec::new()))
}

fn open_input(options: &Options) -> Result<Box<dyn io::Read + Send>, Failure> {
    let Some(path) = &options.input else { return Ok(Box::new(io::empty())) };
    let unreadable = |error: io::Error| {
        let path = path.display();
        Failure::other(format!("cannot read the input {path}: {error}; name a file that you may read"))
    };
    Ok(Box::new(File::open(path).map_err(unreadable)?))
}

/// Names of the program; none where it has none or cannot be read, which the run will say.
fn names_of(options: &Options, model: &isac_ir::Model) -> (Vec<Symbol>, Vec<Extent>) {
    let RunOptions { program, format, raw, .. } = &options.run;
    let base = raw.flatten();
    let file = ProgramFile { path: program, format: *format, base };
    let bytes = read_file(program).unwrap_or_default();
    match file.read_bytes(model, &bytes) {
        Ok(program) if !program.symbols.is_empty() => (program.symbols, read_extents(&bytes)),
        _ => Default::default(),
    }
}
