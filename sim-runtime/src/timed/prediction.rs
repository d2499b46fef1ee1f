//! What every cycle looks at: how a scene predicts that it goes.

use std::cell::Cell;

use isac_ir::time::StageId;

use super::core::{TimedCore, TurnFn};
use super::flight::NOBODY;
use super::scene::{Act, End, Outcome, UNKNOWN};
use super::turn::nothing;
use crate::kernel::Profiling;

/// A cycle as it is predicted: what every cycle looks at.
pub struct Scene<C: TimedCore, P: Profiling> {
    /// The bits of the program counter that tell whether the cycle begins so, and what they hold: none if
    /// no instruction begins; where they alone do not tell, as a stage stands or nobody knows yet, 1.
    pub(super) pc_bits: u64,
    pub(super) pc_expected: u64,
    /// Of a usual cycle, in which all turns are at [`TimedCore::USUAL`] positions and end in a way that is
    /// predicted: what is predicted at each of these positions, whether it has a turn or not. Else nothing.
    pub(super) usual: Box<[Slot<C, P>]>,
    /// True if `main` begins an instruction, and what the program counter holds then.
    pub(super) begins: bool,
    pub(super) pc: u64,
    /// The record of what is decoded; none if it is a word that cannot be.
    pub(super) decoded: u32,
    /// The address and the word of that record.
    pub(super) fetched: (u64, u64),
    /// A bit for each position whose place has a turn.
    pub(super) live: u64,
    /// Of any other cycle, the turns in their order.
    pub(super) slots: Box<[Slot<C, P>]>,
    /// As [`Begin::stands`]; all ones if it is not known how the cycle begins.
    pub(super) stands: u64,
    pub(super) link: Link,
}

/// Scenes, by number.
pub(super) type Scenes<C, P> = Vec<Scene<C, P>>;

impl<C: TimedCore, P: Profiling> Scene<C, P> {
    pub(super) fn new() -> Scene<C, P> {
        Scene {
            pc_bits: 0,
            pc_expected: 1,
            usual: Box::default(),
            begins: false,
            pc: 0,
            decoded: UNKNOWN,
            fetched: (0, 0),
            live: 0,
            slots: Box::default(),
            stands: u64::MAX,
            link: Link::new(),
        }
    }

    /// The positions of all turns, a bit for each, and what is predicted of each of the usual positions,
    /// if there are turns at no others and all are predicted.
    #[inline(always)]
    pub fn usual_turns<const N: usize>(&self) -> Option<(u64, &[Slot<C, P>; N])> {
        if N == 0 {
            return None;
        }
        Some((self.live, self.usual.first_chunk()?))
    }

    /// The positions of all turns, a bit for each.
    #[inline(always)]
    pub fn live(&self) -> u64 {
        self.live
    }

    /// What is predicted of the turn at a position, if it is live.
    #[inline]
    pub fn slot_at(&self, position: u32) -> Option<&Slot<C, P>> {
        if self.live >> position & 1 == 0 {
            return None;
        }
        let (slots, positions) = match self.usual.is_empty() {
            true => (&self.slots, self.live),
            false => (&self.usual, C::USUAL),
        };
        slots.get(number_among(positions, position))
    }
}

/// The number of a position among several, a bit for each.
pub(super) fn number_among(positions: u64, position: u32) -> usize {
    (positions & ((1 << position) - 1)).count_ones() as usize
}

/// A turn as it is predicted.
pub struct Slot<C: TimedCore, P: Profiling> {
    /// What the instruction runs in it, where that differs between instructions.
    pub(super) function: TurnFn<C, P>,
    /// Its operands.
    pub(super) args: C::Args,
    /// Its address, as [`Record::address`](super::record::Record).
    pub(super) address: u64,
    /// The stages with an instruction in them, a bit for each by number.
    pub(super) busy: u64,
    /// Conditions that hold.
    pub(super) due: u64,
    /// Counters that count; with a profile alone.
    pub(super) counted: C::Mask,
    pub(super) size_cells: u32,
    /// Its position in the cycle.
    pub(super) position: u32,
    /// The record of the instruction.
    pub(super) record: u32,
    /// The record of what is decoded.
    pub(super) decoded: u32,
    /// What it does to the pipeline.
    pub(super) deed: Deed,
    /// The operation that asks for a retry; with a profile alone.
    pub(super) retried: u32,
    pub(super) end: Predicted,
}

impl<C: TimedCore, P: Profiling> Slot<C, P> {
    /// Of no instruction: what runs before the first cycle has it, and positions without a turn.
    pub(super) fn of_nobody(address: u64) -> Slot<C, P> {
        Slot {
            function: nothing,
            args: C::Args::default(),
            address,
            busy: 0,
            due: 0,
            counted: C::Mask::default(),
            size_cells: 0,
            position: 0,
            record: NOBODY,
            decoded: UNKNOWN,
            deed: Deed::NONE,
            retried: 0,
            end: Predicted::Unknown,
        }
    }
}

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predicted {
    Done,
    Retried,
    /// Nobody knows yet, or it is to be looked at.
    Unknown,
}

/// What a turn did to the pipeline in its middle, as far as every turn is compared with it: nothing, one
/// act, or more than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Deed(u64);

impl Deed {
    /// Nothing.
    pub(super) const NONE: Deed = Deed(0);

    /// What has to be looked at.
    pub(super) const MORE: Deed = Deed(u64::MAX);

    /// One flush, and nothing else.
    #[inline(always)]
    pub(super) fn flush(stage: StageId) -> Deed {
        Deed(1 << 62 | u64::from(stage.pipeline) << 32 | u64::from(stage.stage))
    }

    /// One stage stands, by its number, because of a cause, and nothing else.
    pub(super) fn stall(stage: u32, cause: u32) -> Deed {
        Deed(1 << 61 | u64::from(stage) << 32 | u64::from(cause))
    }

    /// Of all that was done.
    pub(super) fn of(acts: &[Act]) -> Deed {
        match acts {
            [] => Deed::NONE,
            [Act::Flush(stage)] => Deed::flush(*stage),
            [Act::Stall(stage, cause)] => Deed::stall(*stage, *cause),
            _ => Deed::MORE,
        }
    }

    /// The act that it is.
    pub(super) fn act(self) -> Option<Act> {
        let (first, second) = ((self.0 >> 32 & 0xffff) as u32, self.0 as u32);
        match self.0 >> 61 {
            1 => Some(Act::Stall(first, second)),
            2 => Some(Act::Flush(StageId { pipeline: first, stage: second })),
            _ => None,
        }
    }
}

/// Where a scene leads, and how often it was.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// In how many cycles it was.
    pub times: Cell<u64>,
    /// The instructions that are over.
    pub over: Cell<Over>,
    /// The scene of the next cycle.
    pub next: Cell<u32>,
    /// True if the cycle's end has to be looked at: the scene is not complete, or there are notes.
    pub is_closer: Cell<bool>,
}

impl Link {
    fn new() -> Link {
        Link {
            times: Cell::new(0),
            over: Cell::new(Over::default()),
            next: Cell::new(UNKNOWN),
            is_closer: Cell::new(true),
        }
    }
}

/// Numbers of instructions that are over, and of those of them that were executed, below 2³² each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Over(u64);

impl Over {
    pub(super) fn new(all: u32, executed: u32) -> Over {
        Over(u64::from(executed) << 32 | u64::from(all))
    }

    /// All of them.
    #[inline(always)]
    pub(super) fn all(self) -> u64 {
        self.0 & u64::from(u32::MAX)
    }

    /// Those that were executed.
    #[inline(always)]
    pub(super) fn executed(self) -> u64 {
        self.0 >> 32
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Over) {
        self.0 += other.0;
    }
}

impl Outcome {
    /// What every turn is compared with.
    pub(super) fn predicted(&self) -> Predicted {
        match (self.end, Deed::of(&self.acts)) {
            (_, Deed::MORE) => Predicted::Unknown,
            (End::Done, _) => Predicted::Done,
            (End::Retried(_), _) => Predicted::Retried,
            (End::Over(_) | End::Doomed, _) => Predicted::Unknown,
        }
    }
}
