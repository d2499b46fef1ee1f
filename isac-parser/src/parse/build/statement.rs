//! Statements of BEHAVIOR and FUNCTION.

use pest::iterators::Pair;

use super::{Builder, Children, MAX_HEIGHT};
use crate::ast::{Block, Expr, Stmt, StmtKind, SwitchSection};
use crate::parse::grammar::Rule;

impl Builder<'_> {
    /// The statements between the braces of a BEHAVIOR or FUNCTION.
    pub(super) fn behavior_block(&mut self, pair: Pair<'_, Rule>) -> Block {
        let outside = std::mem::replace(&mut self.in_behavior, true);
        let block = self.block(pair);
        self.in_behavior = outside;
        block
    }

    fn block(&mut self, pair: Pair<'_, Rule>) -> Block {
        let span = self.span(&pair);
        Block { statements: Children::of(pair).map(|statement| self.statement(statement)).collect(), span }
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) -> Stmt {
        let span = self.span(&pair);
        if self.depth >= MAX_HEIGHT {
            self.too_deep(span, "statements");
            return Stmt { kind: StmtKind::Empty, span };
        }
        self.depth += 1;
        let kind = self.statement_kind(pair);
        self.depth -= 1;
        Stmt { kind, span }
    }

    fn statement_kind(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        match pair.as_rule() {
            Rule::block => StmtKind::Block(self.block(pair)),
            Rule::if_statement => self.if_statement(pair),
            Rule::switch_statement => self.switch_statement(pair),
            Rule::while_statement => {
                let mut children = Children::of(pair);
                StmtKind::While {
                    condition: self.sequence(children.expect()),
                    body: self.body(&mut children),
                }
            }
            Rule::do_statement => {
                let mut children = Children::of(pair);
                StmtKind::DoWhile {
                    body: self.body(&mut children),
                    condition: self.sequence(children.expect()),
                }
            }
            Rule::for_statement => self.for_statement(pair),
            Rule::break_statement => StmtKind::Break,
            Rule::continue_statement => StmtKind::Continue,
            Rule::return_statement => StmtKind::Return(self.optional_sequence(pair)),
            Rule::declare_statement => self.declare_statement(pair),
            Rule::expression_statement => StmtKind::Expr(self.sequence(Children::of(pair).expect())),
            _ => StmtKind::Empty,
        }
    }

    fn body(&mut self, children: &mut Children<'_>) -> Box<Stmt> {
        Box::new(self.statement(children.expect()))
    }

    fn optional_sequence(&mut self, pair: Pair<'_, Rule>) -> Option<Expr> {
        Children::of(pair).next().map(|value| self.sequence(value))
    }

    fn if_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut children = Children::of(pair);
        let condition = self.sequence(children.expect());
        let then = self.body(&mut children);
        let otherwise = children.next().map(|otherwise| Box::new(self.statement(otherwise)));
        StmtKind::If { condition, then, otherwise }
    }

    fn switch_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut children = Children::of(pair);
        let value = self.sequence(children.expect());
        StmtKind::Switch { value, sections: children.map(|section| self.switch_section(section)).collect() }
    }

    fn switch_section(&mut self, pair: Pair<'_, Rule>) -> SwitchSection {
        let mut children = Children::of(pair);
        let mut labels = Vec::new();
        while let Some(label) = children.accept(Rule::label) {
            let span = self.span(&label);
            labels.push((Children::of(label).next().map(|value| self.expression(value)), span));
        }
        SwitchSection { labels, statements: children.map(|statement| self.statement(statement)).collect() }
    }

    fn for_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut children = Children::of(pair);
        StmtKind::For {
            start: self.body(&mut children),
            condition: self.optional_sequence(children.expect()),
            step: self.optional_sequence(children.expect()),
            body: self.body(&mut children),
        }
    }

    fn declare_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut children = Children::of(pair);
        let ty = self.type_name(children.expect());
        let variables = children
            .map(|variable| {
                let mut parts = Children::of(variable);
                let name = self.name(&parts.expect());
                self.check_name(&name);
                (name, parts.next().map(|value| self.expression(value)))
            })
            .collect();
        StmtKind::Declare { ty, variables }
    }
}
