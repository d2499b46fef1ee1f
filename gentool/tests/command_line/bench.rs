//! A folder for gentool to work in, and what it answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) const CACHED: &str = "tests/models/cached.isac";
pub(crate) const TINY8: &str = "models/tiny8/tiny8.isac";
pub(crate) const RV32IM: &str = "models/rv32im/rv32im.isac";
pub(crate) const FIVE: &str = "tests/time/five.isac";
pub(crate) const TIMING_DEMO: &str = "models/timing-demo/timing-demo.isac";
pub(crate) const FAULTS: &str = "models/rv32im/programs/faults";

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with input files, and gentool.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn with(self, name: &str, contents: impl AsRef<[u8]>) -> Bench {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, contents).expect("a file");
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// gentool with the words of a line, at the repository's root; `@` begins a path in the folder, but before
    /// `0x`, where it says where a file stands.
    pub(crate) fn command(&self, line: &str) -> Command {
        let folder = format!("{}/", self.folder.path().display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        let placed = |word: &str| {
            let parts = word.split("@0x").map(|part| part.replace('@', &folder));
            parts.collect::<Vec<_>>().join("@0x")
        };
        command.args(line.split_whitespace().map(placed));
        // A cache that cannot be made: no test may begin to build a simulator.
        command
            .current_dir(root())
            .env("NO_COLOR", "1")
            .env("ISAC_CACHE", "/dev/null/cache")
            .env_remove("COLUMNS");
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("gentool runs")
    }

    /// The line, the status, and all that was printed.
    pub(crate) fn transcript(&self, line: &str) -> String {
        let output = self.run(line);
        let folder = format!("{}/", self.folder.path().display());
        let print = |bytes: &[u8]| mask_digests(&String::from_utf8_lossy(bytes).replace(&folder, "@"));
        let mut text = format!("$ gentool {line}\n");
        for (name, bytes) in [("output", &output.stdout), ("messages", &output.stderr)] {
            if !bytes.is_empty() {
                text += &format!("--- {name}\n{}\n", print(bytes).trim_end());
            }
        }
        text + &format!("--- status {}\n", status(&output))
    }
}

/// A text without the digests of descriptions, which change with whatever descriptions are lowered to.
fn mask_digests(text: &str) -> String {
    const DIGITS: usize = 64;
    let mut masked = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_hexdigit()) {
        let digits = rest[start..].find(|letter: char| !letter.is_ascii_hexdigit());
        let end = digits.map_or(rest.len(), |length| start + length);
        masked += &rest[..start];
        masked += if end - start == DIGITS { "DIGEST" } else { &rest[start..end] };
        rest = &rest[end..];
    }
    masked + rest
}

pub(crate) fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// Holds what gentool answers to some lines against `cli/NAME.snap`.
pub(crate) fn check(name: &str, bench: &Bench, lines: &[&str]) {
    let transcripts: Vec<String> = lines.iter().map(|line| bench.transcript(line)).collect();
    check_text(name, &transcripts.join("\n"));
}

/// The same of a part of what they print.
pub(crate) fn check_text(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "../cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

pub(crate) fn reference(model: &str, program: &str, options: &str) -> String {
    format!("run {model} {program} --engine reference {options}").trim_end().to_owned()
}
