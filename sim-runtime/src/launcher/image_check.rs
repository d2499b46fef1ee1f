//! Whether the files of `--image` hold the code that runs: the functions of another program would make calls
//! false, and nothing else would tell.
//!
//! Code of a file is compared with memory when the program is loaded. Where nothing is there yet, as of a
//! program that a boot loader is about to copy, it is compared when the run has ended.

use object::{Object as _, ObjectSection as _, SectionFlags, elf};

use super::launch_info::LaunchInfo;
use super::symbol_files::SymbolFile;
use crate::engine::Machine;
use crate::image::{Expected, ImageError, ImageFormat, Placement, is_elf, read_image};

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 4096;

/// Code of a file that was not in memory when the run began.
pub(super) struct AwaitedCode {
    file: String,
    areas: Vec<Area>,
    /// Whether the file has other code, which was there.
    is_part: bool,
}

/// Bytes of code, from an address on, as programs have them.
struct Area {
    address: u64,
    bytes: Vec<u8>,
}

/// What stands in memory in the place of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Same,
    /// Something else from this address on.
    Other(u64),
    /// Zeros, or no memory at all.
    Nothing,
}

/// What a file's code tells when the program is loaded: what is wrong, and what is to be compared at the end.
pub(super) fn check_image(
    file: &SymbolFile,
    program: &[u8],
    machine: &dyn Machine,
    info: &LaunchInfo,
) -> (Option<String>, Option<AwaitedCode>) {
    let name = file.path.display().to_string();
    if !is_elf(&file.bytes) {
        let nothing = || {
            format!(
                "the file {name} of --image is no ELF file: it names no functions; name the ELF file that it was \
                 made of, or its place as FILE@ADDRESS"
            )
        };
        return (file.base.is_none().then(nothing), None);
    }
    if let Err(
        error @ (ImageError::WrongClass { .. }
        | ImageError::WrongByteOrder { .. }
        | ImageError::WrongMachine { .. }),
    ) = read_image(&file.bytes, ImageFormat::Elf, &expected(info, program))
    {
        // What to do to load it is nothing for a file that is not loaded.
        let error = error.to_string();
        let found = error.split(';').next().unwrap_or_default();
        let text = format!(
            "the file {name} of --image is of another processor: {found}; its functions are false: name a file of \
             this program"
        );
        return (Some(text), None);
    }
    let areas = code_of(file);
    if areas.is_empty() {
        return (None, None);
    }
    let found: Vec<Found> = areas.iter().map(|area| area.find(machine, &info.placement())).collect();
    let other = found.iter().find_map(|found| match found {
        Found::Other(address) => Some(*address),
        Found::Same | Found::Nothing => None,
    });
    if let Some(address) = other {
        return (Some(other_code(&name, address, "when the program is loaded")), None);
    }
    let count = areas.len();
    let missing = areas.into_iter().zip(found).filter(|(_, found)| *found == Found::Nothing);
    let areas: Vec<Area> = missing.map(|(area, _)| area).collect();
    let is_part = areas.len() < count;
    let awaited = AwaitedCode { file: name, areas, is_part };
    (None, (!awaited.areas.is_empty()).then_some(awaited))
}

impl AwaitedCode {
    /// What is wrong with it at the end of the run.
    pub(super) fn check(&self, machine: &dyn Machine, info: &LaunchInfo) -> Option<String> {
        let name = &self.file;
        let places = self.areas.iter().map(|area| (area.address, area.find(machine, &info.placement())));
        let places: Vec<(u64, Found)> = places.collect();
        let other = places.iter().find_map(|(_, found)| match found {
            Found::Other(address) => Some(*address),
            Found::Same | Found::Nothing => None,
        });
        if let Some(address) = other {
            return Some(other_code(name, address, "at the end of the run"));
        }
        let (address, _) = places.iter().find(|(_, found)| *found == Found::Nothing)?;
        let all = !self.is_part && places.iter().all(|(_, found)| *found == Found::Nothing);
        let what = if all { "the code" } else { "code" };
        Some(format!(
            "{what} of the file {name} of --image, from {address:#x} on, was not in memory, neither when the program \
             was loaded nor at the end of the run: its functions may be false; name a file of this program, and its \
             place as FILE@ADDRESS where it stands elsewhere"
        ))
    }
}

fn other_code(name: &str, address: u64, when: &str) -> String {
    format!(
        "the code of the file {name} of --image is not what is in memory {when}, from {address:#x} on: its functions \
         and calls between them may be false; name the file that this program was made of, and its place as \
         FILE@ADDRESS where it stands elsewhere"
    )
}

/// What files of this model are, or of this program where the description does not say.
fn expected(info: &LaunchInfo, program: &[u8]) -> Expected {
    let own = is_elf(program).then(|| object::File::parse(program).ok()).flatten();
    let class = own.as_ref().map(|own| if own.is_64() { 64 } else { 32 });
    // The number of the machine has one place in both classes.
    let number = program.get(18..20).and_then(|bytes| <[u8; 2]>::try_from(bytes).ok());
    let number = number.filter(|_| own.is_some());
    let number = number.map(if info.big_endian { u16::from_be_bytes } else { u16::from_le_bytes });
    let expected = info.expected();
    Expected {
        machine: expected.machine.or(number),
        class: expected.class.or(class),
        physical_addresses: false,
        ..expected
    }
}

/// The executable sections of an ELF file; a file without sections has no symbols either.
fn code_of(file: &SymbolFile) -> Vec<Area> {
    let Ok(parsed) = object::File::parse(&*file.bytes) else { return Vec::new() };
    // Sections of a damaged file may be the same bytes any number of times.
    let mut left = file.bytes.len();
    let is_code = |flags: SectionFlags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & elf::SHF_EXECINSTR.0 != 0);
    let sections = parsed.sections().filter(|section| is_code(section.flags()));
    let area = sections.filter_map(|section| {
        let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
        left = left.checked_sub(bytes.len())?;
        let address = section.address().wrapping_add(file.base.unwrap_or(0));
        Some(Area { address, bytes: bytes.to_vec() })
    });
    area.collect()
}

impl Area {
    fn find(&self, machine: &dyn Machine, placement: &Placement<'_>) -> Found {
        let (mut is_nothing, mut other) = (true, None);
        let mut address = self.address;
        for chunk in self.bytes.chunks(CHUNK_BYTES) {
            let there = read(machine, placement, address, chunk.len());
            is_nothing &= there.iter().all(|byte| *byte == 0);
            let differs = there.iter().zip(chunk).position(|(there, own)| there != own);
            other = other.or(differs.map(|offset| address.wrapping_add(offset as u64)));
            address = address.wrapping_add(chunk.len() as u64);
        }
        match other {
            None => Found::Same,
            Some(_) if is_nothing => Found::Nothing,
            Some(address) => Found::Other(address),
        }
    }
}

/// Bytes of memory; zeros where there is none.
fn read(machine: &dyn Machine, placement: &Placement<'_>, address: u64, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    let (map, first) = placement.locate(address);
    let (last_map, last) = placement.locate(address.wrapping_add(count as u64 - 1));
    let is_whole = map == last_map && last.checked_sub(first) == Some(count as u64 - 1);
    if is_whole && machine.read_bytes(map, first, &mut bytes).is_ok() {
        return bytes;
    }
    for (offset, byte) in (0..).zip(&mut bytes) {
        let (map, address) = placement.locate(address.wrapping_add(offset));
        let mut one = [0];
        *byte = if machine.read_bytes(map, address, &mut one).is_ok() { one[0] } else { 0 };
    }
    bytes
}
