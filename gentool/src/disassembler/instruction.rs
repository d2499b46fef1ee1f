//! One instruction: from its cells to its tree, its words and its text.

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, DecodedElement, decode_element};
use isac_ir::syntax::encode::encode;
use isac_ir::syntax::print::{Printed, Site, print_all};
use isac_ir::syntax::{Entry, Tree, entries};

use super::cell::Cells;
use crate::assembler::Assembler;

/// Reads instructions of a model.
pub struct Disassembler<'m> {
    model: &'m Model,
    entries: Vec<Entry>,
    pub(super) assembler: Assembler<'m>,
}

/// Texts of one instruction that are tried.
const MOST_TEXTS: usize = 64;

/// An instruction as it stands in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// How many cells it has.
    pub size_cells: u32,
    /// What it is.
    pub tree: Tree,
    /// The first of its texts that assembles to it again; without one, the first of all.
    pub printed: Option<Printed>,
    /// True if the text assembles to it again.
    pub exact: bool,
}

impl<'m> Disassembler<'m> {
    /// `None` if no CODINGROOT of the model has just one element.
    pub fn new(model: &'m Model) -> Option<Disassembler<'m>> {
        let mut entries = entries(model);
        // A program is read in cells of one width; what is fetched by others is not in it.
        let host = model.target.host_map.and_then(|map| model.maps.get(map as usize));
        let of_host = host.map(|map| map.cell_bits);
        let wanted = entries.iter().map(|entry| entry.cell_bits).find(|bits| Some(*bits) == of_host);
        let cell_bits = wanted.or(entries.first().map(|entry| entry.cell_bits));
        entries.retain(|entry| Some(entry.cell_bits) == cell_bits);
        Some(Disassembler { model, entries, assembler: Assembler::new(model)? })
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
        self.entries.iter().find_map(|entry| self.read(self.element(entry, cells)?, address))
    }

    /// The words of the instruction that cells begin with; `None` if they are none.
    pub fn words(&self, cells: &[Bits]) -> Option<DecodedElement> {
        self.entries.iter().find_map(|entry| self.element(entry, cells))
    }

    fn element(&self, entry: &Entry, cells: &[Bits]) -> Option<DecodedElement> {
        let mut source =
            Cells { cells, cell_bits: self.cell_bits(), big_endian: self.model.target.big_endian };
        decode_element(self.model, entry.decoder, &mut source).ok()
    }

    fn read(&self, element: DecodedElement, address: u64) -> Option<Instruction> {
        let size_cells = element.width_bits().div_ceil(self.cell_bits());
        let words = element.words;
        let tree = Tree::of(&Decoded { nodes: element.nodes }, 0)?;
        let site = Site { address, size_cells };
        let is_plain = encode(self.model, &tree) == words;
        let texts = print_all(self.model, &tree, site, if is_plain { MOST_TEXTS } else { 1 });
        let brings_back = |printed: &&Printed| {
            is_plain && self.assembler.instruction(&printed.text, address).as_ref() == Some(&words)
        };
        let found = texts.iter().find(brings_back);
        let exact = found.is_some();
        let printed = found.or(texts.first()).cloned();
        Some(Instruction { size_cells, tree, printed, exact })
    }
}
