//! Findings as text, and as a collection.

use isac_parser::diagnostic::{Code, Diagnostic, Diagnostics, Style};
use isac_parser::source::{FileId, SourceMap, Span};

fn sources(texts: &[(&str, &str)]) -> SourceMap {
    let mut sources = SourceMap::new();
    for (path, text) in texts {
        sources.add(*path, *text);
    }
    sources
}

fn span(file: u32, start: usize, end: usize) -> Span {
    Span::new(FileId(file), start, end)
}

#[test]
fn labels_of_several_files_are_shown_file_by_file() {
    let sources = sources(&[("a.isac", "one\ntwo\n"), ("sub/b.isac", "three\n")]);
    let diagnostic = Diagnostic::error(Code("E0201"), span(0, 4, 7), "`two` is defined twice")
        .label("here again")
        .secondary(span(1, 0, 5), "first here")
        .secondary(span(0, 0, 3), "used here")
        .help("rename one");
    let expected = "\
error[E0201]: `two` is defined twice
 --> a.isac:2:1
  |
1 | one
  | --- used here
2 | two
  | ^^^ here again
  |
 ::: sub/b.isac:1:1
  |
1 | three
  | ----- first here
  |
  = help: rename one";
    assert_eq!(diagnostic.render(&sources, Style::Plain), expected);
}

#[test]
fn the_end_of_a_file_can_be_pointed_at() {
    for text in ["a", "a\n", "a\r\n", "é"] {
        let sources = sources(&[("a.isac", text)]);
        let at_end = Diagnostic::warning(Code("W0101"), span(0, text.len(), text.len()), "end").label("x");
        assert!(at_end.render(&sources, Style::Plain).contains("a.isac:"), "{text:?}");
        let beyond = Diagnostic::warning(Code("W0101"), span(0, 90, 99), "end");
        assert!(beyond.render(&sources, Style::Plain).contains("warning[W0101]: end"), "{text:?}");
    }
}

#[test]
fn a_span_within_a_character_is_widened() {
    let sources = sources(&[("a.isac", "éé")]);
    let inside = Diagnostic::error(Code("E0101"), span(0, 1, 3), "odd");
    assert!(inside.render(&sources, Style::Plain).contains("^^"));
}

#[test]
fn a_long_line_is_cut_around_its_label() {
    let text = format!("first\n{}x{}", "é".repeat(200_000), "b".repeat(200_000));
    let sources = sources(&[("a.isac", &text)]);
    let at = text.find('x').unwrap();
    let rendered = Diagnostic::error(Code("E0101"), span(0, at, at + 1), "long")
        .label("this")
        .render(&sources, Style::Plain);
    assert!(rendered.contains("--> a.isac:2:200001"), "{rendered}");
    assert!(rendered.contains("éxb") && rendered.contains("^ this"), "{rendered}");
    assert!(rendered.len() < 1000);
}

#[test]
fn findings_are_ordered_by_place_and_counted_once() {
    let at = |file, start| Diagnostic::error(Code("E0101"), span(file, start, start + 1), "m");
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend([at(1, 0), at(0, 5), at(0, 2), at(0, 5)]);
    diagnostics.push(Diagnostic::warning(Code("W0101"), span(0, 5, 6), "w"));
    diagnostics.sort();
    let starts: Vec<_> = diagnostics.iter().map(|d| (d.primary.0.file.0, d.primary.0.start)).collect();
    assert_eq!(starts, [(0, 2), (0, 5), (0, 5), (1, 0)]);
    assert_eq!((diagnostics.error_count(), diagnostics.warning_count(), diagnostics.len()), (3, 1, 4));
    assert!(diagnostics.has_errors());
}

#[test]
fn columns_count_characters() {
    let sources = sources(&[("a.isac", "ab\ncéd\n")]);
    assert_eq!(sources.line_column(span(0, 6, 7)), (2, 3));
    assert_eq!(sources.line_column(span(0, 0, 1)), (1, 1));
    assert_eq!(sources.line_column(span(0, 8, 8)), (3, 1));
    assert_eq!(sources.slice(span(0, 4, 6)), "é");
}
