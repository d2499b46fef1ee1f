//! What is known of values from how they are computed: between which numbers they lie, and what they are
//! further from than a little.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{DataFlowGraph, InstructionData, Opcode, Value, ValueDef};

/// How far back it is looked.
const DEEPEST: u32 = 6;
/// Most that an index may be, to be taken for one.
const WIDEST: u64 = 1 << 16;

/// What is known not to be 0 if a condition holds, and if it does not.
pub(super) fn nonzero(dfg: &DataFlowGraph, condition: Value) -> [Option<Value>; 2] {
    match source(dfg, condition) {
        Some(InstructionData::IntCompare { cond, args: [left, right], .. }) => {
            let compared = (known(dfg, right) == Some(0)).then(|| dfg.resolve_aliases(left));
            match cond {
                IntCC::Equal => [None, compared],
                IntCC::NotEqual => [compared, None],
                _ => [None, None],
            }
        }
        _ => [Some(dfg.resolve_aliases(condition)), None],
    }
}

/// True for the ways of a condition, if it holds and if it does not, that are rarely gone: a value is
/// mostly another than a certain one (Ball and Larus).
pub(super) fn rarely(dfg: &DataFlowGraph, condition: Value) -> [bool; 2] {
    match source(dfg, condition) {
        Some(InstructionData::IntCompare { cond, args: [_, right], .. }) if known(dfg, right).is_some() => {
            [cond == IntCC::Equal, cond == IntCC::NotEqual]
        }
        _ => [false, false],
    }
}

/// The least and the most that a value can be, both without sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Bounds {
    fn up_to(most: u64) -> Bounds {
        Bounds { least: 0, most }
    }

    fn is_narrow(self) -> bool {
        self.most - self.least < WIDEST
    }
}

/// A value as the sum of another and an index between bounds, modulo two to the power of its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Indexed {
    /// `None` if it is an index alone.
    pub(super) base: Option<Value>,
    pub(super) index: Bounds,
}

/// The largest number of a value's type, of at most 64 bits.
fn largest(dfg: &DataFlowGraph, value: Value) -> u64 {
    u64::MAX >> 64u32.saturating_sub(dfg.value_type(value).bits())
}

/// The instruction that a value comes from.
fn source(dfg: &DataFlowGraph, value: Value) -> Option<InstructionData> {
    match dfg.value_def(dfg.resolve_aliases(value)) {
        ValueDef::Result(inst, _) => Some(dfg.insts[inst]),
        _ => None,
    }
}

/// A constant.
fn known(dfg: &DataFlowGraph, value: Value) -> Option<u64> {
    match source(dfg, value)? {
        InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
            Some(imm.bits() as u64 & largest(dfg, value))
        }
        _ => None,
    }
}

/// A value that has the same lowest bits, so many of them, without a mask that takes away none.
pub(super) fn unmasked(dfg: &DataFlowGraph, value: Value, bits: u32) -> Value {
    let asked = u64::MAX >> (64 - bits);
    let keeps = |mask: Option<u64>| mask.is_some_and(|mask| mask & asked == asked);
    match source(dfg, value) {
        Some(InstructionData::Binary { opcode: Opcode::Band, args: [left, right] }) => {
            match (keeps(known(dfg, left)), keeps(known(dfg, right))) {
                (_, true) => left,
                (true, false) => right,
                (false, false) => value,
            }
        }
        _ => value,
    }
}

/// Farthest that a value is taken for another one that was moved.
pub(super) const FARTHEST: i64 = 1 << 12;

/// A value as another one that was moved by a constant, modulo two to the power of its width.
pub(super) fn moved(dfg: &DataFlowGraph, value: Value) -> (Value, i64) {
    let (mut from, mut by) = (dfg.resolve_aliases(value), 0i64);
    while let Some(InstructionData::Binary { opcode: Opcode::Iadd, args: [left, right] }) = source(dfg, from)
    {
        let bits = dfg.value_type(from).bits();
        let step =
            |constant: u64| (constant as i64) << 64u32.saturating_sub(bits) >> 64u32.saturating_sub(bits);
        let next = match (known(dfg, left), known(dfg, right)) {
            (None, Some(constant)) if bits <= 64 => (left, by + step(constant)),
            (Some(constant), None) if bits <= 64 => (right, by + step(constant)),
            _ => break,
        };
        if next.1.abs() > FARTHEST {
            break;
        }
        (from, by) = (dfg.resolve_aliases(next.0), next.1);
    }
    (from, by)
}

/// Between which numbers a value of at most 64 bits lies.
fn bounds(dfg: &DataFlowGraph, value: Value) -> Bounds {
    bounds_within(dfg, value, DEEPEST)
}

fn bounds_within(dfg: &DataFlowGraph, value: Value, depth: u32) -> Bounds {
    let all = Bounds::up_to(largest(dfg, value));
    if let Some(known) = known(dfg, value) {
        return Bounds { least: known, most: known };
    }
    let (Some(from), Some(depth)) = (source(dfg, value), depth.checked_sub(1)) else { return all };
    let of = |value: Value| bounds_within(dfg, value, depth);
    match from {
        InstructionData::Load { opcode: Opcode::Uload8, .. } => Bounds::up_to(0xff),
        InstructionData::Load { opcode: Opcode::Uload16, .. } => Bounds::up_to(0xffff),
        InstructionData::Unary { opcode: Opcode::Uextend, arg } => of(arg),
        InstructionData::Unary { opcode: Opcode::Ireduce, arg } if dfg.value_type(arg).bits() <= 64 => {
            let inner = of(arg);
            if inner.most <= all.most { inner } else { all }
        }
        InstructionData::IntCompare { .. } => Bounds::up_to(1),
        InstructionData::Ternary { opcode: Opcode::Select, args: [_, first, second] } => {
            let (first, second) = (of(first), of(second));
            Bounds { least: first.least.min(second.least), most: first.most.max(second.most) }
        }
        InstructionData::Binary { opcode, args: [left, right] } => {
            let bits = dfg.value_type(value).bits();
            let found = || binary(opcode, bits, of(left), of(right));
            if bits > 64 { all } else { found().filter(|found| found.most <= all.most).unwrap_or(all) }
        }
        _ => all,
    }
}

/// The same of an operation of two values of so many bits; `None` if it may not fit.
fn binary(opcode: Opcode, bits: u32, left: Bounds, right: Bounds) -> Option<Bounds> {
    let amount = || (right.least == right.most && right.most < bits.into()).then_some(right.most as u32);
    match opcode {
        Opcode::Band => Some(Bounds::up_to(left.most.min(right.most))),
        Opcode::Bor | Opcode::Bxor => {
            let bits = 64 - (left.most | right.most).leading_zeros();
            Some(Bounds::up_to(u64::MAX.checked_shr(64 - bits).unwrap_or(0)))
        }
        Opcode::Iadd => sum(left, right),
        Opcode::Imul => Some(Bounds {
            least: left.least.checked_mul(right.least)?,
            most: left.most.checked_mul(right.most)?,
        }),
        Opcode::Ushr => match amount() {
            Some(amount) => Some(Bounds { least: left.least >> amount, most: left.most >> amount }),
            None => Some(Bounds::up_to(left.most)),
        },
        Opcode::Ishl => {
            let factor = 1u64 << amount()?;
            Some(Bounds { least: left.least.checked_mul(factor)?, most: left.most.checked_mul(factor)? })
        }
        _ => None,
    }
}

fn sum(left: Bounds, right: Bounds) -> Option<Bounds> {
    let (least, most) = (left.least.checked_add(right.least)?, left.most.checked_add(right.most)?);
    Some(Bounds { least, most })
}

/// A value of at most 64 bits as a base and an index.
pub(super) fn indexed(dfg: &DataFlowGraph, value: Value) -> Indexed {
    let mut base = dfg.resolve_aliases(value);
    let mut index = Bounds::up_to(0);
    for _ in 0..DEEPEST {
        let own = bounds(dfg, base);
        if own.is_narrow()
            && let Some(whole) = sum(own, index).filter(|whole| whole.is_narrow())
        {
            return Indexed { base: None, index: whole };
        }
        let Some(InstructionData::Binary { opcode: Opcode::Iadd, args: [left, right] }) = source(dfg, base)
        else {
            break;
        };
        let (of_left, of_right) = (bounds(dfg, left), bounds(dfg, right));
        let (further, own) = match (of_left.is_narrow(), of_right.is_narrow()) {
            (_, true) => (left, of_right),
            (true, false) => (right, of_left),
            (false, false) => break,
        };
        match sum(own, index).filter(|whole| whole.most < WIDEST) {
            Some(whole) => (base, index) = (dfg.resolve_aliases(further), whole),
            None => break,
        }
    }
    Indexed { base: Some(base), index }
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::{Function, InstBuilder, types};

    use super::*;

    /// A function with an unknown value of 32 bits, to which `build` adds others.
    fn check(build: impl FnOnce(&mut FuncCursor<'_>, Value)) {
        let mut function = Function::new();
        let block = function.dfg.make_block();
        let unknown = function.dfg.append_block_param(block, types::I32);
        let mut cursor = FuncCursor::new(&mut function);
        cursor.insert_block(block);
        build(&mut cursor, unknown);
    }

    #[test]
    fn values_lie_between_what_their_parts_allow() {
        check(|cursor, unknown| {
            let all = Bounds::up_to(u32::MAX.into());
            let low = cursor.ins().band_imm_u(unknown, 0xf);
            let words = cursor.ins().ishl_imm_u(low, 2);
            let behind = cursor.ins().iadd_imm_s(words, 0x11000);
            let beyond = cursor.ins().ishl_imm_u(unknown, 2);
            let negative = cursor.ins().iadd_imm_s(low, -16);
            let around = cursor.ins().iadd_imm_s(low, -8);
            let top = cursor.ins().ushr_imm_u(unknown, 24);
            let by_more = cursor.ins().iconst(types::I32, 40);
            let masked_amount = cursor.ins().ushr(unknown, by_more);
            let either = cursor.ins().bor(low, top);
            let wide = cursor.ins().uextend(types::I64, words);
            let is_low = cursor.ins().icmp(IntCC::UnsignedLessThan, low, top);
            let picked = cursor.ins().select(is_low, behind, words);
            let expected = [
                (unknown, all),
                (low, Bounds::up_to(15)),
                (words, Bounds::up_to(60)),
                (behind, Bounds { least: 0x11000, most: 0x1103c }),
                (beyond, all),
                (negative, Bounds { least: 0xffff_fff0, most: 0xffff_ffff }),
                (around, all),
                (top, Bounds::up_to(255)),
                // The host takes 40 for 8.
                (masked_amount, all),
                (either, Bounds::up_to(255)),
                (wide, Bounds::up_to(60)),
                (is_low, Bounds::up_to(1)),
                (picked, Bounds { least: 0, most: 0x1103c }),
            ];
            for (value, bounds) in expected {
                assert_eq!(super::bounds(&cursor.func.dfg, value), bounds, "{value}");
            }
        });
    }

    #[test]
    fn a_mask_that_takes_nothing_away_is_seen_through() {
        check(|cursor, unknown| {
            let byte = cursor.ins().band_imm_u(unknown, 0xff);
            let odd = cursor.ins().band_imm_u(unknown, 0xfe);
            let dfg = &cursor.func.dfg;
            assert_eq!(unmasked(dfg, byte, 8), unknown);
            assert_eq!(unmasked(dfg, byte, 16), byte);
            assert_eq!(unmasked(dfg, odd, 8), odd);
            assert_eq!(unmasked(dfg, unknown, 8), unknown);
        });
    }

    #[test]
    fn an_address_is_a_base_and_an_index() {
        check(|cursor, unknown| {
            let low = cursor.ins().band_imm_u(unknown, 0xf);
            let index = cursor.ins().ishl_imm_u(low, 2);
            let near = cursor.ins().iadd(index, unknown);
            let further = cursor.ins().iadd_imm_s(near, 0x40);
            let below = cursor.ins().iadd_imm_s(near, -0x40);
            let table = cursor.ins().iadd_imm_s(index, 0x11000);
            let dfg = &cursor.func.dfg;
            let expected = [
                (near, Some(unknown), Bounds::up_to(60)),
                (further, Some(unknown), Bounds { least: 0x40, most: 0x7c }),
                // A sum that may go below its base is not taken apart.
                (below, Some(below), Bounds::up_to(0)),
                (table, None, Bounds { least: 0x11000, most: 0x1103c }),
            ];
            for (value, base, index) in expected {
                assert_eq!(indexed(dfg, value), Indexed { base, index }, "{value}");
            }
        });
    }

    #[test]
    fn a_comparison_with_0_tells_what_is_not_0() {
        check(|cursor, unknown| {
            let is_zero = cursor.ins().icmp_imm_u(IntCC::Equal, unknown, 0);
            let is_not = cursor.ins().icmp_imm_u(IntCC::NotEqual, unknown, 0);
            let is_three = cursor.ins().icmp_imm_u(IntCC::Equal, unknown, 3);
            let dfg = &cursor.func.dfg;
            assert_eq!(nonzero(dfg, is_zero), [None, Some(unknown)]);
            assert_eq!(nonzero(dfg, is_not), [Some(unknown), None]);
            assert_eq!(nonzero(dfg, is_three), [None, None]);
            assert_eq!(nonzero(dfg, unknown), [Some(unknown), None]);
            assert_eq!(rarely(dfg, is_three), [true, false]);
            assert_eq!(rarely(dfg, is_not), [false, true]);
            assert_eq!(rarely(dfg, unknown), [false, false]);
        });
    }
}
