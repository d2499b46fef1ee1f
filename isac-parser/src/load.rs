//! The whole front end in one call.

use std::collections::BTreeMap;
use std::path::Path;

use crate::check::check_model;
use crate::diagnostic::{Diagnostics, Severity};
use crate::model::CheckedModel;
use crate::parse::parse_model;
use crate::resolve::{code, resolve_model};
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
    let mut parsing = Diagnostics::new();
    let files = parse_model(root, loader, sources, &mut parsing);
    let mut later = Diagnostics::new();
    let model = resolve_model(&files, overrides, &mut later);
    let checked = model.and_then(|model| check_model(model, &mut later));
    let parsed = !parsing.has_errors();
    diagnostics.extend(parsing);
    diagnostics.extend(later.into_iter().filter(|finding| {
        let may_be_missing = code::OF_WHAT_IS_MISSING.contains(&finding.code);
        parsed || finding.severity == Severity::Error && !may_be_missing
    }));
    diagnostics.sort();
    checked.filter(|_| parsed)
}
