//! The tokens that the grammar would have taken, in the words of the language.

use std::collections::BTreeSet;

use pest::error::Error;

use super::grammar::Rule;
use super::split::{DECLARATION_WORDS, ITEM_WORDS, SECTION_WORDS};

/// What could have stood at a place.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Classes of tokens by name, and single marks and words in backquotes.
    names: Vec<String>,
    /// The keywords among them, those of a class included.
    keywords: Vec<String>,
    /// True if nothing could have stood there, not even a blank: the word before it was refused.
    refused: bool,
}

/// Tokens that a reader knows under one name.
struct Class {
    name: &'static str,
    /// The class is meant if all of these are expected.
    witness: &'static [&'static str],
    /// These go without saying then.
    members: &'static [&'static [&'static str]],
}

/// Tokens that say nothing.
const BLANKS: &[&str] = &[" ", "\t", "\r", "\n", "\u{b}", "\u{c}", "//", "/*"];
const LETTERS: &[&str] = &["_", "A..Z", "a..z"];
const DIGITS: &[&str] = &["0..9", "0x", "0X", "0b", "0B", "0o", "0O"];
const BEFORE_OPERAND: &[&str] = &["!", "\"", "'", "(", "+", "++", "-", "--", "~"];
const BEHIND_OPERAND: &[&str] = &[
    "!=", "%", "%=", "&", "&&", "&=", "(", "*", "*=", "+", "++", "+=", "-", "--", "-=", ".", "/", "/=", "::",
    "<", "<<", "<<=", "<=", "=", "==", ">", ">=", ">>", ">>=", "?", "[", "^", "^=", "|", "|=", "||",
];
const TYPES: &[&str] = &["_Bool", "bit", "bool", "char", "int", "long", "short", "signed", "u", "unsigned"];
const STATEMENTS: &[&str] =
    &["break", "continue", "do", "for", "if", "return", "switch", "while", "else", "case", "default"];

/// In order: a class that is met takes its members from those behind it.
const CLASSES: &[Class] = &[
    Class { name: "a definition", witness: &["GROUP", "OPERATION"], members: &[&ITEM_WORDS] },
    Class { name: "a section", witness: &["CODING", "BEHAVIOR"], members: &[&SECTION_WORDS] },
    Class { name: "a declaration", witness: &["REGISTER", "RAM", "CACHE"], members: &[&DECLARATION_WORDS] },
    Class {
        name: "a statement",
        witness: &["if", "while", "0x"],
        members: &[STATEMENTS, TYPES, DIGITS, BEFORE_OPERAND, LETTERS, &["{", ";"]],
    },
    Class { name: "an expression", witness: &["0x", "A..Z"], members: &[DIGITS, BEFORE_OPERAND, LETTERS] },
    Class { name: "an operator", witness: &["<<="], members: &[BEHIND_OPERAND] },
    Class { name: "a type", witness: &["int", "unsigned"], members: &[TYPES] },
    Class { name: "a bit pattern", witness: &["0b"], members: &[&["0b"]] },
    Class { name: "a name", witness: &["A..Z"], members: &[LETTERS] },
    Class { name: "a number", witness: &["0..9"], members: &[DIGITS] },
    Class { name: "a string", witness: &["\""], members: &[&["\""]] },
];

impl Expected {
    /// Reads what pest noted; `behind_word` tells that the place is right behind a letter or
    /// digit, where the letters that would make the word longer are no news.
    pub(super) fn new(error: &Error<Rule>, behind_word: bool) -> Self {
        let Some(attempts) = error.parse_attempts() else {
            return Self::default();
        };
        let mut tokens: BTreeSet<String> =
            attempts.expected_tokens().iter().map(ToString::to_string).collect();
        let before = tokens.len();
        tokens.retain(|token| !BLANKS.contains(&token.as_str()));
        let could_end = tokens.len() < before;
        let with_letters = tokens.clone();
        if behind_word {
            let goes_on = |token: &str| LETTERS.contains(&token) || is_range(token) || is_letter(token);
            tokens.retain(|token| !goes_on(token));
        }
        if tokens.is_empty() && !could_end {
            return Self { refused: true, ..Self::default() };
        }
        if tokens.is_empty() {
            // The word before is complete, so that the letters begin another.
            tokens = with_letters;
        }
        let keywords = tokens.iter().filter(|token| is_word(token)).cloned().collect();
        Self { names: classify(tokens), keywords, refused: false }
    }

    /// True if the word before the place is what does not fit.
    pub(super) fn is_refused_word(&self) -> bool {
        self.refused
    }

    /// True if this name, or this mark in backquotes, is expected.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|expected| expected == name)
    }

    /// True if nothing else is expected than what has this name.
    pub(super) fn is_only(&self, name: &str) -> bool {
        matches!(self.names.as_slice(), [only] if only == name)
    }

    /// True if nothing is known to be expected.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.refused
    }

    /// All names, as `a name, "," or ";"`.
    pub(super) fn list(&self) -> String {
        match self.names.as_slice() {
            [] => "something else".to_owned(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        }
    }

    /// The expected keyword that a word was most likely meant to be.
    pub(super) fn nearest_keyword(&self, word: &str) -> Option<&str> {
        if !is_word(word) {
            return None;
        }
        let folded = word.to_ascii_uppercase();
        let allowed = if word.len() < 4 { 0 } else { 1 + usize::from(word.len() > 5) };
        self.keywords
            .iter()
            .filter(|keyword| *keyword != word && keyword.len() > 1)
            .map(|keyword| (distance(&folded, &keyword.to_ascii_uppercase()), keyword))
            .filter(|(distance, _)| *distance <= allowed)
            .min()
            .map(|(_, keyword)| keyword.as_str())
    }
}

/// Tokens to names, marks last.
fn classify(mut tokens: BTreeSet<String>) -> Vec<String> {
    let mut names = Vec::new();
    // The comma operator goes without saying, a comma of a list does not.
    let in_list = tokens.contains(")") || !(tokens.contains(";") || tokens.contains("]"));
    let is_operator = tokens.contains("<<=");
    for class in CLASSES {
        if class.witness.iter().all(|token| tokens.contains(*token)) {
            tokens.retain(|token| !class.members.iter().any(|members| members.contains(&token.as_str())));
            names.push(class.name.to_owned());
        }
    }
    if is_operator && !in_list {
        tokens.remove(",");
    }
    let mut marks: Vec<String> = tokens.into_iter().map(|token| format!("`{token}`")).collect();
    if names == ["an operator"] && !marks.is_empty() {
        marks.append(&mut names);
        return marks;
    }
    names.append(&mut marks);
    names
}

/// Digits or letters, as `A..F`.
fn is_range(token: &str) -> bool {
    matches!(token.as_bytes(), [first, b'.', b'.', last] if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric())
}

fn is_letter(token: &str) -> bool {
    matches!(token.as_bytes(), [byte] if byte.is_ascii_alphanumeric())
}

fn is_word(token: &str) -> bool {
    token.len() > 1 && token.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// How many letters must be changed, added, dropped or swapped with their neighbour to make one
/// word of another (the restricted Damerau-Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swapped)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn a_swap_is_one_step() {
        assert_eq!(distance("BEHAVOIR", "BEHAVIOR"), 1);
        assert_eq!(distance("OPERATION", "OPERATON"), 1);
        assert_eq!(distance("CODING", "CODING"), 0);
    }
}
