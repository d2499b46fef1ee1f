//! Lines and inlined functions of a file, from its DWARF.
//!
//! Every unit is read by itself: one that is damaged costs its own lines, and a note.

mod dropped;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use gimli::{DebugInfoOffset, EndianArcSlice, Reader as _, RunTimeEndian, Section as _};
use object::{CompressionFormat, Object, ObjectSection};

use self::dropped::{Functions, Suspect, functions_of, take_dropped};
use super::name::demangle;
use super::{Frame, ImageFile, Row};
use crate::symbols::{Area, Code, Placement, area_at, is_elf};

type Bytes = EndianArcSlice<RunTimeEndian>;
type Unit = gimli::Unit<Bytes>;
type LineHeader = gimli::LineProgramHeader<Bytes>;

/// Most bytes of a section that is compressed: a file may claim anything.
const MOST_INFLATED: u64 = 1 << 30;

/// Deepest nesting of entries that is followed.
const DEEPEST_ENTRY: isize = 1 << 10;

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
    /// Where functions that were dropped end, if they seem to stand where there is code.
    dropped_end: Option<u64>,
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
        let context = match is_too_deep(&dwarf) {
            true => Err("functions within functions without end".to_owned()),
            false => addr2line::Context::from_arc_dwarf(dwarf.clone()).map_err(|error| error.to_string()),
        };
        if let Err(error) = &context {
            notes.push(format!("damaged debug information ({error}): no inlined functions"));
        }
        Some(DebugInformation {
            dwarf,
            context: context.ok(),
            placement,
            image,
            has_stabs,
            dropped_end: None,
        })
    }

    /// The file's number.
    pub(super) fn image(&self) -> u32 {
        self.image
    }

    /// Whether what is said of functions at an address may be said of such as were dropped.
    pub(super) fn is_doubtful(&self, address: u64) -> bool {
        self.dropped_end.is_some_and(|end| address < end)
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
        &mut self,
        code: &Code,
        sources: &mut Vec<String>,
        notes: &mut Vec<String>,
    ) -> Vec<Row> {
        let mut reading = Reading {
            dwarf: &self.dwarf,
            placement: self.placement,
            areas: &code.areas,
            numbers: sources.iter().cloned().zip(0..).collect(),
            sources,
            rows: Vec::new(),
            sequence: Vec::new(),
            suspects: Vec::new(),
            functions: None,
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
        let Reading { mut rows, mut suspects, .. } = reading;
        self.dropped_end = take_dropped(&mut suspects, &rows, code);
        rows.extend(suspects.into_iter().flat_map(|suspect| suspect.rows));
        match (rows.is_empty(), self.has_stabs) {
            (true, true) => notes.push(
                "the debug information is stabs, which is not read: no lines; compile with -gdwarf-4 to get them"
                    .to_owned(),
            ),
            (true, false) => notes.push("the debug information has no lines of code".to_owned()),
            (false, _) => {}
        }
        rows
    }
}

/// Whether entries are nested deeper than any program's: what reads inlined functions calls itself for each.
fn is_too_deep(dwarf: &gimli::Dwarf<Bytes>) -> bool {
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(abbreviations) = dwarf.abbreviations(&header) else { continue };
        let Ok(mut entries) = header.entries_raw(&abbreviations, None) else { continue };
        while !entries.is_empty() {
            if entries.next_depth() > DEEPEST_ENTRY {
                return true;
            }
            let skipped = entries.read_abbreviation().and_then(|abbreviation| match abbreviation {
                Some(abbreviation) => entries.skip_attributes(abbreviation.attributes()),
                None => Ok(()),
            });
            if skipped.is_err() {
                break;
            }
        }
    }
    false
}

/// Reads the lines of one unit after the other.
struct Reading<'a> {
    dwarf: &'a gimli::Dwarf<Bytes>,
    placement: Placement,
    areas: &'a [Area],
    numbers: BTreeMap<String, u32>,
    sources: &'a mut Vec<String>,
    rows: Vec<Row>,
    /// Of the sequence that is being read.
    sequence: Vec<Row>,
    /// Sequences that may have been dropped.
    suspects: Vec<Suspect>,
    /// Those of the unit, once they were asked for.
    functions: Option<Rc<Functions>>,
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
    /// Of a damaged unit, what there is before the damage.
    fn add_unit(&mut self, unit: &Unit) -> Result<(), gimli::Error> {
        self.functions = None;
        let mut first = None;
        let read = self.add_sequences(unit, &mut first);
        self.end_sequence(unit, first);
        read
    }

    /// `first` is the first byte of the sequence that is being read.
    fn add_sequences(&mut self, unit: &Unit, first: &mut Option<u64>) -> Result<(), gimli::Error> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut files = BTreeMap::new();
        let mut rows = program.rows();
        let mut open: Option<Open> = None;
        while let Some((header, row)) = rows.next_row()? {
            first.get_or_insert(row.address());
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
            } else {
                self.end_sequence(unit, first.take());
            }
        }
        Ok(())
    }

    fn end_sequence(&mut self, unit: &Unit, first: Option<u64>) {
        let rows = std::mem::take(&mut self.sequence);
        if first != Some(0) || rows.is_empty() {
            self.rows.extend(rows);
            return;
        }
        let (dwarf, placement) = (self.dwarf, self.placement);
        let functions = self.functions.get_or_insert_with(|| Rc::new(functions_of(dwarf, unit, placement)));
        self.suspects.push(Suspect { rows, functions: functions.clone() });
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
        self.sequence.push(Row { start, end, source, line, column, is_statement });
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

/// Sorts the rows of all files; of those that overlap the later one has the cells of both, and where it ends
/// before the other that one goes on.
pub(super) fn sort_rows(rows: &mut Vec<Row>) {
    // Stable: of those at one address the last one that was read comes before the others.
    rows.sort_by_key(|row| row.start);
    let mut laid = Laid { rows: Vec::with_capacity(rows.len()), at: 0 };
    // Each began before the next one, which lies over it.
    let mut open: Vec<Row> = Vec::new();
    for row in rows.drain(..) {
        laid.lay(&mut open, row.start);
        open.push(row);
    }
    laid.lay(&mut open, u64::MAX);
    *rows = laid.rows;
}

/// Rows of which none overlap, up to an address.
struct Laid {
    rows: Vec<Row>,
    at: u64,
}

impl Laid {
    /// Goes on to an address by the rows that are open, and takes out those that end there.
    fn lay(&mut self, open: &mut Vec<Row>, end: u64) {
        while let Some(row) = open.last() {
            let start = self.at.max(row.start);
            let piece = Row { start, end: row.end.min(end), ..*row };
            if piece.start < piece.end {
                let is_statement = row.is_statement && start == row.start;
                self.rows.push(Row { is_statement, ..piece });
                self.at = piece.end;
            }
            if row.end > end {
                break;
            }
            open.pop();
        }
        self.at = self.at.max(end);
    }
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
        let rest = |start, end, line| Row { is_statement: false, ..row(start, end, line) };
        let mut rows = vec![row(4, 8, 2), row(0, 6, 1), row(4, 6, 3), row(20, 24, 4), row(16, 32, 5)];
        sort_rows(&mut rows);
        let expected =
            [row(0, 4, 1), row(4, 6, 3), rest(6, 8, 2), row(16, 20, 5), row(20, 24, 4), rest(24, 32, 5)];
        assert_eq!(rows, expected);
    }
}
