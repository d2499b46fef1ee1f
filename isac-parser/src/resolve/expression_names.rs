//! The names that an expression mentions.

use crate::ast::{Expr, ExprKind, Name};

/// Calls `visit` with every name of an expression, from left to right; members are no names.
pub(crate) fn visit_names<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Name)) {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Text(_) => {}
        ExprKind::Name(name) => visit(name),
        ExprKind::Member { base: inner, .. }
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::Unary { operand: inner, .. }
        | ExprKind::Step { place: inner, .. }
        | ExprKind::Paren(inner) => visit_names(inner, visit),
        ExprKind::Index { base: left, index: right }
        | ExprKind::Binary { left, right, .. }
        | ExprKind::Assign { place: left, value: right, .. }
        | ExprKind::Comma { left, right } => {
            visit_names(left, visit);
            visit_names(right, visit);
        }
        ExprKind::Slice { base: a, high: b, low: c }
        | ExprKind::Conditional { condition: a, then: b, otherwise: c } => {
            visit_names(a, visit);
            visit_names(b, visit);
            visit_names(c, visit);
        }
        ExprKind::Call { callee, arguments } => {
            visit_names(callee, visit);
            for argument in arguments {
                visit_names(argument, visit);
            }
        }
        ExprKind::Concat(parts) => {
            for part in parts {
                visit_names(part, visit);
            }
        }
    }
}
