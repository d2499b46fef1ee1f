//! A digest that tells files apart. It is no protection against forgery.

use std::fmt;

/// FNV-1a with 128 bits (draft-eastlake-fnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest(u128);

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

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
}
