//! ELF executables (System V ABI, "Object Files"): headers through `object`, checks of our own.
//!
//! A dynamic program, a relocatable object or one for another processor is refused with its
//! remedy. All checks on sizes come before the first copy.

use object::elf::{FileHeader32, FileHeader64, PT_INTERP, PT_LOAD, ProgramHeader32, ProgramHeader64};
use object::endian::Endianness;
use object::read::elf::{FileHeader, ProgramHeader};

use crate::image::{Digest, ELF_MAGIC, Expected, Image, ImageError, Segment};

const CLASS_OFFSET: usize = 4;
const BYTE_ORDER_OFFSET: usize = 5;
const VERSION_OFFSET: usize = 6;
const IDENTIFICATION_BYTES: u64 = 16;
const TYPE_EXECUTABLE: u16 = 2;

/// Reads an ELF executable.
pub(super) fn read_elf(bytes: &[u8], expected: &Expected) -> Result<Image, ImageError> {
    let class = check_identification(bytes, expected)?;
    let physical = expected.physical_addresses;
    let parsed = if class == 32 {
        Layout { class, header: 52, program_header: size_of::<ProgramHeader32<Endianness>>(), physical }
            .read::<FileHeader32<Endianness>>(bytes, expected)?
    } else {
        Layout { class, header: 64, program_header: size_of::<ProgramHeader64<Endianness>>(), physical }
            .read::<FileHeader64<Endianness>>(bytes, expected)?
    };
    check_sums(&parsed, bytes.len() as u64)?;
    check_overlaps(&parsed.segments)?;
    check_entry(&parsed)?;
    Ok(Image {
        segments: parsed.segments.iter().map(|claim| claim.take(bytes)).collect(),
        found_at: parsed.found_at,
        entry: Some(parsed.entry),
        divisible: false,
        digest: Digest::of(bytes).to_string(),
    })
}

/// Checks the first 16 bytes, which have no byte order, and returns the class in bits.
fn check_identification(bytes: &[u8], expected: &Expected) -> Result<u32, ImageError> {
    let known = bytes.len().min(ELF_MAGIC.len());
    if bytes[..known] != ELF_MAGIC[..known] {
        return Err(ImageError::NotElf);
    }
    check_extent(bytes, "the identification", None, 0, IDENTIFICATION_BYTES)?;
    let class = match bytes[CLASS_OFFSET] {
        1 => 32,
        2 => 64,
        value => return Err(bad_header("the class", CLASS_OFFSET, value, "1 or 2")),
    };
    let found_big = match bytes[BYTE_ORDER_OFFSET] {
        1 => false,
        2 => true,
        value => {
            return Err(bad_header("the byte order", BYTE_ORDER_OFFSET, value, "1 or 2"));
        }
    };
    if bytes[VERSION_OFFSET] != 1 {
        return Err(bad_header("the version", VERSION_OFFSET, bytes[VERSION_OFFSET], "1"));
    }
    match expected.class {
        Some(expected) if expected != class => {
            return Err(ImageError::WrongClass { found: class, expected });
        }
        _ => {}
    }
    if expected.big_endian.is_some_and(|big| big != found_big) {
        return Err(ImageError::WrongByteOrder { found_big });
    }
    Ok(class)
}

/// What differs between the two classes.
#[derive(Clone, Copy)]
struct Layout {
    class: u32,
    /// Size of the file header in bytes.
    header: u64,
    /// Size of a program header in bytes.
    program_header: usize,
    /// Which address of a segment is taken.
    physical: bool,
}

/// What the headers say, checked against the file's length.
struct Parsed {
    segments: Vec<Claim>,
    /// As [`Image::found_at`].
    found_at: Vec<(u64, u64)>,
    entry: u64,
}

/// A segment before it is copied; `offset + file_size` is within the file, the addresses within
/// the class's address space, and the size is not 0.
struct Claim {
    number: u32,
    address: u64,
    size: u64,
    offset: usize,
    file_size: usize,
    /// Bytes at its beginning that are headers of the file, and zeros behind them.
    lead: usize,
}

impl Claim {
    fn last(&self) -> u64 {
        self.address + (self.size - 1)
    }

    /// The same with its lead: where a program is linked to begin in the middle of a page, linkers put
    /// the headers of the file, which end at `headers_end`, into the page before.
    fn behind_headers(self, bytes: &[u8], headers_end: u64) -> Claim {
        let contents = &bytes[self.offset..self.offset + self.file_size];
        let lead = match usize::try_from(headers_end) {
            Ok(end) if self.offset == 0 && end <= contents.len() => {
                end + contents[end..].iter().take_while(|byte| **byte == 0).count()
            }
            _ => 0,
        };
        Claim { lead, ..self }
    }

    fn take(&self, bytes: &[u8]) -> Segment {
        let bytes = &bytes[self.offset..self.offset + self.file_size];
        Segment { address: self.address, bytes: bytes.to_vec(), size: self.size, lead: self.lead as u64 }
    }
}

impl Layout {
    fn read<H>(self, bytes: &[u8], expected: &Expected) -> Result<Parsed, ImageError>
    where
        H: FileHeader<Endian = Endianness>,
    {
        check_extent(bytes, "the file header", None, 0, self.header)?;
        // The identification is checked, and so nothing is left that these two could refuse.
        let damaged = |_| ImageError::NotElf;
        let header = H::parse(bytes).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;

        let found = header.e_machine(endian).0;
        match expected.machine {
            Some(expected) if expected != found => {
                return Err(ImageError::WrongMachine { found, expected });
            }
            _ => {}
        }
        let found = header.e_type(endian).0;
        if found != TYPE_EXECUTABLE {
            return Err(ImageError::WrongType { found });
        }
        let mut found_at = Vec::new();
        let segments = self.read_segments(header, endian, bytes, &mut found_at)?;
        Ok(Parsed { segments, found_at, entry: header.e_entry(endian).into() })
    }

    fn read_segments<H>(
        self,
        header: &H,
        endian: Endianness,
        bytes: &[u8],
        found_at: &mut Vec<(u64, u64)>,
    ) -> Result<Vec<Claim>, ImageError>
    where
        H: FileHeader<Endian = Endianness>,
    {
        let offset: u64 = header.e_phoff(endian).into();
        // The number stands in a section header if it is too large for the file header.
        let count = header.phnum(endian, bytes).map_err(|_| ImageError::BadHeader {
            field: "the number of program headers",
            offset: self.header - 8,
            value: header.e_phnum(endian).into(),
            expected: "a number that section header 0 holds",
        })?;
        if offset == 0 || count == 0 {
            return Err(ImageError::NoSegments);
        }
        let size = usize::from(header.e_phentsize(endian));
        if size != self.program_header {
            return Err(ImageError::BadHeader {
                field: "the size of a program header",
                offset: self.header - 10,
                value: size as u64,
                expected: if self.class == 32 { "32" } else { "56" },
            });
        }
        let table = u64::from(count) * size as u64;
        check_extent(bytes, "the table of program headers", None, offset, table)?;
        let headers = header.program_headers(endian, bytes).map_err(|_| ImageError::NoSegments)?;

        let mut segments = Vec::new();
        for (number, header) in (0..).zip(headers) {
            let kind = header.p_type(endian);
            if kind == PT_INTERP {
                return Err(ImageError::Interpreter { segment: number });
            }
            if kind == PT_LOAD {
                let (first, size): (u64, u64) =
                    (header.p_vaddr(endian).into(), header.p_memsz(endian).into());
                if self.physical && size > 0 {
                    found_at.push((first, first.saturating_add(size - 1)));
                }
                let segment = self.read_segment(number, header, endian, bytes)?;
                segments.extend(segment.map(|claim| claim.behind_headers(bytes, offset + table)));
            }
        }
        if segments.is_empty() {
            return Err(ImageError::NoSegments);
        }
        segments.sort_by_key(|segment| segment.address);
        Ok(segments)
    }

    /// One segment; none if it takes no memory.
    fn read_segment<P>(
        self,
        number: u32,
        header: &P,
        endian: Endianness,
        bytes: &[u8],
    ) -> Result<Option<Claim>, ImageError>
    where
        P: ProgramHeader<Endian = Endianness>,
    {
        let (offset, file_size) = header.file_range(endian);
        let memory_size: u64 = header.p_memsz(endian).into();
        if file_size > memory_size {
            return Err(ImageError::FileSizeAboveMemorySize { segment: number, file_size, memory_size });
        }
        let (address, size): (u64, u64) = if self.physical {
            (header.p_paddr(endian).into(), file_size)
        } else {
            (header.p_vaddr(endian).into(), memory_size)
        };
        if size == 0 {
            return Ok(None);
        }
        let highest = if self.class == 32 { u64::from(u32::MAX) } else { u64::MAX };
        if address.checked_add(size - 1).is_none_or(|last| last > highest) {
            let address_bits = self.class;
            return Err(ImageError::AddressOverflow { segment: number, address, size, address_bits });
        }
        // Where no byte is taken, linkers write offsets that mean nothing.
        let offset = if file_size == 0 { 0 } else { offset };
        let (offset, file_size) = check_extent(bytes, "the contents", Some(number), offset, file_size)?;
        Ok(Some(Claim { number, address, size, offset, file_size, lead: 0 }))
    }
}

/// Refuses a file that makes much memory out of few bytes by naming them many times.
fn check_sums(parsed: &Parsed, file_size: u64) -> Result<(), ImageError> {
    let sizes = parsed.segments.iter().map(|segment| segment.file_size as u64);
    let claimed = sizes.fold(0, u64::saturating_add);
    if claimed > file_size {
        return Err(ImageError::SharedContents { claimed, file_size });
    }
    Ok(())
}

/// `segments` are sorted by address.
fn check_overlaps(segments: &[Claim]) -> Result<(), ImageError> {
    for pair in segments.windows(2) {
        if let [first, second] = pair
            && second.address <= first.last()
        {
            return Err(ImageError::Overlap {
                first: first.number,
                second: second.number,
                address: second.address,
            });
        }
    }
    Ok(())
}

fn check_entry(parsed: &Parsed) -> Result<(), ImageError> {
    let entry = parsed.entry;
    let inside = |segment: &Claim| (segment.address..=segment.last()).contains(&entry);
    if parsed.segments.iter().any(inside) { Ok(()) } else { Err(ImageError::EntryOutside { entry }) }
}

/// Checks that a part lies within the file and returns its offset and size.
fn check_extent(
    bytes: &[u8],
    part: &'static str,
    segment: Option<u32>,
    offset: u64,
    size: u64,
) -> Result<(usize, usize), ImageError> {
    let file_size = bytes.len() as u64;
    let inside = offset.checked_add(size).is_some_and(|end| end <= file_size);
    match (usize::try_from(offset), usize::try_from(size)) {
        (Ok(offset), Ok(size)) if inside => Ok((offset, size)),
        _ => Err(ImageError::Truncated { part, segment, offset, size, file_size }),
    }
}

fn bad_header(field: &'static str, offset: usize, value: u8, expected: &'static str) -> ImageError {
    ImageError::BadHeader { field, offset: offset as u64, value: value.into(), expected }
}
