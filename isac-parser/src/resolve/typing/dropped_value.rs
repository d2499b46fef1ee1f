//! Values that a statement drops: `x == 1;` where `x = 1;` was meant.

use super::{Typer, code, warning};
use crate::model::{BinaryOperator, Builtin, Expr, ExprKind, Place, PlaceKind};

impl Typer<'_> {
    /// Warns of a statement that computes a value and does nothing with it.
    pub(super) fn warn_of_dropped_value(&mut self, statement: &Expr) {
        let Some(dropped) = dropped(statement) else { return };
        let (label, help) = match &dropped.kind {
            ExprKind::Binary { operator: BinaryOperator::Equal, left, .. } if is_place(left) => {
                ("compared, and forgotten", "`==` compares; write `=` to assign")
            }
            _ => ("computed, and forgotten", "assign it to something, or leave the statement out"),
        };
        let message = "the value of this statement is not used";
        self.diagnostics.push(warning(code::DROPPED_VALUE, dropped.span, message, label).help(help));
    }
}

/// The part of a statement whose value nobody takes though computing it is all that it does.
///
/// What reads memory, or an operand, which may, is wanted for the access: it may fault, or reach a
/// device. So is a call, whatever its function does.
fn dropped(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Comma(left, right) => dropped(left).or_else(|| dropped(right)),
        ExprKind::LogicalAnd(_, decided) | ExprKind::LogicalOr(_, decided) => {
            dropped(decided).is_some().then_some(expr)
        }
        ExprKind::Conditional(_, then, otherwise) => {
            (dropped(then).is_some() && dropped(otherwise).is_some()).then_some(expr)
        }
        ExprKind::Convert(inner) => dropped(inner).is_some().then_some(expr),
        ExprKind::Read(place) => (!is_access(place)).then_some(expr),
        ExprKind::Builtin { builtin, .. } => is_value(*builtin).then_some(expr),
        ExprKind::Assign { .. }
        | ExprKind::AssignWith { .. }
        | ExprKind::Step { .. }
        | ExprKind::Call { .. }
        | ExprKind::Printf { .. }
        | ExprKind::Explain { .. }
        | ExprKind::Event(_)
        | ExprKind::Stall { .. }
        | ExprKind::Retry(_)
        | ExprKind::Flush(_) => None,
        _ => Some(expr),
    }
}

/// True for built-ins that do nothing but give a value.
fn is_value(builtin: Builtin) -> bool {
    match builtin {
        Builtin::Cycles
        | Builtin::Instructions
        | Builtin::Sext
        | Builtin::Popcount
        | Builtin::Clz
        | Builtin::Ctz
        | Builtin::CodedSize(_) => true,
        Builtin::Halt
        | Builtin::Illegal
        | Builtin::Cancel
        | Builtin::ExtraCycles
        | Builtin::LinuxCall
        | Builtin::Semihost => false,
    }
}

/// True if reading a place may be more than taking a register's value.
fn is_access(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Register { .. } => false,
        PlaceKind::Memory { .. }
        | PlaceKind::Operand(_)
        | PlaceKind::Reference(_)
        | PlaceKind::Written { .. } => true,
        PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => is_access(base),
        PlaceKind::Concat(parts) => parts.iter().any(is_access),
        PlaceKind::Conditional(_, then, otherwise) => is_access(then) || is_access(otherwise),
    }
}

/// True for the value of a place, converted or not.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Convert(inner) => is_place(inner),
        kind => matches!(kind, ExprKind::Read(_)),
    }
}
