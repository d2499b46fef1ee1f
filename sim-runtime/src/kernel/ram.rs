//! Memory of a generated core: arrays of constant size, and a map of what is code.

/// Which cells hold decoded instructions.
#[derive(Debug, Clone)]
pub struct CodeMap {
    /// First cell that may matter, lowered by the widest access.
    low: usize,
    /// Number of cells from there.
    size: usize,
    /// One bit a cell.
    bits: Vec<u64>,
    /// First cell that a suspect write touched.
    first_written: usize,
    /// One past the last.
    end_written: usize,
}

/// Most cells that one access touches.
const WIDEST: usize = 32;

impl CodeMap {
    /// Marks cells.
    pub fn mark(&mut self, cell: usize, cells: usize) {
        for cell in cell..cell + cells {
            if self.bits.len() <= cell / 64 {
                self.bits.resize(cell / 64 + 1, 0);
            }
            self.bits[cell / 64] |= 1 << (cell % 64);
        }
        let low = cell.saturating_sub(WIDEST);
        let high = (cell + cells).max(self.low + self.size);
        self.low = if self.size == 0 { low } else { low.min(self.low) };
        self.size = high - self.low;
    }

    /// Forgets all marks.
    pub fn clear(&mut self) {
        *self = CodeMap::default();
    }

    /// True if a write to these cells may have hit code: it lies between the first and the last
    /// cell that is. It is remembered, and [`CodeMap::take_written`] tells whether it has.
    ///
    /// As little as possible, so that a store that goes on has nothing to save.
    #[inline(always)]
    pub fn suspect(&mut self, cell: usize, cells: usize) -> bool {
        if cell.wrapping_sub(self.low) >= self.size {
            return false;
        }
        self.first_written = self.first_written.min(cell);
        self.end_written = self.end_written.max(cell + cells);
        true
    }

    /// True if a write since the last call has hit code.
    pub fn take_written(&mut self) -> bool {
        let (first, end) = (self.first_written, self.end_written);
        (self.first_written, self.end_written) = (usize::MAX, 0);
        (first..end).any(|cell| self.bits.get(cell / 64).is_some_and(|bits| bits >> (cell % 64) & 1 == 1))
    }
}

impl Default for CodeMap {
    fn default() -> Self {
        CodeMap { low: 0, size: 0, bits: Vec::new(), first_written: usize::MAX, end_written: 0 }
    }
}

/// A memory of `SIZE` cells.
#[derive(Debug, Clone)]
pub struct CellRam<T, const SIZE: usize> {
    cells: Box<[T; SIZE]>,
    /// Which cells hold code.
    pub code: CodeMap,
}

impl<T: Copy + Default, const SIZE: usize> Default for CellRam<T, SIZE> {
    fn default() -> Self {
        let cells = vec![T::default(); SIZE].into_boxed_slice().try_into();
        // The vector has exactly SIZE cells.
        let cells = cells.unwrap_or_else(|_| unreachable!("a vector of SIZE cells"));
        CellRam { cells, code: CodeMap::default() }
    }
}

impl<T: Copy + Default, const SIZE: usize> CellRam<T, SIZE> {
    /// All cells with one value.
    pub fn filled(value: T) -> Self {
        let mut ram = Self::default();
        ram.cells.fill(value);
        ram
    }

    /// Consecutive cells, or `None` beyond the end.
    #[inline(always)]
    pub fn get<const N: usize>(&self, cell: u64) -> Option<[T; N]> {
        if SIZE < N || cell > (SIZE - N) as u64 {
            return None;
        }
        self.cells[cell as usize..].first_chunk().copied()
    }

    /// Sets consecutive cells: `None` beyond the end, `Some(true)` if one of them may have
    /// held code.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, cell: u64, values: [T; N]) -> Option<bool> {
        if SIZE < N || cell > (SIZE - N) as u64 {
            return None;
        }
        *self.cells[cell as usize..].first_chunk_mut()? = values;
        Some(self.code.suspect(cell as usize, N))
    }
}
