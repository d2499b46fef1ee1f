//! Decoded instructions, and what was counted of each.

use std::collections::BTreeMap;

use sim_profile::{CacheLines, Overhead};

use super::core::{TimedCore, TurnFn};
use super::outcomes::{Turned, outcome_at};
use crate::kernel::Profiling;

/// What is known of an instruction: one for each address at which instructions begin, and one for
/// each word that is decoded at an address.
pub(super) struct Record<C: TimedCore, P: Profiling> {
    pub address: u64,
    pub word: u64,
    pub kind: RecordKind,
    pub class: u32,
    pub size_cells: u32,
    pub turns: &'static [TurnFn<C, P>],
    pub args: C::Args,
    pub variant: u32,
    /// How each of its turns was just done, the last time that no scene had known.
    pub lasts: Vec<Turned>,
}

/// How much is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RecordKind {
    /// It begins at the address.
    Begun,
    /// Its word cannot be decoded.
    Undecoded,
    Decoded,
}

impl<C: TimedCore, P: Profiling> Record<C, P> {
    /// Of an instruction that is not decoded.
    pub(super) fn new(address: u64, kind: RecordKind) -> Self {
        Record {
            address,
            word: 0,
            kind,
            class: 0,
            size_cells: 0,
            turns: &[],
            args: C::Args::default(),
            variant: 0,
            lasts: Vec::new(),
        }
    }

    /// How a turn at a position was just done, the last time that no scene had known: the number of the outcome.
    pub(super) fn last_at(&self, position: u32) -> Option<u32> {
        outcome_at(&self.lasts, position)
    }

    /// A turn is just done, which nobody had predicted.
    pub(super) fn learn(&mut self, turned: Turned) {
        match self.lasts.iter_mut().find(|last| last.position == turned.position) {
            Some(last) => *last = turned,
            None => self.lasts.push(turned),
        }
    }

    pub(super) fn is_decoded(&self) -> bool {
        self.kind == RecordKind::Decoded
    }
}

/// What was counted of a record's instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// How often each counter has counted.
    counted: BTreeMap<u32, u64>,
    /// Executions that have ended.
    pub executed: u64,
    /// Executions that were cancelled.
    pub cancelled: u64,
    /// Executions that were abandoned by a fault.
    pub faulted: u64,
    /// Lines of caches that were touched in other ways than by one hit in a turn, by cache.
    pub lines: BTreeMap<u32, CacheLines>,
    /// Lost and extra cycles.
    pub overhead: Overhead,
}

impl Tally {
    /// These counters have counted, each so often.
    pub(super) fn add_all(&mut self, mut counters: u128, times: u64) {
        while counters != 0 {
            self.add(counters.trailing_zeros(), times);
            counters &= counters - 1;
        }
    }

    /// A counter has counted.
    pub(super) fn add(&mut self, counter: u32, times: u64) {
        *self.counted.entry(counter).or_default() += times;
    }

    /// How often a counter has counted.
    pub(super) fn counted(&self, counter: u32) -> u64 {
        self.counted.get(&counter).copied().unwrap_or_default()
    }
}
