//! Short ways to say what is wrong: one function per shape of message.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// An error with a label at its place.
pub(crate) fn error(
    code: Code,
    span: Span,
    message: impl Into<String>,
    label: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(code, span, message).label(label)
}

/// A warning with a label at its place.
pub(crate) fn warning(
    code: Code,
    span: Span,
    message: impl Into<String>,
    label: impl Into<String>,
) -> Diagnostic {
    Diagnostic::warning(code, span, message).label(label)
}

/// An error about a construct that the language has and this version has not.
///
/// `what` ends in its verb: "a CACHE is".
pub(crate) fn not_yet(code: Code, span: Span, what: &str) -> Diagnostic {
    error(code, span, format!("{what} not supported yet"), "this version cannot simulate this")
}

/// Adds a remedy to a message, if there is one.
pub(crate) fn help_if(diagnostic: Diagnostic, help: Option<String>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// `1 bit`, `2 bits`.
pub(crate) fn count(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
