//! How a guest passes numbers: the width of its words and the order of their bytes.

use isac_ir::resource::Syscalls;

/// Word width and byte order of a guest, as system calls and the first stack see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abi {
    /// 32 or 64: the width of `long` and of pointers. Anything above 32 counts as 64.
    pub word_bits: u32,
    /// The most significant byte of a word comes first.
    pub big_endian: bool,
    /// Whose numbers system calls have.
    pub syscalls: Syscalls,
}

impl Abi {
    /// Words are 64 bits wide.
    #[must_use]
    pub fn is_64(self) -> bool {
        self.word_bits > 32
    }

    /// Bytes in a word: 4 or 8.
    #[must_use]
    pub fn word_bytes(self) -> usize {
        if self.is_64() { 8 } else { 4 }
    }

    /// The number that a register of this width holds: the low word.
    #[must_use]
    pub fn word(self, value: u64) -> u64 {
        if self.is_64() { value } else { value & 0xffff_ffff }
    }

    /// The highest address that a word can name.
    #[must_use]
    pub fn last_address(self) -> u64 {
        self.word(u64::MAX)
    }

    /// Appends the low `size` (1 to 8) bytes of a number in the guest's byte order.
    pub(crate) fn put(self, bytes: &mut Vec<u8>, value: u64, size: usize) {
        let size = size.min(8);
        if self.big_endian {
            bytes.extend_from_slice(&value.to_be_bytes()[8 - size..]);
        } else {
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    /// Appends a word.
    pub(crate) fn put_word(self, bytes: &mut Vec<u8>, value: u64) {
        self.put(bytes, value, self.word_bytes());
    }

    /// The number that up to 8 bytes in the guest's order stand for.
    pub(crate) fn get(self, bytes: &[u8]) -> u64 {
        let step = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        if self.big_endian { bytes.iter().fold(0, step) } else { bytes.iter().rev().fold(0, step) }
    }
}
