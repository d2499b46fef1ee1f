//! A turn: what the sections that run in it share.

use isac_ir::time::StageId;

use super::core::{TimedCore, TurnFn};
use super::flight::{Flight, TurnAt};
use super::mask::Mask;
use super::prediction::{Deed, Scene, Slot, number_among};
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
    /// The record of what it has decoded.
    decoded: u32,
    acted: Acted,
    /// True if a counter tells that it has stalled a stage.
    pub(super) counts_stalls: bool,
    /// The caches that it may have touched, a bit for each by number; with a profile alone. The generator does not
    /// take this kernel for models with more of them.
    touched: u128,
    flight: &'f mut Flight<C, P>,
}

/// What is left of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Done<M> {
    /// Conditions that hold.
    pub(super) due: u64,
    /// Counters that have counted.
    pub(super) counted: M,
    /// The record of what it has decoded, or [`UNKNOWN`].
    pub(super) decoded: u32,
    pub(super) acted: Acted,
}

/// Whether a turn has done something to the pipeline, which [`Flight::deed`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acted {
    No,
    Yes,
    /// Just what its slot says.
    AsTold,
}

/// What is left of a turn that was called by its address, in registers: how it has ended, and counters.
pub struct TurnEnd<C: TimedCore, P: Profiling> {
    outcome: Result<(), Unlike>,
    counted: P::Kept<C::Mask>,
}

/// How a turn that was called by its address has not just ended, having done to the pipeline what its slot says.
/// Whether it has done anything is in the flight.
#[derive(Clone, Copy)]
enum Unlike {
    Ended,
    Failed(Trap),
}

/// What is run where an instruction has nothing of its own to run.
pub fn nothing<C: TimedCore, P: Profiling>(
    _: &mut C,
    flight: &mut Flight<C, P>,
    _: &Scene<C, P>,
    _: &Slot<C, P>,
) -> TurnEnd<C, P> {
    flight.leave_due(0);
    TurnEnd { outcome: Ok(()), counted: P::keep(C::Mask::default()) }
}

/// The counter of an entry of [`TimedCore::LINES`]: they are numbered from the last one down.
pub(super) fn line_counter<C: TimedCore>(index: usize) -> u32 {
    C::Mask::BITS - 1 - index as u32
}

/// The counter which tells that the turn at a position, one of [`TimedCore::STALLS`], has stalled a stage: they are
/// numbered on from those of lines.
#[inline(always)]
pub(super) fn stall_counter<C: TimedCore>(position: u32) -> C::Mask {
    C::Mask::of(line_counter::<C>(C::LINES.len() + number_among(C::STALLS, position)))
}

impl<'f, C: TimedCore, P: Profiling> Turn<'f, C, P> {
    #[inline(always)]
    pub(super) fn new(
        flight: &'f mut Flight<C, P>,
        scene: &'f Scene<C, P>,
        slot: &'f Slot<C, P>,
        position: u32,
    ) -> Self {
        let (record, counted) = (slot.record, C::Mask::default());
        Turn {
            due: 0,
            record,
            slot,
            scene,
            position,
            counted,
            decoded: UNKNOWN,
            acted: Acted::No,
            counts_stalls: false,
            touched: 0,
            flight,
        }
    }

    /// A turn that what is called by its address runs, which may flush or stall a stage or neither.
    #[inline(always)]
    pub fn own<const FLUSHES: bool, const STALLS: bool>(
        core: &mut C,
        flight: &'f mut Flight<C, P>,
        (scene, slot): (&'f Scene<C, P>, &'f Slot<C, P>),
        body: impl FnOnce(&mut C, &mut Self) -> Result<(), Trap>,
    ) -> TurnEnd<C, P> {
        let mut turn = Turn::new(flight, scene, slot, slot.position.into());
        turn.touched = u128::MAX;
        let outcome = body(core, &mut turn);
        // The slot of what never acts does not say that it does.
        let is_as_told = match turn.acted {
            Acted::No => !(FLUSHES || P::ON && STALLS) || slot.deed == Deed::NONE,
            Acted::Yes | Acted::AsTold => slot.deed == turn.flight.deed,
        };
        turn.end(outcome, is_as_told)
    }

    /// The same of the turn in which the instruction was decoded just now: what it does to the pipeline is a part
    /// of what its turn does.
    #[inline(always)]
    pub fn first(
        core: &mut C,
        flight: &'f mut Flight<C, P>,
        (scene, slot): (&'f Scene<C, P>, &'f Slot<C, P>),
        body: impl FnOnce(&mut C, &mut Self) -> Result<(), Trap>,
    ) -> TurnEnd<C, P> {
        let (record, acted) = (flight.decoded_now, flight.acted);
        let mut turn = Turn::new(flight, scene, slot, slot.position.into());
        (turn.record, turn.acted, turn.touched) = (record, acted, u128::MAX);
        let outcome = body(core, &mut turn);
        let is_idle = turn.acted == Acted::No;
        turn.end(outcome, is_idle)
    }

    #[inline(always)]
    fn end(self, outcome: Result<(), Trap>, is_as_told: bool) -> TurnEnd<C, P> {
        self.flight.leave_due(self.due);
        let outcome = match outcome {
            Ok(()) if is_as_told => Ok(()),
            Ok(()) => Err(Unlike::Ended),
            Err(trap) => Err(Unlike::Failed(trap)),
        };
        if outcome.is_err() {
            self.flight.acted = self.acted;
        }
        TurnEnd { outcome, counted: P::keep(self.counted) }
    }

    /// Where the turn is, and whose.
    #[inline(always)]
    fn at(&self) -> TurnAt {
        TurnAt { position: self.position, record: self.slot.record }
    }

    /// The turn is over.
    #[inline(always)]
    pub fn done(self) -> Done<C::Mask> {
        let Turn { due, counted, decoded, acted, .. } = self;
        Done { due, counted, decoded, acted }
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
            true => self.slot.size_cells.into(),
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

    /// A cache may be touched, by its number.
    #[inline(always)]
    pub fn touch(&mut self, core: &mut C, cache: u32) {
        if P::ON && self.touched >> cache & 1 == 0 {
            self.touched |= 1 << cache;
            if let Some(cache) = core.caches_mut().get_mut(cache as usize) {
                cache.begin_turn();
            }
        }
    }

    /// The turn is over and may have touched a cache; `index` is that of [`TimedCore::LINES`].
    #[inline(always)]
    pub fn note_lines(&mut self, core: &mut C, index: usize) {
        let number = C::LINES[index].1;
        if !P::ON || self.touched >> number & 1 == 0 {
            return;
        }
        let Some(cache) = core.caches_mut().get_mut(number as usize) else { return };
        match cache.hit_in_turn() {
            Some(false) => {}
            Some(true) => self.counted = self.counted.either(C::Mask::of(line_counter::<C>(index))),
            None => self.flight.add_lines(self.position, number, cache.take_touched()),
        }
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
        (self.flight.decoded_now, self.flight.acted) = (self.record, self.acted);
        self.call(core, self.flight.function(self.record, 0), self.acted)
    }

    /// Runs what the instruction runs in this turn.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn run(&mut self, core: &mut C) -> Result<(), Trap> {
        self.call(core, self.slot.function, Acted::AsTold)
    }

    #[inline(always)]
    fn call(&mut self, core: &mut C, function: TurnFn<C, P>, acted: Acted) -> Result<(), Trap> {
        for (position, cache) in C::LINES {
            if *position == self.position {
                self.touch(core, *cache);
            }
        }
        let TurnEnd { outcome, counted } = function(core, self.flight, self.scene, self.slot);
        self.due |= self.flight.left_due();
        self.counted = self.counted.either(P::kept(counted));
        let Err(unlike) = outcome else {
            self.acted = acted;
            return Ok(());
        };
        self.acted = self.flight.acted;
        match unlike {
            Unlike::Ended => Ok(()),
            Unlike::Failed(trap) => Err(trap),
        }
    }

    /// The instruction is decoded: the word that stands at an address.
    ///
    /// # Errors
    /// The trap of a word that nothing matches.
    #[inline(always)]
    pub fn decode(&mut self, address: Option<u64>, pc: u64, word: u64) -> Result<(), Trap> {
        let address = address.unwrap_or(pc);
        let predicted = self.scene.decoded;
        let may_be = C::WORD_BITS < u64::BITS || predicted != UNKNOWN;
        if may_be && self.scene.fetched == (address, word) {
            (self.record, self.decoded) = (predicted, predicted);
            return Ok(());
        }
        self.record = self.flight.decode_elsewhere(self.at(), address, word);
        self.decoded = self.record;
        match self.flight.is_decoded(self.record) {
            true => Ok(()),
            false => Err(Trap::Illegal),
        }
    }

    /// The word at an address cannot be fetched: the trap that it is.
    #[inline(always)]
    pub fn fail_to_fetch(&mut self, address: u64, trap: Trap) -> Trap {
        self.record = self.flight.undecoded(self.at(), address);
        self.decoded = self.record;
        trap
    }

    /// From the next cycle on, a stage and those before it stand still, because of an operation, by
    /// its number; for so many cycles, which come from the latency of these maps.
    #[inline(always)]
    pub fn stall(&mut self, core: &C, operation: u32, maps: &[u32], stage: (u32, u32), cycles: u64) {
        if cycles == 0 {
            return;
        }
        let stage = StageId { pipeline: stage.0, stage: stage.1 };
        if P::ON && self.counts_stalls {
            let stall = (operation, maps, stage);
            let at = (self.slot, self.position);
            self.counted = self.flight.count_stall(core, (stall, cycles), at, self.counted);
        } else if self.flight.stall(core, stage, cycles) && P::ON {
            self.flight.note_stall(core, (operation, maps, stage), self.acted);
            self.acted = Acted::Yes;
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
        self.flight.flush(StageId { pipeline, stage }, self.acted);
        self.acted = Acted::Yes;
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
        self.flight.is_busy((self.slot, self.position), self.acted, number)
    }
}
