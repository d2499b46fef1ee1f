//! What it costs to follow calls, and to make every report of a long run.

use std::path::Path;
use std::time::Instant;

use crate::{Target, gentool, repository, text};

const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
/// Of so many runs the shortest counts: what else the computer does makes runs longer only.
const REPETITIONS: usize = 5;
/// Every form of report.
pub(crate) const FORMATS: [&str; 14] = [
    "callgrind",
    "disassembly",
    "dot",
    "estimates",
    "flow-dot",
    "folded",
    "gprof",
    "lcov",
    "oprofile",
    "pprof",
    "source",
    "text",
    "top",
    "xml",
];

/// Runs the guests with and without calls on two engines, and makes all reports of each profile.
pub(crate) fn measure(scratch: &Path, instructions: u64) -> Vec<Target> {
    // What is translated more counts in the shorter runs, what each call costs in the longer ones.
    let mut targets = measure_on("translated", scratch, instructions);
    targets.extend(measure_on("translated", scratch, 5 * instructions));
    targets.extend(measure_on("emitted", scratch, instructions));
    targets
}

fn measure_on(engine: &str, scratch: &Path, instructions: u64) -> Vec<Target> {
    let model = repository("models/rv32im/rv32im.isac");
    let of = format!("{engine}, {} million", instructions / 1_000_000);
    println!(
        "Runs of {instructions} instructions with the exact profile on the {engine} engine, without calls and \
         with them, in seconds:\n"
    );
    println!("| guest | profile | with calls | more, percent |\n|---|---:|---:|---:|");
    let (mut product, mut slowest) = (1.0, Target { name: String::new(), measured: 0.0, at_most: 2.0 });
    for guest in GUESTS {
        let image = repository(&format!("models/rv32im/programs/{guest}.elf"));
        let stored = scratch.join(format!("{guest}.profile"));
        let limit = instructions.to_string();
        let run = |calls: bool| {
            let mut arguments = vec!["run", text(&model), text(&image), "--engine", engine];
            arguments.extend(["--limit-instructions", &limit, "--profile", text(&stored)]);
            arguments.extend(calls.then_some("--calls"));
            arguments.extend(["--", "1000000"]);
            let begun = Instant::now();
            gentool(&arguments).status().expect("gentool runs");
            begun.elapsed().as_secs_f64()
        };
        run(true);
        let [mut without, mut with] = [f64::INFINITY; 2];
        for _ in 0..REPETITIONS {
            without = without.min(run(false));
            with = with.min(run(true));
        }
        product *= with / without;
        println!("| {guest} | {without:.3} | {with:.3} | {:.1} |", 100.0 * (with / without - 1.0));
        let (format, seconds) = slowest_report(&stored, &image, scratch);
        if seconds > slowest.measured {
            slowest = Target {
                name: format!("slowest report, {format} of {guest}, {of}, seconds"),
                measured: seconds,
                ..slowest
            };
        }
    }
    let mean = 100.0 * (f64::powf(product, 1.0 / GUESTS.len() as f64) - 1.0);
    println!("| geometric mean | | | {mean:.1} |\n");
    vec![
        Target { name: format!("calls over the exact profile, {of}, percent"), measured: mean, at_most: 3.0 },
        slowest,
    ]
}

/// The report that takes longest, and how long it takes.
pub(crate) fn slowest_report(stored: &Path, image: &Path, scratch: &Path) -> (&'static str, f64) {
    let times = FORMATS.map(|format| {
        let out = scratch.join("report");
        let arguments =
            ["report", text(stored), "--image", text(image), "--format", format, "-o", text(&out)];
        let begun = Instant::now();
        let status = gentool(&arguments).status().expect("gentool runs");
        assert!(status.success(), "{format}: {status}");
        (format, begun.elapsed().as_secs_f64())
    });
    times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are formats")
}
