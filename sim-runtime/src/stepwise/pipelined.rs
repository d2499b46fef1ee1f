//! The engine around a generated core whose instructions overlap.

use std::cell::Cell;

use isac_ir::time::StageId;
use sim_profile::{Calls, LostReason, Measurement, ValueTable};

use super::charge::Whose;
use super::core::StepCore;
use super::engine::{Handled, Tally, cache_statistics, call_memory_fault, record_of};
use super::instruction::Instruction;
use super::step::{Parked, Step};
use super::wheel::{Holder, Turn, Wheel, Work};
use crate::engine::{CacheStatistics, Engine, Machine};
use crate::fault::{Fault, FaultKind, Stop};
use crate::host::Host;
use crate::kernel::{Profiling, Trap};
use crate::program_order::{Place, ProgramOrder};
use crate::record::{CallsInFlight, CostPlace, Executed, FunctionMap, ValueChoice, ValueRecorder};

/// A generated core in an engine that keeps instructions in flight.
pub struct PipelinedEngine<C: StepCore, P: Profiling> {
    core: C,
    step: Step<C, P>,
    /// Instructions in flight, by slot.
    parked: Vec<Parked<C, P>>,
    order: ProgramOrder,
    tally: Tally,
    /// Instructions that have ended or were cancelled.
    taken: u64,
    /// Cycles begun, extra cycles left out.
    cycles: u64,
    /// Who has ended since the last instruction began, by ID: cycles that are lost now may be their
    /// doing.
    ended: Vec<(u64, Whose<C, P>)>,
    /// ID of the instruction that has written to an EXIT device.
    exiting: Option<u64>,
    is_reset: bool,
    stopped: Option<Stop>,
    calls: Option<CallsInFlight>,
}

/// How an instruction that is over has ended.
enum Ending {
    Complete,
    Halted(i32),
    Cancelled,
    Fault(FaultKind),
    /// Not at all: it is in flight when the run ends.
    Interrupted,
}

impl<C: StepCore, P: Profiling> PipelinedEngine<C, P> {
    /// An engine around a core after reset.
    pub fn new(core: C) -> Self {
        let step = Step::new(&core);
        PipelinedEngine {
            core,
            step,
            parked: Vec::new(),
            order: ProgramOrder::default(),
            tally: Tally::default(),
            taken: 0,
            cycles: 0,
            ended: Vec::new(),
            exiting: None,
            is_reset: false,
            stopped: None,
            calls: None,
        }
    }

    /// # Panics
    /// In a model whose instructions do not overlap: the emitter takes this engine for no such.
    fn wheel(&mut self) -> &mut Wheel {
        self.step.wheel.as_mut().expect("instructions overlap")
    }

    /// Runs operation `reset` once; it belongs to no instruction.
    fn reset(&mut self) -> Option<Stop> {
        if std::mem::replace(&mut self.is_reset, true) {
            return None;
        }
        let seed = self.core.kernel().host.seed();
        self.core.empty_caches(seed);
        let reset = self.core.model().reset?;
        let stop = self.run_reset(reset);
        self.tally.add_lines(None, self.step.take_lines(&self.core));
        stop
    }

    fn run_reset(&mut self, reset: u32) -> Option<Stop> {
        let address = self.core.pc();
        let outcome = self.step.run_alone(&mut self.core, reset);
        let stop = match self.ending(outcome) {
            Ending::Fault(kind) => self.settle_fault(kind, address),
            Ending::Halted(status) => Some(Stop::Halted(status)),
            Ending::Interrupted => Some(Stop::Interrupted),
            Ending::Complete | Ending::Cancelled => None,
        };
        let extra_cycles = self.core.kernel().take_extra_cycles();
        self.tally.charge_extra_cycles::<C, P>(&Whose::Nobody, extra_cycles);
        self.charge(None, extra_cycles);
        match stop {
            Some(Stop::Fault(_) | Stop::Interrupted) => stop,
            _ => self.core.kernel_ref().exit().or(stop),
        }
    }

    /// Runs a cycle; `None` if the run goes on. A halt lets the cycle finish, a fault does not.
    fn cycle(&mut self) -> Option<Stop> {
        self.cycles += 1;
        self.core.kernel().begun_cycles = self.cycles;
        let begins = self.wheel().begin_cycle();
        if P::ON && !begins {
            self.count_lost();
        }
        let mut stop = None;
        let mut next = if begins { Some(self.begin_instruction()) } else { self.wheel().next_turn() };
        while let Some(turn) = next {
            let now = self.run_turn(turn);
            if stop.is_none() && matches!(now, Some(Stop::Fault(_) | Stop::Interrupted)) {
                self.count_occupied();
                return now;
            }
            stop = stop.or(now);
            next = self.wheel().next_turn();
        }
        self.count_occupied();
        self.wheel().end_cycle();
        stop
    }

    fn begin_instruction(&mut self) -> Turn {
        let model = self.core.model();
        let stage = model.operation(model.main).stage;
        let turn = self.wheel().begin_instruction(stage);
        self.ended.clear();
        if let Some(calls) = &mut self.calls {
            calls.begin(self.core.pc());
        }
        let slot = turn.entry.slot as usize;
        if slot == self.parked.len() {
            self.parked.push(self.step.parking_place());
        }
        self.step.swap(&mut self.parked[slot]);
        self.step.begin_main(&self.core);
        self.step.swap(&mut self.parked[slot]);
        turn
    }

    /// Runs one turn; what it does to the run.
    fn run_turn(&mut self, turn: Turn) -> Option<Stop> {
        let slot = turn.entry.slot as usize;
        self.step.swap(&mut self.parked[slot]);
        let outcome = match turn.entry.work {
            Work::Run(context) => self.step.execute(&mut self.core, context as usize),
            Work::Walk => Ok(()),
        };
        self.follow_strikes();
        let ending = self.after_turn(turn, outcome);
        if self.core.kernel_ref().exit().is_some() {
            self.exiting.get_or_insert(turn.id);
        }
        let stop = match ending {
            Some(ending) => self.end_instruction(turn, ending),
            None => {
                self.count_extra_cycles(turn);
                self.follow_turn(turn.id, false);
                self.step.fold();
                self.step.note_lines(&self.core);
                None
            }
        };
        self.step.swap(&mut self.parked[slot]);
        let exit = self.count_flushed();
        stop.or(exit)
    }

    /// How the instruction has ended; `None` if it goes on.
    fn after_turn(&mut self, turn: Turn, outcome: Result<(), Trap>) -> Option<Ending> {
        if let Some(fault) = self.doom(turn, outcome) {
            return (!self.walk_on(turn, fault)).then_some(Ending::Fault(fault));
        }
        if outcome == Err(Trap::Retry) {
            let retried = self.step.retried;
            let wheel = self.wheel();
            if let Some((stage, operation)) = retried {
                let cause = P::ON.then(|| wheel.cause(LostReason::Retry, operation, stage));
                wheel.retry(stage, cause);
            }
        }
        match outcome {
            Ok(()) | Err(Trap::Retry) => {
                let is_over = !self.wheel().is_scheduled(turn.entry.slot);
                is_over.then_some(Ending::Complete)
            }
            Err(_) => Some(self.ending(outcome)),
        }
    }

    /// A fault of decoding or of fetching, which strikes in the last stage of a pipeline.
    fn doom(&self, turn: Turn, outcome: Result<(), Trap>) -> Option<FaultKind> {
        let Err(trap) = outcome else {
            let parked = &self.parked[turn.entry.slot as usize];
            return parked.doom.filter(|_| turn.entry.work == Work::Walk);
        };
        let waits = self.step.is_undecoded || trap == Trap::Fetch;
        trap.fault(self.core.kernel_ref()).filter(|_| waits && !self.core.model().pipelines.is_empty())
    }

    /// Lets a fault walk on by a stage; false if it strikes here, in the last one.
    fn walk_on(&mut self, turn: Turn, fault: FaultKind) -> bool {
        let stage = turn.entry.stage.unwrap_or(StageId { pipeline: 0, stage: 0 });
        let wheel = self.wheel();
        if stage == wheel.last_stage(stage.pipeline) {
            return false;
        }
        wheel.withdraw_all(turn.entry.slot);
        wheel.schedule(Work::Walk, 1, Some(StageId { stage: stage.stage + 1, ..stage }));
        self.parked[turn.entry.slot as usize].doom = Some(fault);
        true
    }

    fn ending(&self, outcome: Result<(), Trap>) -> Ending {
        match outcome {
            Ok(()) | Err(Trap::Retry) => Ending::Complete,
            Err(Trap::Cancel) => Ending::Cancelled,
            Err(Trap::Interrupt) => Ending::Interrupted,
            Err(trap) => match trap.fault(self.core.kernel_ref()) {
                Some(kind) => Ending::Fault(kind),
                None => Ending::Halted(self.core.kernel_ref().trap_value as u32 as i32),
            },
        }
    }

    /// Counts the instruction at hand, which is over; what that is to the run.
    fn end_instruction(&mut self, turn: Turn, ending: Ending) -> Option<Stop> {
        let slot = turn.entry.slot;
        self.wheel().withdraw_all(slot);
        if matches!(ending, Ending::Interrupted) {
            self.count_extra_cycles(turn);
            self.follow_turn(turn.id, false);
            self.step.note_lines(&self.core);
            return Some(Stop::Interrupted);
        }
        let address = self.step.address;
        let mut place: Option<Place> = None;
        let place_of_lines = self.step.place_of_lines(matches!(ending, Ending::Fault(_)));
        let stop = match ending {
            Ending::Complete | Ending::Halted(_) => {
                self.core.kernel().instructions += 1;
                place = self.count_executed();
                match ending {
                    Ending::Halted(status) => Some(Stop::Halted(status)),
                    _ => None,
                }
            }
            Ending::Cancelled => {
                self.count(|instruction| &instruction.cancelled);
                None
            }
            Ending::Fault(kind) => {
                match self.step.is_decoded {
                    true => self.count(|instruction| &instruction.faulted),
                    false => *self.tally.undecoded_faults.entry(address).or_default() += 1,
                }
                self.settle_fault(kind, address)
            }
            Ending::Interrupted => None,
        };
        if P::ON {
            self.tally.add_lines(place_of_lines, self.step.take_lines(&self.core));
        }
        self.count_extra_cycles(turn);
        let faulted = matches!(ending, Ending::Fault(_));
        self.follow_turn(turn.id, faulted);
        self.follow_end(turn.id, matches!(ending, Ending::Complete | Ending::Halted(_)));
        let whose = Whose::at_hand(&self.step, faulted);
        self.charge_ended(slot, turn.id, whose);
        self.parked[slot as usize].doom = None;
        self.wheel().release(slot);
        self.end_in_order(turn.id, place);
        match stop {
            Some(Stop::Fault(_) | Stop::Interrupted) => stop,
            _ => self.core.kernel_ref().exit().filter(|_| self.exiting == Some(turn.id)).or(stop),
        }
    }

    /// The instruction at hand is complete; where it stands, and what stands behind it.
    fn count_executed(&mut self) -> Option<Place> {
        self.count(|instruction| &instruction.executed);
        if !self.step.is_decoded {
            return None;
        }
        self.step.commit();
        let instruction = self.step.instruction();
        let (address, size) = (instruction.address, instruction.size_cells);
        Some(Place { address, successor: self.core.model().successor(address, size) })
    }

    fn count(&mut self, counter: impl Fn(&Instruction<C, P>) -> &Cell<u64>) {
        match self.step.is_decoded {
            true => {
                let counter = counter(self.step.instruction());
                counter.set(counter.get() + 1);
            }
            false => self.tally.undecoded += 1,
        }
    }

    /// Calls `memory_fault` where the model has it; `None` if the run goes on.
    fn settle_fault(&mut self, kind: FaultKind, instruction_address: u64) -> Option<Stop> {
        let cycle = self.core.kernel_ref().cycles();
        match call_memory_fault(&mut self.core, &mut self.step, kind) {
            Handled::Returned => None,
            Handled::Halted(status) => Some(Stop::Halted(status)),
            Handled::Fault(kind) => Some(Stop::Fault(Fault { kind, instruction_address, cycle })),
            Handled::Interrupted => Some(Stop::Interrupted),
        }
    }

    /// Counts what the turn has flushed; what that is to the run, if one of them has written to an
    /// EXIT device: what it wrote stays, and nothing else can end it any more.
    fn count_flushed(&mut self) -> Option<Stop> {
        let mut stop = None;
        for (slot, id) in std::mem::take(&mut self.wheel().flushed) {
            let parked = &mut self.parked[slot as usize];
            parked.doom = None;
            parked.counted.clear();
            parked.folded.clear();
            self.tally.add_lines(parked.place_of_lines(), &mut parked.lines);
            match parked.is_decoded {
                true => parked.instruction.cancelled.set(parked.instruction.cancelled.get() + 1),
                false => self.tally.undecoded += 1,
            }
            let whose = Whose::of(parked);
            self.charge_ended(slot, id, whose);
            self.end_in_order(id, None);
            if let Some(calls) = &mut self.calls {
                calls.flush(id);
            }
            stop = stop.or(self.core.kernel_ref().exit().filter(|_| self.exiting == Some(id)));
        }
        stop
    }

    /// Counts that no instruction begins in this cycle, where its cause is.
    fn count_lost(&mut self) {
        let Some(wheel) = &self.step.wheel else { return };
        let (holder, cause) = match wheel.lost() {
            Some(Holder::Cause(holder, cause)) => (holder, cause),
            Some(Holder::Occupant(entry)) => {
                let Work::Run(context) = entry.work else { return };
                let parked = &self.parked[entry.slot as usize];
                let operation = parked.instruction.context(context as usize).operation;
                let Some(cause) = wheel.occupation(operation) else { return };
                (Some((entry.slot, wheel.id_in(entry.slot))), cause)
            }
            None => return,
        };
        match holder {
            Some((slot, id)) if wheel.id_in(slot) == id => {
                self.parked[slot as usize].overhead.add_lost(cause, 1);
                self.charge(Some(id), 1);
            }
            Some((_, id)) => {
                let ended = self.ended.iter().find(|(ended, _)| *ended == id);
                ended.into_iter().for_each(|(_, whose)| self.tally.charge_lost(whose, cause));
                self.charge(Some(id), 1);
            }
            None => {
                self.tally.charge_lost(&Whose::<C, P>::Nobody, cause);
                self.charge(None, 1);
            }
        }
    }

    /// Counts the stages that instructions were in in the cycle that ends.
    fn count_occupied(&mut self) {
        if P::ON {
            let occupied = self.step.wheel.iter().flat_map(|wheel| wheel.occupied());
            occupied.for_each(|(stage, stands)| self.tally.count_occupied(stage, stands));
        }
    }

    /// Counts the extra cycles of a turn.
    fn count_extra_cycles(&mut self, turn: Turn) {
        if P::ON {
            let cycles = self.core.kernel().take_extra_cycles();
            let extra = &mut self.parked[turn.entry.slot as usize].overhead.extra_cycles;
            *extra = extra.saturating_add(cycles);
            self.charge(Some(turn.id), cycles);
        }
    }

    /// Cycles are lost for an instruction, or are extra ones; `None`: for operation `reset`.
    fn charge(&mut self, id: Option<u64>, cycles: u64) {
        if let Some(calls) = &mut self.calls {
            calls.charge(id, cycles);
        }
    }

    /// The turn has perhaps fetched, or sent the run elsewhere beside the instructions.
    fn follow_strikes(&mut self) {
        let Some(wheel) = &mut self.step.wheel else { return };
        for (id, address) in std::mem::take(&mut wheel.fetched) {
            if let Some(calls) = &mut self.calls {
                calls.fetch(id, address);
            }
        }
        for strike in std::mem::take(&mut wheel.strikes) {
            if let Some(calls) = &mut self.calls {
                calls.strike(strike, &[]);
            }
        }
    }

    /// A turn of the instruction at hand is over, which was perhaps found at fault.
    fn follow_turn(&mut self, id: u64, is_at_fault: bool) {
        let Some(calls) = &mut self.calls else { return };
        let step = &self.step;
        let known = |is_known: bool| is_known.then_some(step.address);
        let begun = known(step.is_decoded || is_at_fault);
        let charged = known(step.is_decoded || is_at_fault || step.is_undecoded);
        calls.place(id, CostPlace { begun, charged });
    }

    /// The instruction at hand is over.
    fn follow_end(&mut self, id: u64, is_executed: bool) {
        let Some(calls) = &mut self.calls else { return };
        if !is_executed {
            return calls.abandon(id);
        }
        let instruction = self.step.instruction();
        let Instruction { address, size_cells, word, .. } = *instruction;
        let decoded = instruction.decoded.as_ref().filter(|_| self.step.is_decoded);
        let executed = decoded.map(|decoded| Executed { address, size_cells, word, decoded });
        let followed = executed.map(|executed| calls.learn(self.core.model(), &executed));
        calls.execute(id, followed);
    }

    /// Counts lost and extra cycles of an instruction that is over.
    fn charge_ended(&mut self, slot: u32, id: u64, whose: Whose<C, P>) {
        if P::ON {
            let overhead = std::mem::take(&mut self.parked[slot as usize].overhead);
            self.tally.charge(&whose, &overhead);
            self.ended.push((id, whose));
        }
    }

    fn end_in_order(&mut self, id: u64, place: Option<Place>) {
        self.taken += 1;
        let transfers = &mut self.tally.transfers;
        self.order.end(id, place, |from, to| *transfers.entry((from, to)).or_default() += 1);
    }
}

impl<C: StepCore, P: Profiling> Engine for PipelinedEngine<C, P> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.core
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.stopped {
            return stop;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        let before = self.taken;
        let mut stopped = self.reset();
        let mut left = instructions;
        while stopped.is_none() && left > 0 && self.taken - before < instructions {
            stopped = self.cycle();
            left -= 1;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        self.stopped = stopped;
        stopped.unwrap_or(Stop::Paused { taken: self.taken - before, is_at_address: false })
    }

    fn model(&self) -> Option<&isac_ir::Model> {
        Some(self.core.model())
    }

    fn instructions(&self) -> u64 {
        self.core.kernel_ref().instructions
    }

    fn cycles(&self) -> u64 {
        self.cycles.saturating_add(self.core.kernel_ref().extra_cycles)
    }

    fn caches(&self) -> Vec<CacheStatistics> {
        cache_statistics::<C, P>(&self.core, true)
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        // Whom cycles are lost for is known where they are counted.
        self.calls = P::ON.then(|| CallsInFlight::new(map, self.core.pc()));
        P::ON
    }

    fn calls(&self) -> Option<Calls> {
        self.calls.as_ref().map(CallsInFlight::calls)
    }

    fn record_values(&mut self, choice: ValueChoice) -> bool {
        if C::TELLS_VALUES {
            self.step.record_values(ValueRecorder::new(self.core.model(), choice), true);
        }
        C::TELLS_VALUES
    }

    fn values(&self) -> Option<&ValueTable> {
        self.step.values()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        if !P::ON {
            return None;
        }
        let model = self.core.model();
        let mut measurement = self.tally.measure(&self.core, &self.step, self.cycles);
        for slot in self.step.wheel.iter().flat_map(|wheel| wheel.in_flight()) {
            let parked = &self.parked[slot as usize];
            for (cache, lines) in (0u32..).zip(&parked.lines) {
                measurement.add_lines(parked.place_of_lines(), cache, *lines);
            }
            Whose::of(parked).charge(&mut measurement, model, &parked.overhead);
            match record_of(&mut measurement, model, &parked.instruction).filter(|_| parked.is_decoded) {
                Some(record) => record.unfinished += 1,
                None => measurement.undecoded += 1,
            }
        }
        Some(measurement)
    }
}
