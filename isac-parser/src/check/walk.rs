//! A walk over all expressions and places below a statement or expression.

use crate::model::{Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};

/// What a walk meets.
pub(crate) enum Met<'a> {
    /// An expression, before those below it.
    Expr(&'a Expr),
    /// A place, before those below it.
    Place(&'a Place),
}

/// Visits everything in statements.
pub(crate) fn walk_statements<'a>(statements: &'a [Stmt], visit: &mut impl FnMut(Met<'a>)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Block(statements) => walk_statements(statements, visit),
            StmtKind::Declare { value, .. } | StmtKind::Return(value) => {
                walk_all(value, visit);
            }
            StmtKind::Expr(expr) => walk_expr(expr, visit),
            StmtKind::If { condition, then, otherwise } => {
                walk_expr(condition, visit);
                walk_statements(then, visit);
                walk_statements(otherwise, visit);
            }
            StmtKind::Switch { value, sections } => {
                walk_expr(value, visit);
                for (_, statements) in sections {
                    walk_statements(statements, visit);
                }
            }
            StmtKind::Loop { condition, body, step, .. } => {
                walk_all(condition, visit);
                walk_statements(body, visit);
                walk_all(step, visit);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

fn walk_all<'a>(exprs: impl IntoIterator<Item = &'a Expr>, visit: &mut impl FnMut(Met<'a>)) {
    for expr in exprs {
        walk_expr(expr, visit);
    }
}

/// Visits an expression and everything below it.
pub(crate) fn walk_expr<'a>(expr: &'a Expr, visit: &mut impl FnMut(Met<'a>)) {
    visit(Met::Expr(expr));
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Field(_)
        | ExprKind::Coded(_)
        | ExprKind::CodedReference(_)
        | ExprKind::MemberField { .. }
        | ExprKind::MemberFieldReference { .. }
        | ExprKind::Chosen { .. }
        | ExprKind::InstructionAddress
        | ExprKind::InstructionSize
        | ExprKind::Latency(_)
        | ExprKind::Pending(_)
        | ExprKind::Event(_)
        | ExprKind::Retry(_)
        | ExprKind::Flush(_)
        | ExprKind::Busy(_) => {}
        ExprKind::Read(place) | ExprKind::Step { place, .. } => walk_place(place, visit),
        ExprKind::Convert(inner)
        | ExprKind::Negate(inner)
        | ExprKind::BitNot(inner)
        | ExprKind::Not(inner)
        | ExprKind::Stall { cycles: inner, .. }
        | ExprKind::Slice { base: inner, .. } => walk_expr(inner, visit),
        ExprKind::Binary { left, right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::Bit { base: left, index: right } => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            walk_expr(condition, visit);
            walk_expr(then, visit);
            walk_expr(otherwise, visit);
        }
        ExprKind::Assign { place, value } | ExprKind::AssignWith { place, value, .. } => {
            walk_expr(value, visit);
            walk_place(place, visit);
        }
        ExprKind::Concat(parts)
        | ExprKind::Call { arguments: parts, .. }
        | ExprKind::Builtin { arguments: parts, .. }
        | ExprKind::Printf { arguments: parts, .. } => walk_all(parts, visit),
    }
}

fn walk_place<'a>(place: &'a Place, visit: &mut impl FnMut(Met<'a>)) {
    visit(Met::Place(place));
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Operand(_) | PlaceKind::Reference(_) => {}
        PlaceKind::Register { index, .. } => walk_all(index.as_deref(), visit),
        PlaceKind::Memory { address, .. } => walk_expr(address, visit),
        PlaceKind::Slice { base, .. } => walk_place(base, visit),
        PlaceKind::Bit { base, index } => {
            walk_place(base, visit);
            walk_expr(index, visit);
        }
        PlaceKind::Concat(parts) => {
            for part in parts {
                walk_place(part, visit);
            }
        }
        PlaceKind::Conditional(condition, then, otherwise) => {
            walk_expr(condition, visit);
            walk_place(then, visit);
            walk_place(otherwise, visit);
        }
    }
}
