//! What a computed operand is written as: the number, or what is computed there.
//!
//! FUNCTIONs are not run here, and nobody knows where the instruction will stand.

use std::collections::BTreeSet;

use crate::check::walk::{Met, walk_expr};
use crate::model::{Expr, ExprKind, FieldId, Format, Model, OperationId};
use crate::resolve::typing::{extend, fold_with};

/// What is longer is no operand any more: the field's name says enough.
const MAX_LETTERS: usize = 40;

/// The fields that a value is computed from.
pub(super) fn fields_of(value: &Expr) -> BTreeSet<FieldId> {
    let mut fields = BTreeSet::new();
    walk_expr(value, &mut |met| {
        if let Met::Expr(Expr { kind: ExprKind::Field(id), .. }) = met {
            fields.insert(*id);
        }
    });
    fields
}

/// What a format writes that computes its value, where fields have values.
pub(super) fn write_computed(
    model: &Model,
    (operation, field): (OperationId, FieldId),
    (format, computed): (&Format, &Expr),
    value: &dyn Fn(FieldId) -> Option<u128>,
) -> String {
    let is_hexadecimal =
        matches!(format, Format::Hexadecimal | Format::UnsignedHexadecimal | Format::Absolute);
    if let (Some(pattern), Some(ty)) = (fold_with(computed, value), computed.ty) {
        return match is_hexadecimal {
            true => format!("{pattern:#x}"),
            false if ty.signed => (extend(pattern, ty) as i128).to_string(),
            false => pattern.to_string(),
        };
    }
    let text = Writer { model, value, is_hexadecimal }.text(computed, false);
    let is_short = |text: &String| text.chars().count() <= MAX_LETTERS;
    text.filter(is_short).unwrap_or_else(|| {
        let fields = &model.operations[operation.index()].fields;
        fields[field.index()].name.clone()
    })
}

/// Writes what cannot be computed as the description has it, with the numbers that are known.
struct Writer<'a> {
    model: &'a Model,
    value: &'a dyn Fn(FieldId) -> Option<u128>,
    is_hexadecimal: bool,
}

impl Writer<'_> {
    /// An expression; in parentheses if it is one with an operator inside another. `None` if there is
    /// no short way to say it.
    fn text(&self, expr: &Expr, is_inner: bool) -> Option<String> {
        if let (Some(pattern), Some(ty)) = (fold_with(expr, self.value), expr.ty) {
            return Some(match extend(pattern, ty) as i128 {
                number if ty.signed && number < 0 => number.to_string(),
                _ if self.is_hexadecimal && pattern > 9 => format!("{pattern:#x}"),
                _ => pattern.to_string(),
            });
        }
        match &expr.kind {
            ExprKind::Convert(inner) => self.text(inner, is_inner),
            ExprKind::InstructionAddress => Some("instruction_address".to_owned()),
            ExprKind::InstructionSize => Some("instruction_size".to_owned()),
            ExprKind::Call { function, arguments } => {
                let arguments: Option<Vec<String>> =
                    arguments.iter().map(|argument| self.text(argument, false)).collect();
                let name = &self.model.functions[function.index()].name;
                Some(format!("{name}({})", arguments?.join(", ")))
            }
            ExprKind::Binary { operator, left, right } => {
                let (left, right) = (self.text(left, true)?, self.text(right, true)?);
                let text = format!("{left} {} {right}", operator.spelling());
                Some(if is_inner { format!("({text})") } else { text })
            }
            _ => None,
        }
    }
}
