//! `openat`, `lseek`, `fstat`: files by name and by position.

use std::io::{Seek, SeekFrom};

use crate::host::Host;
use crate::host::descriptor::Descriptor;
use crate::host::errno::Errno;
use crate::host::guest::Guest;
use crate::host::root::{OpenFlags, is_absolute};
use crate::host::stat::{FileType, stat_bytes};

/// The working directory, as a descriptor: AT_FDCWD.
const WORKING_DIRECTORY: u64 = (-100_i32) as u32 as u64;

/// Longest path with its zero byte: PATH_MAX.
const PATH_LIMIT: usize = 4096;

impl Host {
    /// `openat(directory, path, flags, mode)`.
    ///
    /// Without a root there are no files: nothing is found, and nothing may be made.
    pub(super) fn open(&mut self, guest: &Guest<'_>, arguments: [u64; 4]) -> Result<i64, Errno> {
        let [directory, path, flags, mode] = arguments;
        let how = OpenFlags::decode(flags, mode)?;
        let path = guest.read_text(path, PATH_LIMIT)?;
        if path.is_empty() {
            return Err(Errno::NOENT);
        }
        // Before the file is made or emptied, there must be a number for it.
        self.descriptors.free_number()?;
        let opened = match directory & 0xffff_ffff {
            _ if is_absolute(&path) => return Err(self.refusal(how)),
            WORKING_DIRECTORY => match &self.root {
                None => return Err(self.refusal(how)),
                Some(root) => root.open_path(&path, how)?,
            },
            _ => match self.descriptors.get(directory)? {
                Descriptor::Directory(base) => base.open_path(&path, how)?,
                _ => return Err(Errno::NOTDIR),
            },
        };
        self.descriptors.insert(opened, how)
    }

    /// What a guest is told of a path outside the files that it may open.
    fn refusal(&self, how: OpenFlags) -> Errno {
        if self.root.is_none() && !how.creates() { Errno::NOENT } else { Errno::ACCES }
    }

    /// `lseek(descriptor, offset, whence)`: the new position.
    pub(super) fn seek(&mut self, descriptor: u64, offset: u64, whence: u64) -> Result<u64, Errno> {
        let entry = self.descriptors.get(descriptor)?;
        let offset = offset.cast_signed();
        let target = match whence & 0xffff_ffff {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::INVAL)?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(Errno::INVAL),
        };
        match entry {
            Descriptor::File(open) => open.file.seek(target).map_err(|error| Errno::of(&error)),
            Descriptor::Directory(_) => Err(Errno::INVAL),
            _ => Err(Errno::SPIPE),
        }
    }

    /// `_llseek(descriptor, high, low, result, whence)`, which 32-bit guests have in the place
    /// of `lseek`: the position goes to memory.
    pub(super) fn seek_wide(&mut self, guest: &mut Guest<'_>, arguments: [u64; 5]) -> Result<i64, Errno> {
        let [descriptor, high, low, result, whence] = arguments;
        let position = self.seek(descriptor, high << 32 | low, whence)?;
        let mut bytes = Vec::new();
        guest.abi.put(&mut bytes, position, 8);
        guest.write(result, &bytes)?;
        Ok(0)
    }

    /// `fstat(descriptor, result)`.
    pub(super) fn status(
        &mut self,
        guest: &mut Guest<'_>,
        descriptor: u64,
        result: u64,
    ) -> Result<i64, Errno> {
        let (kind, size_bytes) = match self.descriptors.get(descriptor)? {
            Descriptor::File(open) => {
                let found = open.file.metadata().map_err(|error| Errno::of(&error))?;
                (FileType::Regular, found.len())
            }
            Descriptor::Directory(_) => (FileType::Directory, 0),
            _ => (FileType::Stream, 0),
        };
        let inode = (descriptor & 0xffff_ffff) + 1;
        guest.write(result, &stat_bytes(guest.abi, kind, inode, size_bytes))?;
        Ok(0)
    }
}
