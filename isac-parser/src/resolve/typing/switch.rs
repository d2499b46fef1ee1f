//! `switch`: each of its labels stands once.

use std::collections::BTreeMap;

use super::conversion::{Value, promote};
use super::dead_case::{Subject, warn_of_dead_case};
use super::{Typer, code, error, extend, reduce};
use crate::ast;
use crate::model::StmtKind;
use crate::source::Span;

impl Typer<'_> {
    pub(super) fn switch(&mut self, value: &ast::Expr, sections: &[ast::SwitchSection]) -> Option<StmtKind> {
        let written = value.span;
        let value = self.value(value);
        let subject = value.as_ref().map(|value| Subject { ty: value.ty, span: written, word: "case" });
        let value = value.map(Value::promoted);
        self.blocks.push(BTreeMap::new());
        self.switch_depth += 1;
        let mut labels = Labels::default();
        let mut typed = Vec::new();
        for section in sections {
            let mut values = Vec::new();
            for (label, span) in &section.labels {
                values.extend(self.label(label.as_ref(), *span, subject, &mut labels));
            }
            typed.push((values, self.statements(&section.statements)));
        }
        self.switch_depth -= 1;
        self.blocks.pop();
        Some(StmtKind::Switch { value: value?.expr, sections: typed })
    }

    /// One `case` or `default`, as a pattern of the switch's type.
    fn label(
        &mut self,
        label: Option<&ast::Expr>,
        span: Span,
        subject: Option<Subject>,
        labels: &mut Labels,
    ) -> Option<Option<u128>> {
        let Some(label) = label else {
            if let Some(first) = labels.default {
                self.double_case("`default`", span, first);
                return None;
            }
            labels.default = Some(span);
            return Some(None);
        };
        let constant = self.constant(label)?;
        let subject = subject?;
        let ty = promote(subject.ty);
        let pattern = reduce(extend(constant.value, constant.ty), ty.width_bits);
        if let Some(first) = labels.values.insert(pattern, span) {
            self.double_case(&format!("`case {pattern:#x}`"), span, first);
            return None;
        }
        warn_of_dead_case(pattern, subject, label.span, self.diagnostics);
        Some(Some(pattern))
    }

    fn double_case(&mut self, what: &str, span: Span, first: Span) {
        let message = format!("{what} stands twice in one switch");
        let diagnostic = error(code::DOUBLE_CASE, span, message, "again here");
        self.diagnostics.push(diagnostic.secondary(first, "first here"));
    }
}

/// The labels of a switch that were met so far.
#[derive(Default)]
struct Labels {
    values: BTreeMap<u128, Span>,
    default: Option<Span>,
}
