//! Decoded instructions, and what was counted of each.

use std::collections::BTreeMap;

use sim_profile::{CacheLines, Overhead};

use super::core::{TimedCore, TurnFn};
use crate::kernel::Profiling;

/// A static instruction: where it stands and what was decoded there.
pub(super) struct Record<C: TimedCore, P: Profiling> {
    pub address: u64,
    pub word: u64,
    pub class: u32,
    pub size_cells: u32,
    pub turns: &'static [TurnFn<C, P>],
    pub args: C::Args,
    pub variant: u32,
    pub tally: Tally,
}

/// What was counted of an instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Which counters have counted in an execution, once each, and how many executions that were.
    paths: Vec<(u128, u64)>,
    /// The path of the last execution.
    last: usize,
    /// What has counted more than once in an execution: counter, how often beyond the first.
    further: BTreeMap<u32, u64>,
    /// Executions that were cancelled.
    pub cancelled: u64,
    /// Executions that were abandoned by a fault.
    pub faulted: u64,
    /// Lines of caches that were touched in other ways than by one hit in a turn, by cache.
    pub lines: BTreeMap<u32, CacheLines>,
    /// Lost and extra cycles.
    pub overhead: Overhead,
    /// The records from which a jump led here, most with the last one in front.
    from: Vec<(u32, u64)>,
}

impl Tally {
    /// An execution has ended in which these counters counted once.
    #[inline(always)]
    pub(super) fn end(&mut self, counted: u128) {
        match self.paths.get_mut(self.last) {
            Some((path, times)) if *path == counted => *times += 1,
            _ => self.end_elsewhere(counted),
        }
    }

    #[cold]
    fn end_elsewhere(&mut self, counted: u128) {
        let known = self.paths.iter().position(|(path, _)| *path == counted);
        self.last = known.unwrap_or(self.paths.len());
        match known {
            Some(index) => self.paths[index].1 += 1,
            None => self.paths.push((counted, 1)),
        }
    }

    /// A counter has counted again.
    pub(super) fn add(&mut self, counter: u32, times: u64) {
        *self.further.entry(counter).or_default() += times;
    }

    /// A jump from another record has led here.
    #[inline(always)]
    pub(super) fn come_from(&mut self, from: u32) {
        match self.from.first_mut() {
            Some((first, times)) if *first == from => *times += 1,
            _ => self.come_from_another(from),
        }
    }

    fn come_from_another(&mut self, from: u32) {
        match self.from.iter().position(|(known, _)| *known == from) {
            Some(index) => {
                self.from[index].1 += 1;
                self.from.swap(0, index);
            }
            None => {
                self.from.push((from, 1));
                let last = self.from.len() - 1;
                self.from.swap(0, last);
            }
        }
    }

    /// The records from which jumps led here, with how often.
    pub(super) fn jumps(&self) -> &[(u32, u64)] {
        &self.from
    }

    /// Executions that have ended.
    pub(super) fn executed(&self) -> u64 {
        self.paths.iter().map(|(_, times)| times).sum()
    }

    /// How often a counter has counted.
    pub(super) fn counted(&self, counter: u32) -> u64 {
        let once = self.paths.iter().filter(|(path, _)| path >> counter & 1 == 1).map(|(_, times)| times);
        once.sum::<u64>() + self.further.get(&counter).copied().unwrap_or_default()
    }
}
