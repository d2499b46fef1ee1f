//! Numbers as they are written on a command line.

/// Reads a count: decimal digits, `_` between them, and K, M or G for a thousand, a million or
/// 10^9 at the end.
///
/// # Errors
/// What a count looks like.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.chars().last() {
        Some('k' | 'K') => (&text[..text.len() - 1], 1_000),
        Some('M') => (&text[..text.len() - 1], 1_000_000),
        Some('G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let expected = "expected a count below 2^64 like 500, 1_000_000, 10K, 10M or 2G";
    parse_digits(digits, 10)
        .and_then(|count| u64::try_from(count).ok())
        .and_then(|count| count.checked_mul(factor))
        .ok_or_else(|| expected.to_owned())
}

/// Reads an address or another number of 64 bits: decimal, or hexadecimal after `0x`, or binary
/// after `0b`; `_` may stand between digits.
///
/// # Errors
/// What a number looks like.
pub fn parse_number(text: &str) -> Result<u64, String> {
    parse_wide(text)
        .and_then(|number| u64::try_from(number).ok())
        .ok_or_else(|| "expected a number below 2^64 like 4096, 0x1000 or 0b1010".to_owned())
}

/// Reads a number of seconds above 0, with or without a fraction.
///
/// # Errors
/// What it looks like.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST_SECONDS => Ok(seconds),
        _ => Err("expected seconds above 0, at most 1e9, like 10 or 0.5".to_owned()),
    }
}

const MOST_SECONDS: f64 = 1e9;

/// A value for a register: its bits, or a negative number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignedNumber {
    pub(crate) negative: bool,
    pub(crate) magnitude: u128,
}

impl SignedNumber {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = parse_wide(rest)?;
        Some(Self { negative, magnitude })
    }

    /// The bits of this number in `width_bits` (1 to 128); `None` if it does not fit.
    pub(crate) fn bits(self, width_bits: u32) -> Option<u128> {
        let mask = u128::MAX.checked_shr(128_u32.saturating_sub(width_bits)).unwrap_or(0);
        let lowest = mask - (mask >> 1);
        match self.negative {
            false if self.magnitude <= mask => Some(self.magnitude),
            true if self.magnitude <= lowest => Some(self.magnitude.wrapping_neg() & mask),
            _ => None,
        }
    }
}

/// Reads a number of 128 bits as [`parse_number`] does; `None` if it is none.
#[must_use]
pub fn parse_wide(text: &str) -> Option<u128> {
    let lower = text.to_ascii_lowercase();
    match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => parse_digits(digits, 16),
        (_, Some(digits)) => parse_digits(digits, 2),
        _ => parse_digits(&lower, 10),
    }
}

/// Digits with `_` between them, as in Rust; no sign.
fn parse_digits(text: &str, radix: u32) -> Option<u128> {
    if !text.starts_with(|first: char| first.is_digit(radix)) {
        return None;
    }
    let digits: String = text.chars().filter(|letter| *letter != '_').collect();
    u128::from_str_radix(&digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::{SignedNumber, parse_count, parse_number, parse_seconds};

    #[test]
    fn counts_take_digits_underscores_and_a_unit() {
        assert_eq!(parse_count("500"), Ok(500));
        assert_eq!(parse_count("1_000_000"), Ok(1_000_000));
        assert_eq!(parse_count("10M"), Ok(10_000_000));
        assert_eq!(parse_count("2k"), Ok(2_000));
        assert_eq!(parse_count("0"), Ok(0));
        for wrong in ["", "M", "_1", "-1", "+1", "1.5", "1e6", "0x10", "20000000000G", "1Ω", "K"] {
            assert!(parse_count(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_take_three_radices() {
        assert_eq!(parse_number("0x8000_0000"), Ok(0x8000_0000));
        assert_eq!(parse_number("0XFF"), Ok(255));
        assert_eq!(parse_number("0b101"), Ok(5));
        assert_eq!(parse_number("0xffffffffffffffff"), Ok(u64::MAX));
        for wrong in ["", "0x", "-1", "0x1_0000_0000_0000_0000", "0b2", "12h"] {
            assert!(parse_number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(parse_seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "inf", "nan", "1e300", ""] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn register_values_fit_signed_or_unsigned() {
        let bits = |text, width| SignedNumber::parse(text).and_then(|number| number.bits(width));
        assert_eq!(bits("-1", 8), Some(0xff));
        assert_eq!(bits("-128", 8), Some(0x80));
        assert_eq!(bits("-129", 8), None);
        assert_eq!(bits("255", 8), Some(255));
        assert_eq!(bits("256", 8), None);
        assert_eq!(bits("-1", 128), Some(u128::MAX));
        assert_eq!(bits("1", 1), Some(1));
        assert_eq!(bits("two", 8), None);
    }
}
