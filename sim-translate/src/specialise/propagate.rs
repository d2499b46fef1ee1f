//! Simple values are carried from where a local is assigned to where it is read: an address that a
//! FUNCTION was given is again a register and a constant, as the access checks want it.

use std::collections::HashMap;

use isac_ir::behavior::BinaryOp;

use crate::residual::{Item, Kind, Op, PC, Value, walk_ops};

/// Most parts of a value that is evaluated again instead of kept.
const SIMPLE: usize = 5;

/// Carries simple values to their readers, and drops what nobody reads any more.
pub(super) fn propagate(ops: &mut Vec<Op>) {
    carry(ops, &mut Known::default());
    drop_unread(ops);
}

/// Locals that hold what is as quickly evaluated again.
#[derive(Clone, Default)]
struct Known {
    values: HashMap<u32, Value>,
}

impl Known {
    /// A local is assigned: what was said of it, or by it, no longer holds.
    fn forget_local(&mut self, local: u32) {
        self.values.remove(&local);
        self.values
            .retain(|_, value| !mentions(value, &|kind| matches!(kind, Kind::Local(read) if *read == local)));
    }

    /// A register is written, at an index that may not be known.
    fn forget_register(&mut self, register: u32, element: Option<u32>) {
        self.values.retain(|_, value| {
            !mentions(value, &|kind| match kind {
                Kind::Register { register: read, element: at, .. } => {
                    *read == register && element.is_none_or(|element| element == *at)
                }
                _ => false,
            })
        });
    }

    /// Whatever statements that may run at some time may change.
    fn forget_written(&mut self, ops: &[Op]) {
        walk_ops(ops, &mut |item| {
            if let Item::Op(op) = item {
                self.forget_changed(op);
            }
        });
    }

    /// What one statement itself changes.
    fn forget_changed(&mut self, op: &Op) {
        match op {
            Op::Set(local, _) | Op::LinuxCall(local, _) | Op::Semihost(local, _) => self.forget_local(*local),
            Op::SetRegister { register, element, .. } => self.forget_register(*register, Some(*element)),
            Op::SetElement { register, .. } => self.forget_register(*register, None),
            _ => {}
        }
    }
}

fn mentions(value: &Value, is_it: &dyn Fn(&Kind) -> bool) -> bool {
    is_it(&value.kind) || value.children().iter().any(|child| mentions(child, is_it))
}

/// Goes through a list, with what is known before it; behind it, what is known there.
fn carry(ops: &mut [Op], known: &mut Known) {
    for op in ops {
        op.values_mut().into_iter().for_each(|value| put_in(value, known));
        match op {
            Op::If(_, then, otherwise) => {
                carry(then, &mut known.clone());
                carry(otherwise, &mut known.clone());
                known.forget_written(then);
                known.forget_written(otherwise);
            }
            // What a turn changes is not known at the next.
            Op::Loop(_, body) => {
                known.forget_written(body);
                carry(body, &mut known.clone());
            }
            Op::Block(_, body) => {
                carry(body, &mut known.clone());
                known.forget_written(body);
            }
            Op::Set(local, value) => {
                let (local, value) = (*local, value.clone());
                known.forget_local(local);
                let names_itself =
                    mentions(&value, &|kind| matches!(kind, Kind::Local(read) if *read == local));
                if local != PC && !names_itself && is_simple(&value) {
                    known.values.insert(local, value);
                }
            }
            _ => known.forget_changed(op),
        }
    }
}

/// True for what costs no more than reading it from where it was kept.
fn is_simple(value: &Value) -> bool {
    let mut parts = 0;
    let mut is_simple = true;
    value.walk(&mut |item| {
        let Item::Value(part) = item else { return };
        parts += 1;
        is_simple &= match &part.kind {
            Kind::Const(_) | Kind::Register { .. } => true,
            Kind::Local(local) => *local != PC,
            Kind::ZeroExtend(_) | Kind::SignExtend(_) | Kind::Slice { .. } => true,
            Kind::Binary(BinaryOp::Add, left, right) => left.known().is_some() || right.known().is_some(),
            _ => false,
        };
    });
    is_simple && parts <= SIMPLE
}

/// Puts known values in the place of locals.
fn put_in(value: &mut Value, known: &Known) {
    if known.values.is_empty() {
        return;
    }
    if let Kind::Local(local) = value.kind {
        if let Some(simple) = known.values.get(&local).filter(|simple| simple.width == value.width) {
            *value = simple.clone();
        }
        return;
    }
    for child in value.children_mut() {
        put_in(child, known);
    }
    fold(value);
}

/// Works out what has become simpler.
fn fold(value: &mut Value) {
    let width = value.width;
    let nothing = Kind::Const(0);
    *value = match std::mem::replace(&mut value.kind, nothing) {
        Kind::ZeroExtend(inner) => Value::zero_extend(width, *inner),
        Kind::SignExtend(inner) => Value::sign_extend(width, *inner),
        Kind::Slice { base, low } => Value::slice(width, *base, low),
        Kind::Binary(BinaryOp::Add, left, right) => add(width, *left, *right),
        kind => Value { width, kind },
    };
}

/// A sum; constants in it are added up.
fn add(width: u32, left: Value, right: Value) -> Value {
    let constant = right.known();
    match (left.kind, constant) {
        (Kind::Binary(BinaryOp::Add, base, inner), Some(outer)) if inner.known().is_some() => {
            let sum = outer.wrapping_add(inner.known().unwrap_or(0));
            Value::binary(BinaryOp::Add, width, *base, Value::constant(width, sum))
        }
        (kind, _) => Value::binary(BinaryOp::Add, width, Value { width, kind }, right),
    }
}

/// Drops assignments to locals that nothing reads, as long as evaluating them is not noticed.
fn drop_unread(ops: &mut Vec<Op>) {
    loop {
        let mut read = std::collections::HashSet::new();
        walk_ops(ops, &mut |item| match item {
            Item::Value(Value { kind: Kind::Local(local), .. }) | Item::Op(Op::CountLocal(_, local)) => {
                read.insert(*local);
            }
            _ => {}
        });
        if !drop_sets(ops, &|local| local == PC || read.contains(&local)) {
            return;
        }
    }
}

fn drop_sets(ops: &mut Vec<Op>, is_read: &dyn Fn(u32) -> bool) -> bool {
    let before = ops.len();
    ops.retain(|op| match op {
        Op::Set(local, value) => is_read(*local) || value.may_trap(),
        _ => true,
    });
    let mut dropped = ops.len() < before;
    for list in ops.iter_mut().flat_map(Op::lists_mut) {
        dropped |= drop_sets(list, is_read);
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(element: u32) -> Value {
        Value { width: 32, kind: Kind::Register { register: 0, element, low: 0 } }
    }

    fn sum(base: Value, constant: u128) -> Value {
        Value::binary(BinaryOp::Add, 32, base, Value::constant(32, constant))
    }

    fn write(element: u32, value: Value) -> Op {
        Op::SetRegister { register: 0, element, low: 0, value }
    }

    #[test]
    fn sums_reach_their_readers_and_constants_are_added_up() {
        let mut ops = vec![
            Op::Set(1, sum(register(2), 4)),
            Op::Set(2, sum(Value::local(32, 1), 0xffff_fffe)),
            write(5, Value::local(32, 2)),
        ];
        propagate(&mut ops);
        assert_eq!(ops, [write(5, sum(register(2), 2))]);
    }

    #[test]
    fn what_was_read_before_a_write_stays_in_its_local() {
        let kept = Op::Set(1, register(2));
        let mut ops = vec![kept.clone(), write(2, Value::constant(32, 7)), write(3, Value::local(32, 1))];
        let expected = ops.clone();
        propagate(&mut ops);
        assert_eq!(ops, expected);
    }

    #[test]
    fn an_arm_that_may_run_takes_what_it_changes_from_those_behind() {
        let condition = Value { width: 1, kind: Kind::Register { register: 1, element: 0, low: 0 } };
        let mut ops = vec![
            Op::Set(1, register(2)),
            Op::If(condition, vec![Op::Set(1, register(3))], vec![]),
            write(4, Value::local(32, 1)),
        ];
        let expected = ops.clone();
        propagate(&mut ops);
        assert_eq!(ops, expected);
    }

    #[test]
    fn a_loop_reads_what_its_last_turn_has_left() {
        let body =
            vec![write(4, Value::local(32, 1)), Op::Set(1, sum(Value::local(32, 1), 1)), Op::Leave(9, 0)];
        let mut ops = vec![Op::Set(1, register(2)), Op::Loop(9, body)];
        let expected = ops.clone();
        propagate(&mut ops);
        assert_eq!(ops, expected);
    }
}
