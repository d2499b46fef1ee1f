//! What is known in the middle of an instruction.

use std::collections::{BTreeMap, BTreeSet};

use super::Delayed;

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
    pub targets: BTreeSet<u64>,
    /// Whether it may hold any other.
    pub computed: bool,
}

impl NextAddress {
    pub(super) fn known(address: u64) -> NextAddress {
        NextAddress { targets: [address].into(), computed: false }
    }

    pub(super) fn unknown() -> NextAddress {
        NextAddress { targets: BTreeSet::new(), computed: true }
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
    targets: BTreeSet<u64>,
    /// Whether it may be any other.
    computed: bool,
    /// Whether something is left on every way.
    is_certain: bool,
}

impl Delay {
    /// It goes on at an address, which may not be known.
    pub(super) fn set(&mut self, address: Option<u64>) {
        *self =
            Delay { targets: address.into_iter().collect(), computed: address.is_none(), is_certain: true };
    }

    fn join(&mut self, other: Delay) {
        self.targets.extend(other.targets);
        self.computed |= other.computed;
        self.is_certain &= other.is_certain;
    }

    /// Where the slot goes on, of which the successor is at an address; none if nothing is left to it.
    pub(super) fn delayed(&self, successor: u64) -> Option<Delayed> {
        let mut targets = self.targets.clone();
        let falls_through = targets.remove(&successor) || !self.is_certain;
        let targets: Vec<u64> = targets.into_iter().collect();
        let is_any = !targets.is_empty() || self.computed;
        is_any.then_some(Delayed { falls_through, targets, computed: self.computed })
    }
}

/// A place that was found: the operation's context and the locals that stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub context: usize,
    pub locals: Vec<Option<Known>>,
}

/// What is known at a point; what is not in a map is not known.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub next: NextAddress,
    pub delay: Delay,
    /// Whether the instruction itself has set the program counter to what is not known.
    pub jumps: bool,
    /// By register and element.
    pub registers: BTreeMap<(u32, u128), Known>,
    /// Of the body at hand.
    pub locals: Vec<Option<Known>>,
    /// LOCALs by context.
    pub variables: BTreeMap<(usize, u32), Known>,
    /// Places by context and binding.
    pub found: BTreeMap<(usize, u32), Found>,
    /// Whether control does not come here.
    pub is_gone: bool,
}

impl State {
    pub(super) fn new(next: NextAddress) -> State {
        State {
            next,
            delay: Delay::default(),
            jumps: false,
            registers: BTreeMap::new(),
            locals: Vec::new(),
            variables: BTreeMap::new(),
            found: BTreeMap::new(),
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
        self.registers.clear();
        self.variables.clear();
        self.found.clear();
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
        self.next.targets.extend(other.next.targets);
        self.next.computed |= other.next.computed;
        self.delay.join(other.delay);
        self.jumps |= other.jumps;
        self.registers.retain(|place, value| other.registers.get(place) == Some(value));
        self.variables.retain(|place, value| other.variables.get(place) == Some(value));
        self.found.retain(|place, value| other.found.get(place) == Some(value));
        for (ours, theirs) in self.locals.iter_mut().zip(other.locals) {
            if *ours != theirs {
                *ours = None;
            }
        }
    }
}
