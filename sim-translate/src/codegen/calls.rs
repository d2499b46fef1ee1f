//! Calls that compiled code makes by itself: see [`crate::frames`].

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Inst, InstBuilder, MemFlagsData, types};

use super::{Codegen, Exit};
use crate::frames::{
    FRAME_BYTES, FRAME_EXTRA, FRAME_FUEL, FRAME_RECORD, FramesAround, STACK_BYTES, STACK_FROM, STACK_RECORD,
    STACK_TO, STACKS,
};
use crate::layout;

impl Codegen<'_, '_> {
    /// Out by a link that is a call: with a frame if the call was prepared from the stack at hand, else the
    /// engine makes it. Gives where the link's data stand, and the branch that every call passes.
    pub(super) fn call_by_link(&mut self, around: FramesAround, slot: u32, number: u32) -> (u32, Inst) {
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
        let has_room = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, frames, i64::from(around.end));
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
        if around.adds_cycles {
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

    fn load_word(&mut self, base: ir::Value, offset: i32) -> ir::Value {
        self.b.ins().load(types::I64, MemFlagsData::trusted(), base, offset)
    }
}
