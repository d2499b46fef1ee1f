//! Mutants of descriptions: tokens, brackets with what is in them, and numbers are exchanged, so
//! that most of what comes out still gets past the parser.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longer mutants are cut.
const MAX_BYTES: usize = 64 << 10;

/// Numbers at the edges of something.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "7",
    "8",
    "63",
    "64",
    "65",
    "127",
    "128",
    "129",
    "255",
    "256",
    "257",
    "65535",
    "0x100000000",
    "0xffffffffffffffff",
    "0xffffffffffffffffffffffffffffffff",
    "0b01x0",
    "0bx[256]",
];

/// Random numbers: xorshift64*.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }
}

/// Makes mutants of a corpus.
pub(crate) struct Mutator<'a> {
    random: Random,
    files: Vec<(&'a Path, Vec<&'a str>)>,
}

impl<'a> Mutator<'a> {
    /// The mutants of a seed.
    pub(crate) fn new(corpus: &'a BTreeMap<PathBuf, Vec<u8>>, seed: u64) -> Mutator<'a> {
        let text = |bytes: &'a Vec<u8>| std::str::from_utf8(bytes).ok();
        let files = corpus.iter().filter_map(|(path, bytes)| Some((path.as_path(), tokens(text(bytes)?))));
        Mutator { random: Random::new(seed), files: files.filter(|(_, tokens)| !tokens.is_empty()).collect() }
    }

    /// A mutant of one of the files that are wanted, under the path of that file.
    pub(crate) fn mutant(&mut self, wanted: impl Fn(&Path) -> bool) -> (PathBuf, Vec<u8>) {
        let candidates: Vec<usize> =
            (0..self.files.len()).filter(|index| wanted(self.files[*index].0)).collect();
        let file = candidates[self.random.below(candidates.len())];
        let path = self.files[file].0.to_owned();
        let mut own: Vec<String> = self.files[file].1.iter().map(|token| (*token).to_owned()).collect();
        for _ in 0..=self.random.below(3) {
            self.mutate(&mut own);
        }
        let mut bytes = own.concat().into_bytes();
        if self.random.below(20) == 0 && !bytes.is_empty() {
            let at = self.random.below(bytes.len());
            bytes[at] = self.random.next() as u8;
        }
        bytes.truncate(MAX_BYTES);
        (path, bytes)
    }

    fn mutate(&mut self, own: &mut Vec<String>) {
        if own.is_empty() {
            return;
        }
        let at = self.random.below(own.len());
        let length = 1 + self.random.below(6).min(own.len() - at - 1);
        match self.random.below(14) {
            0 => {
                own.drain(at..at + length);
            }
            1 => {
                let copy = own[at..at + length].to_vec();
                let times = if self.random.below(10) == 0 { 1 + self.random.below(300) } else { 1 };
                for _ in 0..times {
                    own.splice(at..at, copy.iter().cloned());
                }
            }
            2 => {
                let other = self.random.below(own.len());
                own.swap(at, other);
            }
            3 => own[at] = NUMBERS[self.random.below(NUMBERS.len())].to_owned(),
            4..=8 => {
                // Another word of the same kind, of this text.
                let kind = kind_of(&own[at]);
                let alike: Vec<usize> =
                    (0..own.len()).filter(|index| kind_of(&own[*index]) == kind).collect();
                own[at] = own[alike[self.random.below(alike.len())]].clone();
            }
            9 => {
                let file = self.random.below(self.files.len());
                let token = self.random.below(self.files[file].1.len());
                own.insert(at, format!(" {} ", self.files[file].1[token]));
            }
            _ => self.splice(own, at),
        }
    }

    /// Puts brackets with all that is in them from some text in the place of others.
    fn splice(&mut self, own: &mut Vec<String>, at: usize) {
        let file = self.random.below(self.files.len());
        let theirs = &self.files[file].1;
        let from = self.random.below(theirs.len());
        let taken = brackets(theirs, from);
        let taken: Vec<String> = theirs[taken].iter().map(|token| (*token).to_owned()).collect();
        let place = brackets(own, at);
        own.splice(place, taken);
    }
}

/// From the next opening bracket to its partner; one token if there is none.
fn brackets<T: AsRef<str>>(tokens: &[T], from: usize) -> std::ops::Range<usize> {
    let opens = |token: &T| matches!(token.as_ref(), "{" | "(" | "[");
    let Some(first) = (from..tokens.len()).find(|index| opens(&tokens[*index])) else {
        return from..from + 1;
    };
    let mut depth = 0i32;
    for (index, token) in tokens.iter().enumerate().skip(first) {
        depth += match token.as_ref() {
            "{" | "(" | "[" => 1,
            "}" | ")" | "]" => -1,
            _ => 0,
        };
        if depth == 0 {
            return first..index + 1;
        }
    }
    first..first + 1
}

#[derive(PartialEq, Eq)]
enum Kind {
    Blank,
    Keyword,
    Word,
    Number,
    Other,
}

fn kind_of(token: &str) -> Kind {
    match token.chars().next() {
        Some(first) if first.is_whitespace() => Kind::Blank,
        Some(first) if first.is_ascii_digit() => Kind::Number,
        Some(_) if token.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_') => Kind::Keyword,
        Some(first) if first.is_alphabetic() || first == '_' => Kind::Word,
        _ => Kind::Other,
    }
}

/// Words, numbers, rows of blanks, and every other character by itself.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = match first {
            _ if in_word(first) => rest.find(|letter| !in_word(letter)),
            _ if first.is_whitespace() => rest.find(|letter: char| !letter.is_whitespace()),
            _ => Some(first.len_utf8()),
        };
        let (token, behind) = rest.split_at(length.unwrap_or(rest.len()));
        found.push(token);
        rest = behind;
    }
    found
}
