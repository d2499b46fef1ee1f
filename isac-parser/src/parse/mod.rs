//! Text to the syntax tree.
//!
//! A file is scanned into tokens, cut into definitions, and each definition is parsed by the
//! grammar alone. One that does not parse is cut further, into sections or declarations, so that
//! every error in it is reported; only then is the piece that is wrong parsed once more, slowly,
//! to find out what was expected where.

mod build;
pub(crate) mod code;
mod expected;
mod explain;
mod file;
mod grammar;
mod include;
mod parsed;
mod recover;
mod remedy;
mod scan;
pub(crate) mod split;
mod statement;

use std::path::Path;

pub use parsed::ParsedFiles;

use crate::ast;
use crate::code_table::add_remedies;
use crate::diagnostic::Diagnostics;
use crate::source::{FileId, SourceLoader, SourceMap};

/// Parses a description: the file `root`, and what it includes.
///
/// The files come in the order in which their definitions count: an included file before the one
/// that includes it. A definition that is wrong is missing or, where some of its sections or
/// declarations are right, has only those; so after an error here, a missing name is no finding.
pub fn parse_model(
    root: &Path,
    loader: &dyn SourceLoader,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<(FileId, ast::File)> {
    parse_model_again(root, loader, None, sources, diagnostics)
}

/// As [`parse_model`], but files that have not changed since `parsed` was last used are not parsed
/// again; without it nothing is kept.
pub(crate) fn parse_model_again(
    root: &Path,
    loader: &dyn SourceLoader,
    mut parsed: Option<&mut ParsedFiles>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<(FileId, ast::File)> {
    let files = include::parse_with_includes(root, loader, parsed.as_deref_mut(), sources, diagnostics);
    if let Some(parsed) = parsed {
        parsed.forget_unused();
    }
    add_remedies(diagnostics);
    files
}

/// Parses one file of the source map; what it includes is not followed.
pub fn parse_file(file: FileId, sources: &SourceMap, diagnostics: &mut Diagnostics) -> ast::File {
    let tree = file::parse(file, sources, diagnostics);
    add_remedies(diagnostics);
    tree
}
