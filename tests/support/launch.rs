//! A program file run by the launcher, as a user runs it, with everything it leaves.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use isac_ir::Model;
use sim_runtime::Engine;
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch};

use super::thorough::all_or;
use super::{Simulator, path};

/// A program with what it is given.
#[derive(Debug, Clone)]
pub(crate) struct Guest {
    /// Below the repository's root.
    pub(crate) program: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) input: &'static [u8],
    /// Further options of the run.
    pub(crate) options: &'static [&'static str],
}

/// An option that limits a run to so many instructions: of all there are, and by default.
pub(crate) fn at_most(all: &'static str, by_default: &'static str) -> &'static [&'static str] {
    vec!["--limit-instructions", all_or(all, by_default)].leak()
}

/// What a run left.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub(crate) status: i32,
    pub(crate) output: String,
    /// The guest's errors and the launcher's messages.
    pub(crate) messages: String,
    /// Registers, counts and digests of all memory.
    pub(crate) state: String,
    pub(crate) instructions: u64,
    /// The XML report, of an engine that profiles.
    pub(crate) report: Option<String>,
}

impl Guest {
    pub(crate) const fn new(program: &'static str) -> Guest {
        Guest { program, arguments: &[], input: b"", options: &[] }
    }

    pub(crate) fn run(&self, simulator: &Simulator, engine: &mut dyn Engine) -> Left {
        self.run_on((simulator.model)(), engine)
    }

    /// Runs it on an engine of a model.
    pub(crate) fn run_on(&self, model: &Model, engine: &mut dyn Engine) -> Left {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (report, state) = (folder.path().join("report.xml"), folder.path().join("state"));
        let profiled = engine.measurement().is_some();
        let options = self.options(profiled.then_some(&report), &state);
        let info = LaunchInfo::of_model(model, "any", "any");
        let (stdio, output, messages) = Stdio::captured(self.input);
        let status = launch(engine, &info, &options, stdio);
        Left {
            status,
            output: output.text(),
            messages: messages.text(),
            state: fs::read_to_string(&state).expect("the state is written"),
            instructions: engine.instructions(),
            report: profiled.then(|| fs::read_to_string(&report).expect("the report is written")),
        }
    }

    fn options(&self, report: Option<&PathBuf>, state: &PathBuf) -> RunOptions {
        let mut words = vec!["run".into(), path(self.program).into_os_string()];
        words.extend(["--dump-state".into(), state.into()]);
        if let Some(report) = report {
            words.extend(["--report".into(), report.into()]);
        }
        words.extend(self.options.iter().map(Into::into));
        if !self.arguments.is_empty() {
            words.push("--".into());
            words.extend(self.arguments.iter().map(Into::into));
        }
        let command = RunOptions::augment_args(Command::new("run"));
        let matches = command.try_get_matches_from(words).expect("the test's line is right");
        RunOptions::from_arg_matches(&matches).expect("the test's line is right")
    }
}
