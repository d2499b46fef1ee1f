//! What is said of bad descriptions, and of words that nothing matches: `NAME.isac` and the full
//! text in `NAME.expect`.
//!
//! Lines `// -D NAME=value` at the beginning of a file are overrides. `UPDATE_EXPECT=1` writes
//! the expected texts anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};
use isac_parser::{check_coverage, load_model};

use super::super::load;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors/resolve");
const COVERAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors/coverage");

#[test]
fn bad_descriptions_are_explained() {
    let cases = cases(FOLDER);
    assert!(cases.len() >= 30);
    compare(&cases, explain);
}

#[test]
fn words_that_nothing_matches_are_told_in_one_line() {
    let cases = cases(COVERAGE);
    assert!(cases.len() >= 3);
    compare(&cases, coverage);
}

/// Each finding says what to do about it; remarks of one line name their place behind the message.
fn without_remedy(said: &str) -> Option<&str> {
    let findings =
        said.split("\n\n").filter(|block| block.starts_with("error") || block.starts_with("warning"));
    let mut long = findings.filter(|block| block.contains(" --> "));
    long.find(|block| !block.contains("= help: "))
}

/// Compares what is said of each case with its expected text.
fn compare(cases: &[PathBuf], say: fn(&Path) -> String) {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for case in cases {
        let said = say(case);
        if let Some(finding) = without_remedy(&said) {
            wrong.push(format!("{}: no remedy\n{finding}", case.display()));
        }
        let expected = case.with_extension("expect");
        if update {
            fs::write(&expected, &said).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong.push(format!("{}:\n{said}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "isac")).collect();
    cases.sort();
    cases
}

/// What is said of the words of a sound description.
fn coverage(case: &Path) -> String {
    let name = PathBuf::from(case.file_name().unwrap());
    let loader = InMemory::new([(name.clone(), fs::read_to_string(case).unwrap())]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let model = load_model(&name, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let model = model.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)));
    check_coverage(&model, &mut findings);
    findings.render(&sources, Style::Plain)
}

fn explain(case: &Path) -> String {
    explain_text(case, fs::read_to_string(case).unwrap())
}

/// However lines end, places are the same, and so is what is shown of them.
#[test]
fn lines_end_as_any_system_ends_them() {
    let case = Path::new(FOLDER).join("undefined_name.isac");
    let text = fs::read_to_string(&case).unwrap() + "// a comment ends with its line\nOPERATION \n;\n";
    let expected = explain_text(&case, text.clone());
    assert!(expected.contains("found `;`"), "{expected}");
    for end in ["\r", "\r\n"] {
        let said = explain_text(&case, text.replace('\n', end));
        // A blank may stand where the carriage return stood.
        let lines = said.lines().map(str::trim_end);
        assert!(lines.eq(expected.lines()), "{end:?}: {said}");
    }
}

fn explain_text(case: &Path, text: String) -> String {
    let machine = fs::read_to_string(Path::new(FOLDER).join("include/machine.isac")).unwrap();
    let name = PathBuf::from(case.file_name().unwrap());
    let overrides = overrides(&text);
    let loader = InMemory::new([(name.clone(), text), (PathBuf::from("include/machine.isac"), machine)]);
    load(&name, &loader, &overrides).1
}

fn overrides(text: &str) -> BTreeMap<String, u128> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("// -D "));
    let pairs = lines.map(|line| line.split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect()
}
