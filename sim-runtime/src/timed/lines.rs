//! The lines of caches that instructions touch.

use sim_profile::CacheLines;

use super::core::TimedCore;
use super::flight::{Flight, Slot, UNDECODED};
use super::turn::{Done, line_counter};
use crate::cache::Cache;
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The turn at hand may have touched a cache; `index` is that of [`TimedCore::LINES`].
    #[inline(always)]
    pub fn note_lines(&mut self, core: &C, done: &mut Done, index: usize) {
        if !P::ON {
            return;
        }
        let cache = C::LINES[index].1;
        let Some(now) = core.caches().get(cache as usize).map(Cache::touched) else { return };
        let Some(seen) = self.seen.get_mut(cache as usize) else { return };
        if now == *seen {
            return;
        }
        let before = std::mem::replace(seen, now);
        if now.hits == before.hits + 1 && now.misses == before.misses {
            done.counted |= 1 << line_counter(index);
        } else {
            self.add_lines(done.slot, cache, before, now);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn add_lines(&mut self, slot: u32, cache: u32, before: CacheLines, now: CacheLines) {
        let lines = CacheLines {
            hits: now.hits - before.hits,
            misses: now.misses - before.misses,
            write_backs: now.write_backs - before.write_backs,
        };
        let all = &mut self.slot_mut(slot).lines;
        match all.iter_mut().find(|(known, _)| *known == cache) {
            Some((_, sum)) => sum.add(lines),
            None => all.push((cache, lines)),
        }
    }

    /// Lines that a slot's instruction has touched, which is not told by its record.
    pub(super) fn keep_lines(&mut self, slot: u32, is_at_fault: bool) {
        let (address, lines) = self.lines_of(self.slot(slot), is_at_fault);
        for (cache, lines) in lines {
            self.lines.entry((address, cache)).or_default().add(lines);
        }
        let entry = self.slot_mut(slot);
        entry.again.clear();
        entry.lines.clear();
    }

    /// The lines that a slot's instruction has touched so far, and its address where it is known
    /// to be the instruction's.
    pub(super) fn lines_of(
        &self,
        slot: &Slot<C, P>,
        is_at_fault: bool,
    ) -> (Option<u64>, Vec<(u32, CacheLines)>) {
        let is_known = slot.record != UNDECODED || slot.is_undecoded || is_at_fault;
        let mut found = slot.lines.clone();
        for (index, (_, cache)) in C::LINES.iter().enumerate() {
            let counter = line_counter(index);
            let again = slot.again.iter().filter(|(known, _)| *known == counter).map(|(_, times)| times);
            let hits = (slot.counted >> counter & 1) as u64 + again.sum::<u64>();
            found.push((*cache, CacheLines { hits, ..CacheLines::default() }));
        }
        found.retain(|(_, lines)| !lines.is_zero());
        (is_known.then_some(slot.address), found)
    }

    /// What `reset` has touched belongs to no instruction.
    pub(super) fn take_lines_of_reset(&mut self, core: &C) {
        for (number, cache) in (0u32..).zip(core.caches()) {
            let touched = cache.touched();
            self.seen[number as usize] = touched;
            if !touched.is_zero() {
                self.lines.entry((None, number)).or_default().add(touched);
            }
        }
    }
}
