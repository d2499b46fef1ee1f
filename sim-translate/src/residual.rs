//! What is left of an instruction when everything is worked out that its word and its place tell.
//!
//! A step is the whole of `main`, decoding and all operations for one decoded word at one place,
//! with fields, chosen members, operands and FUNCTIONs resolved. It reads and writes registers,
//! memory and locals; nothing in it refers to the description any more. The program counter is
//! local [`PC`]: where a step ends, it holds the address of the next instruction.

use isac_ir::behavior::{BinaryOp, PrintPart, UnaryOp};
use isac_ir::bits::{mask, sign_extend};
use isac_ir::syntax::evaluate::{binary, unary};
use sim_runtime::{AccessKind, FaultKind};
use smallvec::{SmallVec, smallvec};

/// The local that holds the program counter.
pub(crate) const PC: u32 = 0;

/// A value of 1 to 128 bits; its upper bits are 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    /// Width in bits.
    pub width: u32,
    /// What it is.
    pub kind: Kind,
}

/// The values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Known.
    Const(u128),
    /// A local of the step.
    Local(u32),
    /// Bits of an element of a register from `low` on.
    Register {
        /// Index of the register.
        register: u32,
        /// The element.
        element: u32,
        /// Least significant bit taken.
        low: u32,
    },
    /// The same of an element that is known when it runs.
    Element {
        /// Index of the register.
        register: u32,
        /// The element.
        index: Box<Value>,
        /// Least significant bit taken.
        low: u32,
    },
    /// Cells of a map, joined in byte order.
    Memory {
        /// Index of the map.
        map: u32,
        /// How many.
        cells: u32,
        /// Address of the first.
        address: Box<Value>,
        /// What is asked of the memory.
        access: AccessKind,
    },
    /// Bits of a cell of more than 128 bits.
    CellPart {
        /// Index of the map.
        map: u32,
        /// Its address.
        address: Box<Value>,
        /// Least significant bit taken.
        low: u32,
        /// What is asked of the memory.
        access: AccessKind,
    },
    /// Cycles begun before this one.
    Cycles,
    /// Instructions ended.
    Instructions,
    /// The address that a memory fault touched.
    FaultAddress,
    /// What a memory fault tried.
    FaultAccess,
    /// 1 if a timer's time has come.
    Pending(u32),
    /// One operand.
    Unary(UnaryOp, Box<Value>),
    /// Two operands.
    Binary(BinaryOp, Box<Value>, Box<Value>),
    /// Upper bits 0.
    ZeroExtend(Box<Value>),
    /// Upper bits copies of the sign.
    SignExtend(Box<Value>),
    /// Bits from `low` on.
    Slice {
        /// Of what.
        base: Box<Value>,
        /// Least significant bit taken.
        low: u32,
    },
    /// One bit, 0 beyond the width.
    Bit {
        /// Of what.
        base: Box<Value>,
        /// Which.
        index: Box<Value>,
    },
    /// Parts from most to least significant.
    Concat(Vec<Value>),
    /// The second if the first is 1, else the third.
    Select(Box<Value>, Box<Value>, Box<Value>),
}

/// Statements of a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    /// Assigns a local.
    Set(u32, Value),
    /// Writes bits of an element of a register.
    SetRegister {
        /// Index of the register.
        register: u32,
        /// The element, which is not HARDWIRED.
        element: u32,
        /// First bit written.
        low: u32,
        /// The new bits.
        value: Value,
    },
    /// The same for an element that is known when it runs.
    SetElement {
        /// Index of the register.
        register: u32,
        /// The element, evaluated behind the value.
        index: Value,
        /// First bit written.
        low: u32,
        /// The new bits.
        value: Value,
    },
    /// Writes cells of a map.
    SetMemory {
        /// Index of the map.
        map: u32,
        /// How many.
        cells: u32,
        /// Address of the first, evaluated behind the value.
        address: Value,
        /// The new value.
        value: Value,
    },
    /// Writes bits of a cell of more than 128 bits.
    SetCellPart {
        /// Index of the map.
        map: u32,
        /// Its address, evaluated behind the value.
        address: Value,
        /// First bit written.
        low: u32,
        /// The new bits.
        value: Value,
    },
    /// One of the instruction's counters goes up by one.
    Count(u32),
    /// One of the instruction's counters goes up by what a local holds.
    CountLocal(u32, u32),
    /// Runs one of two lists.
    If(Value, Vec<Op>, Vec<Op>),
    /// Runs its statements until left.
    Loop(u32, Vec<Op>),
    /// Runs its statements once; can be left.
    Block(u32, Vec<Op>),
    /// Goes on behind the loop or block with this label; the second number tells it apart.
    Leave(u32, u32),
    /// The instruction does not end as instructions do.
    Trap(Trap),
    /// The instruction is complete and the run ends, with this status; the number tells what of the
    /// instruction has not been come to.
    Halt(Value, u32),
    /// What runs beside the instruction, as what takes interrupts, changes the program counter, which holds
    /// this.
    Strike(Value),
    /// Cycles that count but nothing happens in them.
    ExtraCycles(Value),
    /// A Linux system call; its result, number and arguments.
    LinuxCall(u32, Vec<Value>),
    /// A semihosting call; its result, operation and argument.
    Semihost(u32, Vec<Value>),
    /// Text, with the values in it.
    Print(Vec<PrintPart>, Vec<Value>),
    /// The first value is the instruction's address.
    Explain(Vec<PrintPart>, Vec<Value>),
    /// The model's own event.
    Event(String),
    /// A value was read or written, at this place of the step's list; only in steps that tell values.
    Note(u32, Value),
    /// From here on the cycle has an instruction: whether one is decoded depends on what is not known
    /// before.
    Decoded,
    /// In the other arm of an IF that decides whether there is one: the cycle has none.
    Empty,
    /// The word cannot be fetched, or nothing matches it.
    Undecoded(FaultKind),
}

/// Ends of an instruction that is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trap {
    /// `illegal()`.
    Illegal,
    /// A memory fault that `memory_fault` leaves alone.
    Unhandled,
    /// A division by zero.
    DivisionByZero,
    /// `cancel()`.
    Cancel,
}

impl Value {
    pub(crate) fn constant(width: u32, value: u128) -> Value {
        Value { width, kind: Kind::Const(value & mask(width)) }
    }

    pub(crate) fn local(width: u32, local: u32) -> Value {
        Value { width, kind: Kind::Local(local) }
    }

    /// What it is, if that is known.
    pub(crate) fn known(&self) -> Option<u128> {
        match self.kind {
            Kind::Const(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn unary(operator: UnaryOp, width: u32, operand: Value) -> Value {
        match operand.known() {
            Some(value) => Value::constant(width, unary(operator, value, operand.width)),
            None => Value { width, kind: Kind::Unary(operator, Box::new(operand)) },
        }
    }

    pub(crate) fn binary(operator: BinaryOp, width: u32, left: Value, right: Value) -> Value {
        use BinaryOp::{
            Add, And, DivideSigned, DivideUnsigned, Multiply, Or, RemainderSigned, RemainderUnsigned,
            ShiftLeft, ShiftRightSigned, ShiftRightUnsigned, Subtract, Xor,
        };
        let divides = matches!(operator, DivideUnsigned | DivideSigned | RemainderUnsigned | RemainderSigned);
        match (left.known(), right.known()) {
            (Some(a), Some(b)) if !(divides && b == 0) => {
                return Value::constant(width, binary(operator, a, b, left.width));
            }
            (_, Some(0))
                if matches!(
                    operator,
                    Add | Subtract | Or | Xor | ShiftLeft | ShiftRightUnsigned | ShiftRightSigned
                ) =>
            {
                return left;
            }
            (Some(0), _) if matches!(operator, Add | Or | Xor) => return right,
            (_, Some(0)) if matches!(operator, And | Multiply) && !left.may_trap() => {
                return Value::constant(width, 0);
            }
            (Some(0), _) if matches!(operator, And | Multiply) && !right.may_trap() => {
                return Value::constant(width, 0);
            }
            (_, Some(ones)) if operator == And && ones == mask(left.width) => return left,
            (Some(ones), _) if operator == And && ones == mask(right.width) => return right,
            _ => {}
        }
        Value { width, kind: Kind::Binary(operator, Box::new(left), Box::new(right)) }
    }

    pub(crate) fn zero_extend(width: u32, operand: Value) -> Value {
        match operand.kind {
            Kind::Const(value) => Value::constant(width, value),
            _ if operand.width == width => operand,
            Kind::ZeroExtend(inner) => Value { width, kind: Kind::ZeroExtend(inner) },
            _ => Value { width, kind: Kind::ZeroExtend(Box::new(operand)) },
        }
    }

    pub(crate) fn sign_extend(width: u32, operand: Value) -> Value {
        match operand.known() {
            Some(value) => Value::constant(width, sign_extend(value, operand.width, width)),
            None if operand.width == width => operand,
            None => Value { width, kind: Kind::SignExtend(Box::new(operand)) },
        }
    }

    pub(crate) fn slice(width: u32, base: Value, low: u32) -> Value {
        if low == 0 && width == base.width {
            return base;
        }
        if let Some(carry) = Value::carry(&base, low).filter(|_| width == 1) {
            return carry;
        }
        match base.kind {
            Kind::Const(value) => Value::constant(width, value >> low),
            Kind::ZeroExtend(inner) | Kind::SignExtend(inner) if low + width <= inner.width => {
                Value::slice(width, *inner, low)
            }
            Kind::Slice { base: inner, low: inner_low } => Value::slice(width, *inner, low + inner_low),
            // Above it there is nothing.
            Kind::ZeroExtend(inner) if low >= inner.width && !inner.may_trap() => Value::constant(width, 0),
            // The low bits of these depend on the low bits of their operands alone.
            Kind::Binary(
                operator @ (BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor),
                left,
                right,
            ) if low == 0 => {
                Value::binary(operator, width, Value::slice(width, *left, 0), Value::slice(width, *right, 0))
            }
            _ => Value { width, kind: Kind::Slice { base: Box::new(base), low } },
        }
    }

    /// The bit of a sum with a number right above what is added to it: a comparison says whether the sum carries
    /// there, as flags of an addition or a subtraction ask.
    fn carry(sum: &Value, low: u32) -> Option<Value> {
        let Kind::Binary(BinaryOp::Add, left, right) = &sum.kind else { return None };
        let (extended, number) = match (left.known(), right.known()) {
            (None, Some(number)) => (left, number),
            (Some(number), None) => (right, number),
            _ => return None,
        };
        let Kind::ZeroExtend(inner) = &extended.kind else { return None };
        if inner.width != low {
            return None;
        }
        let is_set = number >> low & 1 != 0;
        match number & mask(low) {
            0 => (!inner.may_trap()).then(|| Value::constant(1, is_set.into())),
            below => {
                let least = Value::constant(low, (1 << low) - below);
                let inner = (**inner).clone();
                Some(match is_set {
                    true => Value::binary(BinaryOp::LessUnsigned, 1, inner, least),
                    false => Value::binary(BinaryOp::LessEqualUnsigned, 1, least, inner),
                })
            }
        }
    }

    pub(crate) fn bit(base: Value, index: Value) -> Value {
        match index.known() {
            Some(index) if index >= base.width.into() => {
                // What the base is evaluated for stays.
                let zero = Value::constant(1, 0);
                match base.known() {
                    Some(_) => zero,
                    None => Value::binary(BinaryOp::And, 1, Value::slice(1, base, 0), zero),
                }
            }
            Some(index) => Value::slice(1, base, index as u32),
            None => Value { width: 1, kind: Kind::Bit { base: Box::new(base), index: Box::new(index) } },
        }
    }

    pub(crate) fn concat(width: u32, parts: Vec<Value>) -> Value {
        let known = parts
            .iter()
            .try_fold(0u128, |value, part| Some(value.checked_shl(part.width).unwrap_or(0) | part.known()?));
        match known {
            Some(value) => Value::constant(width, value),
            None => Value { width, kind: Kind::Concat(parts) },
        }
    }

    pub(crate) fn select(condition: Value, then: Value, otherwise: Value) -> Value {
        match condition.known() {
            Some(0) => otherwise,
            Some(_) => then,
            None => Value {
                width: then.width,
                kind: Kind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)),
            },
        }
    }

    /// True if evaluating it may end the instruction or be noticed.
    pub(crate) fn may_trap(&self) -> bool {
        self.any(&|value| {
            matches!(value.kind, Kind::Memory { .. } | Kind::CellPart { .. } | Kind::Element { .. })
        })
    }

    /// True if it, or a value within it, is asked for.
    pub(crate) fn any(&self, is_asked: &impl Fn(&Value) -> bool) -> bool {
        is_asked(self) || self.any_child(&mut |child| child.any(is_asked))
    }

    /// True if one of the values that stand directly in it is asked for, in the order of their evaluation; those
    /// behind it are not asked.
    pub(crate) fn any_child<'v>(&'v self, is_asked: &mut impl FnMut(&'v Value) -> bool) -> bool {
        match &self.kind {
            Kind::Const(_)
            | Kind::Local(_)
            | Kind::Register { .. }
            | Kind::Cycles
            | Kind::Instructions
            | Kind::FaultAddress
            | Kind::FaultAccess
            | Kind::Pending(_) => false,
            Kind::Element { index: value, .. }
            | Kind::Memory { address: value, .. }
            | Kind::CellPart { address: value, .. }
            | Kind::Unary(_, value)
            | Kind::ZeroExtend(value)
            | Kind::SignExtend(value)
            | Kind::Slice { base: value, .. } => is_asked(value),
            Kind::Binary(_, left, right) | Kind::Bit { base: left, index: right } => {
                is_asked(left) || is_asked(right)
            }
            Kind::Concat(parts) => parts.iter().any(is_asked),
            Kind::Select(condition, then, otherwise) => {
                is_asked(condition) || is_asked(then) || is_asked(otherwise)
            }
        }
    }

    /// Calls `visit` for each of the values that stand directly in it, in the order of their evaluation.
    pub(crate) fn each_child<'v>(&'v self, visit: &mut impl FnMut(&'v Value)) {
        self.any_child(&mut |child| {
            visit(child);
            false
        });
    }

    /// The same, to be changed.
    pub(crate) fn each_child_mut(&mut self, visit: &mut impl FnMut(&mut Value)) {
        match &mut self.kind {
            Kind::Const(_)
            | Kind::Local(_)
            | Kind::Register { .. }
            | Kind::Cycles
            | Kind::Instructions
            | Kind::FaultAddress
            | Kind::FaultAccess
            | Kind::Pending(_) => {}
            Kind::Element { index: value, .. }
            | Kind::Memory { address: value, .. }
            | Kind::CellPart { address: value, .. }
            | Kind::Unary(_, value)
            | Kind::ZeroExtend(value)
            | Kind::SignExtend(value)
            | Kind::Slice { base: value, .. } => visit(value),
            Kind::Binary(_, left, right) | Kind::Bit { base: left, index: right } => {
                visit(left);
                visit(right);
            }
            Kind::Concat(parts) => parts.iter_mut().for_each(visit),
            Kind::Select(condition, then, otherwise) => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
        }
    }

    /// Calls `visit` for itself and every value within it.
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(Item<'_>)) {
        visit(Item::Value(self));
        self.each_child(&mut |child| child.walk(visit));
    }
}

/// A part of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item<'a> {
    /// A value.
    Value(&'a Value),
    /// A statement.
    Op(&'a Op),
}

impl Op {
    /// The values that stand directly in it.
    pub(crate) fn values(&self) -> SmallVec<[&Value; 3]> {
        match self {
            Op::Set(_, value)
            | Op::SetRegister { value, .. }
            | Op::If(value, ..)
            | Op::Halt(value, _)
            | Op::Strike(value)
            | Op::ExtraCycles(value)
            | Op::Note(_, value) => smallvec![value],
            Op::SetElement { index: place, value, .. }
            | Op::SetMemory { address: place, value, .. }
            | Op::SetCellPart { address: place, value, .. } => smallvec![value, place],
            Op::LinuxCall(_, values)
            | Op::Semihost(_, values)
            | Op::Print(_, values)
            | Op::Explain(_, values) => values.iter().collect(),
            Op::Count(_)
            | Op::CountLocal(..)
            | Op::Loop(..)
            | Op::Block(..)
            | Op::Leave(..)
            | Op::Trap(_)
            | Op::Event(_)
            | Op::Decoded
            | Op::Empty
            | Op::Undecoded(_) => SmallVec::new(),
        }
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> SmallVec<[&mut Value; 3]> {
        match self {
            Op::Set(_, value)
            | Op::SetRegister { value, .. }
            | Op::If(value, ..)
            | Op::Halt(value, _)
            | Op::Strike(value)
            | Op::ExtraCycles(value)
            | Op::Note(_, value) => smallvec![value],
            Op::SetElement { index: place, value, .. }
            | Op::SetMemory { address: place, value, .. }
            | Op::SetCellPart { address: place, value, .. } => smallvec![value, place],
            Op::LinuxCall(_, values)
            | Op::Semihost(_, values)
            | Op::Print(_, values)
            | Op::Explain(_, values) => values.iter_mut().collect(),
            Op::Count(_)
            | Op::CountLocal(..)
            | Op::Loop(..)
            | Op::Block(..)
            | Op::Leave(..)
            | Op::Trap(_)
            | Op::Event(_)
            | Op::Decoded
            | Op::Empty
            | Op::Undecoded(_) => SmallVec::new(),
        }
    }

    /// The lists of statements in it, to be changed.
    pub(crate) fn lists_mut(&mut self) -> SmallVec<[&mut Vec<Op>; 2]> {
        match self {
            Op::If(_, then, otherwise) => smallvec![then, otherwise],
            Op::Loop(_, body) | Op::Block(_, body) => smallvec![body],
            _ => SmallVec::new(),
        }
    }

    /// The lists of statements in it.
    pub(crate) fn lists(&self) -> SmallVec<[&[Op]; 2]> {
        match self {
            Op::If(_, then, otherwise) => smallvec![&then[..], &otherwise[..]],
            Op::Loop(_, body) | Op::Block(_, body) => smallvec![&body[..]],
            _ => SmallVec::new(),
        }
    }
}

/// Calls `visit` for every statement and value of a list, outer ones first.
pub(crate) fn walk_ops(ops: &[Op], visit: &mut dyn FnMut(Item<'_>)) {
    for op in ops {
        visit(Item::Op(op));
        for value in op.values() {
            value.walk(visit);
        }
        for list in op.lists() {
            walk_ops(list, visit);
        }
    }
}

/// Calls `visit` for every statement of a list, outer ones first.
pub(crate) fn each_op(ops: &[Op], visit: &mut impl FnMut(&Op)) {
    for op in ops {
        visit(op);
        for list in op.lists() {
            each_op(list, visit);
        }
    }
}

/// True if a statement of a list, or of one within it, is asked for.
pub(crate) fn any_op(ops: &[Op], is_asked: &mut impl FnMut(&Op) -> bool) -> bool {
    ops.iter().any(|op| is_asked(op) || op.lists().into_iter().any(|list| any_op(list, is_asked)))
}

/// Number of statements and values of a list.
pub(crate) fn count_parts(ops: &[Op]) -> usize {
    let mut parts = 0;
    walk_ops(ops, &mut |_| parts += 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a value is where its local holds a number.
    fn with(value: &Value, number: u128) -> u128 {
        let found = match &value.kind {
            Kind::Const(value) => *value,
            Kind::Local(_) => number,
            Kind::ZeroExtend(inner) => with(inner, number),
            Kind::Slice { base, low } => with(base, number) >> low,
            Kind::Binary(operator, left, right) => {
                binary(*operator, with(left, number), with(right, number), left.width)
            }
            kind => panic!("no {kind:?} is expected"),
        };
        found & mask(value.width)
    }

    #[test]
    fn a_carry_is_a_comparison() {
        let extended = |width| Value::zero_extend(width, Value::local(3, 1));
        for (width, number) in
            [4, 5].into_iter().flat_map(|width| (0..1 << width).map(move |number| (width, number)))
        {
            for sum in [
                Value::binary(BinaryOp::Add, width, extended(width), Value::constant(width, number)),
                Value {
                    width,
                    kind: Kind::Binary(
                        BinaryOp::Add,
                        Box::new(Value::constant(width, number)),
                        Box::new(extended(width)),
                    ),
                },
            ] {
                let bit = Value::slice(1, sum, 3);
                assert!(!bit.any(&|part| matches!(part.kind, Kind::Slice { .. })), "{bit:?}");
                (0..8).for_each(|held| {
                    assert_eq!(with(&bit, held), (held + number) >> 3 & 1, "{held} + {number}")
                });
            }
        }
    }

    #[test]
    fn above_what_is_extended_there_is_nothing() {
        let read = Value {
            width: 1,
            kind: Kind::Element { register: 0, index: Box::new(Value::local(3, 1)), low: 0 },
        };
        assert_eq!(Value::slice(2, Value::zero_extend(8, Value::local(3, 1)), 4), Value::constant(2, 0));
        // What may end the instruction is evaluated all the same.
        assert!(Value::slice(2, Value::zero_extend(8, read), 4).may_trap());
    }
}
