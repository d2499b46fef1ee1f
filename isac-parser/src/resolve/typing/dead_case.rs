//! Labels that the value of their switch can never be equal to.

use super::conversion::promote;
use super::fold::{extend, reduce};
use super::{code, describe, warning};
use crate::diagnostic::Diagnostics;
use crate::model::Type;
use crate::source::Span;

/// What a switch decides on, before it is promoted.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) ty: Type,
    pub(crate) span: Span,
    /// What begins its labels.
    pub(crate) word: &'static str,
}

/// Warns of a label that no value of the switch's own type is equal to; `pattern` is in the type to
/// which that is promoted.
pub(crate) fn warn_of_dead_case(pattern: u128, subject: Subject, label: Span, diagnostics: &mut Diagnostics) {
    let Subject { ty, word, .. } = subject;
    if extend(reduce(pattern, ty.width_bits), ty) == extend(pattern, promote(ty)) {
        return;
    }
    let (lowest, highest) = limits(ty);
    let message = format!("this `{word}` is never taken");
    let label_text = format!("the value is from {lowest} to {highest}");
    let diagnostic = warning(code::DEAD_CASE, label, message, label_text)
        .secondary(subject.span, format!("a `{}`", describe(ty)))
        .help("ask for a value that it can have, or leave this case out");
    diagnostics.push(diagnostic);
}

/// The lowest and the highest value of a type.
fn limits(ty: Type) -> (String, String) {
    let beyond = u128::BITS - ty.width_bits + u32::from(ty.signed);
    let highest = u128::MAX.checked_shr(beyond).unwrap_or(0);
    let lowest = if ty.signed { -(highest as i128) - 1 } else { 0 };
    match ty.width_bits {
        ..=16 => (lowest.to_string(), highest.to_string()),
        _ => (lowest.to_string(), format!("{highest:#x}")),
    }
}
