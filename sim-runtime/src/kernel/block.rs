//! Predecoded instructions and where they lead.

use std::cell::Cell;
use std::marker::PhantomData;

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::control::{Control, ControlCache};

use super::code::Code;
use super::machine::{BlockCore, Profiling};
use crate::record::{RecordedWord, StaticKey, control_at};

/// Executes the first record and goes on with the next: core, code, records, PC, fuel.
pub type StepFn<C, P> = fn(&mut C, &Code<C, P>, &[Record<C, P>], u64, u64);

/// A predecoded instruction.
pub struct Record<C: BlockCore, P> {
    /// Its step.
    pub run: StepFn<C, P>,
    /// Its site in [`Code`]; meaningless for a step that always goes on with the next record, and of a gate
    /// the number of its block.
    pub site: u32,
    /// Its operands.
    pub args: C::Args,
    /// With or without profile.
    pub(super) profiling: PhantomData<P>,
}

impl<C: BlockCore, P> Clone for Record<C, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: BlockCore, P> Copy for Record<C, P> {}

/// What decoding an instruction gives.
pub struct Decoded<C: BlockCore, P> {
    /// Its step.
    pub run: StepFn<C, P>,
    /// Its operands.
    pub args: C::Args,
    /// The word of each element of the CODINGROOT: its cells, joined in the target's byte order,
    /// and how many bits they are.
    pub words: [(Bits, u32); 1],
    /// Its size in cells.
    pub size_cells: u32,
    /// How many cells may have decided that, at least its size: a change of any of them may make it
    /// another instruction.
    pub seen_cells: u32,
    /// Number of its counters.
    pub counters: u32,
    /// True if its step may do anything but go on with the next record.
    pub needs_site: bool,
    /// True if nothing behind it is ever reached from it in sequence.
    pub ends_block: bool,
    /// With or without profile.
    pub profiling: PhantomData<P>,
}

/// What the profile needs of a block: records along a fall-through path, of which the last one is
/// no instruction but leaves the block. The records themselves are in [`Code`].
pub struct Block {
    /// What each instruction is, in the records' order.
    pub(super) statics: Box<[Static]>,
    /// Entries that no link counts: the run's start, or after a stop.
    pub(super) starts: Cell<u64>,
    /// Left without a link: number of records executed before, how often.
    pub(super) stops: std::cell::RefCell<Vec<(u32, u64)>>,
}

impl<C: BlockCore, P> Decoded<C, P> {
    /// What the profile needs to know of it at an address; it has no site yet.
    pub(super) fn to_static(&self, address: u64) -> Static {
        Static {
            address,
            words: self.words,
            size_cells: self.size_cells,
            site: None,
            counters: self.counters,
            cancelled: Cell::new(0),
            faulted: Cell::new(0),
            extra_cycles: Cell::new(0),
            unfinished: Cell::new(0),
        }
    }
}

/// What the profile needs to know of a record.
#[derive(Debug, Clone)]
pub(super) struct Static {
    pub address: u64,
    pub words: [(Bits, u32); 1],
    pub size_cells: u32,
    /// Its site, if it has one.
    pub site: Option<u32>,
    /// Number of its counters.
    pub counters: u32,
    pub cancelled: Cell<u64>,
    pub faulted: Cell<u64>,
    /// Extra cycles, whatever became of it.
    pub extra_cycles: Cell<u64>,
    pub unfinished: Cell<u64>,
}

impl Static {
    /// Where the instruction may go on; none if it is no instruction any more.
    pub(super) fn control(&self, model: (&Model, &ControlCache)) -> Option<Control> {
        let words = self.words.map(|(word, width_bits)| RecordedWord { element: 0, word, width_bits });
        let key = StaticKey { address: self.address, words: words.to_vec() };
        control_at(model, &key, self.size_cells)
    }
}

/// Where the instruction at an address may go on; none if it is none.
pub(super) fn control_at_cell<C: BlockCore, P: Profiling>(
    core: &C,
    cache: &ControlCache,
    address: u64,
) -> Option<Control> {
    core.decode::<P>(address).ok()?.to_static(address).control((core.model(), cache))
}

/// Where a record leaves its block.
///
/// Its first target is in the site itself: most sites never have another.
#[derive(Debug, Clone)]
pub struct Site {
    /// The first target.
    pub(super) first: Link,
    /// First of the links for further targets.
    pub(super) links: u32,
    /// Number of these links less one, a power of two less one; 0 if there are none.
    pub(super) mask: u32,
    /// First of its counters.
    pub(super) counters: u32,
}

/// Which record a site belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteOwner {
    pub block: u32,
    /// Index in the block.
    pub index: u32,
}

/// What whoever goes from a site to a target has to tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Arrival {
    /// Nothing.
    #[default]
    Untold,
    /// This way.
    Way(u32),
}

/// A target that a site led to.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub target: u64,
    pub count: Cell<u64>,
    /// Index of the block there, or of its gate if it is a check; beyond all blocks if there is none, or
    /// if whoever goes there has to do more than that.
    pub block: u32,
    /// Index of the block there in any case; beyond all blocks if there is none.
    pub leads_to: u32,
    /// Number of the way, where calls are followed; beyond all ways if the dispatcher has to be asked.
    pub way: u32,
}

impl Link {
    pub(super) const NO_BLOCK: u32 = u32::MAX;
    pub(super) const NO_WAY: u32 = u32::MAX;

    pub(super) fn empty() -> Link {
        Link {
            target: 0,
            count: Cell::new(0),
            block: Self::NO_BLOCK,
            leads_to: Self::NO_BLOCK,
            way: Self::NO_WAY,
        }
    }

    /// Whether somebody is told whenever control goes this way.
    pub(super) fn is_told(&self) -> bool {
        self.way != Self::NO_WAY
    }

    pub(super) fn is_empty(&self) -> bool {
        self.leads_to == Self::NO_BLOCK
    }
}
