//! Conditions that assign: `if (x = 1)` where `if (x == 1)` was meant.

use super::conversion::Value;
use super::{Typer, code, warning};
use crate::ast;

impl Typer<'_> {
    /// A value of which is asked whether it is zero, with a warning if it is what `=` assigns.
    ///
    /// As C compilers have it, a second pair of parentheses says that the assignment is meant.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Option<Value> {
        let value = self.value(expr);
        if let ast::ExprKind::Assign { operator: None, .. } = expr.kind
            && value.is_some()
        {
            let message = "this condition assigns";
            let label = "true if what is assigned is not 0";
            let help = "`=` assigns, write `==` to compare; `((a = b))` says that it is meant";
            let diagnostic = warning(code::ASSIGNED_CONDITION, expr.span, message, label);
            self.diagnostics.push(diagnostic.help(help));
        }
        value
    }
}
