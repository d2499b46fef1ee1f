//! What all returns of a generation have in common, in one function: it takes the frame off that waits for the
//! address, if that is the last one that was put on, and goes on with what the frame's record says that follows.
//! All else goes by the table of jumps.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, SigRef, types};
use cranelift_frontend::FunctionBuilder;

use super::{Entries, Exit};
use crate::frames::{
    FRAME_BYTES, FRAME_EXTRA, FRAME_FUEL, FRAME_RECORD, RECORD_BELOW, RECORD_CODE, RECORD_EXTRA, RECORD_HERE,
    RECORD_INSTRUCTIONS, RECORD_RETURNS, RECORD_SITE, RECORD_TIMES,
};
use crate::layout;

/// What returns do beside returning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReturnKind {
    /// Jumps by the table are counted.
    pub(crate) profiles: bool,
    /// The model has extra cycles.
    pub(crate) adds_cycles: bool,
    /// Program counters have 64 bits: one may be what the frame below the first waits for.
    pub(crate) is_wide: bool,
}

/// Fills the function, which takes the shared memory and the address; [`layout::SITE`] holds the number of the site,
/// and [`layout::VALUE`] the address behind it.
pub(crate) fn fill_return(
    b: &mut FunctionBuilder<'_>,
    (ctx, pc): (ir::Value, ir::Value),
    tail: SigRef,
    kind: ReturnKind,
) {
    let site = b.ins().load(types::I64, MemFlagsData::trusted(), ctx, layout::SITE);
    Return { b, ctx, pc, site, tail, kind }.fill();
}

struct Return<'b, 'f> {
    b: &'b mut FunctionBuilder<'f>,
    ctx: ir::Value,
    pc: ir::Value,
    site: ir::Value,
    tail: SigRef,
    kind: ReturnKind,
}

impl Return<'_, '_> {
    fn fill(mut self) {
        let frames = self.load(self.ctx, layout::FRAMES);
        let behind = self.b.ins().iadd(self.ctx, frames);
        let before = -(FRAME_BYTES as i32);
        let record = self.load(behind, before + FRAME_RECORD);
        let record = self.b.ins().iadd(self.ctx, record);
        let returns = self.load(record, RECORD_RETURNS);
        let elsewhere = self.b.create_block();
        self.go_on_if(IntCC::Equal, (returns, self.pc), elsewhere);
        // Where it goes on behind itself it may be no jump.
        let successor = self.load(self.ctx, layout::VALUE);
        self.go_on_if(IntCC::NotEqual, (successor, self.pc), elsewhere);
        if self.kind.is_wide {
            let last = self.b.ins().iconst(types::I64, -1);
            self.go_on_if(IntCC::NotEqual, (last, self.pc), elsewhere);
        }
        self.b.seal_block(elsewhere);
        self.pay(behind, record, before);
        let below = self.load(record, RECORD_BELOW);
        self.store(below, self.ctx, layout::TOP);
        let frames = self.b.ins().iadd_imm_s(frames, i64::from(before));
        self.store(frames, self.ctx, layout::FRAMES);
        self.go_on_by_record(record);
        self.b.switch_to_block(elsewhere);
        let code = self.look_up(Exit::Jump);
        self.leave(code);
    }

    /// Goes on with what the record knows to follow, if it knows the site, else by the table of jumps; a record that
    /// knows no site learns this one.
    fn go_on_by_record(&mut self, record: ir::Value) {
        let tag = Entries::tag_of_site(self.b, (self.site, Exit::Return));
        let known = self.load(record, RECORD_SITE);
        let by_table = self.b.create_block();
        self.go_on_if(IntCC::Equal, (known, tag), by_table);
        self.b.seal_block(by_table);
        self.count(record, RECORD_HERE);
        let code = self.load(record, RECORD_CODE);
        self.leave(code);

        self.b.switch_to_block(by_table);
        self.count(record, RECORD_TIMES);
        let code = self.look_up(Exit::Return);
        let (learn, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(known, go_on, &[], learn, &[]);
        self.b.seal_block(learn);
        self.b.switch_to_block(learn);
        self.store(tag, record, RECORD_SITE);
        self.store(code, record, RECORD_CODE);
        self.b.ins().jump(go_on, &[]);
        self.b.seal_block(go_on);
        self.b.switch_to_block(go_on);
        self.leave(code);
    }

    /// What the frame has spent is added to its record.
    fn pay(&mut self, behind: ir::Value, record: ir::Value, before: i32) {
        let now = self.load(self.ctx, layout::FUEL);
        let then = self.load(behind, before + FRAME_FUEL);
        let spent = self.b.ins().isub(then, now);
        self.add_to(record, RECORD_INSTRUCTIONS, spent);
        if self.kind.adds_cycles {
            let now = self.load(self.ctx, layout::EXTRA);
            let then = self.load(behind, before + FRAME_EXTRA);
            let spent = self.b.ins().isub(now, then);
            self.add_to(record, RECORD_EXTRA, spent);
        }
    }

    /// What follows by the table of jumps; where the site has no entry there it comes back to the engine for what is
    /// missing.
    fn look_up(&mut self, exit: Exit) -> ir::Value {
        let entry = Entries::entry_of_site(self.b, (self.ctx, self.pc), (self.site, exit));
        let tag = Entries::tag_of_site(self.b, (self.site, exit));
        let miss = self.b.create_block();
        self.b.set_cold_block(miss);
        let address = self.load(entry, layout::JUMPS);
        self.go_on_if(IntCC::Equal, (address, self.pc), miss);
        let known = self.load(entry, layout::JUMPS + 8);
        self.go_on_if(IntCC::Equal, (known, tag), miss);
        let hit = self.b.create_block();
        self.b.ins().jump(hit, &[]);
        self.b.seal_block(hit);
        self.b.seal_block(miss);
        self.b.switch_to_block(miss);
        self.store(self.pc, self.ctx, layout::VALUE + 8);
        let exit = self.b.ins().iconst(types::I64, exit as i64);
        self.store(exit, self.ctx, layout::EXIT);
        self.b.ins().return_(&[]);
        self.b.switch_to_block(hit);
        if self.kind.profiles {
            self.count(entry, layout::JUMPS + 24);
        }
        self.load(entry, layout::JUMPS + 16)
    }

    /// Goes on here if a comparison holds, else in a block.
    fn go_on_if(&mut self, condition: IntCC, (left, right): (ir::Value, ir::Value), otherwise: ir::Block) {
        let holds = self.b.ins().icmp(condition, left, right);
        let here = self.b.create_block();
        self.b.ins().brif(holds, here, &[], otherwise, &[]);
        self.b.seal_block(here);
        self.b.switch_to_block(here);
    }

    fn leave(&mut self, code: ir::Value) {
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, zero]);
    }

    fn count(&mut self, base: ir::Value, offset: i32) {
        let one = self.b.ins().iconst(types::I64, 1);
        self.add_to(base, offset, one);
    }

    fn add_to(&mut self, base: ir::Value, offset: i32, amount: ir::Value) {
        let sum = self.load(base, offset);
        let sum = self.b.ins().iadd(sum, amount);
        self.store(sum, base, offset);
    }

    fn load(&mut self, base: ir::Value, offset: i32) -> ir::Value {
        self.b.ins().load(types::I64, MemFlagsData::trusted(), base, offset)
    }

    fn store(&mut self, value: ir::Value, base: ir::Value, offset: i32) {
        self.b.ins().store(MemFlagsData::trusted(), value, base, offset);
    }
}
