//! Motorola S-records (M68000 Family Programmer's Reference Manual, appendix C).
//!
//! `S`, a digit for the type, the number of bytes that follow, an address of 2 to 4 bytes, data,
//! checksum: the sum of all bytes behind the type is 255 modulo 256. S0 is a header, S1 to S3 are
//! data, S5 and S6 count them, S7 to S9 end the file with the first instruction's address.

use std::ops::Range;

use crate::image::record::{Meaning, RecordFormat, number};
use crate::image::record_error::RecordProblem;

/// Type and number of bytes.
const HEAD_BYTES: usize = 2;

/// The format's reader; no record says anything about others.
pub(super) struct SRecords;

impl SRecords {
    /// What a record means, and where in it its data are; byte 0 is the type.
    pub(super) fn read(record: &[u8]) -> Result<(Meaning, Range<usize>), RecordProblem> {
        let expected = HEAD_BYTES + record.get(1).map_or(0, |length| usize::from(*length));
        if record.len() != expected {
            let (found, expected) = (record.len() as u64, expected as u64);
            return Err(RecordProblem::WrongLength { found, expected });
        }
        let kind = record[0];
        let (address_bytes, has_data) = match kind {
            0 => (2, true),
            1..=3 => (usize::from(kind) + 1, true),
            5 | 6 => (usize::from(kind) - 3, false),
            7..=9 => (11 - usize::from(kind), false),
            _ => return Err(RecordProblem::UnknownType { format: RecordFormat::SRecord, found: kind }),
        };
        let least = HEAD_BYTES + address_bytes + 1;
        if expected < least || !has_data && expected != least {
            let (found, expected) = ((expected - HEAD_BYTES) as u64, (least - HEAD_BYTES) as u64);
            return Err(RecordProblem::WrongSize { format: RecordFormat::SRecord, kind, found, expected });
        }
        let (found, covered) = (record[expected - 1], &record[1..expected - 1]);
        let sum = !covered.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        if sum != found {
            return Err(RecordProblem::WrongChecksum { found, expected: sum });
        }
        let data = HEAD_BYTES + address_bytes..expected - 1;
        let value = number(&record[HEAD_BYTES..data.start]);
        let meaning = match kind {
            0 => Meaning::Nothing,
            1..=3 => locate(value, data.len() as u64, 8 * u32::from(kind + 1))?,
            5 | 6 => Meaning::Count { records: value },
            _ => Meaning::End { start: Some(value) },
        };
        Ok((meaning, data))
    }
}

fn locate(address: u64, size: u64, address_bits: u32) -> Result<Meaning, RecordProblem> {
    if address + size > 1 << address_bits {
        return Err(RecordProblem::BeyondEnd { address, size, address_bits });
    }
    Ok(Meaning::Data { address })
}
