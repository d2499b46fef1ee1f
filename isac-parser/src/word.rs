//! A word of up to 256 bits, as instructions are decoded from.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Most bits of a word.
pub(crate) const MAX_BITS: u32 = 256;

/// 256 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Word {
    high: u128,
    low: u128,
}

impl Word {
    /// The word with one bit set; none if the bit is beyond the word.
    pub(crate) fn of_bit(bit: u32) -> Word {
        match bit {
            0..128 => Word { high: 0, low: 1 << bit },
            128..MAX_BITS => Word { high: 1 << (bit - 128), low: 0 },
            _ => Word::default(),
        }
    }

    /// True if the bit is set.
    pub(crate) fn has(self, bit: u32) -> bool {
        !(self & Word::of_bit(bit)).is_zero()
    }

    /// True if no bit is set.
    pub(crate) fn is_zero(self) -> bool {
        self == Word::default()
    }

    /// The lowest bit that is set.
    pub(crate) fn lowest_bit(self) -> Option<u32> {
        match self {
            Word { low: 0, high: 0 } => None,
            Word { low: 0, high } => Some(128 + high.trailing_zeros()),
            Word { low, .. } => Some(low.trailing_zeros()),
        }
    }

    /// How many bits are set.
    pub(crate) fn count_ones(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// True if exactly one bit is set.
    pub(crate) fn is_single_bit(self) -> bool {
        self.count_ones() == 1
    }

    /// The word as a number of `width` bits: in base two up to 16 bits, else in base sixteen.
    pub(crate) fn display(self, width: u32) -> String {
        if width <= 16 {
            let bit = |bit| if self.has(bit) { '1' } else { '0' };
            return format!("0b{}", (0..width).rev().map(bit).collect::<String>());
        }
        let digits = width.div_ceil(4) as usize;
        let all = format!("{:032x}{:032x}", self.high, self.low);
        format!("0x{}", &all[all.len().saturating_sub(digits)..])
    }
}

impl BitAnd for Word {
    type Output = Word;

    fn bitand(self, other: Word) -> Word {
        Word { high: self.high & other.high, low: self.low & other.low }
    }
}

impl BitOr for Word {
    type Output = Word;

    fn bitor(self, other: Word) -> Word {
        Word { high: self.high | other.high, low: self.low | other.low }
    }
}

impl BitXor for Word {
    type Output = Word;

    fn bitxor(self, other: Word) -> Word {
        Word { high: self.high ^ other.high, low: self.low ^ other.low }
    }
}

impl Not for Word {
    type Output = Word;

    fn not(self) -> Word {
        Word { high: !self.high, low: !self.low }
    }
}
