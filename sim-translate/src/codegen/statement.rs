//! Statements of a step.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use cranelift_frontend::Variable;

use super::bounds::{nonzero, rarely};
use super::memory::writes_late;
use super::value::signed_constant;
use super::{Codegen, NOBODY, Pc, Position, SiteKind, type_of};
use crate::compilable::{Left, Undone, find_left};
use crate::layout;
use crate::region::{Numbered, pc_behind};
use crate::residual::{Op, PC, Value, any_op, each_op};
use crate::specialise::{Step, is_gone};

/// How much more rarely a way is expected to be gone that is rarely gone.
const RARELY: u64 = 4;

impl Codegen<'_, '_> {
    /// Makes the code of a block.
    pub(super) fn fill(&mut self, index: usize) {
        let block = &self.region.blocks[index];
        let last = block.steps.len() - 1;
        for (at, numbered) in block.steps.iter().enumerate() {
            self.at = at;
            self.begin_step(numbered);
            if at == last {
                self.list_to_end(&numbered.step.ops);
            } else {
                self.list(&numbered.step.ops);
                self.leave_if_written();
            }
        }
        self.make_exits();
    }

    /// Begins an instruction.
    pub(super) fn begin_step(&mut self, numbered: &Numbered) {
        let step = &numbered.step;
        self.begin_effects(step);
        self.flow.begins[self.node as usize] += 1;
        let is_check = self.around.checks.is_some_and(|checks| checks.includes(numbered));
        self.flow.node_checks[self.node as usize] += u32::from(is_check);
        self.out.begins.push((self.node, numbered.number));
        self.step = numbered.number;
        self.address = step.address;
        self.successor = self.around.model.successor(step.address, step.size_cells);
        self.pc = Pc::Known(step.address);
        self.mode = numbered.mode;
        self.locals = vec![None; step.locals.len()];
        self.widths.clone_from(&step.locals);
        self.labels = BTreeMap::new();
        self.holding = 0;
        self.written = self.begin_written(&step.ops);
    }

    /// The step has done nothing yet; what it may have to undo is kept.
    fn begin_effects(&mut self, step: &Step) {
        self.has_effects = false;
        self.undone = step.undone.unwrap_or(Undone::Nothing);
        self.is_often = self.undone == Undone::Nothing
            && self.region.precise.contains(&step.address)
            && self.around.compilable.reads_once(&step.ops);
        self.begun.clear();
        if self.undone == Undone::Nothing {
            return;
        }
        self.begun = self.held_dirty();
        // Registers that are no variables are written at once.
        let mut written = BTreeSet::new();
        each_op(&step.ops, &mut |op| {
            if let Op::SetRegister { register, element, .. } = op {
                written.insert((*register, *element));
            }
        });
        written.retain(|key| !self.registers.contains_key(key));
        for (register, element) in written {
            let (ty, offset) = self.register_place(register, element);
            let value = self.b.ins().load(ty, MemFlagsData::trusted(), self.ctx, offset);
            self.begun.push(((register, element), value));
        }
    }

    /// A flag for steps that may write what has to be looked at.
    fn begin_written(&mut self, ops: &[Op]) -> Option<Variable> {
        let is_precise = self.region.precise.contains(&self.address);
        let is_struck = self.follows_calls() && strikes(ops);
        (writes_late(ops, is_precise) || is_struck || self.around.compilable.hastens(ops)).then(|| {
            let variable = self.b.declare_var(types::I8);
            let zero = self.b.ins().iconst(types::I8, 0);
            self.b.def_var(variable, zero);
            variable
        })
    }

    /// Whether somebody follows calls.
    fn follows_calls(&self) -> bool {
        self.around.frames.is_some()
    }

    /// The instruction is struck, which is for whoever follows calls to look at.
    fn strike(&mut self, next: &Value) {
        let Some(written) = self.written.filter(|_| self.follows_calls()) else { return };
        let flags = MemFlagsData::trusted();
        let next = self.value_in(next, types::I64);
        let is_struck = self.b.ins().load(types::I64, flags, self.ctx, layout::STRUCK);
        let before = self.b.ins().load(types::I64, flags, self.ctx, layout::STRUCK_NEXT);
        let next = self.b.ins().select(is_struck, before, next);
        self.b.ins().store(flags, next, self.ctx, layout::STRUCK_NEXT);
        let one = self.b.ins().iconst(types::I64, 1);
        self.b.ins().store(flags, one, self.ctx, layout::STRUCK);
        let one = self.b.ins().iconst(types::I8, 1);
        self.b.def_var(written, one);
        self.has_effects = true;
    }

    /// Statements of which the last ends the step, and with it the block.
    fn list_to_end(&mut self, ops: &[Op]) {
        for (index, op) in ops.iter().enumerate() {
            self.note_reads(op);
            match op {
                Op::If(..)
                    if index + 1 == ops.len()
                        && let Some(rest) = self.leave_together(op) =>
                {
                    self.list_to_end(rest);
                    return;
                }
                Op::If(condition, then, otherwise)
                    if index + 1 == ops.len()
                        && let Some(conversion) = self.conversion(then, otherwise) =>
                {
                    self.convert(condition, [then, otherwise], conversion);
                    return;
                }
                Op::If(condition, then, otherwise) if index + 1 == ops.len() => {
                    let condition = self.condition(condition);
                    let (first, second) = self.branch(condition);
                    let state = (self.node, self.pc, self.dirty.clone(), self.locals.clone());
                    let (checked, has_effects, mode) = (self.checked.clone(), self.has_effects, self.mode);
                    self.enter_arm(first);
                    self.arm_to_end(then);
                    let dirty = std::mem::take(&mut self.dirty);
                    (self.node, self.pc, self.dirty, self.locals) = state;
                    (self.checked, self.has_effects, self.mode) = (checked, has_effects, mode);
                    self.enter_arm(second);
                    self.arm_to_end(otherwise);
                    self.dirty.extend(dirty);
                    return;
                }
                _ => self.op(op),
            }
            if is_gone(std::slice::from_ref(op)) {
                return;
            }
        }
        self.end_step();
    }

    /// An arm with which the step ends.
    fn arm_to_end(&mut self, arm: &[Op]) {
        match self.leaves(arm) {
            true => self.leave(SiteKind::Interpreted),
            false => self.list_to_end(arm),
        }
    }

    /// True if the code does not come to the end of an arm.
    fn is_gone(&self, arm: &[Op]) -> bool {
        is_gone(arm) || self.leaves(arm)
    }

    /// True if an arm is left to the interpreter.
    fn leaves(&self, arm: &[Op]) -> bool {
        self.around.compilable.leaves(arm, (self.has_effects, self.undone))
    }

    /// Leaves where one of the arms of nested IFs is left to the interpreter, all by one way; gives what
    /// remains, if anything was done.
    fn leave_together<'o>(&mut self, op: &'o Op) -> Option<&'o [Op]> {
        if !self.has_effects
            && let Some(left) = find_left(op)
        {
            self.leave_ranges(&left);
            return Some(left.rest);
        }
        let mut rest = std::slice::from_ref(op);
        let mut condition = None;
        while let [Op::If(asked, then, otherwise)] = rest {
            let is_left = (self.leaves(then), self.leaves(otherwise));
            let reads = self.is_often && self.around.compilable.reads_device(&rest[0]);
            if asked.may_trap() && condition.is_some() || is_left.0 == is_left.1 || reads {
                break;
            }
            let mut holds = self.condition(asked);
            if is_left.1 {
                holds = self.b.ins().icmp_imm_u(IntCC::Equal, holds, 0);
            }
            condition = Some(condition.map_or(holds, |others| self.b.ins().bor(others, holds)));
            rest = if is_left.0 { otherwise } else { then };
        }
        self.leave_if(condition?, SiteKind::Interpreted);
        Some(rest)
    }

    /// Leaves where an address lies in one of some ranges.
    fn leave_ranges(&mut self, left: &Left<'_>) {
        if self.is_apart(left) {
            return;
        }
        let ty = type_of(left.address.width);
        let address = self.value(left.address);
        let mut found = None;
        for (first, last) in &left.ranges {
            let from = self.constant(ty, *first);
            let offset = self.b.ins().isub(address, from);
            let offset = self.cut(offset, ty, left.address.width);
            let most = self.constant(ty, last - first);
            let is_within = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, offset, most);
            found = Some(found.map_or(is_within, |others| self.b.ins().bor(others, is_within)));
        }
        if let Some(found) = found {
            self.leave_if(found, SiteKind::Interpreted);
        }
    }

    pub(super) fn list(&mut self, ops: &[Op]) {
        for op in ops {
            self.op(op);
            if is_gone(std::slice::from_ref(op)) {
                return;
            }
        }
    }

    /// Two blocks for the ways of a condition.
    pub(super) fn branch(&mut self, condition: ir::Value) -> (ir::Block, ir::Block) {
        let (first, second) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, first, &[], second, &[]);
        self.b.seal_block(first);
        self.b.seal_block(second);
        (first, second)
    }

    /// Begins an arm, in a node of its own.
    pub(super) fn enter_arm(&mut self, block: ir::Block) {
        self.b.switch_to_block(block);
        let node = self.flow.add_node();
        let passing = self.go_down();
        // A place to count at that stays in front of whatever the arm does.
        let nop = self.b.ins().nop();
        self.add_edge(self.node, node, Position::at(nop, passing));
        self.node = node;
    }

    /// A statement that reads what may be a device has an effect, if helpers read that.
    fn note_reads(&mut self, op: &Op) {
        self.has_effects |= self.is_often && self.around.compilable.reads_device(op);
    }

    fn op(&mut self, op: &Op) {
        self.note_reads(op);
        let mode = self.around.items.behind(op, self.mode);
        self.statement(op);
        self.mode = mode;
    }

    pub(super) fn statement(&mut self, op: &Op) {
        match op {
            Op::Set(PC, value) => self.set_pc(value),
            Op::Set(local, value) => {
                let new = self.value(value);
                let variable = self.local(*local);
                self.b.def_var(variable, new);
            }
            Op::SetRegister { register, element, low, value } => {
                self.set_register(*register, *element, *low, value);
                self.has_effects |= self.undone.stands(op);
            }
            Op::SetElement { register, index, low, value } => {
                self.set_element(*register, index, *low, value);
                self.has_effects = true;
            }
            Op::SetMemory { map, cells, address, value } => {
                let new = self.value(value);
                self.store(*map, *cells, address, new);
                self.flow.mark_store(self.node);
                self.has_effects |= self.undone.stands(op);
            }
            Op::Count(counter) => self.out.counts.push((self.node, self.step, *counter)),
            Op::CountLocal(counter, local) => self.count_local(*counter, *local),
            Op::If(condition, then, otherwise) => match self.leave_together(op) {
                Some(rest) => {
                    self.list(rest);
                    if is_gone(rest) {
                        self.begin_unreached();
                    }
                }
                None => self.if_within(condition, then, otherwise),
            },
            Op::Block(label, body) => self.block(*label, body),
            Op::Loop(label, body) => {
                // As it is in any turn.
                self.mode = self.around.items.behind(op, self.mode);
                self.repeat(*label, body);
            }
            Op::Leave(label, _) => self.leave_block(*label),
            Op::Trap(trap) => self.leave(SiteKind::Trap(*trap)),
            Op::Strike(next) => self.strike(next),
            Op::ExtraCycles(cycles) => {
                self.add_extra_cycles(cycles);
                self.has_effects = true;
            }
            Op::Event(name) => {
                if self.around.profiles {
                    self.out.events.push((self.node, name.clone()));
                }
                self.has_effects = true;
            }
            Op::Decoded => {}
            Op::SetCellPart { .. }
            | Op::Halt(..)
            | Op::LinuxCall(..)
            | Op::Semihost(..)
            | Op::Print(..)
            | Op::Explain(..)
            | Op::Note(..)
            | Op::Empty
            | Op::Undecoded(_) => panic!("a step that is not compiled has come to be"),
        }
    }

    fn set_pc(&mut self, value: &Value) {
        match value.known() {
            Some(known) => self.pc = Pc::Known(known as u64),
            None => {
                let new = self.value(value);
                let variable = self.b.declare_var(type_of(value.width));
                self.b.def_var(variable, new);
                self.pc = Pc::Held(variable);
            }
        }
    }

    /// The variable of a local of the step.
    pub(super) fn local(&mut self, local: u32) -> Variable {
        if let Some(variable) = self.locals[local as usize] {
            return variable;
        }
        let variable = self.b.declare_var(type_of(self.widths[local as usize]));
        self.locals[local as usize] = Some(variable);
        variable
    }

    fn count_local(&mut self, counter: u32, local: u32) {
        if self.around.profiles {
            let slot = self.room.take();
            self.out.own_counts.push((slot, self.step, counter));
            let variable = self.local(local);
            let times = self.b.use_var(variable);
            let times = self.widen(times, types::I64);
            self.add_in_memory(slot as i32, times);
        }
    }

    /// The model's `extra_cycles(n)`. So many more may be the cycle that a timer waits for: that is looked at
    /// behind the instruction.
    fn add_extra_cycles(&mut self, cycles: &Value) {
        let flags = MemFlagsData::trusted();
        let known = cycles.known();
        // The sum of more than these might not be a number of 64 bits.
        let is_short = cycles.width <= 16 || known.is_some_and(|known| known <= u16::MAX.into());
        let amount = self.value_in(cycles, types::I64);
        if is_short {
            self.add_in_memory(layout::EXTRA, amount);
            match known {
                _ if !self.around.profiles => {}
                Some(known) => self.out.charges.push((self.node, self.step, known as u64)),
                None => {
                    let slot = self.room.take();
                    self.out.own_charges.push((slot, self.step));
                    self.add_in_memory(slot as i32, amount);
                }
            }
        } else {
            let charged = if self.around.profiles { self.step } else { NOBODY };
            let step = self.b.ins().iconst(types::I64, i64::from(charged));
            let site = self.next_site();
            self.call_helper(self.around.helpers.extra_cycles, [amount, step, site]);
        }
        let Some(written) = self.written.filter(|_| self.around.compilable.has_timer()) else { return };
        let all = self.b.ins().load(types::I64, flags, self.ctx, layout::EXTRA);
        let end = self.b.ins().load(types::I64, flags, self.ctx, layout::EXTRA_END);
        let is_late = self.b.ins().icmp(IntCC::UnsignedGreaterThan, all, end);
        let old = self.b.use_var(written);
        let new = self.b.ins().bor(old, is_late);
        self.b.def_var(written, new);
    }

    fn add_in_memory(&mut self, offset: i32, amount: ir::Value) {
        let flags = MemFlagsData::trusted();
        let old = self.b.ins().load(types::I64, flags, self.ctx, offset);
        let new = self.b.ins().iadd(old, amount);
        self.b.ins().store(flags, new, self.ctx, offset);
    }

    fn if_within(&mut self, condition: &Value, then: &[Op], otherwise: &[Op]) {
        self.declare_locals(then);
        self.declare_locals(otherwise);
        let condition = self.condition(condition);
        let (nonzero, rarely) = (nonzero(&self.b.func.dfg, condition), rarely(&self.b.func.dfg, condition));
        let is_known = |value: Option<ir::Value>| value.is_some_and(|value| self.nonzero.contains(&value));
        let known_arm = match nonzero.map(is_known) {
            [true, _] => Some(then),
            [_, true] => Some(otherwise),
            _ => None,
        };
        if let Some(arm) = known_arm.filter(|arm| !self.is_gone(arm)) {
            return self.list(arm);
        }
        let (weight, known_before) = (self.weight, self.nonzero.len());
        let known = self.known_pc();
        let behind = |ops: &[Op]| ops.iter().fold(known, |pc, op| pc_behind(op, pc));
        let (first, second) = (behind(then), behind(otherwise));
        let comes_back = (!self.is_gone(then), !self.is_gone(otherwise));
        let holds = comes_back == (true, true) && (first != second || first.is_none());
        let (first, second) = self.branch(condition);
        let join = (self.b.create_block(), self.flow.add_node());
        let (node, pc) = (self.node, self.pc);
        let (checked, has_effects, mode) = (self.checked.clone(), self.has_effects, self.mode);
        self.weight = if rarely[0] { weight.div_ceil(RARELY) } else { weight };
        self.nonzero.extend(nonzero[0]);
        self.arm(first, then, join, holds);
        self.nonzero.truncate(known_before);
        let (behind_first, first_effects) = (self.pc, self.has_effects);
        (self.node, self.pc) = (node, pc);
        (self.checked, self.has_effects, self.mode) = (checked.clone(), has_effects, mode);
        self.weight = if rarely[1] { weight.div_ceil(RARELY) } else { weight };
        self.nonzero.extend(nonzero[1]);
        self.arm(second, otherwise, join, holds);
        self.nonzero.truncate(known_before);
        self.weight = weight;
        self.checked = checked;
        self.has_effects |= first_effects;
        if comes_back == (true, false) {
            self.pc = behind_first;
        }
        self.b.seal_block(join.0);
        self.b.switch_to_block(join.0);
        self.node = join.1;
    }

    pub(super) fn known_pc(&self) -> Option<u64> {
        match self.pc {
            Pc::Known(pc) => Some(pc),
            Pc::Held(_) => None,
        }
    }

    /// An arm that comes back, if it does; the program counter is put where both ways find it.
    fn arm(&mut self, block: ir::Block, ops: &[Op], join: (ir::Block, u32), holds: bool) {
        self.enter_arm(block);
        if self.leaves(ops) {
            self.b.set_cold_block(block);
            self.leave(SiteKind::Interpreted);
            return;
        }
        if let [Op::Trap(_)] = ops {
            self.b.set_cold_block(block);
        }
        self.list(ops);
        if !is_gone(ops) {
            if holds {
                self.hold_pc();
            }
            self.go_on_at(join);
        }
    }

    /// Goes on where nothing leads.
    fn begin_unreached(&mut self) {
        let block = self.b.create_block();
        self.b.seal_block(block);
        self.b.switch_to_block(block);
        self.node = self.flow.add_node();
    }

    pub(super) fn go_on_at(&mut self, (block, node): (ir::Block, u32)) {
        let passing = self.go_down();
        let jump = self.b.ins().jump(block, &[]);
        self.add_edge(self.node, node, Position::at(jump, passing));
    }

    /// Puts the program counter into the step's variable for it.
    pub(super) fn hold_pc(&mut self) {
        let variable = self.local(PC);
        let ty = type_of(self.widths[PC as usize]);
        let value = match self.pc {
            Pc::Known(pc) => self.b.ins().iconst(ty, signed_constant(ty, pc.into())),
            Pc::Held(held) => self.b.use_var(held),
        };
        self.b.def_var(variable, value);
        self.pc = Pc::Held(variable);
    }

    /// Leaves behind a step that has written what has to be looked at.
    pub(super) fn leave_if_written(&mut self) {
        if let Some(written) = self.written {
            let written = self.b.use_var(written);
            self.leave_if(written, SiteKind::Written);
        }
    }

    /// Locals that are assigned in an arm alone exist before it: they are 0 elsewhere.
    pub(super) fn declare_locals(&mut self, ops: &[Op]) {
        let mut assigned = Vec::new();
        each_op(ops, &mut |op| match op {
            Op::Set(local, _) if *local != PC => assigned.push(*local),
            _ => {}
        });
        for local in assigned {
            if self.locals[local as usize].is_none() {
                let variable = self.local(local);
                let ty = type_of(self.widths[local as usize]);
                let zero = self.zero(ty);
                self.b.def_var(variable, zero);
            }
        }
    }
}

/// Whether a statement strikes the instruction.
fn strikes(ops: &[Op]) -> bool {
    any_op(ops, &mut |op| matches!(op, Op::Strike(_)))
}
