//! Cells as the decoder asks for them.

use isac_ir::bits::Bits;
use isac_ir::decode::{CellSource, WordEnded};

/// Cells from the one on at which an instruction begins.
pub(super) struct Cells<'a> {
    pub(super) cells: &'a [Bits],
    pub(super) cell_bits: u32,
    pub(super) big_endian: bool,
}

impl CellSource for Cells<'_> {
    type Fault = WordEnded;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, WordEnded> {
        let first = (first_bit / self.cell_bits) as usize;
        let count = width_bits.div_ceil(self.cell_bits);
        let cells = self.cells.get(first..first + count as usize).ok_or(WordEnded)?;
        let place = |index: u32| if self.big_endian { count - 1 - index } else { index };
        let joined = (0..).zip(cells).fold(Bits::ZERO, |word, (index, cell)| {
            word | (*cell & Bits::ones(self.cell_bits)).shifted(place(index) * self.cell_bits)
        });
        Ok(joined & Bits::ones(width_bits))
    }
}
