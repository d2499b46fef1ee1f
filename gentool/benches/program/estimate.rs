//! How near estimates come.

use sim_profile::flow::{BranchGuess, ProgramFlow, RoutineComparison, RoutineFlow, compare_estimates};

/// Where the random tree begins; the report of estimates takes the same.
const SEED: u64 = 1;

/// Compares all functions.
pub(crate) fn compare(flow: &ProgramFlow, routines: &[RoutineFlow]) -> Vec<RoutineComparison> {
    routines.iter().map(|routine| compare_estimates(flow, routine, SEED)).collect()
}

/// An estimate against what branches did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Agreement {
    executed: f64,
    as_guessed: f64,
    off: f64,
}

impl Agreement {
    /// Adds a branch, of which a side was guessed to be taken so often of one time.
    pub(crate) fn add(&mut self, branch: &BranchGuess, guess: f64) {
        let (executed, taken) = (branch.executed as f64, branch.taken as f64);
        self.executed += executed;
        self.as_guessed += if guess >= 0.5 { taken } else { executed - taken };
        self.off += (guess * executed - taken).abs();
    }

    /// In percent: executions that went as guessed, and how far off the guess was.
    pub(crate) fn figures(self) -> [f64; 2] {
        let percent = |part: f64| if self.executed == 0.0 { 0.0 } else { 100.0 * part / self.executed };
        [percent(self.as_guessed), percent(self.off)]
    }
}
