//! OPERATION and its sections.

use super::{Block, Expr, Name, Text, TypeName};
use crate::source::Span;

/// `OPERATION name [IN pipe.STAGE] { sections };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The operation's name.
    pub name: Name,
    /// Pipeline and stage after IN.
    pub stage: Option<(Name, Name)>,
    /// The sections in the order of the text; a kind may be repeated where the language allows it.
    pub sections: Vec<Section>,
    /// The whole definition.
    pub span: Span,
}

/// One section of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// `INSTANCE target ALIAS { a, b };`
    Instance(InstanceSection),
    /// `REFERENCE { a, b };`
    Reference(ReferenceSection),
    /// `LOCAL { bit[32] a; };`
    Local(LocalSection),
    /// `ASSEMBLER { ... };`
    Assembler(AssemblerSection),
    /// `CODING { ... };`
    Coding(CodingSection),
    /// `TAIL { ... };`
    Tail(CodingSection),
    /// `WHEN { condition };`
    When(WhenSection),
    /// `EXPRESSION { expression };`
    Expression(ExpressionSection),
    /// `BEHAVIOR { statements };`
    Behavior(BehaviorSection),
    /// `ACTIVATION { ... };`
    Activation(ActivationSection),
    /// `CODINGROOT { ... };`
    CodingRoot(CodingRootSection),
}

/// `INSTANCE target ALIAS { a, b };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceSection {
    /// Operation or group.
    pub target: Name,
    /// One instance per alias.
    pub aliases: Vec<Name>,
    /// The section.
    pub span: Span,
}

/// `REFERENCE { a, b };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceSection {
    /// Names taken from the parent.
    pub names: Vec<Name>,
    /// The section.
    pub span: Span,
}

/// `LOCAL { bit[32] a, b; ... };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSection {
    /// Type and names of each declaration.
    pub variables: Vec<(TypeName, Vec<Name>)>,
    /// The section.
    pub span: Span,
}

/// `ASSEMBLER { items };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblerSection {
    /// The items in order.
    pub items: Vec<AssemblerItem>,
    /// The section.
    pub span: Span,
}

/// One item of an assembler text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssemblerItem {
    /// Literal text.
    Text(Text),
    /// `~`: no space between the neighbours.
    Join(Span),
    /// An alias, or a field without a format.
    Name(Name),
    /// `field=#FORMAT`
    Field {
        /// The field.
        name: Name,
        /// How it is written.
        format: Format,
    },
}

/// `#S`, `#NAME(x, 8 + n)`, `#REL(4)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// The word after `#`.
    pub name: Name,
    /// What stands in parentheses.
    pub arguments: Vec<Expr>,
    /// The whole format.
    pub span: Span,
}

/// `CODING { items };` or `TAIL { items };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodingSection {
    /// The items, most significant first.
    pub items: Vec<CodingItem>,
    /// The section.
    pub span: Span,
}

/// One item of a CODING.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodingItem {
    /// `0b01x0`, `0bx[4]`: fixed and don't-care bits.
    Bits(BitPattern),
    /// `imm=0bx[12]`: a field where it is declared.
    Field {
        /// The field.
        name: Name,
        /// Its bits: a width in don't-care bits, or fixed ones.
        pattern: BitPattern,
    },
    /// An alias, or a slice of a field or alias.
    Name {
        /// The field or alias.
        name: Name,
        /// High and low bit; an index has both equal.
        slice: Option<(Expr, Expr)>,
        /// Name and slice.
        span: Span,
    },
}

impl CodingItem {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            CodingItem::Bits(pattern) => pattern.span,
            CodingItem::Field { name, pattern } => name.span.to(pattern.span),
            CodingItem::Name { span, .. } => *span,
        }
    }
}

/// Fixed and don't-care bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitPattern {
    /// The bits, most significant first: `Some(bit)`, or `None` for a don't-care bit.
    pub bits: Vec<Option<bool>>,
    /// Where it stands.
    pub span: Span,
}

/// `WHEN { condition };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhenSection {
    /// The condition over coded bits.
    pub condition: Expr,
    /// The section.
    pub span: Span,
}

/// `EXPRESSION { expression };` or `EXPRESSION { expression, writer };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionSection {
    /// What the operand means; before a writer a FUNCTION may stand there by its name alone.
    pub value: Expr,
    /// What writes it, if that is no place by itself.
    pub writer: Option<Writer>,
    /// The section.
    pub span: Span,
}

/// `name` or `name(arguments)`: a FUNCTION that takes what is written behind its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// The FUNCTION.
    pub name: Name,
    /// What it takes before the value.
    pub arguments: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// `BEHAVIOR { statements };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BehaviorSection {
    /// The statements.
    pub body: Block,
    /// The section.
    pub span: Span,
}

/// `ACTIVATION { ... };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivationSection {
    /// The activations in order.
    pub items: Vec<Activation>,
    /// The section.
    pub span: Span,
}

/// One entry of an ACTIVATION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activation {
    /// `target [DELAY (n)];`
    Activate {
        /// Alias, operation or group.
        target: Name,
        /// Cycles of delay.
        delay: Option<Expr>,
    },
    /// `IF (condition) { ... } ELSE { ... }`
    If {
        /// The condition.
        condition: Expr,
        /// Activated if it is not zero.
        then: Vec<Activation>,
        /// Activated if it is zero.
        otherwise: Vec<Activation>,
        /// The whole entry.
        span: Span,
    },
    /// `SWITCH (value) { CASE label: { ... } DEFAULT: { ... } }`
    Switch {
        /// A value, or an alias whose member is asked for.
        value: Expr,
        /// Labels with what they activate.
        cases: Vec<(Expr, Vec<Activation>)>,
        /// The DEFAULT entries.
        default: Option<Vec<Activation>>,
        /// The whole entry.
        span: Span,
    },
}

/// `CODINGROOT { elements };`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodingRootSection {
    /// The elements in order.
    pub elements: Vec<RootElement>,
    /// The section.
    pub span: Span,
}

/// One element of a CODINGROOT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootElement {
    /// `root (source [AT address]);`
    Decode(RootDecode),
    /// `SWITCH (element) { CASE member: { elements } }`
    Switch {
        /// What is decoded first.
        selector: RootDecode,
        /// Member and elements of each case.
        cases: Vec<(Name, Vec<RootElement>)>,
        /// The whole element.
        span: Span,
    },
    /// `IF (condition) { elements } ELSE { elements }`
    If {
        /// A condition on registers.
        condition: Expr,
        /// Decoded if it is not zero.
        then: Vec<RootElement>,
        /// Decoded if it is zero.
        otherwise: Vec<RootElement>,
        /// The whole element.
        span: Span,
    },
}

/// `root (source [AT address])`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootDecode {
    /// Alias, operation or group.
    pub root: Name,
    /// `map[address]`, or a register or slice of one.
    pub source: Expr,
    /// The register that holds the address of a word from a register.
    pub at: Option<Expr>,
    /// The whole element.
    pub span: Span,
}
