//! `gentool debug`: its commands by script, each with what it shows.

#[path = "debug/interrupt.rs"]
mod interrupt;
#[path = "debug/moves.rs"]
mod moves;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Standard output, status and standard error of a session.
fn session(line: &str, commands: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.current_dir(root()).arg("debug").args(line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gentool runs");
    let mut input = child.stdin.take().expect("a pipe");
    // Whoever has ended the session reads no more.
    let _ = input.write_all(commands.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("gentool ends");
    let status = output.status.code().expect("gentool ends by itself");
    let said = String::from_utf8_lossy(&output.stdout);
    format!("{said}--- status {status}\n{}", String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn check(name: &str, line: &str, commands: &[&str]) {
    let shown = session(line, &(commands.join("\n") + "\n"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("debug");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

const SUM: &str = "models/tiny8/tiny8.isac models/tiny8/programs/sum.bin";

#[test]
fn a_program_is_run_forwards_and_backwards() {
    check(
        "steps",
        SUM,
        &[
            "where",
            "list",
            "step",
            "",
            "step 3",
            "registers",
            "back 2",
            "where",
            "watch ax",
            "continue",
            "continue",
            "reverse-continue",
            "points",
            "delete",
            "goto 20",
            "where",
            "goto 4",
            "where",
            "back 100",
            "memory 0x80 4",
            "continue",
            "registers ax",
            "back",
            "where",
            "continue",
            "quit",
        ],
    );
}

#[test]
fn runs_stop_at_addresses_conditions_and_operations() {
    let sorting = "models/rv32imc/rv32imc.isac models/rv32imc/programs/sorting.elf";
    check(
        "points",
        &format!("{sorting} --limit-instructions 200K -- 1"),
        &[
            "break main",
            "continue",
            "break sink if a0 == 16",
            "continue",
            "registers a0 pc",
            "points",
            "delete",
            "break operation divu",
            "continue",
            "reverse-continue",
            "delete",
            "rwatch comparisons 4",
            "continue",
            "list main 4",
            "continue",
            "delete",
            "continue",
        ],
    );
}

#[test]
fn a_pipeline_is_looked_at_by_cycle() {
    let model = "models/rv32im5/rv32im5.isac models/rv32im/programs/crc32.elf";
    check(
        "pipeline",
        &format!("{model} --limit-instructions 100K"),
        &[
            "goto 100",
            "where",
            "pipeline",
            "pending",
            "cycle 3",
            "where",
            "backcycle",
            "step",
            "where",
            "quit",
        ],
    );
}

#[test]
fn a_state_that_was_changed_stays_changed_on_the_way_back() {
    check(
        "changed",
        SUM,
        &[
            "step 4",
            "registers ax bx",
            "set bx 3",
            "step 5",
            "registers ax bx",
            "back 5",
            "registers ax bx",
            "back",
            "registers ax bx",
            "step",
            "registers ax bx",
            "quit",
        ],
    );
}

#[test]
fn the_description_is_run_statement_by_statement_forwards_and_backwards() {
    check(
        "statements",
        SUM,
        &[
            "statement",
            "where",
            "statement 3",
            "where",
            "locals",
            "operands",
            "source 2",
            "out",
            "step 6",
            "statement 8",
            "where",
            "locals",
            "operands",
            "over",
            "locals",
            "registers ax bx z",
            "over",
            "statement",
            "where",
            "locals",
            "set ax 1",
            "statement 2",
            "where",
            "out",
            "where",
            "backstatement",
            "where",
            "backstatement 3",
            "where",
            "back",
            "where",
            "backstatement",
            "where",
            "goto 3",
            "where",
            "statement",
            "continue",
            "statement",
            "backstatement",
            "where",
            "quit",
        ],
    );
}

#[test]
fn runs_stop_before_lines_of_the_description_both_ways() {
    check(
        "lines",
        SUM,
        &[
            "break tiny8.isac:51",
            "break models/tiny8/tiny8.isac:116",
            "continue",
            "continue",
            "where",
            "operands",
            "points",
            "delete 1",
            "continue",
            "where",
            "reverse-continue",
            "where",
            "reverse-continue",
            "break tiny8.isac",
            "break tiny8.isac:",
            "break tiny8.isac:x",
            "break tiny8.isac:46",
            "break tiny8.isac:9999",
            "break none.isac:3",
            "break operation adf",
            "break operation decode",
            "break operation main",
            "break operation op_alu",
            "break stall",
            "delete",
            "break operation decode",
            "goto 5",
            "continue",
            "where",
            "watch ax",
            "continue",
            "continue",
            "reverse-continue",
            "where",
            "leave",
        ],
    );
}

#[test]
fn stages_that_stand_stop_a_run_both_ways() {
    let model = "models/rv32im5/rv32im5.isac models/rv32im/programs/crc32.elf";
    check(
        "stalls",
        &format!("{model} --limit-instructions 100K"),
        &[
            "break stall pipe.XX",
            "break stall EX",
            "break stall pipe.EX",
            "break stall",
            "points",
            "continue",
            "where",
            "pipeline",
            "continue",
            "where",
            "statement",
            "where",
            "locals",
            "operands",
            "over",
            "out",
            "where",
            "cycle",
            "where",
            "backstatement",
            "where",
            "reverse-continue",
            "where",
            "delete",
            "break operation multiply",
            "break operation mul",
            "quit",
        ],
    );
}

/// What somebody does that looks at everything on the way, in every manner of model.
#[test]
fn a_run_that_was_looked_into_measures_what_a_plain_one_does() {
    for (model, program, options) in [
        ("tiny8", "tiny8/programs/sum.bin", ""),
        ("rv32im", "rv32im/programs/csv.elf", "--limit-instructions 3000"),
        ("rv32im5", "rv32im/programs/crc32.elf", "--limit-instructions 3000"),
        ("avr", "avr/programs/sorting.elf", "--limit-instructions 3000"),
        ("mips32", "mips32/programs/sorting.elf", "--limit-instructions 3000"),
        ("pdp11", "pdp11/programs/primes.s19", "--limit-instructions 3000"),
        ("vliw4", "vliw4/programs/primes.bin", "--limit-instructions 3000"),
        ("timing-demo", "timing-demo/programs/alternating.bin", "--limit-instructions 3000"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let report = |name: &str| folder.path().join(name);
        let line = format!("models/{model}/{model}.isac models/{program} {options}");
        let commands = "break operation main\nstatement\nstatement 20\nlocals\noperands\nwhere\nbackstatement 7\n\
                        over 7\nout\nsource\nprofile\npipeline\npending\nstep 3\nbackstatement 2\nback\ncontinue\n\
                        continue\nstatement 3\noperands\nreverse-continue\ngoto 50\nstatement 5\ndelete\nwhere\n\
                        cycle 3\nbackcycle\nstatement 9\nleave\n";
        let shown = session(&format!("{line} --report {}", report("debugged").display()), commands);
        assert!(!shown.contains("error: there is no") && shown.contains(" in main.ACTIVATION: "), "{shown}");
        let plain = Command::new(env!("CARGO_BIN_EXE_gentool"))
            .current_dir(root())
            .args(["run", "--engine", "reference", "--report"])
            .arg(report("plain"))
            .args(line.split_whitespace())
            .output()
            .expect("gentool runs");
        let status = plain.status.code().expect("gentool ends by itself");
        assert!(shown.contains(&format!("--- status {status}\n")), "{model}: {shown}");
        let [debugged, plain] = ["debugged", "plain"].map(|name| {
            let text = std::fs::read_to_string(report(name)).expect("a report");
            let is_measured =
                |line: &&str| !line.contains("host_nanoseconds") && !line.contains("<provenance");
            text.lines().filter(is_measured).collect::<Vec<_>>().join("\n")
        });
        assert!(debugged == plain && plain.len() > 1000, "{model}");
    }
}

#[test]
fn a_run_that_cannot_be_taken_back_is_not_stopped_within_instructions() {
    let shown = session(
        &format!("{SUM} --root ."),
        "break tiny8.isac:51\nstatement\nover\nbackstatement\nbreak operation decode\nstep\nquit\n",
    );
    assert_eq!(shown.matches("leave out --root").count(), 5, "{shown}");
}

#[test]
fn what_makes_no_sense_is_told() {
    check(
        "errors",
        SUM,
        &[
            "frobnicate",
            "contniue",
            "break",
            "break nowhere",
            "break operation none",
            "break 0 if ax",
            "break 0 if ax = 1",
            "break 0 when",
            "watch",
            "watch 0 9999",
            "delete 7",
            "set",
            "set ax 256",
            "set ay 1",
            "set ax -1",
            "memory",
            "memory 0xffffffffffffffff",
            "memory 0 4 none",
            "goto",
            "goto -1",
            "step x",
            "list none",
            "break 99999999999999999999",
            "break 0xffffffffffffffff+1",
            "\u{1}\u{7f}é",
            "back",
            "help",
        ],
    );
}

#[test]
fn a_register_file_is_shown_by_its_name_and_set_by_its_elements() {
    let commands = ["registers x", "registers x[1] a0", "set x 5", "registers y", "quit"];
    check("register_file", moves::PIPELINE, &commands);
}
