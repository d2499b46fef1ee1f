//! Numbers as they are written on a command line.

use isac_ir::bits::Bits;

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
        .and_then(narrow)
        .and_then(|count| u64::try_from(count).ok())
        .and_then(|count| count.checked_mul(factor))
        .ok_or_else(|| expected.to_owned())
}

/// Reads an address or another number of 64 bits, written as in a description: decimal, or after
/// `0x`, `0b` or `0o`; `_` may stand between digits.
///
/// # Errors
/// What is wrong, and what a number looks like.
pub fn parse_number(text: &str) -> Result<u64, String> {
    parse_bits(text).and_then(|number| {
        let number = narrow(number).and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| "expected a number below 2^64 like 4096, 0x1000 or 0b1010".to_owned())
    })
}

/// True of what stands for a number, and for no name, whether it is well written or not.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Reads a range of addresses, `FIRST-LAST`, or one address.
///
/// # Errors
/// What is wrong with an address, or that the last is below the first.
pub(super) fn parse_addresses(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (parse_number(first)?, parse_number(last)?);
    match first <= last {
        true => Ok((first, last)),
        false => Err(format!("{last:#x} is below {first:#x}; write the lower address first")),
    }
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
struct SignedNumber {
    negative: bool,
    magnitude: Bits,
}

impl SignedNumber {
    /// Reads a number as [`parse_number`] does, with or without a `-` before it.
    ///
    /// # Errors
    /// What is wrong, and what a number looks like.
    fn parse(text: &str) -> Result<Self, String> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = parse_bits(rest)?;
        Ok(Self { negative, magnitude })
    }

    /// The bits of this number in `width_bits` (1 to 256); `None` if it does not fit.
    fn bits(self, width_bits: u32) -> Option<Bits> {
        let ones = Bits::ones(width_bits);
        if !self.negative {
            return (self.magnitude & !ones == Bits::ZERO).then_some(self.magnitude);
        }
        // Of the magnitude less 1 a negative number is the complement.
        let below = less_one(self.magnitude);
        match below {
            Some(below) if below & !Bits::ones(width_bits.saturating_sub(1)) == Bits::ZERO => {
                Some(!below & ones)
            }
            Some(_) => None,
            None => Some(Bits::ZERO),
        }
    }
}

/// One less; `None` of 0.
fn less_one(value: Bits) -> Option<Bits> {
    let low = value.extract(0, 128).checked_sub(1);
    let high = value.extract(128, 128);
    let high = if low.is_some() { high } else { high.checked_sub(1)? };
    Some(Bits::from_u128(low.unwrap_or(u128::MAX)).with(128, 128, high))
}

/// Reads a value for `width_bits` bits (1 to 256), written as in [`parse_number`], with or without a `-`
/// before it.
///
/// # Errors
/// What is wrong, and what a number looks like; that it does not fit.
pub fn parse_value(text: &str, width_bits: u32) -> Result<Bits, String> {
    let number = SignedNumber::parse(text)?;
    number.bits(width_bits).ok_or_else(|| format!("the value does not fit into {width_bits} bits"))
}

/// Reads a number of 128 bits as [`parse_number`] does.
///
/// # Errors
/// What is wrong, and what a number looks like.
pub fn parse_wide(text: &str) -> Result<u128, String> {
    parse_bits(text).and_then(|bits| narrow(bits).ok_or_else(|| "a number has at most 128 bits".to_owned()))
}

/// A number of at most 128 bits.
fn narrow(bits: Bits) -> Option<u128> {
    (bits.extract(128, 128) == 0).then(|| bits.to_u128())
}

/// The same of 256 bits.
fn parse_bits(text: &str) -> Result<Bits, String> {
    let lower = text.to_ascii_lowercase();
    let radices = [("0x", 16), ("0b", 2), ("0o", 8)];
    let prefixed = radices.into_iter().find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, radix)));
    let (digits, radix) = prefixed.unwrap_or((&lower, 10));
    let is_number = digits.starts_with(|first: char| first.is_digit(radix))
        && digits.chars().all(|letter| letter == '_' || letter.is_digit(radix))
        && !digits.ends_with('_')
        && !digits.contains("__");
    if !is_number {
        return Err(format!("`{text}` is no number; {EXPECTED}"));
    }
    let trimmed = digits.trim_start_matches(['0', '_']);
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
        return Err(match trimmed.chars().all(|letter| letter == '_' || letter.is_digit(8)) {
            true if trimmed.is_empty() => format!("`{text}` begins with 0; zero is written 0"),
            true => format!("`{text}` begins with 0; write 0o{trimmed} if it is octal, else {trimmed}"),
            false => format!("`{text}` begins with 0; write {trimmed}"),
        });
    }
    parse_digits(digits, radix).ok_or_else(|| format!("`{text}` is too large"))
}

/// What the numbers of a description look like.
const EXPECTED: &str = "expected one like 64, 0x40, 0b100_0000 or 0o100";

/// Digits with `_` between them, as in Rust; no sign.
fn parse_digits(text: &str, radix: u32) -> Option<Bits> {
    if !text.starts_with(|first: char| first.is_digit(radix)) {
        return None;
    }
    text.chars()
        .filter(|letter| *letter != '_')
        .try_fold(Bits::ZERO, |number, digit| appended(number, radix, digit.to_digit(radix)?))
}

/// A number with one more digit behind it; `None` beyond 256 bits.
fn appended(number: Bits, radix: u32, digit: u32) -> Option<Bits> {
    let mut carry = u128::from(digit);
    let mut longer = Bits::ZERO;
    for limb in (0..256).step_by(64) {
        carry += number.extract(limb, 64) * u128::from(radix);
        longer = longer.with(limb, 64, carry);
        carry >>= 64;
    }
    (carry == 0).then_some(longer)
}

#[cfg(test)]
mod tests {
    use isac_ir::bits::Bits;

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
    fn numbers_are_those_of_descriptions() {
        assert_eq!(parse_number("0x8000_0000"), Ok(0x8000_0000));
        assert_eq!(parse_number("0o17"), Ok(15));
        assert_eq!(parse_number("0x1_0"), Ok(16));
        assert_eq!(parse_number("0"), Ok(0));
        let octal = "`0_17` begins with 0; write 0o17 if it is octal, else 17";
        assert_eq!(parse_number("0_17"), Err(octal.to_owned()));
        assert_eq!(parse_number("09"), Err("`09` begins with 0; write 9".to_owned()));
        for wrong in ["00", "0o8", "0x_1", "1_", "1__0", "5u", "0o", "+1"] {
            assert!(parse_number(wrong).is_err(), "{wrong}");
        }
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
        let wide = |text: &str, width| SignedNumber::parse(text).ok().and_then(|number| number.bits(width));
        let bits = |text: &str, width| wide(text, width).map(Bits::to_u128);
        assert_eq!(bits("-1", 8), Some(0xff));
        assert_eq!(bits("-128", 8), Some(0x80));
        assert_eq!(bits("-129", 8), None);
        assert_eq!(bits("-0", 8), Some(0));
        assert_eq!(bits("-1", 1), Some(1));
        assert_eq!(bits("-2", 1), None);
        assert_eq!(bits("255", 8), Some(255));
        assert_eq!(bits("256", 8), None);
        assert_eq!(bits("-1", 128), Some(u128::MAX));
        assert_eq!(bits("1", 1), Some(1));
        assert_eq!(bits("two", 8), None);
        assert_eq!(wide("-1", 256), Some(Bits::ones(256)));
        assert_eq!(wide("-0x1_0000_0000_0000_0000_0000_0000_0000_0000", 256), Some(!Bits::ones(128)));
        let power = "340282366920938463463374607431768211456";
        assert_eq!(wide(power, 129), Some(Bits::ZERO.with_bit(128, true)), "2^128");
        assert_eq!(wide(power, 128), None);
        assert_eq!(wide(&format!("0b1{}", "0".repeat(255)), 256), Some(Bits::ZERO.with_bit(255, true)));
        assert_eq!(wide(&format!("0x1{}", "0".repeat(64)), 256), None, "2^256");
    }
}
