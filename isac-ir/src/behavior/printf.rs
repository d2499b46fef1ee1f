//! The texts of `printf`, taken apart into pieces.

use serde::{Deserialize, Serialize};

use super::expression::Expr;

/// A piece of a printed text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PrintPart {
    /// Literal text.
    Text(String),
    /// A value.
    Value {
        /// The value.
        value: Expr,
        /// How it is written.
        format: PrintFormat,
    },
}

/// How `printf` writes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The conversion.
    pub conversion: Conversion,
    /// Minimum width.
    pub width: u32,
    /// Least number of digits; zeros then fill nothing else.
    pub precision: Option<u32>,
    /// Filled with zeros instead of spaces.
    pub zero: bool,
    /// Text stands left.
    pub left: bool,
    /// A `+` before what is not negative.
    pub plus: bool,
    /// A space before what is not negative, where there is no `+`.
    pub space: bool,
    /// A prefix `0x` or `0`.
    pub alternate: bool,
}

/// The conversions of `printf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Conversion {
    /// `%d`, `%i`
    Signed,
    /// `%u`
    Unsigned,
    /// `%x`
    Hexadecimal,
    /// `%X`
    HexadecimalUpper,
    /// `%o`
    Octal,
    /// `%c`: one byte
    Character,
}
