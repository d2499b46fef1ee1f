//! What every cycle looks at: how a scene predicts that it goes.

use std::cell::Cell;

use isac_ir::time::StageId;

use super::core::{TimedCore, TurnFn};
use super::flight::NOBODY;
use super::mask::Mask;
use super::outcomes::Outcome;
use super::scene::{Act, End, UNKNOWN};
use super::turn::{nothing, stall_counter};
use crate::kernel::Profiling;

/// A cycle as it is predicted. What every cycle looks at stands first, in a line of a cache of the host; what its
/// turns count is behind it.
#[repr(C, align(64))]
pub struct Scene<C: TimedCore, P: Profiling> {
    /// What the program counter holds if the cycle begins so, ...
    pub(super) pc_expected: u64,
    /// ... in these bits of it, sign-extended: in none if no instruction begins. Where they alone do not tell, as
    /// a stage stands or nobody knows yet, 1 is expected in none.
    pub(super) pc_bits: i32,
    /// A bit for each usual position by its number, below 32: set if its turn is plain, which is just done and does
    /// nothing to the pipeline.
    pub(super) plain: u32,
    /// Of a usual cycle, in which all turns are at [`TimedCore::USUAL`] positions and end in a way that is
    /// predicted: a bit for each position whose place has a turn, and [`UNPLAIN`] unless all of the turns at
    /// [`uncounted`] positions are plain. Else [`UNUSUAL`].
    pub(super) usual_live: u64,
    /// The address and the word of what is decoded; [`NO_WORD`] if nothing is, or a word that cannot be.
    pub(super) fetched: (u64, u64),
    /// The record of that; or [`UNKNOWN`].
    pub(super) decoded: u32,
    pub(super) link: Link,
    /// Of a usual cycle, counters that count in the turns at grouped positions, those that tell of stalls included.
    pub(super) grouped: P::Kept<C::Mask>,
    /// Of a usual cycle, counters that count in each of the turns at usual positions.
    pub(super) counted: C::Usual<P::Kept<C::Mask>>,
    /// As [`Begin::stands`]; all ones if it is not known how the cycle begins.
    pub(super) stands: u64,
    /// True if `main` begins an instruction, and what the program counter holds then.
    pub(super) begins: bool,
    pub(super) pc: u64,
    /// True if nothing happens in the cycle, and nothing has changed behind it.
    pub(super) is_idle: Cell<bool>,
    /// Of any other cycle, its turns.
    pub(super) others: Option<Box<Others<C, P>>>,
    /// What is predicted at each of the usual positions of a usual cycle, whether it has a turn or not.
    pub(super) usual: C::Usual<Slot<C, P>>,
}

/// The turns of a cycle that is not usual.
pub(super) struct Others<C: TimedCore, P: Profiling> {
    /// A bit for each position whose place has a turn.
    pub live: u64,
    /// What is predicted of them, in their order, and counters that count.
    pub slots: Vec<(Slot<C, P>, C::Mask)>,
}

/// [`Scene::usual_live`] of other cycles.
pub const UNUSUAL: u64 = 1 << 63;

/// The bit of [`Scene::usual_live`] that a turn at one of the [`uncounted`] positions is not plain.
pub(super) const UNPLAIN: u64 = 1 << 62;

/// The positions whose turns may ask for a retry, or do something to the pipeline that no counter tells of. Only a
/// profile has to know what has stalled a stage.
pub(super) const fn uncounted<C: TimedCore, P: Profiling>() -> u64 {
    let acting = if P::ON { C::ACTS } else { C::FLUSHES };
    C::RETRIES | acting & !C::STALLS
}

/// No word: it has more bits than any that is decoded, unless those are as wide as this.
pub(super) const NO_WORD: u64 = u64::MAX;

/// Scenes, by number.
pub(super) type Scenes<C, P> = Vec<Scene<C, P>>;

impl<C: TimedCore, P: Profiling> Scene<C, P> {
    pub(super) fn new() -> Scene<C, P> {
        Scene {
            pc_expected: 1,
            pc_bits: 0,
            plain: 0,
            usual_live: UNUSUAL,
            fetched: (0, NO_WORD),
            decoded: UNKNOWN,
            link: Link::new(),
            grouped: P::keep(C::Mask::default()),
            counted: Slots::filled(|| P::keep(C::Mask::default())),
            stands: u64::MAX,
            begins: false,
            pc: 0,
            is_idle: Cell::new(false),
            others: None,
            usual: Slots::filled(|| Slot::of_nobody(u64::MAX)),
        }
    }

    /// True if the program counter tells that the cycle begins so.
    #[inline(always)]
    pub(super) fn begins_at(&self, pc: u64) -> bool {
        pc & i64::from(self.pc_bits) as u64 == self.pc_expected
    }

    /// The positions of all turns, a bit for each, if they are usual ones, and all are predicted, with a bit that is
    /// none of them if one has to be asked whether it is plain; else [`UNUSUAL`].
    #[inline(always)]
    pub fn usual_live(&self) -> u64 {
        self.usual_live
    }

    /// What is predicted of each of the usual positions, if there are turns at no others.
    #[inline(always)]
    pub fn usual(&self) -> &C::Usual<Slot<C, P>> {
        &self.usual
    }

    /// The positions of all turns, a bit for each.
    pub fn live(&self) -> u64 {
        match &self.others {
            None if self.usual_live == UNUSUAL => 0,
            None => self.usual_live & !UNPLAIN,
            Some(others) => others.live,
        }
    }

    /// What is predicted of the turn at a position, which is live, and counters that count in it.
    #[inline]
    pub fn turn_at(&self, position: u32) -> Option<(&Slot<C, P>, C::Mask)> {
        if let Some(others) = &self.others {
            let (slot, counted) = others.slots.get(number_among(others.live, position))?;
            return Some((slot, *counted));
        }
        let number = number_among(C::USUAL, position);
        Some((self.usual.all().get(number)?, P::kept(*self.counted.all().get(number)?)))
    }

    /// Of a usual cycle, counters that count in the turn at a usual position, by its number; one that tells of a
    /// stall included.
    pub(super) fn expected_at(&self, number: usize) -> C::Mask {
        let (slot, counted) = (&self.usual.all()[number], P::kept(self.counted.all()[number]));
        let position = u32::from(slot.position);
        match slot.deed != Deed::NONE && C::STALLS >> position & 1 == 1 {
            true => counted.either(stall_counter::<C>(position)),
            false => counted,
        }
    }
}

/// The number of a position among several, a bit for each.
pub(super) fn number_among(positions: u64, position: u32) -> usize {
    (positions & ((1 << position) - 1)).count_ones() as usize
}

/// A turn as it is predicted, in 64 bytes unless operands take more than 8.
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
    /// What it does to the pipeline.
    pub(super) deed: Deed,
    /// The record of the instruction.
    pub(super) record: u32,
    /// The record of what is decoded.
    pub(super) decoded: u32,
    /// The operation that asks for a retry; with a profile alone.
    pub(super) retried: u32,
    /// Its size in cells; words are of 64 bits at most.
    pub(super) size_cells: u8,
    /// Its position in the cycle; there are 64 at most.
    pub(super) position: u8,
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
            deed: Deed::NONE,
            record: NOBODY,
            decoded: UNKNOWN,
            retried: 0,
            size_cells: 0,
            position: 0,
            end: Predicted::Unknown,
        }
    }
}

/// As many of something as there are usual positions: an array.
pub trait Slots<S> {
    /// So many, made one after the other.
    fn filled(make: impl Fn() -> S) -> Self;

    /// All of them.
    fn all(&self) -> &[S];

    /// The same, to change them.
    fn all_mut(&mut self) -> &mut [S];
}

impl<S, const N: usize> Slots<S> for [S; N] {
    fn filled(make: impl Fn() -> S) -> Self {
        std::array::from_fn(|_| make())
    }

    fn all(&self) -> &[S] {
        self
    }

    fn all_mut(&mut self) -> &mut [S] {
        self
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

    /// The acts that it is, which are listed if they are more than one.
    pub(super) fn with(self, mut acts: Vec<Act>) -> Vec<Act> {
        acts.extend(self.act());
        acts
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
#[repr(C)]
pub(super) struct Link {
    /// The scene of the next cycle, and [`CLOSER`].
    next: Cell<u32>,
    /// In how many cycles it was.
    pub times: Cell<u64>,
    /// The instructions that are over.
    pub over: Cell<Over>,
}

/// The bit of [`Link::next`] that the cycle's end has to be looked at: the scene is not complete, or there are
/// notes. There are less scenes.
pub(super) const CLOSER: u32 = 1 << 31;

/// The bit of the number of a scene that comes next that its begin has to be looked at: a stage stands, or calls are
/// followed. There is no scene of such a number.
pub(super) const BEGINS_CLOSER: u32 = 1 << 30;

impl Link {
    fn new() -> Link {
        Link { next: Cell::new(UNKNOWN), times: Cell::new(0), over: Cell::new(Over::default()) }
    }

    /// The scene of the next cycle, if it is known.
    #[inline(always)]
    pub(super) fn next(&self) -> Option<u32> {
        Some(self.next.get()).filter(|next| *next != UNKNOWN).map(|next| next & !CLOSER)
    }

    /// True if the cycle's end has to be looked at.
    #[inline(always)]
    pub(super) fn is_closer(&self) -> bool {
        self.next.get() & CLOSER != 0
    }

    /// The scene of the next cycle; [`CLOSER`] is in it if the cycle's end has to be looked at.
    #[inline(always)]
    pub(super) fn next_or_closer(&self) -> u32 {
        self.next.get()
    }

    /// The scene is complete: where it leads, and whether its end has to be looked at.
    #[inline(always)]
    pub(super) fn complete(&self, next: u32, is_closer: bool) {
        self.next.set(next | if is_closer { CLOSER } else { 0 });
    }

    /// It leads to another scene.
    #[inline(always)]
    pub(super) fn lead_to(&self, next: u32) {
        self.complete(next, self.is_closer());
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
    /// True if the turn did this to the pipeline: a deed, and if that is more than one act, these.
    #[inline(always)]
    pub(super) fn has_done(&self, deed: Deed, acts: &[Act]) -> bool {
        Deed::of(&self.acts) == deed && (deed != Deed::MORE || self.acts == acts)
    }

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
