//! The sections of an OPERATION.

use pest::iterators::Pair;

use super::{Builder, Children};
use crate::ast::{
    Activation, ActivationSection, AssemblerItem, AssemblerSection, BehaviorSection, CodingItem,
    CodingRootSection, CodingSection, ExpressionSection, Format, InstanceSection, LocalSection, Name,
    ReferenceSection, RootDecode, RootElement, Section, WhenSection, Writer,
};
use crate::parse::grammar::Rule;

impl Builder<'_> {
    /// Name and stage of an OPERATION.
    pub(in crate::parse) fn operation_head(&mut self, pair: Pair<'_, Rule>) -> (Name, Option<(Name, Name)>) {
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let stage = children.next().map(|pipeline| (self.name(&pipeline), self.name(&children.expect())));
        (name, stage)
    }

    /// One section of an OPERATION.
    pub(in crate::parse) fn section(&mut self, pair: Pair<'_, Rule>) -> Section {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut children = Children::of(pair);
        match rule {
            Rule::instance => {
                let target = self.name(&children.expect());
                Section::Instance(InstanceSection { target, aliases: self.names(&mut children), span })
            }
            Rule::reference => {
                Section::Reference(ReferenceSection { names: self.names(&mut children), span })
            }
            Rule::local => Section::Local(self.local(children, span)),
            Rule::assembler => {
                let items = children.map(|item| self.assembler_item(item)).collect();
                Section::Assembler(AssemblerSection { items, span })
            }
            Rule::coding => Section::Coding(self.coding(children, span)),
            Rule::tail => Section::Tail(self.coding(children, span)),
            Rule::when => Section::When(WhenSection { condition: self.expression(children.expect()), span }),
            Rule::meaning => {
                let value = self.expression(children.expect());
                let writer = children.next().map(|writer| self.writer(writer));
                Section::Expression(ExpressionSection { value, writer, span })
            }
            Rule::behavior => {
                Section::Behavior(BehaviorSection { body: self.behavior_block(children.expect()), span })
            }
            Rule::activation => {
                Section::Activation(ActivationSection { items: self.activations(children), span })
            }
            _ => Section::CodingRoot(CodingRootSection { elements: self.root_elements(children), span }),
        }
    }

    fn writer(&mut self, pair: Pair<'_, Rule>) -> Writer {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let arguments = children.next().map(|arguments| self.arguments(arguments)).unwrap_or_default();
        Writer { name, arguments, span }
    }

    fn local(&mut self, children: Children<'_>, span: crate::source::Span) -> LocalSection {
        let variables = children
            .map(|variables| {
                let mut parts = Children::of(variables);
                (self.type_name(parts.expect()), self.names(&mut parts))
            })
            .collect();
        LocalSection { variables, span }
    }

    fn assembler_item(&mut self, pair: Pair<'_, Rule>) -> AssemblerItem {
        match pair.as_rule() {
            Rule::text => AssemblerItem::Text(self.text(&pair)),
            Rule::join => AssemblerItem::Join(self.span(&pair)),
            Rule::assembler_field => {
                let mut children = Children::of(pair);
                let name = self.name(&children.expect());
                AssemblerItem::Field { name, format: self.format(children.expect()) }
            }
            _ => AssemblerItem::Name(self.name(&pair)),
        }
    }

    pub(super) fn format(&mut self, pair: Pair<'_, Rule>) -> Format {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let arguments = children.next().map(|arguments| self.arguments(arguments)).unwrap_or_default();
        Format { name, arguments, span }
    }

    fn coding(&mut self, children: Children<'_>, span: crate::source::Span) -> CodingSection {
        CodingSection { items: children.map(|item| self.coding_item(item)).collect(), span }
    }

    fn coding_item(&mut self, pair: Pair<'_, Rule>) -> CodingItem {
        let span = self.span(&pair);
        if pair.as_rule() == Rule::bits {
            return CodingItem::Bits(self.bits(pair));
        }
        let rule = pair.as_rule();
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        if rule == Rule::coding_field {
            return CodingItem::Field { name, pattern: self.bits(children.expect()) };
        }
        let slice = children.next().map(|high| {
            let high = self.expression(high);
            let low = children.next().map_or_else(|| high.clone(), |low| self.expression(low));
            (high, low)
        });
        CodingItem::Name { name, slice, span }
    }

    fn activations(&mut self, children: Children<'_>) -> Vec<Activation> {
        children.map(|item| self.activation(item)).collect()
    }

    fn activation_block(&mut self, pair: Pair<'_, Rule>) -> Vec<Activation> {
        self.activations(Children::of(pair))
    }

    fn activation(&mut self, pair: Pair<'_, Rule>) -> Activation {
        match pair.as_rule() {
            Rule::activation_if => self.activation_if(pair),
            Rule::activation_switch => self.activation_switch(pair),
            _ => {
                let mut children = Children::of(pair);
                let target = self.name(&children.expect());
                Activation::Activate { target, delay: children.next().map(|delay| self.expression(delay)) }
            }
        }
    }

    fn activation_if(&mut self, pair: Pair<'_, Rule>) -> Activation {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let condition = self.expression(children.expect());
        let then = self.activation_block(children.expect());
        let otherwise = match children.next().map(|otherwise| Children::of(otherwise).expect()) {
            None => Vec::new(),
            Some(block) if block.as_rule() == Rule::activation_block => self.activation_block(block),
            Some(chained) if self.descend(&chained) => {
                let nested = self.activation(chained);
                self.depth -= 1;
                vec![nested]
            }
            Some(_) => Vec::new(),
        };
        Activation::If { condition, then, otherwise, span }
    }

    fn activation_switch(&mut self, pair: Pair<'_, Rule>) -> Activation {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let value = self.expression(children.expect());
        let mut cases = Vec::new();
        let mut default = None;
        for case in children {
            let rule = case.as_rule();
            let mut parts = Children::of(case);
            if rule == Rule::activation_default {
                default = Some(self.activation_block(parts.expect()));
            } else {
                cases.push((self.expression(parts.expect()), self.activation_block(parts.expect())));
            }
        }
        Activation::Switch { value, cases, default, span }
    }

    fn root_elements(&mut self, children: Children<'_>) -> Vec<RootElement> {
        children.map(|element| self.root_element(element)).collect()
    }

    fn root_block(&mut self, pair: Pair<'_, Rule>) -> Vec<RootElement> {
        self.root_elements(Children::of(pair))
    }

    fn root_element(&mut self, pair: Pair<'_, Rule>) -> RootElement {
        match pair.as_rule() {
            Rule::root_if => self.root_if(pair),
            Rule::root_switch => self.root_switch(pair),
            _ => RootElement::Decode(self.root_decode(pair)),
        }
    }

    fn root_if(&mut self, pair: Pair<'_, Rule>) -> RootElement {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let condition = self.expression(children.expect());
        let then = self.root_block(children.expect());
        let otherwise = match children.next().map(|otherwise| Children::of(otherwise).expect()) {
            None => Vec::new(),
            Some(block) if block.as_rule() == Rule::root_block => self.root_block(block),
            Some(chained) if self.descend(&chained) => {
                let nested = self.root_element(chained);
                self.depth -= 1;
                vec![nested]
            }
            Some(_) => Vec::new(),
        };
        RootElement::If { condition, then, otherwise, span }
    }

    fn root_switch(&mut self, pair: Pair<'_, Rule>) -> RootElement {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let selector = self.root_decode(children.expect());
        let cases = children
            .map(|case| {
                let mut parts = Children::of(case);
                (self.name(&parts.expect()), self.root_block(parts.expect()))
            })
            .collect();
        RootElement::Switch { selector, cases, span }
    }

    fn root_decode(&mut self, pair: Pair<'_, Rule>) -> RootDecode {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let root = self.name(&children.expect());
        let source = self.expression(children.expect());
        RootDecode { root, source, at: children.next().map(|at| self.expression(at)), span }
    }
}
