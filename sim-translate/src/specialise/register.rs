//! Registers as a step sees them: what is written is told to the mode, and the program counter is a local.

use sim_runtime::memory::CellStore;

use super::body::Flow;
use super::{Specialiser, item_local};
use crate::residual::{Kind, Op, PC, Value};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// Writes a register; the program counter is a local.
    pub(super) fn set_register(
        &mut self,
        register: u32,
        index: Option<Value>,
        low: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let table = &self.model.registers[register as usize];
        let element = index.as_ref().map_or(Some(0), Value::known);
        match (element.map(|element| u32::try_from(element).unwrap_or(u32::MAX)), index) {
            (Some(element), _) if self.model.pc_element() == Some((register, element)) => {
                let value = match (low, value.width == table.width_bits) {
                    (0, true) => value,
                    _ => self.with_bits(self.read_pc(), low, value, ops),
                };
                if self.strikes {
                    ops.push(Op::Strike(self.read_pc()));
                }
                self.assign(PC, value, ops);
            }
            (Some(element), _) if element < table.elements() => {
                if table.hardwired_value(element).is_some() {
                    // What the value is evaluated for stays.
                    if value.may_trap() {
                        let unused = self.new_local(value.width);
                        ops.push(Op::Set(unused, value));
                        self.environment.set(unused, None);
                    }
                } else {
                    self.write(Op::SetRegister { register, element, low, value }, ops);
                }
            }
            (_, Some(index)) => {
                self.put_pc(register, ops);
                self.write(Op::SetElement { register, index, low, value }, ops);
                if let Some((_, element)) = self.model.pc_element().filter(|(file, _)| *file == register) {
                    if self.strikes {
                        ops.push(Op::Strike(self.read_pc()));
                    }
                    let width = table.width_bits;
                    let held = Value { width, kind: Kind::Register { register, element, low: 0 } };
                    self.assign(PC, held, ops);
                }
            }
            (_, None) => {}
        }
        Flow::On
    }

    /// Puts the program counter where its register is, before an element of the same file is reached by
    /// an index that is not known.
    pub(super) fn put_pc(&mut self, file: u32, ops: &mut Vec<Op>) {
        if let Some((register, element)) = self.model.pc_element().filter(|(register, _)| *register == file) {
            ops.push(Op::SetRegister { register, element, low: 0, value: self.read_pc() });
        }
    }

    /// Writes a register, with what is then known of the mode.
    fn write(&mut self, op: Op, ops: &mut Vec<Op>) {
        let known = |item: usize| self.environment.get(item_local(item)).map(|value| value as u64);
        for (item, value) in self.items.written(&op, known) {
            self.environment.set(item_local(item), value.map(u128::from));
            self.written |= 1 << item;
        }
        ops.push(op);
    }

    /// What a local of the step holds.
    pub(super) fn read_local(&self, local: u32) -> Value {
        let width = self.locals[local as usize];
        match self.environment.get(local) {
            Some(known) => Value::constant(width, known),
            None => Value::local(width, local),
        }
    }

    /// What the program counter holds.
    pub(super) fn read_pc(&self) -> Value {
        let width = self.model.pc.width_bits;
        match self.environment.get(PC) {
            Some(known) => Value::constant(width, known),
            None => Value::local(width, PC),
        }
    }

    /// A value with some of its bits replaced.
    fn with_bits(&mut self, base: Value, low: u32, bits: Value, ops: &mut Vec<Op>) -> Value {
        let width = base.width;
        let above = width - low - bits.width;
        let held = match base.kind {
            Kind::Const(_) | Kind::Local(_) => base,
            _ => {
                let local = self.new_local(width);
                self.assign(local, base, ops);
                Value::local(width, local)
            }
        };
        let mut parts = Vec::new();
        if above > 0 {
            parts.push(Value::slice(above, held.clone(), width - above));
        }
        parts.push(bits);
        if low > 0 {
            parts.push(Value::slice(low, held, 0));
        }
        Value::concat(width, parts)
    }
}
