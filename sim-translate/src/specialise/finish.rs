//! The last touches to a step: the ways to different successors part, and counters stand where
//! what they count is certain.

use sim_runtime::memory::CellStore;

use super::propagate::propagate;
use super::{Specialiser, Step};
use crate::residual::{Item, Op, PC, Value, count_parts, walk_ops};

/// Most statements and values of a step that are written again so that the ways part.
const DOUBLED: usize = 256;

/// Makes the step of what is left.
pub(super) fn finish<S: CellStore>(specialiser: Specialiser<'_, S>, mut ops: Vec<Op>) -> Step {
    let size_cells = specialiser.size_cells();
    let Specialiser { mut locals, place, word, seen_cells, undecoded, counters, .. } = specialiser;
    propagate(&mut ops);
    part(&mut ops, &mut { DOUBLED });
    defer_counts(&mut ops, &mut locals);
    Step { address: place.address, word, size_cells, seen_cells, counters, locals, ops, undecoded }
}

/// Where an IF decides about the PC, what follows it goes into both arms, as long as that is short.
fn part(ops: &mut Vec<Op>, room: &mut usize) {
    let decides = |op: &Op| match op {
        Op::If(_, then, otherwise) => sets_pc(then) || sets_pc(otherwise),
        _ => false,
    };
    let Some(at) = ops.iter().position(decides) else { return };
    let rest = ops.split_off(at + 1);
    let parts = count_parts(&rest);
    let is_short = parts <= *room && !rest.iter().any(|op| matches!(op, Op::Loop(..) | Op::Block(..)));
    match ops.last_mut() {
        Some(Op::If(_, then, otherwise)) if is_short => {
            *room -= parts;
            for arm in [then, otherwise] {
                if !is_gone(arm) {
                    arm.extend(rest.iter().cloned());
                }
                part(arm, room);
            }
        }
        _ => ops.extend(rest),
    }
}

fn sets_pc(ops: &[Op]) -> bool {
    let mut found = false;
    walk_ops(ops, &mut |item| found |= matches!(item, Item::Op(Op::Set(PC, _))));
    found
}

/// True if a list does not come to its end.
pub(crate) fn is_gone(ops: &[Op]) -> bool {
    match ops.last() {
        Some(Op::Trap(_) | Op::Halt(_) | Op::Leave(..)) => true,
        Some(Op::If(_, then, otherwise)) => is_gone(then) && is_gone(otherwise),
        _ => false,
    }
}

/// What an instruction counts stands only if it ends: a count before something that may end it
/// otherwise goes to a local first.
fn defer_counts(ops: &mut Vec<Op>, locals: &mut Vec<u32>) {
    let mut deferred: Vec<(u32, u32)> = Vec::new();
    defer_in(ops, false, locals, &mut deferred);
    if deferred.is_empty() {
        return;
    }
    let begin = deferred.iter().map(|(_, local)| Op::Set(*local, Value::constant(64, 0)));
    ops.splice(0..0, begin);
    let end: Vec<Op> = deferred.iter().map(|(counter, local)| Op::CountLocal(*counter, *local)).collect();
    count_at_ends(ops, &end, true);
}

/// Goes through a list backwards; true if something in it, or behind it, may end the instruction.
fn defer_in(ops: &mut [Op], behind: bool, locals: &mut Vec<u32>, deferred: &mut Vec<(u32, u32)>) -> bool {
    let mut may_trap = behind;
    for op in ops.iter_mut().rev() {
        let own = op.values().iter().any(|value| value.may_trap());
        match op {
            Op::Count(counter) if may_trap => {
                let known = deferred.iter().find(|(known, _)| known == counter).map(|(_, local)| *local);
                let local = known.unwrap_or_else(|| {
                    locals.push(64);
                    let local = locals.len() as u32 - 1;
                    deferred.push((*counter, local));
                    local
                });
                let one = Value::constant(64, 1);
                let sum = Value::binary(isac_ir::behavior::BinaryOp::Add, 64, Value::local(64, local), one);
                *op = Op::Set(local, sum);
            }
            Op::If(_, then, otherwise) => {
                let first = defer_in(then, may_trap, locals, deferred);
                let second = defer_in(otherwise, may_trap, locals, deferred);
                may_trap = first || second || own;
            }
            // What stands in a loop may come again; a block may be left to what stands behind it.
            Op::Loop(_, body) => {
                defer_in(body, true, locals, deferred);
                may_trap = true;
            }
            Op::Block(_, body) => may_trap = defer_in(body, may_trap, locals, deferred),
            Op::Trap(_)
            | Op::SetMemory { .. }
            | Op::SetCellPart { .. }
            | Op::SetElement { .. }
            | Op::LinuxCall(..)
            | Op::Semihost(..) => may_trap = true,
            _ => may_trap |= own,
        }
    }
    may_trap
}

/// Adds statements to every way that ends as instructions do: at the list's end, and before a halt.
fn count_at_ends(ops: &mut Vec<Op>, end: &[Op], is_last: bool) {
    let halts: Vec<usize> =
        ops.iter().enumerate().filter(|(_, op)| matches!(op, Op::Halt(_))).map(|(at, _)| at).collect();
    for at in halts.into_iter().rev() {
        ops.splice(at..at, end.iter().cloned());
    }
    let count = ops.len();
    for (index, op) in ops.iter_mut().enumerate() {
        match op {
            Op::If(_, then, otherwise) => {
                let tail = is_last && index + 1 == count;
                count_at_ends(then, end, tail);
                count_at_ends(otherwise, end, tail);
            }
            Op::Loop(_, body) | Op::Block(_, body) => count_at_ends(body, end, false),
            _ => {}
        }
    }
    let ends_here = !matches!(ops.last(), Some(Op::If(..))) && !is_gone(ops);
    if is_last && ends_here {
        ops.extend(end.iter().cloned());
    }
}
