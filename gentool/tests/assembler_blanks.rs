//! Where a program may have blanks that a literal of the description has not, and where not; parentheses of literals.

mod program_text;

use isac_ir::Model;
use isac_parser::diagnostic::Style;
use program_text::{assemble, model_of, symbol, try_to_assemble};

/// Instructions of a byte whose literals hold several pieces.
fn model() -> Model {
    model_of(
        "RESOURCE { PC REGISTER bit[16] pc; REGISTER bit[8] r[4], a; RAM bit[8] ram { SIZE (0x100); };
            MEMORY_MAP defaultmap { RANGE (0, 0xff) -> ram; }; };
        OPERATION main { CODINGROOT { instr (defaultmap[pc]); }; };
        GROUP instr = plain, to_a, indexed, behind, table, byte, word, up;
        OPERATION plain   { ASSEMBLER { \"mov\" n=#U }; CODING { 0b0000 n=0bx[4] }; BEHAVIOR { a = n; }; };
        OPERATION to_a    { ASSEMBLER { \"mov\" n=#U \",a\" }; CODING { 0b0001 n=0bx[4] }; BEHAVIOR { r[n] = a; }; };
        OPERATION indexed { ASSEMBLER { \"lda\" n=#U \",x\" }; CODING { 0b0010 n=0bx[4] }; BEHAVIOR { a = n; }; };
        OPERATION behind  { ASSEMBLER { \"lda\" \"(\" n=#U \"),y\" }; CODING { 0b0011 n=0bx[4] }; BEHAVIOR { a = n; }; };
        OPERATION table   { ASSEMBLER { \"movc a,@a+dptr\" }; CODING { 0b0100 0b0000 }; BEHAVIOR { a = 1; }; };
        OPERATION byte    { ASSEMBLER { \"add.b\" n=#U }; CODING { 0b0101 n=0bx[4] }; BEHAVIOR { a = n; }; };
        OPERATION word    { ASSEMBLER { \"add\" n=#U \".w\" }; CODING { 0b0110 n=0bx[4] }; BEHAVIOR { a = n; }; };
        OPERATION up      { ASSEMBLER { \"up\" \"(\" n=#U \")++\" }; CODING { 0b0111 n=0bx[4] }; BEHAVIOR { a = n; }; };
        PSEUDO { \"twice\" v:#U \",a\" } -> { \"mov\" v \", a\"; \"mov\" v \" , a\" };",
    )
}

/// The bytes of a line, or what is said of it.
fn assembled(model: &Model, line: &str) -> Result<Vec<u8>, String> {
    let (program, findings, sources) = try_to_assemble(model, &format!("{line}\n"));
    match program {
        Some(program) => Ok(program.pieces[0].bytes.clone()),
        None => Err(findings.render(&sources, Style::Plain)),
    }
}

#[test]
fn blanks_may_stand_where_two_pieces_of_a_literal_meet() {
    let model = model();
    for (line, bytes) in [
        ("mov 5,a", vec![0x15]),
        ("mov 5, a", vec![0x15]),
        ("mov 5 ,\tA", vec![0x15]),
        ("lda 3 , x", vec![0x23]),
        ("lda (3),y", vec![0x33]),
        ("lda ( 3 ) , y", vec![0x33]),
        ("movc a,@a+dptr", vec![0x40]),
        ("movc a, @a + dptr", vec![0x40]),
        ("movc  a , @ a+ dptr", vec![0x40]),
        ("add.b 5", vec![0x55]),
        ("up (3) ++", vec![0x73]),
        ("twice 2, a", vec![0x12, 0x12]),
    ] {
        assert_eq!(assembled(&model, line), Ok(bytes), "{line}");
    }
}

#[test]
fn a_line_with_blanks_is_as_long_as_one_without() {
    let model = model();
    let (program, _) = assemble(&model, "mov 5,a\n lda 3 , x\nend: movc a, @a + dptr\n");
    assert_eq!(symbol(&program, "end"), 2);
}

#[test]
fn what_is_one_piece_is_not_taken_apart() {
    let model = model();
    for line in
        ["add .b 5", "add. b 5", "mo v 5, a", "up (3)+ +", "movca,@a+dptr", "lda 3, xy", "movc a, @a+d ptr"]
    {
        let said = assembled(&model, line).expect_err(line);
        assert_eq!(said.matches("error[").count(), 1, "{line}: {said}");
    }
}

#[test]
fn what_is_missing_of_a_literal_is_told_where_it_is_missing() {
    let model = model();
    let said = assembled(&model, "movc a, @b + dptr").expect_err("b is not a");
    assert!(said.contains("expected `a+dptr`"), "{said}");
    let said = assembled(&model, "movc a, @ab").expect_err("ab is not a");
    assert!(said.contains("expected `a+dptr`"), "{said}");
}

/// Two instructions that differ in parentheses, the one with a literal of them being narrower.
fn indirect() -> Model {
    model_of(
        "RESOURCE { PC REGISTER bit[16] pc; REGISTER bit[8] r[4], a; RAM bit[8] ram { SIZE (0x100); };
            MEMORY_MAP defaultmap { RANGE (0, 0xff) -> ram; }; };
        OPERATION main { CODINGROOT { instr (defaultmap[pc]); }; };
        GROUP instr = absolute, pointer, offset;
        OPERATION absolute { ASSEMBLER { \"lda\" n=#UX \",y\" }; CODING { 0b00000000 };
            TAIL { n=0bx[16] }; BEHAVIOR { a = n; }; };
        OPERATION pointer { ASSEMBLER { \"lda\" \"(\" n=#UX \"),y\" }; CODING { 0b00000001 };
            TAIL { n=0bx[8] }; BEHAVIOR { a = n; }; };
        OPERATION offset { ASSEMBLER { \"lw\" n=#U \"(\" s=#NAME(r) \")\" }; CODING { 0b1 n=0bx[5] s=0bx[2] };
            BEHAVIOR { a = n + r[s]; }; };",
    )
}

#[test]
fn a_parenthesis_of_a_literal_never_begins_an_expression() {
    let model = indirect();
    assert_eq!(assembled(&model, "lda (0x10),y"), Ok(vec![1, 0x10]));
    assert_eq!(assembled(&model, "lda 0x100,y"), Ok(vec![0, 0, 1]));
    for line in ["lda (0x100),y", "lda (far),y\n.equ far, 0x100"] {
        let said = assembled(&model, line).expect_err(line);
        assert!(said.contains("error[A0304]: 256 does not fit `n`"), "{line}: {said}");
        assert!(said.contains("is a literal of this instruction"), "{line}: {said}");
    }
    // Where no text has it as a literal it is the expression's.
    assert_eq!(assembled(&model, "lda 0 + (0x100),y"), Ok(vec![0, 0, 1]));
    assert_eq!(assembled(&model, "lda (0x80) + (0x80),y"), Ok(vec![0, 0, 1]));
    assert_eq!(assembled(&model, "lw (4 + 4)(r1)"), Ok(vec![0xa1]));
}
