//! The program break: memory that a guest asks for by `brk`.

use crate::host::errno::Errno;
use crate::host::guest::{CHUNK_BYTES, Guest};

/// A heap that grows from `start` and never beyond `limit`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Heap {
    start: u64,
    end: u64,
    limit: u64,
}

impl Heap {
    pub(crate) fn new(start: u64, limit: u64) -> Self {
        Self { start, end: start, limit: limit.max(start) }
    }

    /// First byte of the heap, and the first behind it.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        (self.start, self.limit)
    }

    /// Moves the break to `end` if it may stand there; returns where it stands afterwards.
    ///
    /// New memory holds zeros, as after Linux's own call, even where the heap has been before.
    pub(crate) fn move_break(&mut self, guest: &mut Guest<'_>, end: u64) -> u64 {
        let allowed = (self.start..=self.limit).contains(&end);
        if allowed && fill_with_zeros(guest, self.end, end).is_ok() {
            self.end = end;
        }
        self.end
    }
}

fn fill_with_zeros(guest: &mut Guest<'_>, start: u64, end: u64) -> Result<(), Errno> {
    let zeros = [0; CHUNK_BYTES];
    let mut address = start;
    while address < end {
        let size = usize::try_from(end - address).map_or(CHUNK_BYTES, |rest| rest.min(CHUNK_BYTES));
        guest.write(address, &zeros[..size])?;
        address += size as u64;
    }
    Ok(())
}
