//! The automata of every model's decoders against a matcher that tries each member of each group, bit by
//! bit: corner words, random words, and words of random instructions; words of several lengths and with
//! others behind them among them.

mod cases;
mod random_instruction;
#[path = "../../tests/decoding"]
#[allow(dead_code, unused_imports, reason = "other tests ask the matcher for more")]
mod decoding {
    pub(crate) mod matcher;
    pub(crate) mod words;
}

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use decoding::matcher::Matcher;
use gentool::lower::lower_model;
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{CellSource, DecodeError, Decoded, decode_element};
use isac_ir::operation::Target;
use isac_ir::syntax::encode::encode_word;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::model::{OperationOrGroup, TailItem, root_decodes};
use isac_parser::source::{FileSystem, SourceMap};
use random_instruction::{Random, random_tree};

/// A word, with the cells of another behind it, again and again.
struct Cells {
    word: u128,
    width_bits: u32,
    big_endian: bool,
}

impl CellSource for Cells {
    type Fault = ();

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, ()> {
        let bit = |index: u32| {
            let index = index % self.width_bits;
            let at = if self.big_endian { self.width_bits - 1 - index } else { index };
            self.word >> at & 1 == 1
        };
        let place = |index: u32| if self.big_endian { width_bits - 1 - index } else { index };
        let bits = (0..width_bits).filter(|index| bit(first_bit + index));
        Ok(bits.fold(Bits::ZERO, |word, index| word.with_bit(place(index), true)))
    }
}

/// Decodes words of a description of the repository by its automata and by the matcher: what they name has
/// to be the same, at least so many different trees among it. What a TAIL decodes the matcher does not
/// name, so that the description has none that does.
fn compare(path: &str, least: usize) {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let file = cases::root().join(path);
    let checked = load_model(Path::new(&file), &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    let checked = checked.expect("the model is sound");
    let lowered = lower_model(&checked, &sources, "model");
    let operations = checked.operations.iter();
    let mut tails = operations.flat_map(|operation| &operation.tail);
    assert!(!tails.any(|item| matches!(item, TailItem::Decode { .. })), "{path} decodes in a TAIL");
    let matcher = Matcher::new(&checked);
    let (mut names, mut shared, mut compared) = (BTreeSet::new(), 0, 0);
    for (number, operation) in checked.operations.iter().enumerate() {
        for decode in root_decodes(&operation.coding_root) {
            let instance = decode.instance.index();
            let target = operation.instances[instance].target;
            let lowered_target = lowered.operations[number].instances[instance].target;
            let words = words(&lowered, lowered_target, matcher.width(target));
            for word in words {
                compared += 1;
                shared += compare_word(&lowered, &matcher, (target, lowered_target), word, &mut names);
            }
        }
    }
    assert!(names.len() >= least, "{path}: {} different trees", names.len());
    assert!(shared * 10 < compared, "{path}: {shared} of {compared} words are not decided by the matcher");
}

/// Corners, random words, and instructions.
fn words(model: &isac_ir::Model, target: Target, width: u32) -> Vec<u128> {
    let mut random = Random(11);
    let mut words: Vec<u128> = if width <= 16 {
        (0..1 << width).collect()
    } else {
        let corners = (0..width).flat_map(|bit| [1 << bit, mask(width) & !(1 << bit), mask(bit)]);
        corners.chain((0..1000).map(|_| random.wide() & mask(width))).collect()
    };
    for _ in 0..3000 {
        let (word, bits) = encode_word(model, &random_tree(model, target, &mut random));
        let shift = if model.target.big_endian { width - bits } else { 0 };
        let others = random.wide() & mask(width) & !(mask(bits) << shift);
        let word = word.to_u128() << shift;
        words.push(word | others);
        // One bit beside an instruction.
        words.push((word | others) ^ (1 << (random.wide() % u128::from(width))));
    }
    words
}

/// One word: 1 if several paths have it and nobody counts who wins.
fn compare_word(
    model: &isac_ir::Model,
    matcher: &Matcher<'_>,
    (target, lowered_target): (OperationOrGroup, Target),
    word: u128,
    names: &mut BTreeSet<String>,
) -> usize {
    let decoder = model.decoder_of(lowered_target).expect("a decoder");
    let (width_bits, big_endian) = (matcher.width(target), model.target.big_endian);
    let mut cells = Cells { word, width_bits, big_endian };
    let found = match decode_element(model, decoder, &mut cells) {
        Ok(element) => Some(Decoded { nodes: element.nodes }.name(model)),
        Err(DecodeError::Illegal) => None,
        Err(DecodeError::Fetch(())) => unreachable!("cells never end"),
    };
    let expected = matcher.names(target, word);
    match (&found, expected.as_slice()) {
        (None, []) => return 0,
        (Some(found), [expected]) => assert_eq!(found, expected, "{}: {word:#x}", model.name),
        (Some(found), several) if several.contains(found) => {
            names.insert(found.clone());
            return 1;
        }
        _ => panic!("{}: {word:#x} is {found:?}, not {expected:?}", model.name),
    }
    names.extend(found);
    0
}

#[test]
fn words_of_every_model_are_what_they_look_like() {
    for (path, least) in [
        ("models/tiny8/tiny8.isac", 16),
        ("models/timing-demo/timing-demo.isac", 2),
        ("models/rv32im/rv32im.isac", 40),
        ("models/rv32im5/rv32im5.isac", 40),
        ("models/rv32imc/rv32imc.isac", 40),
        ("models/rv64imac/rv64imac.isac", 40),
        ("models/mips32/mips32.isac", 40),
        ("models/armv6m/armv6m.isac", 40),
        ("models/avr/avr.isac", 40),
        ("models/pdp11/pdp11.isac", 40),
        ("models/vliw4/vliw4.isac", 40),
    ] {
        compare(path, least);
    }
}
