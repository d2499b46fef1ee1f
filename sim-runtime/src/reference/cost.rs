//! What accesses to maps cost: `.latency`, and the lines of caches that they touch.
//!
//! An access that is counted costs, and no other: keeping the other bits of a partial write is part
//! of that write, and one at fault is none.

use isac_ir::behavior::UNCOUNTED;
use sim_profile::Event;

use super::step::Step;
use crate::memory::Reached;

impl Step<'_, '_> {
    /// Cycles of the last access to a map.
    pub(super) fn latency(&self, map: u32) -> u32 {
        self.state.costs.as_ref().map_or(1, |costs| costs.latency(map))
    }

    /// The cache that the last access to a map went through, if a line of that cache's last access was
    /// absent.
    pub(super) fn missed_cache(&self, map: u32) -> Option<u32> {
        let costs = self.state.costs.as_ref()?;
        self.state.reached[map as usize].filter(|cache| costs.has_missed(*cache))
    }

    /// Counts what an access costs: `cells` cells of a map from `address` on.
    pub(super) fn pay(
        &mut self,
        access: u32,
        map: u32,
        (address, cells): (u64, u32),
        reached: Reached,
        writes: bool,
    ) {
        if access == UNCOUNTED {
            return;
        }
        match reached {
            Reached::Memory(_) => self.pay_memory(map, &[(address, cells.into())], writes),
            Reached::Device(_) => self.pay_other(map),
        }
    }

    /// Counts what an access to memory costs that is made in parts.
    pub(super) fn pay_memory(&mut self, map: u32, parts: &[(u64, u64)], writes: bool) {
        let Some(costs) = &mut self.state.costs else { return };
        costs.begin_access(map);
        let reached = &mut self.state.reached[map as usize];
        for part in parts {
            let touched = costs.reach_memory(self.state.model, map, *part, writes);
            *reached = touched.map(|(cache, _)| cache);
            if let Some((cache, lines)) = touched {
                self.sink.event(Event::Lines { cache, lines });
            }
        }
    }

    /// Counts the cycle of an access to what is no memory.
    pub(super) fn pay_other(&mut self, map: u32) {
        if let Some(costs) = &mut self.state.costs {
            costs.begin_access(map);
            costs.reach_other(map);
            self.state.reached[map as usize] = None;
        }
    }
}
