//! Statements of BEHAVIOR and FUNCTION bodies.

use isac_ir::behavior::{BinaryOp, Expr, ExprKind, Stmt};
use isac_parser::model::{Expr as SourceExpr, Stmt as Source, StmtKind};
use isac_parser::source::Span;

use super::body::{BodyBuilder, Exits, JumpTarget};
use super::point::Decision;

impl BodyBuilder<'_> {
    pub(super) fn lower_statements(&mut self, statements: &[Source]) {
        for statement in statements {
            self.lower_statement(statement);
        }
    }

    fn lower_statement(&mut self, statement: &Source) {
        let span = statement.span;
        if !matches!(statement.kind, StmtKind::Block(_)) {
            self.visit_statement(span);
        }
        match &statement.kind {
            StmtKind::Block(statements) => self.lower_statements(statements),
            StmtKind::Declare { local, value } => {
                let local = self.scope[local];
                let width = self.body.locals[local as usize].width;
                let value = match value {
                    Some(value) => self.lower_value(value),
                    None => Expr::constant(width, 0),
                };
                self.push(Stmt::Set { local, value });
            }
            StmtKind::Expr(expression) => self.lower_effect(expression),
            StmtKind::If { condition, then, otherwise } => {
                let test = self.lower_condition(condition);
                let [then, otherwise] = [(0, then), (1, otherwise)].map(|(side, statements)| {
                    self.arm(|builder| {
                        builder.visit_arm(span, condition, Decision::Condition, side);
                        builder.lower_statements(statements);
                    })
                });
                self.push_if(test, then, otherwise);
            }
            StmtKind::Switch { value, sections } => self.lower_switch(span, value, sections),
            StmtKind::Loop { condition, test_last, body, step } => {
                let test = condition.as_ref().map(|condition| (span, condition));
                self.lower_loop(test, *test_last, body, step.as_ref());
            }
            StmtKind::Break => {
                let target = self.targets.last().expect("a break stands in a loop or switch");
                self.lower_leave(target.leave);
            }
            StmtKind::Continue => {
                let next = self.targets.iter().rev().find_map(|target| target.next);
                self.lower_leave(next.expect("a continue stands in a loop"));
            }
            StmtKind::Return(value) => self.lower_return(value.as_ref()),
        }
    }

    fn lower_leave(&mut self, label: u32) {
        self.push(Stmt::Leave(label));
        self.leave_maybe(Exits { ends: false, labels: [label].into() });
    }

    fn lower_return(&mut self, value: Option<&SourceExpr>) {
        let value = value.map(|value| self.lower_value(value));
        let Some(target) = self.returns else { return };
        if let (Some(local), Some(value)) = (target.value, value) {
            self.push(Stmt::Set { local, value });
        }
        if let Some(label) = target.label {
            self.lower_leave(label);
        }
    }

    /// `loop { test; block { body }; step; }`: `continue` leaves the inner block.
    fn lower_loop(
        &mut self,
        condition: Option<(Span, &SourceExpr)>,
        test_last: bool,
        body: &[Source],
        step: Option<&SourceExpr>,
    ) {
        let leave = self.new_label();
        let next = self.new_label();
        let mut arm = self.arm(|builder| {
            if !test_last {
                builder.lower_test(condition, leave);
            }
            builder.targets.push(JumpTarget { leave, next: Some(next) });
            builder.push_block(next, |builder| builder.lower_statements(body));
            builder.targets.pop();
            if let Some(step) = step {
                builder.lower_effect(step);
            }
            if test_last {
                builder.lower_test(condition, leave);
            }
        });
        arm.exits.labels.remove(&leave);
        self.push(Stmt::Loop { label: leave, body: arm.statements });
        self.leave_maybe(arm.exits);
    }

    /// Leaves the loop unless the condition holds.
    fn lower_test(&mut self, condition: Option<(Span, &SourceExpr)>, leave: u32) {
        let Some((span, condition)) = condition else { return };
        let test = self.lower_condition(condition);
        let stay = self.arm(|builder| builder.visit_arm(span, condition, Decision::Condition, 0));
        let go = self.arm(|builder| {
            builder.visit_arm(span, condition, Decision::Condition, 1);
            builder.lower_leave(leave);
        });
        self.push_if(test, stay, go);
    }

    /// Blocks inside one another, one for each section: leaving the n-th inner one enters
    /// section n, and control falls through to the next.
    fn lower_switch(
        &mut self,
        span: Span,
        value: &SourceExpr,
        sections: &[(Vec<Option<u128>>, Vec<Source>)],
    ) {
        let value = self.lower_value(value);
        let value = self.spill(value);
        self.clear_skipped(sections);
        let leave = self.new_label();
        let labels: Vec<u32> = sections.iter().map(|_| self.new_label()).collect();
        self.targets.push(JumpTarget { leave, next: None });
        self.push_block(leave, |builder| {
            builder.lower_sections((span, &value), leave, sections, &labels, sections.len());
        });
        self.targets.pop();
    }

    /// Variables of the switch's own block are 0 where a label jumps past their declaration.
    fn clear_skipped(&mut self, sections: &[(Vec<Option<u128>>, Vec<Source>)]) {
        let before_last = sections.split_last().map_or(&[][..], |(_, before)| before);
        for statement in before_last.iter().flat_map(|(_, statements)| statements) {
            if let StmtKind::Declare { local, .. } = &statement.kind {
                let local = self.scope[local];
                let width = self.body.locals[local as usize].width;
                self.push(Stmt::Set { local, value: Expr::constant(width, 0) });
            }
        }
    }

    fn lower_sections(
        &mut self,
        value: (Span, &Expr),
        leave: u32,
        sections: &[(Vec<Option<u128>>, Vec<Source>)],
        labels: &[u32],
        count: usize,
    ) {
        let Some(last) = count.checked_sub(1) else {
            self.lower_dispatch(value, leave, sections, labels);
            return;
        };
        self.push_block(labels[last], |builder| {
            builder.lower_sections(value, leave, sections, labels, last);
        });
        let (_, statements) = &sections[last];
        // A section runs as often as it is entered, not as often as the switch.
        self.begin_frame();
        self.lower_statements(statements);
    }

    fn lower_dispatch(
        &mut self,
        (span, value): (Span, &Expr),
        leave: u32,
        sections: &[(Vec<Option<u128>>, Vec<Source>)],
        labels: &[u32],
    ) {
        let mut default = (sections.len() as u32, leave);
        for (side, ((cases, _), label)) in (0u32..).zip(sections.iter().zip(labels)) {
            for case in cases {
                let Some(case) = case else {
                    default = (side, *label);
                    continue;
                };
                let constant = Expr::constant(value.width, *case);
                let operands = (Box::new(value.clone()), Box::new(constant));
                let kind = ExprKind::Binary(BinaryOp::Equal, operands.0, operands.1);
                let hit = self.arm(|builder| {
                    builder.visit_side(span, Decision::Choice, side);
                    builder.lower_leave(*label);
                });
                let miss = self.arm(|_| {});
                self.push_if(Expr { width: 1, kind }, hit, miss);
            }
        }
        let (side, label) = default;
        self.visit_side(span, Decision::Choice, side);
        self.lower_leave(label);
    }
}

/// True if a `return` stands anywhere but at the very end.
pub(super) fn returns_early(statements: &[Source]) -> bool {
    let Some((last, before)) = statements.split_last() else { return false };
    before.iter().any(contains_return)
        || match &last.kind {
            StmtKind::Return(_) => false,
            StmtKind::Block(statements) => returns_early(statements),
            _ => contains_return(last),
        }
}

fn contains_return(statement: &Source) -> bool {
    match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(statements) => statements.iter().any(contains_return),
        StmtKind::If { then, otherwise, .. } => {
            then.iter().any(contains_return) || otherwise.iter().any(contains_return)
        }
        StmtKind::Switch { sections, .. } => {
            sections.iter().any(|(_, statements)| statements.iter().any(contains_return))
        }
        StmtKind::Loop { body, .. } => body.iter().any(contains_return),
        StmtKind::Declare { .. } | StmtKind::Expr(_) | StmtKind::Break | StmtKind::Continue => false,
    }
}
