//! What a text names twice is one thing: an instruction that is written as two different ones is refused,
//! or is another.

mod cases;
mod program_text;

use isac_ir::Model;
use isac_parser::diagnostic::Style;
use program_text::{assemble, model_of, symbol, try_to_assemble};

/// Registers of two bits, and instructions of a byte.
fn model(instructions: &str) -> Model {
    model_of(&format!(
        "RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[8] r[4]; RAM bit[8] ram {{ SIZE (0x100); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 0xff) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; }};
        OPERATION reg {{ ASSEMBLER {{ n=#NAME(r) }}; CODING {{ n=0bx[2] }}; EXPRESSION {{ r[n] }}; }};
        {instructions}"
    ))
}

/// The error that a line has, if it has one, else its bytes.
fn assembled(model: &Model, line: &str) -> Result<Vec<u8>, String> {
    let (program, findings, sources) = try_to_assemble(model, &format!("{line}\n"));
    match program {
        Some(program) => Ok(program.pieces[0].bytes.clone()),
        None => Err(findings.render(&sources, Style::Plain)),
    }
}

#[track_caller]
fn refused(model: &Model, line: &str, name: &str) {
    let said = assembled(model, line).expect_err(line);
    let told = format!("error[A0306]: the text names `{name}` twice, and the two are not the same");
    assert!(said.contains(&told) && said.matches("error[").count() == 1, "{line}: {said}");
}

#[test]
fn an_operand_that_is_named_twice_is_the_same_in_both_places() {
    let model = model(
        "GROUP instr = double, copy, twice, both;
        OPERATION double { INSTANCE reg ALIAS { d }; ASSEMBLER { \"add\" d \",\" d }; CODING { 0b000000 d };
            BEHAVIOR { d = d + d; }; };
        OPERATION copy { INSTANCE reg ALIAS { d, s }; ASSEMBLER { \"add\" d \",\" s }; CODING { 0b0001 s d };
            WHEN { d != s }; BEHAVIOR { d = s; }; };
        OPERATION twice { ASSEMBLER { \"put\" v=#S \",\" v=#X }; CODING { 0b0010 v=0bx[4] };
            BEHAVIOR { r[0] = v; }; };
        OPERATION both { ASSEMBLER { \"at\" v=#U \",\" v=#U(v + 1) \",\" v=#U(v + 1) }; CODING { 0b0011 v=0bx[4] };
            BEHAVIOR { r[0] = v; }; };",
    );
    for (line, byte) in
        [("add r3, r3", 0x03), ("add r3, r1", 0x17), ("add r2, r0", 0x12), ("add r1, r3", 0x1d)]
    {
        assert_eq!(assembled(&model, line), Ok(vec![byte]), "{line}");
    }
    assert_eq!(assembled(&model, "put -3, 13"), Ok(vec![0x2d]), "each has its own format");
    refused(&model, "put 1, 2", "v");
    assert_eq!(assembled(&model, "at 4, 5, 5"), Ok(vec![0x34]));
    refused(&model, "at 4, 6, 6", "v");
    refused(&model, "at 4, 5, 6", "v");
    refused(&model, "at later, later + 1, later\n .equ later, 3", "v");
}

/// Thumb has two operands for what newer processors have three for.
#[test]
fn three_operands_of_which_two_are_one_are_not_taken_for_two() {
    let model = cases::model("models/armv6m/armv6m.isac");
    for line in [
        "ands r3, r1, r2",
        "add r3, r1, r2",
        "lsls r3, r2, r1",
        "sbcs r7, r4, r0",
        "rors r6, r2, r2",
        "muls r3, r1, r2",
        "bics r1, r3, r2",
    ] {
        let said = assembled(&model, line).err();
        // `add` of low registers is an instruction with three, which sets the flags and is called so.
        assert!(said.is_some(), "{line} is no instruction");
    }
    for (line, same) in [
        ("ands r3, r3, r2", "ands r3, r2"),
        ("add r8, r8, r2", "add r8, r2"),
        ("muls r3, r1, r3", "muls r3, r1"),
    ] {
        assert_eq!(assembled(&model, line), assembled(&model, same), "{line}");
        assert!(assembled(&model, line).is_ok(), "{line}");
    }
}

/// What names an element may depend on how long the instruction is, which an operand of a PSEUDO is not yet.
#[test]
fn an_operand_whose_name_asks_for_the_size_is_judged_in_its_instruction() {
    let model = model(
        "GROUP instr = clear;
        OPERATION next { ASSEMBLER { n=#NAME(r, instruction_size + n) }; CODING { n=0bx[1] }; EXPRESSION { r[1 + n] }; };
        OPERATION clear { INSTANCE next ALIAS { d }; ASSEMBLER { \"clear\" d }; CODING { 0b0000000 d }; BEHAVIOR { d = 0; }; };
        PSEUDO { \"zap\" x:next } -> { \"clear\" x };",
    );
    for (line, byte) in [("clear r1", 0), ("clear r2", 1), ("zap r1", 0), ("zap r2", 1)] {
        assert_eq!(assembled(&model, line), Ok(vec![byte]), "{line}");
    }
    let said = assembled(&model, "zap r3").expect_err("no such operand");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}

/// One computation is bounded, and so are all that are tried to find the fields of a value.
#[test]
fn a_computed_text_without_end_is_refused_soon() {
    let model = model(
        "GROUP instr = endless, nop;
        FUNCTION bit[8] around(bit[8] v) { while (1) { } return v; }
        OPERATION nop { ASSEMBLER { \"nop\" }; CODING { 0b1111111111111111 }; };
        OPERATION endless { ASSEMBLER { \"x\" v=#U(around(v)) }; CODING { 0b00 v=0bx[14] };
            BEHAVIOR { r[0] = v; }; };",
    );
    let said = assembled(&model, "x 5").expect_err("it has no value");
    assert!(said.contains("error[A0304]"), "{said}");
    let text = "nop\n/*/ nop /*/\nnop /**/ nop\n/***/ nop\nend:\n";
    assert!(assembled(&model, text).is_err(), "two instructions on a line");
    let (program, _) = assemble(&model, &text.replace("nop /**/ nop", "nop /**/"));
    assert_eq!(symbol(&program, "end"), 6, "a comment does not end with what it begins with");
}
