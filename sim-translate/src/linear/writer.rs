//! From a step to its list.

use isac_ir::Model;
use isac_ir::behavior::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap as HashMap;
use sim_runtime::AccessKind;

use super::{Access, Entry, FilePlace, Linear, PC_SLOT, Slot, Tree};
use crate::layout::{Layout, RegisterPlace};
use crate::residual::{Item, Kind, Op, PC, Value, walk_ops};
use crate::specialise::Step;

/// Bytes of the registers that are read and written as words.
const WORD: u32 = 8;

impl Linear {
    /// `None` for a step that takes too much.
    pub(crate) fn of(step: &Step, (model, layout): (&Model, &Layout)) -> Option<Linear> {
        let linear = Linear {
            slots: vec![0],
            entries: Vec::new(),
            accesses: Vec::new(),
            files: Vec::new(),
            trees: Vec::new(),
            values: Vec::new(),
            deferred: Vec::new(),
        };
        let mut writer = Writer {
            step,
            model,
            layout,
            linear,
            locals: vec![None; step.locals.len()],
            numbers: HashMap::default(),
            labels: Vec::new(),
            free: 0,
        };
        writer.locals[PC as usize] = Some(PC_SLOT);
        writer.assign_slots()?;
        writer.list(&step.ops)?;
        for (counter, local) in &step.deferred {
            let slot = writer.local(*local)?;
            writer.linear.deferred.push((*counter, slot));
        }
        Some(writer.linear)
    }
}

/// A list on its way.
struct Writer<'s> {
    step: &'s Step,
    model: &'s Model,
    layout: &'s Layout,
    linear: Linear,
    /// The slot of each local that is in use.
    locals: Vec<Option<Slot>>,
    /// The slot of each number that is known.
    numbers: HashMap<u64, Slot>,
    /// Loops and blocks around, with the jumps that leave them.
    labels: Vec<(u32, Vec<usize>)>,
    /// The first slot for what lies between; a statement begins with all of them.
    free: usize,
}

impl Writer<'_> {
    /// Locals and numbers have slots of their own, before the first entry is written.
    fn assign_slots(&mut self) -> Option<()> {
        let step = self.step;
        let mut has_slots = self.add_number(0);
        walk_ops(&step.ops, &mut |item| {
            let added = match item {
                Item::Op(
                    Op::Set(local, _)
                    | Op::CountLocal(_, local)
                    | Op::LinuxCall(local, _)
                    | Op::Semihost(local, _),
                )
                | Item::Value(Value { kind: Kind::Local(local), .. }) => self.add_local(*local),
                Item::Value(Value { kind: Kind::Const(number), width: ..=64 }) => {
                    self.add_number(*number as u64)
                }
                Item::Op(_) | Item::Value(_) => Some(()),
            };
            has_slots = has_slots.and(added);
        });
        has_slots?;
        step.deferred.iter().try_for_each(|(_, local)| self.add_local(*local))?;
        self.free = self.linear.slots.len();
        Some(())
    }

    fn add_local(&mut self, local: u32) -> Option<()> {
        if self.local(local).is_some() {
            return Some(());
        }
        self.step.locals.get(local as usize).filter(|width| **width <= 64)?;
        self.locals[local as usize] = Some(self.add_slot(0)?);
        Some(())
    }

    fn add_number(&mut self, number: u64) -> Option<()> {
        if !self.numbers.contains_key(&number) {
            let slot = self.add_slot(number)?;
            self.numbers.insert(number, slot);
        }
        Some(())
    }

    fn add_slot(&mut self, number: u64) -> Option<Slot> {
        let slot = Slot::try_from(self.linear.slots.len()).ok()?;
        self.linear.slots.push(number);
        Some(slot)
    }

    fn local(&self, local: u32) -> Option<Slot> {
        self.locals.get(local as usize).copied().flatten()
    }

    fn number(&self, number: u64) -> Option<Slot> {
        self.numbers.get(&number).copied()
    }

    fn push(&mut self, entry: Entry) {
        self.linear.entries.push(entry);
    }

    /// Where the next entry stands.
    fn here(&self) -> usize {
        self.linear.entries.len()
    }

    /// Has a jump that was written lead to where the next entry stands.
    fn lead_here(&mut self, jump: usize) {
        let here = self.here() as u32;
        match &mut self.linear.entries[jump] {
            Entry::Jump { at } | Entry::JumpUnless { at, .. } => *at = here,
            _ => {}
        }
    }

    fn list(&mut self, ops: &[Op]) -> Option<()> {
        for op in ops {
            self.free = self.linear.slots.len();
            self.op(op)?;
        }
        Some(())
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Set(local, value) => {
                // What is in a slot is no wider than its local.
                let to = self.local(*local).filter(|_| value.width <= self.step.locals[*local as usize])?;
                self.value_to(to, value)?;
            }
            Op::SetRegister { register, element, low, value }
                if value.width <= 64
                    && let Some(offset) = self.word(*register, *element) =>
            {
                let a = self.value(value)?;
                let whole = self.model.registers[*register as usize].width_bits;
                let width = value.width.min(whole - low) as u8;
                self.push(Entry::Write { a, low: *low as u8, width, offset });
            }
            Op::SetElement { register, index, low, value }
                if value.width <= 64 && index.width <= 64 && self.place(*register).stride == WORD =>
            {
                let a = self.value(value)?;
                let b = self.value(index)?;
                let file = self.file(FilePlace { register: *register, low: *low, width: value.width })?;
                self.push(Entry::WriteElement { a, b, file });
            }
            Op::SetMemory { map, cells, address, value } if value.width <= 64 && address.width <= 64 => {
                let a = self.value(value)?;
                let b = self.value(address)?;
                let access = self.access(Access { map: *map, cells: *cells, kind: AccessKind::Write })?;
                self.push(Entry::Store { a, b, access });
            }
            Op::Count(counter) => self.push(Entry::Count { counter: *counter }),
            Op::CountLocal(counter, local) => {
                let a = self.local(*local)?;
                self.push(Entry::CountSlot { a, counter: *counter });
            }
            Op::If(condition, then, otherwise) => self.branch(condition, then, otherwise)?,
            Op::Loop(label, body) => {
                let begin = self.here() as u32;
                self.push(Entry::Turn);
                self.labels.push((*label, Vec::new()));
                self.list(body)?;
                self.push(Entry::Jump { at: begin });
                self.close_label();
            }
            Op::Block(label, body) => {
                self.labels.push((*label, Vec::new()));
                self.list(body)?;
                self.close_label();
            }
            Op::Leave(label, _) => {
                let jump = self.here();
                self.labels.iter_mut().rev().find(|(known, _)| known == label)?.1.push(jump);
                self.push(Entry::Jump { at: 0 });
            }
            Op::Trap(trap) => self.push(Entry::Trap { trap: *trap }),
            Op::ExtraCycles(cycles) if cycles.width <= 64 => {
                let a = self.value(cycles)?;
                self.push(Entry::ExtraCycles { a });
            }
            Op::Decoded => self.push(Entry::Decoded),
            Op::Empty => {}
            _ => {
                let tree = Tree { tree: op.clone(), locals: self.locals_of(std::slice::from_ref(op))? };
                self.push(Entry::Tree { tree: self.linear.trees.len() as u32 });
                self.linear.trees.push(tree);
            }
        }
        Some(())
    }

    fn branch(&mut self, condition: &Value, then: &[Op], otherwise: &[Op]) -> Option<()> {
        let a = self.value(condition)?;
        let unless = self.here();
        self.push(Entry::JumpUnless { a, at: 0 });
        self.list(then)?;
        if otherwise.is_empty() {
            self.lead_here(unless);
            return Some(());
        }
        let over = self.here();
        self.push(Entry::Jump { at: 0 });
        self.lead_here(unless);
        self.list(otherwise)?;
        self.lead_here(over);
        Some(())
    }

    fn close_label(&mut self) {
        let (_, jumps) = self.labels.pop().unwrap_or_default();
        jumps.into_iter().for_each(|jump| self.lead_here(jump));
    }

    /// The locals that a tree names.
    fn locals_of(&self, ops: &[Op]) -> Option<Vec<(u32, Slot)>> {
        let mut named = Vec::new();
        walk_ops(ops, &mut |item| match item {
            Item::Op(Op::LinuxCall(local, _) | Op::Semihost(local, _))
            | Item::Value(Value { kind: Kind::Local(local), .. }) => named.push(*local),
            Item::Op(_) | Item::Value(_) => {}
        });
        self.with_slots(named)
    }

    fn with_slots(&self, mut named: Vec<u32>) -> Option<Vec<(u32, Slot)>> {
        named.sort_unstable();
        named.dedup();
        named.into_iter().map(|local| Some((local, self.local(local)?))).collect()
    }

    fn place(&self, register: u32) -> RegisterPlace {
        self.layout.registers[register as usize]
    }

    /// The offset of an element that is a word.
    fn word(&self, register: u32, element: u32) -> Option<u32> {
        let place = self.place(register);
        (place.stride == WORD).then(|| place.offset + element * WORD)
    }

    fn access(&mut self, access: Access) -> Option<u16> {
        number_of(&mut self.linear.accesses, access)
    }

    fn file(&mut self, file: FilePlace) -> Option<u16> {
        number_of(&mut self.linear.files, file)
    }

    /// A slot for what lies between.
    fn between(&mut self) -> Option<Slot> {
        let slot = Slot::try_from(self.free).ok()?;
        self.free += 1;
        Some(slot)
    }

    /// The slot that a value is in, which nobody writes.
    fn value(&mut self, value: &Value) -> Option<Slot> {
        match &value.kind {
            Kind::Const(number) if value.width <= 64 => return self.number(*number as u64),
            Kind::Local(local) if self.step.locals[*local as usize] <= value.width => {
                return self.local(*local);
            }
            Kind::ZeroExtend(inner) if inner.width <= 64 => return self.value(inner),
            _ => {}
        }
        let to = self.between()?;
        self.value_to(to, value)?;
        Some(to)
    }

    /// Has a value go to a slot, in one entry behind all others that it takes: it may be read before.
    fn value_to(&mut self, to: Slot, value: &Value) -> Option<()> {
        let width = value.width.min(64) as u8;
        if value.width > 64 {
            // A tree's low bits.
            return self.tree_to(to, value);
        }
        match &value.kind {
            Kind::Const(number) => {
                let a = self.number(*number as u64)?;
                self.push(Entry::Copy { to, a, low: 0, width });
            }
            Kind::Local(local) => {
                let a = self.local(*local)?;
                self.push(Entry::Copy { to, a, low: 0, width });
            }
            Kind::ZeroExtend(inner) if inner.width <= 64 => self.value_to(to, inner)?,
            Kind::Register { register, element, low }
                if let Some(offset) = self.word(*register, *element)
                    && *low < 64 =>
            {
                self.push(Entry::Read { to, low: *low as u8, width, offset });
            }
            Kind::Element { register, index, low }
                if index.width <= 64 && self.place(*register).stride == WORD =>
            {
                let a = self.value(index)?;
                let file = self.file(FilePlace { register: *register, low: *low, width: value.width })?;
                self.push(Entry::ReadElement { to, a, file });
            }
            Kind::Memory { map, cells, address, access } if address.width <= 64 => {
                let a = self.value(address)?;
                let access = self.access(Access { map: *map, cells: *cells, kind: *access })?;
                self.push(Entry::Load { to, a, width, access });
            }
            Kind::Cycles => self.push(Entry::Cycles { to, width }),
            Kind::Pending(device) => self.push(Entry::Pending { to, device: *device }),
            Kind::Unary(operator, operand) if operand.width <= 64 => {
                let (a, of) = (self.value(operand)?, operand.width as u8);
                self.push(match operator {
                    UnaryOp::Not => Entry::Not { to, a, width },
                    _ => Entry::Unary { to, a, operator: *operator, of, width },
                });
            }
            Kind::Binary(operator, left, right) if left.width <= 64 && right.width <= 64 => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                self.push(binary_entry(*operator, to, (a, b), (left.width as u8, width)));
            }
            Kind::SignExtend(operand) if operand.width <= 64 => {
                let (a, of) = (self.value(operand)?, operand.width as u8);
                self.push(Entry::SignExtend { to, a, of, width });
            }
            Kind::Slice { base, low } if base.width <= 64 && *low < 64 => {
                let a = self.value(base)?;
                self.push(Entry::Copy { to, a, low: *low as u8, width });
            }
            Kind::Bit { base, index } if base.width <= 64 && index.width <= 64 => {
                let (a, b) = (self.value(base)?, self.value(index)?);
                self.push(Entry::Bit { to, a, b, of: base.width as u8 });
            }
            Kind::Concat(parts) if parts.iter().map(|part| part.width).sum::<u32>() <= 64 => {
                self.concat_to(to, parts)?;
            }
            Kind::Select(condition, then, otherwise) if condition.width <= 64 => {
                self.select_to(to, condition, (then, otherwise))?;
            }
            _ => return self.tree_to(to, value),
        }
        Some(())
    }

    fn tree_to(&mut self, to: Slot, value: &Value) -> Option<()> {
        let mut named = Vec::new();
        value.walk(&mut |item| {
            if let Item::Value(Value { kind: Kind::Local(local), .. }) = item {
                named.push(*local);
            }
        });
        let tree = Tree { tree: value.clone(), locals: self.with_slots(named)? };
        self.push(Entry::Value { to, value: self.linear.values.len() as u32 });
        self.linear.values.push(tree);
        Some(())
    }

    fn concat_to(&mut self, to: Slot, parts: &[Value]) -> Option<()> {
        let mut joined = self.number(0)?;
        for (index, part) in parts.iter().enumerate() {
            let b = self.value(part)?;
            let is_last = index + 1 == parts.len();
            let next = if is_last { to } else { self.between()? };
            self.push(Entry::Join { to: next, a: joined, b, width_of_b: part.width as u8 });
            joined = next;
        }
        Some(())
    }

    /// Both are evaluated where nobody notices, for that takes less than a jump.
    fn select_to(&mut self, to: Slot, condition: &Value, (then, otherwise): (&Value, &Value)) -> Option<()> {
        let a = self.value(condition)?;
        if is_quick(then) && is_quick(otherwise) {
            let (b, c) = (self.value(then)?, self.value(otherwise)?);
            self.push(Entry::Select { to, a, b, c });
            return Some(());
        }
        let unless = self.here();
        self.push(Entry::JumpUnless { a, at: 0 });
        self.value_to(to, then)?;
        let over = self.here();
        self.push(Entry::Jump { at: 0 });
        self.lead_here(unless);
        self.value_to(to, otherwise)?;
        self.lead_here(over);
        Some(())
    }
}

/// True for what is there, or an entry away.
fn is_quick(value: &Value) -> bool {
    match &value.kind {
        Kind::Const(_) | Kind::Local(_) | Kind::Register { .. } => true,
        Kind::ZeroExtend(inner) => is_quick(inner),
        _ => false,
    }
}

fn binary_entry(operator: BinaryOp, to: Slot, (a, b): (Slot, Slot), (of, width): (u8, u8)) -> Entry {
    match operator {
        BinaryOp::Add => Entry::Add { to, a, b, width },
        BinaryOp::Subtract => Entry::Subtract { to, a, b, width },
        BinaryOp::And => Entry::And { to, a, b },
        BinaryOp::Or => Entry::Or { to, a, b },
        BinaryOp::Xor => Entry::Xor { to, a, b },
        BinaryOp::Equal => Entry::Equal { to, a, b },
        BinaryOp::NotEqual => Entry::NotEqual { to, a, b },
        BinaryOp::LessUnsigned => Entry::LessUnsigned { to, a, b },
        BinaryOp::LessEqualUnsigned => Entry::LessEqualUnsigned { to, a, b },
        _ => Entry::Binary { to, a, b, operator, of, width },
    }
}

/// The number of something in a list, where it is added if it is not there.
fn number_of<T: PartialEq>(list: &mut Vec<T>, wanted: T) -> Option<u16> {
    let at = list.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    });
    u16::try_from(at).ok()
}
