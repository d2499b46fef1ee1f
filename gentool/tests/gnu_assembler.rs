//! The disassembler's text of the RISC-V guests is that of another assembler: it takes the text
//! and gives back the same bytes.

mod cases;

use std::fs;
use std::path::Path;
use std::process::Command;

use gentool::disassembler::{Piece, Program, Style, Symbol, disassemble};
use isac_ir::bits::Bits;
use object::{Object, ObjectSection, ObjectSymbol};

/// True if the tool is there; where CI has installed it, it has to be.
fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(found || std::env::var_os("ISAC_REQUIRE_BINUTILS").is_none(), "{tool} is not installed");
    found
}

fn run(tool: &str, arguments: &[&str]) {
    let output = Command::new(tool).args(arguments).output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{tool} {}: {said}", arguments.join(" "));
}

/// A model, and how the other tools are told of its processor.
struct Processor {
    model: &'static str,
    architecture: &'static str,
    abi: &'static str,
    emulation: &'static str,
    /// Instructions of 16 bits, too.
    has_short_forms: bool,
    /// How many of its programs have a section of code, at least.
    programs: usize,
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_rv32im() {
    compare(&Processor {
        model: "rv32im",
        architecture: "rv32im_zifencei",
        abi: "ilp32",
        emulation: "elf32lriscv",
        has_short_forms: false,
        programs: 6,
    });
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_rv32imc() {
    compare(&Processor {
        model: "rv32imc",
        architecture: "rv32imc_zicsr_zifencei",
        abi: "ilp32",
        emulation: "elf32lriscv",
        has_short_forms: true,
        programs: 6,
    });
}

#[test]
fn as_gives_back_the_text_of_every_guest_of_rv64imac() {
    compare(&Processor {
        model: "rv64imac",
        architecture: "rv64imac_zicsr_zifencei",
        abi: "lp64",
        emulation: "elf64lriscv",
        has_short_forms: true,
        programs: 6,
    });
}

fn compare(processor: &Processor) {
    if ["as", "ld", "objcopy"].iter().any(|tool| !has(&format!("riscv64-unknown-elf-{tool}"))) {
        return;
    }
    let name = processor.model;
    let model = cases::model(&format!("models/{name}/{name}.isac"));
    let mut compared = 0;
    for file in cases::programs(&format!("models/{name}/programs")) {
        let bytes = fs::read(cases::root().join(&file)).expect("the program can be read");
        let elf = object::File::parse(&*bytes).expect("the program is ELF");
        // The programs that are at fault are segments alone.
        let Some(section) = elf.section_by_name(".text") else { continue };
        let code = section.data().expect("the code is there");
        let cells = code.iter().map(|byte| Bits::from_u128((*byte).into())).collect();
        let piece = Piece { section: None, address: section.address(), cells };
        let symbols = elf.symbols().filter(|symbol| symbol.is_definition());
        let symbols = symbols
            .map(|symbol| Symbol { address: symbol.address(), name: symbol.name().unwrap_or("").into() })
            .collect();
        let program = Program { pieces: vec![piece], symbols };
        let text = disassemble(&model, &program, Style { remarks: false }).expect("texts");
        assert_eq!(assembled(processor, &text, section.address()), code, "{file}");
        compared += 1;
    }
    assert!(compared >= processor.programs, "{compared}");
}

/// What the other tools make of a text; where it begins is theirs to be told, not `.org`'s.
fn assembled(processor: &Processor, text: &str, address: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(".org"));
    let lines: String = lines.map(|line| format!("{}{line}\n", of_length(processor, line))).collect();
    fs::write(Path::new(&path("text.s")), lines).expect("the text can be written");
    let (march, mabi) = (format!("-march={}", processor.architecture), format!("-mabi={}", processor.abi));
    let flags = [march.as_str(), mabi.as_str(), "-mno-relax"];
    run("riscv64-unknown-elf-as", &[flags[0], flags[1], flags[2], &path("text.s"), "-o", &path("text.o")]);
    let (begin, entry) = (format!("-Ttext={address:#x}"), format!("-e{address:#x}"));
    let emulation = format!("-m{}", processor.emulation);
    let linked = [&emulation, "--no-relax", &begin, &entry, &path("text.o"), "-o", &path("text.elf")];
    run("riscv64-unknown-elf-ld", &linked);
    let copied = ["-O", "binary", "-j", ".text", &path("text.elf"), &path("text.bin")];
    run("riscv64-unknown-elf-objcopy", &copied);
    fs::read(path("text.bin")).expect("the bytes can be read")
}

/// It takes the short form of an instruction where there is one, unless it is told not to; we take what
/// is written, and short forms are written `c.add`.
fn of_length(processor: &Processor, line: &str) -> &'static str {
    let is_short = line.split_whitespace().any(|word| word.starts_with("c."));
    match processor.has_short_forms {
        true if is_short => ".option rvc\n",
        true => ".option norvc\n",
        false => "",
    }
}
