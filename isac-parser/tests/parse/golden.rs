//! One file an error, its whole message beside it. `UPDATE_EXPECT=1` writes the messages anew.

use std::path::Path;

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{FileSystem, InMemory, MAX_FILE_BYTES, SourceMap};

use crate::{check_round_trip, models_in, read};

/// Compares with the file beside it, or rewrites that.
fn check_expect(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(expected, actual, "{} differs; UPDATE_EXPECT=1 rewrites it", path.display());
}

#[test]
fn syntax_errors_are_reported_as_expected() {
    let paths = models_in("tests/errors/syntax");
    assert!(paths.len() >= 15);
    for path in paths {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        isac_parser::parse_model(&path, &FileSystem, &mut sources, &mut diagnostics);
        diagnostics.sort();
        assert!(diagnostics.has_errors(), "{}", path.display());
        check_expect(&path.with_extension("expect"), &diagnostics.render(&sources, Style::Plain));
    }
}

/// Texts that are too large to be files of the repository, by the names of what is said of them; the
/// first of each is the root file.
fn too_large() -> Vec<(&'static str, Vec<(String, String)>)> {
    let file = |text: String| vec![("model.isac".to_owned(), text)];
    let chain = (0..101).map(|n| (format!("{n}.isac"), format!("INCLUDE \"{}.isac\";\n", n + 1)));
    let last = ("last.isac".to_owned(), "GROUP c = x;\n".to_owned());
    let groups = |number: usize| (0..number).map(|n| format!("GROUP g{n} = x;\n")).collect::<String>();
    vec![
        ("file", file(" ".repeat(MAX_FILE_BYTES + 1))),
        ("definition", file(format!("GROUP a = b;\nCONSTANT c =\n    1{};\n", " + 1".repeat(1 << 18)))),
        ("definitions", file(groups(100_001))),
        ("errors", file("GROUP a;\n".repeat(1000))),
        ("chain", chain.collect()),
        ("included", vec![file(groups(100_000) + "INCLUDE \"last.isac\";\n").remove(0), last]),
    ]
}

#[test]
fn what_is_too_large_is_reported_as_expected() {
    for (name, files) in too_large() {
        let root = files[0].0.clone();
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        isac_parser::parse_model(Path::new(&root), &InMemory::new(files), &mut sources, &mut diagnostics);
        diagnostics.sort();
        let said = diagnostics.render(&sources, Style::Plain);
        let first = said.find("error[E0106]").unwrap_or_else(|| panic!("{name}: {said}"));
        check_expect(&Path::new("tests/errors/too_large").join(format!("{name}.expect")), &said[first..]);
    }
}

#[test]
fn the_syntax_examples_are_printed_as_expected() {
    for path in models_in("tests/syntax") {
        check_expect(&path.with_extension("printed"), &check_round_trip(&read(&path)));
    }
}
