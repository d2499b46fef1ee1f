//! Guests print what they print natively, end as they should, after the number of instructions
//! that an independent simulator counts.
//!
//! `tests/guests/*.out` is the output of native builds (`models/guests/build.sh native DIR`), of
//! `syscalls` that of QEMU's user-mode emulation. What cannot be compared, since a tool is missing,
//! is said; `ISAC_REQUIRE_TOOLS` names those that have to be there.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::iter;
use std::process::{Command, Stdio};

use sim_translate::TranslatedEngine;

use support::installed::can_compare;
use support::launch::{Guest, Left};
use support::thorough::{first_of, is_thorough};
use support::{
    ARMV6M, AVR, ENGINES, EngineKind, FIRST, MIPS32, PDP11, RV32IM, RV32IM5, RV32IMC, RV64IMAC, Simulator,
    TINY8, path,
};

/// How a guest must end.
struct Expected {
    status: i32,
    /// `None`: what instructions it takes is nobody's business.
    instructions: Option<u64>,
    output: String,
    /// Beginnings of the lines on standard error.
    messages: &'static [&'static str],
}

/// Runs a guest on both engines.
fn check(simulator: &Simulator, guest: &Guest, expected: &Expected) {
    for kind in [EngineKind::Emitted, EngineKind::Reference] {
        check_on(simulator, kind, guest, expected);
    }
}

fn check_on(simulator: &Simulator, kind: EngineKind, guest: &Guest, expected: &Expected) {
    let mut engine = simulator.engine(kind);
    let left = guest.run(simulator, engine.as_mut());
    let Left { status, output, messages, instructions, .. } = left;
    let program = format!("{} on the {kind:?} engine", guest.program);
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

/// The guests of `models/guests` with the numbers of instructions that they execute by default,
/// which QEMU confirms (`.ci/run QEMU`), and for one repeat.
macro_rules! guests {
    ($($test:ident: $name:literal, $by_default:literal, $once:literal;)*) => {
        const NAMES: &[&str] = &[$($name),*];

        $(#[test]
        fn $test() {
            let guest = Guest::new(concat!("models/rv32im/programs/", $name, ".elf"));
            let expected = exits(0, $by_default, &golden(concat!($name, ".out")));
            check_on(&RV32IM, EngineKind::Emitted, &guest, &expected);
            check_translated(&RV32IM, &guest);
            if is_thorough() {
                check_on(&RV32IM5, EngineKind::Unprofiled, &guest, &expected);
            }
            check_once(&guest, $once);
        })*
    };
}

/// So many instructions take seconds on the reference engine.
const LONG: u64 = 600_000;

/// One repeat on both engines, and on the pipeline: by default, if it is short.
fn check_once(guest: &Guest, instructions: u64) {
    if instructions > LONG && !is_thorough() {
        return;
    }
    let once = Guest { arguments: &["1"], ..guest.clone() };
    let mut engine = RV32IM.engine(EngineKind::Emitted);
    let output = once.run(&RV32IM, engine.as_mut()).output;
    let expected = exits(0, instructions, &output);
    check(&RV32IM, &once, &expected);
    check_on(&RV32IM5, EngineKind::Unprofiled, &once, &expected);
}

guests! {
    bytecode_computes_what_it_computes_natively: "bytecode", 2_890_554, 1_529_006;
    crc32_computes_what_it_computes_natively: "crc32", 2_310_525, 119_271;
    csv_computes_what_it_computes_natively: "csv", 2_014_999, 132_296;
    matrix_computes_what_it_computes_natively: "matrix", 2_573_756, 532_745;
    sha256_computes_what_it_computes_natively: "sha256", 2_828_269, 290_813;
    sorting_computes_what_it_computes_natively: "sorting", 2_620_913, 923_103;
}

/// The translated engine, with a thread beside it and without, ends as the emitted one does,
/// with its state and profile.
fn check_translated(simulator: &Simulator, guest: &Guest) {
    let engine = || TranslatedEngine::new((simulator.model)()).map(TranslatedEngine::with_profile);
    // Code comes along when it was asked for some times, so that each run is the same.
    let Some(beside) = engine().map(|engine| engine.with_compiler_beside_after(20)) else { return };
    let emitted = guest.run(simulator, simulator.engine(EngineKind::Emitted).as_mut());
    let program = guest.program;
    for mut engine in iter::once(beside).chain(engine().filter(|_| is_thorough())) {
        let left = guest.run(simulator, &mut engine);
        assert!(engine.translation().regions > 0, "{program}: nothing was compiled");
        assert_eq!((left.status, left.instructions), (emitted.status, emitted.instructions), "{program}");
        assert_eq!(left.output, emitted.output, "{program}");
        assert_eq!(left.state, emitted.state, "{program}");
        assert_eq!(left.report, emitted.report, "{program}");
    }
}

/// The same sources built for another model, with the instructions that they execute by default: all of
/// them or, by default, one.
fn check_built_for(simulator: &Simulator, counts: [(&str, u64); 6]) {
    let first = (simulator.name.len() + 1) % counts.len();
    let taken = if is_thorough() { counts.len() } else { 1 };
    for (name, instructions) in counts.into_iter().cycle().skip(first).take(taken) {
        let program = path(&format!("models/{}/programs/{name}.elf", simulator.name));
        let guest = Guest::new(Box::leak(program.display().to_string().into_boxed_str()));
        let expected = exits(0, instructions, &golden(&format!("{name}.out")));
        check_on(simulator, EngineKind::Unprofiled, &guest, &expected);
        check_translated(simulator, &guest);
        let once = Guest { arguments: &["1"], ..guest };
        let mut engine = simulator.engine(EngineKind::Emitted);
        let left = once.run(simulator, engine.as_mut());
        check_on(simulator, EngineKind::Reference, &once, &exits(0, left.instructions, &left.output));
    }
}

#[test]
fn rv32imc_computes_what_is_computed_natively() {
    check_built_for(
        &RV32IMC,
        [
            ("bytecode", 2_890_554),
            ("crc32", 2_310_525),
            ("csv", 2_014_999),
            ("matrix", 2_573_756),
            ("sha256", 2_828_269),
            ("sorting", 2_620_913),
        ],
    );
}

#[test]
fn rv64imac_computes_what_is_computed_natively() {
    check_built_for(
        &RV64IMAC,
        [
            ("bytecode", 2_970_087),
            ("crc32", 2_779_875),
            ("csv", 2_088_850),
            ("matrix", 2_774_395),
            ("sha256", 3_065_831),
            ("sorting", 2_714_190),
        ],
    );
}

/// What comes back to where it was called from, by a stack of bytes or behind a delay slot, and what lies
/// at the very end of memory, makes nothing anew.
#[test]
fn what_calls_and_stacks_do_is_translated_a_few_times_at_most() {
    for (simulator, most) in [(&AVR, 25_000), (&MIPS32, 10_000)] {
        let program = path(&format!("models/{}/programs/sorting.elf", simulator.name));
        let guest = Guest::new(Box::leak(program.display().to_string().into_boxed_str()));
        let guest = Guest { options: &["--limit-instructions", "1M"], ..guest };
        let mut engine = TranslatedEngine::new((simulator.model)()).expect("the model is translated");
        guest.run(simulator, &mut engine);
        let translated = engine.translation().instructions;
        assert!((1..most).contains(&translated), "{}: {translated} instructions", simulator.name);
    }
}

/// The slow engine runs the beginnings of these programs.
#[test]
fn avr_computes_what_is_computed_natively() {
    let guests = [
        ("crc32", 11_230_554),
        ("sorting", 8_616_963),
        ("bytecode", 9_077_341),
        ("csv", 13_182_947),
        ("matrix", 114_048_253),
        ("sha256", 60_680_633),
    ];
    for (name, instructions) in first_of(2, guests) {
        let program = path(&format!("models/avr/programs/{name}.elf"));
        let guest = Guest::new(Box::leak(program.display().to_string().into_boxed_str()));
        let expected = exits(0, instructions, &golden(&format!("{name}.out")));
        check_on(&AVR, EngineKind::Unprofiled, &guest, &expected);
        check_translated(&AVR, &Guest { options: &["--limit-instructions", "3M"], ..guest.clone() });
        let beginning = Guest { options: &["--limit-instructions", "100_000"], ..guest };
        let [reference, emitted] = [EngineKind::Reference, EngineKind::Emitted]
            .map(|kind| beginning.run(&AVR, AVR.engine(kind).as_mut()));
        assert_eq!((reference.status, reference.instructions), (124, 100_000), "{name}");
        assert_eq!(emitted.output, reference.output, "{name}");
        assert_eq!(emitted.state, reference.state, "{name}");
        assert_eq!(emitted.report, reference.report, "{name}");
    }
}

/// Without a command line the repeat count stands in registers; what is printed is the same.
#[test]
fn avr_takes_a_repeat_count_as_others_do() {
    for (name, arguments, options) in [
        ("crc32", &["3"][..], &["--set", "gpior0=3"][..]),
        ("csv", &["1"], &["--set", "gpior0=1"]),
        ("bytecode", &["2"], &["--set", "gpior0=2"]),
    ] {
        let program = |model: &str| -> &'static str {
            let file = path(&format!("models/{model}/programs/{name}.elf"));
            Box::leak(file.display().to_string().into_boxed_str())
        };
        let told = Guest { arguments, ..Guest::new(program("rv32im")) };
        let expected = told.run(&RV32IM, RV32IM.engine(EngineKind::Unprofiled).as_mut());
        let set = Guest { options, ..Guest::new(program("avr")) };
        let left = set.run(&AVR, AVR.engine(EngineKind::Unprofiled).as_mut());
        assert_eq!((left.status, left.output), (0, expected.output), "{name}");
        assert_eq!(expected.status, 0, "{name}");
    }
}

#[test]
fn mips32_computes_what_is_computed_natively() {
    check_built_for(
        &MIPS32,
        [
            ("bytecode", 3_082_201),
            ("crc32", 2_531_740),
            ("csv", 2_152_475),
            ("matrix", 3_840_906),
            ("sha256", 2_316_216),
            ("sorting", 2_729_768),
        ],
    );
}

#[test]
fn armv6m_computes_what_is_computed_natively() {
    check_built_for(
        &ARMV6M,
        [
            ("bytecode", 3_482_520),
            ("crc32", 2_683_404),
            ("csv", 2_824_554),
            ("matrix", 17_832_186),
            ("sha256", 3_846_618),
            ("sorting", 3_317_662),
        ],
    );
}

#[test]
fn every_guest_is_tested() {
    let entries = fs::read_dir(path("models/rv32im/programs")).expect("the programs are there");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let programs = files.filter(|file| file.extension().is_some_and(|extension| extension == "elf"));
    let names: BTreeSet<String> =
        programs.map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), NAMES);
}

/// True if a program starts and succeeds when it is asked for its version.
fn is_installed(program: &str) -> bool {
    let started = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    started.is_ok_and(|status| status.success())
}

/// What a command prints, which must end with status 0.
fn output_of(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}: {errors}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn golden_output_is_that_of_native_builds() {
    if !can_compare("gcc", is_installed("gcc"), "the golden output is not that of native builds") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    output_of(Command::new("sh").arg(path("models/guests/build.sh")).arg("native").arg(folder.path()));
    for name in NAMES {
        let output = output_of(&mut Command::new(folder.path().join(name)));
        assert_eq!(output, golden(&format!("{name}.out")), "{name}, built natively");
    }
}

#[test]
fn golden_output_is_that_of_qemu() {
    for (qemu, model) in [("qemu-riscv32", "rv32im"), ("qemu-mips", "mips32"), ("qemu-arm", "armv6m")] {
        if !can_compare(qemu, is_installed(qemu), &format!("{model}'s guests run on our engines alone")) {
            continue;
        }
        for name in NAMES {
            let program = path(&format!("models/{model}/programs/{name}.elf"));
            let output = output_of(Command::new(qemu).arg(program));
            assert_eq!(output, golden(&format!("{name}.out")), "{name} on {qemu}");
        }
    }
}

/// simavr writes each line in a colour, and a dot for its end.
#[test]
fn golden_output_is_that_of_simavr() {
    // Whatever it is asked for, it ends with an error.
    let started = Command::new("simavr").arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !can_compare("simavr", started.is_ok(), "avr's guests run on our engines alone") {
        return;
    }
    for name in NAMES {
        let program = path(&format!("models/avr/programs/{name}.elf"));
        let mut simavr = Command::new("simavr");
        simavr.args(["-m", "atmega1284p", "-f", "16000000"]).arg(program);
        let output = simavr.stdin(Stdio::null()).output().expect("simavr starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("text");
        let lines = said.split("\u{1b}[32m").skip(1).filter_map(|line| line.split_once(".\n\u{1b}[0m"));
        let printed: String = lines.map(|(line, _)| format!("{line}\n")).collect();
        assert_eq!(printed, golden(&format!("{name}.out")), "{name} on simavr");
    }
}

/// What objcopy makes of an ELF file is the same program: same output, state and report.
#[test]
fn intel_hex_and_s_records_run_as_the_elf_does() {
    const OBJCOPY: &str = "riscv64-unknown-elf-objcopy";
    if !can_compare(OBJCOPY, is_installed(OBJCOPY), "no guest is made another format of") {
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
                // No function is known without symbols.
                let messages = left.messages.replace(" of `_start`", "");
                (left.status, left.output, messages, left.state, left.report)
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
fn the_pdp11_prints_waiting_for_its_console_and_by_interrupts() {
    let primes = "2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97 \n";
    for (guest, status, output) in [
        (Guest::new("models/pdp11/programs/hello.s19"), 0, "Hello, PDP-11!\n"),
        (Guest::new("models/pdp11/programs/primes.s19"), 25, primes),
        (
            Guest { input: b"a man, a plan\n", ..Guest::new("models/pdp11/programs/reverse.s19") },
            0,
            "nalp a ,nam a\n",
        ),
    ] {
        check(&PDP11, &guest, &Expected { instructions: None, ..exits(status, 0, output) });
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

#[test]
fn the_program_of_a_new_model_is_the_same_on_every_engine() {
    let guest = Guest::new("gentool/src/command/new/program.hex");
    let left = ENGINES.map(|kind| guest.run(&FIRST, FIRST.engine(kind).as_mut()));
    for other in &left {
        assert_eq!((other.status, other.output.as_str(), other.messages.as_str()), (0, "55\n", ""));
        assert_eq!(other.state, left[0].state);
        assert!(other.report.is_none() || other.report == left[0].report);
    }
    assert!(left[1].report.is_some());
}
