//! Where frames stand on the stack, so that one is found without a walk down: a chain of tail calls may have
//! as many frames as there are.

/// Where a frame stands: how many were below it when it was put on, forgotten ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    /// That of no frame.
    pub(super) const NONE: Place = Place(u64::MAX);
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The uppermost frame below of the same function; anything if there is none.
    same: Place,
    /// The uppermost frame that waits for a return, from this one on; one that is forgotten if none does.
    waiting: Place,
}

/// The places of all frames that are present, those at the front of the stack that are forgotten among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    entries: Vec<Entry>,
    /// How many stood before those.
    before: u64,
}

impl Places {
    /// A frame is put on: whether it waits for what the one below does, and where the uppermost one of its
    /// function stands.
    pub(super) fn push(&mut self, is_tail: bool, same: Place) -> Place {
        let here = Place(self.before + self.entries.len() as u64);
        let waiting = self.entries.last().filter(|_| is_tail).map_or(here, |below| below.waiting);
        self.entries.push(Entry { same, waiting });
        here
    }

    /// The uppermost frame is taken off: the place of the next one of its function.
    pub(super) fn pop(&mut self) -> Option<Place> {
        self.entries.pop().map(|entry| entry.same)
    }

    /// So many frames at the front are gone.
    pub(super) fn forget(&mut self, frames: usize) {
        self.entries.drain(..frames);
        self.before += frames as u64;
    }

    /// How many frames are above one, and whether it waits for the same return as the uppermost one.
    pub(super) fn above(&self, place: Place) -> (usize, bool) {
        let index = place.0.saturating_sub(self.before) as usize;
        let is_in_group = self.entries.last().is_some_and(|top| top.waiting <= place);
        (self.entries.len().saturating_sub(index + 1), is_in_group)
    }
}
