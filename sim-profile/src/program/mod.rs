//! The program that was run: functions and lines of its files, by the addresses of the profile.
//!
//! What a file lacks or what is damaged in it is told by a [`Note`], and never keeps the rest from
//! being read: a report shows what is there. So that every address has a function, code without
//! symbols is given *regions*, named by the file and the address at which they begin.

mod debug;
mod name;
mod profile;

pub mod decision;
pub mod line;
pub mod render;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use crate::symbols::ImageFile;
pub(crate) use debug::normalize;
pub use name::demangle;
pub use profile::{Cost, ProgramProfile, SourceTexts};

use debug::DebugInformation;

use crate::symbols::{Piece, Placement, divide, functions_digest, read_code, sort_pieces};
use crate::tables::CodeCells;
use crate::{Calls, Measurement};

/// Something that a file does not tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Name of the file.
    pub image: String,
    /// What is missing, and what follows from it.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.image, self.text)
    }
}

/// A function, or a region of code without symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// As in its source, where the symbol's name is a mangled one.
    pub name: String,
    /// The symbol; for a region the same as the name.
    pub symbol: String,
    /// Its file, by number in [`Program::images`]; none for what is outside of all files.
    pub image: Option<u32>,
    /// Address of its first cell.
    pub start: u64,
    /// False for a region.
    pub has_symbol: bool,
}

impl Function {
    /// What stands for a function where there is none.
    fn nowhere(name: &str) -> Function {
        Function { name: name.to_owned(), symbol: name.to_owned(), image: None, start: 0, has_symbol: false }
    }
}

/// Cells that belong to one place of a source: a line, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Address of the first.
    pub start: u64,
    /// Address behind the last.
    pub end: u64,
    /// The source, by number in [`Program::sources`].
    pub source: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
    /// Whether a statement begins here.
    pub is_statement: bool,
}

/// A function at an address, or one that it was inlined into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// The source, as the program's files name it.
    pub source: Option<String>,
    /// The line; in a function that another was inlined into, the line of the call.
    pub line: Option<u32>,
}

/// Functions and lines of all files of a run.
pub struct Program {
    images: Vec<String>,
    /// Of each, what tells its functions apart, if it has any.
    digests: Vec<Option<String>>,
    functions: Vec<Function>,
    pieces: Vec<Piece>,
    sources: Vec<String>,
    rows: Vec<Row>,
    debug: Vec<DebugInformation>,
    notes: Vec<Note>,
}

/// Number of the function that stands for everything outside of all files.
pub const OUTSIDE: u32 = 0;

/// Number of the function that stands for cycles of no instruction: in which none began, or one that was
/// flushed before it was decoded.
pub const NO_INSTRUCTION: u32 = 1;

impl Program {
    /// Reads symbols and lines. Where files overlap, the first one counts.
    pub fn read(files: &[ImageFile<'_>], cells: CodeCells) -> Program {
        let mut program = Program {
            images: Vec::new(),
            digests: Vec::new(),
            functions: ["[outside of all files]", "[no instruction]"].map(Function::nowhere).to_vec(),
            pieces: Vec::new(),
            sources: Vec::new(),
            rows: Vec::new(),
            debug: Vec::new(),
            notes: Vec::new(),
        };
        for file in files {
            program.add_image(file, cells);
        }
        let cut = sort_pieces(&mut program.pieces);
        program.note_overlaps(&cut);
        debug::sort_rows(&mut program.rows);
        program.join_pieces();
        program
    }

    /// Notes which files lie over others, from the pieces that lost cells.
    fn note_overlaps(&mut self, cut: &[Piece]) {
        let mut first: BTreeMap<u32, u64> = BTreeMap::new();
        for piece in cut {
            let image = self.function(piece.function).image.unwrap_or_default();
            let lowest = first.entry(image).or_insert(piece.start);
            *lowest = piece.start.min(*lowest);
        }
        for (image, address) in first {
            let name = self.images[image as usize].clone();
            let text = format!(
                "its code from {address:#x} on lies over that of another file, which counts: what was run, then \
                 what has symbols, then the first that was named"
            );
            self.add_note(&name, text);
        }
    }

    /// Adds something that a file does not tell.
    pub fn add_note(&mut self, image: &str, text: String) {
        self.notes.push(Note { image: image.to_owned(), text });
    }

    /// Notes the files in whose functions something ran that nobody knew of when calls were followed.
    pub fn note_unknown_functions(&mut self, measurement: &Measurement, calls: &Calls) {
        let Some(known) = &calls.known_functions else { return };
        let is_unknown = |digest: &Option<String>| digest.as_ref().is_some_and(|it| !known.contains(it));
        let images = (0u32..).zip(&self.digests).filter(|(_, digest)| is_unknown(digest));
        let unknown: BTreeSet<u32> = images.map(|(image, _)| image).collect();
        if unknown.is_empty() {
            return;
        }
        let functions =
            measurement.instructions.keys().map(|key| self.function(self.function_at(key.address)));
        let ran = functions.filter(|function| function.has_symbol).filter_map(|function| function.image);
        let ran: BTreeSet<u32> = ran.filter(|image| unknown.contains(image)).collect();
        for image in ran {
            let name = self.images[image as usize].clone();
            let text = "its functions were not known when calls were followed: jumps from one of them to another \
                        are no calls, and inclusive costs are not those of functions; name the file to the run, too: \
                        gentool run --image";
            self.add_note(&name, format!("{text} {name}"));
        }
    }

    /// Joins the pieces of a function that follow each other.
    fn join_pieces(&mut self) {
        self.pieces.dedup_by(|next, piece| {
            let joined = piece.end == next.start && piece.function == next.function;
            if joined {
                piece.end = next.end;
            }
            joined
        });
    }

    fn add_image(&mut self, file: &ImageFile<'_>, cells: CodeCells) {
        let image = self.images.len() as u32;
        self.images.push(file.name.to_owned());
        let mut notes = Vec::new();
        let placement = Placement { cells, bias: file.base.unwrap_or(0) };
        let code = read_code(file, placement, &mut notes);
        let first = self.functions.len() as u32;
        let (names, pieces) = divide(&code, file.name);
        self.digests.push(functions_digest(&names, &pieces));
        self.functions.extend(names.into_iter().map(|symbol| Function {
            name: if symbol.is_region { symbol.name.clone() } else { demangle(&symbol.name) },
            symbol: symbol.name,
            image: Some(image),
            start: symbol.start,
            has_symbol: !symbol.is_region,
        }));
        let numbered = pieces.into_iter().map(|piece| Piece { function: piece.function + first, ..piece });
        self.pieces.extend(numbered);
        if let Some(mut debug) = DebugInformation::read(file, placement, image, &mut notes) {
            let rows = debug.rows(&code, &mut self.sources, &mut notes);
            self.rows.extend(rows);
            self.debug.push(debug);
        }
        notes.dedup();
        self.notes.extend(notes.into_iter().map(|text| Note { image: file.name.to_owned(), text }));
    }

    /// Names of the files, by number.
    pub fn images(&self) -> &[String] {
        &self.images
    }

    /// All functions and regions, by number; the first are [`OUTSIDE`] and [`NO_INSTRUCTION`].
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Numbers of the functions that have cells; others have them all.
    pub fn functions_with_cells(&self) -> BTreeSet<u32> {
        self.pieces.iter().map(|piece| piece.function).collect()
    }

    /// Names of the sources, by number, as the program's files have them.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Cells with lines, ascending, none twice.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What the files do not tell.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Number of the function at an address.
    pub fn function_at(&self, address: u64) -> u32 {
        let behind = self.pieces.partition_point(|piece| piece.start <= address);
        let piece = behind.checked_sub(1).map(|index| &self.pieces[index]);
        piece.filter(|piece| address < piece.end).map_or(OUTSIDE, |piece| piece.function)
    }

    /// A function by its number.
    pub fn function(&self, number: u32) -> &Function {
        let index = usize::try_from(number).unwrap_or(0);
        self.functions.get(index).unwrap_or(&self.functions[OUTSIDE as usize])
    }

    /// Addresses at which functions begin or end: what lies between two belongs to one function.
    pub fn boundaries(&self) -> Vec<u64> {
        let ends = self.pieces.iter().flat_map(|piece| [piece.start, piece.end]);
        let mut boundaries: Vec<u64> = ends.collect();
        boundaries.sort_unstable();
        boundaries.dedup();
        boundaries
    }

    /// The line at an address.
    pub fn row_at(&self, address: u64) -> Option<&Row> {
        let behind = self.rows.partition_point(|row| row.start <= address);
        let row = &self.rows[behind.checked_sub(1)?];
        (address < row.end).then_some(row)
    }

    /// Name of a source.
    pub fn source(&self, number: u32) -> &str {
        usize::try_from(number).ok().and_then(|index| self.sources.get(index)).map_or("", String::as_str)
    }

    /// The functions at an address, the innermost first: those that were inlined, and the one that
    /// has the symbol. Never empty.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let function = self.function(self.function_at(address));
        let debug = self.debug.iter().find(|debug| Some(debug.image()) == function.image);
        let mut frames = debug.map(|debug| debug.frames(address)).unwrap_or_default();
        if debug.is_some_and(|debug| debug.is_doubtful(address)) && !self.are_here(&frames, address) {
            frames.clear();
        }
        if let Some(outermost) = frames.last_mut() {
            // What the call graph and the tables call it.
            outermost.function.clone_from(&function.name);
            return frames;
        }
        let row = self.row_at(address);
        vec![Frame {
            function: function.name.clone(),
            source: row.map(|row| self.source(row.source).to_owned()),
            line: row.map(|row| row.line),
        }]
    }

    /// Whether frames are of what stands at an address, by its line and its symbol.
    fn are_here(&self, frames: &[Frame], address: u64) -> bool {
        let place = self.row_at(address).map(|row| (self.source(row.source), row.line));
        let told = frames.first().and_then(|frame| frame.source.as_deref().zip(frame.line));
        let function = self.function(self.function_at(address));
        place == told && frames.last().is_some_and(|frame| frame.function == function.name)
    }
}
