//! Words that begin as numbers do and are none: what is wrong with them.

use isac_ir::bits::Bits;
use isac_parser::mistyped::without_leading_zeros;

use super::reader::{character, is_word, local};
use super::source::string_length;
use super::surface::Surface;

/// A word that is no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Its first byte.
    pub(super) begin: usize,
    /// The byte behind it.
    pub(super) end: usize,
    /// What is wrong with it.
    pub(super) message: String,
    /// How it may have been meant.
    pub(super) help: String,
}

/// The first such word of a text from a byte on, strings and characters left out.
pub(super) fn first_malformed(text: &str, from: usize, surface: &Surface) -> Option<Malformed> {
    let mut at = from;
    // What stands before, blanks left out: behind an operand `%` is an operator and no prefix.
    let mut before = None;
    while let Some(letter) = text.get(at..)?.chars().next() {
        let rest = &text[at..];
        let length = match letter {
            '"' => string_length(rest),
            '\'' => character(rest).map_or(1, |(_, length)| length),
            _ if letter.is_ascii_digit() || begins_number(rest, before, surface) => {
                if let Some(found) = malformed_at(text, at, surface) {
                    return Some(found);
                }
                word_length(rest, surface)
            }
            _ if is_word(letter) || letter == '.' || letter == '$' => {
                rest.find(|letter| !(is_word(letter) || letter == '.' || letter == '$')).unwrap_or(rest.len())
            }
            _ => letter.len_utf8(),
        };
        if !letter.is_whitespace() {
            before = text[..at + length].chars().next_back();
        }
        at += length;
    }
    None
}

/// What is wrong with the word that begins at a byte, if it begins as a number does and is none.
pub(super) fn malformed_at(text: &str, begin: usize, surface: &Surface) -> Option<Malformed> {
    let rest = text.get(begin..)?;
    let length = word_length(rest, surface);
    let word = &rest[..length];
    let (base, prefix) = surface.base_of(word)?;
    if local(word).is_some_and(|(.., local)| local == length) {
        return None;
    }
    let digits = &word[prefix..];
    let found = |message: String, help: String| Some(Malformed { begin, end: begin + length, message, help });
    if let Some(wrong) = digits.chars().find(|digit| *digit != '_' && !digit.is_digit(base)) {
        let is_prefixed = prefix > 0;
        let is_hexadecimal =
            !is_prefixed && digits.chars().all(|digit| digit == '_' || digit.is_ascii_hexdigit());
        let help = match word {
            _ if is_hexadecimal => format!("write `0x{word}` if it is hexadecimal"),
            "0x" | "0X" | "0b" | "0B" | "0o" | "0O" => "write digits behind the prefix".to_owned(),
            _ if is_prefixed => format!("`{wrong}` is no digit of base {base}"),
            _ => "numbers are written 12, 0x1f, 0b0101, 0o17; a name begins with a letter".to_owned(),
        };
        return found(format!("`{word}` is no number"), help);
    }
    if !is_separated(digits) {
        return found(format!("`{word}` is no number"), "`_` stands between digits only".to_owned());
    }
    if base == 10 && digits.len() > 1 && digits.starts_with('0') {
        return found(format!("`{word}` begins with 0"), without_leading_zeros(digits));
    }
    None
}

/// True for digits with `_` between them alone.
pub(super) fn is_separated(digits: &str) -> bool {
    !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__")
}

/// True for a prefix of TARGET with a digit behind it, where an operand may stand.
fn begins_number(rest: &str, before: Option<char>, surface: &Surface) -> bool {
    let is_behind_operand = before.is_some_and(|letter| is_word(letter) || letter == ')' || letter == '\'');
    !is_behind_operand && surface.base_of(rest).is_some_and(|(_, prefix)| prefix > 0)
}

/// Bytes of the number or word that a text begins with, its prefix included.
fn word_length(text: &str, surface: &Surface) -> usize {
    let prefix = surface.base_of(text).map_or(0, |(_, prefix)| prefix);
    text[prefix..].find(|letter| !is_word(letter)).map_or(text.len(), |length| prefix + length)
}

/// A value's hexadecimal digits.
pub(crate) fn hexadecimal(value: Bits, width_bits: u32, digits: usize) -> String {
    let bytes = value.to_be_bytes(width_bits);
    let all: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    all[all.len().saturating_sub(digits)..].to_owned()
}
