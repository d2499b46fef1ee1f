//! Assembler text that nobody writes on purpose is assembled, or ends in a message, in time and memory
//! that grow as it does.

mod program_text;

use gentool::assembler::Assembler;
use gentool::assembler::output::{write_elf, write_listing};
use gentool::disassembler::Disassembler;
use isac_ir::Model;
use isac_ir::syntax::encode::cells_of_words;
use isac_parser::diagnostic::Style;
use program_text::{assemble, model_of, symbol, try_to_assemble};

/// `put` of a number in two bytes, `nop`, and `jump` in two bytes to all that is near, in four to even
/// distances alone; with more of a description.
fn model(more: &str) -> Model {
    model_of(&format!(
        "TARGET {{ ENDIAN (LITTLE); ELF_CLASS (32); HOST (defaultmap); }};
        RESOURCE {{ PC REGISTER bit[32] pc; REGISTER bit[16] a; RAM bit[8] ram {{ SIZE (0x100000); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 0xfffff) -> ram; }}; }};
        OPERATION main {{ INSTANCE instr ALIAS {{ instr }}; CODINGROOT {{ instr (defaultmap[pc]); }}; }};
        GROUP instr = near, far, put, nop;
        OPERATION near {{ ASSEMBLER {{ \"jump\" to=#REL }}; CODING {{ to=0bx[8] 0b00000001 }};
            BEHAVIOR {{ pc = instruction_address + to; }}; }};
        OPERATION far {{ ASSEMBLER {{ \"jump\" to=#REL }}; CODING {{ to[15..1] 0b000000000 0b00000010 }};
            BEHAVIOR {{ pc = instruction_address + to; }}; }};
        OPERATION put {{ ASSEMBLER {{ \"put\" n=#U }}; CODING {{ n=0bx[8] 0b00000011 }}; BEHAVIOR {{ a = n; }}; }};
        OPERATION nop {{ ASSEMBLER {{ \"nop\" }}; CODING {{ 0b0000000000000000 }}; BEHAVIOR {{ a = a; }}; }};
        {more}"
    ))
}

/// The errors that a text has: how many, and what is said.
fn refused(model: &Model, text: &str) -> (usize, String) {
    let (program, findings, sources) = try_to_assemble(model, text);
    assert!(program.is_none());
    (findings.error_count(), findings.render(&sources, Style::Plain))
}

#[test]
fn what_is_zero_at_first_has_no_contents() {
    let model = model("PSEUDO { \"twice\" v:#U } -> { \"put\" v; \"put\" v };");
    for (line, name) in [
        ("put 1", "put"),
        ("twice 1", "twice"),
        (".space 4, 0xff", ".space"),
        (".space 4, late - 1", ".space"),
        // Nothing is written for it, so that it takes no memory.
        (".space 0x10000000000, 1", ".space"),
        (".word 0", ".word"),
    ] {
        let (count, said) = refused(&model, &format!(" .equ late, 2\n .bss\n {line}\n"));
        let told = format!("error[A0405]: `{name}` in .bss, which is zero at first");
        assert!(said.contains(&told), "{line}: {said}");
        assert_eq!(count, if line.contains("0x100000000") { 2 } else { 1 }, "{said}");
    }
    let (program, _) = assemble(&model, " nop\n .bss\n .space 4, late - 2\n .align 8\n .equ late, 2\n");
    let zero = program.pieces.last().expect("a piece");
    assert_eq!((zero.size_cells, zero.bytes.len()), (8, 0));
}

/// Two operations a level, each with the whole level below at the same place: there are 2^60 ways down,
/// and one that the text goes.
#[test]
fn operands_of_operands_are_read_once_at_each_place() {
    const LEVELS: usize = 60;
    let mut text = format!(
        "RESOURCE {{ PC REGISTER bit[32] pc; REGISTER bit[32] r; RAM bit[8] ram {{ SIZE (16); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 15) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 8; }}; }};
        GROUP instr = top;
        OPERATION top {{ INSTANCE g{LEVELS} ALIAS {{ a }}; ASSEMBLER {{ \"op\" a }}; CODING {{ 0bx[3] a }}; BEHAVIOR {{ r = a; }}; }};
        GROUP g0 = l0, h0;
        OPERATION l0 {{ ASSEMBLER {{ \"p\" }}; CODING {{ 0b0 }}; EXPRESSION {{ 1 }}; }};
        OPERATION h0 {{ ASSEMBLER {{ \"q\" }}; CODING {{ 0b1 }}; EXPRESSION {{ 2 }}; }};\n"
    );
    for level in 1..=LEVELS {
        for (name, bit) in [("l", 0), ("h", 1)] {
            text += &format!(
                "OPERATION {name}{level} {{ INSTANCE g{} ALIAS {{ a }}; ASSEMBLER {{ a ~ \"{name}\" }};
                CODING {{ 0b{bit} a }}; EXPRESSION {{ a }}; }};\n",
                level - 1
            );
        }
        text += &format!("GROUP g{level} = l{level}, h{level};\n");
    }
    let model = model_of(&text);
    let line = format!("op q{}", "lh".repeat(LEVELS / 2));
    let assembler = Assembler::new(&model).expect("it has texts");
    let words = assembler.instruction(&line, 0).expect("an instruction");
    // The last letter is of the topmost level.
    let expected = (0..LEVELS / 2).fold(1u128, |word, pair| word | 0b10 << (1 + 2 * pair));
    assert_eq!(
        words.iter().map(|(word, width)| (word.to_u128(), *width)).collect::<Vec<_>>(),
        [(expected, 64)]
    );
    let cells = cells_of_words(&words, 8, model.target.big_endian);
    let disassembler = Disassembler::new(&model).expect("it has texts");
    let found = disassembler.instruction(&cells, 0).expect("an instruction");
    assert!(found.exact);
}

#[test]
fn symbols_that_need_each_other_in_many_circles_are_told_once() {
    let model = model("");
    let (count, said) =
        refused(&model, ".equ a, b + c\n.equ b, a\n.equ c, a\n.equ alone, alone\n.equ follows, a + alone\n");
    assert_eq!((count, said.matches("error[A0205]").count()), (2, 2), "{said}");
    assert_eq!(said.matches("needs it, too").count(), 2, "{said}");
    const LINES: usize = 100_000;
    let lines = (1..LINES).map(|k| format!(".equ e{k}, e{} + e1\n", k + 1)).collect::<String>();
    let (count, said) = refused(&model, &format!("{lines}.equ e{LINES}, e1\n"));
    assert_eq!((count, said.matches("error[A0205]").count()), (1, 1));
}

#[test]
fn symbols_get_their_values_in_the_order_in_which_they_need_each_other() {
    const PAIRS: usize = 40_000;
    // All even ones are mentioned first, so that each waits for one that is met much later.
    let mut text: String = (1..PAIRS).map(|k| format!(" .global e{}\n", 2 * k)).collect();
    (1..PAIRS).for_each(|k| text += &format!(".equ e{}, e{} + 1\n", 2 * k, 2 * k - 1));
    (0..PAIRS).for_each(|k| text += &format!(".equ e{}, e{} + 1\n", 2 * k + 1, 2 * k));
    let (program, _) = assemble(&model(""), &format!("{text} .org 7\ne0: nop\n"));
    assert_eq!(symbol(&program, &format!("e{}", 2 * PAIRS - 1)), 6 + 2 * PAIRS as i128);
}

/// Eight results, each of which is a PSEUDO with eight results, and so on.
#[test]
fn what_pseudos_make_of_a_line_has_an_end() {
    let chain = |levels: usize| {
        let results = |level: usize| format!("\"p{:02}\" v; ", level + 1).repeat(8);
        let pseudos = (0..levels)
            .map(|level| format!("PSEUDO {{ \"p{level:02}\" v:#U }} -> {{ {} }};\n", results(level)));
        let last = format!("PSEUDO {{ \"p{levels:02}\" v:#U }} -> {{ \"put\" v }};");
        model(&(pseudos.collect::<String>() + &last))
    };
    let (count, said) = refused(&chain(20), " p00 1\n p20 1\n");
    assert!(
        count == 1 && said.contains("error[A0308]: PSEUDOs lead to each other more than 16 deep"),
        "{said}"
    );
    let wide = chain(8);
    let (count, said) = refused(&wide, " p00 1\n p07 1\n");
    assert!(
        count == 1 && said.contains("error[A0308]: PSEUDOs make more than 65536 lines of this"),
        "{said}"
    );
    let (program, _) = assemble(&wide, " p04 1\n p04 2\n");
    assert_eq!(program.pieces[0].size_cells, 2 * 2 * 8u64.pow(4));
}

/// Each operand is one `x` or two: twenty of them divide a text in as many ways as there are.
#[test]
fn what_the_operands_of_a_pseudo_may_be_is_tried_to_a_limit() {
    let operands = |count: usize| (0..count).map(|n| format!("o{n}:x ")).collect::<String>();
    let results = |count: usize| (0..count).map(|n| format!("\"op\" o{n}; ")).collect::<String>();
    let pseudo = |name: &str, count| {
        format!("PSEUDO {{ \"{name}\" {} }} -> {{ {} }};\n", operands(count), results(count))
    };
    let model = model_of(&format!(
        "RESOURCE {{ PC REGISTER bit[32] pc; REGISTER bit[32] r; RAM bit[8] ram {{ SIZE (256); }};
            MEMORY_MAP defaultmap {{ RANGE (0, 255) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 1; }}; }};
        GROUP instr = op;
        OPERATION op {{ INSTANCE x ALIAS {{ a }}; ASSEMBLER {{ \"op\" a }}; CODING {{ 0b0000000 a }}; BEHAVIOR {{ r = a; }}; }};
        GROUP x = one, two;
        OPERATION one {{ ASSEMBLER {{ \"x\" }}; CODING {{ 0b0 }}; EXPRESSION {{ 1 }}; }};
        OPERATION two {{ ASSEMBLER {{ \"x x\" }}; CODING {{ 0b1 }}; EXPRESSION {{ 2 }}; }};
        {}{}",
        pseudo("some", 8),
        pseudo("many", 40)
    ));
    let (program, _) = assemble(&model, &format!(" some {}\n", "x ".repeat(12)));
    assert_eq!(program.pieces[0].bytes.iter().map(|byte| usize::from(*byte) + 1).sum::<usize>(), 12);
    let (count, said) = refused(&model, &format!(" many {}\n", "x ".repeat(60)));
    assert_eq!(count, 1, "{said}");
    assert!(said.starts_with("error[A0303]: this line can be read in more ways than are tried"), "{said}");
}

#[test]
fn a_word_of_a_million_letters_is_no_instruction() {
    let model = model("PSEUDO { \"twice\" v:#U } -> { \"put\" v; \"put\" v };");
    let word = "a".repeat(1_000_000);
    for line in [word.clone(), format!("nop{word}"), format!("twice{word} 1"), format!("put {word}")] {
        let (count, said) = refused(&model, &format!(" {line}\n"));
        assert_eq!(count, 1);
        assert!(said.starts_with("error[A0301]") || said.starts_with("error[A0201]"), "{}", &said[..80]);
    }
}

#[test]
fn a_hundred_thousand_pieces_on_each_other_are_all_told() {
    const PIECES: usize = 100_000;
    let (count, _) = refused(&model(""), &" .org 0\n .byte 1\n".repeat(PIECES));
    assert_eq!(count, PIECES - 1);
}

#[test]
fn two_hundred_thousand_symbols_that_nothing_defines_are_all_told() {
    const LINES: usize = 200_000;
    let text = (0..LINES).map(|n| format!(" .byte u{n}\n")).collect::<String>();
    assert_eq!(refused(&model(""), &text).0, LINES);
}

#[test]
fn sixty_thousand_sections_are_written_as_fast_as_they_are_many() {
    const SECTIONS: usize = 60_000;
    let model = model("");
    let text = (0..SECTIONS).map(|n| format!(" .section .text.s{n}\nl{n}: nop\n")).collect::<String>();
    let (program, sources) = assemble(&model, &text);
    assert_eq!(program.pieces.len(), SECTIONS);
    assert_eq!(symbol(&program, &format!("l{}", SECTIONS - 1)), 2 * SECTIONS as i128 - 2);
    let listing = write_listing(&model, &program, &sources);
    assert_eq!(listing.matches(": 00 00  ").count(), SECTIONS);
    let bytes = write_elf(&model, &program, &sources).expect("ELF holds it");
    assert!(bytes.len() > 100 * SECTIONS);
}

#[test]
fn every_piece_that_lies_on_another_is_told() {
    let (count, said) = refused(
        &model(""),
        " .org 0\n .space 100\n .org 10\n .byte 1\n .org 50\n .byte 1\n .org 100\n nop\n",
    );
    assert_eq!(count, 2, "{said}");
    for address in ["0xa", "0x32"] {
        assert!(said.contains(&format!("error[A0501]: .text at {address} lies on .text")), "{said}");
    }
    assert_eq!(said.matches("this goes from 0x0 to 0x63").count(), 2, "{said}");
}

#[test]
fn cells_of_many_bits_hold_all_numbers_that_they_have_bits_for() {
    let of_width = |bits: u32| {
        model_of(&format!(
            "TARGET {{ ENDIAN (BIG); HOST (defaultmap); }};
            RESOURCE {{ PC REGISTER bit[32] pc; RAM bit[{bits}] ram {{ SIZE (16); }};
                MEMORY_MAP defaultmap {{ RANGE (0, 15) -> ram; }}; }};
            OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 1; }}; }};
            GROUP instr = nop; OPERATION nop {{ ASSEMBLER {{ \"nop\" }}; CODING {{ 0bx[{bits}] }}; }};"
        ))
    };
    let highest = i128::MAX;
    for bits in [126, 127, 128] {
        let model = of_width(bits);
        let most = if bits == 126 { (1 << 126) - 1 } else { highest };
        let least = if bits == 128 { -highest } else { -(1 << (bits - 1)) };
        let (program, _) = assemble(&model, &format!(" .cell {most}, {least}, -1\n"));
        let cell = |value: i128| {
            let pattern = value as u128 & (u128::MAX >> (128 - bits));
            pattern.to_be_bytes()
        };
        assert_eq!(program.pieces[0].bytes, [most, least, -1].map(cell).concat(), "{bits}");
        if bits < 128 {
            let (count, said) = refused(&model, &format!(" .cell {}\n", least - 1));
            assert!(count == 1 && said.contains(&format!("has to be {least} to {most}")), "{said}");
        }
    }
    let (_, said) = refused(&of_width(126), &format!(" .cell {}\n", 1u128 << 126));
    assert!(said.contains("error[A0403]"), "{said}");
}

/// In the first round the label is at 0, an odd distance away that no code has: so the jump takes its
/// longer code, which has even distances alone.
#[test]
fn an_instruction_without_code_of_the_size_that_was_settled_on_says_so() {
    let text = " .org 0x201\n jump there\n .org place\nthere: nop\n .equ place, 0x206\n";
    let (count, said) = refused(&model(""), text);
    assert_eq!(count, 1, "{said}");
    assert!(said.contains("error[A0503]: this has code of 2 cells, but it was given 4"), "{said}");
}

#[test]
fn labels_and_values_that_nothing_can_name_are_told() {
    let model = model("");
    let (count, said) = refused(&model, "4294967295: jump 4294967295b\n4294967296: nop\n");
    assert_eq!(count, 1, "{said}");
    assert!(said.contains("error[A0206]: `4294967296` is no number of a local label"), "{said}");
    let (_, said) = refused(&model, " foo =\n bar = 5\n");
    assert!(said.contains("`.equ foo, VALUE`") && said.contains("`.equ bar, 5`"), "{said}");
}
