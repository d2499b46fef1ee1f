//! Memory of a generated core: arrays of constant size, and a map of what is code.

/// Which cells hold decoded instructions.
#[derive(Debug, Clone, Default)]
pub struct CodeMap {
    /// First cell that may matter, lowered by the widest access.
    low: usize,
    /// Number of cells from there.
    size: usize,
    /// One bit a cell.
    bits: Vec<u64>,
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

    /// True if one of the cells is marked.
    #[inline(always)]
    pub fn hit(&self, cell: usize, cells: usize) -> bool {
        cell.wrapping_sub(self.low) < self.size && self.is_marked(cell, cells)
    }

    #[cold]
    #[inline(never)]
    fn is_marked(&self, cell: usize, cells: usize) -> bool {
        (cell..cell + cells)
            .any(|cell| self.bits.get(cell / 64).is_some_and(|bits| bits >> (cell % 64) & 1 == 1))
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
    /// Consecutive cells, or `None` beyond the end.
    #[inline(always)]
    pub fn get<const N: usize>(&self, cell: u64) -> Option<[T; N]> {
        if SIZE < N || cell > (SIZE - N) as u64 {
            return None;
        }
        self.cells[cell as usize..].first_chunk().copied()
    }

    /// Sets consecutive cells: `None` beyond the end, `Some(true)` if one of them held code.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, cell: u64, values: [T; N]) -> Option<bool> {
        if SIZE < N || cell > (SIZE - N) as u64 {
            return None;
        }
        *self.cells[cell as usize..].first_chunk_mut()? = values;
        Some(self.code.hit(cell as usize, N))
    }
}
