//! What became of an instruction, or of a cycle without one, and who is charged for it.

use std::sync::Arc;

use sim_profile::Spending;
use sim_runtime::record::StaticInstruction;
use sim_runtime::{Engine, Fault, FaultKind, Stop};

use super::TranslatedEngine;
use crate::core::Ending;
use crate::interpret::{Outcome, interpret_from};
use crate::specialise::{Step, specialise_body};

/// Most steps of `memory_fault` that are kept.
const MOST_HANDLERS: usize = 1 << 12;

impl TranslatedEngine<'_> {
    /// Extra cycles that belong to no instruction that was decoded.
    pub(super) fn charge_undecoded(&mut self, address: Option<u64>) {
        let cycles = std::mem::take(&mut self.core.loose_extra_cycles);
        if cycles > 0 && self.is_recording() {
            let sum = self.undecoded_extra_cycles.entry(address).or_default();
            *sum = sum.saturating_add(cycles);
        }
    }

    /// Counts what became of a cycle that had no instruction, or has not come to decoding it.
    pub(super) fn count_undecoded(&mut self, address: u64, ending: Option<Ending>) -> (u64, Option<Stop>) {
        let is_at_fault = matches!(ending, Some(Ending::Fault(_)));
        match is_at_fault {
            _ if !self.is_recording() => {}
            true => *self.undecoded_faults.entry(address).or_default() += 1,
            false => self.undecoded += 1,
        }
        let settled = self.settle(ending, address, None);
        self.charge_undecoded(is_at_fault.then_some(address));
        settled
    }

    /// Counts what became of an instruction.
    pub(super) fn count(&mut self, number: u32, step: &Step, outcome: Outcome) -> (u64, Option<Stop>) {
        match self.is_recording() && self.carries(number) {
            true => self.record(number, step, &outcome),
            false => self.steps.note_run(number),
        }
        let successor = self.core.model().successor(step.address, step.size_cells);
        if outcome.ending.is_none() && outcome.pc != successor {
            self.note_transfer(number, outcome.pc);
        }
        if outcome.ending.is_none() {
            self.pass(number, outcome.pc);
        }
        let settled = self.settle(outcome.ending, step.address, Some(successor));
        self.charge(number);
        settled
    }

    fn record(&mut self, number: u32, step: &Step, outcome: &Outcome) {
        let is_executed = matches!(outcome.ending, None | Some(Ending::Halted(_)));
        if is_executed {
            for (counter, times) in (0u32..).zip(&self.core.counters) {
                if *times > 0 {
                    self.steps.add_counter(number, counter, *times);
                }
            }
        }
        let counted: &mut StaticInstruction = self.steps.counted(number);
        if let (Some(unreached), true) = (outcome.unreached, is_executed) {
            counted.unreached.extend(&step.unreached[unreached as usize]);
        }
        match outcome.ending {
            None | Some(Ending::Halted(_)) => counted.executed += 1,
            Some(Ending::Cancelled) => counted.cancelled += 1,
            Some(Ending::Fault(_)) => counted.faulted += 1,
            Some(Ending::Interrupted) => counted.unfinished += 1,
        }
    }

    /// Counts a cycle by its ending; gives how much of the budget it takes, and whether the run ends. What was
    /// decoded has a successor.
    fn settle(
        &mut self,
        ending: Option<Ending>,
        address: u64,
        successor: Option<u64>,
    ) -> (u64, Option<Stop>) {
        let exit = self.core.devices.exit_status().map(Stop::Halted);
        match ending {
            None => {
                self.core.instructions += 1;
                (1, exit)
            }
            Some(Ending::Halted(status)) => {
                self.core.instructions += 1;
                (1, exit.or(Some(Stop::Halted(status))))
            }
            Some(Ending::Cancelled) => {
                self.core.cancelled += 1;
                self.follow_abandoned(address, successor);
                (1, exit)
            }
            Some(Ending::Fault(kind)) => {
                let stop = self.fault(kind, address, successor);
                // One that was handled takes its place in the budget, as a cancelled one does.
                (u64::from(stop.is_none()), stop)
            }
            Some(Ending::Interrupted) => {
                self.core.unfinished += 1;
                (0, Some(Stop::Interrupted))
            }
        }
    }

    /// Charges a step with the extra cycles that it has added.
    fn charge(&mut self, number: u32) {
        let extra_cycles = std::mem::take(&mut self.core.loose_extra_cycles);
        if extra_cycles > 0 && self.is_recording() && self.carries(number) {
            self.steps.charge(number, extra_cycles);
        }
    }

    /// An instruction was abandoned, which has a successor if it was decoded, and the run goes on at the PC.
    fn follow_abandoned(&mut self, from: u64, successor: Option<u64>) {
        self.core.take_struck();
        let (to, cycles) = (self.core.state.pc(), self.core.cycles(0));
        let now = Spending { instructions: self.core.instructions, cycles };
        if let Some((calls, successor)) = self.calls.as_mut().zip(successor) {
            calls.follow_abandoned(from, to, successor, now);
        }
    }

    /// An instruction is at fault, which has a successor if it was decoded; `None` if `memory_fault` has seen
    /// to it and the run goes on.
    fn fault(&mut self, kind: FaultKind, instruction_address: u64, successor: Option<u64>) -> Option<Stop> {
        let cycle = self.cycles();
        let ending = self.handle(kind, instruction_address);
        self.core.faulted += 1;
        self.arrived = true;
        let exit = self.core.devices.exit_status().map(Stop::Halted);
        match ending {
            None | Some(Ending::Cancelled) => {
                self.follow_abandoned(instruction_address, successor);
                exit
            }
            Some(Ending::Halted(status)) => exit.or(Some(Stop::Halted(status))),
            Some(Ending::Fault(kind)) => Some(Stop::Fault(Fault { kind, instruction_address, cycle })),
            Some(Ending::Interrupted) => Some(Stop::Interrupted),
        }
    }

    /// Calls `memory_fault` where the model has it: what it ends with. Any other fault stays one.
    fn handle(&mut self, kind: FaultKind, instruction_address: u64) -> Option<Ending> {
        let model = self.core.model();
        let (FaultKind::Memory { access, address }, Some(body)) = (kind, &model.memory_fault) else {
            return Some(Ending::Fault(kind));
        };
        self.core.fault = (address, access);
        let pc = self.core.state.pc();
        let place = (instruction_address, pc);
        let step = match self.handlers.get(&place) {
            Some(step) => Arc::clone(step),
            None => {
                let step = Arc::new(specialise_body(model, &self.core.state, place, model.main, body));
                if self.handlers.len() == MOST_HANDLERS {
                    self.handlers.clear();
                }
                // What it has fetched may be another word the next time.
                if step.fetched.is_empty() {
                    self.handlers.insert(place, Arc::clone(&step));
                }
                step
            }
        };
        interpret_from(&mut self.core, &step, pc).ending
    }
}
