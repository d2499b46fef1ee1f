//! One file: its definitions one by one, until there are too many errors.

use super::code;
use super::explain::is_unexpected;
use super::recover::{Found, parse_piece, parse_stray};
use super::remedy;
use super::scan::{Scan, TokenKind, scan_text};
use super::split::{self, Piece, is_item_word, split_items};
use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::resolve::near_names;
use crate::source::{FileId, MAX_FILE_BYTES, SourceMap, Span};

/// After this many errors the rest of a file is not looked at; with what says so they are as many as
/// are shown.
pub(super) const MAX_ERRORS: usize = 99;

/// What is unexpected so few tokens behind something else that was follows from it: two words in the
/// wrong order are one error.
const TOKENS_TO_RECOVER: usize = 3;

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
    // Behind a definition that is wrong, or that ends too early, stands what is left of it.
    let mut is_rest = false;
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
            items.extend(parse_piece(&scan, &piece, &mut found));
            is_rest = found.diagnostics.len() > before || scan.has_problem(piece.tokens.clone());
        } else if is_rest && !stands_alone(&scan, &piece) {
            found.lost.push(piece.tokens.clone());
        } else {
            parse_stray(&scan, &piece, &mut found);
            is_rest = !stands_alone(&scan, &piece);
            // The head of a definition may be lost, and its name with it.
            found.lacks_name |= is_rest && !is_brace(&scan, &piece);
        }
    }
    diagnostics.extend(first_errors(&scan, std::mem::take(&mut found.diagnostics)));
    let is_include = |lost: &std::ops::Range<usize>| {
        let first = scan.word(lost.start);
        first == "INCLUDE" || is_nearly(first, &["INCLUDE"])
    };
    let may_define_anything =
        scan.has_open_comment() || found.lacks_name || found.lost.iter().any(is_include);
    if is_cut || may_define_anything {
        return ast::File { items, lost: ast::Lost::Anything };
    }
    let words =
        found.lost.iter().cloned().flatten().filter(|token| scan.tokens[*token].kind == TokenKind::Word);
    let lost = ast::Lost::Words(words.map(|token| scan.word(token).to_owned()).collect());
    ast::File { items, lost }
}

/// True for a closing brace and nothing else.
fn is_brace(scan: &Scan<'_>, piece: &Piece) -> bool {
    piece.tokens.clone().all(|token| matches!(scan.word(token), "}" | ";"))
}

/// True for what is no definition but was meant to be one: another word for it, or a function of C.
fn stands_alone(scan: &Scan<'_>, piece: &Piece) -> bool {
    let tokens = piece.tokens.clone();
    let first = scan.word(tokens.start);
    let marks =
        || tokens.clone().map(|index| scan.word(index)).find(|word| matches!(*word, "(" | "{" | "=" | ";"));
    is_nearly(first, &split::ITEM_WORDS)
        || remedy::is_definition_elsewhere(first)
        || remedy::is_type(first) && marks() == Some("(") && scan.word(tokens.end - 1) == "}"
}

/// True for a word that was probably meant to be one of these.
pub(super) fn is_nearly(word: &str, known: &[&'static str]) -> bool {
    !near_names(word, known.iter().copied()).is_empty()
}

/// What is wrong with tokens and with what they make, in order of position; of too much the first,
/// and that there is more.
fn first_errors(scan: &Scan<'_>, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = scan.problems.iter().cloned().chain(found).collect();
    all.sort_by_key(|finding| finding.primary.0.start);
    let mut last = None;
    all.retain(|finding| {
        if !is_unexpected(finding) {
            return true;
        }
        let token = scan.token_at(finding.primary.0.start as usize);
        let follows = last.is_some_and(|last| token - last < TOKENS_TO_RECOVER);
        last = Some(if follows { last.unwrap_or(token) } else { token });
        !follows
    });
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
