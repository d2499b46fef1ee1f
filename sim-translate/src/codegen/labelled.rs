//! Statements that are left by a label: blocks, and loops within an instruction.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};

use super::shape::TURNS;
use super::{Codegen, Pc, Position, SiteKind};
use crate::layout;
use crate::residual::{Op, PC, each_op};
use crate::specialise::{is_gone, sets_pc};

/// Turns of loops within instructions, all together, before compiled code comes back: some tenths of a
/// millisecond.
const MOST_TURNS: i64 = 1 << 16;

impl Codegen<'_, '_> {
    pub(super) fn block(&mut self, label: u32, body: &[Op]) {
        self.declare_locals(body);
        let join = (self.b.create_block(), self.flow.add_node());
        self.labels.insert(label, join);
        let sets_pc = sets_pc(body);
        if sets_pc {
            self.holding += 1;
        }
        let (pc, checked) = (self.pc, self.checked.clone());
        self.list(body);
        self.checked = checked;
        if !is_gone(body) {
            if sets_pc {
                self.hold_pc();
            }
            self.go_on_at(join);
        }
        self.b.seal_block(join.0);
        self.b.switch_to_block(join.0);
        self.node = join.1;
        self.pc = pc;
        if sets_pc {
            self.holding -= 1;
            self.pc = Pc::Held(self.local(PC));
        }
    }

    /// A loop within the instruction, which has done nothing that stands. After many turns of all loops the
    /// instruction is left to the interpreter: the run may be interrupted there.
    pub(super) fn repeat(&mut self, label: u32, body: &[Op]) {
        self.declare_locals(body);
        each_op(body, &mut |op| {
            if let Op::SetRegister { register, element, .. } = op
                && self.registers.contains_key(&(*register, *element))
            {
                self.dirty.insert((*register, *element));
            }
        });
        let head = (self.b.create_block(), self.flow.add_node());
        let join = (self.b.create_block(), self.flow.add_node());
        self.labels.insert(label, join);
        let (pc, checked, weight) = (self.pc, self.checked.clone(), self.weight);
        self.go_on_at(head);
        self.b.switch_to_block(head.0);
        self.node = head.1;
        self.weight = weight.saturating_mul(TURNS);
        let flags = MemFlagsData::trusted();
        let turns = self.b.ins().load(types::I64, flags, self.ctx, layout::LOOP_TURNS);
        let turns = self.b.ins().iadd_imm_s(turns, 1);
        self.b.ins().store(flags, turns, self.ctx, layout::LOOP_TURNS);
        let is_long = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, turns, MOST_TURNS);
        self.leave_if(is_long, SiteKind::Interpreted);
        self.list(body);
        if !is_gone(body) {
            let passing = self.go_down();
            let jump = self.b.ins().jump(head.0, &[]);
            let back = self.add_edge(self.node, head.1, Position::at(jump, passing));
            self.flow.ways[back as usize].is_back = true;
        }
        self.b.seal_block(head.0);
        self.b.seal_block(join.0);
        self.b.switch_to_block(join.0);
        (self.node, self.pc, self.checked, self.weight) = (join.1, pc, checked, weight);
    }

    pub(super) fn leave_block(&mut self, label: u32) {
        if self.holding > 0 {
            self.hold_pc();
        }
        if let Some(join) = self.labels.get(&label).copied() {
            self.go_on_at(join);
        }
    }
}
