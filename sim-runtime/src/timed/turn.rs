//! A turn: what the sections that run in it share.

use isac_ir::time::StageId;

use super::core::{TimedCore, TurnFn};
use super::flight::{Flight, TurnAt};
use super::mask::Mask;
use super::prediction::{Scene, Slot};
use super::scene::UNKNOWN;
use crate::kernel::{Kernel, Profiling, Trap};

/// A turn of an instruction.
pub struct Turn<'f, C: TimedCore, P: Profiling> {
    /// Conditions that hold, a bit for each by number.
    pub due: u64,
    /// What is known of the instruction.
    record: u32,
    slot: &'f Slot<C, P>,
    scene: &'f Scene<C, P>,
    position: u32,
    /// Counters that have counted once.
    counted: C::Mask,
    flight: &'f mut Flight<C, P>,
}

/// What is left of a turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done<M> {
    pub(super) due: u64,
    pub(super) counted: M,
}

/// What is run where an instruction has nothing of its own to run.
///
/// # Errors
/// None.
pub fn nothing<C: TimedCore, P: Profiling>(
    _: &mut C,
    flight: &mut Flight<C, P>,
    _: &Scene<C, P>,
    _: &Slot<C, P>,
) -> Result<(), Trap> {
    flight.leave_turn(0, C::Mask::default());
    Ok(())
}

/// The counter of an entry of [`TimedCore::LINES`]: they are numbered from the last one down.
pub(super) fn line_counter<C: TimedCore>(index: usize) -> u32 {
    C::Mask::BITS - 1 - index as u32
}

impl<'f, C: TimedCore, P: Profiling> Turn<'f, C, P> {
    #[inline(always)]
    pub(super) fn new(
        flight: &'f mut Flight<C, P>,
        scene: &'f Scene<C, P>,
        slot: &'f Slot<C, P>,
        position: u32,
    ) -> Self {
        Turn { due: 0, record: slot.record, slot, scene, position, counted: C::Mask::default(), flight }
    }

    /// A turn that what is called by its address runs.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn own(
        core: &mut C,
        flight: &'f mut Flight<C, P>,
        (scene, slot): (&'f Scene<C, P>, &'f Slot<C, P>),
        body: impl FnOnce(&mut C, &mut Self) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let mut turn = Turn::new(flight, scene, slot, slot.position);
        let outcome = body(core, &mut turn);
        turn.flight.leave_turn(turn.due, turn.counted);
        outcome
    }

    /// The same of the turn in which the instruction was decoded just now.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn first(
        core: &mut C,
        flight: &'f mut Flight<C, P>,
        prediction: (&'f Scene<C, P>, &'f Slot<C, P>),
        body: impl FnOnce(&mut C, &mut Self) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let record = flight.decoded_now;
        Turn::own(core, flight, prediction, |core, turn| {
            turn.record = record;
            body(core, turn)
        })
    }

    /// Where the turn is, and whose.
    #[inline(always)]
    fn at(&self) -> TurnAt {
        TurnAt { position: self.position, record: self.slot.record }
    }

    /// The turn is over.
    #[inline(always)]
    pub fn done(self) -> Done<C::Mask> {
        Done { due: self.due, counted: self.counted }
    }

    /// Address of the instruction, in cells: the PC's value at its begin until it is decoded.
    #[inline(always)]
    pub fn address(&self) -> u64 {
        match self.record == self.slot.record {
            true => self.slot.address,
            false => self.flight.place_of(self.record).0,
        }
    }

    /// Its size in cells, 0 until it is decoded.
    #[inline(always)]
    pub fn size_cells(&self) -> u32 {
        match self.record == self.slot.record {
            true => self.slot.size_cells,
            false => self.flight.place_of(self.record).1,
        }
    }

    /// A region begins.
    #[inline(always)]
    pub fn count(&mut self, counter: usize) {
        if !P::ON {
            return;
        }
        let bit = C::Mask::of(counter as u32);
        if self.counted.both(bit) != C::Mask::default() {
            self.flight.count_again(self.position, counter as u32);
        }
        self.counted = self.counted.either(bit);
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
        match self.record == self.slot.record {
            true => self.slot.args,
            false => self.flight.args(self.record),
        }
    }

    /// Runs what the instruction runs in the first of its turns, in which it was decoded.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn run_decoded(&mut self, core: &mut C) -> Result<(), Trap> {
        self.call(core, self.flight.function(self.record, 0))
    }

    /// Runs what the instruction runs in this turn.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn run(&mut self, core: &mut C) -> Result<(), Trap> {
        self.call(core, self.slot.function)
    }

    #[inline(always)]
    fn call(&mut self, core: &mut C, function: TurnFn<C, P>) -> Result<(), Trap> {
        let outcome = function(core, self.flight, self.scene, self.slot);
        let (due, counted) = self.flight.left_of_turn();
        self.due |= due;
        self.counted = self.counted.either(counted);
        outcome
    }

    /// The instruction is decoded: the word that stands at an address.
    ///
    /// # Errors
    /// The trap of a word that nothing matches.
    #[inline(always)]
    pub fn decode(&mut self, address: Option<u64>, pc: u64, word: u64) -> Result<(), Trap> {
        let address = address.unwrap_or(pc);
        let predicted = self.scene.decoded;
        if predicted != UNKNOWN && self.scene.fetched == (address, word) {
            if P::ON && !self.flight.notes.is_empty() {
                self.flight.forget_counts(self.at(), predicted);
            }
            (self.record, self.flight.decoded_now) = (predicted, predicted);
            return Ok(());
        }
        self.record = self.flight.decode_elsewhere(self.at(), address, word);
        match self.flight.is_decoded(self.record) {
            true => Ok(()),
            false => Err(Trap::Illegal),
        }
    }

    /// The word at an address cannot be fetched: the trap that it is.
    #[inline(always)]
    pub fn fail_to_fetch(&mut self, address: u64, trap: Trap) -> Trap {
        self.record = self.flight.undecoded(self.at(), address);
        trap
    }

    /// From the next cycle on, a stage and those before it stand still, because of an operation, by
    /// its number; for so many cycles, which come from the latency of these maps.
    #[inline(always)]
    pub fn stall(&mut self, core: &C, operation: u32, maps: &[u32], stage: (u32, u32), cycles: u64) {
        if cycles > 0 {
            let stage = StageId { pipeline: stage.0, stage: stage.1 };
            if self.flight.stall(stage, cycles) && P::ON {
                self.flight.note_stall(core, operation, maps, stage);
            }
        }
    }

    /// What the instruction ran in this stage runs again in the next cycle; the operation, by its
    /// number, asks for it.
    ///
    /// # Errors
    /// The trap that ends the section.
    #[inline(always)]
    pub fn retry<T>(&mut self, operation: u32) -> Result<T, Trap> {
        self.flight.retried = operation;
        Err(Trap::Retry)
    }

    /// Cancels every other instruction in a stage or before it.
    #[inline(always)]
    pub fn flush(&mut self, pipeline: u32, stage: u32) {
        self.flight.flush(StageId { pipeline, stage });
    }

    /// The instruction is fetched: what the program counter holds.
    #[inline(always)]
    pub fn note_fetch(&mut self, address: u64) {
        if P::ON {
            self.flight.note_fetch(self.position, address);
        }
    }

    /// What runs beside the instructions has changed the program counter, which held this.
    #[inline(always)]
    pub fn note_strike(&mut self, next: u64, to: u64) {
        if P::ON {
            self.flight.note_strike(self.position, self.record, (next, to));
        }
    }

    /// True if an instruction is in a stage, by its number, in this cycle.
    #[inline(always)]
    pub fn is_busy(&mut self, number: u32) -> bool {
        self.flight.is_busy(self.slot, self.position, number)
    }
}
