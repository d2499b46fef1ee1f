//! Numbers of words: exact up to all of 256 bits.

use std::fmt;
use std::ops::AddAssign;

/// Digits in base 2^32, the least significant first: 2^256 has 257 bits.
const DIGITS: usize = 9;

/// A number from 0 to 2^256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Amount([u32; DIGITS]);

impl Amount {
    /// 2 to the power of `exponent`, 256 at most.
    pub(crate) fn power_of_two(exponent: u32) -> Amount {
        let mut digits = [0; DIGITS];
        if let Some(digit) = digits.get_mut(exponent as usize / 32) {
            *digit = 1 << (exponent % 32);
        }
        Amount(digits)
    }

    /// True if it is 0.
    pub(crate) fn is_zero(self) -> bool {
        self == Amount::default()
    }

    /// Half of it, rounded down.
    pub(crate) fn half(self) -> Amount {
        let mut digits = self.0;
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            (*digit, carry) = (*digit >> 1 | carry << 31, *digit & 1);
        }
        Amount(digits)
    }

    /// Its share of 2^width, from 0 to 1, nearly.
    pub(crate) fn share(self, width: u32) -> f64 {
        let digits = (0..).zip(self.0);
        digits.map(|(place, digit)| f64::from(digit) * 2f64.powi(32 * place - width as i32)).sum()
    }

    /// Millionths of 2^width that it is, rounded down.
    fn millionths(self, width: u32) -> u64 {
        let mut digits = [0u64; DIGITS + 1];
        let mut carry = 0;
        for (digit, own) in digits.iter_mut().zip(self.0.iter().chain([&0])) {
            let product = u64::from(*own) * 1_000_000 + carry;
            (*digit, carry) = (product & 0xffff_ffff, product >> 32);
        }
        let bit = |at: u32| digits.get(at as usize / 32).is_some_and(|digit| digit >> (at % 32) & 1 == 1);
        (0..32).filter(|at| bit(width + at)).fold(0, |value, at| value | 1 << at)
    }

    /// Its share of 2^width in percent, to four places, as `12.5000 %`.
    ///
    /// What is less than the last place, and not nothing, is shown as such; so is what is nearly
    /// everything.
    pub(crate) fn percent(self, width: u32) -> String {
        match self.millionths(width) {
            0 if !self.is_zero() => "<0.0001 %".to_owned(),
            millionths => format!("{}.{:04} %", millionths / 10_000, millionths % 10_000),
        }
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Amount) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Amount) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        let mut carry = 0;
        for (digit, added) in self.0.iter_mut().zip(other.0) {
            let sum = u64::from(*digit) + u64::from(added) + carry;
            (*digit, carry) = (sum as u32, sum >> 32);
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut groups = Vec::new();
        while rest != [0; DIGITS] {
            let mut remainder = 0u64;
            for digit in rest.iter_mut().rev() {
                let part = remainder << 32 | u64::from(*digit);
                (*digit, remainder) = ((part / 1_000_000_000) as u32, part % 1_000_000_000);
            }
            groups.push(remainder);
        }
        let first = groups.pop().unwrap_or(0);
        let text = groups.iter().rev().fold(first.to_string(), |text, group| text + &format!("{group:09}"));
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::Amount;

    #[test]
    fn amounts_are_exact_up_to_all_words() {
        let mut sum = Amount::power_of_two(256);
        assert_eq!(
            sum.to_string(),
            "115792089237316195423570985008687907853269984665640564039457584007913129639936"
        );
        sum = Amount::power_of_two(100);
        sum += Amount::power_of_two(0);
        assert_eq!(sum.to_string(), "1267650600228229401496703205377");
        assert_eq!(Amount::default().to_string(), "0");
        assert!(Amount::power_of_two(64) > Amount::power_of_two(63));
    }

    #[test]
    fn halves_and_shares_are_exact_where_numbers_are_even() {
        assert_eq!(Amount::power_of_two(256).half(), Amount::power_of_two(255));
        assert_eq!(Amount::power_of_two(32).half(), Amount::power_of_two(31));
        let mut amount = Amount::power_of_two(64);
        amount += Amount::power_of_two(1);
        assert_eq!(amount.half().to_string(), "9223372036854775809");
        assert_eq!(Amount::power_of_two(254).share(256), 0.25);
        assert_eq!(Amount::power_of_two(0).share(3), 0.125);
    }

    #[test]
    fn shares_are_rounded_down_and_never_to_nothing() {
        let mut amount = Amount::power_of_two(5);
        assert_eq!(amount.percent(8), "12.5000 %");
        assert_eq!(amount.percent(256), "<0.0001 %");
        assert_eq!(Amount::power_of_two(256).percent(256), "100.0000 %");
        amount += Amount::power_of_two(0);
        assert_eq!(amount.percent(6), "51.5625 %");
        assert_eq!(Amount::default().percent(6), "0.0000 %");
    }
}
