//! Intel HEX (Intel, "Hexadecimal Object File Format Specification", revision A, 1988).

use std::fmt::Write as _;

use super::OutputError;
use crate::assembler::Assembled;

/// Bytes of a data record.
const RECORD_BYTES: usize = 16;

const DATA: u8 = 0;
const END: u8 = 1;
const EXTENDED_LINEAR_ADDRESS: u8 = 4;
const START_LINEAR_ADDRESS: u8 = 5;

/// The records; sections that are zero at first are left out.
///
/// # Errors
/// Nothing to write, or an address above 32 bits.
pub fn write_intel_hex(program: &Assembled) -> Result<Vec<u8>, OutputError> {
    let mut text = String::new();
    // Without a record for them, upper halves of addresses are 0.
    let mut upper = 0;
    let mut is_empty = true;
    for piece in program.pieces.iter().filter(|piece| !piece.bytes.is_empty()) {
        is_empty = false;
        let mut address = piece.address.saturating_mul(program.cell_bytes);
        let mut rest = &piece.bytes[..];
        while !rest.is_empty() {
            let byte = u32::try_from(address).map_err(|_| OutputError::Address(address))?;
            let [high, low] = [(byte >> 16) as u16, byte as u16];
            if high != upper {
                record(&mut text, 0, EXTENDED_LINEAR_ADDRESS, &high.to_be_bytes());
                upper = high;
            }
            // A record does not go on from one 64 KiB to the next.
            let until_boundary = 0x1_0000 - usize::from(low);
            let (bytes, behind) = rest.split_at(rest.len().min(RECORD_BYTES).min(until_boundary));
            record(&mut text, low, DATA, bytes);
            address += bytes.len() as u64;
            rest = behind;
        }
    }
    if is_empty {
        return Err(OutputError::Empty);
    }
    let entry = program.entry.saturating_mul(program.cell_bytes);
    let entry = u32::try_from(entry).map_err(|_| OutputError::Address(entry))?;
    record(&mut text, 0, START_LINEAR_ADDRESS, &entry.to_be_bytes());
    record(&mut text, 0, END, &[]);
    Ok(text.into_bytes())
}

/// `:LLAAAATT...CC`: the sum of all bytes is 0.
fn record(text: &mut String, address: u16, kind: u8, data: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let head = [data.len() as u8, high, low, kind];
    let sum = head.iter().chain(data).fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    text.push(':');
    for byte in head.iter().chain(data).chain([&sum.wrapping_neg()]) {
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}
