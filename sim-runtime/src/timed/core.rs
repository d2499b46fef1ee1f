//! What a generated core is to the kernel of cycle-accurate simulators.

use super::flight::Flight;
use super::mask::Mask;
use super::prediction::{Scene, Slot, Slots};
use super::turn::{Turn, TurnEnd};
use crate::kernel::{Core, Profiling, Trap};

/// What an instruction runs in one of its turns: the conditions that hold are in the flight then.
pub type TurnFn<C, P> = fn(&mut C, &mut Flight<C, P>, &Scene<C, P>, &Slot<C, P>) -> TurnEnd<C, P>;

/// What decoding a word gives.
pub struct Decoded<C: TimedCore, P: Profiling> {
    /// What its turns run where that differs between instructions.
    pub turns: &'static [TurnFn<C, P>],
    /// Its operands.
    pub args: C::Args,
    /// The variant of the root's decoder.
    pub variant: u32,
}

/// A generated processor with code for each place.
pub trait TimedCore: Core {
    /// Operands of an instruction.
    type Args: Copy + Default + std::fmt::Debug;

    /// Counters of an instruction.
    type Mask: Mask;

    /// As many of something as there are usual positions: an array.
    type Usual<T>: Slots<T>;

    /// The places in the order in which their code stands.
    const POSITIONS: &'static [u32];

    /// Positions that have a turn where nothing has gone otherwise than usual for long, all of them below 62.
    const USUAL: u64;

    /// Positions whose turns do nothing but count what each of them counts.
    const STILL: u64;

    /// Positions whose turns may decode.
    const DECODES: u64;

    /// Positions whose turns may ask for a retry.
    const RETRIES: u64;

    /// Positions whose turns may flush.
    const FLUSHES: u64;

    /// Positions whose turns may flush, or stall a stage.
    const ACTS: u64;

    /// Positions whose turns may depend on conditions, or have some of their own.
    const DEPENDS: u64;

    /// Usual positions whose counters are compared where a cycle ends, all at once: what a turn at one of them counts
    /// is counted at no other of them.
    const GROUPED: u64;

    /// By number of the usual position, the counters of turns at grouped ones, those of lines and stalls included.
    const COUNTERS: &'static [u128];

    /// Grouped positions whose turns may stall a stage and cannot flush: a counter tells that they have done so
    /// where a scene is usual.
    const STALLS: u64;

    /// True if a device can end the run.
    const EXITS: bool;

    /// True if anything asks for extra cycles.
    const EXTRA_CYCLES: bool;

    /// Width of a decoded word in bits.
    const WORD_BITS: u32;

    /// Positions whose turns may touch a cache, each with the cache.
    const LINES: &'static [(u32, u32)];

    /// Decodes a word; `None` if nothing matches it.
    fn decode<P: Profiling>(word: u64) -> Option<Decoded<Self, P>>;

    /// Runs operation `reset`, if the model has one.
    ///
    /// # Errors
    /// The trap that ended it.
    fn reset<P: Profiling>(&mut self, turn: &mut Turn<'_, Self, P>) -> Result<(), Trap>;

    /// Runs the turns of a cycle in their order, as far as they go as predicted; true if one does not. What those at
    /// grouped positions count is added to `counted`, and not compared.
    fn turns<P: Profiling>(
        &mut self,
        flight: &mut Flight<Self, P>,
        scene: &Scene<Self, P>,
        counted: &mut Self::Mask,
    ) -> bool;

    /// The same for those of them at certain positions, a bit for each, and whatever is predicted.
    fn other_turns<P: Profiling>(
        &mut self,
        flight: &mut Flight<Self, P>,
        scene: &Scene<Self, P>,
        live: u64,
    ) -> bool;
}
