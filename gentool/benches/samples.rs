//! What samples cost, how near they come to the whole run, and what memory each way to a profile takes.
//!
//! `cargo bench -p gentool --bench samples [-- WORD...]` prints the tables of `docs/performance.md`. Words are
//! parts, guests and engines, all of them if none is named, and `--quick`:
//!
//! | word | what |
//! |---|---|
//! | `checks` | what a profile of everything costs, and what checks without samples cost |
//! | `cost` | what samples cost more than checks do |
//! | `accuracy` | how near samples come to the whole run, exact and the same on every machine |
//! | `clock` | the same where the host's clock chooses them |
//! | `values` | what it costs to count the values of all operands, in samples and always |
//! | `memory` | what memory each way takes, and whether that grows with the run |
//! | `emitted`, `translated` | the engine whose checks and samples are to be measured |
//!
//! Costs are instructions of the host, counted by valgrind (Debian: `valgrind`) as the difference between two
//! runs, so that what a run does once is left out; without valgrind they are processor time, as are all
//! in the translated engine, which runs otherwise where time is stretched. A missed target makes the exit
//! status 1. `--quick` takes runs of a hundredth, in which nothing is as it is in long ones.

#[path = "../../benches/speed/process.rs"]
mod process;

mod samples {
    pub(crate) mod accuracy;
    pub(crate) mod clock;
    pub(crate) mod cost;
    pub(crate) mod guest;
    pub(crate) mod memory;
    pub(crate) mod values;
}

use std::path::PathBuf;
use std::process::ExitCode;

use samples::{accuracy, clock, cost, memory, values};

const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
const PARTS: [&str; 6] = ["checks", "cost", "accuracy", "clock", "values", "memory"];
const ENGINES: [&str; 2] = ["emitted", "translated"];

/// Checks from one sample to the next, as they are compared.
pub(crate) const INTERVALS: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];

/// The interval that targets are about.
pub(crate) const INTERVAL: u64 = 1_000;

/// So rarely that no run comes to a second sample: the checks alone.
pub(crate) const NEVER: u64 = 1 << 50;

/// What is measured, and how long.
pub(crate) struct Plan {
    pub guests: Vec<&'static str>,
    /// Whose checks and samples.
    pub engines: Vec<&'static str>,
    /// Runs are shorter by this.
    pub divisor: u64,
    /// A file for profiles.
    pub path: PathBuf,
}

/// How a figure stands to its target.
pub(crate) enum Target {
    AtMost(&'static str, f64, f64),
    AtLeast(&'static str, f64, f64),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let named = |known: &[&'static str]| -> Vec<&'static str> {
        let found: Vec<_> =
            known.iter().copied().filter(|name| words.iter().any(|word| word == name)).collect();
        if found.is_empty() { known.to_vec() } else { found }
    };
    let all = [&PARTS[..], &GUESTS, &ENGINES].concat();
    let is_known = |word: &str| all.contains(&word) || ["--quick", "--bench"].contains(&word);
    if let Some(word) = words.iter().find(|word| !is_known(word)) {
        eprintln!("error: `{word}` is no part, guest or engine; there are {}", all.join(", "));
        return ExitCode::FAILURE;
    }
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let divisor = if words.iter().any(|word| word == "--quick") { 100 } else { 1 };
    let path = scratch.path().join("profile");
    let plan = Plan { guests: named(&GUESTS), engines: named(&ENGINES), divisor, path };
    let mut targets = Vec::new();
    for part in named(&PARTS) {
        match part {
            "checks" => targets.extend(cost::measure_checks(&plan)),
            "cost" => targets.extend(cost::measure_samples(&plan)),
            "accuracy" => targets.extend(accuracy::measure(&plan)),
            "clock" => clock::measure(&plan),
            "values" => values::measure(&plan),
            _ => memory::measure(&plan),
        }
    }
    if print_targets(&targets) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether all were reached.
fn print_targets(targets: &[Target]) -> bool {
    println!("| target, mean of the guests | measured | | target | |\n|---|---:|---|---:|---|");
    let mut all = true;
    for target in targets {
        let (name, measured, word, bound, is_reached) = match *target {
            Target::AtMost(name, measured, bound) => (name, measured, "at most", bound, measured <= bound),
            Target::AtLeast(name, measured, bound) => (name, measured, "at least", bound, measured >= bound),
        };
        all &= is_reached;
        let end = if is_reached { "reached" } else { "MISSED" };
        println!("| {name} | {measured:.2} | {word} | {bound} | {end} |");
    }
    all
}

/// Prints a row of a table.
pub(crate) fn print_row(name: &str, figures: &[f64]) {
    let cells: Vec<String> = figures.iter().map(|figure| format!("{figure:.2}")).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

/// The means of columns.
pub(crate) fn means(rows: &[Vec<f64>]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    (0..columns).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64).collect()
}
