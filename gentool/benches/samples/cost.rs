//! What a profile of everything, checks and samples cost (figures 5 to 8: overheads).

use std::process::Command;
use std::sync::{Once, OnceLock};

use super::guest::{LIMIT_REACHED, each, line, options, quiet, sampled, stored};
use crate::process;
use crate::{INTERVAL, INTERVALS, NEVER, Plan, Target, means, print_row};

pub(crate) const TRANSLATED: &str = "translated";

/// Instructions of the two runs whose difference is taken, by engine.
const CHECKED: [(&str, [u64; 2]); 2] = [("emitted", [12_000_000, 24_000_000]), (TRANSLATED, LONG)];
/// The same where compiled code runs nearly all the time.
pub(crate) const LONG: [u64; 2] = [3_000_000_000, 13_000_000_000];

/// Runs in turns of which the fastest is taken.
const ROUNDS: usize = 5;

/// The same for samples: where they are often a run takes longer, and all the more if what is in them is
/// interpreted.
pub(crate) fn lengths(engine: &str, interval: u64, is_interpreted: bool) -> [u64; 2] {
    match (engine, interval) {
        ("emitted", ..1_000) => [12_000_000, 24_000_000],
        // Code is decoded for the second time as samples come by it, which is to be over by then.
        ("emitted", _) => [400_000_000, 480_000_000],
        (_, 1) if is_interpreted => [2_000_000, 4_000_000],
        (_, 10) if is_interpreted => [20_000_000, 40_000_000],
        (_, 100) if is_interpreted => [200_000_000, 400_000_000],
        (_, 1_000) if is_interpreted => [1_000_000_000, 2_000_000_000],
        (_, 1) => [100_000_000, 200_000_000],
        (_, 10) => [200_000_000, 600_000_000],
        (_, 100) => [1_000_000_000, 3_000_000_000],
        _ => LONG,
    }
}

/// What one instruction of a guest costs: in the emitted engine instructions of the host where valgrind counts
/// them, else nanoseconds.
fn cost(plan: &Plan, engine: &str, guest: &str, lengths: [u64; 2], options: &[String]) -> f64 {
    if !is_counted(engine) {
        return times(plan, engine, guest, lengths, &[options.to_vec()])[0];
    }
    let lengths = lengths.map(|length| length / plan.divisor);
    build(engine, guest);
    let [short, long] = std::thread::scope(|scope| {
        lengths
            .map(|length| scope.spawn(move || host_instructions(&line(engine, guest, length, options))))
            .map(|run| run.join().expect("a run is counted"))
    });
    (long - short) / (lengths[1] - lengths[0]) as f64
}

/// Has the simulator of an engine built and kept, so that none is built while instructions are counted.
fn build(engine: &str, guest: &str) {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let status = quiet(env!("CARGO_BIN_EXE_gentool"), &line(engine, guest, 1, &[])).status();
        assert_eq!(status.expect("gentool runs").code(), Some(LIMIT_REACHED), "a simulator is built");
    });
}

/// True if costs are instructions of the host: of the emitted engine, where there is valgrind.
fn is_counted(engine: &str) -> bool {
    static VALGRIND: OnceLock<bool> = OnceLock::new();
    engine != TRANSLATED
        && *VALGRIND.get_or_init(|| {
            let version = Command::new("valgrind").arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        })
}

/// What one instruction of a guest costs by each way, in nanoseconds of processor time: the fastest runs of
/// some in turns. The translated engine is asked for as much as takes some 50 ms, so that under valgrind it
/// would be asked for less at once and come back more often than it does.
pub(crate) fn times(
    plan: &Plan,
    engine: &str,
    guest: &str,
    lengths: [u64; 2],
    ways: &[Vec<String>],
) -> Vec<f64> {
    let lengths = lengths.map(|length| length / plan.divisor);
    let mut fastest = vec![[f64::INFINITY; 2]; ways.len()];
    for _ in 0..ROUNDS {
        for (way, fastest) in ways.iter().zip(&mut fastest) {
            for (length, fastest) in lengths.iter().zip(fastest) {
                let mut command = quiet(env!("CARGO_BIN_EXE_gentool"), &line(engine, guest, *length, way));
                let seconds = process::run(&mut command).expect("gentool runs").seconds;
                *fastest = fastest.min(seconds);
            }
        }
    }
    let each = |[short, long]: &[f64; 2]| 1e9 * (long - short) / (lengths[1] - lengths[0]) as f64;
    fastest.iter().map(each).collect()
}

/// Instructions of the host that a run takes, as valgrind counts them.
fn host_instructions(arguments: &[String]) -> f64 {
    let mut all = options(&["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    all.extend(options(&["--trace-children=yes", env!("CARGO_BIN_EXE_gentool")]));
    all.extend(arguments.iter().cloned());
    let output = quiet("valgrind", &all).output().expect("valgrind runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(LIMIT_REACHED), "{told}");
    // The emitted simulator takes the place of the program that has started it.
    // `I refs:`, with as many blanks between as the number leaves room for.
    let mut counted = told.lines().filter_map(|line| line.split_once("refs:"));
    let last = counted.rfind(|(what, _)| what.trim_end().ends_with(" I"));
    let number = last.and_then(|(_, number)| number.trim().replace(',', "").parse().ok());
    number.unwrap_or_else(|| panic!("valgrind tells how many: {told}"))
}

fn percent_more(cost: f64, than: f64) -> f64 {
    100.0 * (cost / than - 1.0)
}

/// Prints what everything costs, and what the checks alone do; gives what the targets are about.
pub(crate) fn measure_checks(plan: &Plan) -> Vec<Target> {
    let path = &plan.path;
    let at = |places: &str| [sampled(path, NEVER, None), options(&["--sample-checks", places])].concat();
    let mut targets = Vec::new();
    for (engine, lengths) in CHECKED.into_iter().filter(|(engine, _)| plan.engines.contains(engine)) {
        let mut ways = vec![Vec::new(), stored(path), at("calls"), at("back-edges"), at("both")];
        let is_timed = engine == TRANSLATED;
        let mut header =
            "| guest | without profile | everything counted | checks at calls | at jumps back | at both |";
        if is_timed {
            ways.extend(["calls", "accesses"].map(|what| [sampled(path, NEVER, None), each(what)].concat()));
            header = "| guest | without profile | everything counted | checks at calls | at jumps back | at both | \
                      each call a check | each access |";
        }
        let unit = match is_counted(engine) {
            true => "instructions of the host",
            false => "nanoseconds of processor time",
        };
        println!(
            "{engine}: {unit} for one instruction of the guest, and how many percent more it is with the exact \
             profile of calls, accesses and all else, and with checks at which no sample begins:\n"
        );
        println!("{header}\n|---|{}", "---:|".repeat(ways.len()));
        let mut rows = Vec::new();
        for guest in &plan.guests {
            let costs: Vec<f64> = match is_counted(engine) {
                true => ways.iter().map(|way| cost(plan, engine, guest, lengths, way)).collect(),
                false => times(plan, engine, guest, lengths, &ways),
            };
            let mut row = vec![costs[0]];
            row.extend(costs[1..].iter().map(|cost| percent_more(*cost, costs[0])));
            print_row(guest, &row);
            rows.push(row);
        }
        let means = means(&rows);
        print_row("mean", &means);
        println!();
        if is_timed {
            targets.push(Target::AtMost("checks in the translated engine, percent", means[4], 2.0));
        }
    }
    targets
}

/// Prints what samples cost; gives what the targets are about.
pub(crate) fn measure_samples(plan: &Plan) -> Vec<Target> {
    let ways: [(&str, &str, Vec<String>); 4] = [
        ("emitted", "all duplicated", Vec::new()),
        (TRANSLATED, "all duplicated", Vec::new()),
        (TRANSLATED, "each call a check", each("calls")),
        (TRANSLATED, "each access a check", each("accesses")),
    ];
    println!(
        "Percent more than with the checks alone, of {} (emitted) and of processor time (translated), by \
         interval:\n",
        if is_counted("emitted") { "the host's instructions" } else { "processor time" }
    );
    let heads: Vec<String> = INTERVALS.iter().map(|interval| format!("{interval} |")).collect();
    println!("| engine | guest | {}\n|---|---|{}", heads.join(" "), "---:|".repeat(INTERVALS.len()));
    let mut targets = Vec::new();
    for (engine, name, more) in ways.iter().filter(|(engine, ..)| plan.engines.contains(engine)) {
        let mut rows = Vec::new();
        for guest in &plan.guests {
            let of = |interval, lengths| {
                let options = [sampled(&plan.path, interval, None), more.clone()].concat();
                cost(plan, engine, guest, lengths, &options)
            };
            let mut checks = std::collections::BTreeMap::new();
            let row: Vec<f64> = INTERVALS
                .iter()
                .map(|interval| {
                    let is_interpreted = !more.is_empty();
                    let lengths = lengths(engine, *interval, is_interpreted);
                    // Short runs of the translated engine without samples compile, and do little else.
                    let without = if *engine == TRANSLATED { LONG } else { lengths };
                    let checks = *checks.entry(without).or_insert_with(|| of(NEVER, without));
                    percent_more(of(*interval, lengths), checks)
                })
                .collect();
            print_row(&format!("{engine}, {name} | {guest}"), &row);
            rows.push(row);
        }
        let means = means(&rows);
        print_row(&format!("{engine}, {name} | mean"), &means);
        let at = INTERVALS.iter().position(|interval| *interval == INTERVAL).expect("it is one of them");
        let target = match (*engine, more.is_empty()) {
            ("emitted", _) => "samples at interval 1,000 over the checks, emitted engine, percent",
            (_, true) => "samples at interval 1,000 over the checks, translated engine, percent",
            _ => continue,
        };
        targets.push(Target::AtMost(target, means[at], 0.2));
    }
    println!();
    targets
}
