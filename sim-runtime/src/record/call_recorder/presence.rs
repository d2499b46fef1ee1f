//! How often something is on the stack, and since when.

use sim_profile::Spending;

/// Presence of a function, or of an arc, on the stack of calls.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Presence {
    frames: u32,
    /// Whether it ever was there.
    pub was_there: bool,
    since: Spending,
    /// What was spent while it was there; what single frames spent of it is with their stacks.
    pub inclusive: Spending,
}

impl Presence {
    /// Whether it is there.
    pub(super) fn is_there(&self) -> bool {
        self.frames > 0
    }

    /// A frame has it since then.
    pub(super) fn enter(&mut self, since: Spending) {
        if self.frames == 0 {
            self.since = since;
            self.was_there = true;
        }
        self.frames += 1;
    }

    /// A frame that had it is gone.
    pub(super) fn leave(&mut self, now: Spending) {
        self.frames -= 1;
        if self.frames == 0 {
            self.inclusive.add(now.since(self.since));
        }
    }
}
