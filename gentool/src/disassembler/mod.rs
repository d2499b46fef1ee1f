//! From memory to assembler text that assembles to the same memory again.
//!
//! What stands in a piece of memory is read from its first cell on, one instruction behind the
//! other; where it would reach over a symbol at which an instruction may begin, it is data up to
//! there. Whatever is no instruction, or one that no text brings back (bits that may be either are
//! set), is written as data. Symbols are labels, and so is every line that an operand means an
//! address in: such an operand is the label, and how far behind it. Everything else is the normal form
//! of [`isac_ir::syntax::print`]. Addresses and cells stand in remarks.
//!
//! The whole text is assembled before it is given: a line that does not come back among the others,
//! because their lengths depend on each other, is data as well.

mod cell;
mod instruction;
mod label;
mod line;
mod round_trip;

use isac_ir::Model;
use isac_ir::bits::Bits;

pub use self::instruction::{Disassembler, Instruction};
use self::label::Labels;
use self::line::Lines;
use self::round_trip::settle;

/// What is disassembled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The pieces of memory, by ascending address.
    pub pieces: Vec<Piece>,
    /// What addresses are called.
    pub symbols: Vec<Symbol>,
}

/// Consecutive cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The section that it is, if the file tells.
    pub section: Option<String>,
    /// Address of the first cell.
    pub address: u64,
    /// The cells.
    pub cells: Vec<Bits>,
}

/// A name for an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    /// The address, in cells.
    pub address: u64,
    /// The name.
    pub name: String,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Addresses, cells and symbols stand behind the text.
    pub remarks: bool,
}

/// What a line stands for.
struct Item<'p> {
    address: u64,
    cells: &'p [Bits],
    /// `None` is data.
    instruction: Option<Instruction>,
}

/// The text of a program; `None` if every CODINGROOT of the model decodes several elements.
pub fn disassemble(model: &Model, program: &Program, style: Style) -> Option<String> {
    let disassembler = Disassembler::new(model)?;
    let named = Labels::of_symbols(program, &disassembler);
    let mut pieces: Vec<Vec<Item<'_>>> =
        program.pieces.iter().map(|piece| read_piece(&disassembler, piece, &named)).collect();
    settle(&disassembler, program, &named, &mut pieces);
    Some(write(&disassembler, program, &named, &pieces, style).text)
}

/// All lines of a program.
fn write<'m>(
    disassembler: &Disassembler<'m>,
    program: &Program,
    named: &Labels<'_>,
    pieces: &[Vec<Item<'_>>],
    style: Style,
) -> Lines<'m> {
    let labels = named.with_targets(pieces.iter().flatten());
    let mut lines = Lines::new(disassembler.model(), disassembler.cell_bits(), style);
    for (piece, items) in program.pieces.iter().zip(pieces) {
        lines.begin(piece);
        items.iter().for_each(|item| lines.item(item, &labels));
    }
    lines
}

fn read_piece<'p>(disassembler: &Disassembler<'_>, piece: &'p Piece, labels: &Labels<'_>) -> Vec<Item<'p>> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(rest) = piece.cells.get(at..).filter(|rest| !rest.is_empty()) {
        let address = piece.address.wrapping_add(at as u64);
        let step = disassembler.step_cells();
        let is_named = |ahead: &usize| labels.is_named(address.wrapping_add(*ahead as u64));
        // A symbol at which an instruction may begin ends what is before it.
        let is_cut = |found: &Instruction| {
            let ahead = (1..found.size_cells as usize).filter(|ahead| (at + ahead).is_multiple_of(step));
            ahead.into_iter().any(|ahead| is_named(&ahead))
        };
        let instruction = disassembler.instruction(rest, address).filter(|found| !is_cut(found));
        let size = match &instruction {
            Some(instruction) => instruction.size_cells as usize,
            None => {
                // A name in the midst of data begins a line of its own.
                let most = step.min(rest.len());
                (1..most).find(is_named).unwrap_or(most)
            }
        };
        items.push(Item { address, cells: &rest[..size], instruction });
        at += size;
    }
    items
}
