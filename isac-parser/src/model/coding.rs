//! What narrows and what follows a CODING: WHEN and TAIL.

use super::{CodingBit, FieldId, InstanceId};
use crate::source::Span;

/// A condition on the coded bits of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// The condition.
    pub condition: Condition,
    /// Where it stands.
    pub span: Span,
}

/// A condition, down to its comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `a && b`
    And(Box<Condition>, Box<Condition>),
    /// `a || b`
    Or(Box<Condition>, Box<Condition>),
    /// `!a`
    Not(Box<Condition>),
    /// `a < b`
    Compare(Comparison),
    /// Always so, or never: a comparison with a constant beyond what the bits can be.
    Constant(bool),
}

/// A comparison of coded bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Coded bits.
    pub left: Vec<ComparedBit>,
    /// How they are compared.
    pub relation: Relation,
    /// Coded bits or a constant, as wide; with a constant alone the relation is an order.
    pub right: Vec<ComparedBit>,
    /// True if both are two's complement.
    pub signed: bool,
}

/// A bit of a comparison; values have their most significant bit first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedBit {
    /// A bit of a field.
    Field(FieldId, u32),
    /// A bit of an instance's coded word.
    Instance(InstanceId, u32),
    /// A bit of a constant, or of a field where it is not coded.
    Constant(bool),
}

/// The relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// A part of what follows an instruction's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TailItem {
    /// A word of its own, most significant bit first; no bit is an instance's.
    Word {
        /// Its bits.
        bits: Vec<CodingBit>,
        /// Where it stands.
        span: Span,
    },
    /// The tail of what an instance of the CODING chose.
    Instance {
        /// The instance.
        instance: InstanceId,
        /// Where it stands.
        span: Span,
    },
    /// An instance that is no part of the CODING: it is decoded here, from words of its own.
    Decode {
        /// The instance.
        instance: InstanceId,
        /// Where it stands.
        span: Span,
    },
}
