//! Top-level definitions.

use pest::iterators::Pair;

use super::{Builder, Children, MAX_HEIGHT};
use crate::ast::{
    Constant, Expr, Function, Group, Include, Item, Operation, Parameter, Pseudo, PseudoItem,
    ResourceSection, Target, TargetField,
};
use crate::diagnostic::Diagnostic;
use crate::parse::code;
use crate::parse::grammar::Rule;
use crate::source::Span;

impl Builder<'_> {
    /// A top-level definition.
    pub(in crate::parse) fn item(&mut self, pair: Pair<'_, Rule>) -> Item {
        match pair.as_rule() {
            Rule::include => self.include(pair),
            Rule::constant => self.constant(pair),
            Rule::target => self.target(pair),
            Rule::resource => self.resource(pair),
            Rule::group => self.group(pair),
            Rule::operation => self.operation(pair),
            Rule::function => self.function(pair),
            _ => self.pseudo(pair),
        }
    }

    fn include(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let path = Children::of(pair).expect();
        Item::Include(Include { path: self.text(&path), span })
    }

    fn constant(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        Item::Constant(Constant { name, value: self.expression(children.expect()), span })
    }

    fn target(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        Item::Target(Target {
            fields: Children::of(pair).map(|field| self.target_field(field)).collect(),
            span,
        })
    }

    /// One field of a TARGET.
    pub(in crate::parse) fn target_field(&mut self, pair: Pair<'_, Rule>) -> TargetField {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let arguments = self.arguments(children.expect());
        TargetField { name, arguments, map: children.next().map(|map| self.name(&map)), span }
    }

    pub(super) fn arguments(&mut self, pair: Pair<'_, Rule>) -> Vec<Expr> {
        Children::of(pair).map(|argument| self.expression(argument)).collect()
    }

    fn resource(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let declarations = Children::of(pair).map(|declaration| self.declaration(declaration)).collect();
        Item::Resource(ResourceSection { declarations, span })
    }

    fn group(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        Item::Group(Group { name, members: self.names(&mut children), span })
    }

    fn operation(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let (name, stage) = self.operation_head(children.expect());
        Item::Operation(Operation {
            name,
            stage,
            sections: children.map(|section| self.section(section)).collect(),
            span,
        })
    }

    fn function(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let result = Children::of(children.expect()).next().map(|ty| self.type_name(ty));
        let name = self.name(&children.expect());
        let parameters = Children::of(children.expect()).map(|parameter| self.parameter(parameter)).collect();
        self.in_behavior = true;
        self.check_name(&name);
        self.in_behavior = false;
        Item::Function(Function {
            result,
            name,
            parameters,
            body: self.behavior_block(children.expect()),
            span,
        })
    }

    fn parameter(&mut self, pair: Pair<'_, Rule>) -> Parameter {
        let mut children = Children::of(pair);
        Parameter { ty: self.type_name(children.expect()), name: self.name(&children.expect()) }
    }

    fn pseudo(&mut self, pair: Pair<'_, Rule>) -> Item {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let pattern = Children::of(children.expect()).map(|item| self.pseudo_item(item)).collect();
        let condition =
            children.accept(Rule::pseudo_condition).map(|when| self.expression(Children::of(when).expect()));
        let results = Children::of(children.expect())
            .map(|result| Children::of(result).map(|item| self.pseudo_item(item)).collect())
            .collect();
        Item::Pseudo(Pseudo { pattern, condition, results, span })
    }

    fn pseudo_item(&mut self, pair: Pair<'_, Rule>) -> PseudoItem {
        match pair.as_rule() {
            Rule::text => PseudoItem::Text(self.text(&pair)),
            Rule::join => PseudoItem::Join(self.span(&pair)),
            Rule::name => PseudoItem::Name(self.name(&pair)),
            Rule::expression => PseudoItem::Expr(self.expression(pair)),
            rule => {
                let mut children = Children::of(pair);
                let name = self.name(&children.expect());
                let second = children.expect();
                match rule {
                    Rule::pseudo_value => PseudoItem::Value { name, format: self.format(second) },
                    Rule::pseudo_words => PseudoItem::Words { name, words: self.text(&second) },
                    _ => PseudoItem::Operand { name, target: self.name(&second) },
                }
            }
        }
    }

    /// Goes one level down where no bracket is, as in `ELSE IF`; false if that is too deep.
    pub(super) fn descend(&mut self, pair: &Pair<'_, Rule>) -> bool {
        if self.depth >= MAX_HEIGHT {
            let span = self.span(pair);
            self.too_deep(span, "conditions");
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn repeated(&mut self, span: Span, what: &str) {
        self.problem(
            Diagnostic::error(code::UNEXPECTED, span, format!("{what} is given twice"))
                .label("expected it once"),
        );
    }
}
