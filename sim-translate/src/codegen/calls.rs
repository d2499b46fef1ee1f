//! Calls and returns that compiled code follows by itself: see [`crate::frames`].

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Inst, InstBuilder, MemFlagsData, types};

use super::{Codegen, Entries, Exit};
use crate::frames::{
    FRAME_BYTES, FRAME_EXTRA, FRAME_FUEL, FRAME_RECORD, RECORD_BELOW, RECORD_CODE, RECORD_EXTRA, RECORD_HERE,
    RECORD_INSTRUCTIONS, RECORD_RETURNS, RECORD_SITE, RECORD_TIMES, STACK_BYTES, STACK_FROM, STACK_RECORD,
    STACK_TO, STACKS,
};
use crate::layout;

impl Codegen<'_, '_> {
    /// Out by a link that is a call: with a frame if the call was prepared from the stack at hand, else the
    /// engine makes it. Gives where the link's data stand, and the branch that every call passes.
    pub(super) fn call_by_link(&mut self, slot: u32, number: u32) -> (u32, Inst) {
        let data = self.room.take_bytes(STACKS * STACK_BYTES);
        let flags = MemFlagsData::trusted();
        let top = self.load_word(self.ctx, layout::TOP);
        let index = self.b.ins().band_imm_u(top, i64::from(STACKS - 1));
        let offset = self.b.ins().ishl_imm_u(index, i64::from(STACK_BYTES.trailing_zeros()));
        let stack = self.b.ins().iadd(self.ctx, offset);
        let from = self.load_word(stack, data as i32 + STACK_FROM);
        let frames = self.load_word(self.ctx, layout::FRAMES);
        let is_prepared = self.b.ins().icmp(IntCC::Equal, from, top);
        let (call, tell) = (self.b.create_block(), self.b.create_block());
        let branch = self.b.ins().brif(is_prepared, call, &[], tell, &[]);
        self.b.set_cold_block(tell);
        self.b.seal_block(call);
        self.b.switch_to_block(call);
        let end = i64::from(self.around.frames_end.unwrap_or_default());
        let has_room = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, frames, end);
        let put_on = self.b.create_block();
        self.b.ins().brif(has_room, put_on, &[], tell, &[]);
        self.b.seal_block(put_on);
        self.b.seal_block(tell);
        self.b.switch_to_block(put_on);
        let frame = self.b.ins().iadd(self.ctx, frames);
        let fuel = self.load_word(self.ctx, layout::FUEL);
        self.b.ins().store(flags, fuel, frame, FRAME_FUEL);
        let record = self.load_word(stack, data as i32 + STACK_RECORD);
        self.b.ins().store(flags, record, frame, FRAME_RECORD);
        if self.around.adds_cycles {
            let extra = self.load_word(self.ctx, layout::EXTRA);
            self.b.ins().store(flags, extra, frame, FRAME_EXTRA);
        }
        let to = self.load_word(stack, data as i32 + STACK_TO);
        self.b.ins().store(flags, to, self.ctx, layout::TOP);
        let frames = self.b.ins().iadd_imm_s(frames, i64::from(FRAME_BYTES));
        self.b.ins().store(flags, frames, self.ctx, layout::FRAMES);
        let code = self.load_word(self.ctx, slot as i32);
        let told = self.b.ins().iconst(types::I64, i64::from(number));
        self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, told]);
        self.b.switch_to_block(tell);
        let told = self.b.ins().iconst(types::I64, i64::from(number));
        self.come_back(Exit::Link, told);
        (data, branch)
    }

    /// At a jump that may return: takes the frame off that waits for the address, if that is the last one that
    /// was put on, and goes on with what its record says that follows; else by the table of jumps, and the record
    /// learns it. Gives the block where no frame waits, and the branch that every jump passes.
    pub(super) fn return_by_frame(&mut self, pc: ir::Value, entries: Entries) -> (ir::Block, Inst) {
        let flags = MemFlagsData::trusted();
        let frames = self.load_word(self.ctx, layout::FRAMES);
        let behind = self.b.ins().iadd(self.ctx, frames);
        let before = -(FRAME_BYTES as i32);
        let record = self.load_word(behind, before + FRAME_RECORD);
        let record = self.b.ins().iadd(self.ctx, record);
        let returns = self.load_word(record, RECORD_RETURNS);
        let mut is_return = self.b.ins().icmp(IntCC::Equal, returns, pc);
        // Where it goes on behind itself it may be no jump, and the frame before the first waits for the last
        // address of all.
        let mut others = vec![self.successor];
        others.extend(Some(u64::MAX).filter(|_| self.around.model.pc.width_bits >= 64));
        for other in others {
            let is_another = self.b.ins().icmp_imm_u(IntCC::NotEqual, pc, other as i64);
            is_return = self.b.ins().band(is_return, is_another);
        }
        let (taken_off, elsewhere) = (self.b.create_block(), self.b.create_block());
        let branch = self.b.ins().brif(is_return, taken_off, &[], elsewhere, &[]);
        self.b.seal_block(taken_off);
        self.b.seal_block(elsewhere);
        self.b.switch_to_block(taken_off);
        let now = self.load_word(self.ctx, layout::FUEL);
        let then = self.load_word(behind, before + FRAME_FUEL);
        let spent = self.b.ins().isub(then, now);
        self.add_to(record, RECORD_INSTRUCTIONS, spent);
        if self.around.adds_cycles {
            let now = self.load_word(self.ctx, layout::EXTRA);
            let then = self.load_word(behind, before + FRAME_EXTRA);
            let spent = self.b.ins().isub(now, then);
            self.add_to(record, RECORD_EXTRA, spent);
        }
        let below = self.load_word(record, RECORD_BELOW);
        self.b.ins().store(flags, below, self.ctx, layout::TOP);
        let frames = self.b.ins().iadd_imm_s(frames, i64::from(before));
        self.b.ins().store(flags, frames, self.ctx, layout::FRAMES);
        let site = self.load_word(record, RECORD_SITE);
        let is_known = self.b.ins().icmp_imm_s(IntCC::Equal, site, entries.tag() as i64);
        let (here, by_table) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(is_known, here, &[], by_table, &[]);
        self.b.set_cold_block(by_table);
        self.b.seal_block(here);
        self.b.seal_block(by_table);
        self.b.switch_to_block(here);
        self.count_one(record, RECORD_HERE);
        let code = self.load_word(record, RECORD_CODE);
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, zero]);
        self.b.switch_to_block(by_table);
        self.count_one(record, RECORD_TIMES);
        self.jump_by_table(pc, entries, Some((record, site)));
        (elsewhere, branch)
    }

    /// The record of a return that goes by the table of jumps learns what follows, if it knows nothing yet.
    pub(super) fn learn_return(&mut self, (record, site): (ir::Value, ir::Value), tag: u64, code: ir::Value) {
        let (learn, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(site, go_on, &[], learn, &[]);
        self.b.set_cold_block(learn);
        self.b.seal_block(learn);
        self.b.switch_to_block(learn);
        let flags = MemFlagsData::trusted();
        let tag = self.b.ins().iconst(types::I64, tag as i64);
        self.b.ins().store(flags, tag, record, RECORD_SITE);
        self.b.ins().store(flags, code, record, RECORD_CODE);
        self.b.ins().jump(go_on, &[]);
        self.b.seal_block(go_on);
        self.b.switch_to_block(go_on);
    }

    fn count_one(&mut self, base: ir::Value, offset: i32) {
        let one = self.b.ins().iconst(types::I64, 1);
        self.add_to(base, offset, one);
    }

    fn load_word(&mut self, base: ir::Value, offset: i32) -> ir::Value {
        self.b.ins().load(types::I64, MemFlagsData::trusted(), base, offset)
    }

    fn add_to(&mut self, base: ir::Value, offset: i32, amount: ir::Value) {
        let sum = self.load_word(base, offset);
        let sum = self.b.ins().iadd(sum, amount);
        self.b.ins().store(MemFlagsData::trusted(), sum, base, offset);
    }
}
