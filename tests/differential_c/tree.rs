//! Statements and expressions of BEHAVIOR as both languages have them, and their types.
//!
//! The types are worked out here once more, independently of the parser: from the manual.

/// A width and a sign; a `bit[N]` unless C has a name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) width: u32,
    pub(crate) signed: bool,
    /// The name that C and the description share.
    pub(crate) name: Option<&'static str>,
}

/// The types with a name of their own.
const NAMED: [(&str, u32, bool); 38] = [
    ("char", 8, true),
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("short int", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("signed", 32, true),
    ("unsigned", 32, false),
    ("unsigned int", 32, false),
    ("long", 64, true),
    ("long int", 64, true),
    ("unsigned long", 64, false),
    ("long long", 64, true),
    ("long unsigned", 64, false),
    ("unsigned long long", 64, false),
    ("int8_t", 8, true),
    ("uint8_t", 8, false),
    ("int16_t", 16, true),
    ("uint16_t", 16, false),
    ("int32_t", 32, true),
    ("uint32_t", 32, false),
    ("int64_t", 64, true),
    ("uint64_t", 64, false),
    ("int_least8_t", 8, true),
    ("uint_least16_t", 16, false),
    ("int_least32_t", 32, true),
    ("uint_least64_t", 64, false),
    ("int_fast8_t", 8, true),
    ("uint_fast8_t", 8, false),
    ("int_fast16_t", 64, true),
    ("uint_fast32_t", 64, false),
    ("int_fast64_t", 64, true),
    ("intmax_t", 64, true),
    ("uintmax_t", 64, false),
    ("intptr_t", 64, true),
    ("uintptr_t", 64, false),
    ("int unsigned", 32, false),
];

/// C's `int`.
pub(crate) const INT: Type = Type { width: 32, signed: true, name: Some("int") };

/// An unsigned type of a width.
pub(crate) fn bits(width: u32) -> Type {
    Type { width, signed: false, name: None }
}

/// The type with a name of its own, by number.
pub(crate) fn named(index: usize) -> Type {
    let (name, width, signed) = NAMED[index % NAMED.len()];
    Type { width, signed, name: Some(name) }
}

impl Type {
    /// As the description writes it.
    pub(crate) fn text(self) -> String {
        match (self.name, self.signed) {
            (Some(name), _) => name.to_owned(),
            (None, true) => format!("signed bit[{}]", self.width),
            (None, false) => format!("bit[{}]", self.width),
        }
    }

    /// The smallest standard type from `int` on that holds all its values.
    pub(crate) fn promoted(self) -> Type {
        let width = [32, 64, 128].into_iter().find(|width| self.width <= *width).unwrap_or(128);
        Type { width, signed: self.signed || self.width < width, name: None }
    }
}

/// The common type of two operands.
pub(crate) fn usual(left: Type, right: Type) -> Type {
    let (left, right) = (left.promoted(), right.promoted());
    match left.width.cmp(&right.width) {
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Equal => Type { signed: left.signed && right.signed, ..left },
    }
}

/// The operators with one operand that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    Minus,
    Plus,
    Invert,
    Not,
}

/// The operators with two operands, `&&` and `||` among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Infix {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl Prefix {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Prefix::Minus => "-",
            Prefix::Plus => "+",
            Prefix::Invert => "~",
            Prefix::Not => "!",
        }
    }
}

impl Infix {
    /// Its text, and how strongly it binds: C's table from `||` (1) to `*` (10).
    pub(crate) fn text(self) -> (&'static str, u8) {
        match self {
            Infix::Multiply => ("*", 10),
            Infix::Divide => ("/", 10),
            Infix::Remainder => ("%", 10),
            Infix::Add => ("+", 9),
            Infix::Subtract => ("-", 9),
            Infix::ShiftLeft => ("<<", 8),
            Infix::ShiftRight => (">>", 8),
            Infix::Less => ("<", 7),
            Infix::LessEqual => ("<=", 7),
            Infix::Greater => (">", 7),
            Infix::GreaterEqual => (">=", 7),
            Infix::Equal => ("==", 6),
            Infix::NotEqual => ("!=", 6),
            Infix::And => ("&", 5),
            Infix::Xor => ("^", 4),
            Infix::Or => ("|", 3),
            Infix::LogicalAnd => ("&&", 2),
            Infix::LogicalOr => ("||", 1),
        }
    }

    /// True for the operators that have a form with `=`.
    pub(crate) fn assigns(self) -> bool {
        matches!(self.text().1, 8..=10 | 3..=5)
    }

    fn is_shift(self) -> bool {
        matches!(self, Infix::ShiftLeft | Infix::ShiftRight)
    }

    fn is_truth(self) -> bool {
        matches!(self.text().1, 1 | 2 | 6 | 7)
    }
}

/// A number as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    pub(crate) value: u128,
    pub(crate) text: String,
    pub(crate) ty: Type,
    /// How many bits its digits spell out in base two or sixteen.
    pub(crate) written: Option<u32>,
}

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Number(Number),
    /// A field of the instruction.
    Field(&'static str, Type),
    Read(Place),
    Prefix(Prefix, Box<Expr>),
    Infix(Infix, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    /// Bits `high..low` of what is no place.
    Slice(Box<Expr>, u32, u32),
    /// One bit of what is no place.
    Bit(Box<Expr>, Box<Expr>),
    /// Parts that are not all places.
    Concat(Vec<Expr>),
    Assign(Place, Box<Expr>),
    AssignWith(Infix, Place, Box<Expr>),
    /// Is it `++`? Does it stand before?
    Step(bool, bool, Place),
    Comma(Box<Expr>, Box<Expr>),
    Call(String, Type, Vec<(Type, Expr)>),
    Sext(Box<Expr>, u32),
    /// `popcount`, `clz`, `ctz`
    Count(&'static str, Box<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// A variable, parameter or register of one element.
    Variable(String, Type),
    /// An element of a register file with so many.
    Element(&'static str, u32, Type, Box<Expr>),
    /// So many bytes of memory; the expression is the address.
    Memory(Type, Box<Expr>),
    Slice(Box<Place>, u32, u32),
    Bit(Box<Place>, Box<Expr>),
    Concat(Vec<Place>),
    /// Two places of one type.
    Conditional(Box<Expr>, Box<Place>, Box<Place>),
}

impl Place {
    pub(crate) fn ty(&self) -> Type {
        match self {
            Place::Variable(_, ty) | Place::Element(_, _, ty, _) | Place::Memory(ty, _) => *ty,
            Place::Slice(_, high, low) => bits(high - low + 1),
            Place::Bit(..) => bits(1),
            Place::Concat(parts) => bits(parts.iter().map(|part| part.ty().width).sum()),
            Place::Conditional(_, then, _) => then.ty(),
        }
    }

    /// The expressions that tell where it is.
    fn expressions(&self) -> Vec<&Expr> {
        match self {
            Place::Variable(..) => Vec::new(),
            Place::Element(_, _, _, index) | Place::Memory(_, index) => vec![index],
            Place::Slice(base, ..) => base.expressions(),
            Place::Bit(base, index) => [base.expressions(), vec![&**index]].concat(),
            Place::Concat(parts) => parts.iter().flat_map(Place::expressions).collect(),
            Place::Conditional(condition, then, otherwise) => {
                [vec![&**condition], then.expressions(), otherwise.expressions()].concat()
            }
        }
    }

    pub(crate) fn has_effect(&self) -> bool {
        self.expressions().into_iter().any(Expr::has_effect)
    }
}

impl Expr {
    pub(crate) fn ty(&self) -> Type {
        match self {
            Expr::Number(number) => number.ty,
            Expr::Field(_, ty) | Expr::Cast(ty, _) | Expr::Call(_, ty, _) => *ty,
            Expr::Read(place @ Place::Conditional(..)) => place.ty().promoted(),
            Expr::Read(place) | Expr::Assign(place, _) | Expr::AssignWith(_, place, _) => place.ty(),
            Expr::Step(_, _, place) => place.ty(),
            Expr::Prefix(Prefix::Not, _) | Expr::Count(..) => INT,
            Expr::Prefix(_, operand) => operand.ty().promoted(),
            Expr::Infix(operator, ..) if operator.is_truth() => INT,
            Expr::Infix(operator, left, _) if operator.is_shift() => left.ty().promoted(),
            Expr::Infix(_, left, right) => usual(left.ty(), right.ty()),
            Expr::Conditional(_, then, otherwise) => usual(then.ty(), otherwise.ty()),
            Expr::Slice(_, high, low) => bits(high - low + 1),
            Expr::Bit(..) => bits(1),
            Expr::Concat(parts) => bits(parts.iter().map(Expr::part_width).sum()),
            Expr::Comma(_, right) => right.ty(),
            Expr::Sext(value, _) => Type { signed: true, name: None, ..value.ty() },
        }
    }

    /// Its width as a part of a concatenation: as declared or written.
    pub(crate) fn part_width(&self) -> u32 {
        match self {
            Expr::Number(number) => number.written.unwrap_or(number.ty.width),
            Expr::Read(place) => place.ty().width,
            other => other.ty().width,
        }
    }

    /// True if evaluating it may change what others read.
    pub(crate) fn has_effect(&self) -> bool {
        match self {
            Expr::Assign(..) | Expr::AssignWith(..) | Expr::Step(..) | Expr::Call(..) => true,
            Expr::Number(_) | Expr::Field(..) => false,
            Expr::Read(place) => place.has_effect(),
            Expr::Prefix(_, a) | Expr::Cast(_, a) | Expr::Slice(a, ..) | Expr::Sext(a, _) => a.has_effect(),
            Expr::Count(_, a) => a.has_effect(),
            Expr::Infix(_, a, b) | Expr::Bit(a, b) | Expr::Comma(a, b) => a.has_effect() || b.has_effect(),
            Expr::Conditional(a, b, c) => a.has_effect() || b.has_effect() || c.has_effect(),
            Expr::Concat(parts) => parts.iter().any(Expr::has_effect),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    Declare(Type, String, Option<Expr>),
    Expr(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Labels (`None` is `default`) and statements of each section.
    Switch(Expr, Vec<(Vec<Option<Number>>, Vec<Stmt>)>),
    /// `for (int name = 0; name < turns; name++, step)`
    For(String, u32, Option<Expr>, Vec<Stmt>),
    /// A counter from `turns` down, a further condition; true for `do`.
    While(String, u32, Expr, bool, Vec<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    Printf(String, Vec<Expr>),
}

/// A FUNCTION with a result.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) result: Type,
    pub(crate) parameters: Vec<(Type, String)>,
    pub(crate) body: Vec<Stmt>,
}
