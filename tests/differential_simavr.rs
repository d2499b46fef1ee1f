//! Random programs for the AVR on the engines of its model and on simavr.
//!
//! All must leave the same registers, the same data memory, and the same count in Timer/Counter1,
//! which has counted the clock cycles. Without simavr the engines are held against each other
//! alone, and a line says so; `ISAC_REQUIRE_TOOLS` names what may not be missing.
//!
//! `ISAC_SIMAVR_PROGRAMS` is the number of programs, `ISAC_SIMAVR_SEED` the first one's seed. A
//! failure prints the seed, the shortest beginning of the program that shows the difference, and
//! what differs.

use isac::simulators::avr;
use sim_profile::coverage::Coverage;
use sim_runtime::Engine as _;
use sim_runtime::reference::ReferenceEngine;
use sim_translate::TranslatedEngine;

#[allow(dead_code, reason = "written for another test")]
mod differential {
    pub(crate) mod figures;
    pub(crate) mod tree;
}
mod simavr {
    pub(crate) mod machine;
    pub(crate) mod peer;
    pub(crate) mod program;
    pub(crate) mod step;
}
mod support;

use differential::figures::{self, assert_figures_are_of};
use simavr::machine::{Bench, State};
use simavr::peer::{has_simavr, run_simavr};
use simavr::program::Program;
use simavr::step::Steps;
use support::installed::can_compare;
use support::random::Random;
use support::setting::setting;
use support::thorough::{is_thorough, quarter};

const PROGRAMS: u64 = 40;
/// Which programs run translated by default: to compile all that they execute once takes longer than to run it.
const TRANSLATED_EVERY: u64 = 8;
const FIRST_SEED: u64 = 1;

/// Random instructions of a program; some of them are skipped or jumped over.
const STEPS: usize = 3_000;

/// Instructions that random programs have none of: SLEEP and SPM.
const NOT_RANDOM: usize = 2;

/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 100_000;

/// What a program leaves on simavr and does not on the reference engine.
fn difference(bench: &Bench, program: &Program) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (expected, _) = bench.run_to_end(program);
    let found: State = run_simavr(folder.path(), program);
    expected.difference(&found)
}

/// The shortest beginning of the steps for which simavr differs: what differs early may be overwritten
/// later, and so halving finds one, and all shorter ones are tried.
fn explain(bench: &Bench, steps: &Steps, seed: u64) -> String {
    let (mut same, mut differs) = (0, steps.len());
    while differs - same > 1 {
        let middle = same + (differs - same) / 2;
        match difference(bench, &steps.program(middle)) {
            Some(_) => differs = middle,
            None => same = middle,
        }
    }
    let shorter = (1..differs).find(|count| difference(bench, &steps.program(*count)).is_some());
    let differs = shorter.unwrap_or(differs);
    let said = difference(bench, &steps.program(differs)).unwrap_or_default();
    format!("seed {seed}: after {differs} steps simavr differs: {said}\n{}", steps.tail(differs))
}

/// The figures of longer runs are of the programs that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    let steps = Steps::random(avr::model(), &mut Random::new(figures::SEED), STEPS);
    assert_figures_are_of("avr", &steps.program(STEPS).flash);
}

#[test]
fn random_programs_leave_the_same_on_engines_and_simavr() {
    let has_simavr = can_compare("simavr", has_simavr(), "avr on our engines alone");
    let bench = Bench::new(avr::model());
    let first = setting("ISAC_SIMAVR_SEED", FIRST_SEED);
    let programs = setting("ISAC_SIMAVR_PROGRAMS", quarter(PROGRAMS));
    let mut instructions = 0;
    let mut unused = Coverage::of(&avr::engine(true).measurement().expect("the engine profiles")).unused;
    for seed in first..first + programs {
        let steps = Steps::random(avr::model(), &mut Random::new(seed), STEPS);
        let program = steps.program(STEPS);
        let mut reference = ReferenceEngine::new(avr::model()).with_profile();
        let (expected, count) = bench.run_counting(&mut reference, &program);
        let mut engines = vec![("profiled", avr::engine(true)), ("unprofiled", avr::engine(false))];
        if is_thorough() || seed.is_multiple_of(TRANSLATED_EVERY) {
            let engine = TranslatedEngine::new(avr::model()).expect("the model is translated");
            engines.push(("translated", Box::new(engine.with_threshold(1))));
        }
        for (name, mut engine) in engines {
            let found = bench.run_for(engine.as_mut(), &program, count);
            let said = expected.difference(&found);
            assert_eq!(said, None, "seed {seed}: the {name} engine");
            if name == "profiled" {
                let measurement = reference.measurement();
                assert!(
                    measurement == engine.measurement(),
                    "seed {seed}: the emitted engine counts otherwise"
                );
                let of_program = Coverage::of(&measurement.expect("the engine profiles")).unused;
                unused.retain(|name| of_program.contains(name));
            }
        }
        if has_simavr && difference(&bench, &program).is_some() {
            panic!("{}", explain(&bench, &steps, seed));
        }
        instructions += count;
    }
    println!("{instructions} instructions in {programs} programs");
    assert!(programs < PROGRAMS || unused.len() == NOT_RANDOM, "never executed: {unused:?}");
    assert!(programs < PROGRAMS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
}
