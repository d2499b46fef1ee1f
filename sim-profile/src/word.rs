//! The decoded word(s) of one instruction.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

/// The longest instruction that is recorded, in bytes.
const LONGEST_BYTES: usize = 32;

/// The decoded word, or words one behind the other, of an instruction: 1 to 32 bytes, the most
/// significant first. A width that is no whole number of bytes is padded with zeros in front.
///
/// Ordered byte by byte; printed, parsed and stored as two hexadecimal digits a byte, without
/// `0x`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Word {
    /// Filled up with zeros behind `length`.
    bytes: [u8; LONGEST_BYTES],
    length: u8,
}

impl Word {
    /// A word of these bytes, the most significant first.
    ///
    /// # Errors
    /// No byte, or more than 32.
    pub fn new(bytes: &[u8]) -> Result<Word, WordError> {
        let length = match u8::try_from(bytes.len()) {
            Ok(length @ 1..=32) => length,
            _ => return Err(WordError::Length(bytes.len())),
        };
        let mut padded = [0; LONGEST_BYTES];
        padded[..bytes.len()].copy_from_slice(bytes);
        Ok(Word { bytes: padded, length })
    }

    /// The low `size_bytes` bytes of `value`.
    ///
    /// # Errors
    /// `size_bytes` is not 1 to 16; longer words come from [`Word::new`].
    pub fn from_value(value: u128, size_bytes: usize) -> Result<Word, WordError> {
        match size_bytes {
            1..=16 => Word::new(&value.to_be_bytes()[16 - size_bytes..]),
            _ => Err(WordError::Length(size_bytes)),
        }
    }

    /// The bytes, the most significant first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// One byte of zeros.
impl Default for Word {
    fn default() -> Self {
        Word { bytes: [0; LONGEST_BYTES], length: 1 }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
        let mut digits = [0; 2 * LONGEST_BYTES];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.bytes()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
        }
        // Digits are a text.
        f.write_str(std::str::from_utf8(&digits[..2 * self.bytes().len()]).unwrap_or_default())
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({self})")
    }
}

impl FromStr for Word {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Word, WordError> {
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
            return Err(WordError::Digits(text.to_owned()));
        }
        let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
        let mut bytes = [0; LONGEST_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        match bytes.get(..text.len() / 2) {
            Some(bytes) => Word::new(bytes),
            None => Err(WordError::Length(text.len() / 2)),
        }
    }
}

/// From a text that nobody has to keep for that: stored profiles have millions.
impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        deserializer.deserialize_str(Digits)
    }
}

struct Digits;

impl Visitor<'_> for Digits {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
        text.parse().map_err(E::custom)
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.to_string()
    }
}

/// Why something is no [`Word`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordError {
    /// So many bytes, which are not 1 to 32.
    Length(usize),
    /// A text that is not made of pairs of hexadecimal digits.
    Digits(String),
}

impl fmt::Display for WordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordError::Length(bytes) => {
                write!(f, "an instruction word of {bytes} bytes; expected 1 to 32")
            }
            WordError::Digits(text) => {
                write!(f, "`{text}` is no instruction word; expected pairs of hexadecimal digits")
            }
        }
    }
}

impl std::error::Error for WordError {}

#[cfg(test)]
mod tests {
    use super::{Word, WordError};

    #[test]
    fn prints_and_parses_as_hexadecimal_bytes() {
        let word = Word::new(&[0x00, 0xa5, 0x13]).unwrap();
        assert_eq!(word.to_string(), "00a513");
        assert_eq!("00A513".parse(), Ok(word));
        assert_eq!(Word::from_value(0xff_a513, 2).unwrap().to_string(), "a513");
    }

    #[test]
    fn orders_byte_by_byte_and_a_prefix_first() {
        let mut words: Vec<Word> = ["0100", "01", "02", "00ff"].map(|w| w.parse().unwrap()).into();
        words.sort();
        let printed: Vec<String> = words.iter().map(Word::to_string).collect();
        assert_eq!(printed, ["00ff", "01", "0100", "02"]);
    }

    #[test]
    fn refuses_what_is_no_word() {
        assert_eq!(Word::new(&[]), Err(WordError::Length(0)));
        assert_eq!(Word::new(&[0; 33]), Err(WordError::Length(33)));
        assert_eq!("".parse::<Word>(), Err(WordError::Length(0)));
        for text in ["a", "+1", "0x12", "gg", "é"] {
            assert_eq!(text.parse::<Word>(), Err(WordError::Digits(text.to_owned())));
        }
    }
}
