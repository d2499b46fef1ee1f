//! States that were kept of a run, to go back to.
//!
//! They lie at a distance that doubles as the run grows, so that their number stays bounded and
//! going back costs about the same share of the run wherever it stands. What somebody has changed cannot
//! be computed again, so that such states stay until there are too many: then the run can be taken back
//! less far.

use sim_runtime::host::SavedHost;
use sim_runtime::inspection::SavedEngine;

/// Most states that are kept.
const MOST: usize = 64;
/// Most states that are kept for what was changed there.
const MOST_CHANGED: usize = 1024;
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
        let computed = self.moments.iter().filter(|moment| !moment.is_changed).count();
        if computed > MOST {
            self.spacing = self.spacing.saturating_mul(2);
            let mut index = 0;
            self.moments.retain(|moment| {
                index += usize::from(!moment.is_changed);
                moment.is_changed || index % 2 == 1 || index == computed
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
        let mut changed = (0..).zip(&self.moments).filter(|(_, moment)| moment.is_changed);
        let second = changed.nth(1).map(|(index, _)| index);
        if changed.count() + 2 > MOST_CHANGED {
            // Who goes back finds the beginning of the run at a change.
            let begin = second.unwrap_or(0);
            self.moments.drain(..begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use sim_runtime::host::{Host, Streams};
    use sim_runtime::inspection::SavedEngine;

    use super::{FIRST_SPACING, History, MOST, MOST_CHANGED, Moment};

    fn moment(cycles: u64, is_changed: bool) -> Moment {
        let (streams, _, _) = Streams::captured(b"");
        Moment {
            cycles,
            instructions: cycles,
            taken: cycles,
            is_boundary: true,
            is_changed,
            new_stall: None,
            engine: SavedEngine::new(()),
            host: Host::new(streams).save().expect("a host without files can be saved"),
        }
    }

    #[test]
    fn changes_neither_thin_out_what_is_computed_nor_stay_without_bound() {
        let mut history = History::new(moment(0, false));
        for cycles in 1..=100 {
            history.change(moment(cycles, true));
        }
        for _ in 0..100 {
            history.add(moment(history.next_due(), false));
        }
        let count = |history: &History, is_changed: bool| {
            history.moments().iter().filter(|moment| moment.is_changed == is_changed).count()
        };
        // As far apart as they would be without any change.
        assert_eq!(history.spacing, 4 * FIRST_SPACING);
        assert!((MOST / 2..=MOST).contains(&count(&history, false)));
        assert_eq!(count(&history, true), 100);
        let end = history.next_due();
        for cycles in 0..3000 {
            history.change(moment(end + cycles, true));
        }
        assert_eq!(count(&history, true), MOST_CHANGED);
        // The run cannot be computed again from before a change that is forgotten.
        assert!(history.moments()[0].is_changed);
        assert_eq!(history.last().map(|last| last.cycles), Some(end + 2999));
    }
}
