//! Numbers as digits.
//!
//! A report of a large program has tens of millions of numbers; Rust's formatter takes several times as
//! long for one as it takes to make its digits.

/// As many digits as a number can have.
const MOST_DIGITS: usize = 20;

/// Appends a number in decimal.
#[cfg(any(feature = "reports", test))]
pub(crate) fn push_decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; MOST_DIGITS];
    let first = write_backwards(&mut digits, number, 10);
    out.extend_from_slice(&digits[first..]);
}

/// A number in hexadecimal with `0x`, padded with zeros to so many digits.
pub(crate) fn hexadecimal(number: u64, least_digits: usize) -> String {
    let mut digits = [b'0'; MOST_DIGITS];
    let first = write_backwards(&mut digits, number, 16).min(MOST_DIGITS - least_digits.min(16));
    let mut text = String::with_capacity(2 + MOST_DIGITS - first);
    text.push_str("0x");
    text.extend(digits[first..].iter().map(|digit| char::from(*digit)));
    text
}

/// Writes a number to the end of the digits; the index of its first one.
fn write_backwards(digits: &mut [u8; MOST_DIGITS], number: u64, base: u64) -> usize {
    let (mut rest, mut first) = (number, MOST_DIGITS);
    loop {
        first -= 1;
        digits[first] = b"0123456789abcdef"[(rest % base) as usize];
        rest /= base;
        if rest == 0 {
            return first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, push_decimal};

    const NUMBERS: [u64; 8] = [0, 1, 9, 10, 15, 16, 0xdead_beef, u64::MAX];

    #[test]
    fn decimals_are_those_of_the_formatter() {
        for number in NUMBERS {
            let mut out = b"=".to_vec();
            push_decimal(&mut out, number);
            assert_eq!(String::from_utf8(out), Ok(format!("={number}")));
        }
    }

    #[test]
    fn hexadecimals_are_those_of_the_formatter() {
        for number in NUMBERS {
            for least in [0, 1, 3, 8, 16] {
                assert_eq!(hexadecimal(number, least), format!("0x{number:0least$x}"));
            }
        }
    }
}
