//! What a program is made of, in the order of the text.

use std::rc::Rc;

use isac_parser::source::Span;

use super::candidate::{Candidate, Words};
use super::expression::Expr;

/// A piece of the program: what one statement stands for.
#[derive(Debug)]
pub(super) struct Item {
    /// The section's index.
    pub(super) section: usize,
    /// The statement.
    pub(super) span: Span,
    pub(super) kind: ItemKind,
}

/// What an item is.
#[derive(Debug)]
pub(super) enum ItemKind {
    /// A label, or the place of an `.equ`.
    Mark,
    /// An instruction whose code addresses have a part in.
    Instruction(Instruction),
    /// An instruction that has the same code wherever it stands.
    Fixed { words: Words, size_cells: u32 },
    /// Numbers of some width.
    Data { directive: &'static str, width_bits: u32, values: Vec<(Rc<Expr>, Span)> },
    /// Cells with these numbers in them, one each.
    Cells(Vec<u32>),
    /// Up to the next multiple of so many cells.
    Align(Rc<Expr>),
    /// The same by the power of two.
    AlignBits(Rc<Expr>),
    /// So many cells, filled.
    Space { directive: &'static str, count: Rc<Expr>, fill: Option<Rc<Expr>> },
    /// On at an address.
    Origin(Rc<Expr>),
}

/// An instruction with all its ways of reading.
#[derive(Debug)]
pub(super) struct Instruction {
    /// The ways, those of most literal characters first, each kind in GROUP order.
    pub(super) candidates: Vec<Candidate>,
    /// What a PSEUDO made of the line, if it is not the line itself.
    pub(super) expanded: Option<String>,
    /// True if it could be read otherwise, were a parenthesis of it no literal.
    pub(super) is_literal: bool,
    /// Cells that it takes so far.
    pub(super) size_cells: u32,
    /// True if ways differ in size.
    pub(super) elastic: bool,
}

impl Instruction {
    pub(super) fn new(candidates: Vec<Candidate>, expanded: Option<String>, is_literal: bool) -> Instruction {
        let sizes = || candidates.iter().map(|candidate| candidate.size_cells);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        Instruction { expanded, is_literal, size_cells: least, elastic: least != most, candidates }
    }
}

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// Instructions.
    Code,
    /// Constants.
    ReadOnly,
    /// Variables with a first value.
    Data,
    /// Variables that are zero at first.
    Zero,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) kind: SectionKind,
}

impl Section {
    /// A section by its name: the part up to the second dot tells what it holds.
    pub(super) fn named(name: &str) -> Section {
        let begins = |prefix: &str| name == prefix || name.starts_with(&format!("{prefix}."));
        let kind = if begins(".text") || begins(".init") || begins(".fini") {
            SectionKind::Code
        } else if begins(".rodata") {
            SectionKind::ReadOnly
        } else if begins(".bss") || begins(".sbss") {
            SectionKind::Zero
        } else {
            SectionKind::Data
        };
        Section { name: name.to_owned(), kind }
    }
}
