//! Trees of files that were parsed before: who reads a description at every keystroke changes one file
//! of it at a time.

use std::collections::BTreeMap;

use super::parse_file;
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::source::{FileId, SourceMap};

/// What the files of a description were parsed to.
#[derive(Debug, Clone, Default)]
pub struct ParsedFiles {
    files: BTreeMap<FileId, ParsedFile>,
}

#[derive(Debug, Clone)]
struct ParsedFile {
    text: String,
    tree: ast::File,
    findings: Diagnostics,
    is_used: bool,
}

impl ParsedFiles {
    /// The tree of a file: as it was, if the same text was parsed under the same id, whose places the
    /// tree holds.
    pub(super) fn parse(
        &mut self,
        file: FileId,
        sources: &SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> ast::File {
        let text = sources.text(file);
        let known = self.files.get_mut(&file).filter(|known| known.text == text);
        if let Some(known) = known {
            known.is_used = true;
            diagnostics.extend(known.findings.clone());
            return known.tree.clone();
        }
        let mut findings = Diagnostics::new();
        let tree = parse_file(file, sources, &mut findings);
        diagnostics.extend(findings.clone());
        let parsed = ParsedFile { text: text.to_owned(), tree: tree.clone(), findings, is_used: true };
        self.files.insert(file, parsed);
        tree
    }

    /// Drops what was not asked for since this was called last.
    pub(super) fn forget_unused(&mut self) {
        self.files.retain(|_, file| std::mem::replace(&mut file.is_used, false));
    }
}
