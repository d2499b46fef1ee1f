//! The disassembler against the texts of the models' cases, which were written from manuals.

mod cases;
mod program_text;

use gentool::disassembler::{Disassembler, Piece, Program, Style, disassemble};
use isac_ir::Model;
use isac_ir::bits::Bits;
use program_text::{assemble, model_of, symbol as symbol_of};

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

/// Other tools take any letters; the assembler fills nothing that is zero at first.
#[test]
fn sections_have_names_that_the_assembler_takes() {
    let model = cases::model("models/rv32im/rv32im.isac");
    for (name, section) in [
        ("my text", "my_text"),
        (".bss.x", ".data.bss.x"),
        ("", ".text"),
        ("a\"b", "a_b"),
        (".init", ".init"),
    ] {
        let piece = Piece { section: Some(name.into()), address: 0x10000, cells: bytes(&[0x73, 0, 0, 0]) };
        let text = text(&model, &Program { pieces: vec![piece], symbols: Vec::new() });
        let (program, _) = assemble(&model, &text);
        assert_eq!(
            (program.pieces[0].section.as_str(), program.pieces[0].bytes.len()),
            (section, 4),
            "{text}"
        );
    }
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

/// A model with these instructions, one cell of 8 bits each and more.
fn model_with(target: &str, instructions: &str) -> Model {
    model_of(&format!(
        "TARGET {{ ENDIAN (BIG); {target} }};
        RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[16] a; RAM bit[8] ram {{ SIZE (0x10000); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 0xffff) -> ram; }}; }};
        OPERATION main {{ INSTANCE instr ALIAS {{ instr }}; CODINGROOT {{ instr (defaultmap[pc]); }}; }};
        {instructions}"
    ))
}

/// The text of memory, which has to give the same memory again.
fn there_and_back(model: &Model, memory: &[u8]) -> String {
    let program = Program {
        pieces: vec![Piece { section: None, address: 0, cells: bytes(memory) }],
        symbols: Vec::new(),
    };
    let text = text(model, &program);
    let again: Vec<u8> =
        assemble(model, &text).0.pieces.iter().flat_map(|piece| piece.bytes.clone()).collect();
    assert_eq!(again, memory, "{text}");
    text
}

/// Bytes that mean nothing.
fn noise(count: u32) -> Vec<u8> {
    (0..count)
        .map(|index| (index.wrapping_mul(0x9e37_79b9) ^ index << 13).wrapping_mul(0x85eb_ca6b) >> 24)
        .map(|byte| byte as u8)
        .collect()
}

#[test]
fn lengths_that_depend_on_each_other_come_back() {
    let instructions = |when: &str| {
        format!(
            "GROUP instr = near, far, nop, two;
            OPERATION nop {{ ASSEMBLER {{ \"nop\" }}; CODING {{ 0b000000xx }}; BEHAVIOR {{ a = a; }}; }};
            OPERATION two {{ ASSEMBLER {{ \"two\" v=#X }}; CODING {{ 0b01xxxxxx v=0bx[8] }}; BEHAVIOR {{ a = v; }}; }};
            OPERATION near {{ ASSEMBLER {{ \"bra\" t=#REL }}; CODING {{ 0b10xxxxxx t=0bx[8] }}; {when}
                BEHAVIOR {{ pc = instruction_address + t; }}; }};
            OPERATION far {{ ASSEMBLER {{ \"bra\" t=#REL }}; CODING {{ 0b11xxxxxx t=0bx[16] }};
                BEHAVIOR {{ pc = instruction_address + t; }}; }};"
        )
    };
    let plain = |byte: u8| byte & 0xc0;
    let memory: Vec<u8> = noise(6_000)
        .into_iter()
        .enumerate()
        .map(|(at, byte)| if at % 3 == 0 { plain(byte) } else { byte })
        .collect();
    let always = model_with("", &instructions(""));
    let text = there_and_back(&always, &memory);
    assert!(text.contains("+0x1"), "{text}");
    // A distance that is none is passed over on the way to the last lengths.
    let sometimes = model_with("", &instructions("WHEN { t != 6 };"));
    there_and_back(&sometimes, &memory);
    // This one alone: it is 6 while all are short.
    let text = there_and_back(&sometimes, &[0x80, 0x08, 0xc0, 0x01, 0x00, 0xc0, 0x01, 0x00, 0, 0, 0, 0]);
    assert!(text.contains(".half 0x8008 "), "{text}");
}

#[test]
fn what_a_comment_swallows_or_a_label_runs_into_is_written_otherwise() {
    let swallowed = model_with(
        "COMMENT (\"*\");",
        "GROUP instr = lost, found;
        OPERATION lost { ASSEMBLER { \"*a\" v=#X }; CODING { 0b0 v=0bx[7] }; BEHAVIOR { a = v; }; };
        OPERATION found { ASSEMBLER { \"b\" v=#X }; CODING { 0b1 v=0bx[7] }; BEHAVIOR { a = v; }; };",
    );
    let text = there_and_back(&swallowed, &(0..=255).collect::<Vec<u8>>());
    assert!(text.contains(".byte 0x05 ") && text.contains("        b 0x5 "), "{text}");
    let joined = model_with(
        "",
        "GROUP instr = jump, nop;
        OPERATION jump { ASSEMBLER { \"jmp\" t=#ABS ~ \".w\" }; CODING { 0b1 t=0bx[7] }; BEHAVIOR { pc = t; }; };
        OPERATION nop { ASSEMBLER { \"nop\" }; CODING { 0bx[8] }; BEHAVIOR { a = a; }; };",
    );
    let text = there_and_back(&joined, &[0x80, 0x82, 0, 0x83]);
    assert!(text.contains("jmp 0x2.w "), "{text}");
}

/// As assemblers of real machines do: what stands before a function is not read into it.
#[test]
fn a_symbol_at_which_an_instruction_may_begin_ends_what_is_before_it() {
    let model = cases::model("models/armv6m/armv6m.isac");
    let symbol = |address, name: &str| gentool::disassembler::Symbol { address, name: name.to_owned() };
    let cells: Vec<u8> = [0xedb8u16, 0x4b2c, 0x4770].iter().flat_map(|half| half.to_le_bytes()).collect();
    let program = Program {
        pieces: vec![Piece { section: Some(".text".into()), address: 0x100, cells: bytes(&cells) }],
        // A register's name is no label.
        symbols: vec![symbol(0x102, "crc"), symbol(0x104, "r3")],
    };
    let text = disassemble(&model, &program, Style { remarks: false }).expect("it has texts");
    assert_eq!(symbol_of(&assemble(&model, &text).0, "crc"), 0x102);
    assert_eq!(
        text,
        "        .text\n        .org 0x100\n        .half 0xedb8\ncrc:\n        ldr r3, [pc, #176]\n        bx lr\n"
    );
}
