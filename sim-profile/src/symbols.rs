//! Which function each cell of a program's code belongs to, by the symbols of its files.

mod elf;
mod partition;

use std::collections::BTreeSet;

use crate::CodeCells;
use crate::digest::digest;

#[cfg(all(test, feature = "program"))]
pub(crate) use elf::CodeSymbol;
pub(crate) use elf::read_code;
#[cfg(feature = "program")]
pub(crate) use elf::{Area, Code, LONGEST_NAME, Rank, area_at, is_elf};
pub(crate) use partition::{FunctionSymbol, Piece, divide, sort_pieces};

/// A program file, as it is given to what reads programs.
#[derive(Clone, Copy, Debug)]
pub struct ImageFile<'a> {
    /// Its name in reports.
    pub name: &'a str,
    /// The whole file.
    pub bytes: &'a [u8],
    /// Where it stands, if it was not loaded where it says itself: added to the addresses of an ELF
    /// file, and the address of the first byte of any other.
    pub base: Option<u64>,
}

/// Cells of code that belong to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionCells {
    /// The first.
    pub start: u64,
    /// Behind the last.
    pub end: u64,
    /// Where the function begins, which others may have been laid into.
    pub function: u64,
}

/// The functions of files, as far as these have symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFunctions {
    /// The cells of all functions, ascending, none twice. Where functions of several files overlap, that of the
    /// first one counts.
    pub cells: Vec<FunctionCells>,
    /// What tells the functions of each file apart from those of others: where they are, not their names.
    pub digests: BTreeSet<String>,
}

/// The functions with symbols of files.
pub fn known_functions(files: &[ImageFile<'_>], cells: CodeCells) -> KnownFunctions {
    let (mut starts, mut pieces, mut digests) = (Vec::new(), Vec::new(), BTreeSet::new());
    for file in files {
        let placement = Placement { cells, bias: file.base.unwrap_or(0) };
        let (symbols, own) = divide(&read_code(file, placement, &mut Vec::new()), file.name);
        digests.extend(functions_digest(&symbols, &own));
        let first = starts.len() as u32;
        // Code without symbols may have some in another file.
        let named = own.into_iter().filter(|piece| !symbols[piece.function as usize].is_region);
        pieces.extend(named.map(|piece| Piece { function: piece.function + first, ..piece }));
        starts.extend(symbols.iter().map(|symbol| symbol.start));
    }
    let _ = sort_pieces(&mut pieces);
    let cells = |Piece { start, end, function }: Piece| FunctionCells {
        start,
        end,
        function: starts[function as usize],
    };
    KnownFunctions { cells: pieces.into_iter().map(cells).collect(), digests }
}

/// What tells the functions of a file apart from those of others, as far as calls between them go; none of a
/// file without any.
pub(crate) fn functions_digest(functions: &[FunctionSymbol], pieces: &[Piece]) -> Option<String> {
    let named = pieces.iter().filter(|piece| !functions[piece.function as usize].is_region);
    let mut places: Vec<[u64; 3]> =
        named.map(|piece| [piece.start, piece.end, functions[piece.function as usize].start]).collect();
    places.sort_unstable();
    let bytes = places.iter().flatten().flat_map(|place| place.to_le_bytes());
    (!places.is_empty()).then(|| format!("{:016x}", digest(bytes)))
}

/// The places of code that a file has names for, labels among them, in the file's order.
pub fn named_places(file: ImageFile<'_>, cells: CodeCells) -> Vec<(String, u64)> {
    let placement = Placement { cells, bias: file.base.unwrap_or(0) };
    let symbols = read_code(&file, placement, &mut Vec::new()).symbols;
    symbols.into_iter().map(|symbol| (symbol.name, symbol.start)).collect()
}

/// From addresses in a file to addresses in the profile, and back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub cells: CodeCells,
    pub bias: u64,
}

impl Placement {
    /// The cell at a byte address of the file, if there is one.
    pub(crate) fn cell(self, byte: u64) -> Option<u64> {
        let offset = byte.wrapping_add(self.bias).checked_sub(self.cells.low)?;
        Some(offset / self.cells.cell_bytes.max(1))
    }

    /// The byte address of a cell.
    #[cfg(feature = "program")]
    pub(crate) fn byte(self, cell: u64) -> u64 {
        let offset = cell.wrapping_mul(self.cells.cell_bytes.max(1));
        offset.wrapping_add(self.cells.low).wrapping_sub(self.bias)
    }
}
