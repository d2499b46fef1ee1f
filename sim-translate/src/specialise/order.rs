//! Values that belong together, evaluated in their order.
//!
//! What reading a register comes to is written down where it is used. Where an operand is mentioned between, which
//! may write to the register, it is read into a local first.

use std::collections::HashSet;

use isac_ir::behavior::Expr;
use sim_runtime::memory::CellStore;

use super::Specialiser;
use super::body::Frame;
use crate::residual::{Item, Kind, Op, Value, each_op};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// The values of expressions, each as it is when those before it have been evaluated and those behind it have
    /// not.
    pub(super) fn evaluate_all(
        &mut self,
        frame: &Frame<'m>,
        expressions: impl IntoIterator<Item = &'m Expr>,
        ops: &mut Vec<Op>,
    ) -> Vec<Value> {
        let mut values = Vec::new();
        for expression in expressions {
            let begin = ops.len();
            let value = self.evaluate(frame, expression, ops);
            self.hold_changed(&mut values, begin, ops);
            values.push(value);
        }
        values
    }

    /// The same of two.
    pub(super) fn evaluate_both(
        &mut self,
        frame: &Frame<'m>,
        (first, second): (&'m Expr, &'m Expr),
        ops: &mut Vec<Op>,
    ) -> (Value, Value) {
        let mut first = [self.evaluate(frame, first, ops)];
        let begin = ops.len();
        let second = self.evaluate(frame, second, ops);
        self.hold_changed(&mut first, begin, ops);
        let [first] = first;
        (first, second)
    }

    /// Holds those of the values that statements from `begin` on may change, which come behind them.
    fn hold_changed(&mut self, values: &mut [Value], begin: usize, ops: &mut Vec<Op>) {
        let changes = Changes::of(&ops[begin..]);
        let mut held = Vec::new();
        for value in values.iter_mut().filter(|value| changes.may_change(value)) {
            let local = self.new_local(value.width);
            self.environment.set(local, None);
            let read = std::mem::replace(value, Value::local(value.width, local));
            held.push(Op::Set(local, read));
        }
        ops.splice(begin..begin, held);
    }
}

/// What statements may change.
#[derive(Default)]
struct Changes {
    /// Register files.
    registers: HashSet<u32>,
    locals: HashSet<u32>,
    /// What counts cycles, and devices.
    has_effects: bool,
}

impl Changes {
    fn of(ops: &[Op]) -> Changes {
        let mut changes = Changes::default();
        each_op(ops, &mut |op| match op {
            Op::Set(local, _) => _ = changes.locals.insert(*local),
            Op::LinuxCall(local, _) | Op::Semihost(local, _) => {
                changes.locals.insert(*local);
                changes.has_effects = true;
            }
            Op::SetRegister { register, .. } | Op::SetElement { register, .. } => {
                changes.registers.insert(*register);
            }
            Op::SetMemory { .. } | Op::SetCellPart { .. } | Op::ExtraCycles(_) => {
                changes.has_effects = true;
            }
            _ => {}
        });
        changes
    }

    fn may_change(&self, value: &Value) -> bool {
        let mut may_change = false;
        value.walk(&mut |item| {
            let Item::Value(part) = item else { return };
            may_change |= match part.kind {
                Kind::Register { register, .. } => self.registers.contains(&register),
                Kind::Local(local) => self.locals.contains(&local),
                Kind::Cycles | Kind::Pending(_) => self.has_effects,
                _ => false,
            };
        });
        may_change
    }
}
