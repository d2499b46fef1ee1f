//! What the profile of a program costs: counters placed by estimates, functions found with few
//! counters, calls followed, reports made.
//!
//! `cargo bench -p gentool --bench program [-- --quick] [PART...]` prints the tables of
//! `docs/performance.md`; the parts are `counters`, `placed`, `descent`, `reports` and `large`. Counts are
//! exact and the same on every machine; times are what a user waits. A missed target makes the exit
//! status 1. `--quick` runs a hundredth of the instructions and functions.

#[allow(dead_code, reason = "memory is not looked at here")]
#[path = "../../benches/speed/process.rs"]
mod process;

mod program {
    pub(crate) mod counters;
    pub(crate) mod descent;
    pub(crate) mod estimate;
    pub(crate) mod large;
    pub(crate) mod placed;
    pub(crate) mod reports;
}

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use program::{counters, descent, large, placed, reports};

/// A run of the command line that is under test.
pub(crate) fn gentool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A file as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("paths of this repository are texts")
}

/// How a figure stands to its target.
pub(crate) struct Target {
    pub name: String,
    pub measured: f64,
    pub at_most: f64,
}

const PARTS: [&str; 5] = ["counters", "placed", "descent", "reports", "large"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (options, parts): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with('-'));
    let is_quick = options.iter().any(|option| *option == "--quick");
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        eprintln!("error: there is no part `{unknown}`; parts: {}", PARTS.join(", "));
        return ExitCode::from(2);
    }
    let runs = |part: &str| parts.is_empty() || parts.iter().any(|named| *named == part);
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let instructions = if is_quick { 10_000_000 } else { 1_000_000_000 };
    if runs("counters") {
        counters::measure(scratch.path());
    }
    if runs("placed") {
        placed::measure(scratch.path(), instructions);
    }
    if runs("descent") {
        descent::measure(scratch.path());
    }
    let mut targets = Vec::new();
    if runs("reports") {
        targets.extend(reports::measure(scratch.path(), instructions));
    }
    if runs("large") {
        targets.extend(large::measure(scratch.path(), if is_quick { 1_000 } else { 100_000 }));
    }
    println!("| target | measured | at most | |\n|---|---:|---:|---|");
    let mut is_missed = false;
    for Target { name, measured, at_most } in targets {
        let word = if measured <= at_most { "reached" } else { "MISSED" };
        is_missed |= measured > at_most;
        println!("| {name} | {measured:.3} | {at_most} | {word} |");
    }
    if is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
