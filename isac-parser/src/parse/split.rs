//! Tokens to pieces: where one definition, declaration or section ends and the next begins.
//!
//! One wrong definition must not cost its neighbours, so a text is cut before it is parsed. The cut
//! believes reserved words more than braces: a word that can only begin a definition does begin
//! one, even where braces are still open, and what stands before it is the unbalanced one.

use std::ops::Range;

use super::scan::{Scan, TokenKind};

/// A run of tokens that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The tokens.
    pub(super) tokens: Range<usize>,
    /// The opening brace that lacks its partner, innermost if there are several.
    pub(super) unclosed: Option<usize>,
}

/// The words that begin a top-level definition.
pub(crate) const ITEM_WORDS: [&str; 8] =
    ["INCLUDE", "CONSTANT", "TARGET", "RESOURCE", "GROUP", "OPERATION", "FUNCTION", "PSEUDO"];

/// The words that begin a section of an OPERATION.
pub(crate) const SECTION_WORDS: [&str; 11] = [
    "INSTANCE",
    "REFERENCE",
    "LOCAL",
    "ASSEMBLER",
    "CODING",
    "TAIL",
    "WHEN",
    "EXPRESSION",
    "BEHAVIOR",
    "ACTIVATION",
    "CODINGROOT",
];

/// The words that begin a declaration of a RESOURCE.
pub(crate) const DECLARATION_WORDS: [&str; 8] =
    ["PC", "REGISTER", "ALIAS", "RAM", "CACHE", "DEVICE", "PIPELINE", "MEMORY_MAP"];

/// True for a word that begins a top-level definition.
pub(super) fn is_item_word(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
}

/// Cuts a file into its definitions.
pub(super) fn split_items(scan: &Scan<'_>) -> Vec<Piece> {
    split(
        scan,
        0..scan.tokens.len(),
        |index, _| is_item_word(scan.word(index)),
        |index| {
            // A PSEUDO goes on behind its first brace.
            !matches!(scan.word(index), "WHEN" | "->")
        },
    )
}

/// Cuts what stands between the braces of an OPERATION into sections.
pub(super) fn split_sections(scan: &Scan<'_>, body: Range<usize>) -> Vec<Piece> {
    split(scan, body, |index, _| SECTION_WORDS.contains(&scan.word(index)), |_| true)
}

/// Cuts what stands between the braces of a RESOURCE or TARGET into declarations.
pub(super) fn split_declarations(scan: &Scan<'_>, body: Range<usize>) -> Vec<Piece> {
    let begins = |index: usize, depth: usize| {
        depth == 0
            && DECLARATION_WORDS.contains(&scan.word(index))
            && index > 0
            && scan.word(index - 1) != "PC"
            && scan.begins_line(index)
    };
    split(scan, body, begins, |_| true)
}

/// Cuts tokens where `begins` says so, and behind a `;` or a closing brace outside all braces,
/// unless `ends` denies it for the token that follows the brace.
fn split(
    scan: &Scan<'_>,
    tokens: Range<usize>,
    begins: impl Fn(usize, usize) -> bool,
    ends: impl Fn(usize) -> bool,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = tokens.start;
    let mut open: Vec<usize> = Vec::new();
    let mut index = tokens.start;
    while index < tokens.end {
        if index > start && begins(index, open.len()) {
            pieces.push(Piece { tokens: start..index, unclosed: open.last().copied() });
            (start, open) = (index, Vec::new());
        }
        let word = if scan.tokens[index].kind == TokenKind::Mark { scan.word(index) } else { "" };
        index += 1;
        let is_end = match word {
            "{" => {
                open.push(index - 1);
                false
            }
            "}" if open.is_empty() => {
                // A stray brace: what stands before it is a piece of its own.
                if start < index - 1 {
                    pieces.push(Piece { tokens: start..index - 1, unclosed: None });
                    start = index - 1;
                }
                true
            }
            "}" => {
                open.pop();
                open.is_empty() && (index == tokens.end || ends(index))
            }
            ";" => open.is_empty(),
            _ => false,
        };
        if is_end {
            if word == "}" && index < tokens.end && scan.word(index) == ";" {
                index += 1;
            }
            pieces.push(Piece { tokens: start..index, unclosed: None });
            start = index;
        }
    }
    if start < tokens.end {
        pieces.push(Piece { tokens: start..tokens.end, unclosed: open.last().copied() });
    }
    pieces
}

/// The opening brace that was most likely meant to be closed: the first whose partner stands at
/// the beginning of a line and is not indented like the line of the opening one.
pub(super) fn misindented_brace(scan: &Scan<'_>, tokens: Range<usize>) -> Option<usize> {
    let mut open = Vec::new();
    for index in tokens {
        match (scan.tokens[index].kind, scan.word(index)) {
            (TokenKind::Mark, "{") => open.push(index),
            (TokenKind::Mark, "}") => {
                let opening = open.pop()?;
                let start = |index| scan.token_span(index).start as usize;
                if scan.begins_line(index)
                    && scan.indentation(start(index)) != scan.indentation(start(opening))
                {
                    return Some(opening);
                }
            }
            _ => {}
        }
    }
    None
}
