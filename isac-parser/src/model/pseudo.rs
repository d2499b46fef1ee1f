//! PSEUDO: what the assembler writes anew.

use super::{Format, OperationOrGroup};
use crate::source::Span;

/// A PSEUDO with one of the words in the place of each operand that is a choice of words.
#[derive(Debug, Clone, PartialEq)]
pub struct Pseudo {
    /// All of it.
    pub span: Span,
    /// What is matched; operands and values are numbered together, in the order of the text.
    pub pattern: Vec<PatternItem>,
    /// The expression of WHEN, in parentheses, as assembler text.
    pub condition: Option<Vec<PseudoPiece>>,
    /// Where it stands.
    pub condition_span: Option<Span>,
    /// The lines that are assembled instead.
    pub results: Vec<Vec<PseudoPiece>>,
    /// Where the pieces of each result stand.
    pub result_spans: Vec<Vec<Span>>,
    /// What the text names for its words alone: each of these has a PSEUDO of its own.
    pub named_for_words: Vec<OperationOrGroup>,
}

/// An item of a PSEUDO's pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum PatternItem {
    /// Literal text.
    Text(String),
    /// What an operation or group may be.
    Operand(OperationOrGroup),
    /// A value in a format.
    Value(Format),
}

/// A piece of assembler text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PseudoPiece {
    /// It stands as it is.
    Text(String),
    /// What was written for an operand, by its number.
    Operand(u32),
}
