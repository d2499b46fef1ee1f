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
    walk_nested_statements(statements, 0, &mut |met, _| visit(met));
}

/// Visits an expression and everything below it.
pub(crate) fn walk_expr<'a>(expr: &'a Expr, visit: &mut impl FnMut(Met<'a>)) {
    walk_nested_expr(expr, 0, &mut |met, _| visit(met));
}

/// The same with the number of statements, expressions and places around each, and `depth` more.
pub(crate) fn walk_nested_statements<'a>(
    statements: &'a [Stmt],
    depth: usize,
    visit: &mut impl FnMut(Met<'a>, usize),
) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Block(statements) => walk_nested_statements(statements, depth + 1, visit),
            StmtKind::Declare { value, .. } | StmtKind::Return(value) => {
                walk_all(value, depth + 1, visit);
            }
            StmtKind::Expr(expr) => walk_nested_expr(expr, depth + 1, visit),
            StmtKind::If { condition, then, otherwise } => {
                walk_nested_expr(condition, depth + 1, visit);
                walk_nested_statements(then, depth + 1, visit);
                walk_nested_statements(otherwise, depth + 1, visit);
            }
            StmtKind::Switch { value, sections } => {
                walk_nested_expr(value, depth + 1, visit);
                // Falling through makes each section a level around those before it.
                let depth = depth + sections.len();
                for (_, statements) in sections {
                    walk_nested_statements(statements, depth + 1, visit);
                }
            }
            StmtKind::Loop { condition, body, step, .. } => {
                walk_all(condition, depth + 1, visit);
                walk_nested_statements(body, depth + 1, visit);
                walk_all(step, depth + 1, visit);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

fn walk_all<'a>(
    exprs: impl IntoIterator<Item = &'a Expr>,
    depth: usize,
    visit: &mut impl FnMut(Met<'a>, usize),
) {
    for expr in exprs {
        walk_nested_expr(expr, depth, visit);
    }
}

/// As [`walk_expr`], with the depth of everything, that of the expression itself being `depth`.
pub(crate) fn walk_nested_expr<'a>(expr: &'a Expr, depth: usize, visit: &mut impl FnMut(Met<'a>, usize)) {
    visit(Met::Expr(expr), depth);
    let depth = depth + 1;
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
        ExprKind::Read(place) | ExprKind::Step { place, .. } => walk_place(place, depth, visit),
        ExprKind::Convert(inner)
        | ExprKind::Negate(inner)
        | ExprKind::BitNot(inner)
        | ExprKind::Not(inner)
        | ExprKind::Stall { cycles: inner, .. }
        | ExprKind::Slice { base: inner, .. } => walk_nested_expr(inner, depth, visit),
        ExprKind::Binary { left, right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::Bit { base: left, index: right } => {
            walk_nested_expr(left, depth, visit);
            walk_nested_expr(right, depth, visit);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            walk_nested_expr(condition, depth, visit);
            walk_nested_expr(then, depth, visit);
            walk_nested_expr(otherwise, depth, visit);
        }
        ExprKind::Assign { place, value } | ExprKind::AssignWith { place, value, .. } => {
            walk_nested_expr(value, depth, visit);
            walk_place(place, depth, visit);
        }
        ExprKind::Concat(parts)
        | ExprKind::Call { arguments: parts, .. }
        | ExprKind::Builtin { arguments: parts, .. }
        | ExprKind::Printf { arguments: parts, .. }
        | ExprKind::Explain { arguments: parts, .. } => walk_all(parts, depth, visit),
    }
}

fn walk_place<'a>(place: &'a Place, depth: usize, visit: &mut impl FnMut(Met<'a>, usize)) {
    visit(Met::Place(place), depth);
    let depth = depth + 1;
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Operand(_) | PlaceKind::Reference(_) => {}
        PlaceKind::Register { index, .. } => walk_all(index.as_deref(), depth, visit),
        PlaceKind::Memory { address, .. } => walk_nested_expr(address, depth, visit),
        PlaceKind::Slice { base, .. } => walk_place(base, depth, visit),
        PlaceKind::Bit { base, index } => {
            walk_place(base, depth, visit);
            walk_nested_expr(index, depth, visit);
        }
        PlaceKind::Concat(parts) => {
            for part in parts {
                walk_place(part, depth, visit);
            }
        }
        PlaceKind::Conditional(condition, then, otherwise) => {
            walk_nested_expr(condition, depth, visit);
            walk_place(then, depth, visit);
            walk_place(otherwise, depth, visit);
        }
        PlaceKind::Written { value, arguments, .. } => {
            walk_nested_expr(value, depth, visit);
            walk_all(arguments, depth, visit);
        }
    }
}
