//! CODINGROOT: what an operation decodes, from where, and when.

use std::collections::BTreeMap;

use super::case::Members;
use super::code;
use super::names::{Global, Table};
use super::operation::Draft;
use super::report::error;
use super::typing::{Typer, bits};
use crate::ast::{self, ExprKind};
use crate::check::walk::{Met, walk_expr};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, InstanceId, InstanceRole, PlaceKind, RootCase, RootDecode, RootElement, RootSource,
};
use crate::source::Span;

/// Resolves what an operation decodes.
pub(crate) fn resolve_coding_root(
    draft: &Draft<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<RootElement> {
    let Some(section) = draft.sections.coding_root else {
        return Vec::new();
    };
    let mut resolver = Resolver { draft, table, diagnostics };
    resolver.elements(&section.elements, &mut Paths::default())
}

/// What has been decoded on the ways that lead to an element.
#[derive(Clone, Default)]
struct Paths {
    /// On every way.
    always: BTreeMap<InstanceId, Span>,
    /// On one at least.
    maybe: BTreeMap<InstanceId, Span>,
}

impl Paths {
    /// The ways of both.
    fn join(&mut self, other: Paths) {
        self.always.retain(|instance, _| other.always.contains_key(instance));
        self.maybe.extend(other.maybe);
    }
}

struct Resolver<'a, 'd> {
    draft: &'a Draft<'a>,
    table: &'a Table,
    diagnostics: &'d mut Diagnostics,
}

impl Resolver<'_, '_> {
    fn elements(&mut self, elements: &[ast::RootElement], paths: &mut Paths) -> Vec<RootElement> {
        elements.iter().filter_map(|element| self.element(element, paths)).collect()
    }

    fn element(&mut self, element: &ast::RootElement, paths: &mut Paths) -> Option<RootElement> {
        match element {
            ast::RootElement::Decode(decode) => self.decode(decode, paths).map(RootElement::Decode),
            ast::RootElement::Switch { selector, cases, .. } => self.switch(selector, cases, paths),
            ast::RootElement::If { condition, then, otherwise, .. } => {
                let condition = self.typer().value_of(condition);
                if let Some(condition) = &condition {
                    self.check_decoded(condition, paths);
                }
                let mut other = paths.clone();
                let then = self.elements(then, paths);
                let otherwise = self.elements(otherwise, &mut other);
                paths.join(other);
                Some(RootElement::If { condition: condition?, then, otherwise })
            }
        }
    }

    fn typer(&mut self) -> Typer<'_> {
        Typer::new(self.table, Some(&self.draft.scope), self.diagnostics)
    }

    fn decode(&mut self, decode: &ast::RootDecode, paths: &mut Paths) -> Option<RootDecode> {
        let instance = self.draft.mentioned(&decode.root);
        let source = self.source(decode, paths);
        let instance = instance?;
        if let Some(first) = paths.maybe.get(&instance).copied() {
            self.decoded_twice(decode.span, first);
            return None;
        }
        paths.always.insert(instance, decode.span);
        paths.maybe.insert(instance, decode.span);
        Some(RootDecode { instance, source: source?, span: decode.span })
    }

    fn decoded_twice(&mut self, span: Span, first: Span) {
        let message = "one alias decodes two words";
        let diagnostic = error(code::CODED_TWICE, span, message, "again here")
            .secondary(first, "first here")
            .help("INSTANCE an alias for each word");
        self.diagnostics.push(diagnostic);
    }

    fn source(&mut self, decode: &ast::RootDecode, paths: &Paths) -> Option<RootSource> {
        let source = match self.map_source(&decode.source)? {
            Some(source) => source,
            None => {
                let value = self.typer().source_of(&decode.source)?;
                let pc_bits = self.table.pc_bits();
                let address = match &decode.at {
                    Some(at) => Some(self.typer().value_as(at, bits(pc_bits))?),
                    None => None,
                };
                RootSource::Value { value, address }
            }
        };
        for expr in source.expressions() {
            self.check_decoded(expr, paths);
        }
        if let Some(at) = &decode.at {
            self.check_at(at, &source, decode, paths)?;
        }
        Some(source)
    }

    /// `map[address]`; the inner `None` is any other source.
    fn map_source(&mut self, source: &ast::Expr) -> Option<Option<RootSource>> {
        let ExprKind::Index { base, index } = &source.kind else { return Some(None) };
        let ExprKind::Name(name) = &base.kind else { return Some(None) };
        if self.draft.scope.names.contains_key(&name.text) {
            return Some(None);
        }
        let found = self.table.names.global(name, "memory map", self.diagnostics)?;
        let Global::Map(map) = found.what else { return Some(None) };
        // A map whose declaration was refused has no address width, but the address has names.
        let address_bits = self.table.map(map).map_or(64, |map| map.address_bits);
        let address = self.typer().value_as(index, bits(address_bits))?;
        Some(Some(RootSource::Map { map, address }))
    }

    /// AT gives the address of an instruction whose first word a value holds.
    fn check_at(
        &mut self,
        at: &ast::Expr,
        source: &RootSource,
        decode: &ast::RootDecode,
        paths: &Paths,
    ) -> Option<()> {
        let (message, label, place) = match (source, paths.always.values().min_by_key(|span| span.start)) {
            (RootSource::Map { .. }, _) => {
                ("a word that is fetched stands where it is fetched", "fetched here", decode.source.span)
            }
            (_, Some(first)) => ("an instruction is where its first word is", "the first word", *first),
            _ => return Some(()),
        };
        let diagnostic = error(code::BAD_SOURCE, at.span, message, "this AT says nothing")
            .secondary(place, label)
            .help("AT stands at the first element, where a register holds its word; leave it out here");
        self.diagnostics.push(diagnostic);
        None
    }

    fn switch(
        &mut self,
        selector: &ast::RootDecode,
        cases: &[(ast::Name, Vec<ast::RootElement>)],
        paths: &mut Paths,
    ) -> Option<RootElement> {
        let decoded = self.decode(selector, paths);
        let instance = self.draft.mentioned(&selector.root);
        let target = instance.map(|instance| self.draft.scope.instances[instance.index()].target);
        let mut members = Members::new(&self.draft.scope.choices, target, selector.root.span);
        let mut resolved = Vec::new();
        let before = paths.clone();
        for (name, elements) in cases {
            let mut inside = before.clone();
            let member = members.take(name, self.table, self.diagnostics);
            let elements = self.elements(elements, &mut inside);
            paths.join(inside);
            resolved.extend(member.map(|member| RootCase { member, name: name.text.clone(), elements }));
        }
        Some(RootElement::Switch { selector: decoded?, cases: resolved })
    }

    /// Reports what an expression uses and what may not have been decoded by then.
    fn check_decoded(&mut self, expr: &Expr, paths: &Paths) {
        let mut used = Vec::new();
        walk_expr(expr, &mut |met| match met {
            Met::Expr(expr) => used.extend(expr.used_instance().map(|instance| (instance, expr.span))),
            Met::Place(place) => {
                if let PlaceKind::Operand(instance) = place.kind {
                    used.push((instance, place.span));
                }
            }
        });
        for (instance, span) in used {
            let table = &self.draft.scope.instances[instance.index()];
            if table.role != InstanceRole::Root || paths.always.contains_key(&instance) {
                continue;
            }
            let message = format!("`{}` is used before it is decoded", table.alias);
            let mut diagnostic = error(code::NOT_DECODED, span, message, "not known here");
            diagnostic = match (paths.maybe.get(&instance), self.place_of(&table.alias)) {
                (Some(place), _) => diagnostic.secondary(*place, "decoded on some ways to here alone"),
                (None, Some(place)) => diagnostic.secondary(place, "decoded here"),
                (None, None) => diagnostic,
            };
            self.diagnostics.push(diagnostic.help("elements are decoded in the order of the text"));
        }
    }

    /// Where an alias is decoded.
    fn place_of(&self, alias: &str) -> Option<Span> {
        let mut mentions = Vec::new();
        super::operation::roots(&self.draft.sections.coding_root?.elements, &mut mentions);
        mentions.into_iter().find(|name| name.text == alias).map(|name| name.span)
    }
}
