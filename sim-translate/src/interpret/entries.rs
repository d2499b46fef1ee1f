//! Steps as lists, carried out one entry after the other.

use isac_ir::bits::sign_extend;
use isac_ir::syntax::evaluate::{binary, unary};
use sim_runtime::FaultKind;

use super::{Outcome, Run};
use crate::core::Ending;
use crate::linear::{Entry, FilePlace, Linear, PC_SLOT, SLOTS, Slot};
use crate::residual::Op;
use crate::specialise::Step;

type Slots = [u64; SLOTS];

impl Run<'_, '_> {
    /// Carries out a step by its list, with the program counter there.
    pub(super) fn follow(mut self, step: &Step, linear: &Linear, pc: u64) -> Outcome {
        let mut slots = self.core.slots.take().unwrap_or_else(|| Box::new([0; SLOTS]));
        slots[..linear.slots.len()].copy_from_slice(&linear.slots);
        slots[usize::from(PC_SLOT)] = pc;
        let went = self.entries(step, linear, &mut slots);
        let ending = self.ending(went);
        if matches!(ending, Some(Ending::Halted(_))) {
            for (counter, slot) in &linear.deferred {
                self.count(*counter, slots[usize::from(*slot)]);
            }
        }
        let pc = slots[usize::from(PC_SLOT)];
        self.core.slots = Some(slots);
        self.end(pc, ending)
    }

    fn entries(&mut self, step: &Step, linear: &Linear, slots: &mut Slots) -> Option<()> {
        let mut next = 0;
        while let Some(entry) = linear.entries.get(next) {
            next += 1;
            match *entry {
                Entry::Jump { at } => next = at as usize,
                Entry::JumpUnless { a, at } if get(slots, a) == 0 => next = at as usize,
                Entry::JumpUnless { .. } => {}
                Entry::Tree { tree } => self.tree(step, linear, tree, slots)?,
                Entry::Value { to, value } => {
                    let value = &linear.values[value as usize];
                    self.lend(step, &value.locals, slots);
                    let found = self.low_bits(&value.tree)?;
                    set(slots, to, found);
                }
                entry => self.entry(entry, linear, slots)?,
            }
        }
        Some(())
    }

    /// One that goes on with the next.
    #[inline(always)]
    fn entry(&mut self, entry: Entry, linear: &Linear, slots: &mut Slots) -> Option<()> {
        let get = |slot| get(slots, slot);
        let (to, new) = match entry {
            Entry::Copy { to, a, low, width } => (to, get(a) >> low & ones(width)),
            Entry::Add { to, a, b, width } => (to, get(a).wrapping_add(get(b)) & ones(width)),
            Entry::Subtract { to, a, b, width } => (to, get(a).wrapping_sub(get(b)) & ones(width)),
            Entry::And { to, a, b } => (to, get(a) & get(b)),
            Entry::Or { to, a, b } => (to, get(a) | get(b)),
            Entry::Xor { to, a, b } => (to, get(a) ^ get(b)),
            Entry::Equal { to, a, b } => (to, (get(a) == get(b)).into()),
            Entry::NotEqual { to, a, b } => (to, (get(a) != get(b)).into()),
            Entry::LessUnsigned { to, a, b } => (to, (get(a) < get(b)).into()),
            Entry::LessEqualUnsigned { to, a, b } => (to, (get(a) <= get(b)).into()),
            Entry::Not { to, a, width } => (to, !get(a) & ones(width)),
            Entry::Unary { to, a, operator, of, width } => {
                (to, unary(operator, get(a).into(), of.into()) as u64 & ones(width))
            }
            Entry::Binary { to, a, b, operator, of, width } => {
                (to, binary(operator, get(a).into(), get(b).into(), of.into()) as u64 & ones(width))
            }
            Entry::SignExtend { to, a, of, width } => {
                (to, sign_extend(get(a).into(), of.into(), width.into()) as u64 & ones(width))
            }
            Entry::Bit { to, a, b, of } => {
                let index = get(b);
                (to, if index < of.into() { get(a) >> index & 1 } else { 0 })
            }
            Entry::Join { to, a, b, width_of_b } => {
                (to, get(a).checked_shl(width_of_b.into()).unwrap_or(0) | get(b))
            }
            Entry::Select { to, a, b, c } => (to, if get(a) == 0 { get(c) } else { get(b) }),
            Entry::Read { to, low, width, offset } => {
                (to, self.core.state.arena.word(offset.into()) >> low & ones(width))
            }
            Entry::ReadElement { to, a, file } => {
                let FilePlace { register, low, width } = linear.files[usize::from(file)];
                let element = self.element_at(register, get(a))?;
                (to, self.core.state.read_element((register, element), low, width) as u64)
            }
            Entry::Load { to, a, width, access } => {
                let access = linear.accesses[usize::from(access)];
                let loaded = self.core.load(0, (access.map, access.cells), get(a), access.kind);
                (to, self.end_if_left(loaded)? as u64 & ones(width))
            }
            Entry::Cycles { to, width } => (to, self.core.cycles(0) & ones(width)),
            Entry::Pending { to, device } => {
                (to, self.core.devices.is_pending(device as usize, self.core.cycles(0)).into())
            }
            entry => return self.effect(entry, linear, slots),
        };
        set(slots, to, new);
        Some(())
    }

    /// One that has no result.
    #[inline(always)]
    fn effect(&mut self, entry: Entry, linear: &Linear, slots: &Slots) -> Option<()> {
        let get = |slot| get(slots, slot);
        match entry {
            Entry::Write { a, low, width, offset } => {
                let (arena, ones) = (&self.core.state.arena, ones(width) << low);
                arena.set_word(offset.into(), arena.word(offset.into()) & !ones | get(a) << low & ones);
            }
            Entry::WriteElement { a, b, file } => {
                let FilePlace { register, low, width } = linear.files[usize::from(file)];
                let element = self.element_at(register, get(b))?;
                self.core.state.write_bits(register as usize, element as usize, low, width, get(a).into());
            }
            Entry::Store { a, b, access } => {
                let access = linear.accesses[usize::from(access)];
                let stored = self.core.store((access.map, access.cells), get(b), get(a).into());
                self.end_if_left(stored)?;
            }
            Entry::Count { counter } => self.count(counter, 1),
            Entry::CountSlot { a, counter } => self.count(counter, get(a)),
            Entry::ExtraCycles { a } => self.core.add_extra_cycles(get(a)),
            Entry::Decoded => self.is_decoded = true,
            Entry::Turn => self.turn()?,
            Entry::Trap { trap } => return self.op(&Op::Trap(trap)),
            _ => {}
        }
        Some(())
    }

    fn element_at(&mut self, register: u32, index: u64) -> Option<u32> {
        match index < self.core.model().registers[register as usize].elements().into() {
            true => Some(index as u32),
            false => self.leave(Ending::Fault(FaultKind::RegisterIndex { register, index })),
        }
    }

    /// Carries out a statement as a tree.
    fn tree(&mut self, step: &Step, linear: &Linear, tree: u32, slots: &mut Slots) -> Option<()> {
        let tree = &linear.trees[tree as usize];
        self.lend(step, &tree.locals, slots);
        self.op(&tree.tree)?;
        for (local, slot) in &tree.locals {
            let width = step.locals[*local as usize] as u8;
            set(slots, *slot, self.locals[*local as usize] as u64 & ones(width));
        }
        Some(())
    }

    /// Has locals hold what their slots do.
    fn lend(&mut self, step: &Step, named: &[(u32, Slot)], slots: &Slots) {
        self.make_locals(step.locals.len());
        for (local, slot) in named {
            self.locals[*local as usize] = get(slots, *slot).into();
        }
    }
}

#[inline(always)]
fn get(slots: &Slots, slot: Slot) -> u64 {
    slots[usize::from(slot)]
}

#[inline(always)]
fn set(slots: &mut Slots, slot: Slot, value: u64) {
    slots[usize::from(slot)] = value;
}

/// So many low bits, at least one.
#[inline(always)]
fn ones(width: u8) -> u64 {
    u64::MAX >> (64 - width)
}
