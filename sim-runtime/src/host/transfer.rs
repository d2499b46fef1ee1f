//! `read`, `write` and their vectored forms.
//!
//! As on Linux, a transfer that fails after some bytes went well returns how many did.

use std::io::{self, Read, Write};

use crate::host::Host;
use crate::host::descriptor::Descriptor;
use crate::host::errno::Errno;
use crate::host::guest::{CHUNK_BYTES, Guest};

/// Most bytes that one call moves: Linux's MAX_RW_COUNT.
const TRANSFER_LIMIT: u64 = 0x7fff_f000;

/// Most pieces of a vectored transfer: Linux's UIO_MAXIOV.
const PIECE_LIMIT: u64 = 1024;

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From a file to the guest.
    Read,
    /// From the guest to a file.
    Write,
}

/// Memory of the guest that takes part in a transfer.
#[derive(Debug, Clone, Copy)]
struct Piece {
    address: u64,
    length: u64,
}

impl Host {
    /// `read` and `write`.
    pub(super) fn transfer(
        &mut self,
        guest: &mut Guest<'_>,
        direction: Direction,
        descriptor: u64,
        piece: (u64, u64),
    ) -> Result<i64, Errno> {
        self.check_direction(direction, descriptor)?;
        let (address, length) = piece;
        check_piece(guest, Piece { address, length })?;
        self.transfer_pieces(guest, direction, descriptor, &[Piece { address, length }])
    }

    /// `readv` and `writev`: `vector` is the address of `count` pairs of address and length.
    pub(super) fn transfer_vector(
        &mut self,
        guest: &mut Guest<'_>,
        direction: Direction,
        descriptor: u64,
        vector: (u64, u64),
    ) -> Result<i64, Errno> {
        self.check_direction(direction, descriptor)?;
        let pieces = read_pieces(guest, vector)?;
        self.transfer_pieces(guest, direction, descriptor, &pieces)
    }

    fn check_direction(&mut self, direction: Direction, descriptor: u64) -> Result<(), Errno> {
        let reading = direction == Direction::Read;
        let allowed = match self.descriptors.get(descriptor)? {
            Descriptor::Input => reading,
            Descriptor::Output | Descriptor::Errors => !reading,
            Descriptor::File(open) => {
                if reading {
                    open.readable
                } else {
                    open.writable
                }
            }
            Descriptor::Directory(_) if reading => return Err(Errno::ISDIR),
            Descriptor::Directory(_) | Descriptor::Constant { .. } => false,
        };
        if allowed { Ok(()) } else { Err(Errno::BADF) }
    }

    fn transfer_pieces(
        &mut self,
        guest: &mut Guest<'_>,
        direction: Direction,
        descriptor: u64,
        pieces: &[Piece],
    ) -> Result<i64, Errno> {
        let mut done = 0_u64;
        for piece in pieces {
            let wanted = piece.length.min(TRANSFER_LIMIT - done);
            let mut moved = 0;
            while moved < wanted {
                let address = piece.address.saturating_add(moved);
                let size = (wanted - moved).min(CHUNK_BYTES as u64);
                let result = match direction {
                    Direction::Read => self.read_chunk(guest, descriptor, address, size),
                    Direction::Write => self.write_chunk(guest, descriptor, address, size),
                };
                let count = match result {
                    Err(error) if done == 0 => return Err(error),
                    Err(_) => 0,
                    Ok(count) => count,
                };
                moved += count;
                done += count;
                if count < size {
                    return i64::try_from(done).map_err(|_| Errno::INVAL);
                }
            }
        }
        i64::try_from(done).map_err(|_| Errno::INVAL)
    }

    /// Reads at most `size` bytes, which is at most a chunk, to guest memory.
    fn read_chunk(
        &mut self,
        guest: &mut Guest<'_>,
        descriptor: u64,
        address: u64,
        size: u64,
    ) -> Result<u64, Errno> {
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| Errno::INVAL)?];
        // Input must not be taken and then find no place.
        let mapped = guest.read_prefix(address, &mut bytes);
        if mapped == 0 {
            return Err(Errno::FAULT);
        }
        let count = match self.descriptors.get(descriptor)? {
            Descriptor::Input => {
                // What the guest has written may be the question that the input answers.
                let _ = self.output.flush();
                self.input.read(&mut bytes[..mapped])
            }
            Descriptor::File(open) => read_file(&mut open.file, &mut bytes[..mapped]),
            _ => return Err(Errno::BADF),
        };
        let count = count.map_err(|error| Errno::of(&error))?.min(mapped);
        guest.write(address, &bytes[..count])?;
        Ok(count as u64)
    }

    /// Writes at most `size` bytes, which is at most a chunk, from guest memory.
    fn write_chunk(
        &mut self,
        guest: &mut Guest<'_>,
        descriptor: u64,
        address: u64,
        size: u64,
    ) -> Result<u64, Errno> {
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| Errno::INVAL)?];
        let mapped = guest.read_prefix(address, &mut bytes);
        if mapped == 0 {
            return Err(Errno::FAULT);
        }
        let bytes = &bytes[..mapped];
        match self.descriptors.get(descriptor)? {
            Descriptor::Output => self.output.write(bytes).map(|()| mapped as u64),
            Descriptor::Errors => self.write_errors(bytes).map(|()| mapped as u64),
            Descriptor::File(open) => match open.file.write(bytes) {
                Ok(count) => Ok(count as u64),
                Err(error) => Err(Errno::of(&error)),
            },
            _ => Err(Errno::BADF),
        }
    }
}

/// Reads until the buffer is full or the file ends, as Linux does with regular files.
fn read_file(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if filled == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(filled)
}

/// Refuses memory that wraps around the end of the address space.
fn check_piece(guest: &Guest<'_>, piece: Piece) -> Result<(), Errno> {
    let last = guest.abi.last_address();
    let fits =
        piece.length == 0 || piece.address.checked_add(piece.length - 1).is_some_and(|end| end <= last);
    if fits { Ok(()) } else { Err(Errno::FAULT) }
}

fn read_pieces(guest: &Guest<'_>, vector: (u64, u64)) -> Result<Vec<Piece>, Errno> {
    let (address, count) = vector;
    if count > PIECE_LIMIT {
        return Err(Errno::INVAL);
    }
    let word = guest.abi.word_bytes();
    let count = usize::try_from(count).map_err(|_| Errno::INVAL)?;
    let mut bytes = vec![0; count * 2 * word];
    guest.read(address, &mut bytes)?;
    let mut pieces = Vec::with_capacity(count);
    for pair in bytes.chunks_exact(2 * word) {
        let piece = Piece { address: guest.abi.get(&pair[..word]), length: guest.abi.get(&pair[word..]) };
        // A length is a signed word that must not be negative.
        if piece.length > guest.abi.last_address() / 2 {
            return Err(Errno::INVAL);
        }
        check_piece(guest, piece)?;
        pieces.push(piece);
    }
    Ok(pieces)
}
