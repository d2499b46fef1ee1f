//! Sets of words, one bit for each word.

/// A set of numbers below a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    bits: Vec<bool>,
    count: usize,
}

impl Words {
    /// The numbers below `1 << width` that fit.
    pub(crate) fn of(width: u32, fits: impl Fn(u128) -> bool) -> Words {
        Words::new((0..1u128 << width).map(fits).collect())
    }

    fn new(bits: Vec<bool>) -> Words {
        let count = bits.iter().filter(|bit| **bit).count();
        Words { bits, count }
    }

    pub(crate) fn has(&self, word: u128) -> bool {
        self.bits[word as usize]
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn and(&self, other: &Words) -> Words {
        Words::new(self.bits.iter().zip(&other.bits).map(|(a, b)| *a && *b).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn is_within(&self, other: &Words) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| !a || *b)
    }

    /// True for a proper part.
    pub(crate) fn is_part(&self, other: &Words) -> bool {
        self.is_within(other) && self != other
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u128> + '_ {
        (0..self.bits.len()).filter(|word| self.bits[*word]).map(|word| word as u128)
    }
}
