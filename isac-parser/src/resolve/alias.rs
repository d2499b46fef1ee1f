//! Register ALIASes: names for elements, slices and concatenations of registers, each after those
//! that it is made of.

use std::cell::Cell;

use super::collect::Definitions;
use super::names::{Alias, Definition, Global, Table};
use super::order::dependency_order;
use super::report::{count, error, warning};
use super::typing;
use super::{code, expression_names};
use crate::ast::{AliasDeclaration, RegisterOption};
use crate::diagnostic::Diagnostics;
use crate::model::{Place, PlaceKind, RegisterPlace};

/// How deep the places of an ALIAS may nest.
const MOST_DEEP: usize = 200;

/// Resolves the ALIASes into [`Table::aliases`].
pub(crate) fn resolve_aliases(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    let aliases = &definitions.aliases;
    let needs: Vec<Vec<usize>> = aliases.iter().map(|alias| aliases_in(alias, table)).collect();
    let order = dependency_order(&needs);
    table.aliases = vec![None; aliases.len()];
    for cycle in &order.cycles {
        report_cycle(cycle, aliases, diagnostics);
    }
    for index in order.sorted {
        if !order.circular.contains(&index) {
            table.aliases[index] = resolve_alias(aliases[index], table, diagnostics);
        }
    }
}

fn aliases_in(alias: &AliasDeclaration, table: &Table) -> Vec<usize> {
    let mut found = Vec::new();
    expression_names::visit_names(&alias.place, &mut |name| {
        if let Some(definition) = table.names.globals.get(&name.text)
            && let Global::Alias(index) = definition.what
        {
            found.push(index);
        }
    });
    found
}

fn report_cycle(cycle: &[usize], aliases: &[&AliasDeclaration], diagnostics: &mut Diagnostics) {
    let Some((&first, rest)) = cycle.split_first() else {
        return;
    };
    let name = &aliases[first].name;
    let message = format!("the ALIAS `{}` stands for itself", name.text);
    let mut diagnostic = error(code::CYCLIC_ALIAS, name.span, message, "made of itself")
        .help("in the end an ALIAS has to name registers; it has no storage of its own");
    for &index in rest {
        diagnostic = diagnostic.secondary(aliases[index].name.span, "through this");
    }
    diagnostics.push(diagnostic);
}

fn resolve_alias(
    declaration: &AliasDeclaration,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Alias> {
    check_options(declaration, diagnostics);
    let what = "the width of an ALIAS";
    let width = typing::number_within(table, &declaration.width, what, 1..=256, diagnostics);
    let found = names_registers(declaration, table, diagnostics)
        .then(|| typing::register_place(table, &declaration.place, "an ALIAS", diagnostics))
        .flatten();
    let (width, (place, parts)) = (width?, found?);
    let size = size_within(&place, MOST_DEEP).or_else(|| {
        let name = &declaration.name;
        let message = format!("the ALIAS `{}` is made of others more than {MOST_DEEP} deep", name.text);
        let diagnostic =
            error(code::TEXTS_TOO_DEEP, name.span, message, "too deep").help("name the registers themselves");
        diagnostics.push(diagnostic);
        None
    })?;
    let width_bits = place.ty.width_bits;
    if width != u128::from(width_bits) {
        let message = format!(
            "the ALIAS `{}` has {}, but what it stands for has {}",
            declaration.name.text,
            count(width, "bit"),
            count(width_bits, "bit"),
        );
        let span = declaration.width.span;
        let diagnostic = error(code::ALIAS_WIDTH, span, message, "another width")
            .secondary(declaration.place.span, format!("has {}", count(width_bits, "bit")))
            .help(format!("declare it as `bit[{width_bits}]`, or take a slice"));
        diagnostics.push(diagnostic);
        return None;
    }
    let (name, span) = (declaration.name.text.clone(), declaration.name.span);
    // It is not mentioned to be the PC, but used all the same.
    let is_used = Cell::new(declaration.pc.is_some());
    Some(Alias { place, names: RegisterPlace { name, span, width_bits, parts }, is_used, size })
}

/// Reports the first map or FUNCTION that an ALIAS mentions: those have no meaning yet where
/// ALIASes get theirs.
fn names_registers(declaration: &AliasDeclaration, table: &Table, diagnostics: &mut Diagnostics) -> bool {
    let mut other = None;
    expression_names::visit_names(&declaration.place, &mut |name| {
        let found = table.names.globals.get(&name.text);
        if other.is_none()
            && let Some(Definition { what: what @ (Global::Map(_) | Global::Function(_)), span, .. }) = found
        {
            other = Some((name, what.kind(), *span));
        }
    });
    let Some((name, kind, span)) = other else { return true };
    let message = format!("an ALIAS stands for registers, and `{}` is {kind}", name.text);
    let diagnostic = error(code::NOT_REGISTERS, name.span, message, "no register")
        .secondary(span, "defined here")
        .help("name registers, elements and slices with constant bounds, joined by `::`");
    diagnostics.push(diagnostic);
    false
}

/// How many places a place of registers is made of; `None` if they nest deeper than that.
fn size_within(place: &Place, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let below = match &place.kind {
        PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => size_within(base, depth)?,
        PlaceKind::Concat(parts) => {
            parts.iter().map(|part| size_within(part, depth)).sum::<Option<usize>>()?
        }
        _ => 0,
    };
    Some(below + 1)
}

/// Warns of ALIASes that nothing mentions, once everything is resolved.
pub(crate) fn warn_of_unused_aliases(table: &Table, diagnostics: &mut Diagnostics) {
    if diagnostics.has_errors() {
        return;
    }
    let aliases = table.aliases.iter().flatten();
    for RegisterPlace { name, span, .. } in aliases.filter(|alias| !alias.is_used.get()).map(|a| &a.names) {
        let message = format!("the ALIAS `{name}` is never used");
        diagnostics.push(warning(code::UNUSED, *span, message, "not used"));
    }
}

/// Only RESET makes sense, and only where the ALIAS is the PC: registers have their own.
fn check_options(declaration: &AliasDeclaration, diagnostics: &mut Diagnostics) {
    for option in &declaration.options {
        let (word, span) = match option {
            RegisterOption::Reset { .. } if declaration.pc.is_some() => continue,
            RegisterOption::Reset { span, .. } => ("RESET", *span),
            RegisterOption::Hardwired { span, .. } => ("HARDWIRED", *span),
            RegisterOption::Names { span, .. } => ("NAMES", *span),
        };
        let message = format!("{word} of the ALIAS `{}`", declaration.name.text);
        let diagnostic = error(code::BAD_OPTION, span, message, "an ALIAS has no storage of its own")
            .secondary(declaration.name.span, "the ALIAS")
            .help("give the option to the registers; a PC ALIAS may have RESET");
        diagnostics.push(diagnostic);
    }
}
