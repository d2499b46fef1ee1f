//! The table of jumps to computed addresses: which code follows, and how often they were taken.

use std::sync::Arc;

use super::{Code, Version};
use crate::codegen::Entries;
use crate::core::Core;
use crate::layout::{JUMP_BYTES, JUMP_ENTRIES};
use crate::native::Entry;
use crate::steps::Steps;

impl Code {
    /// Lets jumps from a site to an address lead to a region: returns whose frame has been taken off, or all
    /// others.
    pub(crate) fn connect_jump(
        &self,
        core: &Core<'_>,
        steps: &mut Steps,
        (version, site, is_return): (Version, u64, bool),
        (target, entry): (u64, Entry),
    ) {
        let site = site as u32;
        let entries = match is_return {
            true => Entries::Returns(site),
            false if self.by_site(version) => Entries::Jumps(site),
            false => Entries::All(site),
        };
        if target == u64::MAX {
            return;
        }
        let offset = version.jumps() as u64 + entries.index(target) * u64::from(JUMP_BYTES);
        self.count_jump(core, steps, offset);
        let arena = &core.state.arena;
        arena.set_word(offset, target);
        arena.set_word(offset + 8, entries.tag());
        arena.set_word(offset + 16, entry.address());
    }

    /// Takes the count out of an entry of the table of jumps.
    fn count_jump(&self, core: &Core<'_>, steps: &mut Steps, offset: u64) {
        let arena = &core.state.arena;
        let (target, tag, count) = (arena.word(offset), arena.word(offset + 8), arena.word(offset + 24));
        if let Some(site) = Entries::site_of(tag).filter(|_| count > 0) {
            count_transfers(core, steps, (site, target), count);
            arena.set_word(offset + 24, 0);
        }
    }

    /// Entries of the table of jumps lead to code for certain timers.
    pub(crate) fn set_pending(&mut self, core: &Core<'_>, steps: &mut Steps, pending: u64) {
        if pending != self.jumps_pending {
            self.count_table(core, steps);
            self.empty_jumps(core);
            self.jumps_pending = pending;
        }
    }

    /// Empties the tables of jumps: no entry is of an address that anything jumps to.
    pub(super) fn empty_jumps(&self, core: &Core<'_>) {
        for version in self.tables() {
            let jumps = version.jumps() as u64;
            core.state.arena.clear(jumps, u64::from(JUMP_ENTRIES * JUMP_BYTES));
            for index in 0..u64::from(JUMP_ENTRIES) {
                core.state.arena.set_word(jumps + index * u64::from(JUMP_BYTES), u64::MAX);
            }
        }
    }

    /// Takes the counts of all jumps to computed addresses.
    pub(super) fn count_jumps(&self, core: &Core<'_>, steps: &mut Steps) {
        self.count_table(core, steps);
        for (transfer, times) in self.frames.iter().flat_map(|frames| frames.take_returns(&core.state.arena))
        {
            count_transfers(core, steps, transfer, times);
        }
    }

    /// A version for each table.
    fn tables(&self) -> &'static [Version] {
        match self.kind.checks {
            None => &[Version::Long],
            Some(_) => &[Version::Long, Version::Stretch],
        }
    }

    fn count_table(&self, core: &Core<'_>, steps: &mut Steps) {
        let counting = if self.kind.checks.is_none() { Version::Long } else { Version::Counted };
        for index in 0..u64::from(JUMP_ENTRIES) {
            self.count_jump(core, steps, counting.jumps() as u64 + index * u64::from(JUMP_BYTES));
        }
    }
}

/// Counts that jumps from a site have led to an address.
pub(super) fn count_transfers(core: &Core<'_>, steps: &mut Steps, (site, to): (u64, u64), times: u64) {
    let step = Arc::clone(steps.step(core.sites[site as usize].step));
    if to != core.model().successor(step.address, step.size_cells) {
        steps.count_transfers(step.address, to, times);
    }
}
