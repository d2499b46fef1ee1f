//! Random instructions of the PDP-11 on the engines of its model and on simh.
//!
//! All must leave the same registers, the same processor status and the same memory. Without
//! simh's `pdp11` the engines are held against each other alone, and a line says so; `ISAC_REQUIRE_TOOLS` names
//! what may not be missing.
//!
//! `ISAC_SIMH_SESSIONS` is the number of sessions, `ISAC_SIMH_SEED` the first one's seed. A
//! session is one random memory and many cases in it: a few random instructions, with random
//! registers. A failure prints its seed, the case, and what differs.

use std::path::Path;

use isac::simulators::pdp11;
use sim_runtime::Engine as _;
use sim_runtime::reference::ReferenceEngine;

mod differential {
    pub(crate) mod figures;
}
mod simh {
    pub(crate) mod case;
    pub(crate) mod instruction;
    pub(crate) mod machine;
    pub(crate) mod obstacle;
    pub(crate) mod peer;
}
mod support;

use differential::figures::{self, assert_figures_are_of};
use simh::case::{Base, Case};
use simh::machine::{Bench, Outcome, Run, octal};
use simh::peer::{has_simh, run_simh};
use support::installed::can_compare;
use support::random::Random;
use support::setting::setting;
use support::thorough::quarter;

const SESSIONS: u64 = 4;
const FIRST_SEED: u64 = 1;
const CASES: usize = 500;

/// One case in so many is compared with its profile, too.
const PROFILED: usize = 10;

/// What the default number of sessions executes at least.
const LEAST_INSTRUCTIONS: u64 = 5_000;

/// One random memory, and the cases in it.
struct Session {
    seed: u64,
    base: Base,
    cases: Vec<(Case, Run)>,
}

impl Session {
    /// Runs random cases on the reference engine; those that cannot be compared are left out.
    fn run(bench: &Bench, seed: u64) -> Session {
        let (base, random_cases) = random_cases(seed);
        let mut cases = Vec::new();
        for case in random_cases {
            if let Some(run) = bench.run(&base, &case) {
                cases.push((case, run));
            }
        }
        Session { seed, base, cases }
    }

    fn instructions(&self) -> u64 {
        self.cases.iter().map(|(_, run)| run.instructions).sum()
    }

    fn compare_emitted(&self, bench: &Bench) {
        for (case, run) in &self.cases {
            let outcome = bench.repeat(pdp11::engine(false).as_mut(), &self.base, case, run.cycles);
            self.expect_same("emitted", &outcome, case, run);
        }
        for (case, run) in self.cases.iter().step_by(PROFILED) {
            let mut reference = ReferenceEngine::new(pdp11::model()).with_profile();
            let mut emitted = pdp11::engine(true);
            bench.repeat(&mut reference, &self.base, case, run.cycles);
            let outcome = bench.repeat(emitted.as_mut(), &self.base, case, run.cycles);
            self.expect_same("profiled", &outcome, case, run);
            let same = reference.measurement() == emitted.measurement();
            assert!(same, "{}the emitted engine counts otherwise", self.explain(case, run));
        }
    }

    /// All cases in one process; if that shows a difference, which one case may leave for
    /// another, each in a process of its own.
    fn compare_simh(&self, folder: &Path) {
        let answer = run_simh(folder, &self.base, &self.cases);
        let outcomes = self.cases.iter().zip(&answer.outcomes);
        let differs = outcomes.filter(|((_, run), outcome)| run.outcome != **outcome).count();
        if differs == 0 && answer.stray.is_empty() {
            return;
        }
        for (case, run) in &self.cases {
            let alone = run_simh(folder, &self.base, &[(case.clone(), run.clone())]);
            self.expect_same("simh", &alone.outcomes[0], case, run);
            let stray = alone.stray;
            assert!(stray.is_empty(), "{}simh alone writes {stray:x?}", self.explain(case, run));
        }
        panic!("seed {}: simh differs in {differs} cases, but in none alone", self.seed);
    }

    fn expect_same(&self, name: &str, outcome: &Outcome, case: &Case, run: &Run) {
        if *outcome != run.outcome {
            panic!("{}{name}: {outcome}", self.explain(case, run));
        }
    }

    /// A case and what the reference engine makes of it, in octal.
    fn explain(&self, case: &Case, run: &Run) -> String {
        let mut text = format!("seed {}: {} instructions, from\n", self.seed, run.instructions);
        text += &format!("{} PSW {:03o}, code {}\n", octal(&case.registers), case.status, octal(&case.code));
        text + &format!("reference: {}\n", run.outcome)
    }
}

/// What a session begins with: a memory, and the cases in it, those that cannot be compared among them.
fn random_cases(seed: u64) -> (Base, Vec<Case>) {
    let mut random = Random::new(seed);
    let base = Base::random(&mut random);
    (base, (0..CASES).map(|_| Case::random(&mut random)).collect())
}

/// The figures of longer runs are of the cases that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    let (Base(mut words), cases) = random_cases(figures::SEED);
    for case in cases {
        words.extend(case.registers);
        words.push(case.status.into());
        words.extend(case.code);
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u16::to_le_bytes).collect();
    assert_figures_are_of("pdp11", &bytes);
}

#[test]
fn random_instructions_leave_the_same_on_engines_and_simh() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let simh = can_compare("pdp11", has_simh(folder.path()), "pdp11 on our engines alone");
    let bench = Bench::new(pdp11::model());
    let first = setting("ISAC_SIMH_SEED", FIRST_SEED);
    let sessions = setting("ISAC_SIMH_SESSIONS", quarter(SESSIONS));
    let (mut cases, mut instructions) = (0, 0);
    for seed in first..first + sessions {
        let session = Session::run(&bench, seed);
        session.compare_emitted(&bench);
        if simh {
            session.compare_simh(folder.path());
        }
        cases += session.cases.len();
        instructions += session.instructions();
    }
    println!("{instructions} instructions in {cases} cases");
    assert!(sessions < SESSIONS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
}
