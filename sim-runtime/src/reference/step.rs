//! One cycle of an instruction-accurate model, executed statement by statement.

use std::collections::VecDeque;

use isac_ir::account::Part;
use isac_ir::behavior::{Body, ExprKind, Stmt, UNCOUNTED};
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, Element, decode_instruction};
use isac_ir::operation::{Role, Target};
use sim_profile::{AccessEvent, Event, EventSink, Word};

use super::state::State;
use crate::fault::{AccessKind, FaultKind};
use crate::host::{Host, LinuxResult};
use crate::memory::check_range;
use crate::print::print_parts;

/// Counters that the model can ask for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Cycles begun before this one, extra cycles included.
    pub cycles: u64,
    /// Of these, extra cycles.
    pub extra_cycles: u64,
    /// Instructions ended and not cancelled.
    pub instructions: u64,
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
    /// To the end of the block or loop with this label.
    Label(u32),
}

/// An operation being executed.
pub(super) struct Frame<'m> {
    pub body: &'m Body,
    /// Its node in the decoding tree.
    pub node: Option<u32>,
    pub locals: Vec<u128>,
}

/// What is due: an operation with its node in the time graph and in the decoding tree.
#[derive(Debug, Clone, Copy)]
struct Due {
    time_node: u32,
    node: Option<u32>,
    queue: u32,
}

/// One instruction from `main` to its end.
pub(super) struct Step<'m, 's> {
    pub(super) state: &'s mut State<'m>,
    pub(super) counts: &'s mut Counts,
    host: &'s mut Host,
    sink: &'s mut dyn EventSink,
    pub(super) address: u64,
    pub(super) size_cells: u32,
    decoded: Option<Decoded>,
    due: VecDeque<Due>,
}

impl<'m, 's> Step<'m, 's> {
    pub(super) fn new(
        state: &'s mut State<'m>,
        counts: &'s mut Counts,
        host: &'s mut Host,
        sink: &'s mut dyn EventSink,
    ) -> Step<'m, 's> {
        let address = state.registers[state.model.pc as usize][0] as u64;
        Step { state, counts, host, sink, address, size_cells: 0, decoded: None, due: VecDeque::new() }
    }

    /// Runs the whole instruction.
    pub(super) fn run(&mut self) -> Result<(), Leaving> {
        self.sink.event(Event::CycleBegins);
        self.sink.event(Event::InstructionBegins);
        let main = self.state.model.main;
        self.execute(main, None, 0)?;
        while let Some(due) = self.due.pop_front() {
            self.sink.event(Event::Starts { instance: due.queue });
            self.execute_target(due.time_node, due.node)?;
        }
        Ok(())
    }

    /// Runs one operation that is no part of any instruction.
    pub(super) fn run_alone(&mut self, operation: u32) -> Result<(), Leaving> {
        self.run_part(operation, Part::Behavior, None, 0)
    }

    /// Tells what became of the instruction.
    pub(super) fn end(&mut self, outcome: Result<(), Leaving>) {
        let stays = match outcome {
            Err(Leaving::Fault(_)) => {
                self.sink.event(Event::Fault);
                true
            }
            Err(Leaving::Cancel) => {
                self.sink.event(Event::Cancel);
                true
            }
            Err(Leaving::Halt(_)) => {
                self.sink.event(Event::Halt);
                true
            }
            Ok(()) | Err(Leaving::Label(_)) => false,
        };
        if !stays {
            let to = self.state.registers[self.state.model.pc as usize][0] as u64;
            self.sink.event(Event::Transfer { to });
        }
        self.sink.event(Event::Ends);
    }

    /// Address of the instruction once it is decoded, of `main`'s PC before.
    pub(super) fn instruction_address(&self) -> u64 {
        self.address
    }

    /// Runs what a time node stands for: a group's chosen member, or the operation.
    fn execute_target(&mut self, time_node: u32, node: Option<u32>) -> Result<(), Leaving> {
        let model = self.state.model;
        match (model.time.nodes[time_node as usize].target, node) {
            (Target::Operation(operation), node) => self.execute(operation, node, time_node),
            (Target::Group(_), Some(node)) => {
                let Some(decoded) = &self.decoded else { return Ok(()) };
                let Some(child) = decoded.children(node).next() else { return Ok(()) };
                let target = decoded.nodes[child as usize].target;
                match self.time_child(time_node, |candidate| candidate.target == target) {
                    Some(time_node) => self.execute_target(time_node, Some(child)),
                    None => Ok(()),
                }
            }
            (Target::Group(_), None) => Ok(()),
        }
    }

    /// The first time node below one that fits.
    fn time_child(&self, parent: u32, fits: impl Fn(&isac_ir::time::TimeNode) -> bool) -> Option<u32> {
        let nodes = &self.state.model.time.nodes;
        let found = nodes.iter().position(|node| node.parent == Some(parent) && fits(node));
        found.map(|index| index as u32)
    }

    /// Decodes, behaves, runs its children, schedules: in this order.
    fn execute(&mut self, operation: u32, node: Option<u32>, time_node: u32) -> Result<(), Leaving> {
        let model = self.state.model;
        let table = model.operation(operation);
        let mut node = node;
        if let Some(body) = &table.root {
            self.decode(operation, body)?;
            node = Some(0);
        }
        self.execute_operands(operation, node, time_node)?;
        self.run_part(operation, Part::Behavior, node, time_node)?;
        for (index, instance) in table.instances.iter().enumerate() {
            let decoded = matches!(instance.role, Role::Coded | Role::Root);
            if decoded && !instance.operand && !instance.scheduled {
                self.execute_instance(index as u32, node, time_node)?;
            }
        }
        self.run_part(operation, Part::Activation, node, time_node)
    }

    /// Operands that have a BEHAVIOR run it just before their parent's.
    fn execute_operands(&mut self, operation: u32, node: Option<u32>, time_node: u32) -> Result<(), Leaving> {
        let table = self.state.model.operation(operation);
        for (index, instance) in table.instances.iter().enumerate() {
            if instance.role == Role::Coded && instance.operand {
                self.execute_instance(index as u32, node, time_node)?;
            }
        }
        Ok(())
    }

    fn execute_instance(&mut self, instance: u32, node: Option<u32>, time_node: u32) -> Result<(), Leaving> {
        let Some(child) = self.child(node, instance) else { return Ok(()) };
        match self.time_child(time_node, |candidate| candidate.instance == Some(instance)) {
            Some(time_node) => self.execute_target(time_node, Some(child)),
            None => Ok(()),
        }
    }

    /// The node that an instance led to.
    fn child(&self, node: Option<u32>, instance: u32) -> Option<u32> {
        self.decoded.as_ref()?.instance(node?, instance)
    }

    fn run_part(
        &mut self,
        operation: u32,
        part: Part,
        node: Option<u32>,
        time_node: u32,
    ) -> Result<(), Leaving> {
        let Some(body) = self.state.model.operation(operation).body(part) else { return Ok(()) };
        let locals = vec![0; body.locals.len()];
        let mut frame = Frame { body, node, locals };
        self.run_statements(&mut frame, &body.statements, time_node)
    }

    pub(super) fn run_statements(
        &mut self,
        frame: &mut Frame<'m>,
        statements: &'m [Stmt],
        time_node: u32,
    ) -> Result<(), Leaving> {
        for statement in statements {
            self.run_statement(frame, statement, time_node)?;
        }
        Ok(())
    }

    fn run_statement(
        &mut self,
        frame: &mut Frame<'m>,
        statement: &'m Stmt,
        time_node: u32,
    ) -> Result<(), Leaving> {
        match statement {
            Stmt::Set { local, value } => frame.locals[*local as usize] = self.evaluate(frame, value)?,
            Stmt::SetRegister { register, index, low, value, access } => {
                let width = value.width;
                let value = self.evaluate(frame, value)?;
                let element = self.element(frame, *register, index.as_ref())?;
                self.access(frame, *access, *register, AccessEvent::Write);
                self.state.write_bits(*register, element, *low, width, value);
            }
            Stmt::SetMemory { map, cells, address, value, access } => {
                let value = self.evaluate(frame, value)?;
                let address = self.evaluate(frame, address)? as u64;
                let model = self.state.model;
                let landing = check_range(model, *map, address, u64::from(*cells), AccessKind::Write)
                    .map_err(Leaving::Fault)?;
                self.access(frame, *access, model.registers.len() as u32 + map, AccessEvent::Write);
                self.state.memory.store(model, *map, landing, *cells, value);
            }
            Stmt::SetOperand { instance, value, .. } => {
                let value = self.evaluate(frame, value)?;
                self.write_operand(frame, *instance, value)?;
            }
            Stmt::Count(_) => {}
            Stmt::If { condition, then, otherwise } => {
                let taken = self.evaluate(frame, condition)? != 0;
                self.run_statements(frame, if taken { then } else { otherwise }, time_node)?;
            }
            Stmt::Loop { label, body } => loop {
                match self.run_statements(frame, body, time_node) {
                    Err(Leaving::Label(left)) if left == *label => break,
                    other => other?,
                }
            },
            Stmt::Block { label, body } => match self.run_statements(frame, body, time_node) {
                Err(Leaving::Label(left)) if left == *label => {}
                other => other?,
            },
            Stmt::Leave(label) => return Err(Leaving::Label(*label)),
            Stmt::Halt(status) => return Err(Leaving::Halt(self.evaluate(frame, status)? as u32 as i32)),
            Stmt::Illegal => return Err(Leaving::Fault(FaultKind::IllegalInstruction)),
            Stmt::DivisionByZero => return Err(Leaving::Fault(FaultKind::DivisionByZero)),
            Stmt::Cancel => return Err(Leaving::Cancel),
            Stmt::ExtraCycles(cycles) => {
                let cycles = self.evaluate(frame, cycles)? as u64;
                self.counts.extra_cycles = self.counts.extra_cycles.wrapping_add(cycles);
                self.counts.cycles = self.counts.cycles.wrapping_add(cycles);
                self.sink.event(Event::ExtraCycles { cycles });
            }
            Stmt::LinuxCall { result, arguments } => {
                let result = *result as usize;
                frame.locals[result] = self.linux_call(frame, arguments)?;
            }
            Stmt::Print(parts) => {
                let mut values = Vec::new();
                for value in statement.expressions() {
                    values.push(self.evaluate(frame, value)?);
                }
                self.host.print(&print_parts(parts, &values));
            }
            Stmt::Event(name) => self.sink.event(Event::ModelEvent { name }),
            Stmt::Decode { .. } => {}
            Stmt::Activate { instance, .. } => self.schedule(frame, *instance, time_node),
        }
        Ok(())
    }

    /// Decodes the elements of a CODINGROOT; a word that nothing matches is illegal.
    fn decode(&mut self, operation: u32, body: &'m Body) -> Result<(), Leaving> {
        let model = self.state.model;
        let mut frame = Frame { body, node: Some(0), locals: vec![0; body.locals.len()] };
        let mut elements = Vec::new();
        self.address = self.state.registers[model.pc as usize][0] as u64;
        for statement in &body.statements {
            if let Stmt::Decode { instance, map, address, access } = statement {
                let target = model.operation(operation).instances[*instance as usize].target;
                let Some(decoder) = model.decoder_of(target) else { continue };
                let address = self.evaluate(&mut frame, address)? as u64;
                if elements.is_empty() {
                    self.address = address;
                }
                let cells = model.decoders[decoder as usize].width_bits / model.maps[*map as usize].cell_bits;
                self.size_cells += cells;
                let resource = model.registers.len() as u32 + map;
                let landing = check_range(model, *map, address, u64::from(cells), AccessKind::Fetch)
                    .map_err(|fault| self.undecoded(fault))?;
                self.access(&frame, *access, resource, AccessEvent::Execute);
                let word = Bits::from_u128(self.state.memory.load(model, *map, landing, cells));
                elements.push(Element { instance: *instance, decoder, word });
            } else {
                self.run_statement(&mut frame, statement, 0)?;
            }
        }
        let decoded = decode_instruction(model, operation, &elements)
            .ok_or_else(|| self.undecoded(FaultKind::IllegalInstruction))?;
        self.sink.event(Event::NamePart { text: &decoded.name(model) });
        let word = joined_word(model, &elements);
        self.sink.event(Event::Decoded { address: self.address, word: &word, size_cells: self.size_cells });
        self.decoded = Some(decoded);
        Ok(())
    }

    fn undecoded(&mut self, fault: FaultKind) -> Leaving {
        self.sink.event(Event::Undecoded { address: self.address });
        Leaving::Fault(fault)
    }

    /// Puts an instance into its queue.
    fn schedule(&mut self, frame: &Frame<'_>, instance: u32, time_node: u32) {
        let model = self.state.model;
        let child = self.time_child(time_node, |candidate| candidate.instance == Some(instance));
        let queue = model.time.queue(time_node, instance);
        if let (Some(time_node), Some(queue)) = (child, queue) {
            self.sink.event(Event::Scheduled { instance: queue });
            let node = self.child(frame.node, instance);
            self.due.push_back(Due { time_node, node, queue });
        }
    }

    fn linux_call(
        &mut self,
        frame: &mut Frame<'m>,
        arguments: &'m [isac_ir::behavior::Expr],
    ) -> Result<u128, Leaving> {
        let mut values = [0u64; 7];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.evaluate(frame, argument)? as u64;
        }
        let [number, arguments @ ..] = values;
        let abi = crate::record::abi(self.state.model);
        let map = self.state.model.target.host_map.unwrap_or(0) as usize;
        let cycles = self.counts.cycles;
        match self.host.linux_call(self.state, map, abi, cycles, number, arguments) {
            LinuxResult::Return(value) => Ok(u128::from(value as u64)),
            LinuxResult::Exit(status) => Err(Leaving::Halt(status)),
        }
    }

    /// The operation that an operand's alias chose, with its node.
    fn operand(&self, frame: &Frame<'_>, instance: u32) -> Option<(u32, u32)> {
        let decoded = self.decoded.as_ref()?;
        decoded.operation_at(decoded.instance(frame.node?, instance)?)
    }

    pub(super) fn read_operand(
        &mut self,
        frame: &mut Frame<'_>,
        instance: u32,
        kind: &ExprKind,
    ) -> Result<u128, Leaving> {
        let uncounted = matches!(kind, ExprKind::Operand { mention: UNCOUNTED, .. });
        let Some((node, operation)) = self.operand(frame, instance) else { return Ok(0) };
        let Some(expression) = &self.state.model.operation(operation).expression else {
            // A member without EXPRESSION means its coded bits.
            return Ok(self.coded(frame, instance));
        };
        let value = self.run_expression(&expression.read, node, 0, uncounted)?;
        let read = isac_ir::bits::sign_extend(value, expression.width, 128);
        Ok(if expression.signed { read } else { value })
    }

    fn write_operand(&mut self, frame: &mut Frame<'_>, instance: u32, value: u128) -> Result<(), Leaving> {
        let Some((node, operation)) = self.operand(frame, instance) else { return Ok(()) };
        let Some(expression) = &self.state.model.operation(operation).expression else { return Ok(()) };
        let Some(write) = &expression.write else { return Ok(()) };
        let value = value & isac_ir::bits::mask(expression.width);
        self.run_expression(write, node, value, false).map(|_| ())
    }

    /// Runs an EXPRESSION's body; local 0 carries the value in or out.
    fn run_expression(
        &mut self,
        body: &'m Body,
        node: u32,
        value: u128,
        uncounted: bool,
    ) -> Result<u128, Leaving> {
        let mut locals = vec![0; body.locals.len().max(1)];
        locals[0] = value;
        let mut frame = Frame { body, node: Some(node), locals };
        if uncounted {
            let mut silent = Step {
                state: &mut *self.state,
                counts: &mut *self.counts,
                host: &mut *self.host,
                sink: &mut (),
                address: self.address,
                size_cells: self.size_cells,
                decoded: self.decoded.clone(),
                due: VecDeque::new(),
            };
            silent.run_statements(&mut frame, &body.statements, 0)?;
        } else {
            self.run_statements(&mut frame, &body.statements, 0)?;
        }
        Ok(frame.locals[0])
    }

    pub(super) fn field(&self, frame: &Frame<'_>, field: u32) -> u128 {
        match (&self.decoded, frame.node) {
            (Some(decoded), Some(node)) => decoded.field(self.state.model, node, field),
            _ => 0,
        }
    }

    pub(super) fn coded(&self, frame: &Frame<'_>, instance: u32) -> u128 {
        let node = self.child(frame.node, instance);
        match (&self.decoded, node) {
            (Some(decoded), Some(node)) => decoded.nodes[node as usize].coded,
            _ => 0,
        }
    }

    /// Tells of an access, made by the operation of the frame.
    pub(super) fn access(&mut self, frame: &Frame<'_>, access: u32, resource: u32, kind: AccessEvent) {
        if access != UNCOUNTED {
            let node = frame.node.unwrap_or(0);
            self.sink.event(Event::Access { node, resource, kind });
        }
    }
}

/// All words of an instruction as one, in the order of the elements.
fn joined_word(model: &isac_ir::Model, elements: &[Element]) -> Word {
    let mut bytes = Vec::new();
    for element in elements {
        let width = model.decoders[element.decoder as usize].width_bits;
        bytes.extend(element.word.to_be_bytes(width));
    }
    Word::new(&bytes).unwrap_or_default()
}
