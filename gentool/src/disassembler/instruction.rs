//! One instruction: from its cells to its tree, its words and its text.

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, DecodedElement, decode_element};
use isac_ir::syntax::encode::encode;
use isac_ir::syntax::print::{Printed, Site, print};
use isac_ir::syntax::{Entry, Tree, entries};

use super::cell::Cells;

/// Reads instructions of a model.
pub struct Disassembler<'m> {
    model: &'m Model,
    entries: Vec<Entry>,
}

/// An instruction as it stands in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// How many cells it has.
    pub size_cells: u32,
    /// What it is.
    pub tree: Tree,
    /// Its text; `None` if there is none that says all there is.
    pub printed: Option<Printed>,
    /// True if its coding has just these bits: others may be set that mean nothing.
    pub exact: bool,
}

impl<'m> Disassembler<'m> {
    /// `None` if no CODINGROOT of the model has just one element.
    pub fn new(model: &'m Model) -> Option<Disassembler<'m>> {
        let entries = entries(model);
        (!entries.is_empty()).then_some(Disassembler { model, entries })
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The decoders that are tried, in this order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Width of the cells that instructions stand in.
    pub fn cell_bits(&self) -> u32 {
        self.entries[0].cell_bits.max(1)
    }

    /// How many cells are passed over where no instruction is found.
    pub fn step_cells(&self) -> usize {
        let first = self.entries.iter().map(|entry| self.model.decoders[entry.decoder as usize].first_bits);
        (first.min().unwrap_or(1) / self.cell_bits()).max(1) as usize
    }

    /// The instruction that cells begin with; `None` if they are none.
    pub fn instruction(&self, cells: &[Bits], address: u64) -> Option<Instruction> {
        self.entries.iter().find_map(|entry| {
            let mut source =
                Cells { cells, cell_bits: self.cell_bits(), big_endian: self.model.target.big_endian };
            let element = decode_element(self.model, entry.decoder, &mut source).ok()?;
            self.read(element, address)
        })
    }

    fn read(&self, element: DecodedElement, address: u64) -> Option<Instruction> {
        let size_cells = element.width_bits().div_ceil(self.cell_bits());
        let words = element.words;
        let tree = Tree::of(&Decoded { nodes: element.nodes }, 0)?;
        let printed = print(self.model, &tree, Site { address, size_cells });
        let exact = encode(self.model, &tree) == words;
        Some(Instruction { size_cells, tree, printed, exact })
    }
}
