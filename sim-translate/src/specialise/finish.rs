//! The last touches to a step: the ways to different successors part, and counters stand where
//! what they count is certain.

use std::sync::OnceLock;

use isac_ir::behavior::BinaryOp;
use sim_runtime::memory::CellStore;
use sim_runtime::record::decoded_operations;

use super::propagate::propagate;
use super::{Decodes, Specialiser, Step};
use crate::compilable::{Compilable, Undone, find_left, mark_empty_arms};
use crate::mode::ModeItems;
use crate::residual::{Op, PC, Value, any_op, count_parts};

/// Most statements and values of a step that are written again so that the ways part.
const DOUBLED: usize = 256;

/// Makes the step of what is left.
pub(super) fn finish<S: CellStore>(specialiser: Specialiser<'_, S>, mut ops: Vec<Op>) -> Step {
    let size_cells = specialiser.size_cells();
    let compilable = Compilable::of(specialiser.model);
    let Specialiser {
        mut locals,
        items,
        wanted,
        place,
        word,
        seen_cells,
        fetched,
        decodes,
        is_undecoded,
        counters,
        unreached,
        noted,
        decoding,
        touches,
        ..
    } = specialiser;
    propagate(&mut ops);
    part(&mut ops, items, &mut { DOUBLED });
    if decodes == Decodes::Sometimes {
        mark_empty_arms(&mut ops);
    }
    // Counts make no difference to that.
    let undone = compilable.undone(&ops, decodes);
    let left = (compilable, undone.unwrap_or(Undone::Nothing));
    let deferred = defer_counts(&mut ops, left, &mut locals);
    let parts = compilable.count_parts(&ops, undone.unwrap_or(Undone::Nothing));
    Step {
        address: place.address,
        word,
        size_cells,
        seen_cells,
        fetched,
        counters,
        wanted,
        locals,
        ops,
        deferred,
        unreached,
        noted: noted.unwrap_or_default(),
        touches,
        operations: decoding.iter().flat_map(|decoding| decoded_operations(&decoding.decoded)).collect(),
        parts,
        uses: OnceLock::new(),
        undone,
        decodes,
        is_undecoded,
    }
}

/// Where an IF decides about the PC or the mode, what follows it goes into both arms, as long as that
/// is short.
fn part(ops: &mut Vec<Op>, items: &ModeItems, room: &mut usize) {
    let decides = |op: &Op| match op {
        Op::If(_, then, otherwise) => {
            [then, otherwise].into_iter().any(|arm| sets_pc(arm) || items.are_written(arm))
        }
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
                part(arm, items, room);
            }
        }
        _ => ops.extend(rest),
    }
}

/// True if something in a list sets the program counter.
pub(crate) fn sets_pc(ops: &[Op]) -> bool {
    any_op(ops, &mut |op| matches!(op, Op::Set(PC, _)))
}

/// True if a list does not come to its end.
pub(crate) fn is_gone(ops: &[Op]) -> bool {
    match ops.last() {
        Some(Op::Trap(_) | Op::Halt(..) | Op::Leave(..)) => true,
        Some(Op::If(_, then, otherwise)) => is_gone(then) && is_gone(otherwise),
        _ => false,
    }
}

/// What an instruction counts stands only if it ends: a count before something that may end it
/// otherwise goes to a local first. Gives the counters that do, each with its local: they stand as well
/// if the run ends with the instruction.
fn defer_counts(
    ops: &mut Vec<Op>,
    (compilable, undone): (Compilable<'_>, Undone),
    locals: &mut Vec<u32>,
) -> Vec<(u32, u32)> {
    if !any_op(ops, &mut |op| matches!(op, Op::Count(_))) {
        return Vec::new();
    }
    let mut deferral = Deferral { compilable, undone, locals, deferred: Vec::new() };
    deferral.list(ops, false);
    let deferred = deferral.deferred;
    if deferred.is_empty() {
        return deferred;
    }
    let begin = deferred.iter().map(|(_, local)| Op::Set(*local, Value::constant(64, 0)));
    ops.splice(0..0, begin);
    let end: Vec<Op> = deferred.iter().map(|(counter, local)| Op::CountLocal(*counter, *local)).collect();
    count_at_end(ops, &end);
    deferred
}

/// Counts on their way to locals.
struct Deferral<'a> {
    compilable: Compilable<'a>,
    /// What is undone where an arm is left to the interpreter.
    undone: Undone,
    /// Width of each local of the step.
    locals: &'a mut Vec<u32>,
    /// Counters with their locals.
    deferred: Vec<(u32, u32)>,
}

impl Deferral<'_> {
    /// The local that a counter's sum is kept in.
    fn local(&mut self, counter: u32) -> u32 {
        if let Some((_, local)) = self.deferred.iter().find(|(known, _)| *known == counter) {
            return *local;
        }
        self.locals.push(64);
        let local = self.locals.len() as u32 - 1;
        self.deferred.push((counter, local));
        local
    }

    /// Goes through a list backwards; true if something in it, or behind it, may end the instruction, or
    /// leave it to the interpreter.
    fn list(&mut self, ops: &mut [Op], behind: bool) -> bool {
        let mut may_trap = behind;
        for op in ops.iter_mut().rev() {
            // Nothing is asked where something behind it may.
            let own = may_trap
                || op.values().iter().any(|value| value.may_trap())
                || !self.compilable.includes_op(op);
            match op {
                Op::Count(counter) if may_trap => {
                    let local = self.local(*counter);
                    let one = Value::constant(64, 1);
                    let sum = Value::binary(BinaryOp::Add, 64, Value::local(64, local), one);
                    *op = Op::Set(local, sum);
                }
                Op::If(_, then, otherwise) => {
                    let first = self.list(then, may_trap);
                    let second = self.list(otherwise, may_trap);
                    let leaves = |arm: &Vec<Op>| self.compilable.leaves(arm, (false, self.undone));
                    let is_certain = first || second || own;
                    may_trap = is_certain || leaves(then) || leaves(otherwise) || find_left(op).is_some();
                }
                // What stands in a loop may come again; a block may be left to what stands behind it.
                Op::Loop(_, body) => {
                    self.list(body, true);
                    may_trap = true;
                }
                Op::Block(_, body) => may_trap = self.list(body, may_trap),
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
}

/// Adds statements to every way that comes to the end of a list.
fn count_at_end(ops: &mut Vec<Op>, end: &[Op]) {
    if is_gone(ops) {
        return;
    }
    match ops.last_mut() {
        Some(Op::If(_, then, otherwise)) => {
            count_at_end(then, end);
            count_at_end(otherwise, end);
        }
        _ => ops.extend(end.iter().cloned()),
    }
}
