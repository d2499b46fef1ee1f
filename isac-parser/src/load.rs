//! The whole front end in one call, or in two for whoever is in a hurry.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::ast;
use crate::check::{check_coverage, check_model};
use crate::code_table::add_remedies;
use crate::consequence::settle_causes;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::model::{CheckedModel, Model};
use crate::parse::{ParsedFiles, parse_model_again};
use crate::resolve::{code, resolve_model};
use crate::source::{FileId, SourceLoader, SourceMap, Span};

/// Parses, resolves and checks the description whose root file is `root`.
///
/// `overrides` replaces the values of CONSTANTs by name. The findings are sorted, those of one cause
/// joined; `None` if one of them is an error.
pub fn load_model(
    root: &Path,
    loader: &dyn SourceLoader,
    overrides: &BTreeMap<String, u128>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedModel> {
    let mut reading = read(root, loader, overrides, None, sources);
    let mut later = std::mem::take(&mut reading.resolving);
    let checked = reading.model.take().and_then(|model| check_model(model, &mut later));
    diagnostics.extend(reading.findings_with(later, sources));
    diagnostics.sort();
    settle_causes(diagnostics, &reading.files);
    diagnostics.join_causes();
    checked.filter(|_| reading.is_whole())
}

/// A description that was parsed and resolved, and not checked yet.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The syntax trees, an included file before the one that includes it.
    pub files: Vec<(FileId, ast::File)>,
    /// What the names mean; whole only if there were no errors. `None` if that is not known at all.
    pub model: Option<Model>,
    parsing: Diagnostics,
    resolving: Diagnostics,
}

/// Parses and resolves a description: what takes little time, whatever is described.
///
/// Files that have not changed since `parsed` was last used are not parsed again.
pub fn read_model(
    root: &Path,
    loader: &dyn SourceLoader,
    overrides: &BTreeMap<String, u128>,
    parsed: &mut ParsedFiles,
    sources: &mut SourceMap,
) -> Reading {
    read(root, loader, overrides, Some(parsed), sources)
}

fn read(
    root: &Path,
    loader: &dyn SourceLoader,
    overrides: &BTreeMap<String, u128>,
    parsed: Option<&mut ParsedFiles>,
    sources: &mut SourceMap,
) -> Reading {
    let mut parsing = Diagnostics::new();
    let files = parse_model_again(root, loader, parsed, sources, &mut parsing);
    let mut resolving = Diagnostics::new();
    let model = resolve_model(&files, overrides, &mut resolving);
    Reading { files, model, parsing, resolving }
}

impl Reading {
    /// True if every definition of the text stands in the syntax trees.
    pub fn is_whole(&self) -> bool {
        !self.parsing.has_errors()
    }

    /// What was found up to here, as [`load_model`] finds it.
    pub fn findings(&self, sources: &SourceMap) -> Diagnostics {
        let mut findings = self.findings_with(self.resolving.clone(), sources);
        findings.sort();
        settle_causes(&mut findings, &self.files);
        findings.join_causes();
        findings
    }

    /// Checks the description, its coverage of words included; all findings, as [`load_model`] finds
    /// them, and the model if none is an error.
    pub fn check(&self, sources: &SourceMap) -> (Option<CheckedModel>, Diagnostics) {
        let mut later = self.resolving.clone();
        let checked = self.model.clone().and_then(|model| check_model(model, &mut later));
        let mut findings = self.findings_with(later, sources);
        let checked = checked.filter(|_| self.is_whole());
        if let Some(checked) = &checked {
            check_coverage(checked, &mut findings);
        }
        findings.sort();
        settle_causes(&mut findings, &self.files);
        findings.join_causes();
        (checked, findings)
    }

    /// Those of parsing with those that came later, as far as they are no consequences.
    fn findings_with(&self, later: Diagnostics, sources: &SourceMap) -> Diagnostics {
        let parsed = self.is_whole();
        let mut findings = self.parsing.clone();
        let place = |finding: &Diagnostic| {
            let Span { file, start, end } = finding.primary.0;
            sources.text(file).get(start as usize..end as usize).unwrap_or_default()
        };
        let may_be_lost =
            |finding: &Diagnostic| self.files.iter().any(|(_, tree)| tree.lost.may_define(place(finding)));
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
        findings.extend(later.filter(|finding| {
            let follows = match finding.code {
                code::UNDEFINED => may_be_lost(finding),
                code => code::OF_WHAT_IS_MISSING.contains(&code),
            };
            parsed || finding.severity == Severity::Error && !follows
        }));
        add_remedies(&mut findings);
        findings
    }
}
