//! A digest that tells files apart. It is no protection against forgery.

use std::fmt;

/// FNV-1a with 128 bits (draft-eastlake-fnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest(u128);

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Bytes that are looked at together.
const CHUNK: usize = 64;
/// What as many zeros multiply by.
const PRIME_OF_CHUNK: u128 = PRIME.wrapping_pow(CHUNK as u32);

impl Digest {
    /// The digest of no bytes.
    pub(crate) fn new() -> Self {
        Self(OFFSET_BASIS)
    }

    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        digest.add(bytes);
        digest
    }

    /// Appends bytes to what is digested.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(CHUNK);
        for chunk in &mut chunks {
            // Most of a memory is 0, and zeros do nothing but multiply.
            match chunk.iter().fold(0, |all, byte| all | byte) {
                0 => self.0 = self.0.wrapping_mul(PRIME_OF_CHUNK),
                _ => self.add_each(chunk),
            }
        }
        self.add_each(chunks.remainder());
    }

    fn add_each(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn digests_are_those_of_the_published_test_vectors() {
        assert_eq!(Digest::of(b"").to_string(), "6c62272e07bb014262b821756295c58d");
        assert_eq!(Digest::of(b"a").to_string(), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(Digest::of(b"foobar").to_string(), "343e1662793c64bf6f0d3597ba446f18");
    }

    #[test]
    fn many_zeros_are_digested_as_one_after_the_other() {
        for (zeros, first) in [(64, b'a'), (1000, 0), (127, b'b'), (128, 0)] {
            let bytes = [&[first][..], &vec![0; zeros], b"end"].concat();
            let mut one_by_one = Digest::new();
            bytes.iter().for_each(|byte| one_by_one.add(&[*byte]));
            assert_eq!(Digest::of(&bytes).to_string(), one_by_one.to_string());
        }
    }
}
