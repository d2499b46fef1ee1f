//! Files and their lines: comments are gone, every byte is in its place.

use std::path::Path;

use isac_parser::diagnostic::Diagnostic;
use isac_parser::source::{FileId, Span};

use super::code;

/// What some editors begin a file with; it means nothing.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text without its comments, which became blanks.
pub(super) struct Plain {
    /// As long as the text itself.
    pub(super) text: String,
    /// What is wrong with it.
    pub(super) findings: Vec<Diagnostic>,
    /// Where the comment begins that has no end.
    pub(super) unended: Option<usize>,
}

/// Makes blanks of a text's comments, and of a byte order mark that it begins with.
pub(super) fn without_comments(file: FileId, text: &str, comment: Option<&str>) -> Plain {
    let mut found = Plain { text: String::with_capacity(text.len()), findings: Vec::new(), unended: None };
    let mut at = 0;
    if text.starts_with(BYTE_ORDER_MARK) {
        at = blank(&mut found.text, BYTE_ORDER_MARK);
    }
    while at < text.len() {
        let rest = &text[at..];
        let length = if let Some(inner) = rest.strip_prefix("/*") {
            // What begins it does not end it, too.
            let end = inner.find("*/").map(|end| end + 4);
            if end.is_none() {
                let span = Span::new(file, at, at + 2);
                let diagnostic = Diagnostic::error(code::UNENDED, span, "this comment has no end")
                    .label("begins here")
                    .help("end it with `*/`");
                found.findings.push(diagnostic);
                found.unended = Some(at);
            }
            blank(&mut found.text, &rest[..end.unwrap_or(rest.len())])
        } else if rest.starts_with("//") || comment.is_some_and(|comment| rest.starts_with(comment)) {
            let end = rest.find('\n').unwrap_or(rest.len());
            blank(&mut found.text, &rest[..end])
        } else if rest.starts_with('"') {
            let length = string_length(rest);
            found.text.push_str(&rest[..length]);
            length
        } else if let Some((_, length)) = super::reader::character(rest) {
            found.text.push_str(&rest[..length]);
            length
        } else {
            let letter = rest.chars().next().unwrap_or(' ');
            found.text.push(letter);
            letter.len_utf8()
        };
        at += length;
    }
    found
}

/// Blanks for a comment, its line breaks kept; gives its length.
fn blank(plain: &mut String, comment: &str) -> usize {
    plain.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    comment.len()
}

/// The length of the string that a text begins with, its quotes included; it ends with the line.
pub(super) fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    text.len()
}

/// The path of an included file, relative to the one that includes it.
pub(super) fn beside(path: &Path, included: &str) -> std::path::PathBuf {
    path.parent().unwrap_or(Path::new("")).join(included)
}
