//! Intel HEX ("Hexadecimal Object File Format Specification", revision A, 1988).
//!
//! `:` length, address (16 bits), type, data, checksum: the sum of all bytes is 0 modulo 256. Types
//! 02 and 04 give the base of the addresses that follow, 03 and 05 the first instruction. Some old
//! assemblers have no start record and put the address into the end record instead.

use std::ops::Range;

use crate::image::record::{Meaning, RecordFormat, number};
use crate::image::record_error::RecordProblem;

/// Length, address, type, checksum.
const OVERHEAD_BYTES: usize = 5;
/// Where the data begin.
const DATA: usize = 4;

/// What the records so far say about those that follow.
#[derive(Debug, Default)]
pub(super) struct IntelHex {
    base: Base,
}

/// What an address is added to.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// The upper 16 of 32 bits.
    Linear(u64),
    /// A paragraph's address; the data lie within its 64 KiB.
    Segment(u64),
}

impl Default for Base {
    fn default() -> Self {
        Self::Linear(0)
    }
}

impl IntelHex {
    /// What a record means, and where in it its data are.
    pub(super) fn read(&mut self, record: &[u8]) -> Result<(Meaning, Range<usize>), RecordProblem> {
        let expected = OVERHEAD_BYTES + record.first().map_or(0, |length| usize::from(*length));
        if record.len() != expected {
            let (found, expected) = (record.len() as u64, expected as u64);
            return Err(RecordProblem::WrongLength { found, expected });
        }
        let (found, covered) = (record[expected - 1], &record[..expected - 1]);
        let sum = covered.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)).wrapping_neg();
        if sum != found {
            return Err(RecordProblem::WrongChecksum { found, expected: sum });
        }
        let data = DATA..expected - 1;
        let address = number(&record[1..3]);
        let meaning = self.interpret(record[3], address, &record[data.clone()])?;
        Ok((meaning, data))
    }

    fn interpret(&mut self, kind: u8, address: u64, data: &[u8]) -> Result<Meaning, RecordProblem> {
        let expected = match kind {
            0 => data.len(),
            1 => 0,
            2 | 4 => 2,
            3 | 5 => 4,
            _ => return Err(RecordProblem::UnknownType { format: RecordFormat::IntelHex, found: kind }),
        };
        if data.len() != expected {
            let (found, expected) = (data.len() as u64, expected as u64);
            return Err(RecordProblem::WrongSize { format: RecordFormat::IntelHex, kind, found, expected });
        }
        match kind {
            0 => self.locate(address, data.len() as u64),
            1 => Ok(Meaning::End { start: (address != 0).then_some(address) }),
            2 => {
                self.base = Base::Segment(number(data) << 4);
                Ok(Meaning::Nothing)
            }
            3 => Ok(Meaning::Start { address: (number(&data[..2]) << 4) + number(&data[2..]) }),
            4 => {
                self.base = Base::Linear(number(data) << 16);
                Ok(Meaning::Nothing)
            }
            _ => Ok(Meaning::Start { address: number(data) }),
        }
    }

    /// The specification lets addresses begin anew at the end of a segment or of 32 bits; tools
    /// do not agree, and nobody means it.
    fn locate(&self, address: u64, size: u64) -> Result<Meaning, RecordProblem> {
        let (base, space, space_bits) = match self.base {
            Base::Linear(base) => (base, base + address, 32),
            Base::Segment(base) => (base, address, 16),
        };
        if space + size > 1 << space_bits {
            return Err(RecordProblem::BeyondEnd { address: base + address, size, address_bits: space_bits });
        }
        Ok(Meaning::Data { address: base + address })
    }
}
