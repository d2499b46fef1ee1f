//! Coverage of the last run beside the operations.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::source::FileId;
use lsp_types::{CodeLens, Command, InlayHint, InlayHintLabel, InlayHintTooltip, Range};

use crate::analysis::Analysis;
use crate::index::Kind;

/// How often each operation was executed, by name.
pub(crate) type Counts = BTreeMap<String, u64>;

/// What is said of an operation, and where its name stands.
fn said(analysis: &Analysis, file: FileId, counts: &Counts) -> Vec<(Range, String)> {
    let symbols = analysis.index.symbols.iter();
    let operations = symbols.filter(|symbol| symbol.kind == Kind::Operation && symbol.span.file == file);
    let counted = operations.filter_map(|symbol| Some((symbol, *counts.get(&symbol.name)?)));
    counted.map(|(symbol, count)| (analysis.range(symbol.span), words(count))).collect()
}

/// Coverage above the operations of a file.
pub(crate) fn lenses_of(analysis: &Analysis, file: FileId, counts: &Counts) -> Vec<CodeLens> {
    let lens = |(range, title)| CodeLens {
        range,
        command: Some(Command { title, command: String::new(), arguments: None }),
        data: None,
    };
    said(analysis, file, counts).into_iter().map(lens).collect()
}

/// Coverage behind the names of operations.
pub(crate) fn hints_of(analysis: &Analysis, file: FileId, counts: &Counts, profile: &Path) -> Vec<InlayHint> {
    let tooltip = format!("by {}", profile.display());
    let hint = |(range, title): (Range, String)| InlayHint {
        position: range.end,
        label: InlayHintLabel::String(title),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(tooltip.clone())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    said(analysis, file, counts).into_iter().map(hint).collect()
}

fn words(count: u64) -> String {
    match count {
        0 => "never executed".to_owned(),
        1 => "executed once".to_owned(),
        count => format!("executed {count} times"),
    }
}
