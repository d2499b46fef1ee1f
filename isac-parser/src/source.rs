//! Where text comes from: files by id, and places in them by byte offset.
//!
//! Nothing here opens a file by itself: whoever parses hands in a [`SourceLoader`], so that a
//! test or an editor can answer from memory.

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
