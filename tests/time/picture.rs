//! The picture in front of a case, against the diagram of its run.

use isac_ir::Model;
use sim_runtime::trace::{CycleWindow, Diagram, TraceSink, WIDEST_DIAGRAM};

use super::case::Case;
use super::run::Run;

/// The first row that is drawn otherwise than in the case. Without a pipeline there is no picture.
pub(crate) fn picture_differences(case: &Case, run: &Run<'_>, model: &Model) -> Option<String> {
    let mut diagram = Diagram::new(model, CycleWindow { first: 1, count: WIDEST_DIAGRAM });
    run.cycles.iter().for_each(|cycle| diagram.cycle(cycle));
    let text = diagram.text();
    let expected = rows(case.comments.iter().map(String::as_str));
    let found = match model.pipelines.is_empty() {
        true => Vec::new(),
        false => rows(text.lines()),
    };
    let numbers = 0..expected.len().max(found.len());
    let parting = numbers.into_iter().find(|row| expected.get(*row) != found.get(*row))?;
    let shown = |rows: &[String]| rows.get(parting).map_or("(the end)".to_owned(), Clone::clone);
    Some(format!("picture: expected {}, found {}", shown(&expected), shown(&found)))
}

/// ID and cells of each row below the line of cycles, whatever stands between them.
fn rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines = lines.skip_while(|line| !is_head(line));
    let Some(head) = lines.next() else { return Vec::new() };
    // A cell is three wide, and the number of the first cycle stands at its right.
    let cells = head.find('1').unwrap_or(0) - 2;
    let row = |line: &str| {
        let id = line.split_whitespace().next().unwrap_or_default();
        format!("{id} `{}`", line.get(cells..).unwrap_or_default().trim_end())
    };
    lines.map(row).collect()
}

fn is_head(line: &str) -> bool {
    let mut numbers = line.split_whitespace().zip(1..).peekable();
    numbers.peek().is_some() && numbers.all(|(word, number)| word == number.to_string())
}
