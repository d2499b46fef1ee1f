//! What can be wrong with a file of records.

use std::fmt;

use crate::image::record::RecordFormat;

/// Why a record, or a file of them, means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordProblem {
    /// The line does not begin like a record.
    NoMark {
        /// What it should be.
        format: RecordFormat,
    },
    /// A character is no hexadecimal digit.
    NotHexadecimal {
        /// Its byte in the record, from 1.
        column: u64,
        /// What it is.
        found: u8,
    },
    /// Half a byte is left over.
    OddDigits,
    /// No record is so long.
    TooLong {
        /// Its digits.
        digits: u64,
    },
    /// The record is not as long as its length field says.
    WrongLength {
        /// Its bytes.
        found: u64,
        /// What they should be.
        expected: u64,
    },
    /// The checksum is another.
    WrongChecksum {
        /// The record's.
        found: u8,
        /// That of its bytes.
        expected: u8,
    },
    /// No such type.
    UnknownType {
        /// The format.
        format: RecordFormat,
        /// The type.
        found: u8,
    },
    /// A record of this type has another number of bytes.
    WrongSize {
        /// The format.
        format: RecordFormat,
        /// The type.
        kind: u8,
        /// What its length field says.
        found: u64,
        /// What it has to say, at least if the type has data.
        expected: u64,
    },
    /// The data reach beyond what the record can address.
    BeyondEnd {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        size: u64,
        /// Width of the addresses; 16 also for a segment.
        address_bits: u32,
    },
    /// Two records have data for one address.
    Overlap {
        /// Line of the other.
        first: u64,
        /// The address.
        address: u64,
    },
    /// A second start address.
    SecondStart {
        /// Line of the first.
        first: u64,
    },
    /// The start address is where no data are.
    StartOutside {
        /// The address.
        address: u64,
    },
    /// A record counts other records of data than there are.
    WrongCount {
        /// How many there are before it.
        found: u64,
        /// How many it counts.
        expected: u64,
    },
    /// A record behind the one that ends the file.
    AfterEnd {
        /// Line of the end.
        end: u64,
    },
    /// Nothing ends the file.
    NoEnd {
        /// The format.
        format: RecordFormat,
    },
    /// There is nothing to load.
    NoData,
    /// The data are too scattered.
    TooManyPieces {
        /// How many may be.
        most: u64,
    },
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { .. }
            | Self::SecondStart { .. }
            | Self::StartOutside { .. }
            | Self::WrongCount { .. }
            | Self::AfterEnd { .. }
            | Self::NoEnd { .. }
            | Self::NoData
            | Self::TooManyPieces { .. } => self.describe_file(f),
            _ => self.describe_record(f),
        }
    }
}

impl RecordProblem {
    /// Messages about one record.
    fn describe_record(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMark { format } => write!(
                f,
                "this is no {format}, which begins with `{}`; remove the line or make it a comment \
                 by a `;` before it",
                char::from(format.mark())
            ),
            Self::NotHexadecimal { column, found } => write!(
                f,
                "character {column} of the record is `{}`, expected a hexadecimal digit; correct it, \
                 or write a `;` before a comment",
                found.escape_ascii()
            ),
            Self::OddDigits => {
                write!(f, "half a byte is left over; each byte is two digits, so one is missing or too many")
            }
            Self::TooLong { digits } => write!(
                f,
                "the record has {digits} digits, more than its length field can count; is a line break \
                 missing?"
            ),
            Self::WrongLength { found, expected } if found < expected => write!(
                f,
                "the record is cut off: its bytes with all fields are {found}, but by its length field \
                 {expected}; copy or build the file again"
            ),
            Self::WrongLength { found, expected } => write!(
                f,
                "the record is too long: its bytes with all fields are {found}, but by its length field \
                 {expected}; correct the length or remove the rest"
            ),
            Self::WrongChecksum { found, expected } => write!(
                f,
                "the checksum is {found:02X}, but that of these bytes is {expected:02X}; the file is \
                 damaged, copy or build it again, or, if you have changed the record, end it with \
                 {expected:02X}"
            ),
            Self::UnknownType { format: RecordFormat::IntelHex, found } => write!(
                f,
                "no Intel HEX record is of type {found:02X}, expected 00 to 05; convert the file to plain \
                 Intel HEX, say with objcopy -O ihex"
            ),
            Self::UnknownType { found, .. } => write!(
                f,
                "no S-record is of type S{found:X}, expected S0 to S3 or S5 to S9; convert the file to \
                 plain S-records, say with objcopy -O srec"
            ),
            Self::WrongSize { format: RecordFormat::IntelHex, kind, found, expected } => write!(
                f,
                "a record of type {kind:02X} has {expected} bytes of data, but this one has {found}; the \
                 file is damaged, build it again"
            ),
            Self::WrongSize { kind, found, expected, .. } => write!(
                f,
                "the length of an S{kind} record is {}{expected}, but that of this one is {found}; the file \
                 is damaged, build it again",
                if kind < 4 { "at least " } else { "" }
            ),
            Self::BeyondEnd { address, size, address_bits } => write!(
                f,
                "the record's {size} bytes from {address:#x} on reach beyond the last address of the \
                 record's {address_bits} bits; divide it there, or use records with wider addresses"
            ),
            _ => Ok(()),
        }
    }

    /// Messages about records together.
    fn describe_file(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { first, address } => write!(
                f,
                "the record has data for address {address:#x}, but so has line {first}; keep one of \
                 them"
            ),
            Self::SecondStart { first } => {
                write!(f, "a second start address, the first is in line {first}; keep one of them")
            }
            Self::StartOutside { address } => write!(
                f,
                "the start address {address:#x} is where the file has no data; give the linker an \
                 entry symbol that the program defines"
            ),
            Self::WrongCount { found, expected } => write!(
                f,
                "by this record the number of data records before it is {expected}, but it is {found}; \
                 lines are missing or doubled, copy or build the file again"
            ),
            Self::AfterEnd { end } => write!(
                f,
                "a record behind the end, which is in line {end}; if files were joined, remove the end \
                 records but the last"
            ),
            Self::NoEnd { format } => write!(
                f,
                "the file is cut off: behind this line no record ends it; copy or build it again, or, if \
                 it is whole, add the line {}",
                match format {
                    RecordFormat::IntelHex => ":00000001FF",
                    RecordFormat::SRecord => "S9030000FC",
                }
            ),
            Self::NoData => write!(f, "the file ends without any data; build the program again"),
            Self::TooManyPieces { most } => write!(
                f,
                "the data before this line are in more than {most} pieces that are not contiguous; sort \
                 the file by address"
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IntelHex => "record of Intel HEX",
            Self::SRecord => "S-record",
        })
    }
}
