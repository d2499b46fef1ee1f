//! Runs of pipelined models, worked out by hand, against what the engine that traces tells:
//! `tests/time/README.md`.

#[allow(dead_code, reason = "places are written there, too")]
#[path = "ins/place.rs"]
mod place;
mod support;
mod time {
    pub(crate) mod account;
    pub(crate) mod case;
    pub(crate) mod law;
    pub(crate) mod picture;
    pub(crate) mod print;
    pub(crate) mod profile;
    pub(crate) mod queues;
    pub(crate) mod random_program;
    pub(crate) mod run;
}

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use isac_ir::Model;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sim_runtime::trace::{CycleTrace, CycleWindow, Diagram, KanataWriter, TraceSink};
use sim_runtime::{AccessKind, FaultKind, Stop};
use support::law::check_time;
use time::account::Account;
use time::case::{Case, read_case};
use time::law::{check_laws, check_summary};
use time::picture::picture_differences;
use time::profile::check_profile;
use time::queues::queue_table;
use time::random_program::program;
use time::run::{draw_window, load, state_differences, trace, trace_window};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/time");

/// The table of queues, which is no case.
const QUEUES: &str = "timing-demo.txt";

static FIVE: LazyLock<Model> = LazyLock::new(|| load("tests/time/five.isac"));

fn read(name: &str) -> String {
    fs::read_to_string(PathBuf::from(FOLDER).join(name)).expect("the case is text")
}

/// All cases, by name.
fn names() -> BTreeSet<String> {
    let entries = fs::read_dir(FOLDER).expect("there are cases");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".txt") && name != QUEUES).collect()
}

/// What of a run is not as its case says.
fn differences(case: &Case) -> Vec<String> {
    let model = load(&case.model);
    let run = trace(case, &model);
    let account = Account::of(&run.cycles);
    assert!(account.adds_up(), "{account}");
    check_summary(&account, &run.measurement);
    check_time(&run.measurement);
    check_profile(&run.cycles, &run.measurement, &model);
    let mut differences = case.compare(&run.text(&model));
    differences.extend(state_differences(case, &run, &model));
    differences.extend(picture_differences(case, &run, &model));
    differences
}

#[test]
fn every_case_is_what_the_reference_engine_does() {
    let mut wrong = String::new();
    for name in names() {
        let case = read_case(&read(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        for difference in differences(&case) {
            wrong += &format!("{name}: {difference}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Whoever listens to some cycles is told the same of them, and what was in flight before; pictures
/// of them show the same.
#[test]
fn cycles_that_nobody_listens_to_are_left_out_and_nothing_else() {
    for name in names() {
        let case = read_case(&read(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let model = load(&case.model);
        let all = trace(&case, &model).cycles;
        for (first, count) in [(1, 3), (3, 4), (5, 1000)] {
            let window = CycleWindow { first, count };
            let expected: Vec<_> =
                all.iter().filter(|cycle| window.contains(cycle.number)).cloned().collect();
            let mut found = trace_window(&case, &model, window);
            let in_flight = found.first_mut().and_then(|cycle| cycle.in_flight.take());
            let ids = in_flight.map(|all| all.iter().map(|it| it.id).collect::<BTreeSet<u64>>());
            let before = all.iter().find(|cycle| cycle.number + 1 == first && !expected.is_empty());
            let pending = |it: &CycleTrace| it.pending.iter().map(|it| it.activation.id).collect();
            assert_eq!(ids, before.map(pending), "{name}: in flight before cycle {first}");
            assert_eq!(found, expected, "{name}: cycles {first} and {count} more");
            let mut kanata = KanataWriter::new(Vec::new(), &model, window);
            let mut diagram = Diagram::new(&model, window);
            for cycle in &all {
                kanata.cycle(cycle);
                diagram.cycle(cycle);
            }
            let bytes = kanata.finish().expect("memory takes everything");
            let whole = [String::from_utf8(bytes).expect("the format is text"), diagram.text()];
            assert_eq!(draw_window(&case, &model, window), whole, "{name}: pictures from {first} on");
        }
    }
}

#[test]
fn the_queues_of_timing_demo_are_those_of_its_table() {
    let case = read_case(&read(QUEUES)).expect("the case can be read");
    assert_eq!(case.compare(&queue_table(&case, &load(&case.model))), Vec::<String>::new());
}

#[test]
fn the_readme_lists_every_case() {
    let readme = read("README.md");
    for name in names() {
        let row = format!("| `{}` |", name.trim_end_matches(".txt"));
        assert!(readme.contains(&row), "{row}");
    }
}

#[test]
fn a_case_that_does_not_hold_is_noticed_in_every_part() {
    let text = read("load-use.txt");
    for (from, to, difference) in [
        (
            "run decode 3 retry",
            "run decode 3",
            "cycle 4: expected `  run decode 3`, found `  run decode 3 retry`",
        ),
        ("read+1 #1", "read+2 #1", "cycle 4: expected `  pending retire+1 #0, read+2 #1,"),
        ("  end 4\n", "", "cycle 9: expected `  halt 0`, found `  end 4`"),
        (
            "idle 1 ",
            "idle 2 ",
            "account: expected `account cycles 9 ended 4 cancelled 0 faulted 0 flying 4 idle 2",
        ),
        (
            "lost 1 retry decode DC 0x2",
            "lost 1 retry fetch DC 0x2",
            "lost: expected `lost 1 retry fetch DC 0x2`, found `lost 1 retry decode DC 0x2`",
        ),
        ("stage EX 6 0", "stage EX 7 0", "stage: expected `stage EX 7 0`, found `stage EX 6 0`"),
        ("r[3]=14", "r[3]=15", "state: r[3] is 0xe, expected 0xf"),
        (
            "# 3  add r3, r2, r2            F  d",
            "# 3  add r3, r2, r2            F  D",
            "picture: expected 3 `        F  D  D  E  M  W`, found 3 `        F  d  D",
        ),
        ("cell 0x40 0x0007", "cell 0x40 0x0008", "state: r[2] is 0x8, expected 0x7"),
    ] {
        let case = read_case(&text.replacen(from, to, 1)).expect("the case can be read");
        let found = differences(&case);
        let is_noticed = found.first().is_some_and(|first| first.starts_with(difference));
        assert!(is_noticed, "{from}: {found:?}");
    }
}

fn pieces() -> impl Strategy<Value = Vec<u64>> {
    let pieces = prop::collection::vec(0..12u64, 1..8);
    pieces.prop_filter("the run must get on", |pieces| pieces.iter().any(|piece| *piece > 0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_law_of_time_holds_for_random_programs(
        program in program(), limit in 1..300u64, pieces in pieces()
    ) {
        check_laws(&program, &FIVE, limit, &pieces);
    }
}

fn end_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Budget | Stop::Paused { .. } => "limit",
        Stop::Halted(_) => "halt",
        Stop::Interrupted => "interrupted",
        Stop::Fault(fault) => match fault.kind {
            FaultKind::IllegalInstruction => "illegal",
            FaultKind::DivisionByZero => "division",
            FaultKind::RegisterIndex { .. } => "index",
            FaultKind::Memory { access: AccessKind::Read, .. } => "read",
            FaultKind::Memory { access: AccessKind::Write, .. } => "write",
            FaultKind::Memory { access: AccessKind::Fetch, .. } => "fetch",
        },
    }
}

/// Random programs must be worth their name: all happens in them that the cases show.
#[test]
fn random_programs_end_in_every_way_and_do_everything_to_time() {
    let mut runner = TestRunner::deterministic();
    let (mut ends, mut acts, mut cycles) = (BTreeSet::new(), BTreeSet::new(), 0);
    for _ in 0..400 {
        let program = program().new_tree(&mut runner).expect("a program").current();
        let (stop, trace) = check_laws(&program, &FIVE, 300, &[300]);
        ends.insert(end_name(stop));
        cycles += trace.len();
        let done = trace.iter().flat_map(|cycle| &cycle.runs).flat_map(|run| &run.acts);
        acts.extend(
            done.map(|act| {
                format!("{act:?}").chars().take_while(char::is_ascii_alphabetic).collect::<String>()
            }),
        );
    }
    let ends: Vec<&str> = ends.into_iter().collect();
    assert_eq!(ends, ["division", "fetch", "halt", "illegal", "limit", "read", "write"], "ends");
    let acts: Vec<String> = acts.into_iter().collect();
    assert_eq!(acts, ["Fault", "Flush", "Halt", "Retry", "Stall"], "acts");
    assert!(cycles > 400 * 20, "{cycles} cycles in 400 programs");
}
