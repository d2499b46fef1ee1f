//! Text to tokens: enough to cut it into pieces, to find the end of a span, and to name what stands
//! at a place in a message. The grammar reads the text itself.

use super::code;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// Brackets may nest this deep.
pub(super) const MAX_NESTING: usize = 200;

/// At most this many tokens are reported as wrong by themselves.
const MAX_PROBLEMS: usize = 100;

/// Only this much of a line is looked at for its indentation.
const MAX_INDENTED_LINE: usize = 1000;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword or name.
    Word,
    /// Anything that begins with a digit, well-formed or not.
    Number,
    /// A string or character constant, ended or not.
    Text,
    /// An operator, bracket or separator.
    Mark,
    /// What no rule of the language begins with.
    Unknown,
}

/// A token and its bytes in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A file's text with its tokens.
pub(super) struct Scan<'a> {
    /// The file.
    pub(super) file: FileId,
    /// Its text.
    pub(super) text: &'a str,
    /// Its tokens in order.
    pub(super) tokens: Vec<Token>,
    /// What is wrong with single tokens, in order of position.
    pub(super) problems: Vec<Diagnostic>,
    /// The bytes where brackets nest too deep, in order of position.
    too_deep: Vec<std::ops::Range<u32>>,
}

impl Scan<'_> {
    /// The text of a token.
    pub(super) fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// The span of a token.
    pub(super) fn token_span(&self, index: usize) -> Span {
        let end = self.text.len();
        self.tokens.get(index).map_or(Span::new(self.file, end, end), |token| Span {
            file: self.file,
            start: token.start,
            end: token.end,
        })
    }

    /// The span from the first to the last of some tokens.
    pub(super) fn tokens_span(&self, tokens: std::ops::Range<usize>) -> Span {
        self.token_span(tokens.start).to(self.token_span(tokens.end.saturating_sub(1).max(tokens.start)))
    }

    /// The first token that ends behind a byte.
    pub(super) fn token_at(&self, offset: usize) -> usize {
        self.tokens.partition_point(|token| token.end as usize <= offset)
    }

    /// True if the rest of the text is a comment that does not end.
    pub(super) fn has_open_comment(&self) -> bool {
        self.problems.iter().any(|problem| problem.code == code::OPEN_COMMENT)
    }

    /// True if some of these tokens, or what stands between them and the next, is wrong by itself.
    pub(super) fn has_problem(&self, tokens: std::ops::Range<usize>) -> bool {
        let range = self.token_span(tokens.start).start..self.token_span(tokens.end).start;
        self.nests_too_deep(&range)
            || self.problems.iter().any(|problem| range.contains(&problem.primary.0.start))
    }

    /// True if brackets nest too deep somewhere in these bytes, whether that was reported or not.
    fn nests_too_deep(&self, bytes: &std::ops::Range<u32>) -> bool {
        let first = self.too_deep.partition_point(|deep| deep.end <= bytes.start);
        self.too_deep.get(first).is_some_and(|deep| deep.start < bytes.end)
    }

    /// Those of these tokens that are wrong by themselves; `None` if they nest too deep to be parsed.
    pub(super) fn problem_tokens(&self, tokens: &std::ops::Range<usize>) -> Option<Vec<usize>> {
        let range = self.token_span(tokens.start).start..self.token_span(tokens.end).start;
        if self.nests_too_deep(&range) {
            return None;
        }
        let inside = self.problems.iter().filter(|problem| range.contains(&problem.primary.0.start));
        Some(inside.map(|problem| self.token_at(problem.primary.0.start as usize)).collect())
    }

    /// True if the token is the first of its line.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        let start = self.token_span(index).start as usize;
        self.text[..start]
            .bytes()
            .rev()
            .take_while(|byte| *byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace())
    }

    /// How many bytes of blank begin the line of a byte; `usize::MAX` where that line begins too
    /// far before it to be indented on purpose, or is the first.
    pub(super) fn indentation(&self, offset: usize) -> usize {
        let near = &self.text.as_bytes()[offset.saturating_sub(MAX_INDENTED_LINE)..offset];
        let Some(line) = near.iter().rposition(|byte| *byte == b'\n') else {
            return usize::MAX;
        };
        near[line + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }
}

/// Cuts a text into tokens.
pub(super) fn scan_text(file: FileId, text: &str, is_item_keyword: impl Fn(&str) -> bool) -> Scan<'_> {
    let mut scanner = Scanner {
        file,
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        problems: Vec::new(),
        depth: 0,
        too_deep: Vec::new(),
    };
    while scanner.skip_blank() {
        scanner.token(&is_item_keyword);
    }
    scanner.end_deep_stretch(text.len());
    Scan { file, text, tokens: scanner.tokens, problems: scanner.problems, too_deep: scanner.too_deep }
}

fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    problems: Vec<Diagnostic>,
    depth: usize,
    /// The last ends where the text does until its end is met.
    too_deep: Vec<std::ops::Range<u32>>,
}

const LONG_MARKS: [&str; 23] = [
    "<<=", ">>=", "->", "::", "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "++", "--",
];

impl Scanner<'_> {
    /// Moves to the next token; false at the end of the text.
    fn skip_blank(&mut self) -> bool {
        loop {
            let rest = &self.bytes[self.at..];
            match rest {
                [] => return false,
                [b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, ..] => self.at += 1,
                [0xef, 0xbb, 0xbf, ..] if self.at == 0 => self.at += 3,
                [b'/', b'/', ..] => {
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                [b'/', b'*', ..] => self.block_comment(),
                _ => return true,
            }
        }
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(diagnostic);
        }
    }

    fn block_comment(&mut self) {
        match self.text[self.at + 2..].find("*/") {
            Some(length) => self.at += length + 4,
            None => {
                let span = Span::new(self.file, self.at, self.at + 2);
                self.problem(
                    Diagnostic::error(code::OPEN_COMMENT, span, "this comment does not end")
                        .label("it begins here")
                        .help("end the comment with `*/`"),
                );
                self.at = self.bytes.len();
            }
        }
    }

    fn token(&mut self, is_item_keyword: &impl Fn(&str) -> bool) {
        let start = self.at;
        let kind = match self.bytes[start] {
            byte if byte.is_ascii_alphabetic() || byte == b'_' => self.word(TokenKind::Word),
            byte if byte.is_ascii_digit() => self.word(TokenKind::Number),
            quote @ (b'"' | b'\'') => self.quoted(quote),
            byte if byte.is_ascii_punctuation() => self.mark(),
            _ => self.unknown(),
        };
        // An item keyword begins anew, whatever is still open.
        if kind == TokenKind::Word && is_item_keyword(&self.text[start..self.at]) {
            self.end_deep_stretch(start);
            self.depth = 0;
        }
        self.tokens.push(Token { kind, start: narrow(start), end: narrow(self.at) });
    }

    fn word(&mut self, kind: TokenKind) -> TokenKind {
        let rest = &self.bytes[self.at..];
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.at += rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        kind
    }

    fn quoted(&mut self, quote: u8) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'\\') if !matches!(self.bytes.get(self.at + 1), None | Some(b'\n')) => self.at += 2,
                Some(byte) if *byte == quote => {
                    self.at += 1;
                    return TokenKind::Text;
                }
                None | Some(b'\n') => break,
                Some(_) => self.at += 1,
            }
        }
        let what = if quote == b'"' { "string" } else { "character constant" };
        let end = start + self.text[start..self.at].trim_end().len();
        self.problem(
            Diagnostic::error(
                code::OPEN_TEXT,
                Span::new(self.file, start, end),
                format!("this {what} does not end on its line"),
            )
            .label(format!("expected a closing `{}`", quote as char)),
        );
        TokenKind::Text
    }

    fn mark(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let long = LONG_MARKS.iter().find(|mark| rest.starts_with(**mark));
        match self.bytes[self.at] {
            b'(' | b'[' | b'{' => self.open(),
            b')' | b']' | b'}' => self.close(),
            b'$' | b'@' | b'`' | b'\\' => {
                self.at += 1;
                return TokenKind::Unknown;
            }
            _ => {}
        }
        self.at += long.map_or(1, |mark| mark.len());
        TokenKind::Mark
    }

    fn close(&mut self) {
        if self.depth == MAX_NESTING + 1 {
            self.end_deep_stretch(self.at);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Where brackets nest too deep, they do so up to this byte.
    fn end_deep_stretch(&mut self, end: usize) {
        if self.depth > MAX_NESTING
            && let Some(deep) = self.too_deep.last_mut()
        {
            deep.end = narrow(end);
        }
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.depth == MAX_NESTING + 1 {
            self.too_deep.push(narrow(self.at)..u32::MAX);
            let span = Span::new(self.file, self.at, self.at + 1);
            self.problem(
                Diagnostic::error(code::TOO_DEEP, span, "brackets nest too deep")
                    .label(format!("more than {MAX_NESTING} are open here"))
                    .help("name parts of it by variables, FUNCTIONs or operations of their own"),
            );
        }
    }

    /// A run of what no token begins with: letters beyond ASCII, control characters.
    fn unknown(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_ascii() && !c.is_ascii_control());
        let blank = rest.find([' ', '\t', '\r', '\n', '\x0b', '\x0c']);
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = [end, blank].into_iter().flatten().min().unwrap_or(rest.len()).max(first);
        self.at += length;
        TokenKind::Unknown
    }
}
