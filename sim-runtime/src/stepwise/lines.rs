//! The lines of caches that instructions touch.
//!
//! Caches count what happens to them by themselves. Whose it was is what their counts have grown by
//! in a turn, so that an access itself knows nothing of it.

use sim_profile::CacheLines;

use super::core::StepCore;
use crate::cache::Cache;

/// What the instruction at hand has touched.
#[derive(Default)]
pub(super) struct TouchedLines {
    /// By cache; empty where there are none.
    pub at_hand: Vec<CacheLines>,
    /// The counts of all caches up to now.
    seen: Vec<CacheLines>,
}

impl TouchedLines {
    /// An instruction begins.
    pub(super) fn clear(&mut self) {
        self.at_hand.clear();
    }

    /// Adds what was touched since the last call to the instruction at hand.
    pub(super) fn take<C: StepCore>(&mut self, core: &C) {
        let caches = core.caches();
        self.at_hand.resize(caches.len(), CacheLines::default());
        self.seen.resize(caches.len(), CacheLines::default());
        for ((cache, seen), at_hand) in caches.iter().zip(&mut self.seen).zip(&mut self.at_hand) {
            let now = Cache::touched(cache);
            if now != *seen {
                at_hand.add(CacheLines {
                    hits: now.hits - seen.hits,
                    misses: now.misses - seen.misses,
                    write_backs: now.write_backs - seen.write_backs,
                });
                *seen = now;
            }
        }
    }
}
