//! Simple values are carried from where a local is assigned to where it is read: an address that a
//! FUNCTION was given is again a register and a constant, as the access checks want it.

use isac_ir::behavior::BinaryOp;
use rustc_hash::FxHashMap as HashMap;
use smallvec::{SmallVec, smallvec};

use crate::residual::{Item, Kind, Op, PC, Value, each_op, walk_ops};

/// Most parts of a value that is evaluated again instead of kept.
const SIMPLE: usize = 5;

/// Carries simple values to their readers, and drops what nobody reads any more.
pub(super) fn propagate(ops: &mut Vec<Op>) {
    carry(ops, &mut Known::default());
    drop_unread(ops);
}

/// What a value is made of that may change.
#[derive(Debug, Clone, Copy)]
enum Source {
    Local(u32),
    Element(u32, u32),
}

/// Locals that hold what is as quickly evaluated again.
///
/// Nothing is searched for when something is assigned: each source has a number, which changes with it,
/// and a value holds as long as its sources, and the local that it stands for, have the numbers that they had.
#[derive(Default)]
struct Known {
    /// By local.
    values: Vec<Option<Kept>>,
    /// How many are kept.
    kept: usize,
    /// The number of each local; 0 for one that has not changed.
    locals: Vec<u32>,
    /// The same of elements of registers, by register and element.
    elements: HashMap<(u32, u32), u32>,
    /// Of registers that were written at an index that is not known.
    files: HashMap<u32, u32>,
    last: u32,
    /// The last number when the arm at hand was entered: what has a higher one is noted among the changes.
    entered: u32,
    /// What changed since an arm was entered, and what was before.
    undone: Vec<Change>,
}

/// A value, and what it is made of with the numbers that this had.
type Kept = (Value, SmallVec<[(Source, u32); 4]>);

enum Change {
    Value(u32, Option<Kept>),
    Number(Source, u32),
    File(u32, u32),
}

impl Known {
    /// What is known of a local.
    fn get(&self, local: u32) -> Option<&Value> {
        let (value, sources) = self.values.get(local as usize)?.as_ref()?;
        sources.iter().all(|(source, number)| self.number(*source) == *number).then_some(value)
    }

    fn insert(&mut self, local: u32, value: Value) {
        let mut sources: SmallVec<[Source; 4]> = smallvec![Source::Local(local)];
        value.walk(&mut |item| match item {
            Item::Value(Value { kind: Kind::Local(local), .. }) => sources.push(Source::Local(*local)),
            Item::Value(Value { kind: Kind::Register { register, element, .. }, .. }) => {
                sources.push(Source::Element(*register, *element));
            }
            _ => {}
        });
        let sources = sources.into_iter().map(|source| (source, self.number(source))).collect();
        let before = entry_at(&mut self.values, local).replace((value, sources));
        self.kept += usize::from(before.is_none());
        self.undone.push(Change::Value(local, before));
    }

    /// Changes with the source.
    fn number(&self, source: Source) -> u32 {
        match source {
            Source::Local(local) => self.locals.get(local as usize).copied().unwrap_or(0),
            Source::Element(register, element) => {
                let own = self.elements.get(&(register, element)).copied().unwrap_or(0);
                own.max(self.files.get(&register).copied().unwrap_or(0))
            }
        }
    }

    /// Gives a source another number; gives the one before.
    fn set_number(&mut self, source: Source, number: u32) -> u32 {
        match source {
            Source::Local(local) => std::mem::replace(entry_at(&mut self.locals, local), number),
            Source::Element(register, element) => {
                self.elements.insert((register, element), number).unwrap_or(0)
            }
        }
    }

    fn change(&mut self, source: Source) {
        self.last += 1;
        let before = self.set_number(source, self.last);
        if before <= self.entered {
            self.undone.push(Change::Number(source, before));
        }
    }

    fn change_file(&mut self, register: u32) {
        self.last += 1;
        let before = self.files.insert(register, self.last).unwrap_or(0);
        if before <= self.entered {
            self.undone.push(Change::File(register, before));
        }
    }

    /// Whatever statements that may run at some time may change.
    fn forget_written(&mut self, ops: &[Op]) {
        each_op(ops, &mut |op| self.forget_changed(op));
    }

    /// What one statement itself changes.
    fn forget_changed(&mut self, op: &Op) {
        match op {
            Op::Set(local, _) | Op::LinuxCall(local, _) | Op::Semihost(local, _) => {
                self.change(Source::Local(*local));
            }
            Op::SetRegister { register, element, .. } => self.change(Source::Element(*register, *element)),
            Op::SetElement { register, .. } => self.change_file(*register),
            _ => {}
        }
    }

    /// Goes through lists of which at most one runs; behind them what none of them changes is known.
    fn carry_arms(&mut self, arms: &mut [&mut Vec<Op>]) {
        let (mut changed, mut files) = (Vec::new(), Vec::new());
        let entered = self.entered;
        for arm in arms {
            let begun = self.undone.len();
            self.entered = self.last;
            carry(arm, self);
            while self.undone.len() > begun {
                match self.undone.pop() {
                    Some(Change::Value(local, before)) => {
                        self.kept -= usize::from(before.is_none());
                        self.values[local as usize] = before;
                    }
                    Some(Change::Number(source, before)) => {
                        self.set_number(source, before);
                        changed.push(source);
                    }
                    Some(Change::File(register, before)) => {
                        self.files.insert(register, before);
                        files.push(register);
                    }
                    None => {}
                }
            }
        }
        self.entered = entered;
        changed.into_iter().for_each(|source| self.change(source));
        files.into_iter().for_each(|register| self.change_file(register));
    }
}

/// What stands in a table under a number, to which it grows.
fn entry_at<T: Default>(table: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if table.len() <= number {
        table.resize_with(number + 1, T::default);
    }
    &mut table[number]
}

/// Goes through a list, with what is known before it; behind it, what is known there.
fn carry(ops: &mut [Op], known: &mut Known) {
    for op in ops {
        op.values_mut().into_iter().for_each(|value| put_in(value, known));
        match op {
            Op::If(_, then, otherwise) => known.carry_arms(&mut [then, otherwise]),
            // What a turn changes is not known at the next.
            Op::Loop(_, body) => {
                known.forget_written(body);
                known.carry_arms(&mut [body]);
            }
            Op::Block(_, body) => known.carry_arms(&mut [body]),
            Op::Set(local, value) => {
                let local = *local;
                known.change(Source::Local(local));
                let names_itself =
                    || value.any(&|part| matches!(part.kind, Kind::Local(read) if read == local));
                if local != PC && is_simple(value) && !names_itself() {
                    known.insert(local, value.clone());
                }
            }
            _ => known.forget_changed(op),
        }
    }
}

/// True for what costs no more than reading it from where it was kept.
fn is_simple(value: &Value) -> bool {
    fn takes(value: &Value, parts: &mut usize) -> bool {
        let is_simple = match &value.kind {
            Kind::Const(_) | Kind::Register { .. } => true,
            Kind::Local(local) => *local != PC,
            Kind::ZeroExtend(_) | Kind::SignExtend(_) | Kind::Slice { .. } => true,
            Kind::Binary(BinaryOp::Add, left, right) => left.known().is_some() || right.known().is_some(),
            _ => false,
        };
        if !is_simple || *parts == 0 {
            return false;
        }
        *parts -= 1;
        !value.any_child(&mut |child| !takes(child, parts))
    }
    takes(value, &mut { SIMPLE })
}

/// Puts known values in the place of locals.
fn put_in(value: &mut Value, known: &Known) {
    if known.kept == 0 {
        return;
    }
    if let Kind::Local(local) = value.kind {
        if let Some(simple) = known.get(local).filter(|simple| simple.width == value.width) {
            *value = simple.clone();
        }
        return;
    }
    value.each_child_mut(&mut |child| put_in(child, known));
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

/// Drops assignments to locals that nothing reads, as long as evaluating them is not noticed; from the
/// end on, so that what was read for these alone goes, too.
fn drop_unread(ops: &mut Vec<Op>) {
    let mut read = Read::default();
    read.add(PC);
    drop_before(ops, &mut read);
}

/// Locals that are read.
#[derive(Default)]
struct Read(Vec<bool>);

impl Read {
    fn add(&mut self, local: u32) {
        *entry_at(&mut self.0, local) = true;
    }

    fn includes(&self, local: u32) -> bool {
        self.0.get(local as usize).is_some_and(|is_read| *is_read)
    }
}

/// The same for a list, with what is read behind it; then with what is read in it, too.
fn drop_before(ops: &mut Vec<Op>, read: &mut Read) {
    let mut dropped: SmallVec<[usize; 8]> = SmallVec::new();
    for (index, op) in ops.iter_mut().enumerate().rev() {
        match op {
            Op::Set(local, value) if !read.includes(*local) && !value.may_trap() => {
                dropped.push(index);
                continue;
            }
            Op::CountLocal(_, local) => read.add(*local),
            // What one turn reads the one before may have assigned.
            Op::Loop(_, body) => walk_ops(body, &mut |item| add_read(item, read)),
            _ => {}
        }
        for list in op.lists_mut() {
            drop_before(list, read);
        }
        for value in op.values() {
            value.walk(&mut |item| add_read(item, read));
        }
    }
    let mut index = 0..;
    ops.retain(|_| {
        let is_dropped = dropped.last().copied() == index.next();
        if is_dropped {
            dropped.pop();
        }
        !is_dropped
    });
    ops.shrink_to_fit();
}

fn add_read(item: Item<'_>, read: &mut Read) {
    match item {
        Item::Value(Value { kind: Kind::Local(local), .. }) | Item::Op(Op::CountLocal(_, local)) => {
            read.add(*local);
        }
        _ => {}
    }
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
