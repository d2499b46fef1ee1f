//! Every engine ends in the same state with the same report as the reference, to the byte:
//! guests and random programs, in one go or in small pieces, with profiling or without, and from
//! the recorded events.

use std::collections::BTreeSet;

mod engines {
    pub(crate) mod random_program;
}
mod support;

use engines::random_program::{rv32im_program, tiny8_program, tree_program};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sim_profile::read_profile;
use sim_runtime::{FaultKind, Stop};
use support::launch::{Guest, Left, at_most};
use support::law::{EventFile, check_sums, ways};
use support::program::Program;
use support::thorough::{all_or, cases, first_of};
use support::{EngineKind, MIPS32, PDP11, RV32IM, Simulator, TINY8, TREE, difference};

/// Pieces of a guest's run: primes, so that they fall everywhere in its loops.
const PIECES: [u64; 7] = [1, 97, 0, 1009, 3, 4099, 13];

fn check_guest(simulator: &Simulator, guest: &Guest) {
    let mut engine = simulator.engine(EngineKind::Reference);
    let reference = guest.run(simulator, engine.as_mut());
    let measurement = engine.measurement().expect("the engine profiles");
    check_sums(&measurement, engine.instructions(), engine.cycles());
    for mut way in ways(simulator, &PIECES) {
        let left = guest.run(simulator, way.engine.as_mut());
        let program = guest.program;
        if let Some(difference) = compare(&reference, &left) {
            panic!("{program}: {}: {difference}", way.name);
        }
    }
    let events = EventFile::new(simulator);
    let mut engine = simulator.telling_engine(Box::new(events.clone()));
    guest.run(simulator, engine.as_mut());
    drop(engine);
    let expected = without_texts(reference.report.as_deref().unwrap_or_default());
    let replayed = difference(&expected, &events.report());
    assert_eq!(replayed, None, "{}: replayed from its events", guest.program);
}

/// A report without the texts of instructions, which events do not carry.
fn without_texts(report: &str) -> String {
    let lines = report.lines().filter(|line| !line.trim_start().starts_with("<text>"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn compare(reference: &Left, left: &Left) -> Option<String> {
    let text =
        |left: &Left| format!("status {}\n{}\n{}\n{}", left.status, left.output, left.messages, left.state);
    let state = difference(&text(reference), &text(left));
    state.or_else(|| match (&reference.report, &left.report) {
        (Some(expected), Some(found)) => difference(expected, found),
        _ => None,
    })
}

fn check_program(simulator: &Simulator, program: &Program, pieces: &[u64]) -> Result<(), TestCaseError> {
    let model = (simulator.model)();
    let mut engine = simulator.engine(EngineKind::Reference);
    let reference = program.run(engine.as_mut(), model);
    let measurement = engine.measurement().expect("the engine profiles");
    check_sums(&measurement, engine.instructions(), engine.cycles());
    let report = reference.report.unwrap_or_default();
    for mut way in ways(simulator, pieces) {
        let outcome = program.run(way.engine.as_mut(), model);
        prop_assert_eq!(difference(&reference.state, &outcome.state), None, "{}: state", way.name);
        if let Some(found) = &outcome.report {
            prop_assert_eq!(difference(&report, found), None, "{}: report", way.name);
        }
    }
    let events = EventFile::new(simulator);
    let mut engine = simulator.telling_engine(Box::new(events.clone()));
    program.run(engine.as_mut(), model);
    drop(engine);
    prop_assert_eq!(difference(&report, &events.report()), None, "replayed from its events");
    Ok(())
}

/// Random programs must be worth their name: long enough, and ending in every way.
fn check_variety(simulator: &Simulator, programs: impl Strategy<Value = Program>, expected: &[&str]) {
    let mut runner = TestRunner::deterministic();
    let (mut ends, mut instructions) = (BTreeSet::new(), 0);
    for _ in 0..400 {
        let program = programs.new_tree(&mut runner).expect("a program").current();
        let mut engine = simulator.engine(EngineKind::Unprofiled);
        ends.insert(end_name(program.run(engine.as_mut(), (simulator.model)()).stop));
        instructions += engine.instructions();
    }
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), expected, "ends of {}", simulator.name);
    assert!(instructions > 400 * 100, "{instructions} instructions in 400 programs");
}

fn end_name(stop: Stop) -> String {
    match stop {
        Stop::Budget | Stop::Paused { .. } => "budget".to_owned(),
        Stop::Halted(_) => "halted".to_owned(),
        Stop::Interrupted => "interrupted".to_owned(),
        Stop::Fault(fault) => match fault.kind {
            FaultKind::Memory { access, .. } => format!("{access:?} fault"),
            kind => format!("{kind:?}"),
        },
    }
}

fn pieces() -> impl Strategy<Value = Vec<u64>> {
    let pieces = prop::collection::vec(0..12u64, 1..8);
    pieces.prop_filter("the run must get on", |pieces| pieces.iter().any(|piece| *piece > 0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_of_rv32im_run_the_same_on_every_engine(
        program in rv32im_program(), pieces in pieces()
    ) {
        check_program(&RV32IM, &program, &pieces)?;
    }

    #[test]
    fn random_programs_of_tiny8_run_the_same_on_every_engine(
        program in tiny8_program(), pieces in pieces()
    ) {
        check_program(&TINY8, &program, &pieces)?;
    }

    #[test]
    fn random_programs_that_wrap_around_memory_run_the_same_on_every_engine(
        program in tree_program(), pieces in pieces()
    ) {
        check_program(&TREE, &program, &pieces)?;
    }
}

#[test]
fn random_programs_run_long_and_end_in_every_way() {
    let faults = ["Fetch fault", "IllegalInstruction", "Read fault", "Write fault", "budget", "halted"];
    check_variety(&RV32IM, rv32im_program(), &faults);
    let faults = ["Fetch fault", "IllegalInstruction", "Write fault", "budget", "halted"];
    check_variety(&TINY8, tiny8_program(), &faults);
    check_variety(&TREE, tree_program(), &["IllegalInstruction", "budget", "halted"]);
}

/// What is counted of a part of a run is the same on every engine.
fn check_parts(simulator: &Simulator, program: &'static str, part: &[&'static str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let stored = folder.path().join("profile");
    let path: &'static str = stored.display().to_string().leak();
    let options: &'static [&'static str] = [part, &["--profile", path]].concat().leak();
    let guest = Guest { options, ..Guest::new(program) };
    let run = |kind| {
        let left = guest.run(simulator, simulator.engine(kind).as_mut());
        let file = std::fs::File::open(&stored).expect("a profile is stored");
        let profile = read_profile(std::io::BufReader::new(file)).expect("a profile");
        std::fs::remove_file(&stored).expect("it is there");
        (left, profile)
    };
    let (reference, profile) = run(EngineKind::Reference);
    assert!(profile.provenance.parts.is_some(), "{}", reference.messages);
    for kind in [EngineKind::Emitted, EngineKind::Stepwise, EngineKind::Translated] {
        let (left, found) = run(kind);
        assert_eq!(compare(&reference, &left), None, "{program}: {part:?}: {kind:?}");
        assert!(found.measurement == profile.measurement, "{program}: {part:?}: {kind:?}");
        assert_eq!(
            (found.calls, found.samples),
            (profile.calls.clone(), profile.samples),
            "{part:?}: {kind:?}"
        );
    }
}

#[test]
fn parts_of_a_run_are_the_same_on_every_engine() {
    const CRC32: &str = "models/rv32im/programs/crc32.elf";
    const CSV: &str = "models/rv32im/programs/csv.elf";
    const SORTING: &str = "models/rv32im/programs/sorting.elf";
    // To the end of the program, or by default through some rounds.
    let limited = |part: &[&'static str]| -> &'static [&'static str] {
        [part, all_or(&[], &["--limit-instructions", "300K"])].concat().leak()
    };
    let parts: [(&Simulator, &'static str, &[&'static str]); 8] = [
        (&RV32IM, CRC32, limited(&["--count-from", "crc_all", "--count-until", "print"])),
        (&RV32IM, CRC32, limited(&["--count-from", "print", "--count-until", "crc_all"])),
        (
            &RV32IM,
            CSV,
            &["--count-from", "0x10200", "--count-until", "0x10204", "--limit-instructions", "20K"],
        ),
        (&RV32IM, SORTING, &["--count-from", "sink", "--calls", "--limit-instructions", "50K"]),
        (
            &MIPS32,
            "models/mips32/programs/csv.elf",
            &["--count-from", "find_item", "--count-until", "put_number", "--limit-instructions", "50K"],
        ),
        (&PDP11, "models/pdp11/programs/primes.s19", &["--count-from", "0x20c", "--count-until", "0x216"]),
        (&PDP11, "models/pdp11/programs/primes.s19", &["--count-from", "0x20e", "--calls"]),
        (&TINY8, "models/tiny8/programs/sum.bin", &["--count-from", "7", "--count-until", "9"]),
    ];
    for (simulator, program, options) in first_of(5, parts) {
        check_parts(simulator, program, options);
    }
}

macro_rules! guests {
    ($($test:ident: $simulator:expr, $guest:expr;)*) => {$(
        #[test]
        fn $test() {
            check_guest(&$simulator, &$guest);
        }
    )*};
}

guests! {
    crc32_runs_the_same_on_every_engine: RV32IM, Guest {
        arguments: &["1"],
        ..Guest::new("models/rv32im/programs/crc32.elf")
    };
    bytecode_runs_the_same_on_every_engine: RV32IM, Guest {
        options: at_most("150K", "30K"),
        ..Guest::new("models/rv32im/programs/bytecode.elf")
    };
    csv_runs_the_same_on_every_engine: RV32IM, Guest {
        options: at_most("100K", "30K"),
        ..Guest::new("models/rv32im/programs/csv.elf")
    };
    matrix_runs_the_same_on_every_engine: RV32IM, Guest {
        options: at_most("100K", "30K"),
        ..Guest::new("models/rv32im/programs/matrix.elf")
    };
    sha256_runs_the_same_on_every_engine: RV32IM, Guest {
        options: at_most("100K", "30K"),
        ..Guest::new("models/rv32im/programs/sha256.elf")
    };
    sorting_runs_the_same_on_every_engine: RV32IM, Guest {
        options: at_most("100K", "30K"),
        ..Guest::new("models/rv32im/programs/sorting.elf")
    };
    illegal_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/illegal.elf");
    unmapped_read_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/unmapped_read.elf");
    unmapped_write_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/unmapped_write.elf");
    unmapped_fetch_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/unmapped_fetch.elf");
    selfmodify_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/selfmodify.elf");
    selfmodify_fence_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/selfmodify_fence.elf");
    echo_runs_the_same_on_every_engine: RV32IM, Guest {
        input: b"what goes in\ncomes out\n",
        ..Guest::new("models/rv32im/programs/faults/echo.elf")
    };
    baremetal_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/baremetal.elf");
    syscalls_runs_the_same_on_every_engine: RV32IM, Guest::new("models/rv32im/programs/faults/syscalls.elf");
    endless_runs_the_same_on_every_engine: RV32IM, Guest {
        options: &["--limit-instructions", "12_345"],
        ..Guest::new("models/rv32im/programs/faults/endless.elf")
    };
    endless_runs_the_same_up_to_a_cycle_on_every_engine: RV32IM, Guest {
        options: &["--limit-cycles", "54_321"],
        ..Guest::new("models/rv32im/programs/faults/endless.elf")
    };
    hello_runs_the_same_on_every_engine: TINY8, Guest::new("models/tiny8/programs/hello.bin");
    sum_runs_the_same_on_every_engine: TINY8, Guest::new("models/tiny8/programs/sum.bin");
    add16_runs_the_same_on_every_engine: TINY8, Guest::new("models/tiny8/programs/add16.bin");
}
