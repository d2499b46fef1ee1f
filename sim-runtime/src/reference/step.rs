//! One turn of an instruction: an operation with all that it decodes, executed statement by
//! statement.

use isac_ir::account::Part;
use isac_ir::behavior::Body;
use isac_ir::operation::{Role, Target};
use isac_ir::time::{Cause, StageId, TimeNode, distance};
use sim_profile::{Event, EventSink, Spending};

use super::flight::{Flight, Pending, Work};
use super::follow::Follower;
use super::instruction::Instruction;
use super::place::FoundPlace;
use super::state::State;
use super::visit::Visits;
use crate::fault::{AccessKind, FaultKind};
use crate::host::Host;
use crate::record::{Strike, ValueRecorder};

/// Counters that the model can ask for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Cycles begun before this one, extra cycles included.
    pub cycles: u64,
    /// Of these, extra cycles.
    pub extra_cycles: u64,
    /// Instructions ended and not cancelled.
    pub instructions: u64,
    /// Turns of loops, modulo 2^32.
    pub turns: u32,
}

/// Why a body is left before its end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaving {
    /// The instruction is abandoned.
    Fault(FaultKind),
    /// The run ends after this instruction.
    Halt(i32),
    /// Nothing more of this instruction runs.
    Cancel,
    /// The instruction is to be abandoned when it would be in the last stage.
    Doomed(FaultKind),
    /// What the instruction ran in this stage runs again in the next cycle.
    Retry {
        stage: StageId,
        /// Who asks for it.
        operation: u32,
    },
    /// To the end of the block or loop with this label.
    Label(u32),
    /// The run ends in the middle of the instruction.
    Interrupt,
}

/// What became of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ending {
    /// It ended as instructions do.
    Complete,
    /// It was cancelled, or was at fault and `memory_fault` has returned.
    Abandoned,
    /// It is complete and ends the run.
    Halted(i32),
    /// It was at fault, and `memory_fault` ends the run.
    HaltedByHandler(i32),
    /// It is at fault, which ends the run.
    Fault(FaultKind),
    /// The run ends in the middle of it.
    Interrupted,
    /// It was at fault, and the run ends in the middle of `memory_fault`.
    InterruptedInHandler,
}

/// An operation being executed.
pub(super) struct Frame<'m> {
    pub body: &'m Body,
    /// Its node in the decoding tree.
    pub node: Option<u32>,
    /// Index into [`Step::executions`].
    pub execution: u32,
    pub locals: Vec<u128>,
    /// The places that it has found, by binding.
    pub found: Vec<FoundPlace>,
    /// The statement at hand, where they are followed.
    pub statement: u32,
}

impl<'m> Frame<'m> {
    /// Before its first statement.
    pub(super) fn new(body: &'m Body, node: Option<u32>, execution: u32) -> Frame<'m> {
        let locals = vec![0; body.locals.len()];
        let found = vec![FoundPlace::Nothing; body.bindings.len()];
        Frame { body, node, execution, locals, found, statement: u32::MAX }
    }
}

/// What is executed: its node in the time graph and in the decoding tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    pub time_node: u32,
    pub node: Option<u32>,
    /// The execution that called or scheduled it, and its instance there.
    pub above: Option<(u32, u32)>,
}

/// A turn of an instruction.
pub(super) struct Step<'m, 's> {
    pub(super) state: &'s mut State<'m>,
    pub(super) counts: &'s mut Counts,
    pub(super) host: &'s mut Host,
    pub(super) sink: &'s mut dyn EventSink,
    pub(super) instruction: Instruction,
    pub(super) flight: &'s mut Flight,
    /// Number of the turn.
    pub(super) turn: u64,
    /// The stage that the operation at hand runs in, with its operands.
    pub(super) stage: Option<StageId>,
    /// Address and access of the memory fault that `memory_fault` is called for.
    pub(super) fault: (u64, AccessKind),
    /// Who counts values, if anybody does now.
    pub(super) values: Option<&'s mut ValueRecorder>,
    /// Who counts points of the description, if anybody does.
    pub(super) visits: Option<&'s mut Visits>,
    /// Who follows the statements, if anybody does now.
    pub(super) follower: Option<&'s mut Follower>,
    /// EXPRESSIONs that are being run, each mentioned by the next.
    pub(super) nesting: u32,
}

impl Step<'_, '_> {
    /// Runs what has its turn.
    pub(super) fn run(&mut self, work: Work) -> Result<(), Leaving> {
        match work {
            Work::Run(due) => self.execute_target(due),
            Work::Walk(kind) => Err(Leaving::Doomed(kind)),
        }
    }

    /// Runs one operation that is no part of any instruction.
    pub(super) fn run_alone(&mut self, operation: u32) -> Result<(), Leaving> {
        let execution = self.begin(operation, None, None);
        self.run_part(operation, Part::Behavior, execution, 0)
    }

    /// Calls `memory_fault` where the model has it. A fault in there ends the run.
    pub(super) fn settle(&mut self, outcome: Result<(), Leaving>) -> Ending {
        let kind = match outcome {
            Ok(()) | Err(Leaving::Label(_) | Leaving::Retry { .. } | Leaving::Doomed(_)) => {
                return Ending::Complete;
            }
            Err(Leaving::Cancel) => return Ending::Abandoned,
            Err(Leaving::Interrupt) => return Ending::Interrupted,
            Err(Leaving::Halt(status)) => return Ending::Halted(status),
            Err(Leaving::Fault(kind)) => kind,
        };
        let (FaultKind::Memory { access, address }, Some(body)) = (kind, &self.state.model.memory_fault)
        else {
            return Ending::Fault(kind);
        };
        self.fault = (address, access);
        let mut frame = Frame::new(body, None, 0);
        match self.run_body(&mut frame, &body.statements, 0) {
            Ok(()) | Err(Leaving::Cancel | Leaving::Label(_) | Leaving::Retry { .. }) => Ending::Abandoned,
            Err(Leaving::Halt(status)) => Ending::HaltedByHandler(status),
            Err(Leaving::Interrupt) => Ending::InterruptedInHandler,
            Err(Leaving::Fault(kind) | Leaving::Doomed(kind)) => Ending::Fault(kind),
        }
    }

    /// Ends the instruction.
    pub(super) fn end(&mut self, outcome: Result<(), Leaving>) -> Ending {
        self.tell_end(outcome);
        self.flight.drop_pending(self.instruction.id);
        self.settle(outcome)
    }

    /// Tells of an instruction that is at its end.
    fn tell_end(&mut self, ending: Result<(), Leaving>) {
        match ending {
            Err(Leaving::Fault(_)) => {
                if self.instruction.decoded.is_none() && !self.instruction.is_undecoded {
                    self.sink.event(Event::Undecoded { address: self.instruction.address });
                }
                self.sink.event(Event::Fault);
            }
            Err(Leaving::Cancel) => self.sink.event(Event::Cancel),
            Err(Leaving::Halt(_)) => self.sink.event(Event::Halt),
            Err(Leaving::Interrupt) => self.sink.event(Event::Interrupt),
            _ if self.state.model.overlaps() => {}
            _ => {
                let to = self.state.pc();
                self.sink.event(Event::Transfer { to });
            }
        }
    }

    /// Runs what a time node stands for: a group's chosen member, or the operation.
    fn execute_target(&mut self, due: Due) -> Result<(), Leaving> {
        let model = self.state.model;
        let time_node = due.time_node;
        match (model.time.nodes[time_node as usize].target, due.node) {
            (Target::Operation(operation), _) => self.execute(operation, due),
            (Target::Group(_), Some(node)) => {
                let Some(decoded) = &self.instruction.decoded else { return Ok(()) };
                let Some(child) = decoded.children(node).next() else { return Ok(()) };
                let target = decoded.nodes[child as usize].target;
                match self.time_child(time_node, |candidate| candidate.target == target) {
                    Some(time_node) => self.execute_target(Due { time_node, node: Some(child), ..due }),
                    None => Ok(()),
                }
            }
            (Target::Group(_), None) | (Target::Label(_), _) => Ok(()),
        }
    }

    /// The first time node below one that fits.
    fn time_child(&self, parent: u32, fits: impl Fn(&TimeNode) -> bool) -> Option<u32> {
        self.state.model.time.child(parent, fits)
    }

    /// Decodes, behaves, runs its children, schedules: in this order.
    fn execute(&mut self, operation: u32, due: Due) -> Result<(), Leaving> {
        let table = self.state.model.operation(operation);
        let time_node = due.time_node;
        let node = if table.root.is_some() { Some(0) } else { due.node };
        let above = self.execution_above(due);
        let execution = self.begin(operation, node, above);
        let stage = self.state.model.time.nodes[time_node as usize].stage;
        let outer = std::mem::replace(&mut self.stage, stage);
        if let Some(body) = &table.root {
            self.flight.enter(self.state.model.time.nodes[time_node as usize].stage);
            self.decode(operation, body, execution)?;
        }
        self.execute_decoded(operation, execution, time_node, true)?;
        if self.state.fetching.contains(&operation) && self.is_beside(execution) {
            self.flight.fetched.push((self.instruction.id, self.state.pc()));
        }
        let may_strike = self.state.striking.contains(&operation) && self.is_beside(execution);
        let next = may_strike.then(|| self.state.pc());
        let outcome = self.run_part(operation, Part::Behavior, execution, time_node);
        if let Some(next) = next.filter(|next| self.state.pc() != *next) {
            let Instruction { id, ref decoded, .. } = self.instruction;
            let by = decoded.is_none().then_some(id);
            self.flight.strikes.push(Strike { next, to: self.state.pc(), by });
            self.note_struck(next);
        }
        outcome?;
        self.execute_decoded(operation, execution, time_node, false)?;
        self.run_part(operation, Part::Activation, execution, time_node)?;
        self.stage = outer;
        Ok(())
    }

    /// An operation beside the instructions has changed the program counter, which held this.
    fn note_struck(&mut self, next: u64) {
        let now = Spending { instructions: self.counts.instructions, cycles: self.counts.cycles };
        self.instruction.struck.note(self.instruction.decoded.is_some(), next, now);
    }

    /// Runs decoded instances that are not scheduled: operands, which come just before their
    /// parent's BEHAVIOR, or all others, which come behind it.
    fn execute_decoded(
        &mut self,
        operation: u32,
        execution: u32,
        time_node: u32,
        operands: bool,
    ) -> Result<(), Leaving> {
        for (index, instance) in (0u32..).zip(&self.state.model.operation(operation).instances) {
            if self.is_operand(execution, index) == Some(operands) && !instance.scheduled {
                self.execute_instance(index, execution, time_node)?;
            }
        }
        Ok(())
    }

    /// True if a decoded instance chose an operand; `None` if it is not decoded.
    fn is_operand(&self, execution: u32, instance: u32) -> Option<bool> {
        let (_, chosen) = self.chosen(execution, instance)?;
        let model = self.state.model;
        let table = model.operation(self.instruction.executions[execution as usize].operation);
        Some(table.instances[instance as usize].is_operand(model.operation(chosen)))
    }

    /// Runs a decoded instance at once, or schedules it if it is bound to a later stage.
    fn execute_instance(&mut self, instance: u32, execution: u32, time_node: u32) -> Result<(), Leaving> {
        let above = self.instruction.executions[execution as usize].node;
        let Some(child) = self.child(above, instance) else { return Ok(()) };
        let from = self.state.model.time.nodes[time_node as usize].stage;
        let stage = self.stage_of(child, above, from);
        let due = |time_node| Due { time_node, node: Some(child), above: Some((execution, instance)) };
        let cause = match distance(from, stage) {
            0 => Cause::Decoded,
            delay => Cause::Bound { delay },
        };
        let found = self.time_child(time_node, |node| node.instance == Some(instance) && node.cause == cause);
        match (found, cause) {
            (None, _) => Ok(()),
            (Some(node), Cause::Bound { delay }) => {
                self.put_into_queue(due(node), delay, stage);
                Ok(())
            }
            (Some(node), _) => self.execute_target(due(node)),
        }
    }

    /// The stage that what a node of the decoding tree chose is bound to, where an operation above
    /// it runs in a stage.
    fn stage_of(&self, node: u32, above: Option<u32>, from: Option<StageId>) -> Option<StageId> {
        let tree = self.tree()?;
        let mut next = tree.operation_at(node).map(|(node, _)| node);
        while let Some(node) = next.filter(|_| next != above) {
            let entry = &tree.nodes[node as usize];
            if let Target::Operation(operation) = entry.target
                && let Some(stage) = self.state.model.operation(operation).stage
            {
                return Some(stage);
            }
            next = entry.parent;
        }
        from
    }

    /// The node that an instance led to.
    pub(super) fn child(&self, node: Option<u32>, instance: u32) -> Option<u32> {
        self.tree()?.instance(node?, instance)
    }

    fn run_part(
        &mut self,
        operation: u32,
        part: Part,
        execution: u32,
        time_node: u32,
    ) -> Result<(), Leaving> {
        let Some(body) = self.state.model.operation(operation).body(part) else { return Ok(()) };
        self.flight.enter(self.state.model.time.nodes[time_node as usize].stage);
        let node = self.instruction.executions[execution as usize].node;
        let mut frame = Frame::new(body, node, execution);
        self.run_body(&mut frame, &body.statements, time_node)
    }

    /// Schedules an instance; of what was not decoded there is nothing to run.
    pub(super) fn schedule(&mut self, frame: &Frame<'_>, instance: u32, written: u32, time_node: u32) {
        let model = self.state.model;
        let from = model.time.nodes[time_node as usize].stage;
        for node in self.scheduled_nodes(frame, instance, time_node) {
            let stage = match node {
                Some(node) => self.stage_of(node, frame.node, from),
                None => self.activated_stage(instance, time_node),
            };
            let delay = written + distance(from, stage);
            let found = self.time_child(time_node, |child| match child.cause {
                Cause::Activated { written: own, delay: total, .. } => {
                    child.instance == Some(instance) && own == written && total == delay
                }
                _ => false,
            });
            let above = Some((frame.execution, instance));
            if let Some(time_node) = found {
                self.put_into_queue(Due { time_node, node, above }, delay, stage);
            }
        }
    }

    /// The stage of what is activated without having been decoded.
    fn activated_stage(&self, instance: u32, time_node: u32) -> Option<StageId> {
        let model = self.state.model;
        let Target::Operation(operation) = model.time.nodes[time_node as usize].target else { return None };
        match model.operation(operation).instances[instance as usize].target {
            Target::Operation(target) => model.operation(target).stage,
            Target::Group(_) | Target::Label(_) => None,
        }
    }

    fn put_into_queue(&mut self, due: Due, delay: u32, stage: Option<StageId>) {
        let Some(queue) = self.state.model.time.queue(due.time_node) else { return };
        let (id, by) = (self.instruction.id, self.turn);
        let cycle = self.flight.cycle + u64::from(delay);
        let work = Work::Run(due);
        let pending = Pending { due: cycle, queue, id, stage, work, by, held: None };
        self.flight.schedule(pending, self.sink);
    }

    /// The nodes of the decoding tree that an activation schedules; one `None` outside of it.
    fn scheduled_nodes(&self, frame: &Frame<'_>, instance: u32, time_node: u32) -> Vec<Option<u32>> {
        let model = self.state.model;
        let Target::Operation(operation) = model.time.nodes[time_node as usize].target else {
            return Vec::new();
        };
        let entry = &model.operation(operation).instances[instance as usize];
        match (entry.role, self.tree(), frame.node) {
            (Role::Activated | Role::Unused, ..) => vec![None],
            (Role::Coded | Role::Root, ..) => {
                self.child(frame.node, instance).map(Some).into_iter().collect()
            }
            (Role::Below, Some(tree), Some(node)) => tree.find_below(node, entry.target).map(Some).collect(),
            (Role::Below, ..) => Vec::new(),
        }
    }
}
