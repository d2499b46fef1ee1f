//! DWARF 4: which line of which file each instruction comes from.

use std::collections::BTreeMap;

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, Range, RangeList, Sections,
};
use gimli::{Encoding, Format, LineEncoding, RunTimeEndian};
use isac_parser::source::{FileId, SourceMap};

use super::{OutputError, source_name};
use crate::assembler::{Assembled, Line, SectionKind};

/// The sections of the line information: names and contents.
pub(super) fn line_sections(
    program: &Assembled,
    sources: &SourceMap,
    big_endian: bool,
    address_bytes: u8,
) -> Result<Vec<(&'static str, Vec<u8>)>, OutputError> {
    let refused = |error: gimli::write::Error| OutputError::Library(error.to_string());
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: address_bytes };
    let mut dwarf = DwarfUnit::new(encoding);
    let first = sources.files().next().map_or_else(String::new, |file| source_name(sources, file));
    dwarf.unit.line_program = line_program(program, sources, encoding, &first, &mut dwarf.line_strings);
    let code = program.pieces.iter().filter(|piece| piece.kind == SectionKind::Code);
    let ranges = code.map(|piece| Range::StartLength {
        begin: Address::Constant(piece.address.saturating_mul(program.cell_bytes)),
        length: piece.bytes.len() as u64,
    });
    let ranges = dwarf.unit.ranges.add(RangeList(ranges.collect()));
    let root = dwarf.unit.root();
    let unit = dwarf.unit.get_mut(root);
    unit.set(gimli::DW_AT_name, AttributeValue::String(first.into_bytes()));
    let producer = concat!("gentool ", env!("CARGO_PKG_VERSION"));
    unit.set(gimli::DW_AT_producer, AttributeValue::String(producer.into()));
    unit.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_Mips_Assembler));
    unit.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
    unit.set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
    let endian = if big_endian { RunTimeEndian::Big } else { RunTimeEndian::Little };
    let mut sections = Sections::new(EndianVec::new(endian));
    dwarf.write(&mut sections).map_err(refused)?;
    let mut found = Vec::new();
    let collected: Result<(), gimli::write::Error> = sections.for_each_mut(|id, data| {
        let bytes = data.take();
        if !bytes.is_empty() {
            found.push((id.name(), bytes));
        }
        Ok(())
    });
    collected.map_err(refused)?;
    Ok(found)
}

fn line_program(
    program: &Assembled,
    sources: &SourceMap,
    encoding: Encoding,
    first: &str,
    strings: &mut gimli::write::LineStringTable,
) -> LineProgram {
    let mut text = |name: &str| {
        // An empty name would end the table.
        LineString::new(if name.is_empty() { "." } else { name }, encoding, strings)
    };
    let (folder, name) = (text("."), text(first));
    let mut lines = LineProgram::new(encoding, LineEncoding::default(), folder, None, name, None);
    let directory = lines.default_directory();
    let files: BTreeMap<FileId, gimli::write::FileId> = sources
        .files()
        .map(|file| (file, lines.add_file(text(&source_name(sources, file)), directory, None)))
        .collect();
    let mut by_piece: BTreeMap<usize, Vec<&Line>> = BTreeMap::new();
    for line in program.lines.iter().filter(|line| line.is_code && line.size_cells > 0) {
        by_piece.entry(line.piece).or_default().push(line);
    }
    for piece in program.pieces.iter().filter(|piece| piece.kind == SectionKind::Code) {
        let mut own = by_piece.remove(&piece.number).unwrap_or_default();
        own.sort_by_key(|line| line.address);
        let begin = piece.address.saturating_mul(program.cell_bytes);
        lines.begin_sequence(Some(Address::Constant(begin)));
        for line in own {
            let (number, _) = sources.line_column(line.span);
            let row = lines.row();
            row.address_offset = line.address.saturating_mul(program.cell_bytes) - begin;
            row.file = files[&line.span.file];
            row.line = number as u64;
            row.is_statement = true;
            lines.generate_row();
        }
        lines.end_sequence(piece.bytes.len() as u64);
    }
    lines
}
