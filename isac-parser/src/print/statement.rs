//! Statements of BEHAVIOR and FUNCTION.

use super::Printer;
use crate::ast::{Block, Expr, Stmt, StmtKind, SwitchSection};

impl Printer {
    /// Statements between braces, over several lines.
    pub(super) fn block(&mut self, block: &Block) {
        if block.statements.is_empty() {
            self.put("{ }");
        } else {
            self.braced(|printer| printer.statements(&block.statements));
        }
    }

    /// Statements between braces on one line, if none of them needs more.
    pub(super) fn block_on_line(&mut self, block: &Block) -> bool {
        let [statement] = block.statements.as_slice() else {
            return false;
        };
        if !matches!(statement.kind, StmtKind::Expr(_) | StmtKind::Return(_)) {
            return false;
        }
        self.put("{ ");
        self.simple(statement);
        self.put(" }");
        true
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.indent();
            self.statement(statement);
            self.put("\n");
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => {
                self.head("if", condition);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.put(if matches!(then.kind, StmtKind::Block(_)) { " else " } else { "\n" });
                    if !matches!(then.kind, StmtKind::Block(_)) {
                        self.indent();
                        self.put("else ");
                    }
                    self.statement(otherwise);
                }
            }
            StmtKind::Switch { value, sections } => {
                self.head("switch", value);
                self.braced(|printer| sections.iter().for_each(|section| printer.switch_section(section)));
            }
            StmtKind::While { condition, body } => {
                self.head("while", condition);
                self.statement(body);
            }
            StmtKind::DoWhile { body, condition } => {
                self.put("do ");
                self.statement(body);
                self.put(" while (");
                self.expr(condition, 0);
                self.put(");");
            }
            StmtKind::For { start, condition, step, body } => {
                self.put("for (");
                self.simple(start);
                self.optional(" ", condition.as_ref());
                self.put(";");
                self.optional(" ", step.as_ref());
                self.put(") ");
                self.statement(body);
            }
            _ => self.simple(statement),
        }
    }

    /// A statement without statements in it.
    fn simple(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Declare { ty, variables } => {
                self.type_name(ty);
                self.put(" ");
                self.separated(variables, ", ", |printer, (name, value)| {
                    printer.name(name);
                    if let Some(value) = value {
                        printer.put(" = ");
                        printer.expr(value, 1);
                    }
                });
            }
            StmtKind::Expr(expr) => self.expr(expr, 0),
            StmtKind::Break => self.put("break"),
            StmtKind::Continue => self.put("continue"),
            StmtKind::Return(value) => {
                self.put("return");
                self.optional(" ", value.as_ref());
            }
            _ => {}
        }
        self.put(";");
    }

    fn head(&mut self, word: &str, condition: &Expr) {
        self.put(word);
        self.put(" (");
        self.expr(condition, 0);
        self.put(") ");
    }

    fn optional(&mut self, before: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            self.put(before);
            self.expr(expr, 0);
        }
    }

    fn switch_section(&mut self, section: &SwitchSection) {
        for (label, _) in &section.labels {
            self.indent();
            match label {
                Some(value) => {
                    self.put("case ");
                    self.expr(value, 1);
                }
                None => self.put("default"),
            }
            self.put(":\n");
        }
        self.level += 1;
        self.statements(&section.statements);
        self.level -= 1;
    }
}
