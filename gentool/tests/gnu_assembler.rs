//! The disassembler's text of the guests and of the cases is that of other assemblers: they take the text
//! and give back the same bytes. And what other assemblers take beside, in `gnu_texts`, has the same bytes here.

mod cases;
mod gnu {
    pub(crate) mod texts;
}

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use gentool::assembler::{Assembler, Bases};
use gentool::disassembler::{Piece, Program, Style, Symbol, disassemble};
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_parser::diagnostic::{Diagnostics, Style as Messages};
use isac_parser::source::{InMemory, SourceMap};
use object::{Object, ObjectSection, ObjectSymbol};

/// An assembler, and what it wants to be told.
#[derive(Clone, Copy)]
struct Tools {
    model: &'static str,
    prefix: &'static str,
    assembler: &'static [&'static str],
    linker: &'static [&'static str],
    /// What stands before the text.
    head: &'static str,
    /// A line as this assembler wants it.
    line: fn(&str) -> String,
}

/// True if the tools are there; where CI has installed them, they have to be.
fn has(prefix: &str) -> bool {
    let required = std::env::var("ISAC_REQUIRE_BINUTILS").unwrap_or_default();
    ["as", "ld", "objcopy"].iter().all(|tool| {
        let tool = format!("{prefix}-{tool}");
        let found = Command::new(&tool).arg("--version").output().is_ok_and(|output| output.status.success());
        assert!(found || !required.split(' ').any(|required| required == prefix), "{tool} is not installed");
        if !found {
            // Past the test runner, which keeps the output of tests that pass to itself.
            let _ = writeln!(std::io::stderr(), "note: {tool} is not installed: no text is given to it");
        }
        found
    })
}

fn run(tool: &str, arguments: &[&str]) {
    let output = Command::new(tool).args(arguments).output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{tool} {}: {said}", arguments.join(" "));
}

/// Compares the code of every guest of a model that has sections.
fn check(tools: &Tools) {
    if !has(tools.prefix) {
        return;
    }
    let model = cases::model(&format!("models/{0}/{0}.isac", tools.model));
    let mut compared = 0;
    for file in cases::programs(&format!("models/{}/programs", tools.model)) {
        let bytes = fs::read(cases::root().join(&file)).expect("the program can be read");
        let Ok(elf) = object::File::parse(&*bytes) else { continue };
        // The programs that are at fault are segments alone.
        let Some(section) = elf.section_by_name(".text") else { continue };
        let code = section.data().expect("the code is there");
        let text = text_of(&model, &elf, section.address(), code);
        // A section may be filled up to its alignment.
        let found = assembled(tools, &text, section.address());
        let rest = found.strip_prefix(code).unwrap_or_else(|| panic!("{file}: other bytes"));
        assert!(rest.iter().all(|byte| *byte == 0), "{file}: more than there was");
        compared += 1;
    }
    assert!(compared >= 6, "{}: {compared}", tools.model);
}

/// The disassembler's text of a program's code at an address, in bytes.
fn text_of(model: &Model, elf: &object::File<'_>, address: u64, code: &[u8]) -> String {
    let map = &model.maps[model.target.host_map.unwrap_or(0) as usize];
    let cell = map.cell_bits as usize / 8;
    let cells =
        code.chunks(cell).map(|cell| Bits::from_be_bytes(&cell.iter().rev().copied().collect::<Vec<u8>>()));
    let piece = Piece { section: None, address: address / cell as u64, cells: cells.collect() };
    let inside = address..address + code.len() as u64;
    let symbols = elf.symbols().filter(|symbol| symbol.is_definition() && inside.contains(&symbol.address()));
    let symbols = symbols
        .map(|symbol| Symbol {
            address: symbol.address() / cell as u64,
            name: symbol.name().unwrap_or("").into(),
        })
        .collect();
    let program = Program { pieces: vec![piece], symbols };
    disassemble(model, &program, Style { remarks: false }).expect("texts")
}

/// What the other tools make of a text; where it begins is theirs to be told, not `.org`'s.
fn assembled(tools: &Tools, text: &str, address: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let lines: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(".org"))
        .map(|line| (tools.line)(line) + "\n")
        .collect();
    fs::write(Path::new(&path("text.s")), format!("{}\n{lines}", tools.head))
        .expect("the text can be written");
    let tool = |name: &str| format!("{}-{name}", tools.prefix);
    let (source, object, program, copy) =
        (path("text.s"), path("text.o"), path("text.elf"), path("text.bin"));
    run(&tool("as"), &[tools.assembler, &[source.as_str(), "-o", &object]].concat());
    // Descriptions of the code would lie in its way.
    run(&tool("objcopy"), &["-R", ".MIPS.abiflags", "-R", ".reginfo", &object]);
    let (begin, entry) = (format!("-Ttext={address:#x}"), format!("-e{address:#x}"));
    run(&tool("ld"), &[tools.linker, &[begin.as_str(), &entry, &object, "-o", &program]].concat());
    run(&tool("objcopy"), &["-O", "binary", "-j", ".text", &program, &copy]);
    fs::read(copy).expect("the bytes can be read")
}

/// A text of `gnu_texts` is the same code for the other tools and for the assembler of a description.
fn check_text(tools: &Tools, address: u64) {
    if !has(tools.prefix) {
        return;
    }
    let model = cases::model(&format!("models/{0}/{0}.isac", tools.model));
    let file = cases::root().join(format!("gentool/tests/gnu_texts/{}.s", tools.model));
    let text = fs::read_to_string(file).expect("the text can be read");
    let assembler = Assembler::new(&model).expect("the model's instructions have texts");
    let loader = InMemory::new([("text.s", text.as_str())]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let bases = Bases { code: Some(address), ..Bases::default() };
    let program = assembler.assemble(&["text.s".into()], bases, &loader, &mut sources, &mut findings);
    let program = program.expect("the file is there");
    let program = program.unwrap_or_else(|| panic!("{}", findings.render(&sources, Messages::Plain)));
    let [piece] = &program.pieces[..] else { panic!("{} pieces", program.pieces.len()) };
    let found = assembled(tools, &text, address);
    // A section may be filled up to its alignment.
    let rest = found.strip_prefix(&piece.bytes[..]).unwrap_or_else(|| {
        let same = found.iter().zip(&piece.bytes).take_while(|(one, other)| one == other).count();
        panic!("{}: other bytes from {same:#x} on", tools.model)
    });
    assert!(rest.iter().all(|byte| *byte == 0), "{}: more than there was", tools.model);
}

/// The texts of a model's cases are the same bytes for the other tools, but for as many as these leave out:
/// `text` is the text for them, or says that they do not read it.
fn check_cases(tools: &Tools, text: fn(&cases::Line) -> Option<String>, left_out: usize) {
    if !has(tools.prefix) {
        return;
    }
    let of_model = |cases: &cases::Cases| cases.model == format!("models/{0}/{0}.isac", tools.model);
    let cases = cases::of_models().into_iter().filter(of_model);
    let lines = cases.flat_map(|cases| cases.lines).filter(|line| !line.text.is_empty());
    // Each once: most have many cases.
    let lines: BTreeMap<_, _> =
        lines.map(|line| ((line.text.clone(), line.address, line.bytes.clone()), line)).collect();
    let (mut given, mut expected, mut refused) = (String::new(), Vec::new(), 0);
    for line in lines.values() {
        match text(line) {
            Some(text) => {
                given += &format!("{text}\n");
                expected.push(line);
            }
            None => refused += 1,
        }
    }
    let found = assembled(tools, &given, 0x1_0000);
    let mut rest = &found[..];
    for line in &expected {
        let Some(behind) = rest.strip_prefix(&line.bytes[..]) else {
            panic!("{}: `{}` is {:02x?}", line.place, line.text, &rest[..rest.len().min(line.bytes.len())])
        };
        rest = behind;
    }
    assert!(rest.iter().all(|byte| *byte == 0), "{}: more than there was", tools.model);
    assert_eq!(refused, left_out, "texts of {} that are left out, beside {}", tools.model, expected.len());
}

/// Instructions of 32 bits stay what they are, whatever shorter ones there are.
fn uncompressed(line: &str) -> String {
    match line.trim_start().starts_with("c.") {
        true => format!(".option rvc\n{line}\n.option norvc"),
        false => line.to_owned(),
    }
}

/// Names of registers begin with a dollar sign where they are read.
fn with_dollars(line: &str) -> String {
    const NAMES: [&str; 32] = [
        "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7",
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "s8", "ra",
    ];
    let Some((mnemonic, operands)) = line.trim_start().split_once(' ') else { return line.to_owned() };
    let is_word = |letter: char| letter.is_alphanumeric() || "_.$".contains(letter);
    let mut written = format!("        {mnemonic} ");
    for piece in operands.split_inclusive(|letter| !is_word(letter)) {
        let name = piece.trim_end_matches(|letter| !is_word(letter));
        written += if NAMES.contains(&name) { "$" } else { "" };
        written += piece;
    }
    written
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_risc_v() {
    let riscv = Tools {
        model: "rv32im",
        prefix: "riscv64-unknown-elf",
        assembler: &["-march=rv32im_zifencei", "-mabi=ilp32", "-mno-relax"],
        linker: &["-melf32lriscv", "--no-relax"],
        head: "",
        line: str::to_owned,
    };
    check(&riscv);
    let zicsr = &["-march=rv32im_zicsr_zifencei", "-mabi=ilp32", "-mno-relax"];
    check_cases(&Tools { assembler: zicsr, ..riscv }, gnu::texts::riscv, 0);
    let (head, line): (_, fn(&str) -> String) = (".option norvc", uncompressed);
    let assembler = &["-march=rv32imc_zicsr_zifencei", "-mabi=ilp32", "-mno-relax"];
    let compressed = Tools { model: "rv32imc", assembler, head, line, ..riscv };
    check(&compressed);
    check_cases(&compressed, gnu::texts::riscv, 3);
    let assembler = &["-march=rv64imac_zicsr_zifencei", "-mabi=lp64", "-mno-relax"];
    let wide = Tools { model: "rv64imac", assembler, linker: &["--no-relax"], head, line, ..riscv };
    check(&wide);
    check_cases(&wide, gnu::texts::riscv, 3);
    check_text(&wide, 0x1_0000);
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_mips() {
    let mips = Tools {
        model: "mips32",
        prefix: "mips-linux-gnu",
        assembler: &["-march=mips32r2", "-mno-shared", "-O0"],
        linker: &[],
        head: ".set noreorder\n.set nomacro\n.set noat",
        line: with_dollars,
    };
    check(&mips);
    check_cases(&mips, gnu::texts::mips, 4);
    check_text(&Tools { head: ".set noreorder\n.set noat", line: str::to_owned, ..mips }, 0x40_0000);
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_thumb() {
    let thumb = Tools {
        model: "armv6m",
        prefix: "arm-none-eabi",
        assembler: &[],
        linker: &[],
        head: ".syntax unified\n.cpu cortex-m0\n.thumb\n.align 2",
        line: |line| line.replace(".half", ".hword"),
    };
    check(&thumb);
    check_cases(&thumb, gnu::texts::thumb, 123);
    check_text(&thumb, 0x1_0000);
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_avr() {
    let avr = Tools {
        model: "avr",
        prefix: "avr",
        assembler: &["-mmcu=avr5"],
        linker: &["-mavr5"],
        head: "",
        line: str::to_owned,
    };
    check(&avr);
    check_cases(&avr, gnu::texts::avr, 4);
}
