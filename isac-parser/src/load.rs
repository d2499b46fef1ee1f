//! The whole front end in one call.

use std::collections::BTreeMap;
use std::path::Path;

use crate::check::check_model;
use crate::diagnostic::Diagnostics;
use crate::model::CheckedModel;
use crate::parse::parse_model;
use crate::resolve::resolve_model;
use crate::source::{SourceLoader, SourceMap};

/// Parses, resolves and checks the description whose root file is `root`.
///
/// `overrides` replaces the values of CONSTANTs by name. The findings are sorted; `None` if one
/// of them is an error.
pub fn load_model(
    root: &Path,
    loader: &dyn SourceLoader,
    overrides: &BTreeMap<String, u128>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedModel> {
    let files = parse_model(root, loader, sources, diagnostics);
    // Only a file is a place: without one there is nothing to resolve, and that was reported.
    let model = if files.is_empty() { None } else { resolve_model(&files, overrides, diagnostics) };
    let checked = model.and_then(|model| check_model(model, diagnostics));
    diagnostics.sort();
    checked
}
