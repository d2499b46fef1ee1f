//! One slip is few errors: sound models with a word, a mark or a line lost, doubled or misspelt.

use std::ops::Range;
use std::path::Path;

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

/// More than so many errors are told of no slip: that many registers are declared in one line.
const MOST_OF_ONE: usize = 3;

/// Every so many words and marks one is lost, doubled and misspelt.
const STEP: usize = 5;

/// Words, and marks of one letter, without comments and texts.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_word = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = rest.strip_prefix('"') {
            inner.find('"').map_or(rest.len(), |end| end + 2)
        } else if is_word(bytes[at]) {
            let length = bytes[at..].iter().position(|letter| !is_word(*letter)).unwrap_or(rest.len());
            found.push(at..at + length);
            length
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            if bytes[at].is_ascii_punctuation() {
                found.push(at..at + 1);
            }
            length
        };
        at += length;
    }
    found
}

/// The text with something else in a place.
fn with(text: &str, place: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..place.start], &text[place.end..])
}

/// The errors of a text, and what is said.
fn errors(text: &str) -> (usize, String) {
    let loader = InMemory::new([("model.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let root = Path::new("model.isac");
    let _ = load_model(root, &loader, &Default::default(), &mut sources, &mut findings);
    (findings.error_count(), findings.render(&sources, Style::Plain))
}

#[test]
fn one_slip_is_few_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    for model in ["tiny8/tiny8.isac", "timing-demo/timing-demo.isac"] {
        let text = std::fs::read_to_string(root.join(model)).expect("the model");
        assert_eq!(errors(&text).0, 0, "{model}");
        let mut slips: Vec<String> = Vec::new();
        for (index, token) in tokens(&text).iter().enumerate() {
            let word = &text[token.clone()];
            match index % (3 * STEP) {
                0 => slips.push(with(&text, token, "")),
                STEP => slips.push(with(&text, token, &format!("{word} {word}"))),
                n if n == 2 * STEP && word.len() > 2 => slips.push(with(&text, token, &word[1..])),
                _ => {}
            }
        }
        let mut begin = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number % STEP == 0 {
                slips.push(with(&text, &(begin..begin + line.len()), ""));
            }
            begin += line.len();
        }
        let mut several = 0;
        for slip in &slips {
            let (count, said) = errors(slip);
            assert!(count <= MOST_OF_ONE, "{model}: {count} errors\n{said}");
            several += usize::from(count > 1);
        }
        assert!(
            several * 32 <= slips.len(),
            "{model}: {several} of {} slips are several errors",
            slips.len()
        );
    }
}
