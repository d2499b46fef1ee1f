//! The lines of caches that instructions touch.

use sim_profile::CacheLines;

use super::core::TimedCore;
use super::flight::Flight;
use super::mask::Mask;
use super::note::NoteKind;
use super::turn::{Done, line_counter};
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// A turn begins that may touch a cache; `index` is that of [`TimedCore::LINES`].
    #[inline(always)]
    pub fn begin_lines(core: &mut C, index: usize) {
        if P::ON
            && let Some(cache) = core.caches_mut().get_mut(C::LINES[index].1 as usize)
        {
            cache.begin_turn();
        }
    }

    /// The turn at hand may have touched a cache; `index` is that of [`TimedCore::LINES`].
    #[inline(always)]
    pub fn note_lines(&mut self, core: &mut C, position: u32, done: &mut Done<C::Mask>, index: usize) {
        if !P::ON {
            return;
        }
        let number = C::LINES[index].1;
        let Some(cache) = core.caches_mut().get_mut(number as usize) else { return };
        match cache.hit_in_turn() {
            Some(false) => {}
            Some(true) => done.counted = done.counted.either(C::Mask::of(line_counter::<C>(index))),
            None => self.add_lines(position, number, cache.take_touched()),
        }
    }

    #[cold]
    #[inline(never)]
    fn add_lines(&mut self, position: u32, cache: u32, lines: CacheLines) {
        self.note(self.rank_at(position), NoteKind::Lines(cache, lines));
    }

    /// What `reset` has touched belongs to no instruction.
    pub(super) fn take_lines_of_reset(&mut self, core: &mut C) {
        for (number, cache) in (0u32..).zip(core.caches_mut()) {
            self.totals.add_lines(None, number, cache.take_touched());
        }
    }
}
