//! What the tool says about a bad description: many findings from one run, each with its place.
//!
//! A diagnostic has a stable code, so that it can be looked up and tested for; the first two
//! digits tell the kind:
//!
//! | codes | warnings | about |
//! |---|---|---|
//! | E01xx | W01xx | syntax and files |
//! | E02xx | W02xx | names |
//! | E03xx | W03xx | types and widths |
//! | E04xx | W04xx | codings and assembler texts |
//! | E05xx | W05xx | resources |
//! | E06xx | W06xx | time: stages, delays, activations |
//! | E09xx | W09xx | parts of the language that are not supported yet |

mod render;
mod short_words;

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Span;

pub use render::Style;
pub use short_words::short_words;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The description has no meaning.
    Error,
    /// The description has a meaning, which is hardly the one that was meant.
    Warning,
}

/// The stable name of a kind of finding, as `E0101`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, in one lower-case sentence without a full stop.
    pub message: String,
    /// The place to mend, with a label that may be empty.
    pub primary: (Span, String),
    /// Other places that belong to it: the first definition, the other half of an overlap.
    pub secondary: Vec<(Span, String)>,
    /// How to mend it.
    pub help: Vec<String>,
    /// True if it is shown in one line: its place is named, its source not shown.
    pub is_one_line: bool,
    /// What is to be mended, where several places may tell of it: findings of one cause are one.
    pub cause: Option<String>,
}

impl Diagnostic {
    /// An error at a place, without a label.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A warning at a place, without a label.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: Code, span: Span, message: String) -> Self {
        let primary = (span, String::new());
        let (secondary, help) = (Vec::new(), Vec::new());
        Self { code, severity, message, primary, secondary, help, is_one_line: false, cause: None }
    }

    /// The same with a label at its primary place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.primary.1 = label.into();
        self
    }

    /// The same with a further place.
    #[must_use]
    pub fn secondary(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// The same in one line.
    #[must_use]
    pub fn one_line(mut self) -> Self {
        self.is_one_line = true;
        self
    }

    /// The same, as one of several that one thing may be the cause of.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

/// The findings of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Orders by file and position, then by code and text, and drops what says the same of the same
    /// place.
    pub fn sort(&mut self) {
        self.list.sort_by(|a, b| {
            (a.primary.0, a.severity, a.code).cmp(&(b.primary.0, b.severity, b.code)).then(a.cmp(b))
        });
        self.list.dedup_by(|a, b| (a.code, a.primary.0, &a.message) == (b.code, b.primary.0, &b.message));
    }

    /// Makes one finding of those that have one cause: the first in the present order, with all
    /// places of the others.
    pub fn join_causes(&mut self) {
        let mut joined: Vec<Diagnostic> = Vec::with_capacity(self.list.len());
        // Each with the places that it shows: a name may lack in a million.
        let mut first_of: BTreeMap<(Code, String), (usize, BTreeSet<Span>)> = BTreeMap::new();
        for finding in std::mem::take(&mut self.list) {
            let cause = finding.cause.clone().map(|cause| (finding.code, cause));
            if let Some((first, shown)) = cause.as_ref().and_then(|cause| first_of.get_mut(cause)) {
                let places = std::iter::once(finding.primary).chain(finding.secondary);
                joined[*first].secondary.extend(places.filter(|(span, _)| shown.insert(*span)));
                continue;
            }
            if let Some(cause) = cause {
                let secondary = finding.secondary.iter().map(|(span, _)| *span);
                let shown = secondary.chain([finding.primary.0]).collect();
                first_of.insert(cause, (joined.len(), shown));
            }
            joined.push(finding);
        }
        self.list = joined;
    }

    /// True if at least one finding is an error.
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// How many findings are errors.
    pub fn error_count(&self) -> usize {
        self.count(Severity::Error)
    }

    /// How many findings are warnings.
    pub fn warning_count(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes out all findings with a code.
    pub(crate) fn remove(&mut self, code: Code) {
        self.list.retain(|diagnostic| diagnostic.code != code);
    }

    /// Keeps the findings of which something holds.
    pub(crate) fn retain(&mut self, holds: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(holds);
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.list.iter_mut()
    }

    /// The findings in their present order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: T) {
        self.list.extend(diagnostics);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
