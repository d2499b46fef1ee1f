//! What a description says, before any name has a meaning: one type per construct of the language.
//!
//! Every part that a message may have to point at keeps its [`Span`]. Numbers are kept as the
//! values they denote, with the spelling they had, so that printing gives back the same text.

mod behavior;
mod operation;
mod operator;
mod resource;

pub use behavior::*;
pub use operation::*;
pub use resource::*;

use std::collections::BTreeSet;

use crate::source::Span;

/// The items of one source file, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Top-level definitions; a definition that could not be parsed is missing.
    pub items: Vec<Item>,
    /// What did not parse, or was not there to be parsed.
    pub lost: Lost,
}

/// What is missing of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// Text with these words, and perhaps their definitions; none if everything was parsed.
    Words(BTreeSet<String>),
    /// Nobody knows: a file could not be read, or not to its end.
    Anything,
}

/// A name that lost the mark behind it is the beginning of a longer word; of shorter names many are.
const SHORTEST_RUN: usize = 4;

impl Lost {
    /// True if the definition of a name may be missing.
    pub fn may_define(&self, name: &str) -> bool {
        match self {
            Lost::Words(words) => {
                let next = words.range(name.to_owned()..).next();
                let is_run_together = |word: &String| name.len() >= SHORTEST_RUN && word.starts_with(name);
                next.is_some_and(|word| word == name || is_run_together(word))
            }
            Lost::Anything => true,
        }
    }
}

/// A top-level definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// `INCLUDE "file";`
    Include(Include),
    /// `CONSTANT NAME = expression;`
    Constant(Constant),
    /// `TARGET { ... };`
    Target(Target),
    /// `RESOURCE { ... };`
    Resource(ResourceSection),
    /// `GROUP name = a, b;`
    Group(Group),
    /// `OPERATION name { ... };`
    Operation(Operation),
    /// `FUNCTION type name(parameters) { ... }`
    Function(Function),
    /// `PSEUDO { ... } WHEN (...) -> { ... };`
    Pseudo(Pseudo),
}

/// An identifier where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The identifier's letters.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A string literal where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The string with its escapes resolved.
    pub value: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// `INCLUDE "file";`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// Path relative to the including file.
    pub path: Text,
    /// The whole definition.
    pub span: Span,
}

/// `CONSTANT NAME = expression;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// The constant's name.
    pub name: Name,
    /// Its value.
    pub value: Expr,
    /// The whole definition.
    pub span: Span,
}

/// `TARGET { FIELD (arguments); ... };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The fields in the order of the text.
    pub fields: Vec<TargetField>,
    /// The whole definition.
    pub span: Span,
}

/// One field of a TARGET: `ENDIAN (LITTLE);`, `LOAD (low, high) -> map;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetField {
    /// The field's word, as `ENDIAN`.
    pub name: Name,
    /// What stands in the parentheses; words as `LITTLE` are [`ExprKind::Name`].
    pub arguments: Vec<Expr>,
    /// The map of `LOAD (...) -> map`.
    pub map: Option<Name>,
    /// The whole field.
    pub span: Span,
}

/// `GROUP name = a, b, c;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The group's name.
    pub name: Name,
    /// Its members, operations or groups.
    pub members: Vec<Name>,
    /// The whole definition.
    pub span: Span,
}

/// `FUNCTION type name(parameters) { ... }`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// What it returns; `None` is `void`.
    pub result: Option<TypeName>,
    /// The function's name.
    pub name: Name,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// The statements between the braces.
    pub body: Block,
    /// The whole definition.
    pub span: Span,
}

/// One parameter of a FUNCTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's type.
    pub ty: TypeName,
    /// The parameter's name.
    pub name: Name,
}

/// `PSEUDO { operands } WHEN (condition) -> { results };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pseudo {
    /// The text that is matched.
    pub pattern: Vec<PseudoItem>,
    /// The condition after WHEN.
    pub condition: Option<Expr>,
    /// The results, separated by `;` in the text.
    pub results: Vec<Vec<PseudoItem>>,
    /// The whole definition.
    pub span: Span,
}

/// One item of a PSEUDO's pattern or result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PseudoItem {
    /// Literal text.
    Text(Text),
    /// `name:group` in a pattern.
    Operand {
        /// The operand's name.
        name: Name,
        /// The group or operation that reads it.
        target: Name,
    },
    /// `name:#FORMAT` in a pattern.
    Value {
        /// The operand's name.
        name: Name,
        /// Its format.
        format: Format,
    },
    /// `name:"word|word"` in a pattern: one of these words.
    Words {
        /// The operand's name.
        name: Name,
        /// The words, with `|` between.
        words: Text,
    },
    /// `~` between two items: no blank stands there.
    Join(Span),
    /// An operand's name in a result.
    Name(Name),
    /// An expression in parentheses in a result.
    Expr(Expr),
}
