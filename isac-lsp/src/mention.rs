//! All that mentions a name, in all descriptions that share it.
//!
//! A file may be part of several descriptions, and a name of it be mentioned in files of each: these may
//! be part of others again. So places and descriptions are gathered until neither grows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{Location, Position};

use crate::analysis::Analysis;
use crate::server::Server;

/// By file: the bytes that have a name.
pub(crate) type Places = BTreeMap<PathBuf, BTreeSet<(u32, u32)>>;

/// Where the name at a position is mentioned, its definitions included if they are wanted, by file.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn references(
    server: &mut Server,
    path: &Path,
    position: Position,
    with_definitions: bool,
) -> Result<Vec<Location>, String> {
    let analysis = server.analysis_of(path)?;
    let Some(found) = analysis.file(path).and_then(|file| analysis.name_at(file, position)) else {
        return Ok(Vec::new());
    };
    let (start, name) = (analysis.range(found.span).start, analysis.index.symbols[found.symbol].name.clone());
    let (places, analyses) = places_of(server, path, start, &name)?;
    let mut found: BTreeMap<(&PathBuf, u32, u32), (Location, bool)> = BTreeMap::new();
    for analysis in &analyses {
        for mention in &analysis.index.occurrences {
            let span = mention.span;
            let known = places.get_key_value(analysis.path(span.file));
            let Some((path, _)) = known.filter(|(_, known)| known.contains(&(span.start, span.end))) else {
                continue;
            };
            let Some(location) = analysis.location(span) else { continue };
            let (_, defines) =
                found.entry((path, span.start, span.end)).or_insert((location, mention.defines));
            *defines |= mention.defines;
        }
    }
    let wanted = found.into_values().filter(|(_, defines)| with_definitions || !defines);
    Ok(wanted.map(|(location, _)| location).collect())
}

/// Everything that has the name at a position, in all descriptions that have some of it, and these.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn places_of(
    server: &mut Server,
    path: &Path,
    position: Position,
    name: &str,
) -> Result<(Places, Vec<Arc<Analysis>>), String> {
    let mut analyses: BTreeMap<PathBuf, Arc<Analysis>> = BTreeMap::new();
    let first = server.analysis_of(path)?;
    let file = first.file(path).ok_or_else(|| format!("{} cannot be read", path.display()))?;
    let start = u32::try_from(first.offset(file, position)).unwrap_or(u32::MAX);
    let length = u32::try_from(name.len()).unwrap_or(0);
    let mut places: Places = BTreeMap::from([(path.to_owned(), BTreeSet::from([(start, start + length)]))]);
    loop {
        let before = places.values().map(BTreeSet::len).sum::<usize>() + analyses.len();
        for path in places.keys().cloned().collect::<Vec<_>>() {
            for root in server.roots_of(&path)? {
                analyses.entry(root).or_insert_with_key(|root| server.analysis_of_root(root));
            }
        }
        for analysis in analyses.values() {
            grow(analysis, &mut places);
        }
        if before == places.values().map(BTreeSet::len).sum::<usize>() + analyses.len() {
            return Ok((places, analyses.into_values().collect()));
        }
    }
}

/// Adds what means the same in a description as some places that are known.
fn grow(analysis: &Analysis, places: &mut Places) {
    let occurrences = &analysis.index.occurrences;
    let is_known = |places: &Places, span: isac_parser::source::Span| {
        places.get(analysis.path(span.file)).is_some_and(|known| known.contains(&(span.start, span.end)))
    };
    let known = occurrences.iter().filter(|occurrence| is_known(places, occurrence.span));
    let classes: BTreeSet<_> = known.map(|occurrence| analysis.index.class_of(occurrence.symbol)).collect();
    for occurrence in occurrences {
        if classes.contains(&analysis.index.class_of(occurrence.symbol)) {
            let path = analysis.path(occurrence.span.file).to_owned();
            places.entry(path).or_default().insert((occurrence.span.start, occurrence.span.end));
        }
    }
}
