//! One cycle: `main`, then everything that is due in it, what was scheduled first before.

use sim_profile::{Event, EventSink, LostReason};

use super::ReferenceEngine;
use super::flight::{Turn, Work};
use super::instruction::Instruction;
use super::step::{Due, Ending, Leaving, Step};
use crate::engine::Engine as _;
use crate::fault::{AccessKind, Fault, Stop};
use crate::host::Host;
use crate::program_order::Place;
use crate::record::Executed;

impl<'m> ReferenceEngine<'m> {
    /// Runs a cycle; `None` if the run goes on. A halt lets the cycle finish, a fault does not.
    pub(super) fn cycle(&mut self, host: &mut Host) -> Option<Stop> {
        self.events.event(Event::CycleBegins);
        self.flight.begin_cycle();
        self.begin_trace();
        let mut stop = None;
        let first = self.state.model.first_stage();
        let admits = self.flight.admits(first);
        self.flight.trace_beginning(first, admits);
        if let Some(first) = first.filter(|_| !admits) {
            let id = self.flight.tell_lost(self.state.model, first, &mut self.events);
            self.charge(id, 1);
        }
        let mut next = match admits {
            true => Some(self.begin_instruction()),
            false => self.next_turn(),
        };
        let ran = next.is_some();
        while let Some(turn) = next {
            stop = match self.run_turn(host, turn) {
                Some(now @ (Stop::Fault(_) | Stop::Interrupted))
                    if stop.is_none() && self.within().is_none() =>
                {
                    return self.leave(now);
                }
                other => stop.or(other),
            };
            if self.follower.is_some() && self.within().is_some() {
                return Some(Stop::Interrupted);
            }
            next = self.next_turn();
        }
        self.flight.tell_occupied(self.state.model, &mut self.events);
        self.flight.end_cycle(&mut self.events);
        if ran {
            self.events.event(Event::Ends);
        }
        self.counts.cycles = self.counts.cycles.saturating_add(1);
        self.tell_trace(stop);
        if let Some(counter) = &mut self.sampled {
            self.events.is_silent = !counter.look();
        }
        stop
    }

    fn leave(&mut self, stop: Stop) -> Option<Stop> {
        self.flight.tell_occupied(self.state.model, &mut self.events);
        self.events.event(Event::Ends);
        self.counts.cycles = self.counts.cycles.saturating_add(1);
        self.tell_trace(Some(stop));
        Some(stop)
    }

    fn begin_instruction(&mut self) -> Turn {
        let main = Work::Run(Due { time_node: 0, node: None, above: None });
        let id = self.flight.begin_instruction();
        let address = self.state.pc();
        let instruction = Instruction { id, address, ..Instruction::default() };
        self.flight.instructions.insert(id, instruction);
        if let Some(calls) = &mut self.calls_in_flight {
            calls.begin(address);
        }
        self.events.event(Event::InstructionBegins);
        self.flight.begin_main(self.state.model, id, main)
    }

    fn next_turn(&mut self) -> Option<Turn> {
        let turn = self.flight.next_turn(&mut self.events)?;
        if let Some(queue) = turn.queue {
            self.events.event(Event::Starts { instance: queue });
        }
        Some(turn)
    }

    /// Runs one turn; what it does to the run.
    fn run_turn(&mut self, host: &mut Host, turn: Turn) -> Option<Stop> {
        let instruction = self.flight.instructions.remove(&turn.id)?;
        let extra_cycles = self.counts.extra_cycles;
        self.flight.trace_turn(&turn, &instruction);
        let mut step = self.step(host, instruction, turn.number);
        let mut outcome = step.run(turn.work);
        if step.is_within() {
            let instruction = step.instruction;
            self.flight.instructions.insert(turn.id, instruction);
            return Some(Stop::Interrupted);
        }
        step.flight.trace_outcome(turn.work, outcome);
        if let Err(Leaving::Doomed(kind)) = outcome {
            outcome = if step.walk_on(turn, kind) { Ok(()) } else { Err(Leaving::Fault(kind)) };
        }
        if let Err(Leaving::Retry { stage, operation }) = outcome {
            let hold = step.hold(operation, LostReason::Retry, stage);
            step.flight.retry(turn, (stage, hold), step.sink);
            outcome = Ok(());
        }
        let is_over =
            !matches!(outcome, Ok(()) | Err(Leaving::Label(_))) || !step.flight.is_scheduled(turn.id);
        let cycle = step.counts.cycles;
        let ending = is_over.then(|| step.end(outcome));
        let instruction = step.instruction;
        let extra_cycles = self.counts.extra_cycles - extra_cycles;
        self.follow_turn(&instruction, extra_cycles, matches!(outcome, Err(Leaving::Fault(_))));
        self.flight.trace_end(&instruction, cycle, is_over.then_some(outcome));
        if self.state.devices.exit_status().is_some() {
            self.exiting.get_or_insert(turn.id);
        }
        let mut exit = None;
        self.follow_strikes();
        for id in std::mem::take(&mut self.flight.flushed) {
            self.taken += 1;
            self.end_in_order(id, None);
            self.follow_flushed(id);
            // What it wrote stays, and nothing else can end it any more.
            exit = exit.or(self.exit_of(id));
        }
        let stop = match ending {
            Some(ending) => self.end_instruction(&instruction, ending, cycle),
            None => {
                let mut instruction = instruction;
                self.flight.forget_executions(&mut instruction);
                self.flight.instructions.insert(turn.id, instruction);
                None
            }
        };
        stop.or(exit.map(Stop::Halted))
    }

    /// The status of the EXIT device, if this instruction was the one that wrote to it.
    fn exit_of(&self, id: u64) -> Option<i32> {
        self.state.devices.exit_status().filter(|_| self.exiting == Some(id))
    }

    fn end_in_order(&mut self, id: u64, place: Option<Place>) {
        let events = &mut self.events;
        self.order.end(id, place, |from, to| events.event(Event::Jump { from, to }));
    }

    /// Counts an instruction that is over; what that is to the run.
    fn end_instruction(&mut self, instruction: &Instruction, ending: Ending, cycle: u64) -> Option<Stop> {
        let is_executed = match ending {
            Ending::Complete | Ending::Halted(_) => true,
            Ending::Abandoned
            | Ending::HaltedByHandler(_)
            | Ending::Fault(_)
            | Ending::Interrupted
            | Ending::InterruptedInHandler => false,
        };
        self.counts.instructions += u64::from(is_executed);
        self.taken += 1;
        if self.state.model.overlaps() && !matches!(ending, Ending::Interrupted) {
            let is_known = is_executed && instruction.decoded.is_some();
            let successor = |size| self.state.model.successor(instruction.address, size);
            let place = is_known.then(|| Place {
                address: instruction.address,
                successor: successor(instruction.size_cells),
            });
            self.end_in_order(instruction.id, place);
            self.follow_end(instruction, is_executed);
        }
        match ending {
            Ending::Complete => {
                self.follow_calls(instruction);
                self.count_check(instruction);
            }
            Ending::Abandoned => self.follow_cancelled(instruction),
            _ => {}
        }
        let exit = self.exit_of(instruction.id);
        self.stop(ending, (instruction.address, cycle), exit)
    }

    /// Counts an instruction that was executed if it was a check.
    fn count_check(&mut self, instruction: &Instruction) {
        let to = self.state.pc();
        let (Some(counter), Some(decoded)) = (&mut self.sampled, &instruction.decoded) else { return };
        let Instruction { address, size_cells, word, .. } = *instruction;
        counter.count(self.plain, &Executed { address, size_cells, word, decoded }, to);
    }

    /// What an ending is to the run; an EXIT device that was written ends it in any case. A fault
    /// struck at the instruction of that address, in that cycle.
    pub(super) fn stop(
        &self,
        ending: Ending,
        (instruction_address, cycle): (u64, u64),
        exit: Option<i32>,
    ) -> Option<Stop> {
        match ending {
            Ending::Fault(kind) => Some(Stop::Fault(Fault { kind, instruction_address, cycle })),
            Ending::Interrupted | Ending::InterruptedInHandler => Some(Stop::Interrupted),
            Ending::Halted(status) | Ending::HaltedByHandler(status) => {
                Some(Stop::Halted(exit.unwrap_or(status)))
            }
            Ending::Complete | Ending::Abandoned => exit.map(Stop::Halted),
        }
    }

    /// A turn of an instruction.
    pub(super) fn step<'s>(
        &'s mut self,
        host: &'s mut Host,
        instruction: Instruction,
        turn: u64,
    ) -> Step<'m, 's> {
        let is_counted = !self.events.is_silent;
        Step {
            state: &mut self.state,
            counts: &mut self.counts,
            host,
            sink: &mut self.events,
            flight: &mut self.flight,
            instruction,
            turn,
            stage: None,
            fault: (0, AccessKind::Read),
            values: self.values.as_mut().filter(|_| is_counted),
            visits: self.visits.as_mut(),
            follower: self.follower.as_mut(),
            nesting: 0,
        }
    }
}
