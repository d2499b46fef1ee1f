//! Findings as text: the source underlined, labels, help.
//!
//! The renderer below walks all the source it is given, for each finding anew, so it gets only
//! the lines that carry a label; a line too long to be written by hand is cut to a window around
//! its label, under a header that still shows the true line and column.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::short_words::short_words;
use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{FileId, SourceMap, Span, clamp};

/// How findings are rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// Text with the escape sequences of a terminal's colours.
    Styled,
}

/// Longer lines are cut to a window around the label.
const MAX_LINE_BYTES: usize = 2000;
/// What remains on each side of a label of a line that is cut.
const WINDOW_BYTES: usize = 60;
/// Of errors and of warnings, so many are shown: nobody reads on, and a million take minutes.
const MAX_SHOWN: usize = 100;
/// Of further places of one finding, so many are shown: a circle may have thousands.
const MAX_PLACES: usize = 12;

impl Diagnostics {
    /// The findings in their present order, a blank line behind each; of many errors or warnings
    /// the first 100, and how many there are besides.
    pub fn render(&self, sources: &SourceMap, style: Style) -> String {
        let mut text = String::new();
        for (severity, kind) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
            let hidden = self.count(severity).saturating_sub(MAX_SHOWN);
            if hidden > 0 {
                let plural = if hidden == 1 { "" } else { "s" };
                text += &format!("note: {hidden} more {kind}{plural} not shown; mend these first\n\n");
            }
        }
        let mut shown = [0; 2];
        let is_shown = |diagnostic: &&Diagnostic| {
            let count = &mut shown[usize::from(diagnostic.severity == Severity::Warning)];
            *count += 1;
            *count <= MAX_SHOWN
        };
        let findings = self.iter().filter(is_shown);
        findings.map(|diagnostic| diagnostic.render(sources, style) + "\n\n").collect::<String>() + &text
    }
}

impl Diagnostic {
    /// The finding as text, without a line break at the end.
    pub fn render(&self, sources: &SourceMap, style: Style) -> String {
        if self.texts().any(|text| short_words(text).is_some()) {
            return self.with_short_words().render(sources, style);
        }
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut message = self.message.clone();
        if self.is_one_line {
            let (line, column) = sources.line_column(self.primary.0);
            message += &format!(" ({}:{line}:{column})", sources.path(self.primary.0.file).display());
        }
        let mut group = level.primary_title(message.as_str()).id(self.code.0).elements([] as [Origin<'_>; 0]);
        if !self.is_one_line {
            for (file, labels) in self.labels_by_file() {
                group = file_element(group, sources, file, &labels);
            }
        }
        let hidden = self.secondary.len().saturating_sub(MAX_PLACES);
        let note = match hidden {
            0 => None,
            1 => Some("one more place is not shown".to_owned()),
            _ => Some(format!("{hidden} more places are not shown")),
        };
        group = group.elements(note.iter().map(|note| Level::NOTE.message(note.as_str())));
        group = group.elements(self.help.iter().map(|help| Level::HELP.message(help.as_str())));
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Styled => Renderer::styled(),
        };
        renderer.render(&[group])
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let labels = std::iter::once(&self.primary).chain(&self.secondary).map(|(_, label)| label);
        std::iter::once(&self.message).chain(labels).chain(&self.help).map(String::as_str)
    }

    /// The same without words that fill a screen.
    fn with_short_words(&self) -> Diagnostic {
        let mut short = self.clone();
        let labels = std::iter::once(&mut short.primary).chain(&mut short.secondary);
        for text in labels.map(|(_, label)| label).chain([&mut short.message]).chain(&mut short.help) {
            if let Some(shorter) = short_words(text) {
                *text = shorter;
            }
        }
        short
    }

    /// The labels of each file, of further places those that are shown: first the file of the primary
    /// one, then in order of appearance.
    fn labels_by_file(&self) -> Vec<(FileId, Vec<Label<'_>>)> {
        let mut files: Vec<(FileId, Vec<Label<'_>>)> = Vec::new();
        let primary = Label { kind: AnnotationKind::Primary, span: self.primary.0, text: &self.primary.1 };
        let shown = self.secondary.iter().take(MAX_PLACES);
        let secondary = shown.map(|(span, text)| Label { kind: AnnotationKind::Context, span: *span, text });
        for label in std::iter::once(primary).chain(secondary) {
            match files.iter_mut().find(|(file, _)| *file == label.span.file) {
                Some((_, labels)) => labels.push(label),
                None => files.push((label.span.file, vec![label])),
            }
        }
        files
    }
}

#[derive(Clone, Copy)]
struct Label<'a> {
    kind: AnnotationKind,
    span: Span,
    text: &'a str,
}

/// Adds what one file has to show.
fn file_element<'a>(
    group: Group<'a>,
    sources: &'a SourceMap,
    file: FileId,
    labels: &[Label<'a>],
) -> Group<'a> {
    let path = sources.path(file).display().to_string();
    let text = sources.text(file);
    if text.is_empty() {
        return group.element(Origin::path(path));
    }
    let ranges: Vec<Range<usize>> = labels.iter().map(|label| clamp(text, label.span)).collect();
    let lines =
        |range: &Range<usize>| sources.line_of(file, range.start)..sources.line_of(file, range.end) + 1;
    let first = ranges.iter().map(|range| lines(range).start).min().unwrap_or(0);
    let last = ranges.iter().map(|range| lines(range).end).max().unwrap_or(first + 1);
    let too_long = ranges
        .iter()
        .flat_map(|range| [range.start, range.end])
        .any(|offset| sources.line_range(file, sources.line_of(file, offset)).len() > MAX_LINE_BYTES);
    if too_long {
        return labels
            .iter()
            .zip(&ranges)
            .fold(group, |group, (label, range)| window_element(group, sources, label, range));
    }
    let excerpt = sources.line_range(file, first).start..sources.line_range(file, last - 1).end;
    let annotations = labels.iter().zip(&ranges).map(|(label, range)| {
        let shifted = range.start - excerpt.start..range.end - excerpt.start;
        label.kind.span(shifted).label((!label.text.is_empty()).then_some(label.text))
    });
    group.element(
        Snippet::source(&text[excerpt.clone()])
            .line_start(first + 1)
            .path(path)
            .fold(true)
            .annotations(annotations),
    )
}

/// Adds one label of a line that is too long to be shown.
fn window_element<'a>(
    group: Group<'a>,
    sources: &'a SourceMap,
    label: &Label<'a>,
    range: &Range<usize>,
) -> Group<'a> {
    let file = label.span.file;
    let text = sources.text(file);
    let (line, column) = sources.line_column(label.span);
    let whole = sources.line_range(file, line - 1);
    let start = text.floor_char_boundary(range.start.saturating_sub(WINDOW_BYTES)).max(whole.start);
    let end = text.ceil_char_boundary((range.start + WINDOW_BYTES).min(whole.end)).max(range.start);
    let shown = range.start - start..range.end.min(end) - start;
    let origin = Origin::path(sources.path(file).display().to_string()).line(line).char_column(column);
    group.element(origin).element(
        Snippet::source(&text[start..end])
            .line_start(line)
            .annotation(label.kind.span(shown).label((!label.text.is_empty()).then_some(label.text))),
    )
}
