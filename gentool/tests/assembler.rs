//! The assembler: what it makes of texts, and what it says of wrong ones.

mod cases;
mod random_instruction;

use std::path::PathBuf;

use gentool::assembler::{Assembled, Assembler, Bases};
use gentool::disassembler::{Disassembler, Piece, Program, Style, disassemble};
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::syntax::encode::{cells_of_words, encode};
use isac_ir::syntax::{TextItem, Tree};
use isac_parser::diagnostic::{Diagnostics, Style as Rendering};
use isac_parser::source::{InMemory, SourceMap};
use random_instruction::{Random, random_tree};

/// Assembles texts; the findings if one is an error.
fn assemble(model: &Model, files: &[(&str, &str)], bases: Bases) -> Result<Assembled, String> {
    let assembler = Assembler::new(model).expect("the model's instructions have texts");
    let loader = InMemory::new(files.iter().map(|(path, text)| (PathBuf::from(path), *text)));
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let paths: Vec<PathBuf> =
        files.iter().filter(|(path, _)| path.ends_with(".s")).map(|(path, _)| path.into()).collect();
    let program =
        assembler.assemble(&paths, bases, &loader, &mut sources, &mut findings).expect("the files are there");
    program.ok_or_else(|| findings.render(&sources, Rendering::Plain))
}

#[test]
fn every_case_of_every_model_assembles_to_its_bytes() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in cases::of_models() {
        let model = cases::model(&case.model);
        let assembler = Assembler::new(&model).expect("the model's instructions have texts");
        for line in &case.lines {
            let words = assembler.instruction(&line.text, line.address);
            let cells = words.map(|words| cells_of_words(&words, 8, model.target.big_endian));
            let bytes = cells.map(|cells| cells.iter().map(|cell| cell.to_u128() as u8).collect::<Vec<_>>());
            if bytes.as_ref() != Some(&line.bytes) {
                wrong.push(format!("{}: {} is {bytes:02x?}", line.place, line.text));
            }
            compared += 1;
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 1_500, "{compared}");
}

/// Memory that holds every word of up to 16 bits, else random words and corners.
fn memory(disassembler: &Disassembler<'_>, random: &mut Random) -> Vec<Bits> {
    let cell_bits = disassembler.cell_bits();
    let model = disassembler.model();
    let decoders = disassembler.entries().iter().map(|entry| &model.decoders[entry.decoder as usize]);
    let width = decoders.map(|decoder| decoder.width_bits).max().unwrap_or(8);
    let mut words = Vec::new();
    if width <= 16 {
        words.extend((0..1u128 << width).map(Bits::from_u128));
    } else {
        for bit in 0..width {
            words.push(Bits::ones(bit));
            words.push(Bits::ones(width) & !Bits::ones(bit));
            words.push(Bits::ZERO.with_bit(bit, true));
        }
    }
    for _ in 0..1_000 {
        let limbs = (0..8).map(|limb| Bits::from_u128(random.next().into()).shifted(limb * 32));
        words.push(limbs.fold(Bits::ZERO, |word, limb| word | limb) & Bits::ones(width));
    }
    let mut words: Vec<(Bits, u32)> = words.into_iter().map(|word| (word, width)).collect();
    for _ in 0..2_000 {
        let entry = disassembler.entries()[random.next() as usize % disassembler.entries().len()];
        let target = model.decoders[entry.decoder as usize].target;
        words.extend(encode(model, &random_tree(model, target, random)));
    }
    let cells = cells_of_words(&words, cell_bits, model.target.big_endian);
    let limit = 1usize << model.address_bits().min(20);
    cells.into_iter().take(limit).collect()
}

/// How many instructions memory begins with one behind the other, and how many have no text.
fn count(disassembler: &Disassembler<'_>, all: &[Bits]) -> (usize, usize) {
    let (mut instructions, mut data) = (0, 0);
    let mut at = 0;
    while let Some(rest) = all.get(at..).filter(|rest| !rest.is_empty()) {
        match disassembler.instruction(rest, at as u64) {
            Some(found) => {
                instructions += 1;
                data += usize::from(!found.exact);
                at += found.size_cells as usize;
            }
            None => at += disassembler.step_cells().min(rest.len()),
        }
    }
    (instructions, data)
}

/// The same text as somebody else would write it: wide, in the other case, with its numbers in another
/// base or as a sum. Labels are no part of it.
fn written_otherwise(text: &str, way: u64) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(length);
        let is_behind_word = written.ends_with(is_word);
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        written += &match (number, way) {
            (Some(number), 0) if !is_behind_word => format!("0x{number:X}"),
            (Some(number), 1) if !is_behind_word => format!("{number}"),
            (Some(number), 2) if !is_behind_word => format!("0b{number:b}"),
            (None, 0 | 2) => word.to_ascii_uppercase(),
            _ if word == "," => " ,\t".to_owned(),
            _ => word.to_owned(),
        };
        rest = behind;
    }
    written
}

/// True if what looks like a number in the text of an instruction may be none.
fn has_digits(model: &Model, tree: &Tree) -> bool {
    let mut literals = model.operation(tree.operation).texts.iter().flatten().filter_map(|item| match item {
        TextItem::Literal(literal) => Some(literal),
        _ => None,
    });
    literals.any(|literal| {
        literal.trim_start_matches(['#', '$']).starts_with(|letter: char| letter.is_ascii_digit())
    }) || tree.children.iter().any(|(_, child)| has_digits(model, child))
}

#[test]
fn a_text_in_any_way_of_writing_means_the_instruction_that_is_printed_in_normal_form() {
    for path in cases::descriptions().into_iter().filter(|path| path.starts_with("models/")) {
        let model = cases::model(&path);
        let Some(disassembler) = Disassembler::new(&model) else { continue };
        let assembler = Assembler::new(&model).expect("texts");
        let (mut random, mut compared) = (Random(23), 0);
        let cell_bits = disassembler.cell_bits();
        for _ in 0..300 {
            let entry = disassembler.entries()[random.next() as usize % disassembler.entries().len()];
            let tree = random_tree(&model, model.decoders[entry.decoder as usize].target, &mut random);
            let cells = cells_of_words(&encode(&model, &tree), cell_bits, model.target.big_endian);
            let address = random.next() & 0xfff0;
            let Some(found) = disassembler.instruction(&cells, address).filter(|found| found.exact) else {
                continue;
            };
            if has_digits(&model, &found.tree) {
                continue;
            }
            let text = found.printed.expect("it assembles").text;
            let words = assembler.instruction(&text, address).expect("it is exact");
            for way in 0..3 {
                let otherwise = written_otherwise(&text, way);
                let assembled = assembler.instruction(&otherwise, address);
                assert_eq!(assembled.as_ref(), Some(&words), "{path}: `{otherwise}` for `{text}`");
            }
            let cells = cells_of_words(&words, cell_bits, model.target.big_endian);
            let again = disassembler.instruction(&cells, address).and_then(|found| found.printed);
            assert_eq!(again.map(|printed| printed.text), Some(text), "{path}");
            compared += 1;
        }
        assert!(compared > 100, "{path}: {compared}");
    }
}

/// Disassembles memory and assembles it again.
fn check_law(model: &Model, all: &[Bits]) {
    let disassembler = Disassembler::new(model).expect("texts");
    let cell_bits = disassembler.cell_bits();
    let program = Program {
        pieces: vec![Piece { section: None, address: 0, cells: all.to_vec() }],
        symbols: Vec::new(),
    };
    let text = disassemble(model, &program, Style { remarks: true }).expect("texts");
    let assembled = assemble(model, &[("all.s", &text)], Bases::default());
    let assembled = assembled.unwrap_or_else(|said| panic!("{}: {said}", model.name));
    let bytes = &assembled.pieces[0].bytes;
    let size = cell_bits.div_ceil(8) as usize;
    let mut expected = Vec::new();
    for cell in all {
        let mut one = cell.to_be_bytes(size as u32 * 8);
        if !model.target.big_endian {
            one.reverse();
        }
        expected.extend(one);
    }
    let wrong = bytes.iter().zip(&expected).position(|(found, wanted)| found != wanted);
    assert_eq!((wrong, bytes.len()), (None, expected.len()), "{}", model.name);
}

/// What is disassembled assembles to the same words; of the models of processors nearly all words are instructions.
fn check_disassembled(is_taken: impl Fn(&str) -> bool) {
    for path in cases::descriptions().into_iter().filter(|path| is_taken(path)) {
        let model = cases::model(&path);
        let Some(disassembler) = Disassembler::new(&model) else { continue };
        let all = memory(&disassembler, &mut Random(7));
        check_law(&model, &all);
        if path.starts_with("models/") {
            let (instructions, data) = count(&disassembler, &all);
            assert!(
                instructions > 0 && data * 10 < instructions,
                "{path}: {data} of {instructions} are data"
            );
        }
    }
}

#[test]
fn what_is_disassembled_assembles_to_the_same_words_for_every_model() {
    check_disassembled(|path| path.starts_with("models/"));
}

#[test]
fn what_is_disassembled_assembles_to_the_same_words_for_every_construct() {
    check_disassembled(|path| !path.starts_with("models/"));
}
