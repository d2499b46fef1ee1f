//! Findings that only follow from others, and findings of one cause that were found apart.
//!
//! A check sees what it asks for and not why it is so. Here all findings are seen together: what only
//! follows goes, and of what has one cause each finding gets its name, by which they are joined.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{File, Item, Operation, Section};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::resolve::code;
use crate::source::{FileId, Span};

/// What is said of an operation's names where its CODING, which declares its fields, is missing.
const OF_FIELDS: [Code; 4] = [code::UNDEFINED, code::FIELD_NOT_CODED, code::NO_VALUE, code::OUT_OF_BOUNDS];

/// Drops the findings that follow from others, and names causes that several have.
pub(crate) fn settle_causes(findings: &mut Diagnostics, files: &[(FileId, File)]) {
    let operations = Operations::of(files);
    operations.name_causes(findings);
    operations.drop_what_lacks_in_codings(findings);
    drop_fields_of_uncoded(findings, files);
    drop_writes_of_misplaced(findings);
    drop_forms_of_what_is_too_deep(findings);
    find_wrong_codings(findings);
    find_wrong_widths(findings);
    find_wrong_stages(findings);
}

/// Drops what is said of the form of a WHEN of which a part nests too deep and was not read.
fn drop_forms_of_what_is_too_deep(findings: &mut Diagnostics) {
    let deep = findings.iter().filter(|finding| finding.code.0 == "E0104");
    let deep: Vec<Span> = deep.map(|finding| finding.primary.0).collect();
    let touches = |span: Span| {
        deep.iter().any(|deep| deep.file == span.file && deep.start < span.end && span.start < deep.end)
    };
    findings.retain(|finding| finding.code != code::WHEN_FORM || !touches(finding.primary.0));
}

/// The cause of findings that one operation has of a name, and others have apart from it.
pub(crate) fn in_operation(name: &str) -> String {
    format!("{IN_OPERATION}{name}")
}

const IN_OPERATION: &str = "in the operation: ";

/// Where the operations stand, by file, in the order of the text.
struct Operations(BTreeMap<FileId, Vec<Span>>);

impl Operations {
    fn of(files: &[(FileId, File)]) -> Operations {
        let spans = |file: &File| {
            let operations = file.items.iter().filter_map(|item| match item {
                Item::Operation(operation) => Some(operation.span),
                _ => None,
            });
            operations.collect()
        };
        Operations(files.iter().map(|(id, file)| (*id, spans(file))).collect())
    }

    /// The operation that a place is in.
    fn around(&self, place: Span) -> Option<Span> {
        let spans = self.0.get(&place.file)?;
        let behind = spans.partition_point(|span| span.start <= place.start);
        let found = *spans.get(behind.checked_sub(1)?)?;
        (place.start < found.end).then_some(found)
    }

    /// Names causes by the operation that has them.
    fn name_causes(&self, findings: &mut Diagnostics) {
        let mut named = BTreeSet::new();
        for finding in findings.iter_mut() {
            if let Some(cause) = finding.cause.as_mut().filter(|cause| cause.starts_with(IN_OPERATION)) {
                let place = self.around(finding.primary.0).unwrap_or(finding.primary.0);
                cause.push_str(&format!(" {place:?}"));
                named.insert((finding.code, cause.clone()));
            }
        }
        // An EXPRESSION is read before it is known that others have the name.
        for finding in findings.iter_mut().filter(|_| !named.is_empty()) {
            if let (Some(cause), Some(place)) = (&finding.cause, self.around(finding.primary.0)) {
                let own = format!("{} {place:?}", in_operation(cause));
                if named.contains(&(finding.code, own.clone())) {
                    finding.cause = Some(own);
                }
            }
        }
    }

    /// Where a name of an operation's text is told to be missing in its CODING, the CODING is not as wide
    /// as it was meant, and the name means nothing elsewhere in the operation.
    fn drop_what_lacks_in_codings(&self, findings: &mut Diagnostics) {
        let lacking = findings.iter().filter(|finding| finding.code == code::FIELD_NOT_CODED);
        let lacking =
            lacking.filter_map(|finding| Some((self.around(finding.primary.0)?, finding.cause.clone())));
        let mut of_operation: BTreeMap<Span, BTreeSet<Option<String>>> = BTreeMap::new();
        lacking.for_each(|(operation, cause)| {
            of_operation.entry(operation).or_default().insert(cause);
        });
        let lacking_at = |place: Span| {
            let operation = self.around(place)?;
            Some((operation, of_operation.get(&operation)?))
        };
        findings.retain(|finding| {
            if [code::WORD_WIDTH, code::MEMBER_WIDTHS].contains(&finding.code) {
                return !spans_of(finding).any(|place| lacking_at(place).is_some());
            }
            let Some((operation, lacking)) = lacking_at(finding.primary.0) else { return true };
            match finding.code {
                code::UNDEFINED => {
                    let name = finding.cause.as_deref().unwrap_or_default();
                    let own = format!("{} {operation:?}", in_operation(name));
                    !lacking.contains(&finding.cause) && !lacking.contains(&Some(own))
                }
                _ => true,
            }
        });
    }
}

/// True if a finding shows one of these places.
fn shows(finding: &Diagnostic, spans: &BTreeSet<Span>) -> bool {
    spans_of(finding).any(|span| spans.contains(&span))
}

fn spans_of(finding: &Diagnostic) -> impl Iterator<Item = Span> {
    std::iter::once(&finding.primary).chain(&finding.secondary).map(|(span, _)| *span)
}

/// Where an operation is told to have no CODING, its fields are not declared.
fn drop_fields_of_uncoded(findings: &mut Diagnostics, files: &[(FileId, File)]) {
    let is_told = |finding: &&Diagnostic| [code::NO_CODING, code::MEMBER_WIDTHS].contains(&finding.code);
    let told: BTreeSet<Span> = findings.iter().filter(is_told).flat_map(spans_of).collect();
    if told.is_empty() {
        return;
    }
    let operations = files.iter().flat_map(|(_, file)| &file.items).filter_map(|item| match item {
        Item::Operation(operation) => Some(operation),
        _ => None,
    });
    let is_uncoded = |operation: &&Operation| {
        !operation.sections.iter().any(|section| matches!(section, Section::Coding(_)))
    };
    let uncoded: Vec<Span> = operations
        .filter(is_uncoded)
        .filter(|operation| told.contains(&operation.name.span))
        .map(|operation| operation.span)
        .collect();
    let is_within = |span: Span| {
        uncoded.iter().any(|own| own.file == span.file && (own.start..own.end).contains(&span.start))
    };
    findings.retain(|finding| !(OF_FIELDS.contains(&finding.code) && is_within(finding.primary.0)));
}

/// An operation whose stage is told to be wrong writes the registers of its right stage.
fn drop_writes_of_misplaced(findings: &mut Diagnostics) {
    let misplaced = findings.iter().filter(|finding| finding.code == code::NEGATIVE_DISTANCE);
    let misplaced: BTreeSet<Span> = misplaced.flat_map(spans_of).collect();
    findings.retain(|finding| finding.code != code::WRITTEN_ELSEWHERE || !shows(finding, &misplaced));
}

/// One wrong CODING clashes with many: of two that clash, that is to blame which clashes most.
///
/// Formats that clash by several of their opcodes have a cause already, the formats.
fn find_wrong_codings(findings: &mut Diagnostics) {
    let mut of_cause: BTreeMap<String, usize> = BTreeMap::new();
    for cause in
        findings.iter().filter(|finding| finding.code == code::AMBIGUOUS).filter_map(|one| one.cause.clone())
    {
        *of_cause.entry(cause).or_default() += 1;
    }
    for finding in findings.iter_mut().filter(|finding| finding.code == code::AMBIGUOUS) {
        if finding.cause.as_ref().is_some_and(|cause| of_cause[cause] == 1) {
            finding.cause = None;
        }
    }
    blame_most(findings, |finding| {
        let (other, _) = finding.secondary.first().filter(|_| finding.code == code::AMBIGUOUS)?;
        Some([finding.primary.0, *other])
    });
}

/// One operation of a wrong width is a member of many groups.
fn find_wrong_widths(findings: &mut Diagnostics) {
    blame_most(findings, |finding| {
        let (other, _) = finding.secondary.first().filter(|_| finding.code == code::MEMBER_WIDTHS)?;
        Some([finding.primary.0, *other])
    });
}

/// One operation in a wrong stage writes many registers, one register in a wrong stage is written by many.
fn find_wrong_stages(findings: &mut Diagnostics) {
    blame_most(findings, |finding| match &finding.secondary[..] {
        [.., (register, _), (operation, _)] if finding.code == code::WRITTEN_ELSEWHERE => {
            Some([*operation, *register])
        }
        _ => None,
    });
}

/// Of the two places that are to blame for a finding, that which more findings have is its cause.
fn blame_most(findings: &mut Diagnostics, to_blame: impl Fn(&Diagnostic) -> Option<[Span; 2]>) {
    let pair = |finding: &Diagnostic| to_blame(finding).filter(|_| finding.cause.is_none());
    let mut blamed: BTreeMap<Span, usize> = BTreeMap::new();
    for place in findings.iter().filter_map(pair).flatten() {
        *blamed.entry(place).or_default() += 1;
    }
    for finding in findings.iter_mut() {
        let Some([one, other]) = pair(finding) else { continue };
        let most = if blamed[&other] > blamed[&one] { other } else { one };
        if blamed[&most] > 1 {
            finding.cause = Some(format!("{most:?}"));
        }
    }
}
