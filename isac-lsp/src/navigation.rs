//! From a name to where it is defined, and to what mentions it in a file.

use isac_parser::ast::{Include, Item};
use isac_parser::source::{FileId, without_dots};
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position, Range};

use crate::analysis::Analysis;
use crate::uri::uri_of;

/// Where what stands at a position is defined: a name, or an INCLUDEd file.
pub(crate) fn definition(analysis: &Analysis, file: FileId, position: Position) -> Vec<Location> {
    let offset = analysis.offset(file, position);
    if let Some(include) = include_at(analysis, file, offset) {
        let folder = analysis.path(file).parent().unwrap_or(std::path::Path::new(""));
        let target = uri_of(&without_dots(&folder.join(&include.path.value)));
        return target.map(|uri| Location::new(uri, Range::default())).into_iter().collect();
    }
    let Some(found) = analysis.index.at(file, offset) else { return Vec::new() };
    let own = analysis.index.symbols[found.symbol].span;
    // Where the name is defined there stands what it refers to.
    let spans: Vec<_> = match found.defines || own == found.span {
        true => {
            let class = analysis.index.class(found.symbol).into_iter();
            let others = class.map(|symbol| analysis.index.symbols[symbol].span);
            let others: Vec<_> = others.filter(|span| *span != found.span).collect();
            if others.is_empty() { vec![own] } else { others }
        }
        false => vec![own],
    };
    spans.into_iter().filter_map(|span| analysis.location(span)).collect()
}

/// Where the name at a position is mentioned in this file.
pub(crate) fn highlights(analysis: &Analysis, file: FileId, position: Position) -> Vec<DocumentHighlight> {
    let Some(found) = analysis.name_at(file, position) else { return Vec::new() };
    let mentions = analysis.index.occurrences_of(found.symbol).filter(|mention| mention.span.file == file);
    let highlight = |range| DocumentHighlight { range, kind: Some(DocumentHighlightKind::TEXT) };
    mentions.map(|mention| highlight(analysis.range(mention.span))).collect()
}

fn include_at(analysis: &Analysis, file: FileId, offset: usize) -> Option<&Include> {
    let (_, tree) = analysis.reading.files.iter().find(|(known, _)| *known == file)?;
    let includes = tree.items.iter().filter_map(|item| match item {
        Item::Include(include) => Some(include),
        _ => None,
    });
    let touches = |include: &&Include| {
        let span = include.path.span;
        (span.start as usize..=span.end as usize).contains(&offset)
    };
    includes.into_iter().find(touches)
}
