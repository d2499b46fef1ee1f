//! The five-stage RV32IM against the instruction-accurate one: the same programs end alike after
//! the same instructions, and differ in cycles alone; what these cost is what its README says.

use std::collections::BTreeMap;
use std::fs;
use std::iter::repeat_n;

use sim_runtime::Stop;

#[allow(dead_code, reason = "what explains failures is for the comparison with QEMU")]
mod differential {
    pub(crate) mod encoder;
    pub(crate) mod program;
    pub(crate) mod riscv;
}
mod five {
    pub(crate) mod cost;
    pub(crate) mod run;
}
mod support;

use differential::encoder::Encoder;
use differential::program::Program;
use differential::riscv::{self, RV32};
use five::cost::hazards;
use five::run::{Ended, run};
use support::launch::{Guest, Left};
use support::law::check_time;
use support::thorough::first_of;
use support::{EngineKind, RV32IM, RV32IM5, difference, path};

const PROGRAMS: u64 = 12;
const UNITS: usize = 300;
const WORD_BYTES: u32 = 4;

/// Runs words on the instruction-accurate model.
fn run_plain(program: (u32, &[u32]), memory: &BTreeMap<u32, Vec<u8>>) -> Ended {
    run(RV32IM.engine(EngineKind::Reference).as_mut(), (RV32IM.model)(), program, memory)
}

/// Runs words on the pipeline, on every engine; what the reference says.
fn run_piped(program: (u32, &[u32]), memory: &BTreeMap<u32, Vec<u8>>) -> Ended {
    let run = |kind| run(RV32IM5.engine(kind).as_mut(), (RV32IM5.model)(), program, memory);
    let reference = run(EngineKind::Reference);
    let state = |ended: &Ended| {
        let Ended { stop, instructions, cycles, caches, output, x, .. } = ended;
        format!("{stop:?}\n{instructions}\n{cycles}\n{caches:#?}\n{output:?}\n{x:#?}")
    };
    for kind in [EngineKind::Emitted, EngineKind::Unprofiled] {
        let found = run(kind);
        assert_eq!(difference(&state(&reference), &state(&found)), None, "{kind:?}");
        let expected = reference.report.as_deref().unwrap_or_default();
        let report = found.report.as_deref().map(|found| difference(expected, found));
        assert_eq!(report, (kind == EngineKind::Emitted).then_some(None), "{kind:?}: report");
    }
    reference
}

/// Cycles are what has begun in them, and those in which nothing could begin.
fn check_account(ended: &Ended) {
    let summary = ended.summary();
    assert_eq!(summary.cycles, summary.begun() + summary.idle_cycles, "{summary:?}");
    assert!(summary.cycles >= summary.executed + 4 || summary.executed == 0, "{summary:?}");
}

#[test]
fn random_programs_end_alike() {
    let encoder = Encoder::new((RV32IM.model)());
    let (mut instructions, mut cycles) = (0, 0);
    for seed in 1..=PROGRAMS {
        let writer = riscv::writer(&encoder, &RV32, seed);
        let program = Program::random(writer.as_ref(), &RV32, seed, UNITS);
        // A space of zeros is a word of as many bytes.
        let cells = |bytes: u32| (bytes / WORD_BYTES).max(1) as usize;
        let words: Vec<u32> =
            program.words.iter().flat_map(|word| repeat_n(word.bits, cells(word.bytes))).collect();
        let memory = BTreeMap::from([(RV32.data, program.data.clone())]);
        let plain = run_plain((RV32.code, &words), &memory);
        let piped = run_piped((RV32.code, &words), &memory);
        assert_eq!(plain.stop, Stop::Halted(0), "seed {seed}");
        assert_eq!(
            (plain.stop, plain.instructions, &plain.output, &plain.x),
            (piped.stop, piped.instructions, &piped.output, &piped.x),
            "seed {seed}"
        );
        check_account(&piped);
        instructions += piped.instructions;
        cycles += piped.cycles;
    }
    println!("{instructions} instructions in {cycles} cycles");
    assert!(instructions > 10_000, "only {instructions} instructions");
}

#[test]
fn hazards_cost_what_the_table_says() {
    let readme = fs::read_to_string(path("models/rv32im5/README.md")).expect("the model has a README");
    let table = readme.split("\n## What it costs\n").nth(1).expect("the README has the table");
    let table = table.split("\n## ").next().expect("a chapter ends");
    let mut rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    for hazard in hazards(&Encoder::new((RV32IM.model)())) {
        let plain = run_plain((hazard.address, &hazard.words), &BTreeMap::new());
        let piped = run_piped((hazard.address, &hazard.words), &BTreeMap::new());
        assert_eq!(plain.stop, Stop::Halted(133), "{}", hazard.name);
        assert_eq!(
            (plain.stop, plain.instructions, &plain.x),
            (piped.stop, piped.instructions, &piped.x),
            "{}",
            hazard.name
        );
        check_account(&piped);
        // Four cycles more than instructions fill the pipeline.
        assert_eq!(piped.cycles - piped.instructions - 4, hazard.cycles, "{}", hazard.name);
        let row = format!("| {} | {} |", hazard.name, hazard.cycles);
        let place = rows.iter().position(|line| *line == row);
        rows.remove(place.unwrap_or_else(|| panic!("the README lacks: {row}")));
    }
    assert_eq!(rows, Vec::<&str>::new(), "rows that nothing tests");
}

/// Runs a guest on both models, on the pipeline by every engine.
fn run_guest(guest: &Guest) -> (Left, Left) {
    let plain = guest.run(&RV32IM, RV32IM.engine(EngineKind::Emitted).as_mut());
    let mut reference = RV32IM5.engine(EngineKind::Reference);
    let piped = guest.run(&RV32IM5, reference.as_mut());
    check_time(&reference.measurement().expect("the engine profiles"));
    let text =
        |left: &Left| format!("status {}\n{}\n{}\n{}", left.status, left.output, left.messages, left.state);
    for kind in [EngineKind::Emitted, EngineKind::Unprofiled] {
        let found = guest.run(&RV32IM5, RV32IM5.engine(kind).as_mut());
        assert_eq!(difference(&text(&piped), &text(&found)), None, "{}, {kind:?}", guest.program);
        if let (Some(expected), Some(found)) = (&piped.report, &found.report) {
            assert_eq!(difference(expected, found), None, "{}: report", guest.program);
        }
    }
    (plain, piped)
}

#[test]
fn guests_print_and_execute_the_same() {
    for name in first_of(1, ["crc32", "csv", "sha256", "matrix"]) {
        let program: &'static str = format!("models/rv32im/programs/{name}.elf").leak();
        let guest = Guest { arguments: &["1"], ..Guest::new(program) };
        let (plain, piped) = run_guest(&guest);
        assert_eq!((plain.status, plain.instructions), (0, piped.instructions), "{name}");
        assert_eq!((plain.status, plain.output), (piped.status, piped.output), "{name}");
    }
}

/// However a program ends, all that stands before its end is complete, and nothing behind it.
#[test]
fn programs_that_end_badly_end_alike() {
    let names = [
        "baremetal",
        "illegal",
        "selfmodify_fence",
        "syscalls",
        "unmapped_fetch",
        "unmapped_read",
        "unmapped_write",
    ];
    for name in first_of(3, names) {
        let program: &'static str = format!("models/rv32im/programs/faults/{name}.elf").leak();
        let (plain, piped) = run_guest(&Guest::new(program));
        assert_eq!(plain.instructions, piped.instructions, "{name}");
        assert_eq!((plain.status, &plain.output), (piped.status, &piped.output), "{name}");
        let message = |left: &Left| left.messages.split(" in cycle ").next().map(str::to_owned);
        assert_eq!(message(&plain), message(&piped), "{name}");
    }
}

/// A store to code that was fetched already is not seen without FENCE.I: 33 says so.
#[test]
fn words_already_fetched_are_executed_as_they_were() {
    let guest = Guest::new("models/rv32im/programs/faults/selfmodify.elf");
    let (plain, piped) = run_guest(&guest);
    assert_eq!((plain.status, piped.status), (42, 33));
}
