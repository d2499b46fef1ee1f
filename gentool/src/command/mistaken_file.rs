//! Files that are something else than what they are named for: what they are, and what to do.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sim_runtime::image::{ImageFormat, recognise_format};

/// So many bytes tell what a file is.
const LOOKED_AT_BYTES: u64 = 4096;

/// What a file begins with; nothing if it cannot be read, which is said elsewhere.
fn beginning(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A pipe would lose what is read here.
    if path.metadata().is_ok_and(|found| found.is_file())
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(LOOKED_AT_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

/// What ends a file's name, in lower case.
fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// What is in the place of a description.
pub(super) fn instead_of_description(path: &Path) -> Option<&'static str> {
    if ending(path) == "isac" {
        return None;
    }
    let bytes = beginning(path);
    if is_profile(&bytes) {
        return Some("it is a stored profile; the description comes before it");
    }
    match recognise_format(&bytes)? {
        ImageFormat::Elf => Some("it is a program, an ELF file; the description comes before it"),
        _ => Some("it is a program, in records; the description comes before it"),
    }
}

/// The root file of a folder that is named in the place of a description: the one that is called like
/// it, as `gentool new` does.
pub(super) fn root_in(folder: &Path) -> Option<PathBuf> {
    let root = folder.join(folder.file_name()?).with_extension("isac");
    root.is_file().then_some(root)
}

/// What is in the place of a program; of files that look like none, for they could still be raw bytes.
pub(super) fn instead_of_program(model: &Path, path: &Path) -> Option<String> {
    if !path.is_file() || recognise_format(&beginning(path)).is_some() {
        return None;
    }
    if let Some(found) = instead_of_image(path) {
        return Some(found.to_owned());
    }
    let (model, shown, program) = (model.display(), path.display(), path.with_extension("elf"));
    match ending(path).as_str() {
        "s" | "asm" => Some(format!(
            "it is a text for the assembler; first say: gentool asm {model} {shown} -o {}",
            program.display()
        )),
        "c" | "cc" | "cpp" | "rs" => Some("it is a source; compile it for this processor first".to_owned()),
        "isac" => Some("it is a description; the description comes first, then the program".to_owned()),
        "profile" => Some("it is a stored profile; `gentool report` reads it".to_owned()),
        _ => None,
    }
}

/// What gentool has written and is no program, whatever it is called.
pub(super) fn instead_of_image(path: &Path) -> Option<&'static str> {
    let bytes = beginning(path);
    if bytes.starts_with(b"<?xml") || bytes.starts_with(b"<!DOCTYPE html") {
        Some("it is a report, or another file of XML or HTML; name the program that was run")
    } else if is_profile(&bytes) {
        Some("it is a stored profile; `gentool report` reads it")
    } else {
        None
    }
}

/// What is in the place of code: lines of text, which no program is by accident.
pub(super) fn instead_of_code(path: &Path) -> Option<&'static str> {
    let bytes = beginning(path);
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let is_lines = bytes.contains(&b'\n') && bytes.iter().all(is_text);
    (is_lines && recognise_format(&bytes).is_none()).then_some(
        "it is text, and no program; assemble it first by `gentool asm`, or say --format raw to take its \
         letters as code",
    )
}

/// What is in the place of a stored profile.
pub(super) fn instead_of_profile(path: &Path) -> Option<&'static str> {
    let bytes = beginning(path);
    if bytes.starts_with(b"<?xml") || bytes.starts_with(b"<!DOCTYPE html") {
        Some("it is a report; name the profile that it was made from, or run again with --profile FILE")
    } else if recognise_format(&bytes).is_some() {
        Some("it is a program; run it with --profile FILE and name that file")
    } else if ending(path) == "isac" {
        Some("it is a description; run a program on it with --profile FILE and name that file")
    } else if is_set_of_counters(&bytes) {
        Some("it is a set of counters; `gentool counters --load FILE` shows it")
    } else {
        None
    }
}

/// What is in the place of a set of counters.
pub(super) fn instead_of_counters(path: &Path) -> Option<&'static str> {
    is_profile(&beginning(path)).then_some("it is a stored profile; name it without --load, to count in it")
}

/// What `gentool run --profile` writes begins like that.
fn is_profile(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\"format\":\"isac-profile\"")
}

/// What `gentool counters --save` writes begins like that, whatever stands between its words.
fn is_set_of_counters(bytes: &[u8]) -> bool {
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    text.starts_with(b"{\"format\":\"isac-counters\"")
}
