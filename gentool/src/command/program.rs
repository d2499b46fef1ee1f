//! Reading a program for a command that looks into it: pieces of code, and symbols.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gentool::disassembler::{Piece, Program, Symbol};
use isac_ir::Model;
use isac_ir::bits::Bits;
use object::{
    Architecture, Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionFlags, SegmentFlags, SymbolKind,
    elf,
};
use sim_runtime::image::{Image, ImageFormat, RecordFormat, read_image, recognise_format};
use sim_runtime::launcher::{LaunchInfo, ProgramFormat};

use super::Failure;

/// Largest program file; what is larger is no program, and might never end.
const FILE_LIMIT: u64 = 1 << 30;

/// Most bytes of a name: a damaged file may have any number of them in the same megabytes.
const LONGEST_NAME: usize = 1 << 12;

/// A program file and how it is to be read.
pub(super) struct ProgramFile<'a> {
    pub(super) path: &'a Path,
    pub(super) format: ProgramFormat,
    /// Byte address of a raw program's first byte; that of the first instruction if left out.
    pub(super) base: Option<u64>,
}

impl ProgramFile<'_> {
    /// Reads it: of ELF the executable sections (without sections: segments), else everything.
    pub(super) fn read(&self, model: &Model) -> Result<Program, Failure> {
        let path = self.path.display();
        let bytes = read_file(self.path).map_err(|error| {
            Failure::other(format!("cannot read the program {path}: {error}; name a file that holds one"))
        })?;
        self.read_bytes(model, &bytes)
    }

    /// The same of the file's bytes.
    pub(super) fn read_bytes(&self, model: &Model, bytes: &[u8]) -> Result<Program, Failure> {
        let path = self.path.display();
        self.check_base(model)?;
        let expected = LaunchInfo::of_model(model, "", "").expected();
        let image = read_image(bytes, self.image_format(model, bytes), &expected)
            .map_err(|error| Failure::other(format!("cannot read the program {path}: {error}")))?;
        if sim_runtime::image::is_elf(bytes) && !matches!(self.format, ProgramFormat::Raw) {
            let program = read_elf(model, bytes)
                .map_err(|error| Failure::other(format!("cannot read the sections of {path}: {error}")))?;
            return self.within_addresses(model, program);
        }
        self.within_addresses(model, Program { pieces: pieces_of(model, &image), symbols: Vec::new() })
    }

    /// Refuses an address of bytes within a cell, which no line could stand at.
    fn check_base(&self, model: &Model) -> Result<(), Failure> {
        let size = cell_bytes(model);
        match self.base.filter(|base| !base.is_multiple_of(size)) {
            Some(base) => Err(Failure::other(format!(
                "--base {base:#x} is within a cell of {}, which has {size} bytes; give a multiple of {size}",
                model.name
            ))),
            None => Ok(()),
        }
    }

    /// Refuses what no address reaches.
    fn within_addresses(&self, model: &Model, program: Program) -> Result<Program, Failure> {
        let map = model.maps.get(model.target.host_map.unwrap_or(0) as usize);
        let bits = map.map_or(64, |map| map.address_bits).max(model.address_bits()).clamp(1, 64);
        let last = u64::MAX >> (64 - bits);
        let ends = program.pieces.iter().map(|piece| u128::from(piece.address) + piece.cells.len() as u128);
        let is_beyond = ends.max().is_some_and(|end| end > u128::from(last) + 1);
        // By LOAD some bytes of a program go to another map.
        match is_beyond && model.target.loads.is_empty() {
            true => Err(Failure::other(format!(
                "the program {} reaches beyond the last address of {}, {last:#x}; load it lower",
                self.path.display(),
                model.name
            ))),
            false => Ok(program),
        }
    }

    fn image_format(&self, model: &Model, bytes: &[u8]) -> ImageFormat {
        let base = self.base.unwrap_or_else(|| model.reset_address().saturating_mul(cell_bytes(model)));
        match self.format {
            ProgramFormat::Raw => ImageFormat::Raw { address: base },
            ProgramFormat::Elf => ImageFormat::Elf,
            ProgramFormat::Ihex => ImageFormat::Records(RecordFormat::IntelHex),
            ProgramFormat::Srec => ImageFormat::Records(RecordFormat::SRecord),
            ProgramFormat::Auto => recognise_format(bytes).unwrap_or(ImageFormat::Raw { address: base }),
        }
    }
}

/// The bytes of a program file, if it is one.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, io::Error> {
    let mut bytes = Vec::new();
    isac_parser::source::refuse_named_pipe(path)?;
    File::open(path)?.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > FILE_LIMIT {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {FILE_LIMIT} bytes; expected a program"),
        )),
        false => Ok(bytes),
    }
}

/// How many bytes of a file are one cell of the map that programs go to.
pub(super) fn cell_bytes(model: &Model) -> u64 {
    let map = model.maps.get(model.target.host_map.unwrap_or(0) as usize);
    u64::from(map.map_or(8, |map| map.cell_bits).div_ceil(8).max(1))
}

fn pieces_of(model: &Model, image: &Image) -> Vec<Piece> {
    let segments = image.segments.iter();
    segments.map(|segment| piece(model, None, segment.address, &segment.bytes)).collect()
}

/// Bytes as cells, each of whole bytes in the target's byte order.
fn piece(model: &Model, section: Option<String>, address: u64, bytes: &[u8]) -> Piece {
    let size = cell_bytes(model);
    let cell = |bytes: &[u8]| {
        let mut ordered = bytes.to_vec();
        if !model.target.big_endian {
            ordered.reverse();
        }
        Bits::from_be_bytes(&ordered)
    };
    Piece { section, address: address / size, cells: bytes.chunks(size as usize).map(cell).collect() }
}

fn read_elf(model: &Model, bytes: &[u8]) -> Result<Program, object::Error> {
    let file = object::File::parse(bytes)?;
    let mut pieces = Vec::new();
    // Sections of a damaged file may be the same bytes any number of times.
    let mut left = bytes.len();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        let executable = sh_flags.0 & elf::SHF_EXECINSTR.0 != 0;
        if executable && section.size() > 0 && section.kind() != object::SectionKind::UninitializedData {
            let name = Some(section.name()?.to_owned()).filter(|name| !name.is_empty());
            let data = section.data()?;
            let Some(rest) = left.checked_sub(data.len()) else { continue };
            left = rest;
            pieces.push(piece(model, name, section.address(), data));
        }
    }
    if file.sections().next().is_none() {
        for segment in file.segments() {
            if matches!(segment.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags.0 & elf::PF_X.0 != 0) {
                pieces.push(piece(model, None, segment.address(), segment.data()?));
            }
        }
    }
    pieces.sort_by_key(|piece| piece.address);
    let size = cell_bytes(model);
    let extents = extents_of(&file).into_iter();
    let mut symbols: Vec<Symbol> =
        extents.map(|extent| Symbol { address: extent.address / size, name: extent.name }).collect();
    symbols.sort();
    symbols.dedup();
    Ok(Program { pieces, symbols })
}

/// What a name of a program stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extent {
    /// The name.
    pub(super) name: String,
    /// Its first byte, as the file counts them.
    pub(super) address: u64,
    /// How many; 0 if the file does not say.
    pub(super) size_bytes: u64,
}

/// The names of an ELF file; none of anything else.
pub(super) fn read_extents(bytes: &[u8]) -> Vec<Extent> {
    match recognise_format(bytes) {
        Some(ImageFormat::Elf) => {
            object::File::parse(bytes).map(|file| extents_of(&file)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn extents_of(file: &object::File<'_>) -> Vec<Extent> {
    let marks_modes = file.architecture() == Architecture::Arm;
    let named = file.symbols().filter(|symbol| {
        symbol.is_definition() && !matches!(symbol.kind(), SymbolKind::File | SymbolKind::Section)
    });
    let extent = |symbol: object::Symbol<'_, '_>| {
        let name = symbol.name().ok().filter(|name| !name.is_empty() && !name.starts_with('$'))?;
        // Bit 0 of an ARM's functions says that they are Thumb code.
        let mark = u64::from(marks_modes && symbol.kind() == SymbolKind::Text);
        let (address, size_bytes) = (symbol.address() & !mark, symbol.size());
        let name = name[..name.floor_char_boundary(LONGEST_NAME)].to_owned();
        Some(Extent { name, address, size_bytes })
    };
    named.filter_map(extent).collect()
}
