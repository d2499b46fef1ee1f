//! What is known in the middle of an instruction.

use std::collections::{BTreeMap, BTreeSet};

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
            registers: BTreeMap::new(),
            locals: Vec::new(),
            variables: BTreeMap::new(),
            found: BTreeMap::new(),
            is_gone: false,
        }
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
