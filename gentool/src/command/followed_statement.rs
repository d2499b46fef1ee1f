//! The statements of a description, as debuggers follow them.

use gentool::lower::{FollowedLocal, FollowedStatement};
use isac_parser::source::{SourceMap, Span};
use sim_debug::{DescriptionFile, LocalPlace, Statement, Statements, TextPlace};

use super::description_point::path_of;

/// Most characters of a statement's text.
const MOST_SHOWN: usize = 100;

/// Places and texts in place of spans.
pub(super) fn list_statements(sources: &SourceMap, statements: Vec<FollowedStatement>) -> Statements {
    let files = sources.files().map(|file| DescriptionFile {
        path: path_of(sources, file),
        lines: sources.text(file).lines().map(str::to_owned).collect(),
    });
    let convert = |statement: FollowedStatement| Statement {
        place: place_of(sources, statement.span),
        text: text_of(sources, statement.span),
        section: statement.section,
        calls: (statement.calls.into_iter())
            .map(|call| (call.function, place_of(sources, call.span)))
            .collect(),
        locals: statement.locals.into_iter().map(local_of).collect(),
    };
    Statements { files: files.collect(), statements: statements.into_iter().map(convert).collect() }
}

fn local_of(FollowedLocal { name, local, width_bits, signed }: FollowedLocal) -> LocalPlace {
    LocalPlace { name, local, width_bits, signed }
}

fn place_of(sources: &SourceMap, span: Span) -> TextPlace {
    TextPlace { file: span.file.0, line: u32::try_from(sources.line_column(span).0).unwrap_or(u32::MAX) }
}

/// The first line of what stands there, cut where it is long; of what begins its line all of that.
fn text_of(sources: &SourceMap, span: Span) -> String {
    let text = sources.text(span.file);
    let start = span.start as usize;
    let begin = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let is_first = text.get(begin..start).is_some_and(|before| !before.contains(['{', '}', ';']));
    let line = match is_first {
        true => text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim(),
        false => sources.slice(span).lines().next().unwrap_or_default().trim_end(),
    };
    match line.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
