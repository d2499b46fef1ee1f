//! The bytes of memory themselves, from the lowest address to the highest, gaps as zeros.

use super::OutputError;
use crate::assembler::Assembled;

/// Most bytes of a raw file.
const MOST_BYTES: u64 = 1 << 30;

/// The raw bytes; sections that are zero at first are left out.
///
/// # Errors
/// Nothing to write, or addresses that lie too far apart.
pub fn write_raw(program: &Assembled) -> Result<Vec<u8>, OutputError> {
    let filled = || program.pieces.iter().filter(|piece| !piece.bytes.is_empty());
    let begin = |address: u64| address.saturating_mul(program.cell_bytes);
    let first = filled().map(|piece| begin(piece.address)).min().ok_or(OutputError::Empty)?;
    let end = |address: u64, bytes: &[u8]| begin(address).saturating_add(bytes.len() as u64);
    let last = filled().map(|piece| end(piece.address, &piece.bytes)).max().unwrap_or(first);
    if last - first > MOST_BYTES {
        return Err(OutputError::Gap { first, last: last - 1 });
    }
    let mut bytes = vec![0; (last - first) as usize];
    for piece in filled() {
        let at = (begin(piece.address) - first) as usize;
        bytes[at..at + piece.bytes.len()].copy_from_slice(&piece.bytes);
    }
    Ok(bytes)
}
