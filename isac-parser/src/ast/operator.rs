//! The operators' spelling and precedence.

use super::{BinaryOperator, UnaryOperator};

impl UnaryOperator {
    /// As it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOperator::Negate => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::BitNot => "~",
            UnaryOperator::Not => "!",
        }
    }
}

impl BinaryOperator {
    /// All of them, longer spellings first.
    pub const ALL: [BinaryOperator; 18] = [
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
        BinaryOperator::LessEqual,
        BinaryOperator::GreaterEqual,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::LogicalAnd,
        BinaryOperator::LogicalOr,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Remainder,
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Less,
        BinaryOperator::Greater,
        BinaryOperator::BitAnd,
        BinaryOperator::BitXor,
        BinaryOperator::BitOr,
    ];

    /// As it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::ShiftLeft => "<<",
            BinaryOperator::ShiftRight => ">>",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::BitAnd => "&",
            BinaryOperator::BitXor => "^",
            BinaryOperator::BitOr => "|",
            BinaryOperator::LogicalAnd => "&&",
            BinaryOperator::LogicalOr => "||",
        }
    }

    /// The operator of a spelling.
    pub fn from_spelling(spelling: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.spelling() == spelling)
    }

    /// How strongly it binds: C's order, from 3 for `||` to 12 for `*`. Assignment is 1, `?:` 2,
    /// `::` 13.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOperator::LogicalOr => 3,
            BinaryOperator::LogicalAnd => 4,
            BinaryOperator::BitOr => 5,
            BinaryOperator::BitXor => 6,
            BinaryOperator::BitAnd => 7,
            BinaryOperator::Equal | BinaryOperator::NotEqual => 8,
            BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => 9,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => 10,
            BinaryOperator::Add | BinaryOperator::Subtract => 11,
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => 12,
        }
    }
}
