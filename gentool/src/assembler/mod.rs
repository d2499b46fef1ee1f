//! From assembler text to a program, by the texts and codings of a model.
//!
//! Files are read line by line into *items* (`item`): labels, instructions, data, directives that
//! move on. An instruction is matched against the texts of the model (`matching`), which may give
//! several *candidates*; which of them is meant depends on the values of their operands
//! (`choice`), and these on where everything stands (`layout`). A candidate's word is built from
//! the codings and decoded again: only what is decoded as it was written counts. So whatever the
//! decoder knows of WHEN and of more special codings holds here, too.

mod candidate;
mod choice;
mod circle;
pub mod code;
mod directive;
mod emission;
pub mod explanation;
mod expression;
mod form;
mod furthest;
mod instruction;
mod item;
mod layout;
mod matching;
mod message;
mod number;
mod origin;
pub mod output;
mod placement;
mod program;
mod pseudo;
mod reach;
mod reader;
mod reading;
mod refusal;
mod single;
mod source;
mod surface;
mod symbol;
mod table;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostic, Diagnostics};
use isac_parser::source::{SourceLoader, SourceMap};

pub use self::directive::DIRECTIVES;
use self::emission::Emission;
use self::layout::{Around, Laying, Layout};
pub(crate) use self::number::hexadecimal;
use self::placement::Placement;
pub use self::program::{Assembled, AssembledPiece, AssembledSymbol, Line, SectionKind};
use self::reading::Reading;
use self::surface::Surface;
use self::symbol::Meaning;
use self::table::Table;
use crate::assembler::expression::Environment;

/// Where sections begin of which the text does not say it; addresses in cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bases {
    /// The first code; where the program counter is after RESET if left out.
    pub code: Option<u64>,
    /// The first data; behind the code if that memory can be written, if left out.
    pub data: Option<u64>,
}

/// True for a letter that the name of a section may have.
pub(crate) fn is_of_section_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_.$-".contains(letter)
}

/// What a section of this name holds.
pub(crate) fn section_kind(name: &str) -> SectionKind {
    item::Section::named(name).kind
}

/// Why nothing could be assembled at all.
#[derive(Debug)]
pub enum AssemblyError {
    /// A file cannot be read.
    Unreadable(PathBuf, std::io::Error),
}

/// The texts of a model, ready to assemble with.
#[derive(Debug)]
pub struct Assembler<'m> {
    table: Table<'m>,
    surface: Surface,
}

impl<'m> Assembler<'m> {
    /// `None` if every CODINGROOT of the model decodes several elements.
    pub fn new(model: &'m Model) -> Option<Assembler<'m>> {
        Some(Assembler { table: Table::new(model)?, surface: Surface::of(model) })
    }

    /// True if a name is that of a register, and so can be no label.
    pub(crate) fn is_register(&self, name: &str) -> bool {
        self.surface.is_register(name)
    }

    /// Assembles files into one program. Findings are sorted; `None` if one is an error.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn assemble(
        &self,
        files: &[PathBuf],
        bases: Bases,
        loader: &dyn SourceLoader,
        sources: &mut SourceMap,
        findings: &mut Diagnostics,
    ) -> Result<Option<Assembled>, AssemblyError> {
        let mut reading = Reading::new(&self.table, &self.surface, loader, sources, findings);
        for file in files {
            let path: &Path = file;
            reading.read_unit(path).map_err(|error| AssemblyError::Unreadable(file.clone(), error))?;
        }
        let assembled = self.finish(reading, bases);
        findings.sort();
        Ok(assembled.filter(|_| !findings.has_errors()))
    }

    /// From items to a program.
    fn finish(&self, reading: Reading<'_, 'm>, bases: Bases) -> Option<Assembled> {
        let Reading { mut symbols, sections, mut items, findings, unread, is_full, .. } = reading;
        if is_full {
            // What was not read is missed by what was.
            return None;
        }
        for (symbol, first) in symbols.export() {
            let symbol = &symbols.list[symbol as usize];
            let Some(definition) = &symbol.definition else { continue };
            let message = format!("two files define the global symbol `{}`", symbol.name);
            findings.push(
                Diagnostic::error(code::DOUBLE, definition.span, message)
                    .label("defined again")
                    .secondary(first, "first defined here")
                    .help("take one `.global` out, or give one of them another name"),
            );
        }
        let model = self.table.model;
        let placement = Placement { model, base: bases.code, data: bases.data };
        let cell_bits = self.table.entries[0].cell_bits;
        let laying = Laying {
            model,
            symbols: &symbols,
            sections: &sections,
            items: &mut items,
            placement,
            cell_bits,
            findings,
        };
        let layout = laying.lay_out();
        let emission = Emission {
            model,
            symbols: &symbols,
            sections: &sections,
            items: &items,
            layout: &layout,
            cell_bits,
            cell_bytes: placement.cell_bytes() as usize,
            findings,
            unread,
            undefined: BTreeSet::new(),
            defined: OnceCell::new(),
        };
        let (pieces, lines) = emission.emit();
        let symbols = list_symbols(model, &symbols, &layout, &items, &sections);
        let entry = symbols.iter().find(|symbol| symbol.name == "_start").map(|start| start.value as u64);
        let code = pieces.iter().filter(|piece| piece.kind == SectionKind::Code);
        let first = code.min_by_key(|piece| piece.number).map(|piece| piece.address);
        let entry = entry.or(first).or(pieces.first().map(|piece| piece.address)).unwrap_or(0);
        Some(Assembled { pieces, symbols, entry, lines, cell_bytes: placement.cell_bytes() })
    }
}

/// The symbols that have values.
fn list_symbols(
    model: &Model,
    symbols: &symbol::Symbols,
    layout: &Layout,
    items: &[item::Item],
    sections: &[item::Section],
) -> Vec<AssembledSymbol> {
    let mut found = Vec::new();
    for (index, symbol) in (0..).zip(&symbols.list) {
        let Some(definition) = &symbol.definition else { continue };
        let around = Around { model, symbols, layout, item: 0 };
        let Ok(value) = around.symbol(index) else { continue };
        let (piece, is_code) = match definition.meaning {
            Meaning::Label(item) => {
                let kind = sections[items[item].section].kind;
                (Some(layout.places[item].0), kind == SectionKind::Code)
            }
            Meaning::Equal(..) => (None, false),
        };
        let is_global = symbol.global.is_some();
        found.push(AssembledSymbol { name: symbol.name.clone(), value, piece, is_global, is_code });
    }
    found
}
