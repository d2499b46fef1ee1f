//! The five-stage RV32IM against the instruction-accurate one: the same programs end alike after
//! the same instructions, and differ in cycles alone; what these cost is what its README says.

use std::collections::BTreeMap;
use std::fs;

use isac_ir::Model;
use sim_runtime::Stop;
use sim_runtime::reference::ReferenceEngine;

#[allow(dead_code, reason = "what explains failures is for the comparison with QEMU")]
mod differential {
    pub(crate) mod encoder;
    pub(crate) mod program;
    pub(crate) mod random;
}
mod five {
    pub(crate) mod cost;
    pub(crate) mod run;
}
mod support;

use differential::encoder::Encoder;
use differential::program::Program;
use five::cost::hazards;
use five::run::{Ended, run};
use support::description::lower;
use support::launch::{Guest, Left};
use support::{EngineKind, RV32IM, path};

const PIPELINE: &str = "models/rv32im5/rv32im5.isac";
const PROGRAMS: u64 = 12;
const UNITS: usize = 300;

fn pipeline() -> Model {
    lower(PIPELINE)
}

/// Cycles are what has begun in them, and those in which nothing could begin.
fn check_account(ended: &Ended) {
    let summary = &ended.summary;
    assert_eq!(summary.cycles, summary.begun() + summary.idle_cycles, "{summary:?}");
    assert!(summary.cycles >= summary.executed + 4 || summary.executed == 0, "{summary:?}");
}

#[test]
fn random_programs_end_alike() {
    let (model, five) = ((RV32IM.model)(), pipeline());
    let encoder = Encoder::new(model);
    let (mut instructions, mut cycles) = (0, 0);
    for seed in 1..=PROGRAMS {
        let program = Program::random(&encoder, seed, UNITS);
        let memory = BTreeMap::from([(Program::DATA, program.data.clone())]);
        let plain = run(model, Program::CODE, &program.words, &memory);
        let piped = run(&five, Program::CODE, &program.words, &memory);
        assert_eq!(plain.stop, Stop::Halted(0), "seed {seed}");
        assert_eq!(
            (plain.stop, plain.summary.executed, &plain.output, &plain.x),
            (piped.stop, piped.summary.executed, &piped.output, &piped.x),
            "seed {seed}"
        );
        check_account(&piped);
        instructions += piped.summary.executed;
        cycles += piped.summary.cycles;
    }
    println!("{instructions} instructions in {cycles} cycles");
    assert!(instructions > 10_000, "only {instructions} instructions");
}

#[test]
fn hazards_cost_what_the_table_says() {
    let (model, five) = ((RV32IM.model)(), pipeline());
    let readme = fs::read_to_string(path("models/rv32im5/README.md")).expect("the model has a README");
    let table = readme.split("\n## What it costs\n").nth(1).expect("the README has the table");
    let table = table.split("\n## ").next().expect("a chapter ends");
    let mut rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    for hazard in hazards(&Encoder::new(model)) {
        let plain = run(model, hazard.address, &hazard.words, &BTreeMap::new());
        let piped = run(&five, hazard.address, &hazard.words, &BTreeMap::new());
        assert_eq!(plain.stop, Stop::Halted(133), "{}", hazard.name);
        assert_eq!(
            (plain.stop, plain.summary.executed, &plain.x),
            (piped.stop, piped.summary.executed, &piped.x),
            "{}",
            hazard.name
        );
        check_account(&piped);
        // Four cycles more than instructions fill the pipeline.
        assert_eq!(piped.summary.cycles - piped.summary.executed - 4, hazard.cycles, "{}", hazard.name);
        let row = format!("| {} | {} |", hazard.name, hazard.cycles);
        let place = rows.iter().position(|line| *line == row);
        rows.remove(place.unwrap_or_else(|| panic!("the README lacks: {row}")));
    }
    assert_eq!(rows, Vec::<&str>::new(), "rows that nothing tests");
}

/// Runs a guest on both models.
fn run_guest(guest: &Guest, five: &Model) -> (Left, Left) {
    let plain = guest.run(&RV32IM, RV32IM.engine(EngineKind::Emitted).as_mut());
    let mut engine = ReferenceEngine::new(five).with_profile();
    (plain, guest.run_on(five, &mut engine))
}

#[test]
fn guests_print_and_execute_the_same() {
    let five = pipeline();
    for name in ["crc32", "csv", "sha256", "matrix"] {
        let program: &'static str = format!("models/rv32im/programs/{name}.elf").leak();
        let guest = Guest { arguments: &["1"], ..Guest::new(program) };
        let (plain, piped) = run_guest(&guest, &five);
        assert_eq!((plain.status, plain.instructions), (0, piped.instructions), "{name}");
        assert_eq!((plain.status, plain.output), (piped.status, piped.output), "{name}");
    }
}

/// However a program ends, all that stands before its end is complete, and nothing behind it.
#[test]
fn programs_that_end_badly_end_alike() {
    let five = pipeline();
    let names = [
        "baremetal",
        "illegal",
        "selfmodify_fence",
        "syscalls",
        "unmapped_fetch",
        "unmapped_read",
        "unmapped_write",
    ];
    for name in names {
        let program: &'static str = format!("models/rv32im/programs/faults/{name}.elf").leak();
        let (plain, piped) = run_guest(&Guest::new(program), &five);
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
    let (plain, piped) = run_guest(&guest, &pipeline());
    assert_eq!((plain.status, piped.status), (42, 33));
}
