//! CONSTANTs: each after those that it mentions, with the values that `-D` gives instead.

use std::collections::BTreeMap;

use super::collect::Definitions;
use super::names::{Constant, Global, Table};
use super::order::dependency_order;
use super::report::error;
use super::suggestion::did_you_mean;
use super::typing::{self, bits};
use super::{code, expression_names};
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::Type;
use crate::source::{FileId, Span};

/// So many names are listed where one is unknown.
const MOST_NAMED: usize = 10;

/// Evaluates the CONSTANTs into [`Table::constants`].
pub(crate) fn resolve_constants(
    definitions: &Definitions<'_>,
    overrides: &BTreeMap<String, u128>,
    root: FileId,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    check_overrides(overrides, root, table, diagnostics);
    let constants = &definitions.constants;
    let needs: Vec<Vec<usize>> = constants
        .iter()
        .map(|constant| match overrides.contains_key(&constant.name.text) {
            true => Vec::new(),
            false => constants_in(&constant.value, table),
        })
        .collect();
    let order = dependency_order(&needs);
    table.constants = vec![None; constants.len()];
    for cycle in &order.cycles {
        report_cycle(cycle, constants, diagnostics);
    }
    for index in order.sorted {
        if order.circular.contains(&index) {
            continue;
        }
        let constant = constants[index];
        table.constants[index] = match overrides.get(&constant.name.text) {
            Some(value) => Some(overriding(*value)),
            None => typing::constant(table, &constant.value, diagnostics),
        };
    }
}

/// A value from the command line has the type that a hexadecimal number has.
fn overriding(value: u128) -> Constant {
    let used = u128::BITS - value.leading_zeros();
    let width = [32, 64, 128].into_iter().find(|width| used <= *width).unwrap_or(u128::BITS);
    let ty = if used < width { Type { width_bits: width, signed: true } } else { bits(width) };
    Constant { value, ty }
}

fn constants_in(value: &ast::Expr, table: &Table) -> Vec<usize> {
    let mut found = Vec::new();
    expression_names::visit_names(value, &mut |name| {
        if let Some(definition) = table.names.globals.get(&name.text)
            && let Global::Constant(index) = definition.what
        {
            found.push(index);
        }
    });
    found
}

fn report_cycle(cycle: &[usize], constants: &[&ast::Constant], diagnostics: &mut Diagnostics) {
    let Some((&first, rest)) = cycle.split_first() else {
        return;
    };
    let name = &constants[first].name;
    let message = format!("the CONSTANT `{}` needs its own value", name.text);
    let mut diagnostic = error(code::CYCLIC_CONSTANT, name.span, message, "defined by itself");
    for &index in rest {
        diagnostic = diagnostic.secondary(constants[index].name.span, "through this");
    }
    diagnostics.push(diagnostic);
}

fn check_overrides(
    overrides: &BTreeMap<String, u128>,
    root: FileId,
    table: &Table,
    diagnostics: &mut Diagnostics,
) {
    let is_constant = |name: &str| {
        let found = table.names.globals.get(name).map(|definition| definition.what);
        matches!(found, Some(Global::Constant(_)))
    };
    for name in overrides.keys().filter(|name| !is_constant(name)) {
        let known = table.names.globals.keys().map(String::as_str).filter(|name| is_constant(name));
        let message = format!("`-D {name}` overrides a CONSTANT that does not exist");
        let known: Vec<&str> = known.collect();
        let remedy = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
            let is_other = table.names.globals.contains_key(name.as_str());
            match (is_other, &known[..]) {
                (true, _) => format!("`{name}` is no CONSTANT, and only those can be overridden"),
                (false, []) => "the description has no CONSTANT".to_owned(),
                (false, known) => {
                    let more = if known.len() > MOST_NAMED { ", ..." } else { "" };
                    let names = known[..known.len().min(MOST_NAMED)].join(", ");
                    format!("the description has the CONSTANTs {names}{more}")
                }
            }
        });
        let diagnostic = error(code::UNKNOWN_OVERRIDE, Span::new(root, 0, 0), message, "");
        diagnostics.push(diagnostic.help(remedy));
    }
}
