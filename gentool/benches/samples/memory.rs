//! What memory each way to a profile takes: when a run begins, and while it goes on.

use super::guest::{LIMIT_REACHED, each, line, options, quiet, sampled, stored};
use crate::process::{self, Usage};
use crate::{INTERVAL, Plan, means};

/// A way to a profile.
struct Way {
    engine: &'static str,
    name: &'static str,
    options: Vec<String>,
}

/// Instructions of a run, and of a longer one.
fn lengths(engine: &str) -> [u64; 2] {
    match engine {
        "reference" => [100_000, 1_000_000],
        _ => [50_000_000, 500_000_000],
    }
}

fn ways(plan: &Plan) -> Vec<Way> {
    let (path, mut ways) = (&plan.path, Vec::new());
    let mut add = |engine, name, options| ways.push(Way { engine, name, options });
    let with = |words: &[&str]| [stored(path), options(words)].concat();
    let samples = |words: &[&str]| [sampled(path, INTERVAL, None), options(words)].concat();
    let values = path.with_extension("values").to_string_lossy().into_owned();
    for engine in ["emitted", "translated"] {
        add(engine, "without profile", Vec::new());
        add(engine, "exact profile", stored(path));
        if engine == "translated" {
            add(engine, "a counter on every edge", with(&["--counters", "every"]));
        }
        add(engine, "samples, all duplicated", samples(&[]));
        if engine == "translated" {
            add(
                engine,
                "samples, what carries instrumentation duplicated",
                samples(&["--sample-only", "calls"]),
            );
            add(
                engine,
                "samples, each call a check",
                [sampled(path, INTERVAL, None), each("calls")].concat(),
            );
            add(
                engine,
                "samples, each access a check",
                [sampled(path, INTERVAL, None), each("accesses")].concat(),
            );
            add(engine, "samples, values of all operands", samples(&["--values", &values]));
        }
        add(engine, "exact profile with calls", with(&["--calls"]));
        add(engine, "exact profile, 10 snapshots", with(&["--snapshot-every", "5M"]));
    }
    add("reference", "without profile", Vec::new());
    add("reference", "exact profile", stored(path));
    add("reference", "values of all operands", options(&["--values", &values]));
    ways
}

/// Prints the table.
pub(crate) fn measure(plan: &Plan) {
    println!(
        "Most memory of a run, in KiB: how much more than without a profile, in KiB and percent; machine code \
         and how much of it is more; and what a run ten times as long takes more. Means of the guests:\n"
    );
    println!("| engine | way | peak | more | percent | code | more, percent | ten times as long |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let mut plain = vec![0.0; 3];
    for Way { engine, name, options } in ways(plan) {
        let [short, long] = lengths(engine).map(|length| length / plan.divisor);
        let rows: Vec<Vec<f64>> = plan
            .guests
            .iter()
            .map(|guest| {
                let [short, long] = [short, long].map(|length| run(engine, guest, length, &options));
                vec![short[0], short[1], long[0] - short[0]]
            })
            .collect();
        let row = means(&rows);
        if name == "without profile" {
            plain.clone_from(&row);
        }
        let more = |at: usize| 100.0 * (row[at] / plain[at] - 1.0);
        let code = match row[1] {
            0.0 => " | ".to_owned(),
            code => format!("{code:.0} | {:.1}", more(1)),
        };
        println!(
            "| {engine} | {name} | {:.0} | {:.0} | {:.1} | {code} | {:.0} |",
            row[0],
            row[0] - plain[0],
            more(0),
            row[2]
        );
    }
    println!();
}

/// The most memory of a run, and the machine code that was made in it, in KiB.
fn run(engine: &str, guest: &str, instructions: u64, more: &[String]) -> [f64; 2] {
    let options = [more.to_vec(), options(&["--stats"])].concat();
    let mut command = quiet(env!("CARGO_BIN_EXE_gentool"), &line(engine, guest, instructions, &options));
    let Usage { peak_kib, status, errors, .. } = process::run(&mut command).expect("gentool runs");
    assert_eq!(status, Some(LIMIT_REACHED), "{errors}");
    let translated = errors.lines().find_map(|line| line.strip_prefix("translated: "));
    let bytes = translated.and_then(|told| told.split(", ").find_map(|word| word.strip_suffix(" bytes")));
    let code = bytes.and_then(|bytes| bytes.parse::<f64>().ok()).unwrap_or(0.0);
    [peak_kib.unwrap_or(0) as f64, code / 1024.0]
}
