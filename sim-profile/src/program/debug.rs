//! Lines and inlined functions of a file, from its DWARF.
//!
//! Every unit is read by itself: one that is damaged costs its own lines, and a note.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use gimli::{DebugInfoOffset, EndianArcSlice, Reader as _, RunTimeEndian, Section as _};
use object::{CompressionFormat, Object, ObjectSection};

use super::name::demangle;
use super::{Frame, ImageFile, Row};
use crate::symbols::{Area, Placement, area_at, is_elf};

type Bytes = EndianArcSlice<RunTimeEndian>;
type Unit = gimli::Unit<Bytes>;
type LineHeader = gimli::LineProgramHeader<Bytes>;

/// Most bytes of a section that is compressed: a file may claim anything.
const MOST_INFLATED: u64 = 1 << 30;

/// What a section holds, also if it is compressed (`-gz`); nothing where it is damaged or too large.
fn inflated<'data>(section: &impl ObjectSection<'data>) -> Option<Cow<'data, [u8]>> {
    let held = section.compressed_data().ok()?;
    let is_compressed = held.format != CompressionFormat::None;
    if is_compressed && held.uncompressed_size > MOST_INFLATED {
        return None;
    }
    held.decompress().ok()
}

/// The DWARF of one file.
pub(super) struct DebugInformation {
    dwarf: Arc<gimli::Dwarf<Bytes>>,
    /// What knows inlined functions; none if it could make nothing of the file.
    context: Option<addr2line::Context<Bytes>>,
    placement: Placement,
    image: u32,
    /// There is some in an older format that nobody reads.
    has_stabs: bool,
}

impl DebugInformation {
    /// Finds the sections of a file, if it has any.
    pub(super) fn read(
        file: &ImageFile<'_>,
        placement: Placement,
        image: u32,
        notes: &mut Vec<String>,
    ) -> Option<DebugInformation> {
        let parsed = object::File::parse(file.bytes).ok().filter(|_| is_elf(file.bytes))?;
        let has_stabs = parsed.section_by_name(".stab").is_some();
        if parsed.section_by_name(".debug_line").is_none() && !has_stabs {
            notes.push("no debug information: no lines; compile with -g to get them".to_owned());
            return None;
        }
        let endian = if parsed.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let mut unreadable = Vec::new();
        let load = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let section = parsed.section_by_name(id.name());
            let bytes = section.and_then(|section| match inflated(&section) {
                Some(bytes) => Some(bytes),
                None => {
                    unreadable.push(id.name());
                    None
                }
            });
            Ok(EndianArcSlice::new(Arc::from(bytes.unwrap_or_default().as_ref()), endian))
        };
        let dwarf = Arc::new(gimli::Dwarf::load(load).ok()?);
        for name in unreadable {
            notes.push(format!("section {name} is damaged, or too large, and left out"));
        }
        let context = addr2line::Context::from_arc_dwarf(dwarf.clone());
        if let Err(error) = &context {
            notes.push(format!("damaged debug information ({error}): no inlined functions"));
        }
        Some(DebugInformation { dwarf, context: context.ok(), placement, image, has_stabs })
    }

    /// The file's number.
    pub(super) fn image(&self) -> u32 {
        self.image
    }

    /// The functions at an address, the innermost first; none if it is not known.
    pub(super) fn frames(&self, address: u64) -> Vec<Frame> {
        let Some(context) = &self.context else { return Vec::new() };
        let mut found = Vec::new();
        let Ok(mut frames) = context.find_frames(self.placement.byte(address)).skip_all_loads() else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
            let location = frame.location.as_ref();
            found.push(Frame {
                function: name.map_or_else(String::new, |name| demangle(&name)),
                source: location.and_then(|location| location.file).map(normalize),
                line: location.and_then(|location| location.line),
            });
        }
        found
    }

    /// Cells with lines, in the order of the units; sources that are new are added.
    pub(super) fn rows(
        &self,
        areas: &[Area],
        sources: &mut Vec<String>,
        notes: &mut Vec<String>,
    ) -> Vec<Row> {
        let mut reading = Reading {
            dwarf: &self.dwarf,
            placement: self.placement,
            areas,
            numbers: sources.iter().cloned().zip(0..).collect(),
            sources,
            rows: Vec::new(),
        };
        let section = self.dwarf.debug_info.reader();
        let mut rest = section.clone();
        while !rest.is_empty() {
            let offset = DebugInfoOffset(rest.offset_from(section));
            // Where one ends is known whatever is in it.
            let skipped = rest.read_initial_length().and_then(|(length, _)| rest.skip(length));
            let header = self.dwarf.debug_info.header_from_offset(offset);
            let read = header.and_then(|header| self.dwarf.unit(header));
            if let Err(error) = read.and_then(|unit| reading.add_unit(&unit)) {
                notes.push(format!("damaged debug information ({error}): some lines are missing"));
            }
            if skipped.is_err() {
                break;
            }
        }
        match (reading.rows.is_empty(), self.has_stabs) {
            (true, true) => notes.push(
                "the debug information is stabs, which is not read: no lines; compile with -gdwarf-4 to get them"
                    .to_owned(),
            ),
            (true, false) => notes.push("the debug information has no lines of code".to_owned()),
            (false, _) => {}
        }
        reading.rows
    }
}

/// Reads the lines of one unit after the other.
struct Reading<'a> {
    dwarf: &'a gimli::Dwarf<Bytes>,
    placement: Placement,
    areas: &'a [Area],
    numbers: BTreeMap<String, u32>,
    sources: &'a mut Vec<String>,
    rows: Vec<Row>,
}

/// A line that goes on until the next one begins.
#[derive(Clone, Copy)]
struct Open {
    byte: u64,
    file: u64,
    line: Option<u32>,
    /// 0 where it is not known.
    column: u32,
    is_statement: bool,
}

impl Reading<'_> {
    fn add_unit(&mut self, unit: &Unit) -> Result<(), gimli::Error> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut files = BTreeMap::new();
        let mut rows = program.rows();
        let mut open: Option<Open> = None;
        while let Some((header, row)) = rows.next_row()? {
            if let Some(open) = open.take()
                && open.byte < row.address()
            {
                self.close(open, row.address(), unit, header, &mut files);
            }
            if !row.end_sequence() {
                open = Some(Open {
                    byte: row.address(),
                    file: row.file_index(),
                    line: row.line().and_then(|line| u32::try_from(line.get()).ok()),
                    column: match row.column() {
                        gimli::ColumnType::LeftEdge => 0,
                        gimli::ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
                    },
                    is_statement: row.is_stmt(),
                });
            }
        }
        Ok(())
    }

    fn close(
        &mut self,
        open: Open,
        end: u64,
        unit: &Unit,
        header: &LineHeader,
        files: &mut BTreeMap<u64, u32>,
    ) {
        let Some(line) = open.line else { return };
        let (Some(start), Some(last)) = (self.placement.cell(open.byte), self.placement.cell(end - 1)) else {
            return;
        };
        // Lines of code that the linker has dropped stand where there is none.
        let Some(area) = area_at(self.areas, start) else { return };
        let source = *files.entry(open.file).or_insert_with(|| {
            let name = self.source_name(unit, header, open.file);
            self.number(name)
        });
        let end = area.end.min(last.saturating_add(1));
        let Open { column, is_statement, .. } = open;
        self.rows.push(Row { start, end, source, line, column, is_statement });
    }

    fn number(&mut self, name: String) -> u32 {
        let next = self.sources.len() as u32;
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.sources.push(name);
        }
        number
    }

    /// The name of a source: its folder and that of the compilation before it, unless they are told.
    fn source_name(&self, unit: &Unit, header: &LineHeader, file: u64) -> String {
        let text = |value| {
            let bytes = self.dwarf.attr_string(unit, value).ok()?;
            bytes.to_string_lossy().ok().map(|text| text.into_owned())
        };
        let Some(entry) = header.file(file) else { return "[unknown source]".to_owned() };
        let mut name = text(entry.path_name()).unwrap_or_default();
        let folder = entry.directory(header).and_then(text).unwrap_or_default();
        let compilation = unit.comp_dir.as_ref().and_then(|folder| folder.to_string_lossy().ok());
        for folder in [folder.as_str(), compilation.as_deref().unwrap_or("")] {
            if !name.starts_with('/') && !folder.is_empty() {
                name = format!("{folder}/{name}");
            }
        }
        normalize(&name)
    }
}

/// A path without the parts that lead nowhere.
pub(crate) fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Sorts the rows of all files; of those that overlap the later one has the cells of both.
pub(super) fn sort_rows(rows: &mut Vec<Row>) {
    rows.sort_by_key(|row| row.start);
    // Stable: of those at one address the last one that was read stays.
    let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        while kept.last().is_some_and(|last| last.start == row.start) {
            kept.pop();
        }
        if let Some(last) = kept.last_mut() {
            last.end = last.end.min(row.start);
        }
        kept.push(row);
    }
    *rows = kept;
}

#[cfg(test)]
mod tests {
    use super::{Row, normalize, sort_rows};

    #[test]
    fn paths_lead_straight() {
        let cases =
            [("./a/../b//c.c", "b/c.c"), ("/x/./y.c", "/x/y.c"), ("../../z.c", "../../z.c"), ("a.c", "a.c")];
        for (path, expected) in cases {
            assert_eq!(normalize(path), expected);
        }
    }

    #[test]
    fn no_cell_has_two_lines() {
        let row = |start, end, line| Row { start, end, source: 0, line, column: 0, is_statement: true };
        let mut rows = vec![row(4, 8, 2), row(0, 6, 1), row(4, 6, 3)];
        sort_rows(&mut rows);
        assert_eq!(rows, [row(0, 4, 1), row(4, 6, 3)]);
    }
}
