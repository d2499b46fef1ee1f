//! Random programs for VLIW4 on the engines of its model and on a simulator that was written from
//! the machine's manual page.
//!
//! All must end in the same way, in the same registers, predicates and data memory, have sent the same
//! to the console, and the engines have the same profile. `ISAC_VLIW4_PROGRAMS` is the number of programs, `ISAC_VLIW4_SEED` the
//! first one's seed. A failure prints the seed and the shortest time after which something differs.

use isac::simulators::vliw4;
use sim_profile::coverage::Coverage;
use sim_runtime::Engine;
use sim_runtime::reference::ReferenceEngine;

#[allow(dead_code, reason = "written for another test")]
mod differential {
    pub(crate) mod figures;
    pub(crate) mod tree;
}
mod vliw4_page {
    pub(crate) mod checker;
    pub(crate) mod machine;
    pub(crate) mod program;
}
mod support;

use differential::figures::{self, assert_figures_are_of};
use support::random::Random;
use support::setting::setting;
use vliw4_page::checker::{Checker, End};
use vliw4_page::machine::{Bench, INPUT, State};
use vliw4_page::program::{Maker, Program};

const PROGRAMS: u64 = 450;
const FIRST_SEED: u64 = 1;

/// Cycles that a program runs, unless it ends before.
const CYCLES: u64 = 300;

/// Bundles that the default number of programs issues at least.
const LEAST_BUNDLES: u64 = 100_000;

/// What the page says that a program leaves after so many cycles, and how many it ran.
fn check(program: &Program, cycles: u64) -> (State, u64) {
    let mut checker = Checker::new(program, INPUT);
    let mut bundles = 0;
    while bundles < cycles && checker.end == End::Running {
        checker.step();
        bundles += 1;
    }
    (State::of_checker(&checker), bundles)
}

fn compare(bench: &Bench, name: &str, seed: u64, program: &Program, engine: impl Fn() -> Box<dyn Engine>) {
    let after = |cycles| {
        let found = bench.run(engine().as_mut(), program, cycles);
        check(program, cycles).0.difference(&found)
    };
    if after(CYCLES).is_some() {
        let first = (1..CYCLES).find(|cycles| after(*cycles).is_some()).unwrap_or(CYCLES);
        let said = after(first).unwrap_or_default();
        panic!("seed {seed}: after {first} cycles the {name} engine differs: {said}");
    }
}

/// The figures of longer runs are of the programs that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    let program = Maker::new(vliw4::model()).program(&mut Random::new(figures::SEED));
    let bytes: Vec<u8> = program.bundles.iter().flat_map(|bundle| bundle.to_le_bytes()).collect();
    assert_figures_are_of("vliw4", &bytes);
}

#[test]
fn random_programs_leave_what_the_page_says() {
    let bench = Bench::new(vliw4::model());
    let maker = Maker::new(vliw4::model());
    let first = setting("ISAC_VLIW4_SEED", FIRST_SEED);
    let programs = setting("ISAC_VLIW4_PROGRAMS", PROGRAMS);
    let (mut bundles, mut ends) = (0, [0; 3]);
    let mut unused = Coverage::of(&vliw4::engine(true).measurement().expect("the engine profiles")).unused;
    for seed in first..first + programs {
        let program = maker.program(&mut Random::new(seed));
        let (state, ran) = check(&program, CYCLES);
        bundles += ran;
        ends[match state.end {
            End::Running => 0,
            End::Halted(_) => 1,
            End::Fault => 2,
        }] += 1;
        let reference = || Box::new(ReferenceEngine::new(vliw4::model())) as Box<dyn Engine>;
        compare(&bench, "reference", seed, &program, reference);
        compare(&bench, "unprofiled", seed, &program, || vliw4::engine(false));
        let mut reference = ReferenceEngine::new(vliw4::model()).with_profile();
        let mut emitted = vliw4::engine(true);
        bench.run(&mut reference, &program, CYCLES);
        bench.run(emitted.as_mut(), &program, CYCLES);
        let measurement = emitted.measurement().expect("the engine profiles");
        assert!(
            reference.measurement().as_ref() == Some(&measurement),
            "seed {seed}: the emitted engine counts otherwise"
        );
        let of_program = Coverage::of(&measurement).unused;
        unused.retain(|name| of_program.contains(name));
    }
    println!("{bundles} bundles in {programs} programs; {ends:?} went on, halted, were at fault");
    assert!(programs < PROGRAMS || bundles >= LEAST_BUNDLES, "only {bundles} bundles");
    assert!(programs < PROGRAMS || unused.is_empty(), "never executed: {unused:?}");
    assert!(programs < PROGRAMS || ends.iter().all(|number| *number > 10), "{ends:?}");
}
