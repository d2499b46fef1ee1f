//! Guests print what they print natively, end as they should, after the number of instructions
//! that an independent simulator counts.
//!
//! `tests/guests/*.out` is the output of native builds (`models/guests/build.sh native DIR`), of
//! `syscalls` that of QEMU's user-mode emulation.

mod support;

use std::fs;
use std::process::Command;

use support::launch::{Guest, Left};
use support::{EngineKind, RV32IM, Simulator, TINY8, path};

/// How a guest must end.
struct Expected {
    status: i32,
    /// `None`: what instructions it takes is nobody's business.
    instructions: Option<u64>,
    output: String,
    /// Beginnings of the lines on standard error.
    messages: &'static [&'static str],
}

fn check(simulator: &Simulator, guest: &Guest, expected: &Expected) {
    let mut engine = simulator.engine(EngineKind::Emitted);
    let left = guest.run(simulator, engine.as_mut());
    let Left { status, output, messages, instructions, .. } = left;
    let program = guest.program;
    assert_eq!(output, expected.output, "output of {program}");
    assert_eq!(status, expected.status, "status of {program}: {messages}");
    if let Some(expected) = expected.instructions {
        assert_eq!(instructions, expected, "instructions of {program}");
    }
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), expected.messages.len(), "messages of {program}: {messages}");
    for (line, beginning) in lines.iter().zip(expected.messages) {
        assert!(line.starts_with(beginning), "{program}: expected {beginning}..., found {line}");
    }
}

fn exits(status: i32, instructions: u64, output: &str) -> Expected {
    Expected { status, instructions: Some(instructions), output: output.to_owned(), messages: &[] }
}

fn golden(name: &str) -> String {
    fs::read_to_string(path("tests/guests").join(name)).expect("the golden output is there")
}

/// One of the programs that end badly or oddly.
macro_rules! fault {
    ($name:literal) => {
        Guest::new(concat!("models/rv32im/programs/faults/", $name, ".elf"))
    };
}

#[test]
fn crc32_computes_what_it_computes_natively() {
    let guest = Guest::new("models/rv32im/programs/crc32.elf");
    check(&RV32IM, &guest, &exits(0, 2_310_525, &golden("crc32.out")));
}

#[test]
fn bytecode_computes_what_it_computes_natively() {
    let guest = Guest::new("models/rv32im/programs/bytecode.elf");
    check(&RV32IM, &guest, &exits(0, 2_890_554, &golden("bytecode.out")));
}

/// What objcopy makes of an ELF file is the same program: same output, state and report.
#[test]
fn intel_hex_and_s_records_run_as_the_elf_does() {
    const OBJCOPY: &str = "riscv64-unknown-elf-objcopy";
    if Command::new(OBJCOPY).arg("--version").output().is_err() {
        eprintln!("note: left out, there is no {OBJCOPY}");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (program, kinds) in [
        ("models/rv32im/programs/crc32.elf", &[EngineKind::Emitted][..]),
        ("models/rv32im/programs/faults/baremetal.elf", &[EngineKind::Reference, EngineKind::Emitted]),
        ("models/rv32im/programs/faults/unmapped_read.elf", &[EngineKind::Reference, EngineKind::Emitted]),
    ] {
        let name = path(program).file_name().expect("a file").to_owned();
        for kind in kinds {
            let run = |program: &'static str| {
                let left = Guest::new(program).run(&RV32IM, RV32IM.engine(*kind).as_mut());
                (left.status, left.output, left.messages, left.state, left.report)
            };
            let expected = run(program);
            for format in ["ihex", "srec"] {
                // The same name, since the guest finds it in argv.
                let converted = folder.path().join(format).join(&name);
                fs::create_dir_all(folder.path().join(format)).expect("a folder");
                let mut objcopy = Command::new(OBJCOPY);
                objcopy.args(["-O", format]).arg(path(program)).arg(&converted);
                assert!(objcopy.status().expect("objcopy runs").success(), "{format} of {program}");
                let converted: &'static str = Box::leak(converted.display().to_string().into_boxed_str());
                assert_eq!(run(converted), expected, "{format} of {program} on {kind:?}");
            }
        }
    }
}

#[test]
fn a_guest_refuses_arguments_that_make_no_sense() {
    let guest = Guest { arguments: &["many"], ..Guest::new("models/rv32im/programs/crc32.elf") };
    let expected = Expected { status: 2, instructions: None, output: String::new(), messages: &[] };
    let mut engine = RV32IM.engine(EngineKind::Emitted);
    assert_eq!(guest.run(&RV32IM, engine.as_mut()).status, expected.status);
}

#[test]
fn system_calls_answer_as_linux_does() {
    let expected = Expected { instructions: None, ..exits(0, 0, &golden("syscalls.out")) };
    check(&RV32IM, &fault!("syscalls"), &expected);
}

#[test]
fn a_program_for_the_bare_processor_runs_at_its_address() {
    check(&RV32IM, &fault!("baremetal"), &exits(7, 54, ""));
}

#[test]
fn standard_input_reaches_the_guest() {
    let input = "one\ntwo\n".repeat(100);
    let input: &'static [u8] = Box::leak(input.into_boxed_str()).as_bytes();
    let expected = Expected { instructions: None, ..exits(0, 0, &String::from_utf8_lossy(input)) };
    check(&RV32IM, &Guest { input, ..fault!("echo") }, &expected);
}

#[test]
fn written_code_is_seen_by_the_next_fetch_with_and_without_a_fence() {
    check(&RV32IM, &fault!("selfmodify"), &exits(42, 26, ""));
    check(&RV32IM, &fault!("selfmodify_fence"), &exits(42, 30, ""));
}

#[test]
fn a_fault_ends_the_run_and_is_explained() {
    let faulted = |instructions, messages| Expected {
        status: 127,
        instructions: Some(instructions),
        output: "before\n".to_owned(),
        messages,
    };
    check(
        &RV32IM,
        &fault!("illegal"),
        &faulted(6, &["error: guest fault: illegal instruction, by the instruction at 0x000", "help: "]),
    );
    check(
        &RV32IM,
        &fault!("unmapped_read"),
        &faulted(7, &["error: guest fault: read of address 0x40000000, by", "help: "]),
    );
    check(
        &RV32IM,
        &fault!("unmapped_write"),
        &faulted(7, &["error: guest fault: write to address 0x40000000, by", "help: "]),
    );
    check(
        &RV32IM,
        &fault!("unmapped_fetch"),
        &faulted(
            8,
            &[
                "error: guest fault: fetch from address 0x40000000, by the instruction at 0x40000000",
                "help: ",
            ],
        ),
    );
}

#[test]
fn an_endless_guest_ends_at_the_limit_to_the_instruction() {
    let guest = Guest { options: &["--limit-instructions", "10_007"], ..fault!("endless") };
    let messages = &["error: limit reached: 10007 instructions", "note: 10007 instructions in 10007 cycles"];
    check(&RV32IM, &guest, &Expected { messages, ..exits(124, 10_007, "") });
}

#[test]
fn the_teaching_processor_s_programs_end_as_their_listings_say() {
    let program = |name| Guest::new(name);
    check(
        &TINY8,
        &program("models/tiny8/programs/hello.bin"),
        &Expected { instructions: None, ..exits(0, 0, "Hi\n") },
    );
    check(
        &TINY8,
        &program("models/tiny8/programs/sum.bin"),
        &Expected { instructions: None, ..exits(55, 0, "") },
    );
    check(&TINY8, &program("models/tiny8/programs/add16.bin"), &exits(71, 21, ""));
}
