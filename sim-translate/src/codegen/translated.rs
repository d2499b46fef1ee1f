//! What a region's function is, beside its machine code: what the engine knows of each way back.

use sim_profile::flow::Placement;

use super::budget::Turns;
use crate::flow::Flow;
use crate::mode::Mode;
use crate::region::Target;
use crate::residual::Trap;

/// Why compiled code comes back, at [`layout::EXIT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Exit {
    /// A link leads to what is not compiled.
    Link = 1,
    /// A computed address leads to what is not compiled, or was not there lately.
    Jump = 2,
    /// A site.
    Site = 3,
    /// A return leads to what is not compiled, or was not there lately; its frame is taken off.
    Return = 4,
}

/// What the engine knows of a way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) kind: SiteKind,
    /// The step that was at hand.
    pub(crate) step: u32,
    /// Its node, for the count of its ends.
    pub(crate) node: u32,
    /// Instructions that have begun since the budget was told, this one included.
    pub(crate) begun: i64,
    /// The program counter there, if it is known; else it is told.
    pub(crate) pc: Option<u64>,
    /// How often it was taken.
    pub(crate) times: u64,
    /// The region that it belongs to.
    pub(crate) region: u32,
    /// In a loop whose turns are counted by the budget: where what it has taken is summed up.
    pub(crate) taken: Option<u32>,
}

/// What happened at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteKind {
    /// The instruction has not ended as instructions do.
    Trap(Trap),
    /// A helper knows how it has ended.
    Told,
    /// It names a register that does not exist; its index is told.
    RegisterIndex(u32),
    /// It is complete, and something was written that has to be looked at: near code, to a device, or to
    /// what the mode is made of.
    Written,
    /// The budget may not reach to where it is asked next; nothing of the step has begun.
    Budget,
    /// It is complete, and led to a computed address.
    Jump,
    /// Nothing of it has happened that stands: it is interpreted from its beginning.
    Redo,
    /// The same, because some of it cannot be compiled, or it has loops with many turns.
    Interpreted,
}

/// A direct way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The step that goes out by it.
    pub(crate) step: u32,
    /// Where it leads.
    pub(crate) target: Target,
    /// Where the address of the code there stands.
    pub(crate) slot: u32,
    /// Where it stands from which stacks it calls, if it is a call.
    pub(crate) call: Option<u32>,
}

/// What a function was made with, beside its code.
pub(crate) struct Translated {
    pub(crate) flow: Flow,
    /// The edges that count; without profile it is not asked for.
    pub(crate) placement: Placement,
    /// Where the counter of each of them stands.
    pub(crate) counters: Vec<u32>,
    /// Counters that sum up what a loop has taken from the budget, by index among the counters.
    pub(crate) turns: Vec<(usize, Turns)>,
    pub(crate) sites: Vec<Site>,
    pub(crate) links: Vec<Link>,
    /// The mode behind each site that leads to a computed address, by number of the site.
    pub(crate) jump_modes: Vec<(u64, Mode)>,
    /// Node in which each step begins.
    pub(crate) begins: Vec<(u32, u32)>,
    /// Counters of steps: node, step, counter.
    pub(crate) counts: Vec<(u32, u32, u32)>,
    /// Counters of steps that count for themselves: where they stand, step, counter.
    pub(crate) own_counts: Vec<(u32, u32, u32)>,
    /// Extra cycles of steps that are known: node, step, how many.
    pub(crate) charges: Vec<(u32, u32, u64)>,
    /// Those that are summed up: where they stand, step.
    pub(crate) own_charges: Vec<(u32, u32)>,
    /// The model's own events: node, name.
    pub(crate) events: Vec<(u32, String)>,
    /// Edges that are control transfers: edge, from, to.
    pub(crate) transfers: Vec<(u32, u64, u64)>,
    /// Tables of bytes: where they stand, and what.
    pub(crate) tables: Vec<(u32, Vec<u8>)>,
    /// It counts what the program does.
    pub(crate) profiles: bool,
    /// Number of its first site.
    pub(crate) first_site: u32,
    /// Number of its sites.
    pub(crate) site_count: u32,
}

/// Room for counters and links.
pub(crate) struct Room {
    pub(crate) next: u32,
    pub(crate) end: u32,
    /// More was taken than there is: what was taken may be in two hands.
    pub(crate) is_over: bool,
}

impl Room {
    /// Room from an offset on.
    pub(crate) fn new(begin: u32, bytes: u32) -> Room {
        Room { next: begin, end: begin + bytes, is_over: false }
    }

    /// A number of 8 bytes, all 0.
    pub(crate) fn take(&mut self) -> u32 {
        self.take_bytes(8)
    }

    /// Bytes, all 0, at a multiple of 8.
    pub(crate) fn take_bytes(&mut self, bytes: u32) -> u32 {
        let bytes = bytes.next_multiple_of(8);
        self.is_over |= bytes > self.end - self.next;
        let offset = self.next.min(self.end - bytes);
        self.next = offset + bytes;
        offset
    }
}
