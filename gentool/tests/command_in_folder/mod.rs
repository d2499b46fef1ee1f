//! Runs of the command line with files in a folder of their own.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A description, from the repository's root.
pub(crate) const RV32IM: &str = "models/rv32im/rv32im.isac";
/// A program for it.
pub(crate) const CSV: &str = "models/rv32im/programs/csv.elf";

/// gentool at the repository's root; `@` begins a path in the folder.
pub(crate) fn gentool(folder: &TempDir, line: &str) -> Output {
    let path = format!("{}/", folder.path().display());
    Command::new(env!("CARGO_BIN_EXE_gentool"))
        .args(line.split_whitespace().map(|word| word.replace('@', &path)))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .env("ISAC_CACHE", "/dev/null/cache")
        .output()
        .expect("gentool runs")
}
