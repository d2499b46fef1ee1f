//! What is known in the middle of an instruction.

use std::collections::{BTreeMap, BTreeSet};

use super::Delayed;
use crate::shared::Shared;
use crate::slots::Slots;

/// A value that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub bits: u128,
    /// The address that it is, or that it is a part of.
    pub address: Option<u128>,
}

impl Known {
    /// A number that is no address.
    pub(super) fn number(bits: u128) -> Known {
        Known { bits, address: None }
    }
}

/// What the program counter may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NextAddress {
    /// Addresses that are known.
    pub targets: Shared<BTreeSet<u64>>,
    /// Whether it may hold any other.
    pub computed: bool,
}

impl NextAddress {
    pub(super) fn known(address: u64) -> NextAddress {
        NextAddress { targets: Shared::new([address].into()), computed: false }
    }

    pub(super) fn nowhere() -> NextAddress {
        NextAddress { targets: Shared::default(), computed: false }
    }

    pub(super) fn unknown() -> NextAddress {
        NextAddress { targets: Shared::default(), computed: true }
    }

    /// It may hold what another may, too.
    fn join(&mut self, other: NextAddress) {
        join_sets(&mut self.targets, &other.targets);
        self.computed |= other.computed;
    }

    /// The only address that it may hold.
    pub(super) fn value(&self) -> Option<u64> {
        match (self.targets.first(), self.targets.len(), self.computed) {
            (Some(address), 1, false) => Some(*address),
            _ => None,
        }
    }
}

/// What an instruction may have left to the one behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Delay {
    /// Addresses at which that one goes on.
    targets: Shared<BTreeSet<u64>>,
    /// Whether it may be any other.
    computed: bool,
    /// Whether something is left on every way.
    is_certain: bool,
}

impl Delay {
    /// It goes on at an address, which may not be known.
    pub(super) fn set(&mut self, address: Option<u64>) {
        let targets = Shared::new(address.into_iter().collect());
        *self = Delay { targets, computed: address.is_none(), is_certain: true };
    }

    fn join(&mut self, other: Delay) {
        join_sets(&mut self.targets, &other.targets);
        self.computed |= other.computed;
        self.is_certain &= other.is_certain;
    }

    /// Where the slot goes on, of which the successor is at an address; none if nothing is left to it.
    pub(super) fn delayed(&self, successor: u64) -> Option<Delayed> {
        let mut targets = BTreeSet::clone(&self.targets);
        let falls_through = targets.remove(&successor) || !self.is_certain;
        let targets: Vec<u64> = targets.into_iter().collect();
        let is_any = !targets.is_empty() || self.computed;
        is_any.then_some(Delayed { falls_through, targets, computed: self.computed })
    }
}

/// What steps may have done on the ways to a point: the ways on which they have sent the run to an address that
/// is not known, and those on which they have kept an address. A set of pairs, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leads(u8);

impl Leads {
    const NOTHING: u8 = 1;
    const KEPT: u8 = 2;
    const LED: u8 = 4;
    const KEPT_AND_LED: u8 = 8;

    /// The run is sent elsewhere, on every way.
    pub(super) fn lead(&mut self) {
        self.0 = self.0 & (Self::LED | Self::KEPT_AND_LED) | (self.0 & (Self::NOTHING | Self::KEPT)) << 2;
    }

    /// An address is kept, on every way.
    pub(super) fn keep(&mut self) {
        self.0 = self.0 & (Self::KEPT | Self::KEPT_AND_LED) | (self.0 & (Self::NOTHING | Self::LED)) << 1;
    }

    /// Whether the run may be sent elsewhere and nothing kept. What is kept on all ways says nothing.
    pub(super) fn is_led(self) -> bool {
        self.0 & Self::LED != 0 || (self.always_keeps() && self.0 & Self::KEPT_AND_LED != 0)
    }

    /// Whether an address may be kept for the sake of that.
    pub(super) fn may_be_struck(self) -> bool {
        self.0 & Self::KEPT_AND_LED != 0 && !self.always_keeps()
    }

    fn always_keeps(self) -> bool {
        self.0 & (Self::NOTHING | Self::LED) == 0
    }
}

/// A place that was found: the operation's context and the locals that stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub context: usize,
    pub locals: Locals,
}

/// What is known of the locals of a body. They begin as 0.
pub(super) type Locals = Slots<Option<Known>>;

/// Of a body that begins.
pub(super) fn no_locals() -> Locals {
    Slots::new(Some(Known::number(0)))
}

/// Adds what another set has.
fn join_sets<T: Copy + Ord>(own: &mut Shared<BTreeSet<T>>, other: &Shared<BTreeSet<T>>) {
    if !own.is_same(other) && !other.is_subset(own) {
        own.extend(other.iter().copied());
    }
}

/// Keeps what another map has alike.
fn keep_common<K: Clone + Ord, V: Clone + PartialEq>(
    own: &mut Shared<BTreeMap<K, V>>,
    other: &Shared<BTreeMap<K, V>>,
) {
    if !own.is_same(other) && own != other {
        own.retain(|place, value| other.get(place) == Some(value));
    }
}

/// What is known at a point; what is not in a map is not known.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub next: NextAddress,
    /// Where else a step may have sent the run, the instruction having set nothing.
    pub aside: NextAddress,
    pub delay: Delay,
    /// Whether the instruction itself has set the program counter to what is not known.
    pub jumps: bool,
    /// Whether it has set the program counter at all.
    pub goes: bool,
    /// Values that were computed from the program counter and written elsewhere.
    pub kept: Shared<BTreeSet<u128>>,
    /// What the steps have done.
    pub leads: Leads,
    /// Whether what runs beside the instruction may send the run anywhere.
    pub is_beset: bool,
    /// By register and element.
    pub registers: Shared<BTreeMap<(u32, u128), Known>>,
    /// Of the body at hand.
    pub locals: Locals,
    /// LOCALs by context.
    pub variables: Shared<BTreeMap<(usize, u32), Known>>,
    /// Places by context and binding.
    pub found: Shared<BTreeMap<(usize, u32), Found>>,
    /// Whether control does not come here.
    pub is_gone: bool,
}

impl State {
    pub(super) fn new(next: NextAddress) -> State {
        State {
            next,
            aside: NextAddress::nowhere(),
            delay: Delay::default(),
            jumps: false,
            goes: false,
            kept: Shared::default(),
            leads: Leads(Leads::NOTHING),
            is_beset: false,
            registers: Shared::default(),
            locals: no_locals(),
            variables: Shared::default(),
            found: Shared::default(),
            is_gone: false,
        }
    }

    /// What was done since the program counter could hold this may be done again, any number of times.
    pub(super) fn repeat(&mut self, begun: &NextAddress) {
        self.forget();
        if self.next != *begun {
            self.lose();
        }
    }

    /// Anything may have been done.
    pub(super) fn lose(&mut self) {
        self.forget();
        self.next.computed = true;
        self.jumps = true;
    }

    /// Keeps nothing of what registers, LOCALs and bindings hold.
    fn forget(&mut self) {
        self.registers = Shared::default();
        self.variables = Shared::default();
        self.found = Shared::default();
    }

    /// The run goes on where it did before, whatever was done since to send it elsewhere: that strikes.
    pub(super) fn go_on_as(&mut self, before: State) {
        self.is_beset |= (&self.next, &self.aside) != (&before.next, &before.aside);
        let State { next, aside, delay, jumps, goes, leads, is_gone, .. } = before;
        (self.next, self.aside, self.delay) = (next, aside, delay);
        (self.jumps, self.goes, self.leads, self.is_gone) = (jumps, goes, leads, is_gone);
    }

    /// The run goes on where it does on the other side of a condition, if an instruction has sent it there.
    pub(super) fn go_on_with(&mut self, other: &State) {
        if other.goes && !self.goes && !other.is_gone && !self.is_gone {
            self.next.clone_from(&other.next);
            (self.goes, self.jumps) = (true, other.jumps);
        }
    }

    /// An address that was written, and to which a branch goes, is kept for no way back: one that is not taken may
    /// have told that to those who predict.
    pub(super) fn forget_where_it_goes(&mut self, is_branch: bool) {
        let next = self.next.value().filter(|_| is_branch).map(u128::from);
        if let Some(next) = next.filter(|next| self.kept.contains(next)) {
            self.kept.remove(&next);
        }
    }

    /// Joins the sides of a condition in a step. Of the addresses at which instructions go on as a rule, the first
    /// to which one side leads alone is what the instruction finds.
    pub(super) fn join_step(&mut self, other: State, usual: &[u64]) {
        let side = |address: u64| match [&*self, &other].map(|side| side.next.value() == Some(address)) {
            [true, false] => Some((self.next.clone(), other.next.clone())),
            [false, true] => Some((other.next.clone(), self.next.clone())),
            _ => None,
        };
        let found = usual.iter().copied().find_map(side);
        let Some((next, aside)) = found.filter(|_| !self.is_gone && !other.is_gone) else {
            return self.join(other);
        };
        self.join(other);
        self.next = next;
        self.aside.join(aside);
    }

    /// Goes on from here or from there: known is what is known in both.
    pub(super) fn join(&mut self, other: State) {
        if other.is_gone {
            return;
        }
        if self.is_gone {
            *self = other;
            return;
        }
        self.next.join(other.next);
        self.aside.join(other.aside);
        self.delay.join(other.delay);
        self.jumps |= other.jumps;
        self.goes |= other.goes;
        join_sets(&mut self.kept, &other.kept);
        self.leads.0 |= other.leads.0;
        self.is_beset |= other.is_beset;
        keep_common(&mut self.registers, &other.registers);
        keep_common(&mut self.variables, &other.variables);
        keep_common(&mut self.found, &other.found);
        for local in self.locals.differing(&other.locals) {
            self.locals.set(local, None);
        }
    }
}
