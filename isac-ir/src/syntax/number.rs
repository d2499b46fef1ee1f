//! Numbers in texts: which value a field has for a number that is written, and back.

use super::Format;
use crate::bits::{mask, sign_extend};

/// The lowest and the highest number that a field of a width in bits can be written as.
///
/// Widths from 127 bits on are as 127: numbers have no more.
pub fn range(format: &Format, width_bits: u32) -> (i128, i128) {
    let width = width_bits.clamp(1, 127);
    let unsigned = (0, mask(width) as i128);
    let signed = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    match format {
        Format::Unsigned | Format::UnsignedHexadecimal | Format::Name { .. } | Format::List { .. } => {
            unsigned
        }
        Format::Signed | Format::Relative { .. } => signed,
        Format::Plain | Format::Hexadecimal | Format::Absolute => (signed.0, unsigned.1),
        Format::Computed { format, .. } => range(format, width_bits),
    }
}

/// The number within a range that a number stands for: itself, or one that is equal to it in
/// `address_bits` bits.
pub fn fit(number: i128, (low, high): (i128, i128), address_bits: u32) -> Option<i128> {
    equals(number, address_bits).into_iter().find(|number| (low..=high).contains(number))
}

/// A number and what is equal to it in `address_bits` bits, without sign and with one.
pub fn equals(number: i128, address_bits: u32) -> Vec<i128> {
    let half = 1i128 << (address_bits.clamp(1, 64) - 1);
    if !(-half..2 * half).contains(&number) {
        return vec![number];
    }
    let pattern = number as u128 & mask(address_bits);
    vec![number, pattern as i128, sign_extend(pattern, address_bits, 128) as i128]
}

/// A number as the assembler reads it.
pub fn hexadecimal(value: u128) -> String {
    format!("{value:#x}")
}
