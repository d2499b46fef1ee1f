//! What assembling gives, whatever file it goes to.

use isac_parser::source::Span;

pub use super::item::SectionKind;

/// An assembled program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assembled {
    /// What is in memory, by ascending address.
    pub pieces: Vec<AssembledPiece>,
    /// Labels and `.equ`s, those of each file in the order in which they were met.
    pub symbols: Vec<AssembledSymbol>,
    /// Address of the first instruction, in cells.
    pub entry: u64,
    /// What each statement has become, in the order of the text.
    pub lines: Vec<Line>,
    /// How many bytes of a file are one cell.
    pub cell_bytes: u64,
}

/// Consecutive cells of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssembledPiece {
    /// Its number among the pieces, in the order of the text.
    pub(super) number: usize,
    /// The section's name.
    pub section: String,
    /// What it holds.
    pub kind: SectionKind,
    /// Address of the first cell.
    pub address: u64,
    /// How many cells it has.
    pub size_cells: u64,
    /// What its address is a multiple of.
    pub align: u64,
    /// The cells as bytes of a file; none of a section that is zero at first.
    pub bytes: Vec<u8>,
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssembledSymbol {
    /// Its name.
    pub name: String,
    /// Its value: an address in cells, or a number.
    pub value: i128,
    /// The piece that it is in, by number; `None` for a number.
    pub(super) piece: Option<usize>,
    /// True if every file sees it.
    pub is_global: bool,
    /// True if it stands for code.
    pub is_code: bool,
}

/// What a statement has become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Address of its first cell.
    pub address: u64,
    /// How many cells it has.
    pub size_cells: u64,
    /// The statement.
    pub span: Span,
    /// True for an instruction.
    pub is_code: bool,
    /// The piece that it is in, by number.
    pub(super) piece: usize,
}

impl Assembled {
    /// The bytes of a line.
    pub fn bytes_of(&self, line: &Line) -> &[u8] {
        // No piece lies on another: it is the last one that begins there or before.
        let behind = self.pieces.partition_point(|piece| piece.address <= line.address);
        let piece = self.pieces[..behind].last().filter(|piece| piece.number == line.piece);
        let Some(piece) = piece else { return &[] };
        let begin = (line.address - piece.address).saturating_mul(self.cell_bytes) as usize;
        let end = begin + line.size_cells.saturating_mul(self.cell_bytes) as usize;
        piece.bytes.get(begin..end).unwrap_or(&[])
    }
}
