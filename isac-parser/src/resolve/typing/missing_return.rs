//! Functions that may end without a value: whether control can reach the end of their statements.

use super::{Typer, code, warning};
use crate::ast;
use crate::model::{Builtin, Expr, ExprKind, Stmt, StmtKind};
use crate::resolve::names::ResultType;

impl Typer<'_> {
    /// Warns of a FUNCTION with a result whose statements may end without a `return`.
    pub(super) fn warn_of_missing_return(&mut self, function: &ast::Name, statements: &[Stmt]) {
        if !matches!(self.result, ResultType::Value(_)) || !may_fall_through(statements) {
            return;
        }
        let message = format!("`{}` may end without a value", function.text);
        let diagnostic = warning(code::MISSING_RETURN, function.span, message, "its value is then 0");
        self.diagnostics.push(diagnostic.help("end every path with `return`"));
    }
}

/// False if every way through the statements returns or ends the instruction.
///
/// A loop without end counts as leaving; what a condition's value is, is not looked at, except
/// for a constant one of a loop.
fn may_fall_through(statements: &[Stmt]) -> bool {
    statements.iter().all(passes)
}

fn passes(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Block(statements) => may_fall_through(statements),
        StmtKind::If { then, otherwise, .. } => may_fall_through(then) || may_fall_through(otherwise),
        StmtKind::Switch { sections, .. } => {
            let has_default = sections.iter().any(|(labels, _)| labels.contains(&None));
            let last_passes = sections.last().is_none_or(|(_, last)| may_fall_through(last));
            !has_default || last_passes || sections.iter().any(|(_, body)| breaks(body))
        }
        StmtKind::Loop { condition, test_last, body, .. } => {
            let endless = condition.as_ref().is_none_or(is_true);
            breaks(body) || !(endless || *test_last && !may_fall_through(body))
        }
        StmtKind::Return(_) => false,
        StmtKind::Expr(expr) => !ends_instruction(expr),
        StmtKind::Declare { .. } | StmtKind::Break | StmtKind::Continue => true,
    }
}

/// True if a `break` here leaves the statement around it.
fn breaks(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(statements) => breaks(statements),
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        _ => false,
    })
}

fn is_true(condition: &Expr) -> bool {
    super::fold::fold(condition).is_some_and(|value| value != 0)
}

fn ends_instruction(expr: &Expr) -> bool {
    let ends = [Builtin::Halt, Builtin::Illegal, Builtin::Cancel];
    match &expr.kind {
        ExprKind::Builtin { builtin, .. } => ends.contains(builtin),
        ExprKind::Retry(_) => true,
        ExprKind::Comma(_, last) => ends_instruction(last),
        _ => false,
    }
}
