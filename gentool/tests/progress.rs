//! What takes long shows on a terminal that it is alive, and nowhere else.
//!
//! The terminal is that of script(1). What takes long is a profile that comes through a pipe: it is
//! written when the line has been seen.
#![cfg(unix)]

mod command_in_folder;

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use command_in_folder::{CSV, RV32IM, gentool};
use tempfile::TempDir;

/// A folder with a profile, and a pipe that nobody writes to yet; none without the tools.
fn folder() -> Option<TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if !is_there("script") || !is_there("mkfifo") {
        return None;
    }
    gentool(
        &folder,
        &format!("run {RV32IM} {CSV} --engine reference --limit-instructions 2000 --profile @p"),
    );
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    Some(folder)
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Writes the profile to the pipe; somebody has to read there.
fn write(folder: &TempDir) {
    let profile = fs::read(folder.path().join("p")).expect("a profile");
    let mut pipe = File::create(folder.path().join("pipe")).expect("a pipe");
    pipe.write_all(&profile).expect("somebody reads");
}

#[test]
fn a_terminal_shows_what_is_waited_for_and_has_no_colours() {
    let Some(folder) = folder() else { return };
    let pipe = folder.path().join("pipe");
    let line = format!("{} report {} --format text", env!("CARGO_BIN_EXE_gentool"), pipe.display());
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let mut running = start(command);
    let mut output = running.stdout.take().expect("a pipe");
    let mut shown = Vec::new();
    let expected = format!("reading {}", pipe.display());
    while !String::from_utf8_lossy(&shown).contains(&expected) {
        let mut bytes = [0; 256];
        let read = output.read(&mut bytes).expect("it can be read");
        assert!(read > 0, "it ended without a word: {}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&bytes[..read]);
    }
    write(&folder);
    output.read_to_end(&mut shown).expect("it can be read");
    assert!(running.wait().expect("it ends").success());
    let shown = String::from_utf8(shown).expect("text");
    let report = shown.rfind("model rv32im").expect("the report");
    assert!(!shown[report..].contains("reading"), "the line is gone before the report: {shown:?}");
    // Colours are `ESC [ ... m`; the line is moved by other codes.
    let codes = shown
        .split("\u{1b}[")
        .skip(1)
        .filter_map(|code| code.find(char::is_alphabetic).map(|at| &code[at..=at]));
    assert!(codes.clone().count() > 0 && codes.into_iter().all(|code| code != "m"), "{shown:?}");
}

#[test]
fn a_file_gets_nothing_of_it() {
    let Some(folder) = folder() else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.arg("report").arg(folder.path().join("pipe")).args(["--format", "text"]);
    let running = start(command);
    write(&folder);
    let output = running.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(output.stdout.starts_with(b"model rv32im"));
}

/// What a command shows on a terminal of a kind, with something more in its environment.
fn shown(line: &str, terminal: &str, environment: Option<(&str, &str)>) -> String {
    let mut command = Command::new("script");
    let line = format!("{} {line}", env!("CARGO_BIN_EXE_gentool"));
    command.args(["-qec", &line, "/dev/null"]).env("TERM", terminal).env_remove("NO_COLOR").env_remove("CI");
    command.envs(environment);
    let output = start(command).wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("text")
}

/// As no-color.org has it: any value but the empty one.
#[test]
fn colours_are_for_terminals_and_go_with_no_color() {
    let Some(folder) = folder() else { return };
    let wrong = folder.path().join("wrong.isac");
    fs::write(&wrong, "OPERATION main { BEHAVIOR { a = 1; }; };\n").expect("a file");
    for line in [format!("check {}", wrong.display()), "--help".to_owned(), "run --no-such-option".to_owned()]
    {
        for (no_color, colours) in [(None, true), (Some(""), true), (Some("1"), false), (Some("0"), false)] {
            let text = shown(&line, "xterm-256color", no_color.map(|value| ("NO_COLOR", value)));
            assert_eq!(text.contains("\u{1b}["), colours, "{line} with {no_color:?}: {text:?}");
        }
        for environment in [None, Some(("CI", "true"))] {
            assert!(!shown(&line, "dumb", environment).contains('\u{1b}'), "{line} with {environment:?}");
        }
        let words: Vec<&str> = line.split(' ').collect();
        let output = Command::new(env!("CARGO_BIN_EXE_gentool")).args(words).env_remove("NO_COLOR").output();
        let output = output.expect("it runs");
        assert!(![output.stdout, output.stderr].concat().contains(&0x1b), "{line}");
    }
}
