//! Decoders of WHENs whose words are too many to be listed: what they choose is what the WHENs say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::decode::choose_variant;
use isac_ir::decoder::{Decoder, State};
use isac_ir::operation::Target;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

fn lower(endian: &str, instructions: &str) -> Model {
    let text = format!(
        "TARGET {{ ENDIAN ({endian}); }};
        RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[16] x[16]; RAM bit[8] ram {{ SIZE (64); }};
        MEMORY_MAP defaultmap {{ RANGE (0, 63) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + instruction_size; }}; }};
        {instructions}"
    );
    let file = PathBuf::from("model.isac");
    let loader = InMemory::new([(file.clone(), text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let said = findings.render(&sources, isac_parser::diagnostic::Style::Plain);
    let model = lower_model(&checked.unwrap_or_else(|| panic!("{said}")), &sources, "model");
    isac_ir::verify::verify_model(&model).expect("lowering keeps its promises");
    model
}

fn decoder(model: &Model) -> &Decoder {
    let instr = model.groups.iter().position(|group| group.name == "instr").expect("it is there");
    &model.decoders[model.decoder_of(Target::Group(instr as u32)).expect("it is decoded") as usize]
}

/// The innermost operation that a word is.
fn chosen(model: &Model, word: u64) -> Option<&str> {
    let decoder = decoder(model);
    let variant = choose_variant(decoder, Bits::from_u128(u128::from(word)))?;
    let nodes = &decoder.variants[variant as usize].nodes;
    nodes.iter().rev().find_map(|node| match node.target {
        Target::Operation(index) => Some(model.operations[index as usize].name.as_str()),
        Target::Group(_) | Target::Label(_) => None,
    })
}

/// Words that differ in few bits from those whose halves are equal.
fn words() -> impl Iterator<Item = u64> {
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    (0..20_000u64).map(move |round| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let row = state & 0xffff;
        let flipped = if round % 3 == 0 { 0 } else { 1 << (state >> 20 & 31) };
        (row << 16 | row) ^ flipped
    })
}

#[test]
fn rows_that_are_equal_or_not_are_told_apart() {
    let model = lower(
        "LITTLE",
        "GROUP instr = special, twice, other;
        OPERATION special { CODING { a=0bx[16] b=0bx[16] }; WHEN { a == b && a[15..12] == b[3..0] }; };
        OPERATION twice { CODING { a=0bx[16] b=0bx[16] }; WHEN { a == b }; };
        OPERATION other { CODING { 0bx[32] }; };",
    );
    let mut seen = BTreeMap::new();
    for word in words() {
        let (a, b) = (word >> 16 & 0xffff, word & 0xffff);
        let expected = match (a == b, a >> 12 == b & 15) {
            (true, true) => "special",
            (true, false) => "twice",
            _ => "other",
        };
        assert_eq!(chosen(&model, word), Some(expected), "{word:#010x}");
        *seen.entry(expected).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 3);
    assert!(decoder(&model).states.len() < 1_000, "{} states", decoder(&model).states.len());
}

#[test]
fn operands_within_such_a_word_are_decoded_by_themselves() {
    let model = lower(
        "LITTLE",
        "GROUP instr = one, other;
        GROUP place = low, high;
        OPERATION low { CODING { 0b0 n=0bx[14] }; EXPRESSION { x[n & 7] }; };
        OPERATION high { CODING { 0b1 n=0bx[14] }; EXPRESSION { x[n & 15] }; };
        OPERATION one {
            INSTANCE place ALIAS { p, q }; CODING { 0b00 p q }; WHEN { p == q }; BEHAVIOR { p = q; };
        };
        OPERATION other { CODING { 0bx[32] }; };",
    );
    for word in words() {
        let (p, q) = (word >> 15 & 0x7fff, word & 0x7fff);
        let expected = if word >> 30 & 3 == 0 && p == q { "one" } else { "other" };
        let found = chosen(&model, word).map(|name| if name == "other" { name } else { "one" });
        assert_eq!(found, Some(expected), "{word:#010x}");
    }
}

/// A word that its first half already turns down is told without the second half.
#[test]
fn no_more_is_fetched_than_a_condition_asks_for() {
    for endian in ["LITTLE", "BIG"] {
        let model = lower(
            endian,
            match endian {
                "LITTLE" => {
                    "GROUP instr = long, short;
                    OPERATION long { CODING { c=0bx[32] a=0bx[16] b=0bx[16] }; WHEN { a == b }; };
                    OPERATION short { CODING { a=0bx[16] b=0bx[16] }; WHEN { a != b }; };"
                }
                _ => {
                    "GROUP instr = long, short;
                    OPERATION long { CODING { a=0bx[16] b=0bx[16] c=0bx[32] }; WHEN { a == b }; };
                    OPERATION short { CODING { a=0bx[16] b=0bx[16] }; WHEN { a != b }; };"
                }
            },
        );
        let decoder = decoder(&model);
        for half in words() {
            let word = if endian == "BIG" { half << 32 } else { half };
            let name = if half >> 16 & 0xffff == half & 0xffff { "long" } else { "short" };
            assert_eq!(chosen(&model, word), Some(name), "{endian} {half:#010x}");
            let word = Bits::from_u128(u128::from(word));
            assert_eq!(fetched(decoder, word), if name == "long" { 64 } else { 32 }, "{endian} {half:#010x}");
        }
    }
}

/// How many bits have been fetched when a word is accepted.
fn fetched(decoder: &Decoder, word: Bits) -> u32 {
    let (mut at, mut there) = (decoder.start, decoder.first_bits);
    loop {
        match &decoder.states[at as usize] {
            State::Reject | State::Accept(_) => return there,
            State::Fetch { width_bits, next } => (there, at) = (*width_bits, *next),
            State::Test { low, width, edges, otherwise } => {
                let value = word.extract(*low, *width) as u64;
                at = edges.iter().find(|(edge, _)| *edge == value).map_or(*otherwise, |(_, next)| *next);
            }
        }
    }
}
