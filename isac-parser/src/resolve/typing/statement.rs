//! Statements, and the bodies made of them.

use std::collections::BTreeMap;

use super::Typer;
use crate::ast;
use crate::model::{Body, Expr, Local, LocalId, Stmt, StmtKind, Type};
use crate::resolve::names::{ResultType, double};
use crate::source::Span;

impl Typer<'_> {
    /// The statements of a BEHAVIOR.
    pub(crate) fn behavior(mut self, block: &ast::Block) -> Body {
        let statements = self.block(&block.statements);
        Body { locals: self.locals, statements, span: block.span }
    }

    /// The statements of a FUNCTION, its parameters first among the locals.
    pub(crate) fn function(
        mut self,
        function: &ast::Function,
        parameters: &[Option<Type>],
        result: ResultType,
    ) -> Body {
        self.result = result;
        self.blocks.push(BTreeMap::new());
        for (parameter, ty) in function.parameters.iter().zip(parameters) {
            self.declare(&parameter.name, *ty);
        }
        // Parameters and the outermost variables share one scope, as in C.
        let statements = self.statements(&function.body.statements);
        self.warn_of_missing_return(&function.name, &statements);
        Body { locals: self.locals, statements, span: function.body.span }
    }

    fn declare(&mut self, name: &ast::Name, ty: Option<Type>) -> Option<LocalId> {
        let id = ty.map(|ty| {
            let id = u32::try_from(self.locals.len()).unwrap_or(u32::MAX);
            self.locals.push(Local { name: name.text.clone(), ty, span: name.span });
            LocalId(id)
        });
        if let Some(block) = self.blocks.last_mut() {
            match block.get(&name.text) {
                Some((_, first)) => {
                    let diagnostic = double(name, *first);
                    self.diagnostics.push(diagnostic);
                }
                None => {
                    block.insert(name.text.clone(), (id, name.span));
                }
            }
        }
        id
    }

    fn block(&mut self, statements: &[ast::Stmt]) -> Vec<Stmt> {
        self.blocks.push(BTreeMap::new());
        let statements = self.statements(statements);
        self.blocks.pop();
        statements
    }

    pub(super) fn statements(&mut self, statements: &[ast::Stmt]) -> Vec<Stmt> {
        let mut typed = Vec::new();
        for statement in statements {
            self.statement(statement, &mut typed);
        }
        typed
    }

    /// One statement as the body of `if` or a loop: its own scope, no nested block.
    fn branch(&mut self, statement: &ast::Stmt) -> Vec<Stmt> {
        match &statement.kind {
            ast::StmtKind::Block(block) => self.block(&block.statements),
            _ => self.block(std::slice::from_ref(statement)),
        }
    }

    /// A statement; one that was reported is left out.
    fn statement(&mut self, statement: &ast::Stmt, typed: &mut Vec<Stmt>) {
        if let ast::StmtKind::Declare { ty, variables } = &statement.kind {
            self.declaration(ty, variables, typed);
            return;
        }
        if let Some(kind) = self.statement_kind(statement) {
            typed.push(Stmt { kind, span: statement.span });
        }
    }

    fn statement_kind(&mut self, statement: &ast::Stmt) -> Option<StmtKind> {
        match &statement.kind {
            ast::StmtKind::Empty | ast::StmtKind::Declare { .. } => None,
            ast::StmtKind::Block(block) => Some(StmtKind::Block(self.block(&block.statements))),
            ast::StmtKind::Expr(expr) => Some(StmtKind::Expr(self.done(expr)?)),
            ast::StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let then = self.branch(then);
                let otherwise = otherwise.as_deref().map(|s| self.branch(s)).unwrap_or_default();
                Some(StmtKind::If { condition: condition?.expr, then, otherwise })
            }
            ast::StmtKind::Switch { value, sections } => self.switch(value, sections),
            ast::StmtKind::While { condition, body } => {
                let condition = self.condition(condition);
                let body = self.turn(body);
                let condition = Some(condition?.expr);
                Some(StmtKind::Loop { condition, test_last: false, body, step: None })
            }
            ast::StmtKind::DoWhile { body, condition } => {
                let body = self.turn(body);
                let condition = Some(self.condition(condition)?.expr);
                Some(StmtKind::Loop { condition, test_last: true, body, step: None })
            }
            ast::StmtKind::For { start, condition, step, body } => {
                self.for_loop(start, condition.as_ref(), step.as_ref(), body, statement.span)
            }
            ast::StmtKind::Break => {
                let inside = self.loop_depth + self.switch_depth > 0;
                self.jump(inside, "break", "a loop or switch", statement.span)?;
                Some(StmtKind::Break)
            }
            ast::StmtKind::Continue => {
                self.jump(self.loop_depth > 0, "continue", "a loop", statement.span)?;
                Some(StmtKind::Continue)
            }
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), statement.span),
        }
    }

    /// What is evaluated for its effects alone.
    fn done(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let typed = self.effect(expr)?;
        self.warn_of_dropped_value(&typed);
        Some(typed)
    }

    fn declaration(
        &mut self,
        ty: &ast::TypeName,
        variables: &[(ast::Name, Option<ast::Expr>)],
        typed: &mut Vec<Stmt>,
    ) {
        let ty = self.type_name(ty);
        for (name, value) in variables {
            let value = value.as_ref().map(|value| self.value(value));
            let local = self.declare(name, ty);
            let (Some(local), Some(ty)) = (local, ty) else {
                continue;
            };
            let value = match value {
                Some(Some(value)) => Some(self.fit(value, ty).expr),
                Some(None) => continue,
                None => None,
            };
            typed.push(Stmt { kind: StmtKind::Declare { local, value }, span: name.span });
        }
    }

    fn turn(&mut self, body: &ast::Stmt) -> Vec<Stmt> {
        self.loop_depth += 1;
        let body = self.branch(body);
        self.loop_depth -= 1;
        body
    }

    /// `for` as a block of its start and a loop, so that its variables end with it.
    fn for_loop(
        &mut self,
        start: &ast::Stmt,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        span: Span,
    ) -> Option<StmtKind> {
        self.blocks.push(BTreeMap::new());
        let mut statements = Vec::new();
        self.statement(start, &mut statements);
        let condition = condition.map(|condition| self.condition(condition));
        let step = step.map(|step| self.done(step));
        let body = self.turn(body);
        self.blocks.pop();
        let condition = match condition {
            Some(condition) => Some(condition?.expr),
            None => None,
        };
        let step = match step {
            Some(step) => Some(step?),
            None => None,
        };
        let kind = StmtKind::Loop { condition, test_last: false, body, step };
        if statements.is_empty() {
            return Some(kind);
        }
        statements.push(Stmt { kind, span });
        Some(StmtKind::Block(statements))
    }
}
