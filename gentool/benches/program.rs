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
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_known = |word: &str| PARTS.contains(&word) || ["--quick", "--bench"].contains(&word);
    if let Some(unknown) = words.iter().find(|word| !is_known(word)) {
        eprintln!("error: no part `{unknown}`; there are {}", PARTS.join(", "));
        return ExitCode::FAILURE;
    }
    let is_named = |part: &&str| words.iter().any(|word| word == part);
    let is_quick = is_named(&"--quick");
    let parts: Vec<&str> = match PARTS.into_iter().filter(|part| is_named(part)).collect::<Vec<_>>() {
        named if named.is_empty() => PARTS.to_vec(),
        named => named,
    };
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let instructions = if is_quick { 10_000_000 } else { 1_000_000_000 };
    let mut targets = Vec::new();
    for part in parts {
        match part {
            "counters" => counters::measure(scratch.path()),
            "placed" => placed::measure(scratch.path(), instructions),
            "descent" => descent::measure(scratch.path()),
            "reports" => targets.extend(reports::measure(scratch.path(), instructions)),
            _ => targets.extend(large::measure(scratch.path(), if is_quick { 1_000 } else { 100_000 })),
        }
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
