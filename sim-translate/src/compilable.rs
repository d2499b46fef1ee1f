//! What of a step becomes machine code; what does not is left to the interpreter.
//!
//! An arm that cannot be compiled is a way out of the compiled code, as long as the instruction has
//! done nothing before it that cannot be undone: the interpreter begins it again. So are those that are rarely worth their
//! code: where a map has registers and functions beside memory, each access has arms for them all.

use isac_ir::Model;
use isac_ir::behavior::BinaryOp;
use isac_ir::bits::mask;
use isac_ir::resource::DeviceKind;

use crate::codegen::divides;
use crate::residual::{Item, Kind, Op, Value, any_op, count_parts, walk_ops};
use crate::specialise::{Decodes, sets_pc};

/// What an instruction may have done where compiled code leaves it to the interpreter, which begins it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undone {
    /// Nothing.
    Nothing,
    /// Written to registers: they are put back.
    Registers,
    /// Written to memory, too: since it reads none, it writes the same once more.
    All,
}

impl Undone {
    /// Whether a statement has an effect that stands.
    pub(crate) fn stands(self, op: &Op) -> bool {
        match op {
            Op::SetRegister { .. } => self == Undone::Nothing,
            Op::SetMemory { .. } => self != Undone::All,
            Op::SetElement { .. } | Op::Strike(_) | Op::ExtraCycles(_) | Op::Event(_) => true,
            _ => false,
        }
    }
}

/// What can be compiled of the steps of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compilable<'m> {
    model: &'m Model,
    /// Timers wait for a cycle.
    has_timer: bool,
    /// What is read where a device may be stands: it is not read again.
    loads_stand: bool,
}

impl<'m> Compilable<'m> {
    pub(crate) fn of(model: &'m Model) -> Compilable<'m> {
        let has_timer = model.devices.iter().any(|device| matches!(device.kind, DeviceKind::Timer));
        Compilable { model, has_timer, loads_stand: false }
    }

    /// True if the model has a timer.
    pub(crate) fn has_timer(&self) -> bool {
        self.has_timer
    }

    /// What may have to be undone where a step leaves arms to the interpreter; `None` if it cannot be compiled.
    pub(crate) fn undone(&self, ops: &[Op], decodes: Decodes) -> Option<Undone> {
        let is_possible = |undone| self.stands_behind(ops, (false, undone), false).is_some();
        let is_decoded = match decodes {
            Decodes::Always => true,
            Decodes::Sometimes => decodes_if_compiled(ops),
            Decodes::Never => false,
        };
        if is_decoded && is_possible(Undone::Nothing) {
            return Some(Undone::Nothing);
        }
        let undone = if reads_memory(ops) { Undone::Registers } else { Undone::All };
        (decodes == Decodes::Always && is_possible(undone)).then_some(undone)
    }

    /// Whether no arm of a step is left to the interpreter behind a read that may be one of a device.
    pub(crate) fn reads_once(&self, ops: &[Op]) -> bool {
        let standing = Compilable { loads_stand: true, ..*self };
        standing.stands_behind(ops, (false, Undone::Nothing), false).is_some()
    }

    /// Whether a statement reads, before any list in it, what may be a device.
    pub(crate) fn reads_device(&self, op: &Op) -> bool {
        let is_device = |map: u32| !self.model.maps[map as usize].devices.is_empty();
        let reads = |part: &Value| matches!(part.kind, Kind::Memory { map, .. } if is_device(map));
        op.values().into_iter().any(|value| value.any(&reads))
    }

    /// True where time passes that a timer waits for, by more than the instructions.
    pub(crate) fn hastens(&self, ops: &[Op]) -> bool {
        self.has_timer && any_op(ops, &mut |op| matches!(op, Op::ExtraCycles(_)))
    }

    /// True if an arm is left where it begins; where the instruction has done something before that stands,
    /// none is.
    pub(crate) fn leaves(&self, arm: &[Op], (has_effects, undone): (bool, Undone)) -> bool {
        let is_compiled = || self.stands_behind(arm, (false, undone), true).is_some();
        !has_effects && (is_long_way_to_a_trap(arm) || !is_compiled())
    }

    /// How many statements and values of a list become machine code.
    pub(crate) fn count_parts(&self, ops: &[Op], undone: Undone) -> usize {
        let mut parts = 0;
        for op in ops {
            parts += match op {
                Op::If(..) if let Some(left) = find_left(op) => {
                    4 * left.ranges.len() + self.count_parts(left.rest, undone)
                }
                Op::If(condition, then, otherwise) => {
                    let arms = [then, otherwise].into_iter();
                    let compiled = arms.filter(|arm| !self.leaves(arm, (false, undone)));
                    let parts: usize = compiled.map(|arm| self.count_parts(arm, undone)).sum();
                    parts + count_parts(std::slice::from_ref(&Op::If(condition.clone(), vec![], vec![])))
                }
                _ => count_parts(std::slice::from_ref(op)),
            };
        }
        parts
    }

    /// Whether the instruction has done anything behind a list that stands; `None` if the list cannot be
    /// compiled.
    fn stands_behind(
        &self,
        ops: &[Op],
        (mut has_effects, undone): (bool, Undone),
        is_arm: bool,
    ) -> Option<bool> {
        for op in ops {
            // Of a register file that is accessed by a computed index, nothing is kept that could be put back.
            let is_left = (is_arm && !has_effects || undone != Undone::Nothing) && is_unusual(op);
            if !self.includes_op(op) || is_left {
                return None;
            }
            has_effects |= self.loads_stand && self.reads_device(op);
            match op {
                // All arms of it, each with all registers, would be more code than the interpreter takes.
                Op::If(..) if has_effects && find_left(op).is_some() => return None,
                Op::If(..) if !has_effects && let Some(left) = find_left(op) => {
                    has_effects = self.stands_behind(left.rest, (false, undone), is_arm)?;
                }
                Op::If(_, then, otherwise) => {
                    let [first, second] =
                        [then, otherwise].map(|arm| self.stands_behind(arm, (has_effects, undone), true));
                    has_effects = match (first, second) {
                        (Some(first), Some(second)) => first || second,
                        // What has been done is not undone.
                        (Some(behind), None) | (None, Some(behind)) if !has_effects => behind,
                        _ => return None,
                    };
                }
                Op::Block(_, body) => {
                    has_effects = self.stands_behind(body, (has_effects, undone), is_arm)?;
                }
                // After many turns it is left to the interpreter, which begins anew: nothing may stand.
                Op::Loop(_, body) => {
                    if has_effects || self.stands_behind(body, (false, undone), true)? {
                        return None;
                    }
                }
                op => has_effects |= undone.stands(op),
            }
        }
        Some(has_effects)
    }

    /// True if a statement itself can be compiled, with its values but not with the lists in it.
    pub(crate) fn includes_op(&self, op: &Op) -> bool {
        let register_bits = |register: u32| self.model.registers[register as usize].width_bits;
        let cell_bits = |map: u32| self.model.maps[map as usize].cell_bits;
        let is_included = match op {
            Op::SetRegister { register, .. } | Op::SetElement { register, .. } => {
                register_bits(*register) <= 128
            }
            Op::SetMemory { map, cells, .. } => cell_bits(*map) <= 64 && cells * cell_bits(*map) <= 128,
            Op::Halt(..)
            | Op::SetCellPart { .. }
            | Op::LinuxCall(..)
            | Op::Semihost(..)
            | Op::Print(..)
            | Op::Explain(..)
            | Op::Note(..)
            | Op::Empty
            | Op::Undecoded(_) => false,
            Op::Loop(_, body) => !sets_pc(body),
            _ => true,
        };
        is_included && op.values().iter().all(|value| self.includes_value(value))
    }

    /// Why a step is not compiled, for a user: of its statements the first that cannot be, or that some of them
    /// would have to be undone.
    pub(crate) fn obstacle(&self, ops: &[Op]) -> &'static str {
        let mut found = None;
        walk_ops(ops, &mut |item| {
            if let Item::Op(op) = item
                && found.is_none()
                && !self.includes_op(op)
            {
                found = Some(match op {
                    Op::Halt(..) => "HALT is not compiled",
                    Op::Loop(..) => "a loop that sets the PC is not compiled",
                    Op::SetCellPart { .. } => "a write to a part of a cell is not compiled",
                    Op::LinuxCall(..) | Op::Semihost(..) => "what calls the host is not compiled",
                    Op::Print(..) | Op::Explain(..) => "a call of printf is not compiled",
                    Op::Note(..) => "its values are counted",
                    Op::Undecoded(_) => "no instruction is decoded",
                    Op::Empty => "it depends on the run whether an instruction is decoded",
                    _ => {
                        "values of more than 128 bits, quotients of more than 64 and parts of cells are not compiled"
                    }
                });
            }
        });
        found.unwrap_or(match any_op(ops, &mut |op| matches!(op, Op::Loop(..))) {
            true => {
                "a loop is not compiled whose turns the run tells, and in or before which something is done that \
                 cannot be undone"
            }
            false => {
                "an index of a register file that the run tells, or time, is asked for behind what cannot be undone"
            }
        })
    }

    fn includes_value(&self, value: &Value) -> bool {
        !value.any(&|part| match &part.kind {
            Kind::Register { register, .. } | Kind::Element { register, .. } => {
                self.model.registers[*register as usize].width_bits > 128
            }
            Kind::Memory { map, .. } => self.model.maps[*map as usize].cell_bits > 64,
            Kind::CellPart { .. } | Kind::FaultAddress | Kind::FaultAccess => true,
            Kind::Binary(operator, left, _) => divides(*operator) && left.width > 64,
            _ => false,
        })
    }
}

/// Whether every way through a list that is compiled decodes an instruction: arms in which none is are left to
/// the interpreter, and nothing is done before that would have to be undone.
fn decodes_if_compiled(ops: &[Op]) -> bool {
    for op in ops {
        let may_trap = op.values().iter().any(|value| value.may_trap());
        match op {
            Op::Decoded => return true,
            Op::If(_, then, otherwise) if !may_trap && (decodes(then) || decodes(otherwise)) => {
                let left = |arm: &[Op]| matches!(arm.first(), Some(Op::Empty));
                return [then, otherwise].iter().all(|arm| left(arm) || decodes_if_compiled(arm));
            }
            op if is_of_locals(op) => {}
            _ => return false,
        }
    }
    false
}

/// Whether a statement does nothing that the interpreter would not do again.
fn is_of_locals(op: &Op) -> bool {
    let is_pure = match op {
        Op::Set(..) | Op::Count(_) | Op::CountLocal(..) => true,
        Op::If(_, then, otherwise) => then.iter().chain(otherwise).all(is_of_locals),
        _ => false,
    };
    is_pure && !op.values().iter().any(|value| value.may_trap())
}

/// Whether a list comes to where an instruction is decoded.
fn decodes(ops: &[Op]) -> bool {
    any_op(ops, &mut |op| matches!(op, Op::Decoded))
}

/// Marks the arms in which no instruction is decoded beside those in which one is.
pub(crate) fn mark_empty_arms(ops: &mut [Op]) {
    for op in ops {
        let Op::If(_, then, otherwise) = op else { continue };
        match (decodes(then), decodes(otherwise)) {
            (true, false) => otherwise.insert(0, Op::Empty),
            (false, true) => then.insert(0, Op::Empty),
            _ => {}
        }
        mark_empty_arms(then);
        mark_empty_arms(otherwise);
    }
}

/// Arms that are left together.
#[derive(Debug)]
pub(crate) struct Left<'o> {
    /// What is asked of.
    pub(crate) address: &'o Value,
    /// Where it lies then, first and last: where no arm is left that leads to a cell, it may be more than
    /// the arms ask for.
    pub(crate) ranges: Vec<(u128, u128)>,
    /// What is done elsewhere.
    pub(crate) rest: &'o [Op],
}

/// The arms of an IF that asks where an address lies which do not lead to the cell there, the
/// instruction having done nothing before.
pub(crate) fn find_left(op: &Op) -> Option<Left<'_>> {
    let (mut rest, mut ranges) = (std::slice::from_ref(op), Vec::new());
    let mut asked: Option<&Value> = None;
    while let [Op::If(condition, then, otherwise)] = rest {
        let Some((address, first, last)) = range_of(condition) else { break };
        if asked.is_some_and(|asked| asked != address) || accesses_at(then, address) {
            break;
        }
        asked = Some(address);
        ranges.push((first, last));
        rest = otherwise;
    }
    let address = asked.filter(|address| !address.may_trap() && accesses_at(rest, address))?;
    Some(Left { address, ranges: join_ranges(ranges), rest })
}

/// Ranges at most so far apart are asked for at once. What lies between them is memory that is hardly
/// touched, if anything.
const APART: u128 = 128;
/// A way to a trap is worth its code if it has no more parts.
const SHORT_WAY: usize = 12;

/// A condition that asks whether a value lies in a range, with the range.
fn range_of(condition: &Value) -> Option<(&Value, u128, u128)> {
    let Kind::Binary(BinaryOp::LessEqualUnsigned, left, right) = &condition.kind else { return None };
    let most = right.known()?;
    match &left.kind {
        Kind::Binary(BinaryOp::Subtract, address, first) if let Some(first) = first.known() => {
            let last = first.checked_add(most).filter(|last| *last <= mask(left.width))?;
            Some((address, first, last))
        }
        Kind::Const(_) => None,
        _ => Some((left, 0, most)),
    }
}

/// True if a list accesses memory at an address.
fn accesses_at(ops: &[Op], asked: &Value) -> bool {
    let reads = |value: &Value| matches!(&value.kind, Kind::Memory { address, .. } if **address == *asked);
    any_op(ops, &mut |op| {
        matches!(op, Op::SetMemory { address, .. } if address == asked)
            || op.values().into_iter().any(|value| value.any(&reads))
    })
}

/// True if a list reads memory, but for arms that are left where they begin: see [`find_left`].
fn reads_memory(ops: &[Op]) -> bool {
    let reads = |value: &Value| matches!(value.kind, Kind::Memory { .. } | Kind::CellPart { .. });
    ops.iter().any(|op| match find_left(op) {
        Some(left) => reads_memory(left.rest),
        None => {
            op.values().into_iter().any(|value| value.any(&reads)) || op.lists().into_iter().any(reads_memory)
        }
    })
}

/// Joins ranges that are not far apart.
fn join_ranges(mut ranges: Vec<(u128, u128)>) -> Vec<(u128, u128)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u128, u128)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(APART) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// True for an arm that does much only to abandon the instruction.
fn is_long_way_to_a_trap(arm: &[Op]) -> bool {
    fn is_trapped(ops: &[Op]) -> bool {
        match ops.last() {
            Some(Op::Trap(_)) => true,
            Some(Op::If(_, then, otherwise)) => is_trapped(then) && is_trapped(otherwise),
            _ => false,
        }
    }
    is_trapped(arm) && count_parts(arm) > SHORT_WAY
}

/// True for accesses to register files by computed indexes, and for what asks how long the run has
/// taken.
fn is_unusual(op: &Op) -> bool {
    let is_asked =
        |part: &Value| matches!(part.kind, Kind::Element { .. } | Kind::Cycles | Kind::Instructions);
    matches!(op, Op::SetElement { .. }) || op.values().into_iter().any(|value| value.any(&is_asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address() -> Value {
        Value { width: 16, kind: Kind::Local(3) }
    }

    fn within(first: u128, last: u128) -> Value {
        let from = Value::binary(BinaryOp::Subtract, 16, address(), Value::constant(16, first));
        Value::binary(BinaryOp::LessEqualUnsigned, 1, from, Value::constant(16, last - first))
    }

    fn store() -> Vec<Op> {
        let value = Value::constant(8, 1);
        vec![Op::SetMemory { map: 0, cells: 1, address: address(), value }]
    }

    fn set_register(register: u32) -> Vec<Op> {
        vec![Op::SetRegister { register, element: 0, low: 0, value: Value::constant(8, 1) }]
    }

    #[test]
    fn ranges_of_a_chain_are_joined_where_they_are_near() {
        let rest = Op::If(within(0x3000, 0x3001), set_register(2), store());
        let chain = Op::If(
            within(0, 31),
            set_register(0),
            vec![Op::If(within(0x5f, 0x5f), set_register(1), vec![rest])],
        );
        let left = find_left(&chain).expect("a chain that leads to the cell");
        assert_eq!(left.ranges, [(0, 0x5f), (0x3000, 0x3001)]);
        assert_eq!(left.rest, store());
    }

    #[test]
    fn a_chain_that_leads_to_no_cell_is_none() {
        let chain = Op::If(within(0, 31), set_register(0), set_register(1));
        assert!(find_left(&chain).is_none());
        let memory_first = Op::If(within(0, 31), store(), set_register(1));
        assert!(find_left(&memory_first).is_none());
    }
}
