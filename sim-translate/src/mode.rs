//! What instructions run under: registers that decide in every cycle, before or behind the
//! instruction, what happens.
//!
//! A bit that lets interrupts in, the address behind a delay slot: `main` and what it activates read
//! them for every instruction. A step is made for one [`Mode`], as it is made for one address, so that
//! nothing is left of these reads; an instruction that writes such a register leads to a place of
//! another mode.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use isac_ir::Model;
use isac_ir::account::{PARTS, scheduled_operations};
use isac_ir::behavior::{Body, Expr, ExprKind, Stmt, walk_statements};
use isac_ir::bits::mask;
use isac_ir::control::striking_operations;

use crate::residual::{Op, Value, any_op, each_op};

/// Most items that a mode has.
const MOST_ITEMS: usize = 4;
/// Widest bits that a condition reads and that are known wherever the engine looks.
const WIDEST_SWITCH: u32 = 8;
/// Widest bits that an address is made of.
const WIDEST_ADDRESS: u32 = 64;
/// An address in a mode is known where the engine looks if it is at most so far behind the PC.
const NEAR: u64 = 64;
/// Where more than one in so many operations writes an item, it is not worth being one.
const OFTEN_WRITTEN: usize = 4;

/// Bits of a register that belong to the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModeItem {
    pub(crate) register: u32,
    pub(crate) element: u32,
    /// Least significant bit.
    pub(crate) low: u32,
    pub(crate) width: u32,
    /// The PC is made of it: any value may be met, and it need not be known.
    pub(crate) is_address: bool,
}

/// What is known of the items, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Mode {
    known: u8,
    values: [u64; MOST_ITEMS],
}

impl Hash for Mode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let folded = self.values.iter().fold(u64::from(self.known), |sum, value| {
            sum.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value
        });
        state.write_u64(folded);
    }
}

impl Mode {
    /// The value of an item, if it is known.
    pub(crate) fn get(&self, item: usize) -> Option<u64> {
        (self.known >> item & 1 == 1).then(|| self.values[item])
    }

    /// Sets what is known of an item.
    pub(crate) fn set(&mut self, item: usize, value: Option<u64>) {
        let bit = 1 << item;
        self.known = if value.is_some() { self.known | bit } else { self.known & !bit };
        self.values[item] = value.unwrap_or(0);
    }

    /// What two modes know alike.
    pub(crate) fn common(&self, other: &Mode) -> Mode {
        let mut common = Mode::default();
        for item in 0..MOST_ITEMS {
            common.set(item, self.get(item).filter(|value| other.get(item) == Some(*value)));
        }
        common
    }
}

/// The items of a model's modes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModeItems {
    items: Vec<ModeItem>,
    /// Operations that may send the run elsewhere than an instruction does.
    striking: BTreeSet<u32>,
    /// What is none: instructions write it too often.
    written: Vec<ModeItem>,
}

impl ModeItems {
    /// Whether an operation that runs beside the instructions may send the run elsewhere than they do.
    pub(crate) fn may_strike(&self, operation: u32) -> bool {
        self.striking.contains(&operation)
    }

    /// Finds what `main`, and what it schedules beside the instruction, decide by.
    pub(crate) fn of(model: &Model) -> ModeItems {
        let mut found = ModeItems { striking: striking_operations(model), ..ModeItems::default() };
        for body in bodies_of_every_cycle(model) {
            walk_statements(&body.statements, &mut |statement| match statement {
                Stmt::If { condition, .. } => {
                    for bits in list_read_bits(model, condition) {
                        found.add(model, ModeItem { is_address: false, ..bits });
                    }
                }
                Stmt::SetRegister { register, index, value, .. }
                    if is_pc(model, *register, index.as_ref()) =>
                {
                    for bits in list_read_bits(model, value) {
                        found.add(model, ModeItem { is_address: true, ..bits });
                    }
                }
                _ => {}
            });
        }
        found
    }

    fn add(&mut self, model: &Model, item: ModeItem) {
        let widest = if item.is_address { WIDEST_ADDRESS } else { WIDEST_SWITCH };
        let is_same = |known: &ModeItem| ModeItem { is_address: item.is_address, ..*known } == item;
        let is_known = || self.items.iter().any(is_same) || self.written.contains(&item);
        if item.width > widest || self.items.len() == MOST_ITEMS || is_known() {
            return;
        }
        match !item.is_address && is_often_written(model, &item) {
            true => self.written.push(item),
            false => self.items.push(item),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &ModeItem)> {
        self.items.iter().enumerate()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// True if some item is an address.
    pub(crate) fn has_addresses(&self) -> bool {
        self.items.iter().any(|item| item.is_address)
    }

    /// True if the engine need not look what the registers hold to go on.
    pub(crate) fn is_settled(&self, mode: &Mode) -> bool {
        self.iter().all(|(index, item)| item.is_address || mode.get(index).is_some())
    }

    /// The mode that registers stand for, at an address; `read` gives bits of an element from one on.
    pub(crate) fn read(&self, pc: u64, read: impl Fn(&ModeItem) -> u64) -> Mode {
        let mut mode = Mode::default();
        for (index, item) in self.iter() {
            let value = read(item);
            let is_known = !item.is_address || value.wrapping_sub(pc) <= NEAR;
            mode.set(index, is_known.then_some(value));
        }
        mode
    }

    /// A mode without the addresses that nobody asks for; `wanted` has a bit for each item.
    pub(crate) fn keep_wanted(&self, mut mode: Mode, wanted: u8) -> Mode {
        for (index, item) in self.iter() {
            if item.is_address && wanted >> index & 1 == 0 {
                mode.set(index, None);
            }
        }
        mode
    }

    /// The item that bits of an element lie in, with where in it they begin.
    pub(crate) fn find(&self, (register, element): (u32, u32), low: u32, width: u32) -> Option<(usize, u32)> {
        let holds = |item: &ModeItem| {
            (item.register, item.element) == (register, element)
                && item.low <= low
                && low + width <= item.low + item.width
        };
        let (index, item) = self.iter().find(|(_, item)| holds(item))?;
        Some((index, low - item.low))
    }

    /// What is known of the items behind a write, by item, for those that it reaches; `known` is what was
    /// before. Of other statements, and of the lists in them, nothing is said.
    pub(crate) fn written(&self, op: &Op, known: impl Fn(usize) -> Option<u64>) -> Vec<(usize, Option<u64>)> {
        match op {
            Op::SetRegister { register, element, low, value } => {
                self.written_bits((*register, *element), *low, value, known)
            }
            Op::SetElement { register, .. } => {
                let items = self.iter().filter(|(_, item)| item.register == *register);
                items.map(|(index, _)| (index, None)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same of a write to bits of an element.
    fn written_bits(
        &self,
        (register, element): (u32, u32),
        low: u32,
        value: &Value,
        known: impl Fn(usize) -> Option<u64>,
    ) -> Vec<(usize, Option<u64>)> {
        let mut changes = Vec::new();
        let end = low + value.width;
        for (index, item) in self.iter() {
            let item_end = item.low + item.width;
            if (item.register, item.element) != (register, element) || low >= item_end || item.low >= end {
                continue;
            }
            let covers = low <= item.low && item_end <= end;
            let kept = if covers { Some(0) } else { known(index).map(u128::from) };
            let new = value.known().zip(kept).map(|(new, kept)| {
                let (from, to) = (low.max(item.low), end.min(item_end));
                let bits = mask(to - from);
                let shift = from - item.low;
                (kept & !(bits << shift) | (new >> (from - low) & bits) << shift) as u64
            });
            changes.push((index, new));
        }
        changes
    }

    /// What is known behind a statement.
    pub(crate) fn behind(&self, op: &Op, mut mode: Mode) -> Mode {
        if self.is_empty() {
            return mode;
        }
        match op {
            Op::If(_, then, otherwise) => {
                let behind = |list: &[Op]| list.iter().fold(mode, |mode, op| self.behind(op, mode));
                match (crate::specialise::is_gone(then), crate::specialise::is_gone(otherwise)) {
                    (true, _) => behind(otherwise),
                    (_, true) => behind(then),
                    _ => behind(then).common(&behind(otherwise)),
                }
            }
            Op::Loop(_, body) | Op::Block(_, body) => self.forget_written(body, mode),
            _ => {
                let before = mode;
                for (index, value) in self.written(op, |index| before.get(index)) {
                    mode.set(index, value);
                }
                mode
            }
        }
    }

    /// What is known where statements may have run in part, and several times.
    fn forget_written(&self, ops: &[Op], mut mode: Mode) -> Mode {
        each_op(ops, &mut |op| {
            self.written(op, |_| None).into_iter().for_each(|(index, _)| mode.set(index, None));
        });
        mode
    }

    /// True if a statement in the list writes an item.
    pub(crate) fn are_written(&self, ops: &[Op]) -> bool {
        any_op(ops, &mut |op| !self.written(op, |_| None).is_empty())
    }
}

/// The bodies that run in every cycle, whatever is decoded, some on a condition.
fn bodies_of_every_cycle(model: &Model) -> Vec<&Body> {
    let (scheduled, _) = scheduled_operations(model, model.main, 0, false);
    let operations = scheduled.iter().map(|entry| model.operation(entry.operation));
    operations.flat_map(|operation| PARTS.iter().filter_map(|part| operation.body(*part))).collect()
}

/// Bits of registers other than the PC that an expression reads, where it is known which.
fn list_read_bits(model: &Model, expr: &Expr) -> Vec<ModeItem> {
    let mut found = Vec::new();
    expr.walk(&mut |part| {
        let (register, index, low) = match &part.kind {
            ExprKind::Register { register, index, .. } => (*register, index, 0),
            ExprKind::RegisterPart { register, index, low, .. } => (*register, index, *low),
            _ => return,
        };
        let Some(element) = known_element(index.as_deref()) else { return };
        let table = &model.registers[register as usize];
        let is_plain = element < table.elements() && table.hardwired_value(element).is_none();
        if is_plain && model.pc_element() != Some((register, element)) {
            found.push(ModeItem { register, element, low, width: part.width, is_address: false });
        }
    });
    found
}

/// The element that an index names, if that is known; one that does not exist for what is too large.
fn known_element(index: Option<&Expr>) -> Option<u32> {
    match index.map(|index| &index.kind) {
        None => Some(0),
        Some(ExprKind::Const(element)) => Some(u32::try_from(*element).unwrap_or(u32::MAX)),
        Some(_) => None,
    }
}

/// True for the program counter.
pub(crate) fn is_pc(model: &Model, register: u32, index: Option<&Expr>) -> bool {
    known_element(index).is_some_and(|element| model.pc_element() == Some((register, element)))
}

/// True if statements write an item, with what is not known, in so many conditions at most.
fn are_written(statements: &[Stmt], item: &ModeItem, depth: u32) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::SetRegister { register, low, value, .. } => {
            let overlaps = *low < item.low + item.width && item.low < *low + value.width;
            *register == item.register && overlaps && !matches!(value.kind, ExprKind::Const(_))
        }
        Stmt::If { then, otherwise, .. } => {
            depth > 0 && [then, otherwise].into_iter().any(|arm| are_written(arm, item, depth - 1))
        }
        Stmt::Loop { body, .. } | Stmt::Block { body, .. } | Stmt::Call { body, .. } => {
            are_written(body, item, depth)
        }
        _ => false,
    })
}

/// True if many instructions write an item, with what is not known before they run. What stands deeper
/// than in one condition is rarely come to: a register behind an address, the entry of an exception.
fn is_often_written(model: &Model, item: &ModeItem) -> bool {
    let writes = |body: &Body| are_written(&body.statements, item, 1);
    let behaving = model.operations.iter().filter(|operation| operation.behavior.is_some());
    let (mut all, mut writing) = (0, 0);
    for operation in behaving {
        all += 1;
        writing += usize::from(operation.counted_bodies().any(writes));
    }
    writing * OFTEN_WRITTEN > all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit that lets interrupts in, and the address behind a delay slot.
    fn items() -> ModeItems {
        let item =
            |register, low, width, is_address| ModeItem { register, element: 0, low, width, is_address };
        ModeItems { items: vec![item(3, 3, 1, false), item(5, 0, 32, true)], ..ModeItems::default() }
    }

    fn write(register: u32, low: u32, value: Value) -> Op {
        Op::SetRegister { register, element: 0, low, value }
    }

    fn unknown(width: u32) -> Value {
        Value { width, kind: crate::residual::Kind::Register { register: 9, element: 0, low: 0 } }
    }

    fn known(switch: Option<u64>, address: Option<u64>) -> Mode {
        let mut mode = Mode::default();
        mode.set(0, switch);
        mode.set(1, address);
        mode
    }

    #[test]
    fn a_write_tells_what_is_known_behind_it() {
        let (items, before) = (items(), known(Some(0), Some(0x40)));
        let behind = |op: &Op| items.behind(op, before);
        assert_eq!(behind(&write(3, 0, Value::constant(32, 0x88))), known(Some(1), Some(0x40)));
        assert_eq!(behind(&write(3, 3, unknown(1))), known(None, Some(0x40)));
        assert_eq!(behind(&write(3, 4, unknown(4))), before, "bits beside the item");
        assert_eq!(behind(&write(5, 0, Value::constant(16, 0x1234))), known(Some(0), Some(0x1234)));
        assert_eq!(behind(&write(5, 0, unknown(16))), known(Some(0), None), "half of it");
        assert_eq!(behind(&write(7, 0, unknown(32))), before, "another register");
        let arm = vec![write(3, 3, Value::constant(1, 1))];
        let either = Op::If(unknown(1), arm.clone(), Vec::new());
        assert_eq!(behind(&either), known(None, Some(0x40)));
        let trapped = Op::If(unknown(1), vec![Op::Trap(crate::residual::Trap::Cancel)], arm);
        assert_eq!(behind(&trapped), known(Some(1), Some(0x40)), "one arm alone comes to its end");
    }

    #[test]
    fn addresses_need_not_be_known_and_go_where_nobody_asks() {
        let items = items();
        assert!(items.is_settled(&known(Some(1), None)));
        assert!(!items.is_settled(&known(None, Some(4))));
        assert_eq!(items.keep_wanted(known(Some(1), Some(4)), 0), known(Some(1), None));
        assert_eq!(items.keep_wanted(known(Some(1), Some(4)), 0b10), known(Some(1), Some(4)));
    }

    #[test]
    fn the_engine_knows_an_address_near_the_pc_alone() {
        let items = items();
        let read = |address: u64| move |item: &ModeItem| if item.is_address { address } else { 1 };
        assert_eq!(items.read(0x100, read(0x104)), known(Some(1), Some(0x104)));
        assert_eq!(items.read(0x100, read(0x8000)), known(Some(1), None));
    }
}
