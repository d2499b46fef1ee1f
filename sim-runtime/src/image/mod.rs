//! Program images: from a file's bytes to segments, and from segments to a machine's memory.
//!
//! A file may be cut off, damaged or made to harm. Nothing is believed before it is checked
//! against the file's real length, and no buffer is larger than the file.

mod digest;
mod elf;
mod elf_machine;
mod error;
mod intel_hex;
mod load;
mod record;
mod record_error;
mod s_record;

use std::fmt;

pub use error::ImageError;
pub use load::{Load, Placement, load_image, place_image};
pub use record::RecordFormat;
pub use record_error::RecordProblem;

pub(crate) use digest::Digest;

/// A program as it stands in memory before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// What is loaded, by ascending address; no two overlap.
    pub segments: Vec<Segment>,
    /// Where the running program finds its segments if that is not where they are loaded: the first
    /// and the last byte of each.
    pub found_at: Vec<(u64, u64)>,
    /// Byte address of the first instruction, if the file names one.
    pub entry: Option<u64>,
    /// The file knows bytes alone, so that a segment may be divided between maps.
    pub divisible: bool,
    /// Digest of the whole file, 32 hexadecimal digits.
    pub digest: String,
}

/// A contiguous piece of memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u64,
    /// What the file holds of it.
    pub bytes: Vec<u8>,
    /// Size in bytes, at least that of `bytes`; the rest is zero. `address + size` is at most
    /// 2^64.
    pub size: u64,
    /// How many bytes at its beginning are nothing of the program: the headers of the file, and the
    /// zeros behind them. They are left out where there is no memory for them.
    pub lead: u64,
}

impl Segment {
    /// Address of the last byte; of the first, if the segment is empty.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.address.saturating_add(self.size.saturating_sub(1))
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment")
            .field("address", &format_args!("{:#x}", self.address))
            .field("bytes", &self.bytes.len())
            .field("size", &self.size)
            .finish()
    }
}

/// How a file holds a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImageFormat {
    /// ELF or records if the file begins like one of them, else raw at address 0.
    #[default]
    Auto,
    /// A static ELF executable.
    Elf,
    /// Intel HEX or S-records.
    Records(RecordFormat),
    /// The bytes of memory themselves.
    Raw {
        /// Byte address of the first.
        address: u64,
    },
}

/// What a model can run; `None` accepts anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expected {
    /// ELF's number of the machine.
    pub machine: Option<u16>,
    /// 32 or 64: ELF's class.
    pub class: Option<u32>,
    /// Byte order: the most significant byte comes first.
    pub big_endian: Option<bool>,
    /// ELF's segments are taken from where they are stored, at their physical addresses, with the
    /// bytes that the file has of them; not from where the running program finds them.
    pub physical_addresses: bool,
}

const ELF_MAGIC: [u8; 4] = [0x7f, b'E', b'L', b'F'];

/// Reads a program from the bytes of a file.
///
/// # Errors
/// What is wrong with the file, where, and how to get a right one.
pub fn read_image(bytes: &[u8], format: ImageFormat, expected: &Expected) -> Result<Image, ImageError> {
    if bytes.is_empty() {
        return Err(ImageError::Empty);
    }
    match format {
        ImageFormat::Raw { address } => raw_image(bytes, address),
        ImageFormat::Elf => elf::read_elf(bytes, expected),
        ImageFormat::Records(format) => record::read_records(bytes, format),
        ImageFormat::Auto => {
            let format = recognise_format(bytes).unwrap_or(ImageFormat::Raw { address: 0 });
            read_image(bytes, format, expected)
        }
    }
}

/// The format that a file shows by its beginning; raw bytes show none.
#[must_use]
pub fn recognise_format(bytes: &[u8]) -> Option<ImageFormat> {
    if is_elf(bytes) {
        return Some(ImageFormat::Elf);
    }
    RecordFormat::of(bytes).map(ImageFormat::Records)
}

/// The line, counted from 1, of a text format that holds the byte at an address; `None` for others.
///
/// The file is read once more: this is for messages.
#[must_use]
pub fn line_of_address(bytes: &[u8], format: ImageFormat, address: u64) -> Option<u64> {
    match format {
        ImageFormat::Records(format) => record::line_of(bytes, format, address),
        ImageFormat::Auto | ImageFormat::Elf | ImageFormat::Raw { .. } => None,
    }
}

/// Whether a file begins like ELF, as far as it goes.
///
/// A file of fewer than four bytes that could be a piece of ELF counts as one: better to refuse
/// a tiny raw program than to run the first bytes of a broken download.
#[must_use]
pub fn is_elf(bytes: &[u8]) -> bool {
    let length = bytes.len().min(ELF_MAGIC.len());
    length > 0 && bytes[..length] == ELF_MAGIC[..length]
}

fn raw_image(bytes: &[u8], address: u64) -> Result<Image, ImageError> {
    let size = bytes.len() as u64;
    if address.checked_add(size - 1).is_none() {
        return Err(ImageError::RawTooHigh { address, size });
    }
    Ok(Image {
        segments: vec![Segment { address, bytes: bytes.to_vec(), size, lead: 0 }],
        found_at: Vec::new(),
        entry: None,
        divisible: true,
        digest: Digest::of(bytes).to_string(),
    })
}
