//! Mentions within expressions.

use isac_parser::ast::{Expr, ExprKind, Name};

use super::walk::Walk;
use super::{Kind, SymbolId};

/// The name that an expression is, in parentheses or not.
pub(super) fn plain_name(expression: &Expr) -> Option<&Name> {
    match &expression.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Paren(inner) => plain_name(inner),
        _ => None,
    }
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn expression(&mut self, expression: &'a Expr) {
        match &expression.kind {
            ExprKind::Number(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) => self.name(name),
            ExprKind::Member { base, member } => {
                self.expression(base);
                self.member(base, member);
            }
            ExprKind::Call { callee, arguments } => {
                self.expression(callee);
                let pipeline = self.pipeline_asked(callee);
                let asks_for_unit = plain_name(callee).is_some_and(|name| name.text == "coded_size");
                for (position, argument) in arguments.iter().enumerate() {
                    match (&pipeline, plain_name(argument)) {
                        (Some(pipeline), Some(stage)) if position == 0 => self.stage(pipeline, stage),
                        (_, Some(unit)) if position == 0 && asks_for_unit => self.unit(unit),
                        _ => self.expression(argument),
                    }
                }
            }
            ExprKind::Cast { ty, operand } => {
                self.type_name(ty);
                self.expression(operand);
            }
            ExprKind::Unary { operand: inner, .. }
            | ExprKind::Step { place: inner, .. }
            | ExprKind::Paren(inner) => self.expression(inner),
            ExprKind::Index { base: left, index: right }
            | ExprKind::Binary { left, right, .. }
            | ExprKind::Assign { place: left, value: right, .. }
            | ExprKind::Comma { left, right } => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Slice { base: a, high: b, low: c }
            | ExprKind::Conditional { condition: a, then: b, otherwise: c } => {
                self.expression(a);
                self.expression(b);
                self.expression(c);
            }
            ExprKind::Concat(parts) => parts.iter().for_each(|part| self.expression(part)),
        }
    }

    /// A name by itself, from the innermost scope outwards.
    pub(super) fn name(&mut self, name: &Name) {
        if let Some(symbol) = self.lookup(&name.text) {
            self.index.mention(name, symbol);
        }
    }

    fn lookup(&self, name: &str) -> Option<SymbolId> {
        let local = || self.blocks.iter().rev().find_map(|(block, _)| block.get(name));
        let inner = || self.index.inner.get(self.operation?)?.get(name);
        local().or_else(inner).or_else(|| self.index.globals.get(name)).copied()
    }

    /// The pipeline whose service is called, as `pipe.stall`.
    fn pipeline_asked(&self, callee: &Expr) -> Option<String> {
        let ExprKind::Member { base, .. } = &callee.kind else { return None };
        let name = plain_name(base)?;
        let symbol = self.lookup(&name.text)?;
        (self.index.symbols[symbol].kind == Kind::Pipeline).then(|| name.text.clone())
    }

    /// True if an expression is an alias of the operation, its own or by REFERENCE.
    pub(super) fn is_alias(&self, expression: &Expr) -> bool {
        let symbol = plain_name(expression).and_then(|name| self.lookup(&name.text));
        let kind = symbol.map(|symbol| self.index.symbols[symbol].kind);
        matches!(kind, Some(Kind::Instance | Kind::Reference | Kind::Operation | Kind::Group))
    }

    /// `alias.field`: a field of every operation that the alias may choose.
    fn member(&mut self, base: &Expr, member: &Name) {
        let (Some(operation), true) = (self.operation, self.is_alias(base)) else { return };
        let Some(alias) = plain_name(base) else { return };
        let fields: Vec<SymbolId> = self
            .index
            .choices(operation, &alias.text)
            .into_iter()
            .filter_map(|choice| self.index.inner.get(choice)?.get(&member.text).copied())
            .collect();
        let Some(&first) = fields.first() else { return };
        self.index.mention(member, first);
        fields.into_iter().for_each(|field| self.index.unite(first, field));
    }
}
