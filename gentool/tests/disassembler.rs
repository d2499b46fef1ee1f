//! The disassembler against the texts of the models' cases, which were written from manuals.

mod cases;

use gentool::disassembler::{Disassembler, Piece, Program, Style, disassemble};
use isac_ir::Model;
use isac_ir::bits::Bits;

#[test]
fn every_case_of_every_model_disassembles_to_its_text() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in cases::of_models() {
        let model = cases::model(&case.model);
        let disassembler = Disassembler::new(&model).expect("the model's instructions have texts");
        for line in &case.lines {
            let found =
                disassembler.instruction(&line.cells(&model), line.address).and_then(|found| found.printed);
            if found.as_ref().map(|found| &found.text) != Some(&line.text) {
                wrong.push(format!("{}: {} is {found:?}", line.place, line.text));
            }
            compared += 1;
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 1_500, "{compared}");
}

fn bytes(values: &[u8]) -> Vec<Bits> {
    values.iter().map(|value| Bits::from_u128((*value).into())).collect()
}

fn text(model: &Model, program: &Program) -> String {
    disassemble(model, program, Style { remarks: true }).expect("the model's instructions have texts")
}

#[test]
fn what_is_no_instruction_is_data_and_symbols_are_labels() {
    let model = cases::model("models/rv32im/rv32im.isac");
    let symbol = |address, name: &str| gentool::disassembler::Symbol { address, name: name.to_owned() };
    let words: [u32; 5] = [0x0000_0513, 0x0000_0000, 0xff9f_f06f, 0x1000_000f, 0x0000_0073];
    let cells: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).chain([1, 2]).collect();
    let program = Program {
        pieces: vec![Piece { section: Some(".text".into()), address: 0x10000, cells: bytes(&cells) }],
        symbols: vec![symbol(0x10000, "start"), symbol(0x10004, "data"), symbol(0x1000c, "bad name")],
    };
    insta::assert_snapshot!(text(&model, &program));
}

#[test]
fn a_symbol_inside_of_an_instruction_keeps_its_address() {
    let model = cases::model("models/rv32im/rv32im.isac");
    let symbol = |address, name: &str| gentool::disassembler::Symbol { address, name: name.to_owned() };
    let cells: Vec<u8> = [0x0000_0513u32, 0x0000_0073].iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = Program {
        pieces: vec![Piece { section: Some(".text".into()), address: 0x10000, cells: bytes(&cells) }],
        symbols: vec![symbol(0x10000, "start"), symbol(0x10002, "middle"), symbol(0x10004, "end")],
    };
    let text = disassemble(&model, &program, Style { remarks: false }).expect("it has texts");
    assert_eq!(
        text,
        "        .text\n        .org 0x10000\nstart:\n        addi a0, zero, 0\n        \
         .equ middle, 0x10002\nend:\n        ecall\n"
    );
}
