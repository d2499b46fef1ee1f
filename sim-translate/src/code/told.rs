//! Transfers of control that whoever follows calls is told of, and what follows them.

use sim_profile::Spending;

use super::Code;
use crate::calls::CallTrail;
use crate::core::Core;
use crate::mode::Mode;
use crate::native::Entry;

/// Transfers that are told of which is remembered what follows.
const FOLLOWERS: usize = 1 << 12;

/// A transfer of control that whoever follows calls is told of each time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    /// How compiled code tells it: the number of the link, or of the site with the address.
    pub(super) by: Teller,
    /// As whoever follows calls knows it.
    way: u32,
    /// The mode behind it.
    pub(crate) mode: Mode,
    /// Timers whose time had come for the code that tells it.
    pub(crate) pending: u64,
}

/// Where compiled code has come back for a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teller {
    /// At a link.
    Link(u64),
    /// At a site, for an address.
    Jump(u64, u64),
}

impl Teller {
    /// Where what follows it is remembered.
    fn place(self) -> usize {
        let place = match self {
            Teller::Link(number) => number.wrapping_mul(2),
            Teller::Jump(site, to) => site.wrapping_mul(0x9e37).wrapping_add(to).wrapping_mul(2) + 1,
        };
        (place ^ place >> 13) as usize % FOLLOWERS
    }
}

impl Told {
    /// A transfer; where compiled code has told it by itself, it is told the same way the next time.
    pub(crate) fn new(by: Teller, way: u32, (mode, pending): (Mode, u64)) -> Told {
        Told { by, way, mode, pending }
    }
}

/// The same where it is known what it leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Follower {
    pub(super) told: Told,
    entry: Entry,
    /// How often it was taken since somebody has counted.
    pub(super) times: u64,
}

/// What is to be done when compiled code has come back.
pub(crate) enum Next {
    /// Whatever it has come back for.
    Settle,
    /// It was told, and goes on.
    GoOn(Entry),
    /// It was told, and something else may be to be done first.
    Look(Told),
}

impl Code {
    /// Remembers what follows a transfer that is told, for the same timers.
    pub(crate) fn follow(&mut self, core: &Core<'_>, told: Told, entry: Entry) {
        if let Teller::Link(number) = told.by
            && let link = self.link(number)
            && link.call.is_some()
        {
            self.connect(core, link, entry);
        }
        self.followers.resize(FOLLOWERS, None);
        let before = self.followers[told.by.place()].replace(Follower { told, entry, times: 0 });
        if let Some((Teller::Jump(site, to), times)) = before.map(|before| (before.told.by, before.times)) {
            *self.displaced.entry((site, to)).or_default() += times;
        }
    }

    /// Compiled code has come back: tells what it has told before.
    pub(crate) fn tell(&mut self, core: &Core<'_>, calls: &mut CallTrail, by: Teller, now: Spending) -> Next {
        let follower = self.followers.get_mut(by.place()).and_then(Option::as_mut);
        let Some(follower) = follower.filter(|follower| follower.told.by == by) else { return Next::Settle };
        follower.times += 1;
        calls.follow_again(follower.told.way, now);
        if let Teller::Link(number) = by
            && let Some(call) = self.links[number as usize].call
            && let Some(frames) = &mut self.frames
            && let Some(prepared) = calls.recorder().prepared(follower.told.way)
        {
            frames.prepare(&core.state.arena, call, prepared);
        }
        match calls.is_newly_awaited() {
            true => Next::Look(follower.told),
            false => Next::GoOn(follower.entry),
        }
    }
}
