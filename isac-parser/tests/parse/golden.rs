//! One file an error, its whole message beside it. `UPDATE_EXPECT=1` writes the messages anew.

use std::path::Path;

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{FileSystem, SourceMap};

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

#[test]
fn the_syntax_examples_are_printed_as_expected() {
    for path in models_in("tests/syntax") {
        check_expect(&path.with_extension("printed"), &check_round_trip(&read(&path)));
    }
}
