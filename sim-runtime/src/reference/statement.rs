//! Statements, carried out one by one.

use isac_ir::behavior::{Access, Stmt};
use sim_profile::{AccessEvent, Event, ValueKind};

use super::step::{Frame, Leaving, Step};
use crate::fault::{AccessKind, FaultKind, TURNS_UNASKED};
use crate::host::LinuxResult;
use crate::memory::{Reached, check_access, check_range};
use crate::print::print_parts;

impl<'m> Step<'m, '_> {
    // Bodies are run from several places; the loop over their statements is one piece of code.
    #[inline(never)]
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

    #[inline(always)]
    fn run_statement(
        &mut self,
        frame: &mut Frame<'m>,
        statement: &'m Stmt,
        time_node: u32,
    ) -> Result<(), Leaving> {
        match statement {
            Stmt::Set { local, value } => frame.locals[*local as usize] = self.evaluate(frame, value)?,
            Stmt::SetVariable { variable, value } => {
                let value = self.evaluate(frame, value)?;
                self.instruction.executions[frame.execution as usize].variables[*variable as usize] = value;
            }
            Stmt::SetRegister { register, index, low, value, access } => {
                let width = value.width;
                let value = self.evaluate(frame, value)?;
                let element = self.element(frame, *register, index.as_ref())?;
                self.access(frame, *access, *register, AccessEvent::Write);
                self.note_value(frame, *access, (*register, ValueKind::Written), value);
                self.state.write_bits(*register, element, *low, width, value);
            }
            Stmt::SetMemory { map, cells, address, value, access } => {
                let value = self.evaluate(frame, value)?;
                let address = self.evaluate(frame, address)? as u64;
                let model = self.state.model;
                let reached =
                    check_access(model, *map, address, *cells, AccessKind::Write).map_err(Leaving::Fault)?;
                self.access(frame, *access, model.registers.len() as u32 + map, AccessEvent::Write);
                let resource = model.registers.len() as u32 + map;
                self.note_value(frame, *access, (resource, ValueKind::Written), value);
                self.note_value(frame, *access, (resource, ValueKind::WrittenAddress), address.into());
                self.pay(*access, *map, (address, *cells), reached, true);
                self.note_write((*map, address, *cells));
                match reached {
                    Reached::Memory(landing) => {
                        self.state.memory.store(model, *map, landing, *cells, value);
                    }
                    Reached::Device(cells) => self.state.devices.write(model, self.host, cells, value),
                }
            }
            Stmt::SetReference { reference, value } => {
                let value = self.evaluate(frame, value)?;
                self.write_reference(frame.execution, *reference, value)?;
            }
            Stmt::SetCellPart { map, address, low, value, access } => {
                let width = value.width;
                let value = self.evaluate(frame, value)?;
                let address = self.evaluate(frame, address)? as u64;
                let model = self.state.model;
                let landing =
                    check_range(model, *map, address, 1, AccessKind::Write).map_err(Leaving::Fault)?;
                self.access(frame, *access, model.registers.len() as u32 + map, AccessEvent::Write);
                let resource = model.registers.len() as u32 + map;
                self.note_value(frame, *access, (resource, ValueKind::Written), value);
                self.note_value(frame, *access, (resource, ValueKind::WrittenAddress), address.into());
                self.pay(*access, *map, (address, 1), Reached::Memory(landing), true);
                self.note_write((*map, address, 1));
                self.state.memory.store_part(landing, *low, width, value);
            }
            Stmt::SetOperand { instance, value, .. } => {
                let value = self.evaluate(frame, value)?;
                self.write_operand(frame.execution, *instance, value)?;
            }
            Stmt::Bind { binding, .. } => self.bind(frame, *binding)?,
            Stmt::SetBound { binding, value, .. } => {
                let value = self.evaluate(frame, value)?;
                self.write_bound(frame, *binding, value)?;
            }
            Stmt::Touch(access) => {
                let Access { resource, kind, .. } = frame.body.accesses[*access as usize];
                let event = match kind {
                    isac_ir::behavior::AccessKind::Read => AccessEvent::Read,
                    isac_ir::behavior::AccessKind::Write => AccessEvent::Write,
                    isac_ir::behavior::AccessKind::Execute => AccessEvent::Execute,
                };
                self.access(frame, *access, resource, event);
                if let Some(map) = resource.checked_sub(self.state.model.registers.len() as u32) {
                    self.pay_other(map);
                }
            }
            Stmt::Count(_) => {}
            Stmt::Visit(point) => self.visit(frame, *point)?,
            Stmt::If { condition, then, otherwise } => {
                let taken = self.evaluate(frame, condition)? != 0;
                self.run_statements(frame, if taken { then } else { otherwise }, time_node)?;
            }
            Stmt::Loop { label, body } => loop {
                self.begin_turn()?;
                match self.run_statements(frame, body, time_node) {
                    Err(Leaving::Label(left)) if left == *label => break,
                    other => other?,
                }
            },
            Stmt::Block { label, body } => match self.run_statements(frame, body, time_node) {
                Err(Leaving::Label(left)) if left == *label => {}
                other => other?,
            },
            Stmt::Call { body, .. } => self.run_statements(frame, body, time_node)?,
            Stmt::Leave(label) => return Err(Leaving::Label(*label)),
            Stmt::Halt(status) => return Err(Leaving::Halt(self.evaluate(frame, status)? as u32 as i32)),
            Stmt::Illegal => return Err(Leaving::Fault(FaultKind::IllegalInstruction)),
            Stmt::Unhandled => {
                let (address, access) = self.fault;
                return Err(Leaving::Fault(FaultKind::Memory { access, address }));
            }
            Stmt::DivisionByZero => return Err(Leaving::Fault(FaultKind::DivisionByZero)),
            Stmt::Cancel => return Err(Leaving::Cancel),
            Stmt::ExtraCycles(cycles) => {
                let cycles = self.evaluate(frame, cycles)? as u64;
                self.counts.extra_cycles = self.counts.extra_cycles.saturating_add(cycles);
                self.counts.cycles = self.counts.cycles.saturating_add(cycles);
                self.sink.event(Event::ExtraCycles { cycles });
            }
            Stmt::LinuxCall { result, arguments } => {
                let result = *result as usize;
                frame.locals[result] = self.linux_call(frame, arguments)?;
            }
            Stmt::Semihost { result, arguments } => {
                let result = *result as usize;
                frame.locals[result] = self.semihost(frame, arguments)?;
            }
            Stmt::Print(parts) => {
                let values = self.evaluate_all(frame, &statement.expressions())?;
                self.host.print(&print_parts(parts, &values));
            }
            Stmt::Explain { address, parts } => {
                let address = self.evaluate(frame, address)? as u64;
                let values = self.evaluate_all(frame, &statement.expressions()[1..])?;
                self.host.explain(address, &print_parts(parts, &values));
            }
            Stmt::Event(name) => self.sink.event(Event::ModelEvent { name }),
            Stmt::Decode { instance, element, source } => {
                self.decode_element(frame, *instance, *element, source)?;
            }
            Stmt::OpenNode { label } => self.open_node(Some(*label)),
            Stmt::CloseNode => self.open_node(None),
            Stmt::Activate { instance, delay } => self.schedule(frame, *instance, *delay, time_node),
            Stmt::Stall { stage, cycles, maps } => {
                let cycles = self.evaluate(frame, cycles)? as u64;
                let hold = self.hold(self.operation_of(frame), self.stall_reason(maps), *stage);
                self.flight.stall(*stage, cycles, hold);
            }
            Stmt::Flush(stage) => self.flush(*stage),
            Stmt::Retry { pipeline } => return Err(self.retry(*pipeline, self.operation_of(frame))),
        }
        Ok(())
    }

    /// A turn of a loop begins: now and then somebody is asked whether the run is to end.
    fn begin_turn(&mut self) -> Result<(), Leaving> {
        self.counts.turns = self.counts.turns.wrapping_add(1);
        match self.counts.turns.is_multiple_of(TURNS_UNASKED) && self.host.is_interrupted() {
            true => Err(Leaving::Interrupt),
            false => Ok(()),
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

    fn semihost(
        &mut self,
        frame: &mut Frame<'m>,
        arguments: &'m [isac_ir::behavior::Expr],
    ) -> Result<u128, Leaving> {
        let mut values = [0u64; 2];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.evaluate(frame, argument)? as u64;
        }
        let abi = crate::record::abi(self.state.model);
        let map = self.state.model.target.host_map.unwrap_or(0) as usize;
        match self.host.semihost(self.state, map, abi, self.counts.cycles, values[0], values[1]) {
            LinuxResult::Return(value) => Ok(u128::from(value as u64)),
            LinuxResult::Exit(status) => Err(Leaving::Halt(status)),
        }
    }
}
