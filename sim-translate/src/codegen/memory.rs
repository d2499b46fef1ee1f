//! Accesses to memory.
//!
//! What lies in a *window*, a range of a map behind which plain memory stands, is reached at once.
//! One comparison serves all accesses of a block, and of those that go on with its loop, that begin at
//! the same register, or that differ from it by constants: it asks for the whole stretch of them. Whatever
//! else there is, devices, other ranges, faults, code that is written, is rare: as long as the instruction
//! has done nothing that stands it is done by the interpreter, from its beginning; else a helper makes the access.

use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Type, Value as Ir, types};
use sim_runtime::AccessKind;

use super::bounds::unmasked;
use super::reach::split_address;
use super::window::Window;
use super::{Codegen, SiteKind, type_of};
use crate::compilable::Left;
use crate::layout;
use crate::residual::{Item, Kind, Op, Value, each_op};

/// An access, as compiled code sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) map: u32,
    pub(super) cells: u32,
    pub(super) kind: AccessKind,
}

/// The access at an address, if nothing is done before it.
fn first_access_at(ops: &[Op], asked: &Value) -> Option<Access> {
    for op in ops {
        let mut found = None;
        for value in op.values() {
            value.walk(&mut |item| {
                if let Item::Value(Value { kind: Kind::Memory { map, cells, address, access }, .. }) = item
                    && **address == *asked
                {
                    found = Some(Access { map: *map, cells: *cells, kind: *access });
                }
            });
        }
        match op {
            _ if found.is_some() => return found,
            Op::SetMemory { map, cells, address, .. } if address == asked => {
                return Some(Access { map: *map, cells: *cells, kind: AccessKind::Write });
            }
            Op::Set(..) | Op::Count(_) | Op::CountLocal(..) => {}
            _ => return None,
        }
    }
    None
}

/// What a helper is told of an access: map, number of cells, kind.
fn pack(access: Access) -> i64 {
    i64::from(access.map) | i64::from(access.cells) << 16 | i64::from(access.kind.number()) << 32
}

/// The opposite.
pub(crate) fn unpack(packed: u64) -> (u32, u32, AccessKind) {
    let access = match packed >> 32 & 3 {
        0 => AccessKind::Read,
        1 => AccessKind::Write,
        _ => AccessKind::Fetch,
    };
    (packed as u32 & 0xffff, (packed >> 16) as u32 & 0xffff, access)
}

impl Codegen<'_, '_> {
    /// Cells of a map.
    pub(super) fn load(&mut self, map: u32, cells: u32, address: &Value, kind: AccessKind, width: u32) -> Ir {
        let ty = type_of(width);
        let access = Access { map, cells, kind };
        let windows = self.windows(access);
        let (base, offset) = split_address(address);
        let Some(base) = base else {
            return self.load_known(access, &windows, offset as u64, ty);
        };
        let Some(first) = windows.first() else {
            return self.load_slowly(access, address, ty);
        };
        if self.is_precise() {
            return self.load_precisely(access, address, &windows, ty);
        }
        let narrow = self.value(base);
        let base_ir = self.host_address(narrow, base.width);
        if let Some(place) = self.is_checked((narrow, base.width), first, (offset, cells), false) {
            return self.load_host(place.0, first, place.1, cells, ty);
        }
        if !self.lies_by_index((narrow, base.width), first, (offset, cells), false) {
            // Where something is written from there, too, one comparison serves both.
            let writes = self.is_written_from(base, access, first);
            let stretch = self.stretch(base, first, (offset, cells), writes);
            let is_within = match writes {
                true => self.is_clean((base, base_ir), first, stretch),
                false => self.lies_within(base_ir, first, stretch),
            };
            self.go_on_if(is_within);
            self.know(narrow, first, stretch, writes);
        }
        self.load_host(base_ir, first, offset, cells, ty)
    }

    /// The same where the first window is often not the one.
    fn load_precisely(&mut self, access: Access, address: &Value, windows: &[Window], ty: Type) -> Ir {
        let place = self.whole_address(address);
        let done = self.b.create_block();
        let result = self.b.append_block_param(done, ty);
        for window in windows {
            let is_within = self.lies_within(place, window, (0, access.cells));
            let (here, beyond) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(is_within, here, &[], beyond, &[]);
            self.begin_block(here, false);
            let value = self.load_host(place, window, 0, access.cells, ty);
            self.b.ins().jump(done, &[value.into()]);
            self.begin_block(beyond, false);
        }
        let value = self.load_slowly(access, address, ty);
        self.b.ins().jump(done, &[value.into()]);
        self.begin_block(done, false);
        self.split();
        result
    }

    /// Writes cells of a map.
    pub(super) fn store(&mut self, map: u32, cells: u32, address: &Value, value: Ir) {
        let access = Access { map, cells, kind: AccessKind::Write };
        let windows = self.windows(access);
        let (base, offset) = split_address(address);
        let (Some(base), Some(first)) = (base, windows.first()) else {
            // To a known address, or to a map without memory: a register of a device, mostly.
            return self.store_elsewhere(access, address, value, &windows, offset as u64);
        };
        if self.is_precise() {
            return self.store_precisely(access, address, value, &windows);
        }
        let narrow = self.value(base);
        let base_ir = self.host_address(narrow, base.width);
        if let Some(place) = self.is_checked((narrow, base.width), first, (offset, cells), true) {
            return self.store_host(place.0, first, place.1, cells, value);
        }
        if !self.lies_by_index((narrow, base.width), first, (offset, cells), true) {
            let stretch = self.stretch(base, first, (offset, cells), true);
            let is_clean = self.is_clean((base, base_ir), first, stretch);
            self.go_on_if(is_clean);
            self.know(narrow, first, stretch, true);
        }
        self.store_host(base_ir, first, offset, cells, value);
    }

    /// The same where the first window is often not the one, or code stands nearby.
    fn store_precisely(&mut self, access: Access, address: &Value, value: Ir, windows: &[Window]) {
        let place = self.whole_address(address);
        let (done, slow) = (self.b.create_block(), self.b.create_block());
        for window in windows {
            let is_within = self.lies_within(place, window, (0, access.cells));
            let (here, write, beyond) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
            self.b.ins().brif(is_within, here, &[], beyond, &[]);
            self.begin_block(here, false);
            let is_code = self.granule(place, window, 0);
            self.b.ins().brif(is_code, slow, &[], write, &[]);
            self.begin_block(write, false);
            self.store_host(place, window, 0, access.cells, value);
            self.b.ins().jump(done, &[]);
            self.begin_block(beyond, false);
        }
        self.b.ins().jump(slow, &[]);
        self.begin_block(slow, true);
        self.give_up_store(access, address, value, done);
        self.begin_block(done, false);
        self.split();
    }

    /// An address as it is, in 64 bits: a sum may begin anew at 0, where its base is near the end.
    fn whole_address(&mut self, address: &Value) -> Ir {
        let narrow = self.value(address);
        self.host_address(narrow, address.width)
    }

    /// An access of the step may not be begun again: it has had an effect, or that happens often.
    fn is_precise(&self) -> bool {
        self.has_effects || self.is_often
    }

    /// The end of a write's slow way.
    fn give_up_store(&mut self, access: Access, address: &Value, value: Ir, done: ir::Block) {
        match self.is_precise() {
            false => self.leave(SiteKind::Redo),
            true => {
                self.store_slowly(access, address, value);
                self.b.ins().jump(done, &[]);
            }
        }
    }

    fn begin_block(&mut self, block: ir::Block, is_cold: bool) {
        self.b.seal_block(block);
        if is_cold {
            self.b.set_cold_block(block);
        }
        self.b.switch_to_block(block);
    }

    /// A value of an address's width in 64 bits.
    pub(super) fn host_address(&mut self, value: Ir, width: u32) -> Ir {
        match type_of(width).bits().cmp(&64) {
            std::cmp::Ordering::Greater => self.narrow(value, types::I64),
            _ => self.widen(value, types::I64),
        }
    }

    /// Leaves the instruction to the interpreter unless a condition holds.
    pub(super) fn go_on_if(&mut self, condition: Ir) {
        self.leave_unless(condition, SiteKind::Redo);
    }

    /// True if the access that remains finds out by itself that an address lies where arms are left: it
    /// asks for a window without these, and the instruction has done nothing before.
    pub(super) fn is_apart(&self, left: &Left<'_>) -> bool {
        let Some(access) = first_access_at(left.rest, left.address) else { return false };
        let windows = self.windows(access);
        let Some(window) = windows.first().filter(|_| !self.is_precise()) else { return false };
        let is_apart = |(first, last): &(u128, u128)| {
            *last < u128::from(window.span.low) || *first > u128::from(window.span.high)
        };
        left.ranges.iter().all(is_apart)
    }

    /// Cells at an address that is known.
    fn load_known(&mut self, access: Access, windows: &[Window], address: u64, ty: Type) -> Ir {
        match windows.iter().find(|window| window.holds(address, access.cells)) {
            Some(window) => {
                let base = self.b.ins().iconst(types::I64, address as i64);
                self.load_host(base, window, 0, access.cells, ty)
            }
            None => {
                let address = Value::constant(64, address.into());
                self.load_slowly(access, &address, ty)
            }
        }
    }

    /// A write to what is rarely written.
    fn store_elsewhere(
        &mut self,
        access: Access,
        address: &Value,
        value: Ir,
        windows: &[Window],
        known: u64,
    ) {
        let holds = |window: &&Window| address.known().is_some() && window.holds(known, access.cells);
        let done = self.b.create_block();
        if let Some(window) = windows.iter().find(holds) {
            let base = self.b.ins().iconst(types::I64, known as i64);
            let is_code = self.granule(base, window, 0);
            let (suspect, write) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(is_code, suspect, &[], write, &[]);
            self.begin_block(write, false);
            self.store_host(base, window, 0, access.cells, value);
            self.b.ins().jump(done, &[]);
            self.begin_block(suspect, true);
        }
        self.give_up_store(access, address, value, done);
        self.begin_block(done, false);
        self.split();
    }

    /// Asks a helper for cells.
    fn load_slowly(&mut self, access: Access, address: &Value, ty: Type) -> Ir {
        if !self.is_precise() {
            // The interpreter makes the whole instruction.
            let (gone, on) = (self.b.create_block(), self.b.create_block());
            let one = self.b.ins().iconst(types::I8, 1);
            self.b.ins().brif(one, gone, &[], on, &[]);
            self.begin_block(gone, true);
            self.leave(SiteKind::Redo);
            self.begin_block(on, true);
            self.split();
            return self.zero(ty);
        }
        let address = self.value_in(address, types::I64);
        let packed = self.b.ins().iconst(types::I64, pack(access));
        let site = self.next_site();
        let status = self.call_helper(self.around.helpers.load, [address, packed, site]);
        self.trap_if(status);
        self.b.ins().load(ty, MemFlagsData::trusted(), self.ctx, layout::VALUE)
    }

    /// Asks a helper to write cells.
    fn store_slowly(&mut self, access: Access, address: &Value, value: Ir) {
        let wide = self.widen(value, types::I128);
        self.b.ins().store(MemFlagsData::trusted(), wide, self.ctx, layout::VALUE);
        let address = self.value_in(address, types::I64);
        let packed = self.b.ins().iconst(types::I64, pack(access));
        let site = self.next_site();
        let status = self.call_helper(self.around.helpers.store, [address, packed, site]);
        // 1 is a trap, 2 something that has to be looked at.
        let is_trap = self.b.ins().band_imm_u(status, 1);
        self.trap_if(is_trap);
        if let Some(written) = self.written {
            let looked_at = self.b.ins().ushr_imm_u(status, 1);
            let looked_at = self.b.ins().ireduce(types::I8, looked_at);
            let old = self.b.use_var(written);
            let new = self.b.ins().bor(old, looked_at);
            self.b.def_var(written, new);
        }
    }

    /// Leaves if a helper says that the instruction has ended.
    fn trap_if(&mut self, status: Ir) {
        let (gone, on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(status, gone, &[], on, &[]);
        self.begin_block(gone, true);
        self.leave(SiteKind::Told);
        self.begin_block(on, true);
        self.split();
    }

    /// Loads from the host, cells joined in the target's order.
    fn load_host(&mut self, base: Ir, window: &Window, offset: i64, cells: u32, ty: Type) -> Ir {
        if let Some(piece) = window.pieces {
            let found = self.load_pieces((base, window, offset), cells, piece);
            return self.in_type(found, ty);
        }
        let bytes = cells << window.shift;
        let (base, offset) = self.host_place(base, window, offset);
        let flags = MemFlagsData::new().with_notrap();
        let value = match (bytes, ty) {
            (1, types::I8) => self.b.ins().load(types::I8, flags, base, offset),
            (1, _) => self.b.ins().uload8(types::I32, flags, base, offset),
            (2, _) => self.b.ins().uload16(types::I32, flags, base, offset),
            (4, _) => self.b.ins().load(types::I32, flags, base, offset),
            (8, _) => self.b.ins().load(types::I64, flags, base, offset),
            _ => self.b.ins().load(types::I128, flags, base, offset),
        };
        let value = if self.swaps(cells) { self.swap(value, bytes) } else { value };
        self.in_type(value, ty)
    }

    /// A value in another type: as it is, or its low bits.
    pub(super) fn in_type(&mut self, value: Ir, ty: Type) -> Ir {
        match self.b.func.dfg.value_type(value).bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.widen(value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.narrow(value, ty),
        }
    }

    fn store_host(&mut self, base: Ir, window: &Window, offset: i64, cells: u32, value: Ir) {
        if let Some(piece) = window.pieces {
            return self.store_pieces((base, window, offset), cells, piece, value);
        }
        let bytes = cells << window.shift;
        let (base, offset) = self.host_place(base, window, offset);
        let flags = MemFlagsData::new().with_notrap();
        let host = match bytes {
            ..=4 => types::I32,
            8 => types::I64,
            _ => types::I128,
        };
        let value = match self.b.func.dfg.value_type(value).bits() > host.bits() {
            true => self.narrow(value, host),
            false => self.widen(value, host),
        };
        // What is above the stored bits is not looked at, in either order.
        let value = match bytes {
            1 | 2 => unmasked(&self.b.func.dfg, value, 8 * bytes),
            _ => value,
        };
        let value = if self.swaps(cells) { self.swap(value, bytes) } else { value };
        match bytes {
            1 => self.b.ins().istore8(flags, value, base, offset),
            2 => self.b.ins().istore16(flags, value, base, offset),
            _ => self.b.ins().store(flags, value, base, offset),
        };
    }

    fn swaps(&self, cells: u32) -> bool {
        self.around.model.target.big_endian && cells > 1
    }

    /// The value of so many bytes, in the other order; cells are bytes where there are several.
    fn swap(&mut self, value: Ir, bytes: u32) -> Ir {
        match bytes {
            1 => value,
            2 => {
                let swapped = self.b.ins().bswap(value);
                self.b.ins().ushr_imm_u(swapped, 16)
            }
            _ => self.b.ins().bswap(value),
        }
    }
}

/// True if some write of a step comes when it has had another effect: what has to be looked at is
/// then noted.
pub(super) fn writes_late(ops: &[Op], mut has_effects: bool) -> bool {
    let mut late = false;
    each_op(ops, &mut |op| match op {
        Op::SetMemory { .. } => {
            late |= has_effects;
            has_effects = true;
        }
        Op::SetRegister { .. }
        | Op::SetElement { .. }
        | Op::Strike(_)
        | Op::ExtraCycles(_)
        | Op::Event(_) => has_effects = true,
        _ => {}
    });
    late
}

#[cfg(test)]
mod tests {
    use super::{Access, AccessKind, pack, unpack};

    #[test]
    fn what_a_helper_is_told_is_what_was_asked() {
        for kind in [AccessKind::Read, AccessKind::Write, AccessKind::Fetch] {
            let access = Access { map: 3, cells: 16, kind };
            assert_eq!(unpack(pack(access) as u64), (3, 16, kind));
        }
    }
}
