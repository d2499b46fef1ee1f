//! Constants that lose bits in their place.

use super::constant::{fits, written};
use super::conversion::Value;
use super::fold::{extend, reduce};
use super::{Typer, code, count, warning};
use crate::diagnostic::Diagnostics;
use crate::model::Type;
use crate::resolve::names::Constant;
use crate::source::Span;

impl Typer<'_> {
    /// Converts a value to its place's type, with a warning for a constant that loses bits.
    pub(super) fn fit(&mut self, value: Value, ty: Type) -> Value {
        if let Some(pattern) = value.constant() {
            let constant = Constant { value: pattern, ty: value.ty };
            warn_if_truncated(constant, ty, value.expr.span, self.diagnostics);
        }
        value.convert(ty)
    }
}

/// Warns of a constant that neither as a signed nor as an unsigned number fits its place.
fn warn_if_truncated(constant: Constant, ty: Type, span: Span, diagnostics: &mut Diagnostics) {
    let value = extend(constant.value, constant.ty);
    let width = ty.width_bits;
    if width >= constant.ty.width_bits || fits(constant, width) {
        return;
    }
    let written = written(constant);
    let kept = reduce(value, width);
    let message = format!("the constant {written} does not fit {}", count(width, "bit"));
    diagnostics.push(warning(code::CONSTANT_TRUNCATED, span, message, format!("becomes {kept:#x}")));
}
