//! The table of open files of a guest.

use std::fs::File;

use crate::host::errno::Errno;
use crate::host::root::{OpenFlags, Opened, RootDirectory};

/// Most descriptors at a time, Linux's usual limit.
const TABLE_SIZE: usize = 1024;

/// What a descriptor stands for.
pub(crate) enum Descriptor {
    Input,
    Output,
    Errors,
    File(OpenFile),
    Directory(RootDirectory),
    /// Bytes that are the same for everybody.
    Constant {
        bytes: &'static [u8],
        position: usize,
    },
}

/// A regular file with the rights it was opened with.
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

/// Descriptors by number; 0, 1 and 2 are the standard streams at the start.
pub(crate) struct DescriptorTable {
    entries: Vec<Option<Descriptor>>,
}

impl Default for DescriptorTable {
    fn default() -> Self {
        Self { entries: vec![Some(Descriptor::Input), Some(Descriptor::Output), Some(Descriptor::Errors)] }
    }
}

impl DescriptorTable {
    /// The same table; `None` if a file or a directory is open, of which there is no copy.
    pub(crate) fn copy(&self) -> Option<Self> {
        let copy = |entry: &Option<Descriptor>| match entry {
            None => Some(None),
            Some(Descriptor::Input) => Some(Some(Descriptor::Input)),
            Some(Descriptor::Output) => Some(Some(Descriptor::Output)),
            Some(Descriptor::Errors) => Some(Some(Descriptor::Errors)),
            Some(Descriptor::Constant { bytes, position }) => {
                Some(Some(Descriptor::Constant { bytes, position: *position }))
            }
            Some(Descriptor::File(_) | Descriptor::Directory(_)) => None,
        };
        Some(Self { entries: self.entries.iter().map(copy).collect::<Option<_>>()? })
    }

    /// The open file that the low 32 bits of an argument name.
    pub(crate) fn get(&mut self, argument: u64) -> Result<&mut Descriptor, Errno> {
        self.slot(argument)?.as_mut().ok_or(Errno::BADF)
    }

    /// Gives a newly opened file the lowest free number.
    pub(crate) fn insert(&mut self, opened: Opened, how: OpenFlags) -> Result<i64, Errno> {
        let descriptor = match opened {
            Opened::Directory(directory) => Descriptor::Directory(directory),
            Opened::File(file) => {
                Descriptor::File(OpenFile { file, readable: how.read, writable: how.write })
            }
        };
        self.insert_descriptor(descriptor)
    }

    /// Gives a descriptor the lowest free number.
    pub(crate) fn insert_descriptor(&mut self, descriptor: Descriptor) -> Result<i64, Errno> {
        let number = self.free_number()?;
        if let Some(slot) = self.entries.get_mut(number) {
            *slot = Some(descriptor);
        } else {
            self.entries.push(Some(descriptor));
        }
        i64::try_from(number).map_err(|_| Errno::MFILE)
    }

    /// The lowest free number.
    pub(crate) fn free_number(&self) -> Result<usize, Errno> {
        let free = self.entries.iter().position(Option::is_none);
        match free.unwrap_or(self.entries.len()) {
            number if number < TABLE_SIZE => Ok(number),
            _ => Err(Errno::MFILE),
        }
    }

    pub(crate) fn close(&mut self, argument: u64) -> Result<(), Errno> {
        match self.slot(argument)?.take() {
            Some(_) => Ok(()),
            None => Err(Errno::BADF),
        }
    }

    fn slot(&mut self, argument: u64) -> Result<&mut Option<Descriptor>, Errno> {
        // A descriptor is an `int`: the high half of a wider register does not matter.
        let number = usize::try_from(argument & 0xffff_ffff).map_err(|_| Errno::BADF)?;
        self.entries.get_mut(number).ok_or(Errno::BADF)
    }
}
