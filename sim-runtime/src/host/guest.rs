//! The guest's memory as a system call sees it: every pointer may be wrong, every length a lie.
//!
//! Nothing here allocates what a guest claims: transfers go through buffers of [`CHUNK_BYTES`],
//! and a range that runs off the mapped memory is cut at its first unmapped byte.

use crate::engine::Machine;
use crate::host::abi::Abi;
use crate::host::errno::Errno;

/// Most bytes moved at once.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// A machine with the map and the conventions that its pointers and words follow.
pub(crate) struct Guest<'a> {
    pub(crate) machine: &'a mut dyn Machine,
    pub(crate) map: usize,
    pub(crate) abi: Abi,
}

impl Guest<'_> {
    /// Fills the front of `bytes` from guest memory.
    ///
    /// Returns how many bytes are mapped from `address` on, at most all of them; the rest of
    /// `bytes` is unspecified.
    pub(crate) fn read_prefix(&self, address: u64, bytes: &mut [u8]) -> usize {
        let mut length = self.length_below_end(address, bytes.len());
        // The first failure tells where to cut; if a second contradicts it, nothing is mapped.
        for _ in 0..2 {
            if length == 0 {
                return 0;
            }
            match self.machine.read_bytes(self.map, address, &mut bytes[..length]) {
                Ok(()) => return length,
                Err(bad) => {
                    let mapped = bad.saturating_sub(address);
                    length = usize::try_from(mapped).map_or(0, |mapped| mapped.min(length - 1));
                }
            }
        }
        0
    }

    /// Reads all of `bytes` from guest memory.
    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        if self.read_prefix(address, bytes) == bytes.len() { Ok(()) } else { Err(Errno::FAULT) }
    }

    /// Writes all bytes, or none and fails.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        if self.length_below_end(address, bytes.len()) < bytes.len() {
            return Err(Errno::FAULT);
        }
        self.machine.write_bytes(self.map, address, bytes).map_err(|_| Errno::FAULT)
    }

    /// Reads a text that ends in a zero byte, without that byte.
    ///
    /// Fails with `NAMETOOLONG` if there is none among the first `limit` bytes.
    pub(crate) fn read_text(&self, address: u64, limit: usize) -> Result<Vec<u8>, Errno> {
        let mut text = vec![0; limit];
        let mapped = self.read_prefix(address, &mut text);
        match text[..mapped].iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.truncate(end);
                Ok(text)
            }
            None if mapped == limit => Err(Errno::NAMETOOLONG),
            None => Err(Errno::FAULT),
        }
    }

    /// How many of `length` bytes fit between `address` and the end of the address space.
    fn length_below_end(&self, address: u64, length: usize) -> usize {
        let Some(rest) = self.abi.last_address().checked_sub(address) else {
            return 0;
        };
        let rest = usize::try_from(rest).map_or(usize::MAX, |rest| rest.saturating_add(1));
        length.min(rest)
    }
}
