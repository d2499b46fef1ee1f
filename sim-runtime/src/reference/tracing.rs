//! Keeps what happens in a cycle for whoever listens to the trace; nothing where nobody does.

use isac_ir::Model;
use isac_ir::decode::Decoded;
use isac_ir::syntax::print::{Site, print_decoded};
use isac_ir::time::StageId;
use sim_profile::Word;

use super::ReferenceEngine;
use super::flight::{Flight, Pending, Turn, Work};
use super::instruction::Instruction;
use super::step::Leaving;
use crate::fault::{Fault, Stop};
use crate::trace::{
    Act, Activation, Activity, CycleTrace, DecodedTrace, InFlightTrace, MainTrace, RunTrace, Waiting,
};

/// The cycle so far.
#[derive(Clone, Default)]
pub(super) struct Tracer {
    trace: CycleTrace,
    /// What was put back or held, before names of what they chose are looked up.
    put_back: Vec<Pending>,
    held: Vec<Pending>,
    /// Extra cycles that were told, or that nobody wanted to know of.
    extra_cycles: u64,
    /// What was in flight when the first cycle began that is told after others that were not.
    in_flight: Option<Vec<InFlightTrace>>,
}

impl Flight {
    /// A cycle begins; `admits` says whether `main` begins an instruction in it.
    pub(super) fn trace_beginning(&mut self, first: Option<StageId>, admits: bool) {
        if self.tracer.is_none() {
            return;
        }
        let main = match (first, first.and_then(|first| self.waiting_in(first))) {
            _ if admits => MainTrace::Began(self.begun_instructions + 1),
            (Some(_), Some(waiting)) if !first.is_some_and(|first| self.is_standing(first)) => {
                MainTrace::Waits(self.activation(waiting))
            }
            (Some(first), _) => MainTrace::Stands(first),
            (None, _) => MainTrace::Over,
        };
        let number = self.cycle;
        if let Some(tracer) = &mut self.tracer {
            let in_flight = tracer.in_flight.take();
            tracer.trace = CycleTrace { number, main, in_flight, ..CycleTrace::default() };
        }
    }

    /// A turn begins.
    pub(super) fn trace_turn(&mut self, turn: &Turn, instruction: &Instruction) {
        if let Some(tracer) = &mut self.tracer {
            let activation = activation(turn.id, turn.stage, turn.work, Some(instruction));
            tracer.trace.runs.push(RunTrace { activation, address: instruction.address, acts: Vec::new() });
        }
    }

    /// The turn did something to time.
    pub(super) fn trace_act(&mut self, act: impl FnOnce() -> Act) {
        if let Some(run) = self.tracer.as_mut().and_then(|tracer| tracer.trace.runs.last_mut()) {
            run.acts.push(act());
        }
    }

    /// What was to be done in a turn has been done.
    pub(super) fn trace_outcome(&mut self, work: Work, outcome: Result<(), Leaving>) {
        let act = match outcome {
            Ok(()) | Err(Leaving::Label(_) | Leaving::Interrupt) => return,
            Err(Leaving::Doomed(_)) if matches!(work, Work::Walk(_)) => return,
            Err(Leaving::Doomed(_) | Leaving::Fault(_)) => Act::Fault,
            Err(Leaving::Retry { .. }) => Act::Retry,
            Err(Leaving::Cancel) => Act::Cancel,
            Err(Leaving::Halt(_)) => Act::Halt,
        };
        self.trace_act(|| act);
    }

    /// An instruction is over, or goes on; `outcome` says how its last turn was left.
    pub(super) fn trace_end(
        &mut self,
        instruction: &Instruction,
        cycle: u64,
        ended: Option<Result<(), Leaving>>,
    ) {
        let Some(tracer) = &mut self.tracer else { return };
        let trace = &mut tracer.trace;
        if let Some(run) = trace.runs.last_mut() {
            run.address = instruction.address;
        }
        trace.cancelled.extend(&self.flushed);
        match ended {
            None | Some(Err(Leaving::Interrupt)) => {}
            Some(Err(Leaving::Cancel)) => trace.cancelled.push(instruction.id),
            Some(Err(Leaving::Fault(kind))) => {
                let fault = Fault { kind, instruction_address: instruction.address, cycle };
                trace.faulted.push((instruction.id, fault));
            }
            Some(_) => trace.ended.push(instruction.id),
        }
    }

    pub(super) fn trace_decoded(
        &mut self,
        model: &Model,
        instruction: &Instruction,
        decoded: &Decoded,
        word: Word,
    ) {
        if let Some(tracer) = &mut self.tracer {
            tracer.trace.decoded.push(decoded_trace(model, instruction, decoded, word));
        }
    }

    /// A retry has put this back.
    pub(super) fn trace_put_back(&mut self, moved: &[Pending]) {
        if let Some(tracer) = &mut self.tracer {
            tracer.put_back.extend(moved);
        }
    }

    /// An instruction is cancelled by another one, with what it has scheduled.
    pub(super) fn trace_flushed(&mut self, id: u64) {
        if self.tracer.is_none() {
            return;
        }
        let its: Vec<Pending> = self.pending.iter().filter(|pending| pending.id == id).copied().collect();
        let its = self.waiting(&its, self.cycle);
        if let Some(tracer) = &mut self.tracer {
            tracer.trace.flushed.extend(its);
        }
    }

    /// This stood in the cycle that ends.
    pub(super) fn trace_held(&mut self, moved: &[Pending]) {
        if let Some(tracer) = &mut self.tracer {
            tracer.held.extend(moved);
        }
    }

    fn activation(&self, pending: &Pending) -> Activation {
        let &Pending { id, stage, work, .. } = pending;
        activation(id, stage, work, self.instructions.get(&id))
    }

    /// What is scheduled, in running order, and the stages that stand in the next cycle and for how
    /// many cycles from it on.
    pub(super) fn to_come(&self) -> (Vec<Waiting>, Vec<(u32, u64)>) {
        let counters = self.counters.iter().flatten();
        let standing = (0u32..).zip(counters.copied()).filter(|(_, cycles)| *cycles > 0);
        (self.waiting(&self.pending, self.cycle), standing.collect())
    }

    /// In running order, due so many cycles after `from`.
    fn waiting(&self, pending: &[Pending], from: u64) -> Vec<Waiting> {
        let entries = pending.iter();
        let mut waiting: Vec<Waiting> = entries
            .map(|it| Waiting { activation: self.activation(it), cycles: it.due.saturating_sub(from) })
            .collect();
        waiting.sort_by_key(|it| it.cycles);
        waiting
    }
}

impl ReferenceEngine<'_> {
    /// Keeps what happens in the cycle that begins, if somebody wants to know.
    pub(super) fn begin_trace(&mut self) {
        let cycle = self.flight.cycle;
        let listens = self.trace.as_ref().is_some_and(|sink| sink.listens_to(cycle));
        if !listens {
            self.flight.tracer = None;
        } else if self.flight.tracer.is_none() {
            // Extra cycles of `reset` are told with those of the first cycle.
            let is_first = cycle == 1;
            let extra_cycles = if is_first { 0 } else { self.counts.extra_cycles };
            let in_flight = (!is_first).then(|| self.trace_in_flight());
            self.flight.tracer = Some(Tracer { extra_cycles, in_flight, ..Tracer::default() });
        }
    }

    pub(super) fn trace_in_flight(&self) -> Vec<InFlightTrace> {
        let model = self.state.model;
        let in_flight = self.flight.instructions.values().map(|instruction| {
            let &Instruction { id, address, word, .. } = instruction;
            let decoded = instruction.decoded.as_ref();
            let decoded = decoded.map(|decoded| decoded_trace(model, instruction, decoded, word));
            InFlightTrace { id, address, decoded }
        });
        in_flight.collect()
    }

    /// Tells of the cycle that is over.
    pub(super) fn tell_trace(&mut self, stop: Option<Stop>) {
        let Some(sink) = &mut self.trace else { return };
        let Some(mut tracer) = self.flight.tracer.take() else { return };
        let flight = &self.flight;
        let mut trace = std::mem::take(&mut tracer.trace);
        // Both have been moved on by a cycle already.
        trace.put_back = flight.waiting(&std::mem::take(&mut tracer.put_back), flight.cycle + 1);
        trace.held = flight.waiting(&std::mem::take(&mut tracer.held), flight.cycle + 1);
        trace.pending = flight.waiting(&flight.pending, flight.cycle);
        trace.extra_cycles = self.counts.extra_cycles.saturating_sub(tracer.extra_cycles);
        tracer.extra_cycles = self.counts.extra_cycles;
        if let Some(Stop::Halted(status)) = stop {
            trace.halt = Some(status);
        }
        sink.cycle(&trace);
        self.flight.tracer = Some(tracer);
    }
}

fn activation(id: u64, stage: Option<StageId>, work: Work, instruction: Option<&Instruction>) -> Activation {
    let activity = match work {
        Work::Walk(kind) => Activity::Fault(kind),
        Work::Run(due) => {
            // A node of another tree, if the instruction was decoded anew since.
            let is_there = |tree: &&Decoded| due.node.is_some_and(|node| (node as usize) < tree.nodes.len());
            let tree = instruction.and_then(Instruction::tree).filter(is_there);
            let chosen = due.node.and_then(|node| tree?.operation_at(node)).map(|(_, operation)| operation);
            Activity::Instance { time_node: due.time_node, chosen }
        }
    };
    Activation { id, stage, activity }
}

fn decoded_trace(model: &Model, instruction: &Instruction, decoded: &Decoded, word: Word) -> DecodedTrace {
    let &Instruction { id, address, size_cells, .. } = instruction;
    let text = print_decoded(model, decoded, Site { address, size_cells });
    DecodedTrace { id, address, word, name: decoded.name(model), text }
}
