//! How turns end, each way kept once: scenes differ in it, and are compared by numbers.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::scene::{Act, End};

/// Everything that the kernel is told of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Outcome {
    pub end: End,
    /// Conditions that hold.
    pub due: u64,
    /// The record of what was decoded.
    pub decoded: u32,
    pub acts: Vec<Act>,
    /// Counters that have counted; none without a profile.
    pub counted: u128,
}

/// A turn that has ended, or is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Turned {
    pub position: u32,
    /// The number of its outcome.
    pub outcome: u32,
}

/// Turns of a cycle, in their order.
pub(super) type AllTurned = SmallVec<[Turned; 8]>;

/// All ways in which turns have ended, by number. They are kept as long as records are, which know their last ones.
#[derive(Debug, Default)]
pub(super) struct Outcomes(IndexSet<Outcome, FxBuildHasher>);

impl Outcomes {
    /// The number of an outcome.
    pub(super) fn number(&mut self, outcome: Outcome) -> u32 {
        self.0.insert_full(outcome).0 as u32
    }

    /// The outcome of a number.
    pub(super) fn get(&self, number: u32) -> &Outcome {
        &self.0[number as usize]
    }
}

/// What is known of the turn at a position, among those of a cycle.
pub(super) fn outcome_at(turned: &[Turned], position: u32) -> Option<u32> {
    turned.iter().find(|turn| turn.position == position).map(|turn| turn.outcome)
}

/// What is known of the turns before the one at a position, of those of a cycle in their order; all of them if nothing
/// is known of that.
pub(super) fn turned_before(turned: &[Turned], position: u32) -> &[Turned] {
    let known = turned.iter().position(|turn| turn.position == position);
    &turned[..known.unwrap_or(turned.len())]
}
