//! ACTIVATION: what an operation schedules, and when.

use std::collections::BTreeMap;

use super::case::Members;
use super::choice::too_much;
use super::code;
use super::names::Table;
use super::operation::{Draft, OperationScope};
use super::report::error;
use super::typing::{self, Subject, Typer, bits, warn_of_dead_case};
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::{Activation, Expr, ExprKind, InstanceId, InstanceRole, OperationOrGroup, RootElement};
use crate::source::Span;

/// Longest DELAY in cycles: every cycle of it may hold what an engine has to keep.
const MOST_DELAY_CYCLES: u128 = 1_000_000;

/// Resolves what an operation activates.
pub(crate) fn resolve_activation(
    draft: &Draft<'_>,
    coding_root: &[RootElement],
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<Activation> {
    let Some(section) = draft.sections.activation else {
        return Vec::new();
    };
    let mut sites = Sites::new();
    find_sites(coding_root, &mut Vec::new(), &mut sites);
    let scope = &draft.scope;
    let mut resolver = Resolver { draft, scope, table, diagnostics, sites, choices: Vec::new() };
    resolver.activations(&section.items)
}

/// What an alias has chosen.
type Choice = (InstanceId, OperationOrGroup);

/// Where the CODINGROOT decodes each instance.
type Sites = BTreeMap<InstanceId, Vec<Site>>;

/// A place at which the CODINGROOT decodes an instance, and what was chosen before.
struct Site {
    choices: Vec<Choice>,
    span: Span,
}

fn find_sites(elements: &[RootElement], choices: &mut Vec<Choice>, found: &mut Sites) {
    for element in elements {
        match element {
            RootElement::Decode(decode) => {
                let site = Site { choices: choices.clone(), span: decode.span };
                found.entry(decode.instance).or_default().push(site);
            }
            RootElement::Switch { selector, cases } => {
                let instance = selector.instance;
                let site = Site { choices: choices.clone(), span: selector.span };
                found.entry(instance).or_default().push(site);
                for case in cases {
                    choices.push((instance, case.member));
                    find_sites(&case.elements, choices, found);
                    choices.pop();
                }
            }
            RootElement::If { then, otherwise, .. } => {
                find_sites(then, choices, found);
                find_sites(otherwise, choices, found);
            }
        }
    }
}

struct Resolver<'a, 'd> {
    draft: &'a Draft<'a>,
    scope: &'a OperationScope,
    table: &'a Table,
    diagnostics: &'d mut Diagnostics,
    sites: Sites,
    /// What the CASEs around say was chosen.
    choices: Vec<Choice>,
}

impl Resolver<'_, '_> {
    fn activations(&mut self, items: &[ast::Activation]) -> Vec<Activation> {
        items.iter().filter_map(|item| self.activation(item)).collect()
    }

    fn activation(&mut self, item: &ast::Activation) -> Option<Activation> {
        match item {
            ast::Activation::Activate { target, delay } => self.activate(target, delay.as_ref()),
            ast::Activation::If { condition, then, otherwise, .. } => {
                let typer = Typer::new(self.table, Some(self.scope), self.diagnostics);
                let condition = typer.value_of(condition);
                let (then, otherwise) = (self.activations(then), self.activations(otherwise));
                Some(Activation::If { condition: condition?, then, otherwise })
            }
            ast::Activation::Switch { value, cases, default, .. } => {
                let default = default.as_deref().unwrap_or_default();
                match self.selector(value, cases) {
                    Some(instance) => self.member_switch(instance, value.span, cases, default),
                    None => self.value_switch(value, cases, default),
                }
            }
        }
    }

    fn activate(&mut self, target: &ast::Name, delay: Option<&ast::Expr>) -> Option<Activation> {
        let delay_cycles = match delay {
            Some(delay) => self.delay(delay),
            None => Some(0),
        };
        let instance = self.draft.mentioned(target)?;
        let found = &self.scope.instances[instance.index()];
        if matches!(found.target, OperationOrGroup::Group(_)) && found.role == InstanceRole::Activated {
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
        self.check_way(instance, target)?;
        Some(Activation::Activate { instance, delay_cycles: delay_cycles?, span: target.span })
    }

    /// The cycles of a DELAY.
    fn delay(&mut self, delay: &ast::Expr) -> Option<u32> {
        let cycles = typing::constant_in(self.table, self.scope, delay, self.diagnostics)?;
        let value = typing::extend(cycles.value, cycles.ty);
        let (found, label) = match (cycles.ty.signed, value as i128) {
            (true, negative @ ..0) => (negative.to_string(), "leads back in time"),
            _ if value > MOST_DELAY_CYCLES => (value.to_string(), "too long"),
            _ => return u32::try_from(value).ok(),
        };
        let message = format!("a DELAY of {found} cycles");
        let diagnostic = error(code::CYCLE_COUNT, delay.span, message, label)
            .help(format!("a DELAY is a constant from 0 to {MOST_DELAY_CYCLES}"));
        self.diagnostics.push(diagnostic);
        None
    }

    /// Reports an element that the CODINGROOT decodes in other cases alone.
    fn check_way(&mut self, instance: InstanceId, target: &ast::Name) -> Option<()> {
        let Some(sites) = self.sites.get(&instance) else { return Some(()) };
        for site in sites {
            match self.is_possible(site) {
                Some(true) => return Some(()),
                Some(false) => {}
                None => {
                    self.diagnostics.push(too_much(target.span));
                    return None;
                }
            }
        }
        let first = sites.first()?.span;
        let message = format!("`{}` is not decoded in this case", target.text);
        let diagnostic = error(code::NOT_DECODED, target.span, message, "nothing to activate")
            .secondary(first, "decoded in another case")
            .help("activate it in the CASE of the member for which the CODINGROOT decodes it");
        self.diagnostics.push(diagnostic);
        None
    }

    /// True if the choices around allow those of a site; `None` if too much was asked for that.
    fn is_possible(&self, site: &Site) -> Option<bool> {
        let all = &self.scope.choices;
        for (instance, member) in &self.choices {
            for (_, other) in site.choices.iter().filter(|(other, _)| other == instance) {
                if !all.reaches(*other, *member)? && !all.reaches(*member, *other)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// The alias whose member a SWITCH asks for: its CASEs name operations or groups.
    fn selector(&self, value: &ast::Expr, cases: &[(ast::Expr, Vec<ast::Activation>)]) -> Option<InstanceId> {
        let ast::ExprKind::Name(name) = &value.kind else { return None };
        let instance = self.scope.alias(&name.text).or_else(|| self.draft.mentioned(name))?;
        let names_operation = |label: &ast::Expr| match &label.kind {
            ast::ExprKind::Name(name) => self.table.names.operations.contains_key(&name.text),
            _ => false,
        };
        cases.iter().any(|(label, _)| names_operation(label)).then_some(instance)
    }

    /// A SWITCH on what an alias chose, as IFs one in the other.
    fn member_switch(
        &mut self,
        instance: InstanceId,
        selector: Span,
        cases: &[(ast::Expr, Vec<ast::Activation>)],
        default: &[ast::Activation],
    ) -> Option<Activation> {
        let found = &self.scope.instances[instance.index()];
        if !matches!(found.role, InstanceRole::Coded | InstanceRole::Root) {
            let message = format!("nothing chooses a member of `{}`", found.alias);
            let diagnostic = error(code::NOTHING_CHOSEN, selector, message, "not decoded here")
                .secondary(found.span, "the instance")
                .help("SWITCH asks for the member of an alias of CODING or CODINGROOT, or for a value");
            self.diagnostics.push(diagnostic);
            return None;
        }
        let mut members = Members::new(&self.scope.choices, Some(found.target), selector);
        let mut arms = Vec::new();
        for (label, items) in cases {
            let ast::ExprKind::Name(name) = &label.kind else {
                let message = "a value among CASEs that name members";
                let diagnostic = error(code::WRONG_KIND, label.span, message, "no operation or group");
                self.diagnostics.push(diagnostic.secondary(selector, "asks for a member"));
                continue;
            };
            let member = members.take(name, self.table, self.diagnostics);
            let Some(member) = member else { continue };
            self.choices.push((instance, member));
            let items = self.activations(items);
            self.choices.pop();
            arms.push((ExprKind::Chosen { instance, member }, label.span, items));
        }
        let default = self.activations(default);
        let chain = arms.into_iter().rev().fold(default, |otherwise, (kind, span, then)| {
            let condition = Expr { kind, ty: Some(bits(1)), span };
            vec![Activation::If { condition, then, otherwise }]
        });
        chain.into_iter().next()
    }

    /// A SWITCH on a run-time value.
    fn value_switch(
        &mut self,
        value: &ast::Expr,
        cases: &[(ast::Expr, Vec<ast::Activation>)],
        default: &[ast::Activation],
    ) -> Option<Activation> {
        let written = value.span;
        let value = Typer::new(self.table, Some(self.scope), self.diagnostics).promoted_value(value);
        let own = value.as_ref().map(|(_, ty)| Subject { ty: *ty, span: written, word: "CASE" });
        let value = value.map(|(value, _)| value);
        let ty = value.as_ref().and_then(|value| value.ty);
        let mut first: BTreeMap<u128, Span> = BTreeMap::new();
        let mut resolved = Vec::new();
        for (label, items) in cases {
            let constant = typing::constant(self.table, label, self.diagnostics);
            let items = self.activations(items);
            let (Some(constant), Some(ty)) = (constant, ty) else { continue };
            let pattern = typing::reduce(typing::extend(constant.value, constant.ty), ty.width_bits);
            if let Some(first) = first.insert(pattern, label.span) {
                let message = format!("`CASE {pattern:#x}` stands twice in one SWITCH");
                let diagnostic = error(code::DOUBLE_CASE, label.span, message, "again here");
                self.diagnostics.push(diagnostic.secondary(first, "first here"));
                continue;
            }
            if let Some(own) = own {
                warn_of_dead_case(pattern, own, label.span, self.diagnostics);
            }
            resolved.push((pattern, items));
        }
        let default = self.activations(default);
        Some(Activation::Switch { value: value?, cases: resolved, default })
    }
}
