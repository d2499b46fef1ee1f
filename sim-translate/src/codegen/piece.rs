//! Accesses made cell by cell: where cells are not as wide as the host's, are a part of wider ones, or are as many as
//! the host does not take at once.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value as Ir, types};
use isac_ir::bits::mask;

use super::Codegen;
use super::window::Window;

/// The bits of a memory's cell that a map's cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) low_bit: u32,
    pub(super) width: u32,
    /// The memory's cell has others beside them.
    pub(super) is_part: bool,
}

/// Most cells that an access by pieces has.
pub(super) const MOST_PIECES: u32 = 8;

impl Codegen<'_, '_> {
    /// The memory's cell of so many bytes, as a power of two, in 64 bits.
    fn load_cell(&mut self, base: Ir, offset: i32, shift: u32) -> Ir {
        let flags = MemFlagsData::new().with_notrap();
        match shift {
            0 => self.b.ins().uload8(types::I64, flags, base, offset),
            1 => self.b.ins().uload16(types::I64, flags, base, offset),
            2 => {
                let value = self.b.ins().load(types::I32, flags, base, offset);
                self.b.ins().uextend(types::I64, value)
            }
            _ => self.b.ins().load(types::I64, flags, base, offset),
        }
    }

    /// A place so many bytes further.
    fn further(&mut self, (base, offset): (Ir, i32), bytes: u32) -> (Ir, i32) {
        match offset.checked_add_unsigned(bytes) {
            Some(offset) => (base, offset),
            None => (self.b.ins().iadd_imm_u(base, i64::from(bytes)), offset),
        }
    }

    /// How many bits of an access of so many cells stand below those of one of them.
    fn bits_below(&self, cells: u32, index: u32, piece: Piece) -> i64 {
        let rank = if self.around.model.target.big_endian { cells - 1 - index } else { index };
        i64::from(rank * piece.width)
    }

    /// Cells one by one, joined in 64 bits, or in 128 if these do not hold them.
    pub(super) fn load_pieces(
        &mut self,
        (base, window, offset): (Ir, &Window, i64),
        cells: u32,
        piece: Piece,
    ) -> Ir {
        let (base, offset) = self.host_place(base, window, offset);
        let ty = if cells * piece.width <= 64 { types::I64 } else { types::I128 };
        let mut joined = None;
        for index in 0..cells {
            let (base, offset) = self.further((base, offset), index << window.shift);
            let mut cell = self.load_cell(base, offset, window.shift);
            if piece.low_bit > 0 {
                cell = self.b.ins().ushr_imm_u(cell, i64::from(piece.low_bit));
            }
            if piece.is_part && piece.width < 64 {
                cell = self.b.ins().band_imm_u(cell, mask(piece.width) as i64);
            }
            let cell = self.widen(cell, ty);
            let below = self.bits_below(cells, index, piece);
            let cell = self.b.ins().ishl_imm_u(cell, below);
            joined = Some(joined.map_or(cell, |joined| self.b.ins().bor(joined, cell)));
        }
        match joined {
            Some(joined) => joined,
            None => self.zero(ty),
        }
    }

    /// Writes a value cell by cell, in the target's order; bits of the memory's cells beside the map's stay as they
    /// are.
    pub(super) fn store_pieces(
        &mut self,
        (base, window, offset): (Ir, &Window, i64),
        cells: u32,
        piece: Piece,
        value: Ir,
    ) {
        let flags = MemFlagsData::new().with_notrap();
        let (base, offset) = self.host_place(base, window, offset);
        let ty = if cells * piece.width <= 64 { types::I64 } else { types::I128 };
        let value = self.in_type(value, ty);
        let own = mask(piece.width) as u64;
        for index in 0..cells {
            let (base, offset) = self.further((base, offset), index << window.shift);
            let below = self.bits_below(cells, index, piece);
            let cell = self.b.ins().ushr_imm_u(value, below);
            let mut cell = self.in_type(cell, types::I64);
            if piece.width < 64 {
                cell = self.b.ins().band_imm_u(cell, own as i64);
            }
            if piece.is_part {
                let old = self.load_cell(base, offset, window.shift);
                let kept = self.b.ins().band_imm_u(old, !(own << piece.low_bit) as i64);
                let new = self.b.ins().ishl_imm_u(cell, i64::from(piece.low_bit));
                cell = self.b.ins().bor(kept, new);
            }
            match window.shift {
                0 => self.b.ins().istore8(flags, cell, base, offset),
                1 => self.b.ins().istore16(flags, cell, base, offset),
                2 => self.b.ins().istore32(flags, cell, base, offset),
                _ => self.b.ins().store(flags, cell, base, offset),
            };
        }
    }
}
