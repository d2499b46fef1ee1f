//! Accesses to memory.
//!
//! What lies in a *window*, a range of a map behind which plain memory stands, is reached at once.
//! One comparison serves all accesses of a block, and of those that go on with its loop, that begin at
//! the same register, or that differ from it by constants: it asks for the whole stretch of them. Whatever
//! else there is, devices, other ranges, faults, code that is written, is rare: as long as the instruction
//! has done nothing yet it is done by the interpreter, from its beginning; else a helper makes the access.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Type, Value as Ir, types};
use isac_ir::behavior::BinaryOp;
use isac_ir::bits::sign_extend;
use isac_ir::resource::Range;
use sim_runtime::AccessKind;

use super::bounds::{FARTHEST, Indexed, indexed, moved, unmasked};
use super::piece::{MOST_PIECES, Piece};
use super::{Codegen, SiteKind, type_of};
use crate::compilable::{Left, Undone};
use crate::layout::{self, GRANULE_SHIFT, MARKED_BEFORE};
use crate::region::Numbered;
use crate::residual::{Item, Kind, Op, Value, walk_ops};
use crate::state::Clean;

/// Most cells that one comparison serves where an index is added.
const LONGEST: u32 = MARKED_BEFORE;
/// Steps that are looked at for further accesses from a register.
const LOOKED_AT: usize = 64;

/// Which cells a window is: several maps may have different ones at the same addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    low: u64,
    high: u64,
    /// Of the cell at `low`, from the shared memory's beginning.
    offset: u32,
}

/// A range that an access may lie in, in host terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    low: u64,
    high: u64,
    /// Of the cell at `low`, from the shared memory's beginning.
    offset: u32,
    /// Bytes of a cell, as a power of two.
    pub(super) shift: u32,
    /// Of the granule of the cell at `low`.
    granules: u32,
    /// Where an access is made cell by cell, which bits of the memory's cell are the map's.
    pieces: Option<Piece>,
    /// The part of it without code.
    clean: Clean,
}

impl Window {
    fn span(&self) -> Span {
        Span { low: self.low, high: self.high, offset: self.offset }
    }

    /// Most cells that one comparison is to serve: half of the window, where it is small.
    fn longest(&self) -> u32 {
        u32::try_from((self.high - self.low).div_ceil(2)).unwrap_or(u32::MAX)
    }
}

/// A stretch of addresses from a value on that is known to lie in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checked {
    /// Before it is widened.
    base: Ir,
    window: Span,
    from: i64,
    /// Last cell.
    to: i64,
    /// It holds no code: it can be written.
    writable: bool,
}

/// An access from a value on.
#[derive(Debug, Clone, Copy)]
struct Reached {
    offset: i64,
    cells: u32,
    writes: bool,
    /// It is of the block at hand.
    is_here: bool,
    /// Address of the instruction.
    step: u64,
}

/// An access, as compiled code sees it.
#[derive(Debug, Clone, Copy)]
struct Access {
    map: u32,
    cells: u32,
    kind: AccessKind,
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

/// Constants that are added to an address are looked at apart from it up to this size, so that sums of them have
/// no end to go beyond.
const FARTHEST_OFFSET: i64 = 1 << 40;

/// An address as a value and a constant that is added to it.
fn split_address(address: &Value) -> (Option<&Value>, i64) {
    let (base, offset) = split_sum(address);
    match base {
        Some(_) if offset.abs() > FARTHEST_OFFSET => (Some(address), 0),
        _ => (base, offset),
    }
}

fn split_sum(address: &Value) -> (Option<&Value>, i64) {
    let signed = |value: u128| (sign_extend(value, address.width, 128) as i64).max(i64::MIN + 1);
    match &address.kind {
        Kind::Const(known) => (None, *known as i64),
        Kind::Binary(BinaryOp::Add, base, offset) => match (offset.known(), base.known()) {
            (Some(offset), None) => (Some(base), signed(offset)),
            (None, Some(offset)) => (Some(offset_base(address)), signed(offset)),
            _ => (Some(address), 0),
        },
        _ => (Some(address), 0),
    }
}

/// The second operand of a sum.
fn offset_base(sum: &Value) -> &Value {
    match &sum.kind {
        Kind::Binary(_, _, right) => right,
        _ => sum,
    }
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
        let is_often = self.undone == Undone::Nothing && self.region.precise.contains(&self.address);
        self.has_effects || is_often
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

    /// Where an access lies that is known to lie in a window: an address in 64 bits, and an offset. What is
    /// known of a value holds for one that is moved from it by a constant: modulo the width both sums are
    /// the same address, and that from the value which was looked at is not beyond the width.
    fn is_checked(
        &mut self,
        (base, width): (Ir, u32),
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> Option<(Ir, i64)> {
        let (from, by) = moved(&self.b.func.dfg, base);
        let covers = |known: i64, base: Ir| {
            let first = offset + known;
            let last = first + i64::from(cells) - 1;
            self.checked.iter().any(|checked| {
                self.b.func.dfg.resolve_aliases(checked.base) == base
                    && checked.window == window.span()
                    && checked.from <= first
                    && last <= checked.to
                    && (checked.writable || !writes)
            })
        };
        let own = self.b.func.dfg.resolve_aliases(base);
        let (found, offset) = match (covers(0, own), covers(by, from)) {
            (true, _) => (base, offset),
            (false, true) => (from, offset + by),
            (false, false) => return None,
        };
        Some((self.host_address(found, width), offset))
    }

    /// True if it is seen to that an access lies in a window by what is known of an index in its address:
    /// it is added to a value that is looked at once for all that the index can be, or to none at all.
    fn lies_by_index(
        &mut self,
        (value, width): (Ir, u32),
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> bool {
        let is_tried = self.region.near.contains(&self.address);
        // Where the sum of base and index is beyond its width, its address would be another.
        let most = i128::from(window.high) - i128::from(offset);
        if is_tried || width > 64 || most >= 1 << width {
            return false;
        }
        let Indexed { base, index } = indexed(&self.b.func.dfg, value);
        let (first, places) = match writes {
            true => (window.low.wrapping_add(window.clean.first), i128::from(window.clean.places(cells))),
            false => (window.low, i128::from(window.high - window.low) + 2 - i128::from(cells)),
        };
        let Some(base) = base else {
            let from = i128::from(index.least) + i128::from(offset) - i128::from(first);
            let to = i128::from(index.most) + i128::from(offset) - i128::from(first);
            return 0 <= from && to < places;
        };
        let reached = index.most - index.least + u64::from(cells);
        if base == self.b.func.dfg.resolve_aliases(value) || reached > LONGEST.min(window.longest()).into() {
            return false;
        }
        let stretch = (offset.saturating_add_unsigned(index.least), reached as u32);
        if self.is_checked((base, width), window, stretch, writes).is_none() {
            let base_ir = self.host_address(base, width);
            let lies = match writes {
                true => self.begins_clean(base_ir, window, stretch),
                false => self.lies_within(base_ir, window, stretch),
            };
            self.go_on_if(lies);
            self.know(base, window, stretch, writes);
        }
        true
    }

    /// What is reached from a value on, this access included, as far as one comparison serves it:
    /// the first cell, and how many.
    fn stretch(
        &self,
        base: &Value,
        window: &Window,
        (offset, cells): (i64, u32),
        writes: bool,
    ) -> (i64, u32) {
        let (mut from, mut to) = (offset, offset + i64::from(cells) - 1);
        // What may be written is looked at as a whole.
        let most = if writes { MARKED_BEFORE } else { 4096 }.min(window.longest());
        let most = i64::from(most);
        for other in self.accesses_from(base) {
            let last = other.offset + i64::from(other.cells) - 1;
            let (low, high) = (from.min(other.offset), to.max(last));
            if high - low < most {
                (from, to) = (low, high);
            }
        }
        (from, (to - from + 1) as u32)
    }

    /// A value of an address's width in 64 bits.
    fn host_address(&mut self, value: Ir, width: u32) -> Ir {
        match type_of(width).bits().cmp(&64) {
            std::cmp::Ordering::Greater => self.narrow(value, types::I64),
            _ => self.widen(value, types::I64),
        }
    }

    /// True if the block at hand writes from a value on, in the window that is read from.
    fn is_written_from(&self, base: &Value, access: Access, window: &Window) -> bool {
        self.accesses_from(base).iter().any(|other| other.writes && other.is_here)
            && self.windows(Access { kind: AccessKind::Write, ..access }).first() == Some(window)
    }

    /// Remembers that a stretch lies in a window.
    fn know(&mut self, base: Ir, window: &Window, (from, cells): (i64, u32), writable: bool) {
        let to = from + i64::from(cells) - 1;
        self.checked.push(Checked { base, window: window.span(), from, to, writable });
    }

    /// The block that goes on with the innermost loop of another, if it is entered from that alone.
    fn block_behind(&self, block: usize) -> Option<usize> {
        let around = self.shape.innermost[block]?;
        let is_behind = |behind: &usize| {
            let is_first = *behind == around || *behind == 0;
            !is_first && self.shape.innermost[*behind] == Some(around) && self.shape.entered[*behind] == 1
        };
        let mut behind = self.region.blocks[block].successors.iter().copied().filter(is_behind);
        behind.next().filter(|_| behind.next().is_none())
    }

    /// The steps from the one at hand on, and whether they are of its block, as far as it is looked.
    fn steps_ahead(&self) -> impl Iterator<Item = (bool, &Numbered)> {
        let here = self.region.blocks[self.current].steps[self.at..].iter().map(|step| (true, step));
        // What is behind need not come: where that was amiss, it is left alone.
        let is_tried = self.region.near.contains(&self.address);
        let first = if is_tried { None } else { self.block_behind(self.current) };
        let behind = std::iter::successors(first, |block| self.block_behind(*block));
        let steps = behind.flat_map(|block| &self.region.blocks[block].steps);
        here.chain(steps.map(|step| (false, step))).take(LOOKED_AT)
    }

    /// Accesses from a value on, up to where that may change, of the block at hand and of those that are
    /// expected behind it.
    fn accesses_from(&self, base: &Value) -> Vec<Reached> {
        let mut found = Vec::new();
        let Kind::Register { register, element, .. } = base.kind else { return found };
        let mut moved_by = 0;
        for (is_here, step) in self.steps_ahead() {
            let (mut changes, mut moves) = (false, moved_by);
            walk_ops(&step.step.ops, &mut |item| {
                let (address, cells, writes) = match item {
                    Item::Op(Op::SetRegister { register: other, element: changed, low: 0, value })
                        if (*other, *changed) == (register, element) && value.width == base.width =>
                    {
                        match split_address(value) {
                            (Some(from), by) if from == base => moves += by,
                            _ => changes = true,
                        }
                        return;
                    }
                    Item::Op(Op::SetRegister { register: other, element: changed, .. }) => {
                        changes |= (*other, *changed) == (register, element);
                        return;
                    }
                    Item::Op(Op::SetMemory { address, cells, .. }) => (address, *cells, true),
                    Item::Value(Value { kind: Kind::Memory { address, cells, .. }, .. }) => {
                        (&**address, *cells, false)
                    }
                    _ => return,
                };
                let (other, offset) = split_address(address);
                if other == Some(base) {
                    let offset = offset.saturating_add(moved_by);
                    found.push(Reached { offset, cells, writes, is_here, step: step.step.address });
                }
            });
            if changes || moves.abs() > FARTHEST {
                break;
            }
            moved_by = moves;
        }
        found
    }

    /// The cell from a window's beginning on.
    fn place(&mut self, base: Ir, window: &Window, offset: i64) -> Ir {
        match offset.wrapping_sub(window.low as i64) {
            0 => base,
            amount => self.b.ins().iadd_imm_s(base, amount),
        }
    }

    fn lies_within(&mut self, base: Ir, window: &Window, (offset, cells): (i64, u32)) -> Ir {
        let place = self.place(base, window, offset);
        let last = (window.high - window.low).wrapping_sub(u64::from(cells) - 1);
        let last = self.b.ins().iconst(types::I64, last as i64);
        self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, place, last)
    }

    /// True if a stretch begins where neither it nor what is written there can reach code.
    fn is_clean(
        &mut self,
        (base, base_ir): (&Value, Ir),
        window: &Window,
        (offset, cells): (i64, u32),
    ) -> Ir {
        let is_near = |access: &Reached| access.writes && self.region.near.contains(&access.step);
        if self.region.near.contains(&self.address) || self.accesses_from(base).iter().any(is_near) {
            // Data and code lie close together: it is looked closely.
            let is_within = self.lies_within(base_ir, window, (offset, cells));
            self.go_on_if(is_within);
            let is_code = self.granule(base_ir, window, offset);
            return self.b.ins().icmp_imm_u(IntCC::Equal, is_code, 0);
        }
        self.begins_clean(base_ir, window, (offset, cells))
    }

    /// True if a stretch that begins at an address lies in a window, and holds no code.
    fn begins_clean(&mut self, base: Ir, window: &Window, (offset, cells): (i64, u32)) -> Ir {
        let first = window.low.wrapping_add(window.clean.first);
        let from_there = match offset.wrapping_sub(first as i64) {
            0 => base,
            amount => self.b.ins().iadd_imm_s(base, amount),
        };
        let places = self.b.ins().iconst(types::I64, window.clean.places(cells) as i64);
        self.b.ins().icmp(IntCC::UnsignedLessThan, from_there, places)
    }

    /// Leaves the instruction to the interpreter unless a condition holds.
    fn go_on_if(&mut self, condition: Ir) {
        self.leave_unless(condition, SiteKind::Redo);
    }

    /// Not 0 if code may stand where an access begins.
    fn granule(&mut self, base: Ir, window: &Window, offset: i64) -> Ir {
        let place = self.place(base, window, offset);
        self.granule_at(place, window)
    }

    fn granule_at(&mut self, place: Ir, window: &Window) -> Ir {
        let granule = self.b.ins().ushr_imm_u(place, i64::from(GRANULE_SHIFT));
        let granule = self.b.ins().iadd(self.ctx, granule);
        self.b.ins().load(types::I8, MemFlagsData::trusted(), granule, window.granules as i32)
    }

    /// The ranges of a map that an access may lie in: what the step at hand has accessed before comes first,
    /// else what the code at hand lies in.
    fn windows(&self, access: Access) -> Vec<Window> {
        let model = self.around.model;
        let table = &model.maps[access.map as usize];
        let Access { cells, kind, .. } = access;
        let pieces_of = |range: &Range| {
            let ram = &model.rams[range.ram as usize];
            let whole = range.low_bit == 0 && ram.cell_bits == table.cell_bits;
            let place = self.around.layout.rams[range.ram as usize];
            let bytes = place.cell_bytes * cells;
            let is_byte = place.cell_bytes == 1 || !model.target.big_endian;
            let is_plain = cells == 1 || (ram.cell_bits == place.cell_bytes * 8 && is_byte);
            let is_one = whole && is_plain && bytes <= 16 && bytes.is_power_of_two();
            (!is_one).then_some(Piece { low_bit: range.low_bit, width: table.cell_bits, is_part: !whole })
        };
        let fits = |range: &Range| {
            let ram = &model.rams[range.ram as usize];
            let allowed = match kind {
                AccessKind::Read => ram.readable,
                AccessKind::Write => ram.writable,
                AccessKind::Fetch => ram.executable,
            };
            let cell_bytes = self.around.layout.rams[range.ram as usize].cell_bytes;
            let is_short = cell_bytes <= 8 && cells <= MOST_PIECES && cells * table.cell_bits <= 128;
            let reaches = range.high - range.low >= u64::from(cells) - 1;
            allowed && (is_short || pieces_of(range).is_none()) && reaches
        };
        let clean = &self.around.clean[access.map as usize];
        let mut found: Vec<(&Range, Clean)> =
            table.ranges.iter().zip(clean.iter().copied()).filter(|(range, _)| fits(range)).collect();
        let here = self.region.blocks[0].place.address;
        let reached = self.region.reached.get(&self.address);
        found.sort_by_key(|(range, _)| {
            let is_reached = reached.is_some_and(|ram| *ram == range.ram);
            let holds_code = (range.low..=range.high).contains(&here);
            let is_data = model.rams[range.ram as usize].writable;
            let size = std::cmp::Reverse(range.high - range.low);
            (!is_reached, !is_data, !holds_code, size, range.low)
        });
        let window = |(range, clean): (&Range, Clean)| {
            let place = self.around.layout.rams[range.ram as usize];
            Window {
                low: range.low,
                high: range.high,
                offset: place.offset,
                shift: place.cell_bytes.trailing_zeros(),
                granules: place.granules,
                pieces: pieces_of(range),
                clean,
            }
        };
        found.into_iter().take(2).map(window).collect()
    }

    /// True if the access that remains finds out by itself that an address lies where arms are left: it
    /// asks for a window without these, and the instruction has done nothing before.
    pub(super) fn is_apart(&self, left: &Left<'_>) -> bool {
        let Some(access) = first_access_at(left.rest, left.address) else { return false };
        let windows = self.windows(access);
        let Some(window) = windows.first().filter(|_| !self.is_precise()) else { return false };
        let is_apart =
            |(first, last): &(u128, u128)| *last < u128::from(window.low) || *first > u128::from(window.high);
        left.ranges.iter().all(is_apart)
    }

    /// Cells at an address that is known.
    fn load_known(&mut self, access: Access, windows: &[Window], address: u64, ty: Type) -> Ir {
        let last = address.checked_add(u64::from(access.cells) - 1);
        let holds = |window: &&Window| window.low <= address && last.is_some_and(|last| last <= window.high);
        match windows.iter().find(holds) {
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
        let last = known.checked_add(u64::from(access.cells) - 1);
        let holds = |window: &&Window| {
            address.known().is_some() && window.low <= known && last.is_some_and(|last| last <= window.high)
        };
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

    /// Where in the host an access lies that is known to lie in a window: base and displacement.
    pub(super) fn host_place(&mut self, base: Ir, window: &Window, offset: i64) -> (Ir, i32) {
        if window.shift > 0 {
            let place = self.place(base, window, offset);
            let place = self.b.ins().ishl_imm_u(place, i64::from(window.shift));
            return (self.b.ins().iadd(self.ctx, place), window.offset as i32);
        }
        let moved = i64::from(window.offset).wrapping_add(offset).wrapping_sub(window.low as i64);
        let base = self.b.ins().iadd(self.ctx, base);
        match i32::try_from(moved) {
            Ok(moved) => (base, moved),
            Err(_) => (self.b.ins().iadd_imm_s(base, moved), 0),
        }
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
    walk_ops(ops, &mut |item| match item {
        Item::Op(Op::SetMemory { .. }) => {
            late |= has_effects;
            has_effects = true;
        }
        Item::Op(
            Op::SetRegister { .. }
            | Op::SetElement { .. }
            | Op::Strike(_)
            | Op::ExtraCycles(_)
            | Op::Event(_),
        ) => has_effects = true,
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
