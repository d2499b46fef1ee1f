//! Semihosting calls as Arm's specification has them ("Semihosting for AArch32 and AArch64",
//! Arm 100863 3.0).
//!
//! An operation takes one argument, most often the address of a block of words. A handle is a
//! descriptor's number plus 1, since 0 is none. Streams and files are those of the system calls;
//! the time counts cycles, and there is no command interpreter.

use std::io::{Seek, SeekFrom};

use crate::engine::Machine;
use crate::host::abi::Abi;
use crate::host::descriptor::{Descriptor, OpenFile};
use crate::host::errno::Errno;
use crate::host::guest::{CHUNK_BYTES, Guest};
use crate::host::root::{OpenFlags, is_absolute};
use crate::host::transfer::Direction;
use crate::host::{Host, LinuxResult};

/// Longest path that is looked at.
const PATH_LIMIT: u64 = 4096;
/// Longest text of SYS_WRITE0; what has no end by then is cut.
const TEXT_LIMIT: u64 = 1 << 20;
/// Reason of an exit that is the program's own: ADP_Stopped_ApplicationExit.
const APPLICATION_EXIT: u64 = 0x20026;
/// The name of the console.
const CONSOLE: &[u8] = b":tt";
/// The name of the file that tells what is offered beyond the first specification.
const FEATURES: &[u8] = b":semihosting-features";
/// Its contents: a magic word; SH_EXT_EXIT_EXTENDED and SH_EXT_STDOUT_STDERR.
const FEATURE_BYTES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

impl Host {
    /// Carries out a semihosting call.
    ///
    /// Pointers are byte addresses of `map`; `cycles` is the cycle count of the machine. The
    /// result is -1 where a call fails and the specification says no more.
    pub fn semihost(
        &mut self,
        machine: &mut dyn Machine,
        map: usize,
        abi: Abi,
        cycles: u64,
        operation: u64,
        argument: u64,
    ) -> LinuxResult {
        let mut guest = Guest { machine, map, abi };
        let argument = abi.word(argument);
        let result = match operation & 0xffff_ffff {
            0x18 => return self.semihost_exit(&guest, argument, abi.is_64()),
            0x20 => return self.semihost_exit(&guest, argument, true),
            0x13 => Ok(self.semihost_errno),
            operation => self.semihost_call(&mut guest, cycles, operation, argument),
        };
        LinuxResult::Return(result.unwrap_or_else(|error| {
            self.semihost_errno = -error.result();
            -1
        }))
    }

    fn semihost_call(
        &mut self,
        guest: &mut Guest<'_>,
        cycles: u64,
        operation: u64,
        argument: u64,
    ) -> Result<i64, Errno> {
        match operation {
            0x01 => self.semihost_open(guest, argument),
            0x02 => {
                let [handle] = block(guest, argument)?;
                self.descriptors.close(descriptor(handle)?).map(|()| 0)
            }
            0x03 => self.write_text(guest, argument, Some(1)),
            0x04 => self.write_text(guest, argument, None),
            0x05 => self.semihost_transfer(guest, Direction::Write, argument),
            0x06 => self.semihost_transfer(guest, Direction::Read, argument),
            0x07 => Ok(self.console_read().map_or(-1, i64::from)),
            0x08 => {
                let [status] = block(guest, argument)?;
                Ok(i64::from(status > guest.abi.last_address() / 2))
            }
            0x09 => self.is_console(guest, argument),
            0x0a => self.semihost_seek(guest, argument),
            0x0c => self.file_length(guest, argument),
            0x0d => temporary_name(guest, argument),
            0x0e => Ok(code(self.semihost_remove(guest, argument), &mut self.semihost_errno)),
            0x0f => Ok(code(self.semihost_rename(guest, argument), &mut self.semihost_errno)),
            0x10 => whole(u128::from(cycles) * 100 / u128::from(self.clock_hz), guest.abi),
            0x11 => whole(u128::from(cycles) / u128::from(self.clock_hz), guest.abi),
            0x15 => self.command_line(guest, argument),
            0x16 => self.heap_info(guest, argument),
            0x30 => {
                let mut bytes = Vec::new();
                // Two words of a 32-bit guest, the low one first whatever its byte order.
                match guest.abi.is_64() {
                    true => guest.abi.put(&mut bytes, cycles, 8),
                    false => {
                        guest.abi.put(&mut bytes, cycles & 0xffff_ffff, 4);
                        guest.abi.put(&mut bytes, cycles >> 32, 4);
                    }
                }
                guest.write(argument, &bytes).map(|()| 0)
            }
            0x31 => whole(self.clock_hz.into(), guest.abi),
            _ => Err(Errno::NOSYS),
        }
    }

    /// SYS_EXIT and SYS_EXIT_EXTENDED: a block of reason and status, or the reason alone.
    fn semihost_exit(&mut self, guest: &Guest<'_>, argument: u64, is_block: bool) -> LinuxResult {
        let (reason, status) = match is_block {
            true => block(guest, argument).map_or((0, 1), |[reason, status]| (reason, status)),
            false => (argument, 0),
        };
        let status = if reason == APPLICATION_EXIT { (status as u32).cast_signed() } else { 1 };
        // Nobody is left to be told; the launcher looks at the failure itself.
        let _ = self.flush();
        LinuxResult::Exit(status)
    }

    /// SYS_OPEN: name, mode as an index of fopen's, length of the name.
    fn semihost_open(&mut self, guest: &Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [address, mode, length] = block(guest, argument)?;
        let path = text(guest, address, length)?;
        let flags = open_flags(mode)?;
        self.descriptors.free_number()?;
        let number = if path == CONSOLE {
            let stream = match mode / 4 {
                0 => Descriptor::Input,
                1 => Descriptor::Output,
                _ => Descriptor::Errors,
            };
            self.descriptors.insert_descriptor(stream)?
        } else if path == FEATURES {
            if mode > 1 {
                return Err(Errno::ACCES);
            }
            self.descriptors.insert_descriptor(Descriptor::Constant { bytes: &FEATURE_BYTES, position: 0 })?
        } else {
            let how = OpenFlags::decode(flags, 0o644)?;
            let root = self.root.as_ref().ok_or(if how.creates() { Errno::ACCES } else { Errno::NOENT })?;
            if is_absolute(&path) {
                return Err(Errno::ACCES);
            }
            let opened = root.open_path(&path, how)?;
            self.descriptors.insert(opened, how)?
        };
        Ok(number + 1)
    }

    /// SYS_WRITEC and SYS_WRITE0: a text to the console.
    fn write_text(&mut self, guest: &Guest<'_>, address: u64, size: Option<u64>) -> Result<i64, Errno> {
        let mut done = 0;
        let limit = size.unwrap_or(TEXT_LIMIT);
        while done < limit {
            let count = (limit - done).min(CHUNK_BYTES as u64);
            let mut bytes = vec![0; usize::try_from(count).map_err(|_| Errno::INVAL)?];
            let mapped = guest.read_prefix(address.saturating_add(done), &mut bytes);
            if mapped == 0 {
                return Err(Errno::FAULT);
            }
            let bytes = &bytes[..mapped];
            let end = if size.is_none() { bytes.iter().position(|byte| *byte == 0) } else { None };
            self.output.write(&bytes[..end.unwrap_or(mapped)])?;
            if end.is_some() {
                break;
            }
            done += mapped as u64;
        }
        Ok(0)
    }

    /// SYS_WRITE and SYS_READ: handle, buffer, length; the result is how much was *not* moved.
    fn semihost_transfer(
        &mut self,
        guest: &mut Guest<'_>,
        direction: Direction,
        argument: u64,
    ) -> Result<i64, Errno> {
        let [handle, address, length] = block(guest, argument)?;
        let moved = match self.descriptors.get(descriptor(handle)?)? {
            Descriptor::Constant { bytes, position } if direction == Direction::Read => {
                let rest = bytes.get(*position..).unwrap_or_default();
                let count = rest.len().min(usize::try_from(length).unwrap_or(usize::MAX));
                guest.write(address, &rest[..count])?;
                *position += count;
                count as u64
            }
            _ => {
                let moved = self.transfer(guest, direction, descriptor(handle)?, (address, length))?;
                u64::try_from(moved).map_err(|_| Errno::IO)?
            }
        };
        whole(u128::from(length.saturating_sub(moved)), guest.abi)
    }

    /// SYS_ISTTY
    fn is_console(&mut self, guest: &Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [handle] = block(guest, argument)?;
        let found = self.descriptors.get(descriptor(handle)?)?;
        Ok(i64::from(matches!(found, Descriptor::Input | Descriptor::Output | Descriptor::Errors)))
    }

    /// SYS_SEEK: handle and position from the beginning.
    fn semihost_seek(&mut self, guest: &Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [handle, to] = block(guest, argument)?;
        match self.descriptors.get(descriptor(handle)?)? {
            Descriptor::File(OpenFile { file, .. }) => {
                file.seek(SeekFrom::Start(to)).map_err(|error| Errno::of(&error))?;
            }
            Descriptor::Constant { bytes, position } => {
                *position = usize::try_from(to).map_err(|_| Errno::INVAL)?.min(bytes.len());
            }
            _ => return Err(Errno::SPIPE),
        }
        Ok(0)
    }

    /// SYS_FLEN
    fn file_length(&mut self, guest: &Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [handle] = block(guest, argument)?;
        let length = match self.descriptors.get(descriptor(handle)?)? {
            Descriptor::File(open) => open.file.metadata().map_err(|error| Errno::of(&error))?.len(),
            Descriptor::Constant { bytes, .. } => bytes.len() as u64,
            _ => return Err(Errno::SPIPE),
        };
        whole(length.into(), guest.abi)
    }

    /// SYS_REMOVE: name and its length.
    fn semihost_remove(&mut self, guest: &Guest<'_>, argument: u64) -> Result<(), Errno> {
        let [address, length] = block(guest, argument)?;
        let path = text(guest, address, length)?;
        self.root.as_ref().ok_or(Errno::NOENT)?.remove_file(&path)
    }

    /// SYS_RENAME: both names, each with its length.
    fn semihost_rename(&mut self, guest: &Guest<'_>, argument: u64) -> Result<(), Errno> {
        let [from, from_length, to, to_length] = block(guest, argument)?;
        let (from, to) = (text(guest, from, from_length)?, text(guest, to, to_length)?);
        self.root.as_ref().ok_or(Errno::NOENT)?.rename(&from, &to)
    }

    /// SYS_GET_CMDLINE: a buffer and its size, which becomes the length of the text in it.
    fn command_line(&mut self, guest: &mut Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [buffer, size] = block(guest, argument)?;
        let line = self.arguments.join(" ");
        let length = line.len() as u64;
        if size <= length {
            return Err(Errno::INVAL);
        }
        let mut bytes = line.into_bytes();
        bytes.push(0);
        guest.write(buffer, &bytes)?;
        let mut word = Vec::new();
        guest.abi.put_word(&mut word, length);
        guest.write(argument.wrapping_add(guest.abi.word_bytes() as u64), &word)?;
        Ok(0)
    }

    /// SYS_HEAPINFO: the address of a block of four words, which become the heap's and the
    /// stack's base and limit; 0 where nothing is known.
    fn heap_info(&mut self, guest: &mut Guest<'_>, argument: u64) -> Result<i64, Errno> {
        let [address] = block(guest, argument)?;
        let mut bytes = Vec::new();
        let (start, limit) = self.heap.bounds();
        for word in [start, limit, 0, 0] {
            guest.abi.put_word(&mut bytes, word);
        }
        guest.write(address, &bytes).map(|()| 0)
    }
}

/// The words of a block.
fn block<const N: usize>(guest: &Guest<'_>, address: u64) -> Result<[u64; N], Errno> {
    let size = guest.abi.word_bytes();
    let mut bytes = vec![0; N * size];
    guest.read(address, &mut bytes)?;
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(size)) {
        *word = guest.abi.get(bytes);
    }
    Ok(words)
}

/// A text of a stated length.
fn text(guest: &Guest<'_>, address: u64, length: u64) -> Result<Vec<u8>, Errno> {
    if length >= PATH_LIMIT {
        return Err(Errno::NAMETOOLONG);
    }
    if length == 0 {
        return Err(Errno::NOENT);
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| Errno::NAMETOOLONG)?];
    guest.read(address, &mut bytes)?;
    if bytes.contains(&0) { Err(Errno::INVAL) } else { Ok(bytes) }
}

/// The descriptor that a handle names.
fn descriptor(handle: u64) -> Result<u64, Errno> {
    match handle & 0xffff_ffff {
        0 => Err(Errno::BADF),
        handle => Ok(handle - 1),
    }
}

/// The flags of `openat` for a mode: r, rb, r+, r+b, w, wb, w+, w+b, a, ab, a+, a+b.
fn open_flags(mode: u64) -> Result<u64, Errno> {
    const CREATE: u64 = 0o100;
    const TRUNCATE: u64 = 0o1000;
    const APPEND: u64 = 0o2000;
    let access = |only: u64| if mode / 2 % 2 == 1 { 2 } else { only };
    match mode / 4 {
        0 => Ok(access(0)),
        1 => Ok(access(1) | CREATE | TRUNCATE),
        2 => Ok(access(1) | CREATE | APPEND),
        _ => Err(Errno::INVAL),
    }
}

/// A number as a result; one that the guest's words do not hold as a positive one is none.
fn whole(value: u128, abi: Abi) -> Result<i64, Errno> {
    let largest = abi.last_address() / 2;
    match u64::try_from(value) {
        Ok(value) if value <= largest => i64::try_from(value).map_err(|_| Errno::OVERFLOW),
        _ => Err(Errno::OVERFLOW),
    }
}

/// 0, or the error's number, which SYS_ERRNO then gives too.
fn code(result: Result<(), Errno>, errno: &mut i64) -> i64 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            *errno = -error.result();
            *errno
        }
    }
}

/// SYS_TMPNAM: a buffer, a number from 0 to 255, the buffer's size; one name for each number.
fn temporary_name(guest: &mut Guest<'_>, argument: u64) -> Result<i64, Errno> {
    let [buffer, number, size] = block(guest, argument)?;
    let name = format!("tmp{number:03}");
    if number > 255 || size <= name.len() as u64 {
        return Err(Errno::INVAL);
    }
    let mut bytes = name.into_bytes();
    bytes.push(0);
    guest.write(buffer, &bytes).map(|()| 0)
}
