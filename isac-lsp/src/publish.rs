//! Findings as the editor shows them.

use isac_parser::diagnostic::{Diagnostic as Finding, Severity};
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString};

use crate::analysis::Analysis;

/// A finding at its place.
pub(crate) fn diagnostic_of(finding: &Finding, analysis: &Analysis) -> Diagnostic {
    let (span, label) = &finding.primary;
    let mut message = finding.message.clone();
    if !label.is_empty() {
        message.push_str(&format!(": {label}"));
    }
    for help in &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let related = finding.secondary.iter().filter_map(|(span, label)| {
        Some(DiagnosticRelatedInformation { location: analysis.location(*span)?, message: label.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: analysis.range(*span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(finding.code.0.to_owned())),
        code_description: None,
        source: Some("isac".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: None,
        data: None,
    }
}
