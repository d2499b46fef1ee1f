//! New names, in all descriptions that share the old one.
//!
//! Nobody can say beforehand all that a new name may hide or be hidden by. So the renaming is tried: the
//! texts that would come about are read, and have to have the same names in the same places mean the
//! same things, without a new error.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::diagnostic::Severity;
use isac_parser::model::Model;
use isac_parser::{ParsedFiles, words};
use lsp_types::{Position, Range, TextEdit, Uri, WorkspaceEdit};

use crate::analysis::Analysis;
use crate::index::{Kind, Symbol};
use crate::mention::places_of;
use crate::server::Server;
use crate::uri::uri_of;

/// What can be renamed at a position, and its present name.
///
/// # Errors
/// Why nothing can.
pub(crate) fn prepare(
    server: &mut Server,
    path: &Path,
    position: Position,
) -> Result<(Range, String), String> {
    let analysis = server.analysis_of(path)?;
    let file = analysis.file(path).ok_or("this file is not part of a description")?;
    let found =
        analysis.name_at(file, position).ok_or("there is no name here that the description defines")?;
    let symbol = &analysis.index.symbols[found.symbol];
    check_old_name(symbol)?;
    Ok((analysis.range(found.span), symbol.name.clone()))
}

/// The edits that give what stands at a position another name.
///
/// # Errors
/// Why it cannot have that name.
#[allow(clippy::mutable_key_type, reason = "the protocol's type has such keys, and nothing changes them")]
pub(crate) fn rename(
    server: &mut Server,
    path: &Path,
    position: Position,
    new_name: &str,
) -> Result<WorkspaceEdit, String> {
    let (range, old_name) = prepare(server, path, position)?;
    check_new_name(new_name)?;
    let (places, analyses) = places_of(server, path, range.start, &old_name)?;
    if let Some(broken) = analyses.iter().find(|analysis| !analysis.reading.is_whole()) {
        let root = broken.root.display();
        return Err(format!("{root} has errors of syntax: mend them first, something may be missed"));
    }
    if new_name == old_name {
        return Ok(WorkspaceEdit::default());
    }
    let mut renamed = server.documents().clone();
    for (path, places) in &places {
        let mut text = server.documents().text(path).ok_or_else(|| unreadable(path))?;
        for (start, end) in places.iter().rev() {
            text.replace_range(*start as usize..*end as usize, new_name);
        }
        renamed.set(path.clone(), 0, text);
    }
    for analysis in &analyses {
        let overrides = &server.settings().define;
        let after = Analysis::of(&analysis.root, 0, &renamed, overrides, &mut ParsedFiles::default());
        compare(analysis, &after, &old_name, new_name)?;
    }
    let mut changes: BTreeMap<Uri, Vec<TextEdit>> = BTreeMap::new();
    for (path, places) in &places {
        let analysis = analyses.iter().find(|analysis| analysis.file(path).is_some());
        let (Some(analysis), Some(uri)) = (analysis, uri_of(path)) else { return Err(unreadable(path)) };
        let Some(file) = analysis.file(path) else { return Err(unreadable(path)) };
        let edits = places.iter().map(|(start, end)| {
            TextEdit::new(analysis.range_of(file, *start as usize..*end as usize), new_name.to_owned())
        });
        changes.insert(uri, edits.collect());
    }
    let changes = changes.into_iter().collect();
    Ok(WorkspaceEdit::new(changes))
}

fn check_old_name(symbol: &Symbol) -> Result<(), String> {
    let is_reserved = match symbol.kind {
        Kind::Operation => matches!(symbol.name.as_str(), "main" | "reset"),
        Kind::Function => symbol.name == "memory_fault",
        _ => false,
    };
    match is_reserved {
        true => Err(format!("`{}` is called by its name, and cannot have another", symbol.name)),
        false => Ok(()),
    }
}

fn check_new_name(name: &str) -> Result<(), String> {
    if matches!(name, "main" | "reset" | "memory_fault") {
        return Err(format!("what is called `{name}` is called by the simulator"));
    }
    match words::is_name(name) {
        true => Ok(()),
        false => Err(format!("`{name}` is no name: letters, digits and _, no digit first, and no keyword")),
    }
}

/// Refuses a renaming after which something means something else.
fn compare(before: &Analysis, after: &Analysis, old: &str, new: &str) -> Result<(), String> {
    let errors = |analysis: &Analysis| {
        let findings = analysis.findings();
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let (known, found) = (errors(before), errors(after));
    if !after.reading.is_whole() || found.len() > known.len() {
        let reason = found.iter().find(|error| !known.contains(error)).cloned().unwrap_or_default();
        return Err(format!("`{old}` cannot be called `{new}`: {reason}"));
    }
    let meanings = |analysis: &Analysis| {
        let occurrences = analysis.index.occurrences.iter();
        occurrences.map(|one| (one.defines, analysis.index.class_of(one.symbol))).collect::<Vec<_>>()
    };
    if meanings(before) != meanings(after) {
        return Err(format!("`{old}` cannot be called `{new}`: another `{new}` would be hidden, or hide it"));
    }
    match (&before.reading.model, &after.reading.model) {
        (Some(before), Some(after)) => compare_models(before, after, old),
        _ => Ok(()),
    }
}

/// What follows from names by itself stays as it is.
fn compare_models(before: &Model, after: &Model, old: &str) -> Result<(), String> {
    if before.target.host != after.target.host {
        return Err(format!("`{old}` is the map of host and loader by its name: say HOST in TARGET first"));
    }
    let names = |model: &Model| -> Vec<_> {
        model.registers.iter().map(|register| register.element_names.clone()).collect()
    };
    if names(before) != names(after) {
        return Err(format!("the elements of `{old}` are called after it in texts: give it NAMES first"));
    }
    Ok(())
}

fn unreadable(path: &Path) -> String {
    format!("{} cannot be read", path.display())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::index::tests::models;
    use crate::service::NoServices;

    /// Renames what has the name at a place, and reads what comes about.
    fn renamed(server: &mut Server, path: &Path, position: Position, new: &str) -> Result<usize, String> {
        let edit = rename(server, path, position, new)?;
        Ok(edit.changes.expect("changes").values().map(Vec::len).sum())
    }

    #[test]
    fn whatever_has_a_name_can_have_another() {
        for path in models() {
            let mut server = Server::new(Arc::new(NoServices));
            let text = std::fs::read_to_string(&path).expect("it can be read");
            server.open_for_test(&path, text);
            let analysis = server.analysis_of(&path).expect("it is read");
            let mut seen = BTreeSet::new();
            // The first symbol of each kind, and some more: trying is reading all of it again.
            for (number, symbol) in analysis.index.symbols.iter().enumerate() {
                let is_first = seen.insert(symbol.kind);
                if !is_first && number % 97 != 0 {
                    continue;
                }
                let place = analysis.path(symbol.span.file).to_owned();
                let position = analysis.range(symbol.span).start;
                let places = analysis.index.occurrences_of(number).count();
                match renamed(&mut server, &place, position, "zz_other") {
                    Ok(edits) => assert_eq!(edits, places, "{} of {}", symbol.name, path.display()),
                    Err(reason) => {
                        let has_reason = reason.contains("called by its name")
                            || reason.contains("give it NAMES first")
                            || reason.contains("say HOST")
                            || reason.contains("maps programs are loaded into");
                        assert!(has_reason, "{} of {}: {reason}", symbol.name, path.display());
                    }
                }
            }
        }
    }
}
