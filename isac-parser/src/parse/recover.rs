//! A definition that does not parse: its parts one by one.

use std::ops::Range;

use pest::Parser;
use pest::iterators::Pair;

use super::build::Builder;
use super::code;
use super::explain::{explain, is_unexpected};
use super::file::{MAX_ERRORS, gave_up, is_nearly};
use super::grammar::{Grammar, Rule};
use super::remedy;
use super::scan::Scan;
use super::split::{
    DECLARATION_WORDS, Piece, SECTION_WORDS, misindented_brace, split_declarations, split_sections,
};
use super::statement::{find_wrong_items, parse_by_statement};
use crate::ast::{Item, Operation, ResourceSection, Target};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What was found wrong in a file, and the tokens that did not parse.
#[derive(Default)]
pub(super) struct Found {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) lost: Vec<Range<usize>>,
    /// True if what lacks a name is among that: any name may be its.
    pub(super) lacks_name: bool,
}

impl Found {
    /// Reports that tokens do not parse by a rule.
    fn explain(&mut self, scan: &Scan<'_>, tokens: Range<usize>, rule: Rule) {
        let explained = explain(scan, tokens, rule);
        self.lacks_name |= explained.lacks_name;
        self.diagnostics.push(explained.diagnostic);
    }
}

/// A longer definition is not looked at: nobody writes one, and the grammar takes its time.
const MAX_ITEM_BYTES: u32 = 1 << 20;

/// A piece that begins with the word of a definition.
pub(super) fn parse_piece(scan: &Scan<'_>, piece: &Piece, found: &mut Found) -> Option<Item> {
    if is_too_long(scan, piece, found) {
        return None;
    }
    if let Some(item) = parse(scan, piece.tokens.clone(), Rule::item_entry, found, Builder::item) {
        return Some(item);
    }
    let before = found.diagnostics.len();
    let item = match scan.word(piece.tokens.start) {
        "OPERATION" => operation_in_parts(scan, piece, found),
        "RESOURCE" => resource_in_parts(scan, piece, found),
        "TARGET" => target_in_parts(scan, piece, found),
        "FUNCTION" if piece.unclosed.is_none() => {
            parse_by_statement(scan, &piece.tokens, Rule::item_entry, found, Builder::item)
        }
        _ => None,
    };
    if item.is_none() {
        found.lost.push(piece.tokens.clone());
    }
    let is_explained = scan.has_problem(piece.tokens.clone());
    if let Some(brace) = piece.unclosed
        && !is_explained
        && !found.diagnostics[before..].iter().any(|diagnostic| diagnostic.code == code::UNBALANCED)
    {
        let brace = misindented_brace(scan, piece.tokens.clone()).unwrap_or(brace);
        let begin = scan.token_span(brace).start;
        // The declarations behind it stand inside another one.
        let is_resource = scan.word(piece.tokens.start) == "RESOURCE";
        let (follows, told) = found.diagnostics.split_off(before).into_iter().partition(|finding| {
            finding.primary.0.start >= begin && (is_resource || is_at_end_or_brace(scan, finding))
        });
        let (follows, told): (Vec<Diagnostic>, Vec<Diagnostic>) = (follows, told);
        found.diagnostics.extend(told);
        let diagnostic = unclosed(scan, brace, piece.tokens.end);
        found.diagnostics.push(match follows.first().filter(|_| !is_resource) {
            Some(finding) => diagnostic.secondary(finding.primary.0, "not expected while it is open"),
            None => diagnostic,
        });
    }
    if found.diagnostics.len() == before && !is_explained {
        found.explain(scan, piece.tokens.clone(), Rule::item_entry);
    }
    item
}

/// True for what is unexpected where a brace lacks or is too many: a `;` behind a brace that is not there,
/// or another brace.
fn is_at_end_or_brace(scan: &Scan<'_>, finding: &Diagnostic) -> bool {
    let token = scan.token_at(finding.primary.0.start as usize);
    is_unexpected(finding) && matches!(scan.word(token), ";" | "{" | "}")
}

/// A piece that no word of a definition begins.
pub(super) fn parse_stray(scan: &Scan<'_>, piece: &Piece, found: &mut Found) {
    found.lost.push(piece.tokens.clone());
    if scan.has_problem(piece.tokens.clone()) || is_too_long(scan, piece, found) {
        return;
    }
    let mut diagnostic = explain(scan, piece.tokens.clone(), Rule::item_entry).diagnostic;
    let first = piece.tokens.start;
    if SECTION_WORDS.contains(&scan.word(first))
        && let Some(brace) = (0..first).rev().find(|index| scan.word(*index) != ";")
        && scan.word(brace) == "}"
    {
        diagnostic = diagnostic.secondary(scan.token_span(brace), "the definition before it ends here");
    }
    found.diagnostics.push(diagnostic);
}

fn is_too_long(scan: &Scan<'_>, piece: &Piece, found: &mut Found) -> bool {
    let span = scan.tokens_span(piece.tokens.clone());
    let is_too_long = span.end - span.start > MAX_ITEM_BYTES;
    if is_too_long {
        found.lost.push(piece.tokens.clone());
        let message = format!("a definition of more than {} KiB", MAX_ITEM_BYTES >> 10);
        found.diagnostics.push(
            Diagnostic::error(code::TOO_LARGE, scan.token_span(piece.tokens.start), message)
                .label("it begins here"),
        );
    }
    is_too_long
}

/// Parses tokens by a rule and builds what they mean.
fn parse<'s, T>(
    scan: &'s Scan<'s>,
    tokens: Range<usize>,
    rule: Rule,
    found: &mut Found,
    build: impl FnOnce(&mut Builder<'s>, Pair<'_, Rule>) -> T,
) -> Option<T> {
    if scan.has_problem(tokens.clone()) {
        return None;
    }
    let span = scan.tokens_span(tokens.clone());
    let text = &scan.text[span.start as usize..span.end as usize];
    parse_text(scan, tokens, rule, text, found, build)
}

/// The same for a text in which some of the tokens are blank.
pub(super) fn parse_text<'s, T>(
    scan: &'s Scan<'s>,
    tokens: Range<usize>,
    rule: Rule,
    text: &str,
    found: &mut Found,
    build: impl FnOnce(&mut Builder<'s>, Pair<'_, Rule>) -> T,
) -> Option<T> {
    let pair = Grammar::parse(rule, text).ok()?.next()?;
    let mut builder = Builder::new(scan, scan.tokens_span(tokens.clone()).start as usize);
    let built = build(&mut builder, pair);
    for problem in builder.problems.iter().filter(|problem| problem.code == code::RESERVED) {
        // What was meant to be declared there is missing.
        let begin = scan.token_at(problem.primary.0.start as usize);
        let end = (begin..tokens.end).find(|index| matches!(scan.word(*index), ";" | "{" | "}"));
        found.lost.push(begin..end.unwrap_or(tokens.end));
    }
    found.diagnostics.append(&mut builder.problems);
    Some(built)
}

/// Parses the pieces of a body, each by itself, and explains those that are wrong.
fn parse_parts<'s, T>(
    scan: &'s Scan<'s>,
    &Parts { pieces, rule, words }: &Parts<'_>,
    found: &mut Found,
    build: impl Fn(&mut Builder<'s>, Pair<'_, Rule>) -> T,
) -> Vec<T> {
    let mut parts = Vec::new();
    // Behind a part that is wrong, or that ends too early, stands what is left of it.
    let mut is_rest = false;
    for piece in pieces {
        let first = scan.word(piece.tokens.start);
        let begins = words.is_empty()
            || words.contains(&first)
            || is_nearly(first, words)
            || remedy::section_for(first).is_some();
        if is_rest && !begins {
            found.lost.push(piece.tokens.clone());
            continue;
        }
        let told = found.diagnostics.len();
        if found.diagnostics.len() >= MAX_ERRORS {
            found.diagnostics.push(gave_up(scan.token_span(piece.tokens.start)));
            break;
        }
        let mut part = parse(scan, piece.tokens.clone(), rule, found, &build);
        let before = found.diagnostics.len();
        if part.is_none() && piece.unclosed.is_none() && has_statements(scan, piece) {
            part = parse_by_statement(scan, &piece.tokens, rule, found, &build);
        }
        if part.is_none() && piece.unclosed.is_none() && has_items(scan, piece) {
            find_wrong_items(scan, &piece.tokens, rule, found);
        }
        if part.is_none() {
            found.lost.push(piece.tokens.clone());
        }
        if part.is_none() && found.diagnostics.len() == before {
            let is_explained = scan.has_problem(piece.tokens.clone());
            // The brace that the definition lacks was taken by a part that lacks it more.
            let is_left_over =
                scan.word(piece.tokens.start) == "}" && pieces.iter().any(|other| lacks_brace(scan, other));
            match piece.unclosed {
                _ if is_explained || is_left_over => {}
                Some(brace) => found.diagnostics.push(unclosed(scan, brace, piece.tokens.end)),
                None => found.explain(scan, piece.tokens.clone(), rule),
            }
        }
        parts.extend(part);
        is_rest = found.diagnostics.len() > told || scan.has_problem(piece.tokens.clone());
    }
    parts
}

/// The pieces of a body, and what they are parsed by.
struct Parts<'a> {
    pieces: &'a [Piece],
    rule: Rule,
    /// The words that a piece may begin with; any may if there are none.
    words: &'a [&'static str],
}

/// True if a brace of a piece is open at its end.
fn lacks_brace(scan: &Scan<'_>, piece: &Piece) -> bool {
    let marks = piece.tokens.clone().map(|index| match scan.word(index) {
        "{" => 1,
        "}" => -1,
        _ => 0,
    });
    piece.unclosed.is_some() || marks.sum::<i32>() > 0
}

/// True for what is made of statements, options or elements, which are told apart where one is wrong.
fn has_statements(scan: &Scan<'_>, piece: &Piece) -> bool {
    let word = scan.word(piece.tokens.start);
    matches!(word, "BEHAVIOR" | "ACTIVATION" | "CODINGROOT" | "LOCAL") || DECLARATION_WORDS.contains(&word)
}

/// True for the sections that are rows of items: without one of them the others mean something else.
fn has_items(scan: &Scan<'_>, piece: &Piece) -> bool {
    matches!(scan.word(piece.tokens.start), "CODING" | "TAIL" | "ASSEMBLER")
}

fn operation_in_parts(scan: &Scan<'_>, piece: &Piece, found: &mut Found) -> Option<Item> {
    let (head, body) = head_and_body(scan, piece)?;
    if head.clone().any(|index| SECTION_WORDS.contains(&scan.word(index))) {
        // The brace is a section's: the operation's own is missing.
        return None;
    }
    let head = match parse(scan, head.clone(), Rule::operation_head_entry, found, Builder::operation_head) {
        Some(head) => Some(head),
        None => {
            found.explain(scan, head.clone(), Rule::operation_head_entry);
            found.lost.push(head);
            None
        }
    };
    let mut pieces = split_sections(scan, body);
    blame_section(piece, &mut pieces);
    let parts = Parts { pieces: &pieces, rule: Rule::section_entry, words: &SECTION_WORDS };
    let sections = parse_parts(scan, &parts, found, Builder::section);
    let (name, stage) = head?;
    Some(Item::Operation(Operation { name, stage, sections, span: scan.tokens_span(piece.tokens.clone()) }))
}

/// A last section that is open only since its definition is, is not to blame.
fn blame_section(piece: &Piece, sections: &mut [Piece]) {
    if piece.unclosed.is_none() {
        for section in sections {
            section.unclosed = None;
        }
    }
}

fn resource_in_parts(scan: &Scan<'_>, piece: &Piece, found: &mut Found) -> Option<Item> {
    let (head, body) = head_and_body(scan, piece)?;
    if head.len() != 2 {
        return None;
    }
    let pieces = split_declarations(scan, body);
    let parts = Parts { pieces: &pieces, rule: Rule::declaration_entry, words: &DECLARATION_WORDS };
    let declarations = parse_parts(scan, &parts, found, Builder::declaration);
    Some(Item::Resource(ResourceSection { declarations, span: scan.tokens_span(piece.tokens.clone()) }))
}

fn target_in_parts(scan: &Scan<'_>, piece: &Piece, found: &mut Found) -> Option<Item> {
    let (head, body) = head_and_body(scan, piece)?;
    if head.len() != 2 {
        return None;
    }
    let pieces = split_declarations(scan, body);
    let parts = Parts { pieces: &pieces, rule: Rule::target_field_entry, words: &[] };
    let fields = parse_parts(scan, &parts, found, Builder::target_field);
    Some(Item::Target(Target { fields, span: scan.tokens_span(piece.tokens.clone()) }))
}

/// The tokens up to the first opening brace, and those between it and its partner.
fn head_and_body(scan: &Scan<'_>, piece: &Piece) -> Option<(Range<usize>, Range<usize>)> {
    let Range { start, mut end } = piece.tokens.clone();
    let open = piece.tokens.clone().find(|index| scan.word(*index) == "{")?;
    if piece.unclosed.is_none() {
        while end > open + 1 && matches!(scan.word(end - 1), ";") {
            end -= 1;
        }
        if end > open + 1 && scan.word(end - 1) == "}" {
            end -= 1;
        }
    }
    Some((start..open + 1, open + 1..end))
}

fn unclosed(scan: &Scan<'_>, brace: usize, next: usize) -> Diagnostic {
    let diagnostic = Diagnostic::error(code::UNBALANCED, scan.token_span(brace), "this brace is not closed")
        .label("expected a `}` for this one");
    if next < scan.tokens.len() {
        let word = scan.word(next);
        let span: Span = scan.token_span(next);
        diagnostic.secondary(span, format!("`{word}` cannot stand inside it"))
    } else {
        diagnostic.help("the file ends before it is closed")
    }
}
