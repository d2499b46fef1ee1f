//! `struct stat` of asm-generic, for `fstat`.
//!
//! The two layouts (`struct stat64` on 32-bit, `struct stat` on 64-bit; asm-generic/stat.h)
//! agree up to the times. Everything that belongs to the host and not to the file's contents
//! is constant: times, owner, device; so a run does not depend on where its files lie.

use crate::host::abi::Abi;

/// What a descriptor stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileType {
    /// One of the standard streams: always a character device, whatever it is on the host.
    Stream,
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
}

impl FileType {
    /// `st_mode`.
    fn mode(self) -> u64 {
        match self {
            Self::Stream => 0o020_620,
            Self::Regular => 0o100_644,
            Self::Directory => 0o040_755,
        }
    }
}

const BLOCK_BYTES: u64 = 4096;
const SECTOR_BYTES: u64 = 512;

/// The bytes that `fstat` stores: 104 for 32-bit guests, 128 for 64-bit ones.
///
/// `inode` only tells one open file from another.
pub(crate) fn stat_bytes(abi: Abi, kind: FileType, inode: u64, size_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    let fields = [
        (1, 8),                                 // st_dev
        (inode, 8),                             // st_ino
        (kind.mode(), 4),                       // st_mode
        (1, 4),                                 // st_nlink
        (0, 4),                                 // st_uid
        (0, 4),                                 // st_gid
        (0, 8),                                 // st_rdev
        (0, 8),                                 // padding
        (size_bytes, 8),                        // st_size
        (BLOCK_BYTES, 4),                       // st_blksize
        (0, 4),                                 // padding
        (size_bytes.div_ceil(SECTOR_BYTES), 8), // st_blocks
    ];
    for (value, size) in fields {
        abi.put(&mut bytes, value, size);
    }
    // Access, modification and change time, each in seconds and nanoseconds, and two words of
    // four bytes that are reserved.
    bytes.resize(bytes.len() + 6 * abi.word_bytes() + 8, 0);
    bytes
}
