//! States that were kept of a run, to go back to.
//!
//! They lie at a distance that doubles as the run grows, so that their number stays bounded and
//! going back costs about the same share of the run wherever it stands.

use sim_runtime::host::SavedHost;
use sim_runtime::inspection::SavedEngine;

/// Most states that are kept.
const MOST: usize = 64;
/// Cycles between two states of a short run.
const FIRST_SPACING: u64 = 1 << 16;

/// A state that was kept.
pub(crate) struct Moment {
    /// Cycles begun before it: this is what tells times of a run apart.
    pub(crate) cycles: u64,
    /// Instructions that had ended, and those that were cancelled, too.
    pub(crate) instructions: u64,
    pub(crate) taken: u64,
    /// An instruction begins here.
    pub(crate) is_boundary: bool,
    /// Somebody has changed the state here: what comes behind follows from that.
    pub(crate) is_changed: bool,
    /// A stage that has begun to stand here.
    pub(crate) new_stall: Option<u32>,
    pub(crate) engine: SavedEngine,
    pub(crate) host: SavedHost,
}

/// The states that were kept, the earliest first.
pub(crate) struct History {
    moments: Vec<Moment>,
    spacing: u64,
}

impl History {
    pub(crate) fn new(first: Moment) -> History {
        History { moments: vec![first], spacing: FIRST_SPACING }
    }

    pub(crate) fn moments(&self) -> &[Moment] {
        &self.moments
    }

    pub(crate) fn last(&self) -> Option<&Moment> {
        self.moments.last()
    }

    /// Cycles from which on a further state is worth keeping.
    pub(crate) fn next_due(&self) -> u64 {
        self.last().map_or(0, |last| last.cycles.saturating_add(self.spacing))
    }

    pub(crate) fn add(&mut self, moment: Moment) {
        self.moments.push(moment);
        if self.moments.len() > MOST {
            self.spacing = self.spacing.saturating_mul(2);
            let last = self.moments.len() - 1;
            let mut index = 0;
            self.moments.retain(|moment| {
                index += 1;
                // What was changed cannot be computed again from what was before.
                moment.is_changed || (index - 1) % 2 == 0 || index - 1 == last
            });
        }
    }

    /// Forgets what lies behind a time; true if somebody has changed something there, so that the run
    /// now goes another way than it went.
    pub(crate) fn forget_behind(&mut self, cycles: u64) -> bool {
        let kept = self.moments.iter().take_while(|moment| moment.cycles <= cycles).count().max(1);
        self.moments.drain(kept..).any(|moment| moment.is_changed)
    }

    /// The state at hand has been changed: it takes the place of one of the same time.
    pub(crate) fn change(&mut self, moment: Moment) {
        let same = |kept: &Moment| kept.cycles == moment.cycles;
        match self.moments.iter().position(same) {
            // The beginning of the run as it was changed is its beginning.
            Some(place) => self.moments[place] = moment,
            None => self.moments.push(moment),
        }
    }
}
