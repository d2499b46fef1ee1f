//! Decoding against a plain matcher that knows neither patterns nor automata: every word of every
//! small model, of this repository and random ones; and the verdict on ambiguity with it.

mod decoding {
    pub(crate) mod matcher;
    pub(crate) mod random_model;
    pub(crate) mod words;
}
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use decoding::matcher::{Matcher, Verdict};
use decoding::random_model::random_model;
use gentool::lower::lower_model;
use isac_ir::bits::Bits;
use isac_ir::decode::{CellSource, DecodeError, Decoded, decode_element};
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::model::{CheckedModel, Model, root_decodes};
use isac_parser::source::{FileSystem, InMemory, SourceLoader, SourceMap};
use isac_parser::{check_model, parse_model, resolve_model};
use support::path;
use support::random::Random;

/// A description, read and checked.
struct Description {
    model: Model,
    checked: Option<CheckedModel>,
    said: String,
    sources: SourceMap,
}

fn read(root: &Path, loader: &dyn SourceLoader) -> Description {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let files = parse_model(root, loader, &mut sources, &mut diagnostics);
    let model = resolve_model(&files, &BTreeMap::new(), &mut diagnostics).expect("a model");
    assert!(!diagnostics.has_errors(), "{}", diagnostics.render(&sources, Style::Plain));
    let checked = check_model(model.clone(), &mut diagnostics);
    let said = diagnostics.render(&sources, Style::Plain);
    Description { model, checked, said, sources }
}

/// A word's cells, and how many bits of them were asked for.
struct CountedCells {
    /// All cells, the first in the lowest bits or in the highest.
    word: u128,
    width_bits: u32,
    big_endian: bool,
    asked: u32,
}

impl CellSource for CountedCells {
    type Fault = ();

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, ()> {
        self.asked = self.asked.max(first_bit + width_bits);
        let low = match self.big_endian {
            true => self.width_bits.checked_sub(first_bit + width_bits).ok_or(())?,
            false => first_bit,
        };
        Ok(Bits::from_u128(self.word >> low & isac_ir::bits::mask(width_bits)))
    }
}

/// Decodes words one by one; each has to be what the matcher says, and no more of it is fetched
/// than the matcher needs. Gives how many were decoded.
fn check_words(description: &Description, words: impl Iterator<Item = u128>) -> u64 {
    let checked = description.checked.as_ref().expect(&description.said);
    let lowered = lower_model(checked, &description.sources, "model");
    isac_ir::verify::verify_model(&lowered).expect("a sound model");
    let operation = root_of(&description.model);
    let decode = root_decodes(&description.model.operations[operation].coding_root)[0];
    let target = description.model.operations[operation].instances[decode.instance.index()].target;
    let matcher = Matcher::new(&description.model);
    let instance = &lowered.operations[operation].instances[decode.instance.index()];
    let decoder = lowered.decoder_of(instance.target).expect("a decoder");
    let width_bits = lowered.decoders[decoder as usize].width_bits;
    let cell_bits = description.model.maps[0].cell_bits;
    let mut found = 0;
    for word in words {
        let expected = matcher.decode(target, word);
        let big_endian = lowered.target.big_endian;
        let mut cells = CountedCells { word, width_bits, big_endian, asked: 0 };
        let decoded = match decode_element(&lowered, decoder, &mut cells) {
            Ok(element) => {
                let width = element.width_bits();
                Some((Decoded { nodes: element.nodes }.name(&lowered), width))
            }
            Err(DecodeError::Illegal) => None,
            Err(DecodeError::Fetch(())) => panic!("{word:#b}: more than the widest word is fetched"),
        };
        assert_eq!(decoded, expected, "{word:#b} of {width_bits} bits");
        let needed = matcher.needed_bits(target, word, cell_bits);
        assert!(cells.asked <= needed, "{word:#b}: {} bits are fetched, {needed} needed", cells.asked);
        found += u64::from(decoded.is_some());
    }
    found
}

fn root_of(model: &Model) -> usize {
    model.operations.iter().position(|operation| !operation.coding_root.is_empty()).expect("a CODINGROOT")
}

/// Every word of the models that have short ones.
#[test]
fn every_word_of_the_small_models_is_what_it_looks_like() {
    for (file, width) in [
        ("models/tiny8/tiny8.isac", 8),
        ("tests/models/tree.isac", 8),
        ("tests/models/queue.isac", 16),
        ("tests/models/cells12.isac", 12),
        ("tests/models/classic.isac", 8),
        ("tests/models/names.isac", 16),
        ("tests/models/wide.isac", 16),
        ("tests/models/decoding.isac", 16),
    ] {
        let description = read(&path(file), &FileSystem);
        let found = check_words(&description, 0..1 << width);
        assert!(found > 0, "{file}");
    }
}

/// Corner and random words of a model with longer ones.
#[test]
fn words_of_rv32im_are_what_they_look_like() {
    let description = read(&path("models/rv32im/rv32im.isac"), &FileSystem);
    let mut random = Random::new(1);
    let corners = (0..32).flat_map(|bit| [1u128 << bit, !(1u128 << bit) & 0xffff_ffff]);
    // The low seven bits are the opcode: each with random other bits.
    let opcodes = (0..128 * 32).map(|index| u128::from(random.next() & 0xffff_ff80 | index & 0x7f));
    let words: Vec<u128> = corners.chain(opcodes).collect();
    assert!(check_words(&description, words.into_iter()) > 100);
}

/// Random models: the verdict is the matcher's, the words that it shows are ambiguous, and sound
/// models decode every word as the matcher does.
#[test]
fn random_models_are_judged_and_decoded_as_by_hand() {
    let (mut sound, mut ambiguous, mut decoded) = (0, 0, 0);
    for seed in 0..800 {
        let text = random_model(seed);
        let file = Path::new("random.isac");
        let description = read(file, &InMemory::new([(file, text.clone())]));
        let matcher = Matcher::new(&description.model);
        let operation = &description.model.operations[root_of(&description.model)];
        let decode = root_decodes(&operation.coding_root)[0];
        let target = operation.instances[decode.instance.index()].target;
        match matcher.judge(target) {
            Verdict::Sound => {
                assert!(description.checked.is_some(), "seed {seed}\n{text}\n{}", description.said);
                sound += 1;
                let width = matcher.width(target);
                let run = std::panic::AssertUnwindSafe(|| check_words(&description, 0..1 << width));
                match std::panic::catch_unwind(run) {
                    Ok(found) => decoded += found,
                    Err(panic) => {
                        eprintln!("seed {seed}\n{text}");
                        std::panic::resume_unwind(panic);
                    }
                }
            }
            Verdict::Ambiguous(words) => {
                assert!(description.checked.is_none(), "seed {seed}\n{text}");
                ambiguous += 1;
                for shown in shown_words(&description.said) {
                    assert!(words.contains(&shown), "seed {seed}: {shown}\n{text}\n{}", description.said);
                }
            }
        }
    }
    assert!(sound > 100 && ambiguous > 100 && decoded > 4_000, "{sound} {ambiguous} {decoded}");
}

/// The words in messages, as they are printed.
fn shown_words(said: &str) -> Vec<String> {
    let words = said.lines().filter(|line| line.starts_with("error[E0410]"));
    let words = words.filter_map(|line| line.split("0b").nth(1));
    words.map(|word| word.chars().take_while(char::is_ascii_digit).collect()).collect()
}

#[test]
fn a_member_of_an_operand_goes_before_what_is_less_special() {
    let text = "
        RESOURCE { PC REGISTER bit[8] pc; RAM bit[8] ram { SIZE (256); }; MEMORY_MAP m { RANGE (0, 255) -> ram; }; };
        OPERATION main { INSTANCE instr ALIAS { i }; CODINGROOT { i (m[pc]); }; BEHAVIOR { pc++; }; };
        GROUP instr = load, special;
        GROUP g = any, zero;
        OPERATION any { CODING { n=0bx[4] }; EXPRESSION { n }; };
        OPERATION zero { CODING { 0b0000 }; EXPRESSION { 0 }; };
        OPERATION load { INSTANCE g ALIAS { a }; CODING { 0b0000 a }; BEHAVIOR { pc = a; }; };
        OPERATION special { CODING { 0b0000000x }; };
    ";
    let file = Path::new("member.isac");
    let description = read(file, &InMemory::new([(file, text.to_owned())]));
    let matcher = Matcher::new(&description.model);
    let target = description.model.operations[0].instances[0].target;
    assert_eq!(description.model.operations[0].name, "main");
    let name = |word| matcher.decode(target, word).map(|(name, _)| name).unwrap_or_default();
    assert_eq!(name(0), "instr(load(g(zero())))");
    assert_eq!(name(1), "instr(special())");
    assert_eq!(name(2), "instr(load(g(any())))");
    assert_eq!(check_words(&description, 0..256), 16);
}
