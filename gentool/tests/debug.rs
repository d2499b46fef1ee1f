//! `gentool debug`: its commands by script, each with what it shows.

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
fn what_makes_no_sense_is_told() {
    check(
        "errors",
        SUM,
        &[
            "frobnicate",
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
