//! CODINGROOT: what an operation decodes, from where, and when.

use std::collections::{BTreeMap, BTreeSet};

use super::code;
use super::names::{Global, Table};
use super::operation::Draft;
use super::report::error;
use super::typing::{Typer, bits};
use crate::ast::{self, ExprKind};
use crate::check::walk::{Met, walk_expr};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, Group, InstanceId, InstanceRole, OperationOrGroup, PlaceKind, RootCase, RootDecode, RootElement,
    RootSource,
};
use crate::source::Span;

/// Resolves what an operation decodes.
pub(crate) fn resolve_coding_root(
    draft: &Draft<'_>,
    groups: &[Group],
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<RootElement> {
    let Some(section) = draft.sections.coding_root else {
        return Vec::new();
    };
    let mut resolver = Resolver { draft, groups, table, diagnostics };
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
    groups: &'a [Group],
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
        let mut members = Members::new(self.groups, target, selector.root.span);
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

/// The members that a SWITCH asks for, one CASE after the other.
pub(crate) struct Members<'a> {
    groups: &'a [Group],
    /// What chooses among them with all that it reaches; `None` if that was reported.
    reached: Option<BTreeSet<OperationOrGroup>>,
    selector: Span,
    /// By what the CASEs so far reach: the member of the first that does, and where it stands.
    taken: BTreeMap<OperationOrGroup, (OperationOrGroup, Span)>,
}

impl<'a> Members<'a> {
    /// Of a selector that has met no CASE yet.
    pub(crate) fn new(groups: &'a [Group], target: Option<OperationOrGroup>, selector: Span) -> Self {
        let reached = target.map(|target| {
            let mut reached = BTreeSet::new();
            walk_members(groups, target, &mut |next| reached.insert(next));
            reached
        });
        Members { groups, reached, selector, taken: BTreeMap::new() }
    }

    /// The member of the next CASE; reports one that cannot be chosen or was asked for before.
    pub(crate) fn take(
        &mut self,
        name: &ast::Name,
        table: &Table,
        diagnostics: &mut Diagnostics,
    ) -> Option<OperationOrGroup> {
        let member = table.names.operation(name, diagnostics)?;
        if !self.reached.as_ref()?.contains(&member) {
            let message = format!("`{}` is not among what is chosen here", name.text);
            let mut diagnostic = error(code::NO_SUCH_CASE, name.span, message, "never chosen")
                .secondary(self.selector, "the choice")
                .help("a CASE names a member of the selector's group, or of a group in it");
            if let Some(defined) = table.names.operations.get(&name.text) {
                diagnostic = diagnostic.secondary(defined.span, "defined here");
            }
            diagnostics.push(diagnostic);
            return None;
        }
        if let Some((other, first)) = self.taken.get(&member) {
            let (message, label) = match *other == member {
                true => (format!("two CASEs for `{}`", name.text), "first here"),
                false => (format!("this CASE for `{}` is never taken", name.text), "a group that has it"),
            };
            let diagnostic = error(code::DOUBLE_CASE, name.span, message, "never reached");
            diagnostics.push(diagnostic.secondary(*first, label));
            return None;
        }
        walk_members(self.groups, member, &mut |next| {
            let is_new = !self.taken.contains_key(&next);
            if is_new {
                self.taken.insert(next, (member, name.span));
            }
            is_new
        });
        Some(member)
    }
}

/// Walks a target and all that its groups have; the visitor says if a group is new to it.
fn walk_members(
    groups: &[Group],
    target: OperationOrGroup,
    is_new: &mut dyn FnMut(OperationOrGroup) -> bool,
) {
    let mut waiting = vec![target];
    while let Some(next) = waiting.pop() {
        if is_new(next)
            && let OperationOrGroup::Group(id) = next
        {
            waiting.extend(&groups[id.index()].members);
        }
    }
}

/// True if a target is the member, or a group that has it. Each group is walked once.
pub(crate) fn reaches(groups: &[Group], target: OperationOrGroup, member: OperationOrGroup) -> bool {
    let mut walked = BTreeSet::new();
    let mut waiting = vec![target];
    while let Some(next) = waiting.pop() {
        if next == member {
            return true;
        }
        if let OperationOrGroup::Group(id) = next
            && walked.insert(id)
        {
            waiting.extend(&groups[id.index()].members);
        }
    }
    false
}
