//! The command line as a user meets it: what it says to what, and the exit status.
//!
//! Whole output is held in `cli/*.snap`; `@` stands for the test's own folder. Runs are the
//! reference engine's, so that no simulator is built.

#[path = "../../sim-runtime/tests/services/elf_file.rs"]
#[allow(dead_code, reason = "made for the tests of the loader")]
mod elf_file;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use elf_file::{ElfFile, ElfSegment};
use sim_runtime::image::{Expected, ImageFormat, read_image};
use tempfile::TempDir;

const CACHED: &str = "tests/models/cached.isac";
const TINY8: &str = "models/tiny8/tiny8.isac";
const RV32IM: &str = "models/rv32im/rv32im.isac";
const FIVE: &str = "tests/time/five.isac";
const TIMING_DEMO: &str = "models/timing-demo/timing-demo.isac";
const FAULTS: &str = "models/rv32im/programs/faults";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with input files, and gentool.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn with(self, name: &str, contents: impl AsRef<[u8]>) -> Bench {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, contents).expect("a file");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// gentool with the words of a line, at the repository's root; `@` begins a path in the folder.
    fn command(&self, line: &str) -> Command {
        let folder = format!("{}/", self.folder.path().display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(line.split_whitespace().map(|word| word.replace('@', &folder)));
        // A cache that cannot be made: no test may begin to build a simulator.
        command
            .current_dir(root())
            .env("NO_COLOR", "1")
            .env("ISAC_CACHE", "/dev/null/cache")
            .env_remove("COLUMNS");
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("gentool runs")
    }

    /// The line, the status, and all that was printed.
    fn transcript(&self, line: &str) -> String {
        let output = self.run(line);
        let folder = format!("{}/", self.folder.path().display());
        let print = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&folder, "@");
        let mut text = format!("$ gentool {line}\n");
        for (name, bytes) in [("output", &output.stdout), ("messages", &output.stderr)] {
            if !bytes.is_empty() {
                text += &format!("--- {name}\n{}\n", print(bytes).trim_end());
            }
        }
        text + &format!("--- status {}\n", status(&output))
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// Holds what gentool answers to some lines against `cli/NAME.snap`.
fn check(name: &str, bench: &Bench, lines: &[&str]) {
    let transcripts: Vec<String> = lines.iter().map(|line| bench.transcript(line)).collect();
    insta::with_settings!({ snapshot_path => "cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, transcripts.join("\n"));
    });
}

fn reference(model: &str, program: &str, options: &str) -> String {
    format!("run {model} {program} --engine reference {options}").trim_end().to_owned()
}

#[test]
fn a_description_that_cannot_be_read_is_named() {
    let bench = Bench::new().with("latin1.isac", b"// \xe9\n");
    check(
        "unreadable_description",
        &bench,
        &["check @nowhere.isac", "check models/tiny8", "check @latin1.isac"],
    );
}

#[test]
fn a_wrong_description_is_shown_where_it_is_wrong() {
    let errors = "isac-parser/tests/errors";
    let cases = [
        "syntax/missing_semicolon",
        "resolve/undefined_name",
        "resolve/defined_twice",
        "resolve/coding_width",
        "resolve/ambiguous",
        "resolve/missing_main",
        "resolve/missing_pc",
    ];
    let lines: Vec<String> = cases.iter().map(|case| format!("check {errors}/{case}.isac")).collect();
    check("wrong_description", &Bench::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Every command that takes a description refuses a wrong one with the same status.
#[test]
fn no_command_goes_on_with_a_wrong_description() {
    let bench = Bench::new().with("wrong.isac", "OPERATION main { BEHAVIOR { nothing = 1; }; };\n");
    for line in [
        "check @wrong.isac",
        "dump decoder @wrong.isac",
        "generate @wrong.isac --out @out",
        "run @wrong.isac @nowhere.elf --engine reference --report @r.xml",
        "run @wrong.isac @nowhere.elf",
    ] {
        let output = bench.run(line);
        assert_eq!(status(&output), 126, "{line}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("wrong.isac:1:"), "{line} names the place");
    }
    assert!(!bench.exists("out") && !bench.exists("r.xml"), "nothing is written");
}

#[test]
fn a_sound_description_is_summed_up() {
    check(
        "sound_description",
        &Bench::new(),
        &["check models/tiny8/tiny8.isac", "check models/rv32im/rv32im.isac"],
    );
}

#[test]
fn a_constant_can_be_replaced_by_a_number_that_exists() {
    let bench = Bench::new().with("wide.isac", "CONSTANT SIZE = 256;\n");
    check(
        "constants",
        &bench,
        &[
            "check -D SIZE @wide.isac",
            "check -D SIZE=many @wide.isac",
            "check -D OTHER=1 @wide.isac",
            "check -D SIZE=1 -D SIZE=2 @wide.isac",
            "check -D 1SIZE=1 @wide.isac",
            "check -D SIZE=0x100000000000000000000000000000000 @wide.isac",
        ],
    );
}

#[test]
fn a_program_that_cannot_be_loaded_is_refused_with_the_reason() {
    let program = ElfFile::program();
    let overlapping = ElfSegment::load(0x1_0004, b"over it", 8);
    let outside = ElfSegment::load(0x4000_0000, b"nowhere", 8);
    let whole = program.bytes();
    let bench = Bench::new()
        .with("empty.elf", b"")
        .with("cut.elf", &whole[..whole.len() - 3])
        .with("head.elf", &whole[..20])
        .with("machine.elf", ElfFile { machine: 40, ..program.clone() }.bytes())
        .with("class.elf", ElfFile { class: 2, ..program.clone() }.bytes())
        .with("order.elf", ElfFile { big_endian: true, ..program.clone() }.bytes())
        .with("overlap.elf", with_segment(&program, overlapping))
        .with("outside.elf", with_segment(&program, outside))
        .with("large.bin", [0; 300])
        .with("damaged.hex", "; one byte\n:0100000003FD\n:00000001FF\n")
        .with("outside.hex", ":0100000042BD\n:01014000427C\n:00000001FF\n")
        .with("cut.srec", "S104001042A9\n");
    let files = ["nowhere", "empty", "cut", "head", "machine", "class", "order", "overlap", "outside"];
    let mut lines: Vec<String> =
        files.iter().map(|file| reference(RV32IM, &format!("@{file}.elf"), "")).collect();
    lines.push(reference(RV32IM, "models/rv32im", ""));
    for file in ["large.bin", "damaged.hex", "outside.hex", "cut.srec"] {
        lines.push(reference(TINY8, &format!("@{file}"), ""));
    }
    lines.push(reference(TINY8, "@damaged.hex", "--format srec"));
    lines.push(reference(TINY8, "@damaged.hex", "--format elf"));
    check("bad_program", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

fn with_segment(program: &ElfFile, segment: ElfSegment) -> Vec<u8> {
    let mut program = program.clone();
    program.segments.push(segment);
    program.bytes()
}

/// A real program cut off anywhere is the same program or none.
#[test]
fn every_beginning_of_a_program_is_refused_or_loads_the_same() {
    let bytes = fs::read(root().join(FAULTS).join("baremetal.elf")).expect("the program is there");
    let expected = Expected { machine: Some(243), class: Some(32), big_endian: Some(false) };
    let whole = read_image(&bytes, ImageFormat::Elf, &expected).expect("the whole program loads");
    let mut refused = 0;
    for length in 0..bytes.len() {
        match read_image(&bytes[..length], ImageFormat::Elf, &expected) {
            Ok(image) => {
                assert_eq!((image.segments, image.entry), (whole.segments.clone(), whole.entry), "{length}")
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_guest_at_fault_is_told_where_and_why() {
    let bench = Bench::new()
        .with("write.bin", [0x4f, 0x4f, 0x70, 0x70, 0xf3, 0xcc]) // nib ax; nib bx, 0; point bx; store ax
        .with("fetch.bin", [0x78, 0x70, 0xb3]) // nib bx, 0x80; go bx
        .with("illegal.bin", [0x40, 0x01]);
    let elf = |name: &str| reference(RV32IM, &format!("{FAULTS}/{name}.elf"), "");
    let bin = |name: &str| reference(TINY8, &format!("@{name}.bin"), "");
    let lines = [
        elf("illegal"),
        elf("unmapped_read"),
        elf("unmapped_write"),
        elf("unmapped_fetch"),
        bin("write"),
        bin("fetch"),
        bin("illegal"),
    ];
    check("guest_faults", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_fault_leaves_its_report() {
    let bench = Bench::new();
    let line = reference(RV32IM, &format!("{FAULTS}/unmapped_read.elf"), "--report @r.xml");
    assert_eq!(status(&bench.run(&line)), 127);
    assert!(bench.text("r.xml").contains("<faulted>1</faulted>"));
}

#[test]
fn the_status_is_the_guest_s() {
    let bench = Bench::new();
    for (model, program, expected) in [
        (TINY8, "models/tiny8/programs/sum.bin", 55),
        (TINY8, "models/tiny8/programs/hello.bin", 0),
        (RV32IM, "models/rv32im/programs/faults/baremetal.elf", 7),
    ] {
        assert_eq!(status(&bench.run(&reference(model, program, ""))), expected, "{program}");
    }
}

#[test]
fn an_endless_guest_ends_at_a_limit_and_leaves_its_report() {
    let bench = Bench::new();
    let endless = format!("{FAULTS}/endless.elf");
    let lines = [
        reference(RV32IM, &endless, "--limit-instructions 10_007 --report @instructions.xml"),
        reference(RV32IM, &endless, "--limit-cycles 20K --report @cycles.xml"),
        reference(RV32IM, &endless, "--limit-instructions 0 --report @none.xml"),
    ];
    check("limits", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    for (report, count) in [("instructions.xml", 10_007), ("cycles.xml", 20_000), ("none.xml", 0)] {
        let summary = format!("<summary>\n    <executed>{count}</executed>");
        assert!(bench.text(report).contains(&summary), "{report} counts exactly the limit");
    }
}

#[test]
fn a_timeout_ends_the_run_and_leaves_its_report() {
    let bench = Bench::new();
    let endless = format!("{FAULTS}/endless.elf");
    let output = bench.run(&reference(RV32IM, &endless, "--timeout 0.2 --report @r.xml"));
    assert_eq!(status(&output), 124);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.starts_with("error: limit reached: 0.2 seconds (--timeout)\nnote: "), "{messages}");
    assert!(bench.text("r.xml").ends_with("</profiler>\n"));
}

/// The guest is known to run once its output arrives; no time has to be waited for.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_and_leaves_its_report() {
    // Prints one byte, then jumps to itself: nib ax, 0x2e; out ax; jmp to itself.
    let bench = Bench::new().with("wait.bin", [0x42, 0x4e, 0xb4, 0x80]);
    let line = reference(TINY8, "@wait.bin", "--report @r.xml");
    let mut command = bench.command(&line);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gentool runs");
    let mut byte = [0];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut byte).expect("the guest prints");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("gentool ends");
    assert_eq!((byte, status(&output)), ([b'.'], 124));
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.starts_with("error: interrupted\nnote: "), "{messages}");
    assert!(bench.text("r.xml").ends_with("</profiler>\n"));
}

#[test]
fn a_result_that_cannot_be_written_is_refused_before_the_run() {
    let model = fs::read(root().join(TINY8)).expect("the model is there");
    let bench =
        Bench::new().with("program.bin", [0xbc]).with("model.isac", &model).with("events", "recorded");
    let hello = "models/tiny8/programs/hello.bin";
    let lines = [
        reference(TINY8, hello, "--report @missing/r.xml"),
        reference(TINY8, hello, "--report @"),
        reference(TINY8, hello, "--dump-state @missing/state"),
        reference(TINY8, hello, "--report @same --profile @same"),
        reference(TINY8, hello, "--events @missing/events"),
        reference(TINY8, hello, "--pipeline-trace @missing/trace"),
        reference(TINY8, hello, "--pipeline-trace @same --report @./same"),
        reference(TINY8, hello, "--events @same --report @./same"),
        reference(TINY8, "@program.bin", "--events @program.bin"),
        reference("@model.isac", "@program.bin", "--dump-state @model.isac"),
        "report --events @events --out @events".to_owned(),
    ];
    check("unwritable_results", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(bench.text("events"), "recorded");
    assert_eq!(bench.text("model.isac").as_bytes(), model);
    assert_eq!(fs::read(bench.path("program.bin")).expect("it is there"), [0xbc]);
    assert!(!bench.exists("same"));
}

#[test]
fn an_option_that_makes_no_sense_is_explained() {
    let hello = "models/tiny8/programs/hello.bin";
    let lines = [
        String::new(),
        "simulate".to_owned(),
        "check".to_owned(),
        "check --loudly models/tiny8/tiny8.isac".to_owned(),
        "dump everything models/tiny8/tiny8.isac".to_owned(),
        reference(TINY8, hello, "--reprot r.xml"),
        reference(TINY8, hello, "--limit-instructions many"),
        reference(TINY8, hello, "--timeout -1"),
        reference(TINY8, hello, "--set cx=1"),
        reference(TINY8, hello, "--set ax"),
        reference(TINY8, hello, "--set ax=256"),
        reference(TINY8, hello, "--pc here"),
        reference(TINY8, hello, "--pc 0x100"),
        reference(TINY8, hello, "--raw --format elf"),
        reference(TINY8, hello, "--root @missing"),
        reference(TINY8, hello, "-- an argument"),
        format!("run {TINY8} {hello} --engine fastest"),
        format!("run {TINY8} {hello} --engine emitted --events @events"),
        format!("run {CACHED} {hello} --engine emitted --caches"),
        format!("run {TINY8} {hello} --engine emitted --pipeline-trace @trace"),
    ];
    check("bad_options", &Bench::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn every_command_explains_itself() {
    for command in ["", "new ", "check ", "generate ", "run ", "dump ", "report "] {
        let name = format!("help_{}", command.trim()).trim_end_matches('_').to_owned();
        check(&name, &Bench::new(), &[&format!("{command}--help")]);
    }
}

#[test]
fn recorded_events_make_the_same_report() {
    let bench = Bench::new();
    let sum = "models/tiny8/programs/sum.bin";
    assert_eq!(status(&bench.run(&reference(TINY8, sum, "--events @events --report @direct.xml"))), 55);
    let output = bench.run("report --events @events --out @replayed.xml");
    assert_eq!(status(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bench.text("direct.xml"), bench.text("replayed.xml"));
    let printed = bench.run("report --events @events");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), bench.text("direct.xml"));
}

/// A program of two reads: both are fetched from one line, and so is what they read.
#[test]
fn caches_are_simulated_where_the_run_asks_for_it() {
    let bench = Bench::new().with("program.bin", [1, 0x10, 1, 0x11, 10, 0]);
    let messages = |line: &str| {
        let output = bench.run(&format!("run {CACHED} @program.bin {line}"));
        assert_eq!(status(&output), 0);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let found = messages("--caches --stats --report @caches.xml");
    let expected = [
        "note: using the reference engine: caches and latencies are not emitted yet",
        "3 instructions, 3 cycles, ",
        "icache: 1 hits, 2 misses, 0 lines written back",
        "dcache: 1 hits, 2 misses, 0 lines written back",
        "fcache: 0 hits, 0 misses, 0 lines written back",
    ];
    assert_eq!(found.lines().count(), expected.len(), "{found}");
    for (line, begin) in found.lines().zip(expected) {
        assert!(line.starts_with(begin), "{line}");
    }
    assert!(
        bench
            .text("caches.xml")
            .contains("<name>dcache</name>\n      <hits>1</hits>\n      <misses>2</misses>")
    );
    assert_eq!(messages("--engine reference --stats").lines().count(), 1);
    let (package, source) = ("generate @cached.isac --out @package", "package/src/main.rs");
    fs::copy(root().join(CACHED), bench.path("cached.isac")).expect("a file");
    assert_eq!(status(&bench.run(package)), 0);
    assert!(bench.text(source).contains("--caches needs the reference engine"));
}

/// Words of 16 bits as `tests/time/five.isac` has them in memory.
fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// li r1, 0x40; load r2, (r1); add r3, r2, r2; bz r0, 2; li r4, 1; stop 0
const INTERLOCK: [u16; 6] = [0x1140, 0xa210, 0x8322, 0xc200, 0x1401, 0x3000];

#[test]
fn the_pipeline_is_drawn_cycle_by_cycle() {
    let bench = Bench::new()
        .with("interlock.bin", words(&INTERLOCK))
        .with("endless.bin", words(&[0x2000]))
        .with("fault.bin", words(&[0x1106, 0x9210]))
        .with("walking.bin", words(&[0x1106, 0x9211, 0xf000]))
        .with("steps.bin", [0x01, 0x00, 0x80]);
    let five = |program: &str, options: &str| format!("run {FIVE} @{program}.bin --raw {options}");
    let lines = [
        five("interlock", "--pipeline-diagram 1:40"),
        five("interlock", "--pipeline-diagram 4:3"),
        five("interlock", "--pipeline-diagram 1K:5"),
        five("endless", "--limit-cycles 2K --pipeline-diagram 995:12"),
        five("fault", "--pipeline-diagram 1:40"),
        five("walking", "--pipeline-diagram 2:200"),
        reference(TINY8, "models/tiny8/programs/hello.bin", "--pipeline-diagram 3:4"),
        reference(TIMING_DEMO, "@steps.bin", "--raw --pipeline-diagram 1:6"),
        five("interlock", "--pipeline-diagram 1:201"),
        five("interlock", "--pipeline-diagram 0:5"),
        five("interlock", "--pipeline-diagram 40"),
        five("interlock", "--engine emitted --pipeline-diagram 1:40"),
    ];
    check("pipeline_diagram", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn the_pipeline_is_written_for_a_viewer() {
    let bench = Bench::new()
        .with("interlock.bin", words(&INTERLOCK))
        .with("steps.bin", [0x01, 0x00, 0x80])
        .with("trace", "of another run");
    let mut files = String::new();
    for line in [
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace"),
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window 5:3"),
        format!("run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window 100:1"),
        format!("run {TIMING_DEMO} @steps.bin --raw --pipeline-trace @trace"),
        // What cannot be run leaves the file as it is.
        format!("run {FIVE} @nowhere.bin --pipeline-trace @trace --pipeline-diagram 1:5"),
    ] {
        files += &format!("{}{}\n", bench.transcript(&line), bench.text("trace").replace('\t', "  "));
    }
    insta::with_settings!({ snapshot_path => "cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("pipeline_trace", files);
    });
}

#[test]
fn a_viewer_can_follow_every_trace() {
    let bench = Bench::new().with("interlock.bin", words(&INTERLOCK));
    for window in ["1:100", "4:3", "2:2"] {
        bench.run(&format!(
            "run {FIVE} @interlock.bin --raw --pipeline-trace @trace --pipeline-window {window}"
        ));
        check_kanata(&bench.text("trace"));
    }
}

/// Numbers go up by one, nothing is told of what has not begun or has left, stages end as they
/// began.
fn check_kanata(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    assert!(lines.next().is_some_and(|line| line.starts_with("C=\t")));
    let mut open: Vec<Option<Vec<(&str, &str)>>> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        let number: usize = words[1].parse().expect("a number");
        match words[..] {
            ["C", "1"] => {}
            ["I", _, _, "0"] => {
                assert_eq!(number, open.len(), "{line}");
                open.push(Some(Vec::new()));
            }
            ["L", _, "0" | "1", text] => assert!(open[number].is_some() && !text.is_empty(), "{line}"),
            ["S", _, lane, stage] => {
                let stages = open[number].as_mut().expect(line);
                assert!(stages.iter().all(|(other, _)| *other != lane), "{line}");
                stages.push((lane, stage));
            }
            ["E", _, lane, stage] => {
                let stages = open[number].as_mut().expect(line);
                let place = stages.iter().position(|open| *open == (lane, stage)).expect(line);
                stages.remove(place);
            }
            ["R", _, _, "0" | "1"] => assert_eq!(open[number].take(), Some(Vec::new()), "{line}"),
            _ => panic!("{line}"),
        }
    }
}

#[test]
fn events_that_are_none_are_refused_with_the_line() {
    let bench = Bench::new().with("text", "no events\n").with("empty", "");
    let line = reference(TINY8, "models/tiny8/programs/sum.bin", "--events @whole");
    assert_eq!(status(&bench.run(&line)), 55);
    let whole = bench.text("whole");
    let bench = bench.with("cut", &whole[..whole.len() / 2]);
    check(
        "bad_events",
        &bench,
        &[
            "report --events @nowhere",
            "report --events @text",
            "report --events @empty",
            "report --events @cut",
        ],
    );
}

#[test]
fn a_simulator_is_generated_whole_or_not_at_all() {
    let bench = Bench::new();
    let output = bench.run("generate models/tiny8/tiny8.isac --out @package");
    assert_eq!(status(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "src/main.rs",
        "src/steps.rs",
        "runtime/sim-runtime/Cargo.toml",
    ] {
        assert!(bench.exists(&format!("package/{file}")), "{file}");
    }
}

#[test]
fn what_is_in_the_way_of_a_package_is_named_and_left_alone() {
    let bench = Bench::new().with("file", "in the way").with("a/src", "").with("b/Cargo.toml/x", "");
    let is_file = "is a file where the package needs a folder";
    let is_folder = "is a folder where the package needs a file";
    for (out, path, what) in [
        ("file", "file", is_file),
        ("file/below", "file", is_file),
        ("a", "a/src", is_file),
        ("b", "b/Cargo.toml", is_folder),
    ] {
        let output = bench.run(&format!("generate models/tiny8/tiny8.isac --out @{out}"));
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let remedy = "move it away, or name another folder by --out";
        assert_eq!(status(&output), 125);
        assert!(messages.ends_with(&format!("/{path} {what}; {remedy}\n")), "{messages}");
    }
    assert_eq!(bench.text("file"), "in the way");
    assert!(!bench.exists("a/Cargo.toml") && !bench.exists("b/src"));
}

/// Whether anybody listens or not, no command panics.
#[cfg(target_os = "linux")]
#[test]
fn output_that_goes_nowhere_is_a_failure_and_a_closed_pipe_is_none() {
    let bench = Bench::new().with("events", "").with("wrong.isac", "GROUP;");
    let full = || fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    for line in ["check models/pdp11/pdp11.isac", "dump behavior models/rv32im/rv32im.isac", "new @cpu"] {
        let output = bench.command(line).stdout(full()).output().expect("gentool runs");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(status(&output), 125, "{line}");
        assert!(messages.starts_with("error: cannot write to standard output: "), "{messages}");
    }
    for (line, expected) in
        [("check @wrong.isac", 126), ("check @nowhere", 125), ("report --events @events", 125)]
    {
        let output = bench.command(line).stderr(full()).output().expect("gentool runs");
        assert_eq!(status(&output), expected, "{line}");
    }
    let mut dump = bench.command("dump behavior models/rv32im/rv32im.isac");
    let mut child = dump.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gentool runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("gentool ends");
    assert_eq!((status(&output), String::from_utf8_lossy(&output.stderr).as_ref()), (0, ""));
}

/// Neither a device without end nor a file of any size takes more than its limit.
#[cfg(unix)]
#[test]
fn input_without_end_is_refused() {
    for (line, said) in
        [("check /dev/zero", "larger than 16 MiB"), ("report --events /dev/zero", "no event file")]
    {
        let output = Bench::new().run(line);
        assert!(matches!(status(&output), 125 | 126), "{line}");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(messages.contains(said) && messages.len() < 1000, "{messages}");
    }
}

/// Without cargo's folder no simulator can be built; the message says what can be done.
#[test]
fn a_simulator_that_cannot_be_built_is_a_failure_of_ours() {
    let output = Bench::new().run("run models/tiny8/tiny8.isac models/tiny8/programs/sum.bin");
    assert_eq!(status(&output), 125);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.contains("set ISAC_CACHE to another"), "{messages}");
}
