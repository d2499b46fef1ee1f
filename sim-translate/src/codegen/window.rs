//! Windows: ranges of a map behind which plain memory stands.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value as Ir, types};
use isac_ir::resource::Range;
use sim_runtime::AccessKind;

use super::Codegen;
use super::memory::Access;
use super::piece::{MOST_PIECES, Piece};
use crate::layout::GRANULE_SHIFT;
use crate::state::Clean;

/// Which cells a window is: several maps may have different ones at the same addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) low: u64,
    pub(super) high: u64,
    /// Of the cell at `low`, from the shared memory's beginning.
    pub(super) offset: u32,
}

/// A range that an access may lie in, in host terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Where it is.
    pub(super) span: Span,
    /// Bytes of a cell, as a power of two.
    pub(super) shift: u32,
    /// Of the granule of the cell at `low`.
    granules: u32,
    /// Where an access is made cell by cell, which bits of the memory's cell are the map's.
    pub(super) pieces: Option<Piece>,
    /// The part of it without code.
    pub(super) clean: Clean,
}

impl Window {
    /// True if so many cells from an address on lie in it.
    pub(super) fn holds(&self, address: u64, cells: u32) -> bool {
        let last = address.checked_add(u64::from(cells) - 1);
        self.span.low <= address && last.is_some_and(|last| last <= self.span.high)
    }

    /// Most cells that one comparison is to serve: half of the window, where it is small.
    pub(super) fn longest(&self) -> u32 {
        u32::try_from((self.span.high - self.span.low).div_ceil(2)).unwrap_or(u32::MAX)
    }
}

impl Codegen<'_, '_> {
    /// The ranges of a map that an access may lie in: what the step at hand has accessed before comes first,
    /// else what the code at hand lies in.
    pub(super) fn windows(&self, access: Access) -> Vec<Window> {
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
                span: Span { low: range.low, high: range.high, offset: place.offset },
                shift: place.cell_bytes.trailing_zeros(),
                granules: place.granules,
                pieces: pieces_of(range),
                clean,
            }
        };
        found.into_iter().take(2).map(window).collect()
    }

    /// The cell from a window's beginning on.
    pub(super) fn place(&mut self, base: Ir, window: &Window, offset: i64) -> Ir {
        match offset.wrapping_sub(window.span.low as i64) {
            0 => base,
            amount => self.b.ins().iadd_imm_s(base, amount),
        }
    }

    pub(super) fn lies_within(&mut self, base: Ir, window: &Window, (offset, cells): (i64, u32)) -> Ir {
        let place = self.place(base, window, offset);
        let last = (window.span.high - window.span.low).wrapping_sub(u64::from(cells) - 1);
        let last = self.b.ins().iconst(types::I64, last as i64);
        self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, place, last)
    }

    /// True if a stretch that begins at an address lies in a window, and holds no code.
    pub(super) fn begins_clean(&mut self, base: Ir, window: &Window, (offset, cells): (i64, u32)) -> Ir {
        let first = window.span.low.wrapping_add(window.clean.first);
        let from_there = match offset.wrapping_sub(first as i64) {
            0 => base,
            amount => self.b.ins().iadd_imm_s(base, amount),
        };
        let places = self.b.ins().iconst(types::I64, window.clean.places(cells) as i64);
        self.b.ins().icmp(IntCC::UnsignedLessThan, from_there, places)
    }

    /// Not 0 if code may stand where an access begins.
    pub(super) fn granule(&mut self, base: Ir, window: &Window, offset: i64) -> Ir {
        let place = self.place(base, window, offset);
        self.granule_at(place, window)
    }

    fn granule_at(&mut self, place: Ir, window: &Window) -> Ir {
        let granule = self.b.ins().ushr_imm_u(place, i64::from(GRANULE_SHIFT));
        let granule = self.b.ins().iadd(self.ctx, granule);
        self.b.ins().load(types::I8, MemFlagsData::trusted(), granule, window.granules as i32)
    }

    /// Where in the host an access lies that is known to lie in a window: base and displacement.
    pub(super) fn host_place(&mut self, base: Ir, window: &Window, offset: i64) -> (Ir, i32) {
        if window.shift > 0 {
            let place = self.place(base, window, offset);
            let place = self.b.ins().ishl_imm_u(place, i64::from(window.shift));
            return (self.b.ins().iadd(self.ctx, place), window.span.offset as i32);
        }
        let moved = i64::from(window.span.offset).wrapping_add(offset).wrapping_sub(window.span.low as i64);
        let base = self.b.ins().iadd(self.ctx, base);
        match i32::try_from(moved) {
            Ok(moved) => (base, moved),
            Err(_) => (self.b.ins().iadd_imm_s(base, moved), 0),
        }
    }
}
