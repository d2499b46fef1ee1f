//! Jumps: `break` and `continue` leave something, `return` gives back what its function has.

use super::{Typer, code, describe, error};
use crate::ast;
use crate::model::StmtKind;
use crate::resolve::names::ResultType;
use crate::source::Span;

impl Typer<'_> {
    /// Reports a `break` or `continue` outside of what it leaves.
    pub(super) fn jump(&mut self, inside: bool, word: &str, of: &str, span: Span) -> Option<()> {
        if inside {
            return Some(());
        }
        let message = format!("`{word}` outside of {of}");
        self.diagnostics.push(error(code::MISPLACED_JUMP, span, message, "leaves nothing"));
        None
    }

    /// A `return`; one that was reported still returns.
    pub(super) fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        match (self.result, value) {
            (ResultType::Void, None) => Some(StmtKind::Return(None)),
            (ResultType::Void, Some(value)) => {
                if self.effect(value).is_none() {
                    return Some(StmtKind::Return(None));
                }
                let message = "a value is returned where none is expected";
                let help = "only a FUNCTION with a result type returns a value";
                let diagnostic = error(code::BAD_RETURN, value.span, message, "not expected");
                self.diagnostics.push(diagnostic.help(help));
                Some(StmtKind::Return(None))
            }
            (ResultType::Value(ty), Some(value)) => {
                let value = self.value(value).map(|value| self.fit(value, ty).expr);
                Some(StmtKind::Return(value))
            }
            (ResultType::Value(ty), None) => {
                let message = format!("a `{}` has to be returned here", describe(ty));
                self.diagnostics.push(error(code::BAD_RETURN, span, message, "returns nothing"));
                Some(StmtKind::Return(None))
            }
            (ResultType::Broken, value) => {
                if let Some(value) = value {
                    self.value(value);
                }
                Some(StmtKind::Return(None))
            }
        }
    }
}
