//! Digests that tell things apart, and are no protection against forgery.

/// FNV-1a with 64 bits (draft-eastlake-fnv).
pub(crate) fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn digests_are_those_of_the_published_test_vectors() {
        assert_eq!(digest(b"".iter().copied()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"foobar".iter().copied()), 0x8594_4171_f739_67e8);
    }
}
