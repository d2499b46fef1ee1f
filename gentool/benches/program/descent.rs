//! How many passes few counters take to find the functions that cost most.

use std::path::Path;

use sim_profile::counters::Descent;
use sim_profile::{read_profile, spending_of};

use super::counters::{MODELS, PROGRAMS};
use crate::{gentool, repository, text};

const COUNTERS: [usize; 4] = [1, 2, 4, 8];
/// The least share of the cycles that is looked for.
const PERCENT: u64 = 5;

/// Runs all programs, descends with each number of counters, and prints the table. What is found is
/// compared with what the exact profile says of every function.
pub(crate) fn measure(scratch: &Path) {
    println!("Functions that take {PERCENT} % of the cycles and more, found with 1, 2, 4 and 8 counters:\n");
    println!("| program | functions | found | of | measured | passes | all one by one |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (model, program) in MODELS.iter().flat_map(|model| PROGRAMS.map(|program| (*model, program))) {
        print_row(scratch, model, program);
    }
    println!();
}

fn print_row(scratch: &Path, model: &str, program: &str) {
    let description = repository(&format!("models/{model}/{model}.isac"));
    let image = repository(&format!("models/{model}/programs/{program}.elf"));
    let stored = scratch.join("descent.profile");
    let arguments = ["run", text(&description), text(&image), "--engine", "reference", "--calls"];
    let status = gentool(&arguments).arg("--profile").arg(&stored).status().expect("gentool runs");
    assert!(status.success(), "{program} on {model}: {status}");
    let file = std::fs::File::open(&stored).expect("the profile was written");
    let profile = read_profile(std::io::BufReader::new(file)).expect("a profile");
    let calls = profile.calls.as_ref().expect("calls were followed");
    let threshold = (spending_of(&profile.measurement).cycles * PERCENT).div_ceil(100);
    let spent = |function: u64| calls.functions[&function].inclusive.cycles;
    let descents = COUNTERS.map(|counters| Descent::of(calls, counters, threshold, spent));
    let expected = calls.functions.keys().filter(|function| spent(**function) >= threshold).count();
    let functions = calls.functions.len();
    let found = descents.iter().map(|descent| descent.found().count()).min().unwrap_or_default();
    println!(
        "| {program} {model} | {functions} | {found} | {expected} | {} | {} | {} |",
        descents[0].measured(),
        list(descents.iter().map(|descent| descent.passes.len())),
        list(COUNTERS.iter().map(|counters| functions.div_ceil(*counters)))
    );
}

fn list(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}
