//! What counting costs the translated engine, by where it counts.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Usage};
use crate::{repository, text};

const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
/// So many times as long as others: what a report costs is no part of what counting does.
const LONGER: u64 = 5;
/// Of so many runs the shortest counts.
const REPETITIONS: usize = 5;
/// Ways to choose the edges that count, as `--counters` names them; the last is by a stored profile.
const WAYS: [&str; 6] = ["every", "random", "naive", "wu-larus", "fewest", "measured"];
/// The heads of their columns.
const HEADS: &str =
    "every edge | random tree | naive estimate | Wu and Larus | by loops | a measured profile";

/// Where a run is told that its instructions are used up.
const LIMIT_STATUS: i32 = 124;

/// What a run says.
struct Cost {
    /// Of the processor, all but translating.
    seconds: f64,
    translating: f64,
}

/// Runs the guests with counters placed in each way, and without profile.
pub(crate) fn measure(scratch: &Path, instructions: u64) {
    let instructions = LONGER * instructions;
    let mut rows = Vec::new();
    for guest in GUESTS {
        let stored = scratch.join("placed.profile");
        let kept = ["--profile", text(&stored)];
        run(guest, instructions, &kept);
        let plain = || run(guest, instructions, &[]);
        let with = |way: &str| {
            let report = scratch.join("placed.xml");
            let place = match way {
                "measured" => ["--counters-from", text(&stored)],
                _ => ["--counters", way],
            };
            run(guest, instructions, &[&["--report", text(&report)][..], &place].concat())
        };
        let mut costs: Vec<Vec<Cost>> = (0..=WAYS.len()).map(|_| Vec::new()).collect();
        // In turns, so that whatever else the computer does is shared by all.
        for _ in 0..REPETITIONS {
            costs[0].push(plain());
            costs[1..].iter_mut().zip(WAYS).for_each(|(costs, way)| costs.push(with(way)));
        }
        let least = |of: fn(&Cost) -> f64| -> Vec<f64> {
            costs.iter().map(|runs| runs.iter().map(of).fold(f64::INFINITY, f64::min)).collect()
        };
        rows.push((guest, least(|cost| cost.seconds), least(|cost| cost.translating)));
    }
    println!(
        "What counting costs the translated engine in {instructions} instructions, in percent of the run's \
         processor time without profile:\n"
    );
    println!("| program | none, seconds | {HEADS} |\n|---|{}", "---:|".repeat(WAYS.len() + 1));
    print(rows.iter().map(|(guest, seconds, _)| (*guest, &seconds[..])));
    println!("The same of translating:\n");
    println!("| program | none, seconds | {HEADS} |\n|---|{}", "---:|".repeat(WAYS.len() + 1));
    print(rows.iter().map(|(guest, _, seconds)| (*guest, &seconds[..])));
}

fn print<'a>(rows: impl Iterator<Item = (&'a str, &'a [f64])>) {
    let mut sums = vec![0.0; WAYS.len()];
    for (guest, seconds) in rows {
        let over: Vec<f64> = seconds[1..].iter().map(|with| 100.0 * (with / seconds[0] - 1.0)).collect();
        sums.iter_mut().zip(&over).for_each(|(sum, over)| *sum += over);
        let shown: Vec<String> = over.iter().map(|over| format!("{over:.1}")).collect();
        println!("| {guest} | {:.3} | {} |", seconds[0], shown.join(" | "));
    }
    let means = sums.iter().map(|sum| format!("{:.1}", sum / GUESTS.len() as f64));
    println!("| average | | {} |\n", means.collect::<Vec<String>>().join(" | "));
}

fn run(guest: &str, instructions: u64, options: &[&str]) -> Cost {
    let model = repository("models/rv32im/rv32im.isac");
    let image = repository(&format!("models/rv32im/programs/{guest}.elf"));
    let limit = instructions.to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(["run", text(&model), text(&image), "--engine", "translated", "--stats"]);
    command.args(["--limit-instructions", &limit]).args(options).args(["--", "1000000"]);
    let usage = process::run(&mut command).expect("gentool runs");
    assert_eq!(usage.status, Some(LIMIT_STATUS), "{guest}: {}", usage.errors);
    let translating = translating(&usage).expect("--stats tells what was translated");
    Cost { seconds: usage.seconds - translating, translating }
}

/// Seconds that translating took, from what the run said of itself.
fn translating(usage: &Usage) -> Option<f64> {
    let line = usage.errors.lines().find(|line| line.starts_with("translated:"))?;
    let (before, _) = line.split_once(" seconds")?;
    before.rsplit([' ', ',']).next()?.parse().ok()
}
