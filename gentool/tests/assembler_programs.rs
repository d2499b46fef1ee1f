//! Programs that are written in our assembler, by the command line: what is committed is what their
//! sources give, other tools read what is written, and it runs.

mod cases;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use object::{Object, ObjectSection, ObjectSymbol};
use sim_runtime::image::{Expected, ImageFormat, Segment, read_image};

fn gentool(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(arguments).current_dir(cases::root()).output().expect("gentool runs")
}

/// The bytes and the listing that a source becomes.
fn assembled(model: &str, source: &str, format: &str) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (out, listing) = (path("out"), path("listing"));
    let output = gentool(&["asm", model, source, "--format", format, "-o", &out, "--listing", &listing]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (fs::read(out).expect("a program"), fs::read_to_string(listing).expect("a listing"))
}

const RV32IM: &str = "models/rv32im/rv32im.isac";
const BOOT: &str = "models/rv32im/programs/boot.s";

#[test]
fn the_committed_programs_are_what_their_sources_give() {
    for (model, programs) in [
        ("tiny8", &["add16", "hello", "sum"][..]),
        ("timing-demo", &["alternating"]),
        ("vliw4", &["primes", "dot"]),
    ] {
        for program in programs {
            let at = format!("models/{model}/programs/{program}");
            let (bytes, _) = assembled(&format!("models/{model}/{model}.isac"), &format!("{at}.s"), "raw");
            let committed = fs::read(cases::root().join(format!("{at}.bin"))).expect("the program");
            assert_eq!(bytes, committed, "{at}");
        }
    }
}

#[test]
fn the_records_of_pdp11_are_what_their_sources_give() {
    let expected = Expected::default();
    let memory = |bytes: &[u8]| {
        let image = read_image(bytes, ImageFormat::Auto, &expected).expect("an image");
        let bytes = |segment: &Segment| (segment.address..).zip(segment.bytes.clone()).collect::<Vec<_>>();
        let all: BTreeMap<u64, u8> = image.segments.iter().flat_map(bytes).collect();
        all.into_iter().filter(|(_, byte)| *byte != 0).collect::<BTreeMap<u64, u8>>()
    };
    for program in ["hello", "primes", "reverse"] {
        let at = format!("models/pdp11/programs/{program}");
        let (bytes, _) = assembled("models/pdp11/pdp11.isac", &format!("{at}.s"), "ihex");
        let committed = fs::read(cases::root().join(format!("{at}.s19"))).expect("the program");
        assert_eq!(memory(&bytes), memory(&committed), "{at}");
    }
}

#[test]
fn the_boot_example_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["elf", "ihex", "raw"] {
        let out = folder.path().join(format).display().to_string();
        let output = gentool(&["asm", RV32IM, BOOT, "--format", format, "-o", &out]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let run = gentool(&["run", RV32IM, &out, "--engine", "reference"]);
        let printed = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!((printed.as_str(), run.status.code()), ("booted\n", Some(0)), "{format}");
    }
}

#[test]
fn elf_holds_sections_symbols_and_lines() {
    let (bytes, _) = assembled(RV32IM, BOOT, "elf");
    let elf = object::File::parse(&*bytes).expect("ELF");
    let names: Vec<&str> = elf.sections().map(|section| section.name().expect("a name")).collect();
    for name in [".text", ".rodata", ".bss", ".debug_line", ".debug_info", ".symtab"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    let start = elf.symbols().find(|symbol| symbol.name() == Ok("_start")).expect("the symbol");
    assert_eq!((start.address(), start.is_global(), elf.entry()), (0x8000_0000, true, 0x8000_0000));
}

#[test]
fn all_formats_hold_the_same_memory() {
    let expected = Expected::default();
    let (raw, _) = assembled(RV32IM, BOOT, "raw");
    for format in ["elf", "ihex"] {
        let (bytes, _) = assembled(RV32IM, BOOT, format);
        let image = read_image(&bytes, ImageFormat::Auto, &expected).expect("an image");
        let mut memory = vec![0; raw.len()];
        for segment in image.segments.iter().filter(|segment| !segment.bytes.is_empty()) {
            let at = (segment.address - 0x8000_0000) as usize;
            memory[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        assert_eq!(memory, raw, "{format}");
        assert_eq!(image.entry, Some(0x8000_0000), "{format}");
    }
}

#[test]
fn a_file_is_named_once() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/tiny8/programs/hello.s");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/tiny8/tiny8.isac");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gentool"))
        .args(["asm", model, program, program, "-o", "/dev/null"])
        .output()
        .expect("gentool runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("is given twice; name each file once"), "{said}");
}

#[test]
fn the_same_text_gives_the_same_files() {
    for format in ["elf", "ihex", "raw"] {
        assert_eq!(assembled(RV32IM, BOOT, format), assembled(RV32IM, BOOT, format));
    }
}

#[test]
fn a_program_that_is_wrong_leaves_the_old_one_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, out) = (folder.path().join("wrong.s"), folder.path().join("out"));
    fs::write(&source, " addi a0, a1, 5000\n").expect("the source can be written");
    fs::write(&out, "old").expect("a file can be written");
    let text = |path: &Path| path.display().to_string();
    let output = gentool(&["asm", RV32IM, &text(&source), "-o", &text(&out)]);
    assert_eq!(output.status.code(), Some(126));
    assert_eq!(fs::read(&out).expect("the old file"), b"old");
    let over = gentool(&["asm", RV32IM, &text(&source), "-o", &text(&source)]);
    assert_eq!(over.status.code(), Some(125));
    let missing = gentool(&["asm", RV32IM, "no/such/file.s", "-o", &text(&out)]);
    assert_eq!(missing.status.code(), Some(125));
}

#[test]
fn nothing_is_written_over_a_file_that_is_included() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, included) = (folder.path().join("main.s"), folder.path().join("part.s"));
    fs::write(&source, " .include \"part.s\"\n").expect("a file can be written");
    fs::write(&included, " nop\n").expect("a file can be written");
    let text = |path: &Path| path.display().to_string();
    for outputs in [vec!["-o", "part.s"], vec!["-o", "out", "--listing", "part.s"]] {
        let outputs = outputs.iter().map(|name| {
            if name.starts_with('-') { (*name).to_owned() } else { text(&folder.path().join(name)) }
        });
        let all: Vec<String> =
            ["asm".to_owned(), RV32IM.to_owned(), text(&source)].into_iter().chain(outputs).collect();
        let output = gentool(&all.iter().map(String::as_str).collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("would be written over the source"), "{said}");
        assert_eq!(output.status.code(), Some(125));
        assert_eq!(fs::read(&included).expect("it is there"), b" nop\n");
        assert!(!folder.path().join("out").exists());
    }
}
