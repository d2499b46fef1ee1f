//! Values of expressions, computed in the plainest way: a bit pattern in 128 bits.

use isac_ir::behavior::{Expr, ExprKind, UNCOUNTED};
use isac_ir::bits::{mask, sign_extend};
use isac_ir::operation::Referred;
use isac_ir::syntax::evaluate::{binary, unary};
use sim_profile::{AccessEvent, ValueKind};

use super::step::{Frame, Leaving, Step};
use crate::fault::{AccessKind, FaultKind};
use crate::inspection::TouchedCells;
use crate::memory::{Reached, check_access, check_range};

impl Step<'_, '_> {
    /// The values of expressions, in order.
    pub(super) fn evaluate_all(
        &mut self,
        frame: &mut Frame<'_>,
        exprs: &[&Expr],
    ) -> Result<Vec<u128>, Leaving> {
        exprs.iter().map(|expr| self.evaluate(frame, expr)).collect()
    }

    /// The value of an expression, its upper bits 0.
    pub(super) fn evaluate(&mut self, frame: &mut Frame<'_>, expr: &Expr) -> Result<u128, Leaving> {
        let width = expr.width;
        let value = match &expr.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Local(local) => frame.locals[*local as usize],
            ExprKind::Variable(variable) => {
                self.instruction.executions[frame.execution as usize].variables[*variable as usize]
            }
            ExprKind::Reference(reference) => self.read_reference(frame.execution, *reference)?,
            ExprKind::CodedReference(reference) => match self.referred(frame.execution, *reference) {
                (execution, Referred::Instance(instance)) => self.coded(execution, instance),
                _ => 0,
            },
            ExprKind::Field(field) => self.field(frame.execution, *field),
            ExprKind::Coded(instance) => self.coded(frame.execution, *instance),
            ExprKind::Chosen { instance, member } => {
                self.has_chosen(frame.execution, *instance, *member).into()
            }
            ExprKind::MemberField { instance, fields } => {
                self.member_field(frame.execution, *instance, fields)
            }
            ExprKind::MemberFieldReference { reference, fields } => {
                match self.referred(frame.execution, *reference) {
                    (execution, Referred::Instance(instance)) => {
                        self.member_field(execution, instance, fields)
                    }
                    _ => 0,
                }
            }
            ExprKind::InstructionAddress => u128::from(self.instruction.address),
            ExprKind::InstructionSize => u128::from(self.instruction.size_cells),
            ExprKind::Cycles => u128::from(self.counts.cycles),
            ExprKind::Instructions => u128::from(self.counts.instructions),
            ExprKind::FaultAddress => self.fault.0.into(),
            ExprKind::FaultAccess => self.fault.1.number().into(),
            ExprKind::Busy(stage) => self.flight.is_busy(*stage).into(),
            ExprKind::Latency(map) => self.latency(*map).into(),
            ExprKind::Pending(device) => {
                self.state.devices.is_pending(*device as usize, self.counts.cycles).into()
            }
            ExprKind::Register { register, index, access } => {
                let element = self.element(frame, *register, index.as_deref())?;
                self.access(frame, *access, *register, AccessEvent::Read);
                let value = self.state.registers[*register as usize][element as usize].to_u128();
                self.note_value(frame, *access, (*register, ValueKind::Read), value);
                value
            }
            ExprKind::RegisterPart { register, index, low, access } => {
                let element = self.element(frame, *register, index.as_deref())?;
                self.access(frame, *access, *register, AccessEvent::Read);
                let value = self.state.registers[*register as usize][element as usize].extract(*low, width);
                self.note_value(frame, *access, (*register, ValueKind::Read), value);
                value
            }
            ExprKind::CellPart { map, address, low, access } => {
                let address = self.evaluate(frame, address)? as u64;
                let value = self.load_part(frame, *map, address, (*low, width), *access)?;
                let resource = self.state.model.registers.len() as u32 + map;
                self.note_value(frame, *access, (resource, ValueKind::Read), value);
                self.note_value(frame, *access, (resource, ValueKind::ReadAddress), address.into());
                value
            }
            ExprKind::Memory { map, cells, address, access } => {
                let address = self.evaluate(frame, address)? as u64;
                let value = self.load(frame, *map, *cells, address, *access)?;
                let resource = self.state.model.registers.len() as u32 + map;
                self.note_value(frame, *access, (resource, ValueKind::Read), value);
                self.note_value(frame, *access, (resource, ValueKind::ReadAddress), address.into());
                value
            }
            ExprKind::Operand { instance, .. } => self.read_operand(frame.execution, *instance)?,
            ExprKind::Bound { binding, keeps, .. } => self.read_bound(frame, *binding, *keeps)?,
            ExprKind::Unary(operator, operand) => {
                let operand = self.evaluate(frame, operand)?;
                unary(*operator, operand, width)
            }
            ExprKind::Binary(operator, left, right) => {
                let operand_width = left.width;
                let left = self.evaluate(frame, left)?;
                let right = self.evaluate(frame, right)?;
                binary(*operator, left, right, operand_width)
            }
            ExprKind::ZeroExtend(operand) => self.evaluate(frame, operand)?,
            ExprKind::SignExtend(operand) => {
                let from = operand.width;
                sign_extend(self.evaluate(frame, operand)?, from, width)
            }
            ExprKind::Slice { base, low } => self.evaluate(frame, base)? >> low,
            ExprKind::Bit { base, index } => {
                let (bits, base) = (base.width, self.evaluate(frame, base)?);
                let index = self.evaluate(frame, index)?;
                if index < u128::from(bits) { base >> index & 1 } else { 0 }
            }
            ExprKind::Concat(parts) => {
                let mut value = 0;
                for part in parts {
                    let low = self.evaluate(frame, part)?;
                    value = value << (part.width % 128) | low;
                }
                value
            }
            ExprKind::Select(condition, then, otherwise) => match self.evaluate(frame, condition)? {
                0 => self.evaluate(frame, otherwise)?,
                _ => self.evaluate(frame, then)?,
            },
        };
        Ok(value & mask(width))
    }

    /// The element of a register file; outside of it is a fault.
    pub(super) fn element(
        &mut self,
        frame: &mut Frame<'_>,
        register: u32,
        index: Option<&Expr>,
    ) -> Result<u32, Leaving> {
        let Some(index) = index else { return Ok(0) };
        let index = self.evaluate(frame, index)?;
        let elements = self.state.model.registers[register as usize].elements();
        match u32::try_from(index) {
            Ok(element) if element < elements => Ok(element),
            _ => Err(Leaving::Fault(FaultKind::RegisterIndex { register, index: index as u64 })),
        }
    }

    /// Bits of one cell of more than 128 bits; only memory has such cells.
    fn load_part(
        &mut self,
        frame: &mut Frame<'_>,
        map: u32,
        address: u64,
        (low, width): (u32, u32),
        access: u32,
    ) -> Result<u128, Leaving> {
        let (kind, event) = kind_of_read(frame, access);
        let model = self.state.model;
        let landing = check_range(model, map, address, 1, kind).map_err(|fault| self.read_fault(fault))?;
        self.access(frame, access, model.registers.len() as u32 + map, event);
        self.pay(access, map, (address, 1), Reached::Memory(landing), false);
        self.note_read(kind, (map, address, 1));
        Ok(self.state.memory.load_part(landing, low, width))
    }

    /// Keeps which cells of data a read touches, where somebody watches.
    fn note_read(&mut self, kind: AccessKind, (map, address, cells): (u32, u64, u32)) {
        if let (AccessKind::Read, Some(touched)) = (kind, &mut self.state.touched) {
            touched.push(TouchedCells { map, address, cells, is_write: false });
        }
    }

    /// The same of a write.
    pub(super) fn note_write(&mut self, (map, address, cells): (u32, u64, u32)) {
        if let Some(touched) = &mut self.state.touched {
            touched.push(TouchedCells { map, address, cells, is_write: true });
        }
    }

    fn load(
        &mut self,
        frame: &mut Frame<'_>,
        map: u32,
        cells: u32,
        address: u64,
        access: u32,
    ) -> Result<u128, Leaving> {
        let (kind, event) = kind_of_read(frame, access);
        // Keeping the other cells of a partial write is part of that write.
        let kind = if access == UNCOUNTED { AccessKind::Write } else { kind };
        let model = self.state.model;
        let reached =
            check_access(model, map, address, cells, kind).map_err(|fault| self.read_fault(fault))?;
        let resource = model.registers.len() as u32 + map;
        self.access(frame, access, resource, event);
        self.pay(access, map, (address, cells), reached, false);
        self.note_read(kind, (map, address, cells));
        let (cycles, devices) = (self.counts.cycles, &mut self.state.devices);
        Ok(match reached {
            Reached::Memory(landing) => self.state.memory.load(model, map, landing, cells),
            Reached::Device(cells) if access == UNCOUNTED => devices.keep(model, cycles, cells),
            Reached::Device(cells) => devices.read(model, self.host, cycles, cells),
        })
    }
}

/// What reading cells asks of them and tells: a fetch, or a read of data.
fn kind_of_read(frame: &Frame<'_>, access: u32) -> (AccessKind, AccessEvent) {
    let fetch = access != UNCOUNTED
        && frame.body.accesses[access as usize].kind == isac_ir::behavior::AccessKind::Execute;
    match fetch {
        true => (AccessKind::Fetch, AccessEvent::Execute),
        false => (AccessKind::Read, AccessEvent::Read),
    }
}
