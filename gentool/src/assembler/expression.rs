//! Expressions of C over numbers and labels, as trees.

use std::rc::Rc;

use isac_ir::bits::Bits;

/// Deepest nesting of one expression.
pub(super) const MOST_NESTED: usize = 200;

/// Most operators of one expression.
pub(super) const MOST_OPERATORS: usize = 1_000;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    /// A number as it is written, which may have up to 127 bits where it stands alone.
    Number(i128),
    /// A hexadecimal number of more bits, up to 256, which can be data and nothing else.
    Wide(Bits),
    /// A symbol, by its index.
    Symbol(u32),
    /// `.`: the address of the line.
    Here,
    /// The address of an item: the `.` of the operand of a PSEUDO.
    Item(usize),
    /// `1b` or `1f`, by the index of the mention.
    Local(u32),
    /// One operand.
    Unary(Unary, Rc<Expr>),
    /// Two operands.
    Binary(Binary, Rc<Expr>, Rc<Expr>),
    /// `c ? a : b`
    Select(Rc<Expr>, Rc<Expr>, Rc<Expr>),
    /// `%NAME(a, b)`: a FUNCTION of the description, by its index.
    Call(u32, Vec<Expr>),
}

/// Operators before an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    Plus,
    Negate,
    BitNot,
    Not,
}

/// Operators between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
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

/// The operators with their spellings and how tightly they bind; longer spellings first.
pub(super) const BINARY: [(&str, Binary, u8); 18] = [
    ("<<", Binary::ShiftLeft, 8),
    (">>", Binary::ShiftRight, 8),
    ("<=", Binary::LessEqual, 7),
    (">=", Binary::GreaterEqual, 7),
    ("==", Binary::Equal, 6),
    ("!=", Binary::NotEqual, 6),
    ("&&", Binary::LogicalAnd, 2),
    ("||", Binary::LogicalOr, 1),
    ("<", Binary::Less, 7),
    (">", Binary::Greater, 7),
    ("&", Binary::And, 5),
    ("^", Binary::Xor, 4),
    ("|", Binary::Or, 3),
    ("+", Binary::Add, 9),
    ("-", Binary::Subtract, 9),
    ("*", Binary::Multiply, 10),
    ("/", Binary::Divide, 10),
    ("%", Binary::Remainder, 10),
];

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// A symbol without a definition, or one whose value is not known yet.
    Unknown,
    /// A number of more than 127 bits.
    Wide,
    /// A number beyond the bits that it is computed in, or that a FUNCTION takes.
    Beyond { value: i128, width_bits: u32, function: Option<u32> },
    /// Division by zero.
    DivisionByZero,
    /// A FUNCTION of the description that gives no value.
    NoResult(u32),
    /// An `.equ` that needs itself.
    Circle(u32),
}

/// What an expression may ask for.
pub(super) trait Environment {
    /// The value of a symbol.
    fn symbol(&self, symbol: u32) -> Result<i128, NoValue>;
    /// The address of a local label that is mentioned.
    fn local(&self, mention: u32) -> Result<i128, NoValue>;
    /// The address of the line.
    fn here(&self) -> Result<i128, NoValue>;
    /// The address of an item.
    fn item(&self, item: usize) -> Result<i128, NoValue>;
    /// The value of a FUNCTION.
    fn call(&self, function: u32, arguments: &[i128]) -> Result<i128, NoValue>;
}

impl Expr {
    /// Calls `visit` for this expression and all below it.
    pub(super) fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Number(_)
            | Expr::Wide(_)
            | Expr::Symbol(_)
            | Expr::Here
            | Expr::Item(_)
            | Expr::Local(_) => {}
            Expr::Unary(_, operand) => operand.walk(visit),
            Expr::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            Expr::Select(condition, then, otherwise) => {
                condition.walk(visit);
                then.walk(visit);
                otherwise.walk(visit);
            }
            Expr::Call(_, arguments) => arguments.iter().for_each(|argument| argument.walk(visit)),
        }
    }

    /// The value: a number alone is what is written, all else is computed in 64 bits with a sign.
    pub(super) fn value(&self, around: &dyn Environment) -> Result<i128, NoValue> {
        Ok(match self {
            Expr::Number(value) => *value,
            Expr::Wide(_) => return Err(NoValue::Wide),
            Expr::Symbol(symbol) => around.symbol(*symbol)?,
            Expr::Here => around.here()?,
            Expr::Item(item) => around.item(*item)?,
            Expr::Local(mention) => around.local(*mention)?,
            Expr::Unary(operator, operand) => match operator {
                Unary::Plus => operand.value(around)?,
                Unary::Negate => match **operand {
                    Expr::Number(value) => -value,
                    _ => self.computed(around)?.into(),
                },
                Unary::BitNot => (!operand.computed(around)?).into(),
                Unary::Not => (operand.value(around)? == 0).into(),
            },
            Expr::Binary(operator, left, right) => {
                binary(*operator, left.computed(around)?, &|| right.computed(around))?.into()
            }
            Expr::Select(condition, then, otherwise) => match condition.value(around)? {
                0 => otherwise.value(around)?,
                _ => then.value(around)?,
            },
            Expr::Call(function, arguments) => {
                let values: Result<Vec<i128>, NoValue> =
                    arguments.iter().map(|argument| argument.value(around)).collect();
                computed(around.call(*function, &values?)?)?.into()
            }
        })
    }

    /// The value as a part of another expression: in 64 bits, where a number with its sign wraps as well.
    fn computed(&self, around: &dyn Environment) -> Result<i64, NoValue> {
        match self {
            Expr::Unary(Unary::Negate, operand) => Ok(operand.computed(around)?.wrapping_neg()),
            _ => computed(self.value(around)?),
        }
    }
}

/// A number in the 64 bits in which expressions are computed.
fn computed(value: i128) -> Result<i64, NoValue> {
    if !fits(value, i64::BITS) {
        return Err(NoValue::Beyond { value, width_bits: i64::BITS, function: None });
    }
    Ok(value as i64)
}

/// True for a number that so many bits hold, with a sign or without one.
pub(super) fn fits(value: i128, width_bits: u32) -> bool {
    width_bits >= 127 || (-(1 << (width_bits.max(1) - 1))..1 << width_bits).contains(&value)
}

fn binary(operator: Binary, left: i64, right: &dyn Fn() -> Result<i64, NoValue>) -> Result<i64, NoValue> {
    match (operator, left) {
        (Binary::LogicalAnd, 0) => return Ok(0),
        (Binary::LogicalOr, left) if left != 0 => return Ok(1),
        _ => {}
    }
    let right = right()?;
    // As in a description: an amount of the width or more gives 0 or the sign.
    let amount = u32::try_from(right).unwrap_or(u32::MAX);
    Ok(match operator {
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => return Err(NoValue::DivisionByZero),
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::ShiftLeft => left.checked_shl(amount).unwrap_or(0),
        Binary::ShiftRight => left >> amount.min(63),
        Binary::Less => (left < right).into(),
        Binary::LessEqual => (left <= right).into(),
        Binary::Greater => (left > right).into(),
        Binary::GreaterEqual => (left >= right).into(),
        Binary::Equal => (left == right).into(),
        Binary::NotEqual => (left != right).into(),
        Binary::And => left & right,
        Binary::Xor => left ^ right,
        Binary::Or => left | right,
        Binary::LogicalAnd | Binary::LogicalOr => (right != 0).into(),
    })
}
