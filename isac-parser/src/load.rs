//! The whole front end in one call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::check::check_model;
use crate::code_table::add_remedies;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::model::CheckedModel;
use crate::parse::parse_model;
use crate::resolve::{code, resolve_model};
use crate::source::{SourceLoader, SourceMap, Span};

/// Parses, resolves and checks the description whose root file is `root`.
///
/// `overrides` replaces the values of CONSTANTs by name. The findings are sorted, those of one cause joined; `None` if one
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
    let sources = &*sources;
    let place = |finding: &Diagnostic| {
        let Span { file, start, end } = finding.primary.0;
        sources.text(file).get(start as usize..end as usize).unwrap_or_default()
    };
    let may_be_lost =
        |finding: &Diagnostic| files.iter().any(|(_, tree)| tree.lost.may_define(place(finding)));
    // Of two definitions of a name the first stands; whoever names it may mean the second, which is
    // something else.
    let doubles = later.iter().filter(|finding| finding.code == code::DOUBLE && finding.cause.is_some());
    let doubled: BTreeSet<&str> = doubles.map(place).collect();
    let is_doubled = |finding: &Diagnostic| {
        let text = place(finding);
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        finding.code != code::DOUBLE && doubled.contains(&text[..end.unwrap_or(text.len())])
    };
    let later = later.into_iter().filter(|finding| !is_doubled(finding));
    diagnostics.extend(later.filter(|finding| {
        let follows = match finding.code {
            code::UNDEFINED => may_be_lost(finding),
            code => code::OF_WHAT_IS_MISSING.contains(&code),
        };
        parsed || finding.severity == Severity::Error && !follows
    }));
    add_remedies(diagnostics);
    diagnostics.sort();
    diagnostics.join_causes();
    checked.filter(|_| parsed)
}
