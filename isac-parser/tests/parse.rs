//! The parser and the printer: every construct, every model, and whatever else comes along.

use std::path::{Path, PathBuf};

use isac_parser::ast::File;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{FileSystem, InMemory, SourceMap};
use isac_parser::{parse_file, parse_model, print_file};

mod parse {
    mod diagnostic;
    mod golden;
    mod include;
    mod random;
    mod robust;
}

/// A file's tree, or what is wrong with it.
fn parse_text(text: &str) -> Result<File, String> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let id = sources.add("test.isac", text);
    let file = parse_file(id, &sources, &mut diagnostics);
    if diagnostics.is_empty() { Ok(file) } else { Err(diagnostics.render(&sources, Style::Plain)) }
}

/// A tree as text without its spans, which are all that printing may change.
fn shape(file: &File) -> String {
    let debug = format!("{file:?}");
    let mut pieces = debug.split("Span {");
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shape.push_str(piece.split_once('}').map_or("", |(_, rest)| rest));
    }
    shape
}

#[track_caller]
fn check_round_trip(text: &str) -> String {
    let tree = parse_text(text).unwrap_or_else(|errors| panic!("{errors}"));
    let printed = print_file(&tree);
    let again = parse_text(&printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
    assert_eq!(shape(&tree), shape(&again), "{printed}");
    assert_eq!(printed, print_file(&again));
    printed
}

/// The `.isac` files of a directory, in order of their names.
fn models_in(directory: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "isac"))
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_construct_of_the_language_comes_back_from_print() {
    let paths = models_in("tests/syntax");
    assert!(!paths.is_empty());
    for path in paths {
        check_round_trip(&read(&path));
    }
}

#[test]
fn every_model_comes_back_from_print() {
    let mut directories: Vec<PathBuf> = std::fs::read_dir("../models")
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    directories.push("../tests/models".into());
    for directory in directories {
        for path in models_in(&directory.to_string_lossy()) {
            let mut sources = SourceMap::new();
            let mut diagnostics = Diagnostics::new();
            let files = parse_model(&path, &FileSystem, &mut sources, &mut diagnostics);
            assert!(diagnostics.is_empty(), "{}", diagnostics.render(&sources, Style::Plain));
            for (id, _) in files {
                check_round_trip(sources.text(id));
            }
        }
    }
}

#[test]
fn names_of_c_are_reserved_in_behavior_alone() {
    assert!(parse_text("OPERATION break { EXPRESSION { for + 1 }; };").is_ok());
    assert!(parse_text("OPERATION a { BEHAVIOR { x = for + 1; }; };").is_err());
}

#[test]
fn concatenation_binds_tighter_than_a_product() {
    let grouped = |text: &str| shape(&parse_text(&format!("CONSTANT x = {text};")).unwrap());
    assert!(grouped("a :: b * c").contains("Binary { operator: Multiply, left: Expr { kind: Concat"));
    assert!(grouped("a * b + c").contains("Binary { operator: Add, left: Expr { kind: Binary"));
    assert!(grouped("a - b - c").contains("left: Expr { kind: Binary { operator: Subtract"));
}

#[test]
fn spans_end_with_their_last_token() {
    let text = "OPERATION a /* b */ { CODING { x /* c */ } /* d */ } // e\n";
    let tree = parse_text(text).unwrap();
    let isac_parser::ast::Item::Operation(operation) = &tree.items[0] else { panic!("{tree:?}") };
    let mut sources = SourceMap::new();
    sources.add("test.isac", text);
    assert_eq!(sources.slice(operation.span), "OPERATION a /* b */ { CODING { x /* c */ } /* d */ }");
    let isac_parser::ast::Section::Coding(coding) = &operation.sections[0] else { panic!("{tree:?}") };
    assert_eq!(sources.slice(coding.span), "CODING { x /* c */ }");
}

#[test]
fn a_wrong_section_costs_only_itself() {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let text = "OPERATION a { CODING { 0b0 }; BEHAVIOR { x = ; }; EXPRESSION { y }; };\nGROUP g = a b;\nGROUP h = a;";
    let id = sources.add("test.isac", text);
    let file = parse_file(id, &sources, &mut diagnostics);
    assert_eq!(diagnostics.error_count(), 2);
    assert_eq!(
        print_file(&file),
        "OPERATION a {\n    CODING { 0b0 };\n    BEHAVIOR { };\n    EXPRESSION { y };\n};\n\nGROUP h = a;\n"
    );
}

/// A loader of one file per path and text.
fn loader(files: &[(&str, &str)]) -> InMemory {
    InMemory::new(files.iter().map(|(path, text)| (*path, *text)))
}
