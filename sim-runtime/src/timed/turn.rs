//! A turn: what the sections that run in it share.

use isac_ir::automaton::Event;
use isac_ir::time::StageId;

use super::core::{TimedCore, TurnFn};
use super::flight::Flight;
use crate::kernel::{Kernel, Profiling, Trap};

/// A turn of an instruction.
pub struct Turn<'f, C: TimedCore, P: Profiling> {
    /// Address of the instruction, in cells: the PC's value at its begin until it is decoded.
    pub address: u64,
    /// Its size in cells, 0 until it is decoded.
    pub size_cells: u32,
    /// The budget, where the kernel counts down: not here.
    pub left: u64,
    /// Conditions that hold, a bit for each by number.
    pub due: u64,
    /// The class of what was decoded in this turn.
    class: u32,
    position: u32,
    slot: u32,
    /// Counters that have counted once.
    counted: u128,
    flight: &'f mut Flight<C, P>,
}

/// What is left of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub(super) slot: u32,
    pub(super) position: u32,
    pub(super) class: u32,
    pub(super) due: u64,
    pub(super) counted: u128,
}

/// The counter of an entry of [`TimedCore::LINES`]: they are numbered from the last one down.
pub(super) fn line_counter(index: usize) -> u32 {
    u128::BITS - 1 - index as u32
}

impl<'f, C: TimedCore, P: Profiling> Turn<'f, C, P> {
    #[inline(always)]
    pub(super) fn new(flight: &'f mut Flight<C, P>, slot: u32, position: u32) -> Self {
        let (address, size_cells) = flight.place_of(slot);
        Turn { address, size_cells, left: 0, due: 0, class: 0, position, slot, counted: 0, flight }
    }

    /// What belongs to no instruction, before the first cycle.
    pub(super) fn before_all(flight: &'f mut Flight<C, P>, address: u64) -> Self {
        Turn { address, size_cells: 0, left: 0, due: 0, class: 0, position: 0, slot: 0, counted: 0, flight }
    }

    /// The turn is over.
    #[inline(always)]
    pub fn done(self) -> Done {
        Done {
            slot: self.slot,
            position: self.position,
            class: self.class,
            due: self.due,
            counted: self.counted,
        }
    }

    /// A region begins.
    #[inline(always)]
    pub fn count(&mut self, counter: usize) {
        if !P::ON {
            return;
        }
        let bit = 1 << counter;
        if self.counted & bit != 0 {
            self.flight.count_again(self.slot, counter as u32);
        }
        self.counted |= bit;
    }

    /// A turn of a loop begins.
    ///
    /// # Errors
    /// The trap that ends it, if the run is to end.
    #[inline(always)]
    pub fn turn(&mut self, kernel: &mut Kernel) -> Result<(), Trap> {
        kernel.turn()
    }

    /// The operands of the instruction.
    #[inline(always)]
    pub fn args(&self) -> C::Args {
        self.flight.args(self.slot)
    }

    /// What the instruction runs in one of its turns.
    #[inline(always)]
    pub fn function(&self, turn: usize) -> TurnFn<C, P> {
        self.flight.function(self.slot, turn)
    }

    /// The instruction is decoded: the word that stands at an address.
    ///
    /// # Errors
    /// The trap of a word that nothing matches.
    #[inline(always)]
    pub fn decode(&mut self, address: Option<u64>, pc: u64, word: u64) -> Result<(), Trap> {
        self.address = address.unwrap_or(pc);
        let (class, size_cells) = self.flight.decode(self.slot, self.address, word)?;
        self.class = class;
        self.size_cells = size_cells;
        Ok(())
    }

    /// From the next cycle on, a stage and those before it stand still, because of an operation, by
    /// its number; for so many cycles, which come from the latency of these maps.
    #[inline(always)]
    pub fn stall(&mut self, core: &C, operation: u32, maps: &[u32], stage: (u32, u32), cycles: u64) {
        if cycles > 0 {
            let stage = StageId { pipeline: stage.0, stage: stage.1 };
            let holder = P::ON.then(|| self.flight.staller(core, (self.slot, operation), maps, stage));
            self.flight.stall(stage, cycles, holder);
        }
    }

    /// What the instruction ran in this stage runs again in the next cycle; the operation, by its
    /// number, asks for it.
    ///
    /// # Errors
    /// The trap that ends the section.
    #[inline(always)]
    pub fn retry<T>(&mut self, operation: u32) -> Result<T, Trap> {
        self.flight.holds.retried = operation;
        Err(Trap::Retry)
    }

    /// Cancels every other instruction in a stage or before it.
    #[inline(always)]
    pub fn flush(&mut self, pipeline: u32, stage: u32) {
        self.flight.flush(self.position, StageId { pipeline, stage });
    }

    /// True if an instruction is in a stage in this cycle.
    #[inline(always)]
    pub fn is_busy(&self, pipeline: u32, stage: u32) -> bool {
        self.flight.is_busy(self.position, StageId { pipeline, stage })
    }
}

impl Done {
    /// What the turn tells beside how it has ended.
    pub(super) fn events(self) -> impl Iterator<Item = Event> {
        let class = (self.class > 0).then_some(Event::Class(self.class));
        let taken = (self.due > 0).then_some(Event::Taken(self.due));
        class.into_iter().chain(taken)
    }
}
