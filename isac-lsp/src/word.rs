//! Texts to words, comments included: what is shown in colors, and what stands around the cursor.

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or name.
    Name,
    /// What begins with a digit.
    Number,
    /// A string or character constant, ended or not.
    Text,
    /// A comment, ended or not.
    Comment,
    /// A letter of anything else.
    Mark,
}

/// A word and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// What it is.
    pub(crate) kind: Kind,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

impl Word {
    /// Its letters.
    pub(crate) fn of<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }
}

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &text[at..];
        let (kind, length) = match byte {
            b'/' if rest.starts_with("//") => (Kind::Comment, rest.find(['\n', '\r']).unwrap_or(rest.len())),
            b'/' if rest.starts_with("/*") => {
                (Kind::Comment, rest[2..].find("*/").map_or(rest.len(), |length| length + 4))
            }
            b'"' | b'\'' => (Kind::Text, quoted(rest, *byte)),
            byte if byte.is_ascii_digit() => (Kind::Number, name_length(rest)),
            byte if byte.is_ascii_alphabetic() || *byte == b'_' => (Kind::Name, name_length(rest)),
            _ => (Kind::Mark, rest.chars().next().map_or(1, char::len_utf8)),
        };
        if !byte.is_ascii_whitespace() {
            words.push(Word { kind, start: at, end: at + length });
        }
        at += length;
    }
    words
}

fn name_length(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len())
}

/// Up to the closing quote, or to the end of the line.
fn quoted(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' | b'\r' => return at,
            byte if byte == quote && !escaped => return at + 1,
            byte => escaped = byte == b'\\' && !escaped,
        }
    }
    text.len()
}

/// The word that the cursor touches: the one around it, else the one that ends there.
pub(crate) fn word_at(text: &str, offset: usize) -> Option<Word> {
    let words = words(text);
    let touches = |word: &&Word| word.start <= offset && offset <= word.end && word.kind != Kind::Mark;
    let mut found = words.iter().filter(touches);
    let first = found.next()?;
    Some(*found.next().filter(|second| second.start == offset).unwrap_or(first))
}
