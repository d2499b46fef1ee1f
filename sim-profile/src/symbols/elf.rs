//! Where a file has code, and which symbols it has there.

use object::{
    Architecture, Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionFlags, SegmentFlags, SymbolKind,
};

use super::{ImageFile, Placement};
use crate::text::sanitize;

/// Most bytes of a symbol's name: a damaged file may have any number of them in the same megabytes.
pub(crate) const LONGEST_NAME: usize = 1 << 12;

/// Code of a file.
#[derive(Default)]
pub(crate) struct Code {
    /// Where there is any, ascending, none twice.
    pub areas: Vec<Area>,
    /// In the file's order.
    pub symbols: Vec<CodeSymbol>,
}

/// Cells that hold code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Area {
    /// The first.
    pub start: u64,
    /// Behind the last.
    pub end: u64,
}

/// A symbol of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeSymbol {
    pub name: String,
    pub start: u64,
    /// 0 if the file does not tell.
    pub size: u64,
    pub rank: Rank,
}

/// How sure it is that a symbol names a function, the surest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A place in a source of the assembler, known there alone.
    LocalLabel,
    /// A place that other files know.
    Label,
    /// A function of one source.
    LocalFunction,
    /// A function that may be another's.
    WeakFunction,
    /// A function.
    Function,
}

const EXECUTABLE_SECTION: u64 = 4;
const EXECUTABLE_SEGMENT: u32 = 1;

/// Reads areas and symbols; of a file that is no ELF file there is one area, if it is known where.
pub(crate) fn read_code(file: &ImageFile<'_>, placement: Placement, notes: &mut Vec<String>) -> Code {
    if !is_elf(file.bytes) {
        let place = if file.base.is_none() { "; name where it stands as FILE@ADDRESS" } else { "" };
        notes.push(format!("not an ELF file: no functions and no lines{place}"));
        let end = file.base.map(|base| base.saturating_add(file.bytes.len() as u64));
        let bytes = file.base.zip(end).filter(|(base, end)| base < end);
        let placement = Placement { bias: 0, ..placement };
        let area = bytes.and_then(|(base, end)| area(placement, base, end));
        return Code { areas: area.into_iter().collect(), symbols: Vec::new() };
    }
    let parsed = match object::File::parse(file.bytes) {
        Ok(parsed) => parsed,
        Err(error) => {
            notes.push(format!("damaged ELF file ({error}): no functions and no lines"));
            return Code::default();
        }
    };
    let mut areas = read_areas(&parsed, placement);
    unite(&mut areas);
    let symbols = read_symbols(&parsed, placement, &areas);
    if symbols.is_empty() {
        notes.push("no symbols of code: functions are regions named by their address".to_owned());
    }
    Code { areas, symbols }
}

/// Whether a file begins as ELF files do.
pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The executable sections, and the executable segments of a file that has none.
fn read_areas(parsed: &object::File<'_>, placement: Placement) -> Vec<Area> {
    let sections = parsed.sections().filter(|section| match section.flags() {
        SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & EXECUTABLE_SECTION != 0,
        _ => false,
    });
    let areas = sections.filter_map(|section| {
        area(placement, section.address(), section.address().saturating_add(section.size()))
    });
    let areas: Vec<Area> = areas.collect();
    if !areas.is_empty() {
        return areas;
    }
    let segments = parsed.segments().filter(|segment| match segment.flags() {
        SegmentFlags::Elf { p_flags, .. } => p_flags.0 & EXECUTABLE_SEGMENT != 0,
        _ => false,
    });
    segments
        .filter_map(|segment| {
            area(placement, segment.address(), segment.address().saturating_add(segment.size()))
        })
        .collect()
}

fn area(placement: Placement, start: u64, end: u64) -> Option<Area> {
    let last = end.checked_sub(1).filter(|last| *last >= start)?;
    let (start, last) = (placement.cell(start)?, placement.cell(last)?);
    Some(Area { start, end: last.checked_add(1)? }).filter(|area| area.start < area.end)
}

/// Sorts areas and joins those that touch.
fn unite(areas: &mut Vec<Area>) {
    areas.sort_unstable();
    areas.dedup_by(|next, area| {
        let joined = next.start <= area.end;
        if joined {
            area.end = area.end.max(next.end);
        }
        joined
    });
}

fn read_symbols(parsed: &object::File<'_>, placement: Placement, areas: &[Area]) -> Vec<CodeSymbol> {
    let marks_modes = parsed.architecture() == Architecture::Arm;
    let mut symbols = Vec::new();
    for symbol in parsed.symbols().filter(|symbol| symbol.is_definition() || is_label(symbol)) {
        let name = symbol.name().unwrap_or("");
        let Some(rank) = rank(&symbol).filter(|_| is_name(name)) else { continue };
        let mark = u64::from(marks_modes && rank >= Rank::LocalFunction);
        let address = symbol.address() & !mark;
        let Some(start) = placement.cell(address) else { continue };
        let Some(area) = area_at(areas, start) else { continue };
        // A damaged file may tell any size: an end that lies before the beginning is none.
        let end = placement.cell(address.saturating_add(symbol.size()));
        let size = end.map_or(0, |end| end.saturating_sub(start));
        let name = sanitize(&name[..name.floor_char_boundary(LONGEST_NAME)]);
        symbols.push(CodeSymbol { name, start, size: size.min(area.end - start), rank });
    }
    symbols
}

fn is_label<'a>(symbol: &impl ObjectSymbol<'a>) -> bool {
    symbol.kind() == SymbolKind::Unknown && symbol.section_index().is_some()
}

fn rank<'a>(symbol: &impl ObjectSymbol<'a>) -> Option<Rank> {
    match symbol.kind() {
        SymbolKind::Text if symbol.is_weak() => Some(Rank::WeakFunction),
        SymbolKind::Text if symbol.is_local() => Some(Rank::LocalFunction),
        SymbolKind::Text => Some(Rank::Function),
        SymbolKind::Unknown | SymbolKind::Label if symbol.is_local() => Some(Rank::LocalLabel),
        SymbolKind::Unknown | SymbolKind::Label => Some(Rank::Label),
        _ => None,
    }
}

/// Whether it is a name, and no mark of an assembler or compiler.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('$') && !name.starts_with(".L")
}

/// The area that a cell is in.
pub(crate) fn area_at(areas: &[Area], cell: u64) -> Option<&Area> {
    let behind = areas.partition_point(|area| area.start <= cell);
    let area = &areas[behind.checked_sub(1)?];
    (cell < area.end).then_some(area)
}
