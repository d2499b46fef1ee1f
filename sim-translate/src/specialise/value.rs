//! Expressions: what is known becomes a constant.

use isac_ir::behavior::{AccessKind as Counted, Expr, ExprKind, UNCOUNTED};
use isac_ir::operand::MentionKind;
use sim_profile::ValueKind;
use sim_runtime::AccessKind;
use sim_runtime::memory::{CellStore, Reached, check_access, join_cells};

use super::body::Frame;
use super::{Specialiser, item_local};
use crate::residual::{Kind, Op, Value};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// The value of an expression of a body.
    pub(super) fn evaluate(&mut self, frame: &Frame<'m>, expr: &'m Expr, ops: &mut Vec<Op>) -> Value {
        let width = expr.width;
        let known = |value: u128| Value::constant(width, value);
        match &expr.kind {
            ExprKind::Const(value) => known(*value),
            ExprKind::Local(local) => {
                let local = frame.locals[*local as usize];
                match self.environment.get(local) {
                    Some(value) => known(value),
                    None => Value::local(width, local),
                }
            }
            ExprKind::Field(field) => {
                let tree = self.tree().zip(frame.node);
                known(tree.map_or(0, |(tree, node)| tree.field(self.model, node, *field)))
            }
            ExprKind::Coded(instance) => known(self.coded(frame.node, *instance)),
            ExprKind::Chosen { instance, member } => {
                let tree = self.tree().zip(frame.node);
                known(tree.is_some_and(|(tree, node)| tree.has_chosen(node, *instance, *member)).into())
            }
            ExprKind::MemberField { instance, fields } => {
                known(self.member_field(frame.node, *instance, fields))
            }
            ExprKind::InstructionAddress => known(self.place.address.into()),
            ExprKind::InstructionSize => match self.size {
                Some(size) => fit(self.read_local(size), width),
                None => known(self.size_cells().into()),
            },
            ExprKind::Cycles => Value { width, kind: Kind::Cycles },
            ExprKind::Instructions => Value { width, kind: Kind::Instructions },
            ExprKind::FaultAddress => Value { width, kind: Kind::FaultAddress },
            ExprKind::FaultAccess => Value { width, kind: Kind::FaultAccess },
            // What was written may have been a device that says when a timer's time comes.
            ExprKind::Pending(device) if self.asks_timers || self.has_stored => {
                Value { width, kind: Kind::Pending(*device) }
            }
            ExprKind::Pending(device) => known((self.place.pending >> device & 1).into()),
            ExprKind::Busy(_) => known(0),
            // Without caches an access costs one cycle.
            ExprKind::Latency(_) => known(1),
            ExprKind::Register { register, index, access } => {
                let read = self.register(frame, *register, index.as_deref(), (0, width), ops);
                self.note(frame, *access, (*register, ValueKind::Read), &read, ops);
                read
            }
            ExprKind::RegisterPart { register, index, low, access } => {
                let read = self.register(frame, *register, index.as_deref(), (*low, width), ops);
                self.note(frame, *access, (*register, ValueKind::Read), &read, ops);
                read
            }
            ExprKind::Memory { map, cells, address, access } => {
                let address = Box::new(self.evaluate(frame, address, ops));
                let kind = kind_of_read(frame, *access);
                let fetched = address.known().filter(|_| kind == AccessKind::Fetch);
                let told = (*address).clone();
                let read = match fetched.and_then(|address| self.fetch((*map, *cells), address)) {
                    Some(fetched) => known(fetched),
                    None => {
                        let kind = Kind::Memory { map: *map, cells: *cells, address, access: kind };
                        self.held(Value { width, kind }, ops)
                    }
                };
                let resource = self.map_resource(*map);
                self.note(frame, *access, (resource, ValueKind::ReadAddress), &told, ops);
                self.note(frame, *access, (resource, ValueKind::Read), &read, ops);
                read
            }
            ExprKind::CellPart { map, address, low, access } => {
                let address = Box::new(self.evaluate(frame, address, ops));
                let kind = match kind_of_read(frame, *access) {
                    AccessKind::Write => AccessKind::Read,
                    kind => kind,
                };
                let told = (*address).clone();
                let kind = Kind::CellPart { map: *map, address, low: *low, access: kind };
                let read = self.held(Value { width, kind }, ops);
                let resource = self.map_resource(*map);
                self.note(frame, *access, (resource, ValueKind::ReadAddress), &told, ops);
                self.note(frame, *access, (resource, ValueKind::Read), &read, ops);
                read
            }
            ExprKind::Operand { instance, .. } => {
                let value = self.read_operand(frame.execution, *instance, false, ops);
                fit(value, width)
            }
            ExprKind::Bound { binding, keeps, .. } => {
                let kind = if *keeps { MentionKind::KeepBound } else { MentionKind::ReadBound };
                let value = self.read_found(frame, *binding, kind, ops);
                fit(value, width)
            }
            ExprKind::Unary(operator, operand) => {
                let operand = self.evaluate(frame, operand, ops);
                Value::unary(*operator, width, operand)
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = self.evaluate_both(frame, (left, right), ops);
                Value::binary(*operator, width, left, right)
            }
            ExprKind::ZeroExtend(operand) => Value::zero_extend(width, self.evaluate(frame, operand, ops)),
            ExprKind::SignExtend(operand) => Value::sign_extend(width, self.evaluate(frame, operand, ops)),
            ExprKind::Slice { base, low } => Value::slice(width, self.evaluate(frame, base, ops), *low),
            ExprKind::Bit { base, index } => {
                let (base, index) = self.evaluate_both(frame, (base, index), ops);
                Value::bit(base, index)
            }
            ExprKind::Concat(parts) => Value::concat(width, self.evaluate_all(frame, parts, ops)),
            ExprKind::Select(condition, then, otherwise) => {
                // Neither has accesses: nothing is lost if both are evaluated.
                let condition = self.evaluate(frame, condition, ops);
                let then = self.evaluate(frame, then, ops);
                let otherwise = self.evaluate(frame, otherwise, ops);
                Value::select(condition, then, otherwise)
            }
            ExprKind::Variable(variable) => fit(self.read_variable(frame.execution, *variable), width),
            ExprKind::Reference(reference) => {
                let value = self.read_reference(frame.execution, *reference, ops);
                fit(value, width)
            }
            ExprKind::CodedReference(reference) => known(self.coded_reference(frame.execution, *reference)),
            ExprKind::MemberFieldReference { reference, fields } => {
                known(self.member_field_reference(frame.execution, *reference, fields))
            }
        }
    }

    /// A value that has to be evaluated here, once, whatever becomes of it: it is put into a local.
    pub(super) fn held(&mut self, value: Value, ops: &mut Vec<Op>) -> Value {
        let (width, local) = (value.width, self.new_local(value.width));
        self.assign(local, value, ops);
        Value::local(width, local)
    }

    /// Bits of a register; what is read here is not what a later write makes of it.
    fn register(
        &mut self,
        frame: &Frame<'m>,
        register: u32,
        index: Option<&'m Expr>,
        (low, width): (u32, u32),
        ops: &mut Vec<Op>,
    ) -> Value {
        let index = index.map(|index| self.evaluate(frame, index, ops));
        let table = &self.model.registers[register as usize];
        let element = index.as_ref().map_or(Some(0), Value::known);
        match (element.map(|element| u32::try_from(element).unwrap_or(u32::MAX)), index) {
            (Some(element), _) if self.model.pc_element() == Some((register, element)) => {
                Value::slice(width, self.read_pc(), low)
            }
            (Some(element), _) if element < table.elements() => match table.hardwired_value(element) {
                Some(value) => Value::constant(width, value.checked_shr(low).unwrap_or(0)),
                None => match self.known_of_mode((register, element), low, width) {
                    Some(value) => value,
                    None => Value { width, kind: Kind::Register { register, element, low } },
                },
            },
            (_, index) => {
                let index = Box::new(index.unwrap_or_else(|| Value::constant(1, 0)));
                self.put_pc(register, ops);
                self.held(Value { width, kind: Kind::Element { register, index, low } }, ops)
            }
        }
    }

    /// Cells that are fetched as instructions are: they are taken to stay as they are until somebody
    /// writes to them, as the instruction itself is.
    fn fetch(&mut self, (map, cells): (u32, u32), address: u128) -> Option<u128> {
        let address = u64::try_from(address).ok().filter(|_| !self.has_stored)?;
        match check_access(self.model, map, address, cells, AccessKind::Fetch) {
            Ok(Reached::Memory(landing)) => {
                self.fetched.push((landing.ram, landing.cell, cells));
                Some(join_cells(self.model, map, self.store, landing, cells))
            }
            Ok(Reached::Device(_)) | Err(_) => None,
        }
    }

    /// Bits of an element, if the mode tells what they are.
    fn known_of_mode(&mut self, element: (u32, u32), low: u32, width: u32) -> Option<Value> {
        let (item, from) = self.items.find(element, low, width)?;
        if self.written >> item & 1 == 0 {
            self.wanted |= 1 << item;
        }
        let value = self.environment.get(item_local(item))?;
        Some(Value::constant(width, value >> from))
    }

    /// The coded bits of an instance.
    pub(super) fn coded(&self, node: Option<u32>, instance: u32) -> u128 {
        let child = self.child(node, instance);
        self.tree().zip(child).map_or(0, |(tree, child)| tree.nodes[child as usize].coded)
    }

    pub(super) fn member_field(&self, node: Option<u32>, instance: u32, fields: &[(u32, u32)]) -> u128 {
        let Some((node, operation)) = self.chosen(node, instance) else { return 0 };
        let field = fields.iter().find(|(member, _)| *member == operation);
        match (self.tree(), field) {
            (Some(tree), Some((_, field))) => tree.field(self.model, node, *field),
            _ => 0,
        }
    }
}

/// A value in another width: the upper bits are cut, or 0.
pub(super) fn fit(value: Value, width: u32) -> Value {
    match value.width.cmp(&width) {
        std::cmp::Ordering::Less => Value::zero_extend(width, value),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => Value::slice(width, value, 0),
    }
}

/// What reading cells asks of them: a fetch, or data; what a partial write keeps is part of it.
fn kind_of_read(frame: &Frame<'_>, access: u32) -> AccessKind {
    if access == UNCOUNTED {
        return AccessKind::Write;
    }
    match frame.body.accesses[access as usize].kind {
        Counted::Execute => AccessKind::Fetch,
        Counted::Read | Counted::Write => AccessKind::Read,
    }
}
