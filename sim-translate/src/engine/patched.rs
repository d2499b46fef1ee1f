//! Code that is written over: the instructions that it is of are dropped, and all others stay.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use super::TranslatedEngine;
use crate::state::MOST_WRITTEN;

/// An instruction that was written over so often is not compiled.
const OFTEN: u32 = 3;
/// Once in so many instructions is not often.
const SELDOM: u64 = 100_000;
/// Addresses that are written over one by one; where there are more, all is another program.
const MOST_PATCHED: usize = 64;
/// Instructions that were written over before all is dropped, to bound what they take.
const MOST_DROPPED: usize = 1 << 14;

/// How an instruction was written over.
#[derive(Debug, Clone, Copy, Default)]
struct Writes {
    /// How often, each time soon after the one before.
    times: u32,
    /// How many instructions had run the last time.
    last: u64,
}

/// Instructions that were written over, by address.
#[derive(Default)]
pub(super) struct Patched(HashMap<u64, Writes>);

impl Patched {
    /// Whether the instruction at an address is written over too often to be compiled.
    pub(super) fn includes(&self, address: u64) -> bool {
        self.often(address).is_some()
    }

    /// How it is written over then.
    fn often(&self, address: u64) -> Option<Writes> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&address).copied().filter(|writes| writes.times >= OFTEN)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl TranslatedEngine<'_> {
    /// Whether the instruction at an address, which is interpreted now, is not compiled since it is written over too
    /// often. If that is long ago it is compiled from now on.
    pub(super) fn is_patched(&mut self, address: u64) -> bool {
        let Some(writes) = self.patched.often(address) else { return false };
        let is_still = self.core.instructions - writes.last < SELDOM;
        if !is_still {
            self.patched.0.remove(&address);
            self.is_stale = true;
        }
        is_still
    }

    /// Code has been written over: drops the instructions that it is of, and compiled code if one of them is in it.
    /// False if all is to be dropped.
    pub(super) fn patch(&mut self) -> bool {
        let written = std::mem::take(&mut self.core.state.written);
        let is_much = written.len() >= MOST_WRITTEN
            || self.steps.count_dropped() >= MOST_DROPPED
            || self.patched.0.len() >= MOST_PATCHED;
        // Who knows calls goes by what stands beside an instruction, too.
        if is_much || self.calls.is_some() || self.steps.is_asked_for_calls() {
            return false;
        }
        let model = self.core.model();
        let dropped = self.steps.drop_written((model, self.code_map), &written);
        self.is_stale |= self.code.as_ref().is_some_and(|code| dropped.iter().any(|step| code.holds(*step)));
        let now = self.core.instructions;
        // One address may have had several instructions, under different circumstances.
        let addresses: BTreeSet<u64> = dropped.iter().map(|step| self.steps.step(*step).address).collect();
        for address in addresses {
            let writes = self.patched.0.entry(address).or_default();
            let is_soon = writes.times > 0 && now - writes.last < SELDOM;
            *writes = Writes { times: if is_soon { writes.times + 1 } else { 1 }, last: now };
        }
        self.core.state.unmark_cells(&written);
        true
    }
}
