//! Which files make up a description.

use std::path::Path;

use isac_parser::diagnostic::{Code, Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};

use crate::loader;

fn parse(loader: &InMemory, root: &str) -> (Vec<String>, Vec<Code>, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let files = isac_parser::parse_model(Path::new(root), loader, &mut sources, &mut diagnostics);
    let paths = files.iter().map(|(id, _)| sources.path(*id).display().to_string()).collect();
    let codes = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    (paths, codes, diagnostics.render(&sources, Style::Plain))
}

#[test]
fn included_files_come_first_and_once() {
    let files = loader(&[
        ("m/root.isac", "INCLUDE \"a.isac\"; INCLUDE \"sub/b.isac\"; INCLUDE \"./a.isac\";"),
        ("m/a.isac", "INCLUDE \"sub/b.isac\";"),
        ("m/sub/b.isac", ""),
        ("m/sub/../a.isac", ""),
    ]);
    let (paths, codes, _) = parse(&files, "m/root.isac");
    assert_eq!(paths, ["m/sub/b.isac", "m/a.isac", "m/root.isac"]);
    assert_eq!(codes, []);
}

#[test]
fn a_path_is_relative_to_the_including_file() {
    let files = loader(&[("m/root.isac", "INCLUDE \"../n/a.isac\";"), ("m/../n/a.isac", "")]);
    assert_eq!(parse(&files, "m/root.isac").0, ["m/../n/a.isac", "m/root.isac"]);
}

#[test]
fn a_missing_root_is_an_error_without_source() {
    let (paths, codes, text) = parse(&loader(&[]), "none.isac");
    assert_eq!((paths.len(), codes), (0, vec![Code("E0111")]));
    let remedy = "name a file that exists and that you may read, relative to the file that names it";
    let expected =
        format!("error[E0111]: cannot read `none.isac`: no such file\n--> none.isac\n = help: {remedy}\n\n");
    assert_eq!(text, expected);
}

#[test]
fn a_chain_of_files_has_an_end() {
    let files = (0..200).map(|i| (format!("{i}"), format!("INCLUDE \"{}\";", i + 1)));
    let (paths, codes, _) = parse(&InMemory::new(files), "0");
    assert_eq!((paths.len(), codes), (100, vec![Code("E0106")]));
}

#[test]
fn a_file_has_a_largest_size() {
    let files = InMemory::new([("big.isac", vec![b'a'; isac_parser::source::MAX_FILE_BYTES + 1])]);
    assert_eq!(parse(&files, "big.isac").1, [Code("E0106")]);
}
