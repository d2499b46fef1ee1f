//! What is said of operands against what words have: all words of narrow decoders, and some of wide ones,
//! are decoded; each value that one has is listed, and where all words were decoded each that is listed
//! was seen, and each pair but those that are said to be impossible.

mod cases;
#[allow(dead_code, reason = "words are random here, not instructions")]
mod random_instruction;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gentool::lower::lower_model;
use gentool::operands::OperandSpaces;
use isac_ir::Model;
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{Element, decode_word};
use isac_ir::root::{RecordedDecoder, RootDecoding, decode_root, root_elements};
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use random_instruction::Random;

fn model_of(path: &str) -> Model {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let file = cases::root().join(path);
    let checked = load_model(Path::new(&file), &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    lower_model(&checked.expect("the model is sound"), &sources, "model")
}

/// What was seen of an instruction: the values at each place, and the pairs of them.
#[derive(Default)]
struct Seen {
    values: BTreeSet<(usize, usize)>,
    pairs: BTreeSet<(usize, usize, usize, usize)>,
}

/// How wide the words are all of which are tried.
const NARROW_BITS: u32 = 16;

/// Room behind a word for those of a tail.
const TAIL_BITS: u32 = 112;

/// What stands behind a narrow word: the ends of numbers of up to 16 bits, and some in between.
const TAILS: [u128; 8] = [0, 1, 0xffff, 0x8000, 0x7fff, 0x1234, 0x0080, 0x007f];

/// Decodes words of all CODINGROOTs of one element; gives what was seen, and whether these were all words
/// that there are, but for tails.
fn seen_of(model: &Model, spaces: &OperandSpaces<'_>, tries: usize) -> (BTreeMap<String, Seen>, bool) {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let (mut is_all, mut random, mut decodings) = (true, Random(7), 0);
    let recorded = RecordedDecoder::new(model);
    for operation in (0..model.operations.len() as u32).filter(|it| model.operation(*it).root.is_some()) {
        for element in root_elements(model, operation) {
            let target = model.operation(operation).instances[element.instance as usize].target;
            let Some(decoder) = model.decoder_of(target) else { continue };
            let width = model.decoders[decoder as usize].width_bits;
            is_all &= width <= NARROW_BITS;
            let words: Vec<u128> = match width {
                ..=NARROW_BITS => (0..1 << width).collect(),
                _ => (0..tries).map(|_| random.wide() & mask(width)).collect(),
            };
            let ways = words.into_iter().flat_map(|word| TAILS.map(|tail| (word, tail)));
            for (word, tail) in ways {
                let is_first = tail == TAILS[0];
                let tail = (0..TAIL_BITS / 16).fold(0, |all, _| all << 16 | tail);
                let width_bits = width + TAIL_BITS;
                let word = match model.target.big_endian {
                    true => Bits::from_u128(word).shifted(TAIL_BITS) | Bits::from_u128(tail),
                    false => Bits::from_u128(word) | Bits::from_u128(tail).shifted(width),
                };
                let (instance, element) = (element.instance, element.element);
                let element = Element { instance, element, decoder, word, width_bits };
                let Some(decoded) = decode_word(model, &element) else { continue };
                // A word without a tail is the same whatever stands behind it.
                if (is_first || decoded.words.len() > 1 && width <= NARROW_BITS)
                    && let Some(root) = decode_root(model, operation, &[element])
                {
                    see(spaces, &root, &mut seen);
                    decodings += 1;
                    if decodings % 16 == 0 {
                        assert_recorded(model, &recorded, &root);
                    }
                }
            }
        }
    }
    (seen, is_all)
}

/// What a profile has of an instruction is enough to decode it again.
fn assert_recorded(model: &Model, recorded: &RecordedDecoder<'_>, root: &RootDecoding) {
    let bytes = root.bytes(model);
    if bytes.len() <= 32 {
        let again = recorded.decode(root.operation(), &bytes);
        assert_eq!(again.as_ref().map(|again| &again.decoded), Some(&root.decoded), "{bytes:02x?}");
    }
}

fn see(spaces: &OperandSpaces<'_>, root: &RootDecoding, seen: &mut BTreeMap<String, Seen>) {
    for (name, values) in spaces.values(&root.decoded) {
        let places = &spaces.instruction(&name).expect("it has values").places;
        assert_eq!(places.len(), values.len(), "{name}");
        let listed: Vec<(usize, usize)> = (0..)
            .zip(values)
            .filter(|(place, _): &(usize, _)| !places[*place].values.is_empty())
            .map(|(place, value)| {
                let value = value.unwrap_or_else(|text| {
                    panic!("{name}: {} is {text}, of {:?}", places[place].name, places[place].values)
                });
                (place, value)
            })
            .collect();
        let seen = seen.entry(name).or_default();
        for (index, (one, a)) in listed.iter().enumerate() {
            seen.values.insert((*one, *a));
            seen.pairs.extend(listed[index + 1..].iter().map(|(other, b)| (*one, *other, *a, *b)));
        }
    }
}

/// Compares what was seen with what is said.
fn compare(path: &str) {
    let model = model_of(path);
    let spaces = OperandSpaces::of(&model);
    let (seen, is_all) = seen_of(&model, &spaces, 20_000);
    assert!(!seen.is_empty(), "{path}");
    for (name, seen) in &seen {
        let space = spaces.instruction(name).expect("it was seen");
        for (one, other, none) in &space.impossible {
            for (a, b) in none {
                let text = format!("{path}: {name}: {a} at {one} with {b} at {other}");
                assert!(!seen.pairs.contains(&(*one, *other, *a, *b)), "{text} is possible");
            }
        }
        if !is_all {
            continue;
        }
        for (index, place) in space.places.iter().enumerate() {
            for (value, text) in place.values.iter().enumerate() {
                assert!(
                    seen.values.contains(&(index, value)),
                    "{path}: {name}: {} is never {text}",
                    place.name
                );
            }
        }
    }
}

#[test]
fn all_words_of_narrow_models_have_what_is_listed() {
    for model in
        ["models/tiny8/tiny8", "models/avr/avr", "models/pdp11/pdp11", "models/timing-demo/timing-demo"]
    {
        compare(&format!("{model}.isac"));
    }
    for model in ["alias", "decoding", "idle", "locals", "modes", "names", "places", "queue"] {
        compare(&format!("tests/models/{model}.isac"));
    }
}

#[test]
fn words_of_wide_models_have_what_is_listed_alone() {
    for model in ["rv32im", "rv32imc", "rv64imac", "rv32im5", "mips32", "armv6m", "vliw4"] {
        compare(&format!("models/{model}/{model}.isac"));
    }
}

/// The values at a place of an instruction.
fn values(spaces: &OperandSpaces<'_>, instruction: &str, place: &str) -> Vec<String> {
    let space = spaces.instruction(instruction).unwrap_or_else(|| panic!("{instruction} is decoded"));
    let place = space.places.iter().find(|it| it.name == place);
    place.unwrap_or_else(|| panic!("{instruction} has {place:?}")).values.clone()
}

#[test]
fn what_no_word_has_is_not_listed() {
    let model = model_of("models/rv32im/rv32im.isac");
    let spaces = OperandSpaces::of(&model);
    let numbers: Vec<String> = (0..32).map(|number: u32| number.to_string()).collect();
    let shift = model.instructions.iter().find(|name| name.contains("(slli(")).unwrap();
    assert_eq!(values(&spaces, shift, "shamt"), numbers);
    // Bit 0 of a distance is never coded.
    let branch = model.instructions.iter().find(|name| name.contains("(beq(")).unwrap();
    assert_eq!(values(&spaces, branch, "offset"), ["0", "least", "greatest", "other"]);
    let add = model.instructions.iter().find(|name| name.contains("(addi(")).unwrap();
    assert_eq!(values(&spaces, add, "imm"), ["0", "1", "-1", "least", "greatest", "other"]);
}

#[test]
fn operands_of_formats_are_those_of_each_of_their_instructions() {
    let model = model_of("models/vliw4/vliw4.isac");
    let spaces = OperandSpaces::of(&model);
    let add = "issue(bundle(slot2(integer(arithmetic(alu(add()))))))";
    let places: Vec<&str> =
        spaces.instruction(add).unwrap().places.iter().map(|place| place.name.as_str()).collect();
    assert_eq!(places, ["when", "rd", "ra", "sb"]);
    assert_eq!(values(&spaces, add, "rd").len(), 32);
    assert_eq!(values(&spaces, add, "when"), ["always", "(p1)", "(p2)", "(p3)"]);
    // All instructions of the set are decoded by some word.
    for name in &model.instructions {
        assert!(spaces.instruction(name).is_some(), "{name}");
    }
}

/// Nothing in an operand is a mnemonic, which a blank would stand behind.
#[test]
fn operands_are_written_as_in_the_texts_of_instructions() {
    let model = model_of("models/pdp11/pdp11.isac");
    let spaces = OperandSpaces::of(&model);
    let clear = model.instructions.iter().find(|name| name.contains("(clr(")).unwrap();
    let found = values(&spaces, clear, "dst");
    for text in ["r1", "(r1)", "(r1)+", "@(r1)+", "-(sp)", "@-(sp)"] {
        assert!(found.iter().any(|value| value == text), "{text}: {found:?}");
    }
    let blanks: Vec<&String> =
        found.iter().filter(|text| text.contains(['(', '#', '@']) && text.contains(' ')).collect();
    assert!(blanks.is_empty(), "{blanks:?}");
}

#[test]
fn values_that_exclude_each_other_are_no_pairs() {
    let model = model_of("tests/models/decoding.isac");
    let spaces = OperandSpaces::of(&model);
    let space = spaces.instruction("main(instr(move()))").unwrap();
    let equal: Vec<(usize, usize)> = (0..4).map(|register| (register, register)).collect();
    assert_eq!(space.impossible, [(0, 1, equal)]);
}
