//! BEHAVIOR: statements and expressions of C with bit ranges and concatenation.

use super::{Name, Text};
use crate::source::Span;

/// Statements between braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Stmt>,
    /// The braces and all between.
    pub span: Span,
}

/// A statement where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The statements of C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `{ ... }`
    Block(Block),
    /// `type a = x, b;`
    Declare {
        /// The variables' type.
        ty: TypeName,
        /// Names with their initial values.
        variables: Vec<(Name, Option<Expr>)>,
    },
    /// `expression;`
    Expr(Expr),
    /// `if (condition) then else otherwise`
    If {
        /// The condition.
        condition: Expr,
        /// Run if it is not zero.
        then: Box<Stmt>,
        /// Run if it is zero.
        otherwise: Option<Box<Stmt>>,
    },
    /// `switch (value) { case 1: ... default: ... }`
    Switch {
        /// The value.
        value: Expr,
        /// The sections in order; control falls through to the next.
        sections: Vec<SwitchSection>,
    },
    /// `while (condition) body`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        condition: Expr,
    },
    /// `for (start; condition; step) body`
    For {
        /// A declaration, an expression statement or an empty one.
        start: Box<Stmt>,
        /// The condition.
        condition: Option<Expr>,
        /// Evaluated after each turn.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
}

/// The labels and statements from one run of labels to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchSection {
    /// `Some(value)` for `case value:`, `None` for `default:`.
    pub labels: Vec<(Option<Expr>, Span)>,
    /// What follows them.
    pub statements: Vec<Stmt>,
}

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeName {
    /// What it is.
    pub kind: TypeNameKind,
    /// Where it stands.
    pub span: Span,
}

/// The spellings of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeNameKind {
    /// `bit[width]`, `signed bit[width]`
    Bit {
        /// True after `signed`.
        signed: bool,
        /// Width in bits.
        width: Box<Expr>,
    },
    /// C's own types and those of `<stdint.h>`, normalised, as `unsigned long` or `uint8_t`.
    C(String),
}

/// An expression where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The expressions of C, with slices, concatenations and views of a memory map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A number or character constant.
    Number(Number),
    /// A string: `printf`'s and `event`'s first argument.
    Text(Text),
    /// A name: constant, resource, field, alias, local, option word.
    Name(Name),
    /// `base.member`: a view of a map (`defaultmap.u32`), a member's field (`rd.index`),
    /// a pipeline's or device's service (`pipe.stall`, `t.pending`), `.latency`.
    Member {
        /// What stands before the point.
        base: Box<Expr>,
        /// The word after it.
        member: Name,
    },
    /// `base[index]`: an element, a cell, a single bit.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `base[high..low]`
    Slice {
        /// What is sliced.
        base: Box<Expr>,
        /// Most significant bit.
        high: Box<Expr>,
        /// Least significant bit.
        low: Box<Expr>,
    },
    /// `function(arguments)`; the callee is a name or a member.
    Call {
        /// The function.
        callee: Box<Expr>,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
    /// `(type) operand`
    Cast {
        /// The type.
        ty: TypeName,
        /// What is converted.
        operand: Box<Expr>,
    },
    /// A prefix operator.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `++place`, `place--`, ...
    Step {
        /// True for `++`.
        increment: bool,
        /// True if it stands before the place.
        prefix: bool,
        /// What is changed.
        place: Box<Expr>,
    },
    /// An infix operator; `&&` and `||` evaluate their right side only if it decides.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `a :: b`, flattened: most significant part first.
    Concat(Vec<Expr>),
    /// `condition ? then : otherwise`
    Conditional {
        /// The condition.
        condition: Box<Expr>,
        /// Value if it is not zero.
        then: Box<Expr>,
        /// Value if it is zero.
        otherwise: Box<Expr>,
    },
    /// `place = value`, `place += value`, ...
    Assign {
        /// The operator of a compound assignment.
        operator: Option<BinaryOperator>,
        /// What is assigned to.
        place: Box<Expr>,
        /// The value.
        value: Box<Expr>,
    },
    /// `left, right`
    Comma {
        /// Evaluated first, its value dropped.
        left: Box<Expr>,
        /// The value.
        right: Box<Expr>,
    },
    /// `(inner)`: kept so that printing gives back the same text.
    Paren(Box<Expr>),
}

/// A number with its spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The value.
    pub value: u128,
    /// As written, suffix included.
    pub spelling: String,
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `~`
    BitNot,
    /// `!`
    Not,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}
