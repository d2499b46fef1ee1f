//! Bit vectors of up to 256 bits: decoded words and the patterns they are matched with.

use serde::{Deserialize, Serialize};

/// A value of up to 256 bits; the width is the user's to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Bits([u64; 4]);

impl Bits {
    /// All bits 0.
    pub const ZERO: Bits = Bits([0; 4]);

    /// The low bits from a number.
    pub fn from_u128(value: u128) -> Bits {
        Bits([value as u64, (value >> 64) as u64, 0, 0])
    }

    /// The low 128 bits.
    pub fn to_u128(self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1]) << 64
    }

    /// Bit `index`, 0 the least significant; bits from 256 on are 0.
    pub fn bit(self, index: u32) -> bool {
        self.0.get((index / 64) as usize).is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// The same with bit `index` set; from 256 on nothing changes.
    #[must_use]
    pub fn with_bit(mut self, index: u32, value: bool) -> Bits {
        if let Some(limb) = self.0.get_mut((index / 64) as usize) {
            *limb = *limb & !(1 << (index % 64)) | u64::from(value) << (index % 64);
        }
        self
    }

    /// Bits `low..low + width` as a number, `width` at most 128.
    pub fn extract(self, low: u32, width: u32) -> u128 {
        let (first, shift) = ((low / 64) as usize, low % 64);
        if let (true, Some(limb)) = (shift + width <= 64, self.0.get(first)) {
            return u128::from(limb >> shift) & mask(width);
        }
        let limb = |index: usize| u128::from(self.0.get(index).copied().unwrap_or(0));
        let value = (limb(first) | limb(first + 1) << 64) >> shift;
        // Of a third limb only bits from 128 - shift on are missing.
        let rest = if shift == 0 { 0 } else { limb(first + 2) << (128 - shift) };
        (value | rest) & mask(width)
    }

    /// The same with bits `low..low + width` replaced by the low bits of `value`, `width` at most
    /// 128.
    #[must_use]
    pub fn with(mut self, low: u32, width: u32, value: u128) -> Bits {
        let (first, shift) = ((low / 64) as usize, low % 64);
        if let (true, Some(limb)) = (shift + width <= 64, self.0.get_mut(first)) {
            let ones = mask(width) as u64;
            *limb = *limb & !(ones << shift) | (value as u64 & ones) << shift;
            return self;
        }
        let ones = Bits::from_u128(mask(width)).shifted(low);
        self & !ones | Bits::from_u128(value & mask(width)).shifted(low)
    }

    /// Ones in the low `width` bits, `width` at most 256.
    pub fn ones(width: u32) -> Bits {
        let high = Bits::from_u128(mask(width.saturating_sub(128))).shifted(128);
        Bits::from_u128(mask(width.min(128))) | high
    }

    /// The same moved down by `count` bits.
    #[must_use]
    pub fn shifted_down(self, count: u32) -> Bits {
        Bits::from_u128(self.extract(count, 128))
            | Bits::from_u128(self.extract(count + 128, 128)).shifted(128)
    }

    /// The same moved up by `count` bits; what passes bit 255 is lost.
    #[must_use]
    pub fn shifted(self, count: u32) -> Bits {
        let (limbs, bits) = ((count / 64) as usize, count % 64);
        let limb =
            |index: usize| index.checked_sub(limbs).and_then(|from| self.0.get(from)).copied().unwrap_or(0);
        let below = |index: usize| if index == 0 { 0 } else { limb(index - 1) };
        Bits(std::array::from_fn(|index| match bits {
            0 => limb(index),
            bits => limb(index) << bits | below(index) >> (64 - bits),
        }))
    }

    /// Number of ones.
    pub fn count_ones(self) -> u32 {
        self.0.iter().map(|limb| limb.count_ones()).sum()
    }

    /// The low `width_bits` as bytes, most significant first, padded to whole bytes.
    pub fn to_be_bytes(self, width_bits: u32) -> Vec<u8> {
        let count = width_bits.div_ceil(8);
        (0..count).rev().map(|byte| self.extract(byte * 8, 8) as u8).collect()
    }

    /// From bytes, most significant first.
    pub fn from_be_bytes(bytes: &[u8]) -> Bits {
        let mut limbs = [0; 4];
        for (byte, index) in bytes.iter().rev().zip(0..32) {
            limbs[index / 8] |= u64::from(*byte) << (8 * (index % 8));
        }
        Bits(limbs)
    }
}

impl std::ops::BitAnd for Bits {
    type Output = Bits;

    fn bitand(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|limb| self.0[limb] & other.0[limb]))
    }
}

impl std::ops::BitOr for Bits {
    type Output = Bits;

    fn bitor(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|limb| self.0[limb] | other.0[limb]))
    }
}

impl std::ops::BitXor for Bits {
    type Output = Bits;

    fn bitxor(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|limb| self.0[limb] ^ other.0[limb]))
    }
}

impl std::ops::Not for Bits {
    type Output = Bits;

    fn not(self) -> Bits {
        Bits(std::array::from_fn(|limb| !self.0[limb]))
    }
}

/// All ones in the low `width` bits, `width` at most 128.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `value`'s low `from` bits, sign-extended to `to` bits.
pub fn sign_extend(value: u128, from: u32, to: u32) -> u128 {
    if from == 0 || from >= 128 {
        return value & mask(to);
    }
    let shift = 128 - from;
    (((value << shift) as i128) >> shift) as u128 & mask(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_in_either_half() {
        let bits = Bits::ZERO.with(100, 24, 0xabcdef).with(0, 8, 0x12);
        assert_eq!(Bits::from_be_bytes(&bits.to_be_bytes(128)), bits);
        assert_eq!(Bits::from_be_bytes(&[0x12, 0x34]), Bits::from_u128(0x1234));
        let bits = bits.with(240, 16, 0x4567);
        assert_eq!(Bits::from_be_bytes(&bits.to_be_bytes(256)), bits);
        assert_eq!(bits.extract(100, 24), 0xabcdef);
    }

    #[test]
    fn extracting_and_replacing_agree_with_single_bits() {
        let bits = Bits([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978, u64::MAX]);
        for low in [0, 1, 31, 63, 64, 65, 127, 128, 190, 200, 255] {
            for width in [1, 7, 64, 65, 127, 128] {
                let plain = (0..width).fold(0, |value, bit| value | u128::from(bits.bit(low + bit)) << bit);
                assert_eq!(bits.extract(low, width), plain, "{low} {width}");
                let set = (0..width).fold(bits, |bits, bit| bits.with_bit(low + bit, plain >> bit & 1 == 0));
                assert_eq!(bits.with(low, width, !plain), set, "{low} {width}");
            }
        }
    }

    #[test]
    fn moving_down_undoes_moving_up() {
        let bits = Bits([0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978, 0]);
        for count in [0, 1, 8, 63, 64] {
            assert_eq!(bits.shifted(count).shifted_down(count), bits, "{count}");
            assert_eq!(
                bits.shifted_down(count),
                (0..256).fold(Bits::ZERO, |moved, bit| { moved.with_bit(bit, bits.bit(bit + count)) })
            );
        }
        for width in [0, 1, 64, 127, 128, 129, 255, 256] {
            assert_eq!(Bits::ones(width).count_ones(), width);
            assert!(!Bits::ones(width).bit(width));
        }
    }

    #[test]
    fn sign_extension_follows_the_top_bit() {
        assert_eq!(sign_extend(0x800, 12, 32), 0xffff_f800);
        assert_eq!(sign_extend(0x7ff, 12, 32), 0x7ff);
        assert_eq!(sign_extend(1, 128, 128), 1);
    }
}
