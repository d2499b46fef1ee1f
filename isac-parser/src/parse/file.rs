//! One file: its definitions one by one, until there are too many errors.

use super::code;
use super::recover::{Found, parse_piece, parse_stray};
use super::scan::{Scan, TokenKind, scan_text};
use super::split::{self, is_item_word, split_items};
use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, MAX_FILE_BYTES, SourceMap, Span};

/// After this many errors the rest of a file is not looked at; with what says so they are as many as
/// are shown.
pub(super) const MAX_ERRORS: usize = 99;

/// Most definitions of a description. More are a mistake, and would take memory without end.
pub(super) const MAX_DEFINITIONS: usize = 100_000;

pub(super) fn parse(file: FileId, sources: &SourceMap, diagnostics: &mut Diagnostics) -> ast::File {
    if sources.text(file).len() > MAX_FILE_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_FILE_BYTES >> 20);
        diagnostics.push(Diagnostic::error(code::TOO_LARGE, Span::new(file, 0, 0), message));
        return ast::File { items: Vec::new(), lost: ast::Lost::Anything };
    }
    let scan = scan_text(file, sources.text(file), is_item_word);
    let mut found = Found::default();
    let mut items = Vec::new();
    let mut after_stray_section = false;
    let mut after_error = false;
    let mut is_cut = false;
    for (number, piece) in split_items(&scan).into_iter().enumerate() {
        if number == MAX_DEFINITIONS {
            found.diagnostics.push(too_many(&scan, piece.tokens.start));
            is_cut = true;
            break;
        }
        if found.diagnostics.len() >= MAX_ERRORS {
            found.diagnostics.push(gave_up(scan.token_span(piece.tokens.start)));
            found.lost.push(piece.tokens.start..scan.tokens.len());
            break;
        }
        let first = scan.word(piece.tokens.start);
        let before = found.diagnostics.len();
        if is_item_word(first) {
            after_stray_section = false;
            items.extend(parse_piece(&scan, &piece, &mut found));
        } else {
            // What follows a definition that ended too early is reported once.
            let is_section = first == "}" || split::SECTION_WORDS.contains(&first);
            let is_rest = first == "{" && after_error;
            if !(is_section && after_stray_section || is_rest) {
                parse_stray(&scan, &piece, &mut found);
            }
            after_stray_section = is_section;
        }
        after_error = found.diagnostics.len() > before;
    }
    diagnostics.extend(first_errors(&scan, found.diagnostics));
    if is_cut {
        return ast::File { items, lost: ast::Lost::Anything };
    }
    let words =
        found.lost.iter().cloned().flatten().filter(|token| scan.tokens[*token].kind == TokenKind::Word);
    let lost = ast::Lost::Words(words.map(|token| scan.word(token).to_owned()).collect());
    ast::File { items, lost }
}

/// What is wrong with tokens and with what they make, in order of position; of too much the first,
/// and that there is more.
fn first_errors(scan: &Scan<'_>, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = scan.problems.iter().cloned().chain(found).collect();
    all.sort_by_key(|finding| finding.primary.0.start);
    if let Some(next) = all.get(MAX_ERRORS) {
        let place = next.primary.0;
        all.truncate(MAX_ERRORS);
        all.push(gave_up(place));
    }
    all
}

fn too_many(scan: &Scan<'_>, token: usize) -> Diagnostic {
    let message = format!("more than {MAX_DEFINITIONS} definitions");
    Diagnostic::error(code::TOO_LARGE, scan.token_span(token), message)
        .label("what follows was not looked at")
}

/// The message for what is not looked at any more from a place on.
pub(super) fn gave_up(place: Span) -> Diagnostic {
    Diagnostic::error(code::TOO_LARGE, place, format!("more than {MAX_ERRORS} errors in this file"))
        .label("what follows was not looked at")
}
