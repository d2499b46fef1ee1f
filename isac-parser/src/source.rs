//! Where text comes from: files by id, and places in them by byte offset.
//!
//! Nothing here opens a file by itself: whoever parses hands in a [`SourceLoader`], so that a
//! test or an editor can answer from memory.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The largest source file that is read, in bytes. Spans count bytes in 32 bits, and nobody
/// writes a description of this size.
pub const MAX_FILE_BYTES: usize = 16 << 20;

/// A file of the description, by the order in which it was first read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A place in a source file: bytes `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of a file.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: narrow(start), end: narrow(end) }
    }

    /// From the beginning of `self` to the end of `last`, which stands behind it in one file.
    pub fn to(self, last: Span) -> Self {
        Self { file: self.file, start: self.start, end: last.end.max(self.end) }
    }
}

/// The files that were read, each with its path as the user gave it.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

#[derive(Debug, Clone)]
struct SourceFile {
    path: PathBuf,
    text: String,
    /// The offset of the first byte of each line.
    line_starts: Vec<u32>,
}

impl SourceMap {
    /// A map of no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under the path that messages shall show.
    ///
    /// A carriage return ends a line as a line feed does, and both together end one; the text that
    /// is kept has line feeds alone, each byte in its place.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let mut text = text.into();
        if text.contains('\r') {
            text = text.replace("\r\n", " \n").replace('\r', "\n");
        }
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(breaks.map(|(offset, _)| u32::try_from(offset + 1).unwrap_or(u32::MAX)))
            .collect();
        self.files.push(SourceFile { path: path.into(), text, line_starts });
        id
    }

    /// The files in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..u32::try_from(self.files.len()).unwrap_or(u32::MAX)).map(FileId)
    }

    /// The path of a file, as the user gave it.
    ///
    /// # Panics
    /// If the id is not of this map.
    pub fn path(&self, id: FileId) -> &Path {
        &self.file(id).path
    }

    /// The text of a file.
    ///
    /// # Panics
    /// If the id is not of this map.
    pub fn text(&self, id: FileId) -> &str {
        &self.file(id).text
    }

    /// The text that a span covers; a span that does not fit the text is cut to it.
    ///
    /// # Panics
    /// If the file is not of this map.
    pub fn slice(&self, span: Span) -> &str {
        let text = self.text(span.file);
        let range = clamp(text, span);
        &text[range]
    }

    /// Line and column of a span's first byte, both counted from 1; columns count characters.
    ///
    /// # Panics
    /// If the file is not of this map.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let file = self.file(span.file);
        let start = clamp(&file.text, span).start;
        let line = self.line_of(span.file, start);
        let line_start = file.line_starts[line] as usize;
        (line + 1, file.text[line_start..start].chars().count() + 1)
    }

    /// The line, counted from 0, on which a byte stands.
    pub(crate) fn line_of(&self, id: FileId, offset: usize) -> usize {
        let starts = &self.file(id).line_starts;
        starts.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// The bytes of a line, counted from 0, its break excluded.
    pub(crate) fn line_range(&self, id: FileId, line: usize) -> std::ops::Range<usize> {
        let file = self.file(id);
        let bound = |line: usize| file.line_starts.get(line).map(|start| *start as usize);
        let start = bound(line).unwrap_or(file.text.len());
        let end = bound(line + 1).map_or(file.text.len(), |next| next - 1);
        start..end
    }

    fn file(&self, id: FileId) -> &SourceFile {
        self.files.get(id.0 as usize).expect("a file id is used with the map that gave it")
    }
}

/// The span's bytes, moved to the nearest character boundaries inside the text.
pub(crate) fn clamp(text: &str, span: Span) -> std::ops::Range<usize> {
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary((span.end as usize).min(text.len()));
    start..end.max(start)
}

/// Reads a description's files.
pub trait SourceLoader {
    /// The bytes of the file.
    ///
    /// # Errors
    /// Whatever keeps the file from being read.
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error>;

    /// By what a file is known again: the same for all paths that lead to it.
    fn identity(&self, path: &Path) -> PathBuf {
        without_dots(path)
    }
}

/// A path without `.` and without `..` behind a name, by its text alone.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    plain
}

/// Reads from the file system; relative paths are relative to the current directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileSystem;

impl SourceLoader for FileSystem {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        let mut bytes = Vec::new();
        // One byte more than is allowed, so that the parser sees that the file is too large.
        let limit = MAX_FILE_BYTES as u64 + 1;
        refuse_named_pipe(path)?;
        std::fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Links are followed: in a circle of them one file has paths without end.
    fn identity(&self, path: &Path) -> PathBuf {
        std::fs::canonicalize(path).unwrap_or_else(|_| without_dots(path))
    }
}

/// Refuses a pipe that has a name: opening it would wait for somebody to write.
///
/// A pipe of the shell, as `/dev/stdin`, has none. What has no end is cut off later.
///
/// # Errors
/// What the path leads to.
pub fn refuse_named_pipe(path: &Path) -> Result<(), io::Error> {
    let is_pipe = is_pipe(std::fs::metadata(path)?.file_type());
    match is_pipe && std::fs::canonicalize(path).is_ok() {
        true => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe; name a file")),
        false => Ok(()),
    }
}

#[cfg(unix)]
fn is_pipe(found: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found)
}

#[cfg(not(unix))]
fn is_pipe(_: std::fs::FileType) -> bool {
    false
}

/// Answers from memory.
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    /// The files by path.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl InMemory {
    /// A loader of the files given as path and text.
    pub fn new<P: Into<PathBuf>, T: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        Self { files }
    }
}

impl SourceLoader for InMemory {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        self.files.get(path).cloned().ok_or_else(missing)
    }
}
