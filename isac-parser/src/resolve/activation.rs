//! ACTIVATION and CODINGROOT: what an operation schedules and what it decodes.

use super::code;
use super::names::{Global, Table};
use super::operation::{Draft, OperationScope};
use super::report::{error, not_yet};
use super::typing::{self, Typer, bits};
use crate::ast::{self, ExprKind};
use crate::diagnostic::Diagnostics;
use crate::model::{Activation, InstanceRole, OperationOrGroup, RootDecode, RootElement};
use crate::source::Span;

/// Resolves what an operation activates.
pub(crate) fn resolve_activation(
    draft: &Draft<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<Activation> {
    let Some(section) = draft.sections.activation else {
        return Vec::new();
    };
    Resolver { draft, scope: &draft.scope, table, diagnostics }.activations(&section.items)
}

/// Resolves what an operation decodes.
pub(crate) fn resolve_coding_root(
    draft: &Draft<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<RootElement> {
    let Some(section) = draft.sections.coding_root else {
        return Vec::new();
    };
    let mut resolver = Resolver { draft, scope: &draft.scope, table, diagnostics };
    let mut elements: Vec<RootElement> = Vec::new();
    for element in &section.elements {
        let Some(RootElement::Decode(decode)) = resolver.root_element(element) else {
            continue;
        };
        let first = elements
            .iter()
            .find_map(|RootElement::Decode(other)| (other.instance == decode.instance).then_some(other.span));
        match first {
            Some(first) => resolver.decoded_twice(decode.span, first),
            None => elements.push(RootElement::Decode(decode)),
        }
    }
    elements
}

struct Resolver<'a, 'd> {
    draft: &'a Draft<'a>,
    scope: &'a OperationScope,
    table: &'a Table,
    diagnostics: &'d mut Diagnostics,
}

impl Resolver<'_, '_> {
    fn activations(&mut self, items: &[ast::Activation]) -> Vec<Activation> {
        items.iter().filter_map(|item| self.activation(item)).collect()
    }

    fn activation(&mut self, item: &ast::Activation) -> Option<Activation> {
        match item {
            ast::Activation::Activate { target, delay } => {
                if let Some(delay) = delay
                    && typing::number(self.table, delay, self.diagnostics)? > 0
                {
                    let what = "a DELAY of more than 0 is";
                    self.diagnostics.push(not_yet(code::LATER_FORM, delay.span, what));
                    return None;
                }
                let instance = self.draft.mentioned(target)?;
                let found = &self.scope.instances[instance.index()];
                let decoded = matches!(found.role, InstanceRole::Coded | InstanceRole::Root);
                if matches!(found.target, OperationOrGroup::Group(_)) && !decoded {
                    let message = format!("nothing chooses a member of `{}`", target.text);
                    let label = "a group that is not decoded here";
                    let mut diagnostic = error(code::NOTHING_CHOSEN, target.span, message, label)
                        .help("name it in CODING or CODINGROOT, or activate one operation");
                    if found.span != target.span {
                        diagnostic = diagnostic.secondary(found.span, "the instance");
                    }
                    self.diagnostics.push(diagnostic);
                    return None;
                }
                Some(Activation::Activate { instance, delay_cycles: 0, span: target.span })
            }
            ast::Activation::If { condition, then, otherwise, .. } => {
                let typer = Typer::new(self.table, Some(self.scope), self.diagnostics);
                let condition = typer.value_of(condition);
                let (then, otherwise) = (self.activations(then), self.activations(otherwise));
                Some(Activation::If { condition: condition?, then, otherwise })
            }
            ast::Activation::Switch { span, .. } => {
                let what = "SWITCH in an ACTIVATION is";
                self.diagnostics.push(not_yet(code::LATER_FORM, *span, what));
                None
            }
        }
    }

    fn root_element(&mut self, element: &ast::RootElement) -> Option<RootElement> {
        match element {
            ast::RootElement::Decode(decode) => self.root_decode(decode),
            ast::RootElement::Switch { span, .. } => {
                let what = "SWITCH in a CODINGROOT is";
                self.diagnostics.push(not_yet(code::LATER_FORM, *span, what));
                None
            }
            ast::RootElement::If { span, .. } => {
                let what = "IF in a CODINGROOT is";
                self.diagnostics.push(not_yet(code::LATER_FORM, *span, what));
                None
            }
        }
    }

    fn decoded_twice(&mut self, span: Span, first: Span) {
        let message = "one alias decodes two words";
        let diagnostic = error(code::CODED_TWICE, span, message, "again here")
            .secondary(first, "first here")
            .help("INSTANCE an alias for each word");
        self.diagnostics.push(diagnostic);
    }

    fn root_decode(&mut self, decode: &ast::RootDecode) -> Option<RootElement> {
        let instance = self.draft.mentioned(&decode.root);
        let source = &decode.source;
        if let Some(at) = &decode.at {
            let what = "decoding a word that a register holds is";
            self.diagnostics.push(not_yet(code::LATER_FORM, source.span.to(at.span), what));
            return None;
        }
        let ExprKind::Index { base, index } = &source.kind else {
            self.other_source(source);
            return None;
        };
        let ExprKind::Name(name) = &base.kind else {
            self.other_source(source);
            return None;
        };
        let found = self.table.names.global(name, "memory map", self.diagnostics)?;
        let Global::Map(map) = found.what else {
            self.other_source(source);
            return None;
        };
        // A map whose declaration was refused has no address width, but the address has names.
        let address_bits = self.table.map(map).map_or(64, |map| map.address_bits);
        let typer = Typer::new(self.table, Some(self.scope), self.diagnostics);
        let address = typer.value_as(index, bits(address_bits))?;
        let span = decode.span;
        Some(RootElement::Decode(RootDecode { instance: instance?, map, address, span }))
    }

    /// Reports a source that is no `map[address]`, unless something in it was reported.
    fn other_source(&mut self, source: &ast::Expr) {
        let typer = Typer::new(self.table, Some(self.scope), self.diagnostics);
        if typer.value_of(source).is_some() {
            let what = "decoding from anything but `map[address]` is";
            self.diagnostics.push(not_yet(code::LATER_FORM, source.span, what));
        }
    }
}
