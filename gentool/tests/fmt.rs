//! `gentool fmt`: what it changes, and what it leaves.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use isac_parser::diagnostic::Diagnostics;
use isac_parser::source::{InMemory, SourceMap};
use isac_parser::{format_text, parse_model, print_file};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn fmt(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.arg("fmt").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gentool runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("gentool ends")
}

/// Every description of the repository, wrong ones included.
fn descriptions() -> Vec<PathBuf> {
    let mut folders =
        ["models", "tests", "isac-parser/tests", "gentool"].map(|name| root().join(name)).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "isac") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "{}", found.len());
    found
}

/// A text's words: blanks that stand in no text and no comment are left out, by leaving out all.
fn words(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// What the parser makes of a text, without the places.
fn parsed(text: &str) -> String {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let files = InMemory::new([("a.isac", text)]);
    let parsed = parse_model(Path::new("a.isac"), &files, &mut sources, &mut findings);
    format!("{:?}", parsed.iter().map(|(_, file)| print_file(file)).collect::<Vec<_>>())
}

#[test]
fn words_comments_and_meaning_stay_and_a_second_time_changes_nothing() {
    for path in descriptions() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // Whatever it was indented by before, it means the same.
        let flat: String = text.lines().map(|line| format!("{}\n", line.trim())).collect();
        for text in [text, flat] {
            let laid_out = format_text(&text);
            let path = path.display();
            assert_eq!(format_text(&laid_out), laid_out, "{path}");
            assert_eq!(words(&laid_out), words(&text), "{path}");
            assert_eq!(parsed(&laid_out), parsed(&text), "{path}");
        }
    }
}

#[test]
fn the_models_are_laid_out() {
    let models: Vec<PathBuf> =
        descriptions().into_iter().filter(|path| path.starts_with(root().join("models"))).collect();
    for path in models {
        let text = fs::read_to_string(&path).expect("a model is text");
        assert!(format_text(&text) == text, "{} is to be laid out by gentool fmt", path.display());
    }
}

#[test]
fn files_are_replaced_only_where_something_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.isac"), "RESOURCE {\nREGISTER bit[8] a; // x\n};\n").expect("written");
    fs::write(path("b.isac"), "GROUP g = a;\n").expect("written");
    let before = fs::metadata(path("b.isac")).and_then(|file| file.modified()).expect("a time");

    let checked = fmt(&["--check", &path("a.isac"), &path("b.isac")], b"");
    assert_eq!(checked.status.code(), Some(1));
    let said = format!("{} would be laid out otherwise\n", path("a.isac"));
    assert_eq!(String::from_utf8_lossy(&checked.stdout), said);

    let done = fmt(&[&path("a.isac"), &path("b.isac")], b"");
    assert_eq!((done.status.code(), done.stdout.len(), done.stderr.len()), (Some(0), 0, 0));
    let text = fs::read_to_string(path("a.isac")).expect("the file");
    assert_eq!(text, "RESOURCE {\n    REGISTER bit[8] a; // x\n};\n");
    let after = fs::metadata(path("b.isac")).and_then(|file| file.modified()).expect("a time");
    assert_eq!(before, after);
    assert_eq!(fmt(&["--check", &path("a.isac")], b"").status.code(), Some(0));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let output = fmt(&["-"], b"A {\n b;\n};\n\n\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "A {\n    b;\n};\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_cannot_be_read_is_told_and_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.isac").display().to_string();
    fs::write(&path, b"A;\n\xff\n").expect("written");
    let output = fmt(&[&path], b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("line 2 is no UTF-8; save it as UTF-8"), "{said}");
    assert_eq!(fs::read(&path).expect("the file"), b"A;\n\xff\n");
    let missing = fmt(&["nowhere.isac"], b"");
    assert_eq!(missing.status.code(), Some(125));
}
