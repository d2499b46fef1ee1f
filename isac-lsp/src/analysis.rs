//! One description as it stands: texts, trees, names, findings.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use isac_parser::diagnostic::Diagnostics;
use isac_parser::model::CheckedModel;
use isac_parser::source::{FileId, SourceLoader, SourceMap, Span, without_dots};
use isac_parser::{ParsedFiles, Reading, read_model};
use lsp_types::{Location, Position};

use crate::index::{Index, Occurrence};
use crate::text::Lines;
use crate::uri::uri_of;

/// A description that was read: everything but what its checks say.
pub(crate) struct Analysis {
    /// The root file.
    pub(crate) root: PathBuf,
    /// By which later results of it are known.
    pub(crate) stamp: u64,
    /// Its texts.
    pub(crate) sources: SourceMap,
    /// Its trees and, as far as it is known, what they mean.
    pub(crate) reading: Reading,
    /// Its names.
    pub(crate) index: Index,
    /// By file.
    lines: Vec<Lines>,
    /// By file: the path by which documents are known.
    paths: Vec<PathBuf>,
}

impl Analysis {
    /// Reads the description of a root file.
    pub(crate) fn of(
        root: &Path,
        stamp: u64,
        loader: &dyn SourceLoader,
        overrides: &BTreeMap<String, u128>,
        parsed: &mut ParsedFiles,
    ) -> Analysis {
        let mut sources = SourceMap::new();
        let reading = read_model(root, loader, overrides, parsed, &mut sources);
        let index = Index::of(&reading.files);
        let lines = sources.files().map(|file| Lines::of(sources.text(file))).collect();
        let paths = sources.files().map(|file| without_dots(sources.path(file))).collect();
        Analysis { root: root.to_owned(), stamp, sources, reading, index, lines, paths }
    }

    /// What parsing and resolving found.
    pub(crate) fn findings(&self) -> Diagnostics {
        self.reading.findings(&self.sources)
    }

    /// What all checks find, and the model if it is sound.
    pub(crate) fn check(&self) -> (Option<CheckedModel>, Diagnostics) {
        self.reading.check(&self.sources)
    }

    /// The file of a path, if the description has it.
    pub(crate) fn file(&self, path: &Path) -> Option<FileId> {
        let at = self.paths.iter().position(|known| known == path)?;
        u32::try_from(at).ok().map(FileId)
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: FileId) -> &Path {
        &self.paths[file.0 as usize]
    }

    /// The byte at a position of a file.
    pub(crate) fn offset(&self, file: FileId, position: Position) -> usize {
        self.lines[file.0 as usize].offset(self.sources.text(file), position)
    }

    /// The name at a position of a file.
    pub(crate) fn name_at(&self, file: FileId, position: Position) -> Option<Occurrence> {
        self.index.at(file, self.offset(file, position))
    }

    /// Where a span stands in its file.
    pub(crate) fn range(&self, span: Span) -> lsp_types::Range {
        self.range_of(span.file, span.start as usize..span.end as usize)
    }

    /// Where some bytes of a file stand.
    pub(crate) fn range_of(&self, file: FileId, bytes: Range<usize>) -> lsp_types::Range {
        self.lines[file.0 as usize].range(self.sources.text(file), bytes)
    }

    /// Where a span stands.
    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        Some(Location::new(uri_of(self.path(span.file))?, self.range(span)))
    }
}
