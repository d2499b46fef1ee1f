//! The lines of caches that instructions touch.

use sim_profile::CacheLines;

use super::core::TimedCore;
use super::flight::Flight;
use super::mask::Mask;
use super::note::NoteKind;
use super::turn::{Done, line_counter};
use crate::cache::Cache;
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The turn at hand may have touched a cache; `index` is that of [`TimedCore::LINES`].
    #[inline(always)]
    pub fn note_lines(&mut self, core: &C, position: u32, done: &mut Done<C::Mask>, index: usize) {
        if !P::ON {
            return;
        }
        let cache = C::LINES[index].1;
        let Some(touched) = core.caches().get(cache as usize).map(Cache::touched) else { return };
        let Some(seen) = self.seen.get_mut(cache as usize) else { return };
        if touched.misses == seen.misses {
            if touched.hits == seen.hits + 1 {
                seen.hits += 1;
                done.counted = done.counted.either(C::Mask::of(line_counter::<C>(index)));
                return;
            }
            if touched.hits == seen.hits {
                return;
            }
        }
        let before = std::mem::replace(seen, touched);
        self.add_lines(position, cache, before, touched);
    }

    #[cold]
    #[inline(never)]
    fn add_lines(&mut self, position: u32, cache: u32, before: CacheLines, now: CacheLines) {
        let lines = CacheLines {
            hits: now.hits - before.hits,
            misses: now.misses - before.misses,
            write_backs: now.write_backs - before.write_backs,
        };
        self.note(self.rank_at(position), NoteKind::Lines(cache, lines));
    }

    /// What `reset` has touched belongs to no instruction.
    pub(super) fn take_lines_of_reset(&mut self, core: &C) {
        for (number, cache) in (0u32..).zip(core.caches()) {
            let touched = cache.touched();
            self.seen[number as usize] = touched;
            self.totals.add_lines(None, number, touched);
        }
    }
}
