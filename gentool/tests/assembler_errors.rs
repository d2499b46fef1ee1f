//! What the assembler says of wrong text: the whole message, for every code.

mod cases;

use std::collections::BTreeSet;
use std::path::PathBuf;

use gentool::assembler::explanation::explain_assembler_code;
use gentool::assembler::{Assembler, Bases, DIRECTIVES, code};
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};

/// The findings about files; those that end with `.s` are assembled, all can be included.
fn findings(model: &str, files: &[(&str, Vec<u8>)]) -> String {
    let model = cases::model(model);
    let assembler = Assembler::new(&model).expect("the model's instructions have texts");
    let loader = InMemory::new(files.iter().map(|(path, text)| (PathBuf::from(path), text.clone())));
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let paths: Vec<PathBuf> =
        files.iter().filter(|(path, _)| path.ends_with(".s")).map(|(path, _)| path.into()).collect();
    let program = assembler
        .assemble(&paths, Bases::default(), &loader, &mut sources, &mut findings)
        .expect("the files are there");
    assert!(program.is_none(), "something is wrong with the text");
    findings.render(&sources, Style::Plain)
}

/// The findings about one text.
fn of_text(model: &str, text: &str) -> String {
    findings(model, &[("main.s", text.as_bytes().to_vec())])
}

const RV32IM: &str = "models/rv32im/rv32im.isac";

#[test]
fn instructions() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
_start: ad a0, a1, a2
        frobnicate
        add a0, a1
        add a0, a1, 5
        addi a0, a1, 5000
        addi a0, a1, a2
        beq a0, a1, _start + 1
        beq a0, a1, _start + 0x10000
        lw a0, 4(q1)
        addi a0, a1, 4 / 0
        addi a0, a1, lable
        jal ra, 1f
        addi a0, a1, (4 + 5
        ecall now
"
    ));
}

#[test]
fn symbols() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
loop:   jal ra, loop
loop:   jal ra, lop
a0:     jal ra, 2b
        .equ one, two + 1
        .equ two, one + 1
        .global nowhere
        .word undefined, undefined
"
    ));
}

#[test]
fn directives() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
        .wrd 5
        .byte 300, -129
        .word
        .text now
        .section
        .align -1
        .ascii \"no end
        .ascii \"bad \\q escape\"
        .equ 5
        .include nothing
        .include \"missing.inc\"
        .bss
        .word 5
        /* no end
"
    ));
}

/// Numbers that are longer than what is computed with: no bit of them is lost.
#[test]
fn long_numbers() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
        li a0, 0xffffffff
        li a0, -0x80000000
        li a0, 0x123456789
        li a0, -0x80000001
        la a0, behind + 0x100000000
        addi a0, a0, %lo(0x10000000000000000 - 1)
        .equ wide, 0x123456789
        li a0, wide
behind: .word 0x10000000000000001 >> 1
"
    ));
}

/// A number that is written wrong is told as such, wherever it stands.
#[test]
fn numbers() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
        addi a0, a0, 010
        addi a0, a0, 0b12
        addi a0, a0, 0x
        addi a0, a0, 12ab
        addi a0, a0, 1_
        li a0, 0o8
        jal ra, 1 + 08
        .byte 0x_1
        .byte 5, 007
        frobnicate 12ab
1:      .byte 0x1_0, 0O17, 0, 5 % 3, 0b1_1, '0', . - 1b, 2 - 1
"
    ));
}

/// What is easily mistyped is told as what it is.
#[test]
fn slips() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
loop
        addi a0, a0, 1 +
        addi a0, a0, 1 + * 2
        .word 5 * a0
loop    addi a0, a0, 1
loop    .word 1
        nopp
        lw 4(a0), a1
        addi a0, 1, a1
        li 5, a0
        addi a0,\u{a0}a0, \u{2212}1
        .ascii \u{201c}text\u{201d}
        addi a0, a0, \u{200b}1
        .include \u{2018}file\u{2019}
"
    ));
}

/// How far a jump reaches whose distance is computed, and what lies between.
#[test]
fn reach() {
    let said = of_text("models/armv6m/armv6m.isac", "bl 0x70000000\nbl 0x1001\n");
    insta::assert_snapshot!(said + &of_text("models/mips32/mips32.isac", "j 0x90000000\n"));
}

/// What follows from one cause is not told: symbols of what was not read.
#[test]
fn what_was_not_read() {
    let comment = of_text(RV32IM, "\u{feff}jal ra, behind\njal ra, nowhere\n/* no end\nbehind:\n");
    insta::assert_snapshot!(comment + &of_text(RV32IM, ".include \"missing.inc\"\njal ra, there\n"));
}

/// What is nearly right is told as what it nearly is; what a PSEUDO does twice is told once.
#[test]
fn near_misses() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
label with blanks: nop
nopp:   nopp
        addia0, a0, 1
        addi a0, a0, %low(label)
        addi a0, a0, %lo label
        addi a0, x99, 1
        add a0, a1, x99
        jr x99
        li a0, 5 / 0
        .p2align 41
        .section .vectors, \"ax\"
        .byte 1, \"text\"
        .equ first, second
        .equ second, third
        .equ third, first
        .equ follows, first
        .equ alone, alone + 1
far = 0x7000
"
    ));
}

/// A longer word is another one, whatever may stand behind its beginning.
#[test]
fn longer_words() {
    insta::assert_snapshot!(of_text("models/pdp11/pdp11.isac", "        movx r0, r1\n        clrx @r0\n"));
    insta::assert_snapshot!(of_text("models/armv6m/armv6m.isac", "        pushh {r0}\n        beqq .\n"));
}

/// Of two lengths the range of the longer one is told.
#[test]
fn the_widest_range_is_told() {
    let said = of_text("models/rv32imc/rv32imc.isac", "        addi sp, sp, 5000\n        c.addi a0, 40\n");
    assert!(said.contains("has to be -2048 to 2047") && said.contains("has to be -32 to 31"), "{said}");
}

#[test]
fn places() {
    insta::assert_snapshot!(of_text(
        RV32IM,
        "\
        .org 0x100
        .word 1, 2, 3
        .org 0x104
        .word 4
        .org 0xfffffffc
        .word 5, 6
        .org 0x1000
before: .space 0x10 - (after - before)
after:
        .data
        .space 0x40000000
        .space 0x40000000
"
    ));
}

#[test]
fn cells_of_other_widths() {
    insta::assert_snapshot!(of_text(
        "tests/models/cells12.isac",
        "    .byte 5\n    .cell 0x1000\n    x 1, 9\n"
    ));
    insta::assert_snapshot!(of_text(
        "models/tiny8/tiny8.isac",
        "start: nib ax, 16\n jmp start + 8\n add ax, cx\n"
    ));
}

#[test]
fn two_files() {
    let one = b".global shared\nshared: nop_is_none\n".to_vec();
    let two = b".global shared\nshared: jal ra, hidden\n .include \"loop.inc\"\n".to_vec();
    let three = b"hidden: ecall\n".to_vec();
    let circle = b"ecall\n.include \"loop.inc\"\n".to_vec();
    let files = [("1.s", one), ("2.s", two), ("3.s", three), ("loop.inc", circle)];
    insta::assert_snapshot!(findings(RV32IM, &files));
}

#[test]
fn files_that_are_no_text() {
    let files = [("a.s", b".include \"b.bin\"\n".to_vec()), ("b.bin", vec![0xff, 0xfe, 0x00])];
    insta::assert_snapshot!(findings(RV32IM, &files));
}

#[test]
fn hostile_text_ends_in_a_message() {
    let deep = format!(" .word {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!(" .word 1{}\n", " + 1".repeat(100_000));
    let signs = format!(" .word {}1\n", "-".repeat(100_000));
    let chain: String = (0..40).map(|n| format!(" .equ e{n}, e{0} + e{0}\n", n + 1)).collect();
    let nested: Vec<(String, Vec<u8>)> =
        (0..70).map(|n| (format!("{n}.inc"), format!(".include \"{}.inc\"\n", n + 1).into_bytes())).collect();
    let doubled: Vec<(String, Vec<u8>)> = (0..40)
        .map(|n| {
            (
                format!("d{n}.inc"),
                format!(".include \"d{0}.inc\"\n.include \"d{0}.inc\"\n", n + 1).into_bytes(),
            )
        })
        .chain([("d40.inc".to_owned(), "\n".repeat(40_000).into_bytes())])
        .collect();
    let mut said = String::new();
    for text in
        [deep, long, signs, chain, " .space 1 << 45\n .align 1 << 62\n".into(), "\u{1}\u{fffd}é'\n".into()]
    {
        said += &of_text(RV32IM, &text)
            .lines()
            .take(3)
            .map(|line| line.chars().take(120).collect::<String>() + "\n")
            .collect::<String>();
    }
    for (first, files) in [("0.inc", nested), ("d0.inc", doubled)] {
        let main = ("main.s", format!(".include \"{first}\"\n").into_bytes());
        let files = files.iter().map(|(name, text)| (name.as_str(), text.clone())).chain([main]);
        let all = findings(RV32IM, &files.collect::<Vec<_>>());
        said += &all.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    }
    insta::assert_snapshot!(said);
}

/// 2^31 of them, were there no end.
#[test]
fn files_that_include_each_other_often_are_refused() {
    let name = |index: usize| if index == 0 { "main.s".to_owned() } else { format!("part{index}.inc") };
    let names: Vec<String> = (0..32).map(name).collect();
    let text = |index: usize| match index {
        31 => b" nop\n".to_vec(),
        _ => format!(".include \"{}\"\n", name(index + 1)).repeat(2).into_bytes(),
    };
    let files: Vec<(&str, Vec<u8>)> =
        names.iter().enumerate().map(|(index, name)| (name.as_str(), text(index))).collect();
    let said = findings(RV32IM, &files);
    assert!(said.contains("error[A0504]: more than 65536 files are included"), "{said}");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}

/// The writer of a program sees texts, and no operation's name.
#[test]
fn words_of_others() {
    let text = "        .2byte 1\n        c.lui a0, 0\n        c.lui sp, 5\n        c.mv a0, zero\n        c.jr zero\n";
    insta::assert_snapshot!(of_text("models/rv64imac/rv64imac.isac", text));
}

#[test]
fn names_that_go_on_behind_a_known_one() {
    let arm = "        mrs r0, psp2\n        msr psp2, r0\n";
    let riscv = "        csrr a0, mtvec2\n        add a0x, a1, a2\n";
    insta::assert_snapshot!(
        of_text("models/armv6m/armv6m.isac", arm) + &of_text("models/rv32imc/rv32imc.isac", riscv)
    );
}

#[test]
fn mnemonics_without_what_is_joined_to_them() {
    let text = "        amoadd a0, a1, (a2)\n        lr a0, (a2)\n        amoadd.x a0, a1, (a2)\n";
    insta::assert_snapshot!(of_text("models/rv64imac/rv64imac.isac", text));
}

/// A name that looks alike would write data of another width.
#[test]
fn directives_of_another_assembler() {
    let names = [".hword", ".short", ".2byte", ".long", ".int", ".4byte", ".dword", ".8byte", ".xword"];
    let own = [".half", ".half", ".half", ".word", ".word", ".word", ".quad", ".quad", ".quad"];
    for (name, own) in names.iter().zip(own).chain([(&".skip", ".space")]) {
        let told = of_text("models/mips32/mips32.isac", &format!("        {name} 1\n"));
        assert!(told.contains(&format!("it is called `{own}` here")), "{told}");
    }
}

#[test]
fn unknown_functions() {
    let text = "        .word %nope(1)\n        addi a0, a0, %nope(5)\n        lui a0, %hii(5)\n";
    insta::assert_snapshot!(
        of_text(RV32IM, text) + &of_text("models/tiny8/tiny8.isac", "        .byte %lo(1)\n")
    );
}

#[test]
fn registers_are_no_symbols() {
    insta::assert_snapshot!(of_text(RV32IM, "        .global a0, start\nstart:  nop\n"));
}

#[test]
fn what_has_no_end_is_told_once() {
    let around = of_text(RV32IM, "        .space x\nx:      nop\n");
    assert_eq!(around.matches("error[").count(), 1, "{around}");
    assert!(around.contains("error[A0503]"), "{around}");
    // What is told of a number or of a piece is not told again of what follows from it.
    for (text, code) in [
        (" .org 0x10000000000000000\nx: nop\n", "A0402"),
        (" .org -1\n nop\n", "A0402"),
        (" .space 0x7fffffffffffffff\n nop\n", "A0402"),
        (" .byte 1\n .p2align x\n .byte 2\n .equ x, 70\n", "A0402"),
        (" .byte 1\n .p2align x\n .byte 2\n .equ x, -1\n", "A0402"),
        (" .org 0xfffffffc\n nop\nx: nop\n .word x, x\n lui a0, x\n .half 1\n", "A0502"),
    ] {
        let said = of_text(RV32IM, text);
        assert_eq!(said.matches("error[").count(), 1, "{text}: {said}");
        assert!(said.contains(&format!("error[{code}]")), "{text}: {said}");
    }
    let many = format!(" .org 0xfffffffe\n nop\n{}there: j nowhere\n", "\n".repeat(4_000_001));
    let said = of_text(RV32IM, &many);
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    assert!(said.contains("error[A0504]: the program has more than 4000000 lines"), "{said}");
}

#[test]
fn every_code_is_explained_by_examples_that_are_assembled() {
    let mut failed = String::new();
    for (code, _) in code::ALL {
        let explanation = explain_assembler_code(code.0).expect("a code of the list");
        assert!(explanation.rule.len() > 40, "{code} has no rule");
        assert!(!explanation.wrong.is_empty() && !explanation.right.is_empty(), "{code} has no examples");
        let (findings, sources) = explanation.check(explanation.wrong);
        let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code.0).collect();
        if codes != BTreeSet::from([code.0]) {
            failed += &format!("{code}, wrong:\n{}\n", findings.render(&sources, Style::Plain));
        }
        let (findings, sources) = explanation.check(explanation.right);
        if !findings.is_empty() {
            failed += &format!("{code}, right:\n{}\n", findings.render(&sources, Style::Plain));
        }
    }
    assert!(failed.is_empty(), "{failed}");
    insta::assert_snapshot!(explain_assembler_code("a0102").expect("the code").render(Style::Plain));
}

#[test]
fn every_code_is_in_the_manual_and_none_else() {
    let manual = std::fs::read_to_string(cases::root().join("docs/assembler.md")).expect("the manual");
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| A"));
    let documented: BTreeSet<(String, String)> = rows
        .filter_map(|row| {
            let (code, meaning) = row.split_once('|')?;
            Some((format!("A{}", code.trim()), meaning.trim().trim_end_matches('|').trim().to_owned()))
        })
        .collect();
    let known: BTreeSet<(String, String)> = code::ALL
        .iter()
        .map(|(code, meaning)| (code.to_string(), meaning.trim().trim_end_matches('.').to_owned()))
        .collect();
    assert_eq!(documented, known);
}

#[test]
fn control_characters_are_named() {
    let told = of_text(RV32IM, "        ecall \u{1}\n        li a0, 1 \u{1}2\u{3}\n        ecall \u{2}\n");
    insta::assert_snapshot!(told);
}

#[test]
fn the_directives_are_those_that_descriptions_are_checked_for() {
    let names: Vec<&str> = DIRECTIVES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, isac_parser::words::DIRECTIVES);
}

/// A prefix that may be left out is not taken for the mnemonic, and what stands in its place is not either.
#[test]
fn instructions_with_a_prefix() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("prefixed.isac");
    let text = r#"
        RESOURCE { PC REGISTER bit[16] pc; REGISTER bit[8] r[4]; RAM bit[8] ram { SIZE (16); };
            MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
        OPERATION main { ACTIVATION { step; }; };
        OPERATION step { CODINGROOT { instr (defaultmap[pc]); }; BEHAVIOR { pc = pc + 1; }; };
        GROUP instr = alu;
        GROUP predicate = always, when;
        OPERATION always { ASSEMBLER { "" }; CODING { 0b0 }; EXPRESSION { 1 }; };
        OPERATION when { ASSEMBLER { "(p)" }; CODING { 0b1 }; EXPRESSION { r[0] }; };
        GROUP kind = add, sub;
        OPERATION add { ASSEMBLER { "add" }; CODING { 0b0 }; };
        OPERATION sub { ASSEMBLER { "sub" }; CODING { 0b1 }; };
        OPERATION reg { ASSEMBLER { "r" ~ n=#U }; CODING { n=0bx[2] }; EXPRESSION { r[n] }; };
        OPERATION alu {
            INSTANCE predicate ALIAS { w }; INSTANCE kind ALIAS { op }; INSTANCE reg ALIAS { d, s };
            ASSEMBLER { "" w op d "," s }; CODING { 0b00 w op d s };
            BEHAVIOR { if (w) d = s; };
        };"#;
    std::fs::write(&model, text).expect("a file");
    let model = model.display().to_string();
    for (text, form) in [("add r1, 5\n", "`add d, s`"), ("(p) add r1, 5\n", "`w op d, s`")] {
        let told = of_text(&model, text);
        assert!(told.contains(&format!("it is written {form}")), "{told}");
    }
}
