//! The lines of caches that instructions touch.

use sim_profile::CacheLines;

use super::core::TimedCore;
use super::flight::Flight;
use super::note::NoteKind;
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The turn at a position has touched lines of a cache in other ways than by one hit.
    #[cold]
    #[inline(never)]
    pub(super) fn add_lines(&mut self, position: u32, cache: u32, lines: CacheLines) {
        self.note(self.rank_at(position), NoteKind::Lines(cache, lines));
    }

    /// What `reset` has touched belongs to no instruction.
    pub(super) fn take_lines_of_reset(&mut self, core: &mut C) {
        for (number, cache) in (0u32..).zip(core.caches_mut()) {
            self.totals.add_lines(None, number, cache.take_touched());
        }
    }
}
