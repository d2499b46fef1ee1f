//! What can be wrong with a program image.

use std::fmt;

use crate::image::elf_machine::ElfMachine;
use crate::image::record_error::RecordProblem;

/// Why a program cannot be loaded.
///
/// `segment` is the number of the program header, or for a raw file 0; addresses are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// The file has no bytes.
    Empty,
    /// The file does not begin like ELF.
    NotElf,
    /// A part of the file lies beyond its end.
    Truncated {
        /// Which part.
        part: &'static str,
        /// The number of the part, where there are several.
        segment: Option<u32>,
        /// Offset of its first byte.
        offset: u64,
        /// Its size in bytes.
        size: u64,
        /// Size of the file in bytes.
        file_size: u64,
    },
    /// A byte of ELF's identification, or a size in its header, has no meaning.
    BadHeader {
        /// Which field.
        field: &'static str,
        /// Where it stands in the file.
        offset: u64,
        /// What it holds.
        value: u64,
        /// What it may hold.
        expected: &'static str,
    },
    /// The file is for another class.
    WrongClass {
        /// The file's, in bits.
        found: u32,
        /// The model's, in bits.
        expected: u32,
    },
    /// The file has another byte order.
    WrongByteOrder {
        /// The file is big-endian, the model is little-endian; else the other way round.
        found_big: bool,
    },
    /// The file is for another processor.
    WrongMachine {
        /// The file's number.
        found: u16,
        /// The model's number.
        expected: u16,
    },
    /// The file is ELF, but no executable.
    WrongType {
        /// ELF's number of the type.
        found: u16,
    },
    /// The program needs a dynamic linker.
    Interpreter {
        /// The program header that says so.
        segment: u32,
    },
    /// There is nothing to load.
    NoSegments,
    /// A segment has more bytes in the file than in memory.
    FileSizeAboveMemorySize {
        /// Its number.
        segment: u32,
        /// Bytes in the file.
        file_size: u64,
        /// Bytes in memory.
        memory_size: u64,
    },
    /// A segment reaches beyond the address space.
    AddressOverflow {
        /// Its number.
        segment: u32,
        /// Its address.
        address: u64,
        /// Its size in bytes.
        size: u64,
        /// Width of an address.
        address_bits: u32,
    },
    /// Two segments are to stand at one place.
    Overlap {
        /// Number of the one with the lower address.
        first: u32,
        /// Number of the other.
        second: u32,
        /// The first address that both want.
        address: u64,
    },
    /// The segments together have more bytes in the file than the file has.
    SharedContents {
        /// Sum of their sizes in the file.
        claimed: u64,
        /// Size of the file in bytes.
        file_size: u64,
    },
    /// The first instruction is in no segment.
    EntryOutside {
        /// Its address.
        entry: u64,
    },
    /// A raw file does not fit below 2^64.
    RawTooHigh {
        /// Where it was to stand.
        address: u64,
        /// Its size in bytes.
        size: u64,
    },
    /// A file of records is wrong.
    Record {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: RecordProblem,
    },
    /// A segment is to stand where the model has no memory.
    OutsideMap {
        /// Address of its first byte.
        first: u64,
        /// Address of its last byte.
        last: u64,
        /// The first of its addresses without memory.
        address: u64,
        /// That address holds none of the file's bytes but zeros that the segment ends with.
        zeros: bool,
    },
    /// A segment begins inside the addresses of a LOAD of the model and ends outside.
    AcrossLoad {
        /// Address of its first byte.
        first: u64,
        /// Address of its last byte.
        last: u64,
        /// First address of the LOAD.
        low: u64,
        /// Last address of the LOAD.
        high: u64,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty
            | Self::NotElf
            | Self::Truncated { .. }
            | Self::BadHeader { .. }
            | Self::WrongType { .. }
            | Self::Interpreter { .. }
            | Self::NoSegments => self.describe_file(f),
            Self::WrongClass { .. } | Self::WrongByteOrder { .. } | Self::WrongMachine { .. } => {
                self.describe_mismatch(f)
            }
            Self::Record { line, problem } => write!(f, "line {line}: {problem}"),
            _ => self.describe_segment(f),
        }
    }
}

impl ImageError {
    /// Messages about the file as a whole.
    fn describe_file(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => write!(f, "the file is empty; build the program again"),
            Self::NotElf => write!(
                f,
                "the file does not begin with ELF's four bytes 7f 45 4c 46; load it as raw bytes \
                 or give the linker's output"
            ),
            Self::Truncated { part, segment, offset, size, file_size } => {
                write!(f, "the file is cut off: {part}")?;
                if let Some(segment) = segment {
                    write!(f, " of segment {segment}")?;
                }
                write!(
                    f,
                    " would take {size} bytes from offset {offset:#x} on, but the file has {file_size}; \
                     copy or build it again"
                )
            }
            Self::BadHeader { field, offset, value, expected } => write!(
                f,
                "{field} at offset {offset:#x} is {value}, expected {expected}; the file is \
                 damaged, build it again"
            ),
            Self::WrongType { found: 1 } => {
                write!(f, "ELF is a relocatable object file, expected an executable; link it first")
            }
            Self::WrongType { found: 3 } => write!(
                f,
                "ELF is position-independent (ET_DYN), expected an executable for fixed addresses; \
                 link with -static -no-pie"
            ),
            Self::WrongType { found: 4 } => {
                write!(f, "ELF is a core dump, expected an executable; give the program itself")
            }
            Self::WrongType { found } => {
                write!(f, "ELF is of type {found}, expected an executable (2); link it again")
            }
            Self::Interpreter { segment } => write!(
                f,
                "ELF asks for a dynamic linker (PT_INTERP, segment {segment}), which no guest has; \
                 link with -static"
            ),
            _ => write!(
                f,
                "ELF has no segment to load (PT_LOAD); link the program with a linker script or \
                 the linker's default one"
            ),
        }
    }

    /// Messages about a file for another processor.
    fn describe_mismatch(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::WrongClass { found, expected } => write!(
                f,
                "ELF is of class {found} bits, this model expects {expected} bits; compile the \
                 program for {expected} bits"
            ),
            Self::WrongByteOrder { found_big } => {
                let name = |big| if big { "big-endian" } else { "little-endian" };
                let (found, expected) = (name(found_big), name(!found_big));
                write!(
                    f,
                    "ELF is {found}, this model expects {expected}; compile the program for the \
                     other byte order"
                )
            }
            Self::WrongMachine { found, expected } => write!(
                f,
                "ELF is for machine {}, this model expects {}; compile the program for that \
                 processor or take another model",
                ElfMachine(found),
                ElfMachine(expected)
            ),
            _ => Ok(()),
        }
    }

    /// Messages about what a segment wants of memory.
    fn describe_segment(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FileSizeAboveMemorySize { segment, file_size, memory_size } => write!(
                f,
                "segment {segment} has {file_size} bytes in the file but only {memory_size} in \
                 memory; the file is damaged, build it again"
            ),
            Self::AddressOverflow { segment, address, size, address_bits } => write!(
                f,
                "segment {segment} of {size} bytes at {address:#x} reaches beyond the last \
                 {address_bits}-bit address; correct the addresses in the linker script"
            ),
            Self::Overlap { first, second, address } => write!(
                f,
                "segments {first} and {second} both want the byte at {address:#x}; correct the \
                 addresses in the linker script"
            ),
            Self::SharedContents { claimed, file_size } => write!(
                f,
                "the segments have {claimed} bytes in a file of {file_size}; the file is damaged, \
                 build it again"
            ),
            Self::EntryOutside { entry } => write!(
                f,
                "the entry address {entry:#x} is in no segment; give the linker an entry symbol \
                 that the program defines"
            ),
            Self::RawTooHigh { address, size } => write!(
                f,
                "{size} raw bytes from {address:#x} on reach beyond the last 64-bit address; load \
                 them lower"
            ),
            Self::OutsideMap { first, last, address, zeros } => {
                let what = if zeros { " (there for zeros)" } else { "" };
                write!(
                    f,
                    "the segment {first:#x} to {last:#x} does not fit into the model's memory: \
                     no memory is at {address:#x}{what}; link the program to where memory is or give \
                     the model a RANGE there"
                )
            }
            Self::AcrossLoad { first, last, low, high } => write!(
                f,
                "the segment {first:#x} to {last:#x} lies partly in the LOAD {low:#x} to \
                 {high:#x}; link each of its parts into a segment of its own"
            ),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ImageError {}
