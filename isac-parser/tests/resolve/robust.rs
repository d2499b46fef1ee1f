//! No text makes the front end panic, and it never refuses without saying why.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use isac_parser::source::InMemory;

use super::super::load;

const MODELS: [&str; 3] =
    ["../models/tiny8/tiny8.isac", "../models/rv32im/rv32im.isac", "../tests/models/tree.isac"];

fn read(model: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(model)).unwrap()
}

/// Loads a text; [`load`] itself checks that there is a model exactly if there is no error.
fn survives(text: String) {
    let path = Path::new("mutant.isac");
    load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
}

#[test]
fn a_description_without_one_of_its_lines_is_explained() {
    for model in MODELS {
        let text = read(model);
        let lines: Vec<&str> = text.lines().collect();
        for missing in 0..lines.len() {
            let rest = lines.iter().enumerate().filter(|(line, _)| *line != missing);
            survives(rest.map(|(_, line)| *line).collect::<Vec<_>>().join("\n"));
        }
    }
}

#[test]
fn a_description_with_one_word_replaced_is_explained() {
    for model in MODELS {
        let text = read(model);
        let words = words(&text);
        // A fixed walk over pairs of words; its step is coprime to most lengths.
        let mut other = 0;
        for (start, end) in words.iter().step_by(7) {
            other = (other + 7919) % words.len();
            let (from, to) = words[other];
            let mutant = format!("{}{}{}", &text[..*start], &text[from..to], &text[*end..]);
            survives(mutant);
        }
    }
}

/// The places of all words and numbers.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        let in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        match (start, in_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}

#[test]
fn a_thousand_instructions_are_compared_quickly() {
    let mut text = String::from(
        "RESOURCE { PC REGISTER bit[32] pc; REGISTER bit[32] x[8]; RAM bit[8] ram { SIZE (16); };
         MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
         OPERATION main { CODINGROOT { instr (defaultmap[pc]); }; };
         GROUP reg = r1, r2, r4, r7;",
    );
    for register in [1, 2, 4, 7] {
        text += &format!(
            "OPERATION r{register} {{ CODING {{ 0b{register:03b} }}; EXPRESSION {{ x[{register}] }}; }};"
        );
    }
    let names: Vec<String> = (0..1024).map(|n| format!("op{n}")).collect();
    text += &format!("GROUP instr = {};", names.join(", "));
    for (number, name) in names.iter().enumerate() {
        text += &format!(
            "OPERATION {name} {{ INSTANCE reg ALIAS {{ a, b }}; \
             CODING {{ a 0b{number:010b} 0bx[16] b }}; BEHAVIOR {{ a = b; }}; }};"
        );
    }
    let path = Path::new("large.isac");
    let (model, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    assert!(model.is_some(), "{said}");
}

#[test]
fn deep_nesting_is_refused() {
    let mut text = String::from(
        "RESOURCE { PC REGISTER bit[8] pc; RAM bit[8] ram { SIZE (16); };
         MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
         OPERATION main { CODINGROOT { op0 (defaultmap[pc]); }; };",
    );
    for level in 0..20_000 {
        let next = level + 1;
        text += &format!("OPERATION op{level} {{ INSTANCE op{next} ALIAS {{ a }}; CODING {{ a }}; }};");
    }
    text += "OPERATION op20000 { CODING { 0bx[8] }; };";
    let path = Path::new("deep.isac");
    let (model, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    assert!(model.is_none() && said.contains("E0407"), "{said}");
}
