//! The engine around a generated core that runs step by step.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::cost::CostUse;
use sim_profile::{
    CacheLines, Calls, InstructionKey, InstructionRecord, Measurement, Overhead, Samples, Sampling, Spending,
    StageCycles, ValueTable,
};

use super::charge::Whose;
use super::core::StepCore;
use super::instruction::Instruction;
use super::sampled::Sampled;
use super::step::Step;
use crate::engine::{CacheStatistics, Engine, Machine};
use crate::fault::{Fault, FaultKind, Stop};
use crate::host::Host;
use crate::kernel::{Core, Profiling, Trap};
use crate::pause::Pauses;
use crate::record::{
    CallFollower, Executed, FunctionMap, ValueChoice, ValueRecorder, add_accesses, model_tables,
};

/// A generated core in an engine that runs one cycle after the other.
pub struct StepwiseEngine<C: StepCore, P: Profiling> {
    core: C,
    step: Step<C, P>,
    tally: Tally,
    is_reset: bool,
    stopped: Option<Stop>,
    calls: Option<CallFollower>,
    sampled: Option<Sampled>,
    pauses: Pauses,
}

impl<C: StepCore, P: Profiling> StepwiseEngine<C, P> {
    /// An engine around a core after reset.
    pub fn new(core: C) -> Self {
        let step = Step::new(&core);
        let tally = Tally::default();
        let pauses = Pauses::default();
        StepwiseEngine {
            core,
            step,
            tally,
            is_reset: false,
            stopped: None,
            calls: None,
            sampled: None,
            pauses,
        }
    }

    /// Whether what runs now is counted.
    fn is_recording(&self) -> bool {
        self.sampled.as_ref().is_none_or(Sampled::is_recording)
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
        self.add_lines(None);
        stop
    }

    fn run_reset(&mut self, reset: u32) -> Option<Stop> {
        let instruction_address = self.core.pc();
        let outcome = self.step.run_alone(&mut self.core, reset);
        let cycle = self.cycles();
        let stop = match outcome.err().map(|trap| (self.step.fault(&self.core, trap), trap)) {
            Some((Some(kind), _)) => self.settle_fault(Fault { kind, instruction_address, cycle }),
            Some((None, Trap::Halt)) => Some(self.halted()),
            Some((None, Trap::Interrupt)) => Some(Stop::Interrupted),
            Some((None, _)) | None => self.core.kernel().exit(),
        };
        self.charge_extra_cycles(&Whose::Nobody);
        stop
    }

    /// Counts the lines that the instruction at hand has touched for the one at a place.
    fn add_lines(&mut self, place: Option<u64>) {
        let is_recording = self.is_recording();
        let lines = self.step.take_lines(&self.core);
        if is_recording {
            self.tally.add_lines(place, lines);
        }
    }

    /// Charges whoever has made them with the extra cycles since the last call.
    fn charge_extra_cycles(&mut self, whose: &Whose<C, P>) {
        let extra_cycles = self.core.kernel().take_extra_cycles();
        if self.is_recording() {
            self.tally.charge_extra_cycles(whose, extra_cycles);
        }
    }

    /// One cycle.
    fn step(&mut self) -> Option<Stop> {
        let cycle = self.cycles();
        let outcome = self.step.run(&mut self.core);
        let is_at_fault = outcome.is_err_and(|trap| self.step.fault(&self.core, trap).is_some());
        let stop = match outcome {
            Ok(()) => {
                self.end();
                self.core.kernel().instructions += 1;
                self.follow_calls();
                self.count_check();
                self.core.kernel().exit()
            }
            Err(trap) => self.after_trap(trap, cycle),
        };
        if P::ON {
            self.add_lines(self.step.place_of_lines(is_at_fault));
            self.charge_extra_cycles(&Whose::at_hand(&self.step, is_at_fault));
        }
        if let Some(sampled) = &mut self.sampled {
            sampled.look(self.core.kernel());
            self.step.set_recording(sampled.is_recording());
        }
        stop
    }

    fn after_trap(&mut self, trap: Trap, cycle: u64) -> Option<Stop> {
        if let Some(kind) = self.step.fault(&self.core, trap) {
            let cycle = cycle.max(self.cycles());
            let instruction_address = self.step.address;
            let handled = call_memory_fault(&mut self.core, &mut self.step, kind);
            let is_abandoned = matches!(handled, Handled::Returned);
            let stop = self.settle_handled(handled, Fault { kind, instruction_address, cycle });
            let instruction = self.step.instruction();
            match self.step.is_decoded {
                _ if !self.is_recording() => {}
                true => instruction.faulted.set(instruction.faulted.get() + 1),
                false => *self.tally.undecoded_faults.entry(instruction_address).or_default() += 1,
            }
            self.core.kernel().faulted += 1;
            if is_abandoned {
                self.follow_cancelled();
            }
            return stop;
        }
        if trap == Trap::Halt {
            let stop = self.halted();
            let instruction = self.step.instruction();
            match self.step.is_decoded {
                _ if !self.is_recording() => {}
                true => {
                    instruction.executed.set(instruction.executed.get() + 1);
                    self.step.commit();
                }
                false => self.tally.undecoded += 1,
            }
            self.core.kernel().instructions += 1;
            return Some(stop);
        }
        let instruction = self.step.instruction();
        if trap == Trap::Interrupt {
            match self.step.is_decoded {
                _ if !self.is_recording() => {}
                true => instruction.unfinished.set(instruction.unfinished.get() + 1),
                false => self.tally.undecoded += 1,
            }
            self.core.kernel().unfinished += 1;
            return Some(Stop::Interrupted);
        }
        match self.step.is_decoded {
            _ if !self.is_recording() => {}
            true => instruction.cancelled.set(instruction.cancelled.get() + 1),
            false => self.tally.undecoded += 1,
        }
        self.core.kernel().cancelled += 1;
        self.follow_cancelled();
        self.core.kernel().exit()
    }

    /// Tells where the run goes on behind an instruction that was cancelled.
    fn follow_cancelled(&mut self) {
        let Some(calls) = self.calls.as_mut().filter(|_| self.step.is_decoded) else { return };
        let Instruction { address, size_cells, .. } = *self.step.instruction();
        let kernel = self.core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        let successor = self.core.model().successor(address, size_cells);
        calls.follow_cancelled(address, self.core.pc(), successor, now);
    }

    /// The end of a run that `halt` asks for, unless a device was told of another before.
    fn halted(&mut self) -> Stop {
        let kernel = self.core.kernel();
        kernel.exit().unwrap_or(Stop::Halted(kernel.trap_value as u32 as i32))
    }

    /// Calls `memory_fault` where the model has it; `None` if the run goes on.
    fn settle_fault(&mut self, fault: Fault) -> Option<Stop> {
        let handled = call_memory_fault(&mut self.core, &mut self.step, fault.kind);
        self.settle_handled(handled, fault)
    }

    fn settle_handled(&mut self, handled: Handled, fault: Fault) -> Option<Stop> {
        match handled {
            Handled::Returned => self.core.kernel().exit(),
            Handled::Halted(status) => Some(self.core.kernel().exit().unwrap_or(Stop::Halted(status))),
            Handled::Fault(kind) => Some(Stop::Fault(Fault { kind, ..fault })),
            Handled::Interrupted => Some(Stop::Interrupted),
        }
    }

    /// The instruction has ended.
    fn end(&mut self) {
        if !self.is_recording() {
            return;
        }
        if !self.step.is_decoded {
            self.tally.undecoded += 1;
            return;
        }
        if !P::ON {
            return;
        }
        self.step.commit();
        let instruction = self.step.instruction();
        instruction.executed.set(instruction.executed.get() + 1);
        let (from, to) = (instruction.address, self.core.pc());
        if to != self.core.model().successor(from, instruction.size_cells) {
            *self.tally.transfers.entry((from, to)).or_default() += 1;
        }
    }
}

impl<C: StepCore, P: Profiling> StepwiseEngine<C, P> {
    /// Tells where the instruction that has ended goes on.
    fn follow_calls(&mut self) {
        let Some(calls) = &mut self.calls else { return };
        let (struck, to) = (self.step.struck, self.core.pc());
        let kernel = self.core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        match executed(&self.step) {
            Some(executed) => calls.follow(self.core.model(), &executed, (struck, to), now),
            None => calls.follow_nothing(struck, to, now),
        }
    }

    /// Counts the instruction that has ended if it was a check.
    fn count_check(&mut self) {
        let Some((sampled, executed)) = self.sampled.as_mut().zip(executed(&self.step)) else { return };
        sampled.checks.count(self.core.model(), &executed, self.core.pc());
    }
}

/// The instruction at hand, which has ended; `None` if nothing was decoded.
fn executed<C: StepCore, P: Profiling>(step: &Step<C, P>) -> Option<Executed<'_>> {
    let Instruction { address, size_cells, word, ref decoded, .. } = *step.instruction();
    let decoded = decoded.as_ref().filter(|_| step.is_decoded)?;
    Some(Executed { address, size_cells, word, decoded })
}

impl<C: StepCore, P: Profiling> Engine for StepwiseEngine<C, P> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.core
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.stopped {
            return stop;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        let mut stopped = self.reset();
        let mut left = instructions;
        while stopped.is_none() && left > 0 {
            if self.pauses.is_at(|| self.core.pc()) {
                std::mem::swap(&mut self.core.kernel().host, host);
                return Stop::Paused { taken: instructions - left, is_at_address: true };
            }
            stopped = self.step();
            left -= 1;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        self.stopped = stopped;
        stopped.unwrap_or(Stop::Budget)
    }

    fn pause_at(&mut self, addresses: &BTreeSet<u64>) -> bool {
        self.pauses = Pauses::new(addresses);
        true
    }

    fn model(&self) -> Option<&isac_ir::Model> {
        Some(self.core.model())
    }

    fn instructions(&self) -> u64 {
        self.core.kernel_ref().instructions
    }

    fn cycles(&self) -> u64 {
        self.core.kernel_ref().cycles()
    }

    fn caches(&self) -> Vec<CacheStatistics> {
        cache_statistics::<C, P>(&self.core, P::COSTS)
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        self.calls = Some(CallFollower::new(map, self.core.pc()));
        true
    }

    fn calls(&self) -> Option<Calls> {
        let now = Spending { instructions: self.instructions(), cycles: self.cycles() };
        self.calls.as_ref().map(|calls| calls.calls(now))
    }

    fn sample(&mut self, sampling: Sampling) -> bool {
        let is_possible = P::ON && self.calls.is_none() && sampling.is_plain();
        if is_possible {
            self.sampled = Some(Sampled::new(sampling, self.core.kernel_ref()));
            self.step.set_recording(self.is_recording());
        }
        is_possible
    }

    fn record_values(&mut self, choice: ValueChoice) -> bool {
        if C::TELLS_VALUES {
            self.step.record_values(ValueRecorder::new(self.core.model(), choice), self.is_recording());
        }
        C::TELLS_VALUES
    }

    fn values(&self) -> Option<&ValueTable> {
        self.step.values()
    }

    fn samples(&self) -> Option<Samples> {
        let (checks, samples) = self.sampled.as_ref()?.checks.passed();
        Some(Samples { checks, samples, instructions: self.instructions(), cycles: self.cycles() })
    }

    fn measurement(&mut self) -> Option<Measurement> {
        if !P::ON {
            return None;
        }
        let kernel = self.core.kernel_ref();
        let mut measurement = self.tally.measure(&self.core, &self.step, kernel.plain_cycles());
        if let Some(sampled) = &self.sampled {
            sampled.count(kernel, &mut measurement);
        }
        Some(measurement)
    }
}

/// What is counted beside the instructions that were decoded.
#[derive(Default)]
pub(super) struct Tally {
    /// As [`Measurement::transfers`].
    pub transfers: BTreeMap<(u64, u64), u64>,
    /// As [`Measurement::undecoded_faults`].
    pub undecoded_faults: BTreeMap<u64, u64>,
    /// Instructions that were never decoded and not at fault.
    pub undecoded: u64,
    /// As [`Measurement::lines`], of instructions that have ended.
    lines: BTreeMap<(Option<u64>, u32), CacheLines>,
    /// As [`Measurement::overheads`].
    pub overheads: BTreeMap<Option<u64>, Overhead>,
    /// As [`Measurement::occupancy`]; shorter than that means zeros.
    pub occupancy: Vec<StageCycles>,
}

impl Tally {
    /// Counts lines that an instruction at an address has touched, by cache, and takes them from it.
    pub(super) fn add_lines(&mut self, address: Option<u64>, lines: &mut Vec<CacheLines>) {
        for (cache, lines) in (0u32..).zip(lines.drain(..)).filter(|(_, lines)| !lines.is_zero()) {
            self.lines.entry((address, cache)).or_default().add(lines);
        }
    }

    /// Everything measured of instructions that have ended, in so many cycles.
    pub(super) fn measure<C: StepCore, P: Profiling>(
        &self,
        core: &C,
        step: &Step<C, P>,
        cycles: u64,
    ) -> Measurement {
        let (model, kernel) = (core.model(), core.kernel_ref());
        let mut measurement = Measurement::new(model_tables(model));
        measurement.transfers = self.transfers.clone();
        measurement.extra_cycles = kernel.extra_cycles;
        measurement.cycles = cycles;
        measurement.undecoded_faults = self.undecoded_faults.clone();
        measurement.undecoded = self.undecoded;
        measurement.lines = self.lines.clone();
        measurement.events = kernel.events.clone();
        measurement.overheads = self.overheads.clone();
        for (all, counted) in measurement.occupancy.iter_mut().zip(&self.occupancy) {
            *all = *counted;
        }
        for instruction in step.instructions() {
            add_instruction(&mut measurement, model, instruction);
        }
        measurement
    }
}

/// What happened to the caches that are simulated: those that no `.latency` depends on are so for
/// the profile alone.
pub(crate) fn cache_statistics<C: Core, P: Profiling>(core: &C, are_simulated: bool) -> Vec<CacheStatistics> {
    let model = core.model();
    let timed = CostUse::of(model).timed;
    let all = model.caches.iter().zip(core.caches()).zip(timed);
    let simulated = all.filter(|(_, is_timed)| are_simulated && (P::ON || *is_timed));
    simulated
        .map(|((table, cache), _)| CacheStatistics { name: table.name.clone(), lines: cache.touched() })
        .collect()
}

/// What became of a fault.
pub(super) enum Handled {
    /// `memory_fault` has returned: the instruction is abandoned, the run goes on.
    Returned,
    /// `memory_fault` ends the run with this status.
    Halted(i32),
    /// The run ends: nobody handles this fault.
    Fault(FaultKind),
    /// The run ends in a loop of `memory_fault`.
    Interrupted,
}

/// Calls `memory_fault` where the model has it, and the fault is one of memory.
pub(super) fn call_memory_fault<C: StepCore, P: Profiling>(
    core: &mut C,
    step: &mut Step<C, P>,
    kind: FaultKind,
) -> Handled {
    let (FaultKind::Memory { access, address }, Some(handler)) = (kind, C::memory_fault::<P>()) else {
        return Handled::Fault(kind);
    };
    let kernel = core.kernel();
    (kernel.trap_value, kernel.fault_access) = (address, access.number());
    match handler(core, step, 0) {
        Ok(()) | Err(Trap::Cancel | Trap::Retry) => Handled::Returned,
        Err(Trap::Interrupt) => Handled::Interrupted,
        Err(Trap::Halt) => Handled::Halted(core.kernel_ref().trap_value as u32 as i32),
        Err(trap) => Handled::Fault(step.fault(core, trap).unwrap_or(kind)),
    }
}

/// The record of an instruction's key; `None` for what is not decoded.
pub(super) fn record_of<'r, C: StepCore, P: Profiling>(
    measurement: &'r mut Measurement,
    model: &Model,
    instruction: &Instruction<C, P>,
) -> Option<&'r mut InstructionRecord> {
    let decoded = instruction.decoded.as_ref()?;
    let key = InstructionKey { address: instruction.address, word: instruction.word };
    Some(measurement.instructions.entry(key).or_insert_with(|| InstructionRecord {
        name: decoded.name(model),
        size_cells: instruction.size_cells,
        ..InstructionRecord::default()
    }))
}

/// Adds an instruction to the record of its key.
fn add_instruction<C: StepCore, P: Profiling>(
    measurement: &mut Measurement,
    model: &Model,
    instruction: &Instruction<C, P>,
) {
    let Instruction { executed, cancelled, faulted, unfinished, .. } = instruction;
    let counts = [executed, cancelled, faulted, unfinished];
    if counts.iter().all(|count| count.get() == 0) {
        return;
    }
    let Some(record) = record_of(measurement, model, instruction) else { return };
    record.executed += instruction.executed.get();
    record.cancelled += instruction.cancelled.get();
    record.faulted += instruction.faulted.get();
    record.overhead.add(&instruction.overhead.borrow());
    record.unfinished += instruction.unfinished.get();
    for context in instruction.contexts() {
        let mut counter = context.counters() as usize;
        for body in model.operation(context.operation).counted_bodies() {
            for access in &body.accesses {
                let times =
                    instruction.counts.get(counter + access.region as usize).map_or(0, |count| count.get());
                if times > 0 {
                    let entry = record.accesses.entry((context.node, access.resource)).or_default();
                    add_accesses(entry, access.kind, times);
                }
            }
            counter += body.regions as usize;
        }
    }
}
