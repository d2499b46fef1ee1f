//! Random numbers, and the type that C gives to each.

use super::Generator;
use crate::differential_c::tree::{Expr, INT, Number, Type, bits};

impl Generator<'_> {
    /// A number in one of the ways in which C writes it, as often a corner as any.
    pub(super) fn number(&mut self) -> Number {
        let width = *self.random.choose(&[1, 3, 8, 16, 31, 32, 33, 63, 64, 64, 100, 127, 128]);
        let any = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
        let ones = u128::MAX >> (128 - width);
        let sign = 1 << (width - 1);
        let corner = *self.random.choose(&[0, 1, 2, ones, ones - 1, sign, sign - 1, 31, 32, 255]);
        let value = if self.random.once_in(2) { corner } else { any & ones };
        let value = if self.random.once_in(3) { value & 0xff } else { value };
        let suffix = match value >> 64 {
            0 => *self.random.choose(&["", "", "", "u", "U", "l", "L", "ul", "lu", "ULL", "ll"]),
            _ => "",
        };
        match self.random.below(6) {
            0 if value < 128 && (value as u8).is_ascii_alphanumeric() => {
                let text = format!("'{}'", value as u8 as char);
                Number { value, text, ty: INT, written: None }
            }
            0 if value == 10 => Number { value, text: "'\\n'".to_owned(), ty: INT, written: None },
            0 | 1 if value >> 64 == 0 => {
                let text = format!("0b{value:b}{suffix}");
                let written = Some((128 - value.leading_zeros()).max(1));
                Number { value, text, ty: number_type(value, suffix, true), written }
            }
            2 | 3 if value >> 63 == 0 => {
                let text = format!("{value}{suffix}");
                Number { value, text, ty: number_type(value, suffix, false), written: None }
            }
            kind => {
                let text =
                    if kind == 4 { format!("0x{value:x}{suffix}") } else { format!("0X{value:X}{suffix}") };
                let written = Some((128 - value.leading_zeros()).div_ceil(4).max(1) * 4);
                Number { value, text, ty: number_type(value, suffix, true), written }
            }
        }
    }
}

/// The first type that holds a number: C's rule.
fn number_type(value: u128, suffix: &str, based: bool) -> Type {
    let unsigned = suffix.contains(['u', 'U']);
    let least = if suffix.contains(['l', 'L']) { 64 } else { 32 };
    let candidates = [32, 64, 128].into_iter().filter(|width| *width >= least);
    for width in candidates {
        if !unsigned && value >> (width - 1) == 0 {
            return Type { width, signed: true, name: None };
        }
        if (unsigned || based) && (width == 128 || value >> width == 0) {
            return bits(width);
        }
    }
    bits(128)
}

pub(super) fn short_number(value: u128) -> Number {
    Number { value, text: value.to_string(), ty: INT, written: None }
}

pub(super) fn plain_number(value: u128) -> Expr {
    Expr::Number(short_number(value))
}

pub(super) fn plain_hex(value: u128) -> Expr {
    Expr::Number(Number { value, text: format!("{value:#x}"), ty: INT, written: Some(16) })
}
