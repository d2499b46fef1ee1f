//! Variables that hide a register and are never read: the register was meant.

use std::collections::{BTreeMap, BTreeSet};

use super::walk::{Met, walk_statements};
use crate::diagnostic::Diagnostics;
use crate::model::{Body, ExprKind, Local, Model, Place, PlaceKind};
use crate::resolve::code;
use crate::resolve::report::warning;
use crate::source::Span;

/// Warns of variables of FUNCTIONs and BEHAVIORs that are written alone and called like a register.
pub(super) fn check_unused_locals(model: &Model, diagnostics: &mut Diagnostics) {
    let registers = model.registers.iter().map(|register| (register.name.as_str(), register.span));
    let mut hidden: BTreeMap<&str, Option<Span>> =
        model.aliases.iter().map(|alias| (alias.name.as_str(), None)).collect();
    hidden.extend(registers.map(|(name, span)| (name, Some(span))));
    let functions = model.functions.iter().map(|function| (&function.body, function.parameters));
    let behaviors = model.operations.iter().filter_map(|operation| Some((operation.behavior.as_ref()?, 0)));
    for (body, parameters) in functions.chain(behaviors) {
        let called_alike = |local: &&Local| hidden.contains_key(local.name.as_str());
        if !body.locals.iter().skip(parameters).any(|local| called_alike(&local)) {
            continue;
        }
        let read = read_locals(body);
        for (index, local) in body.locals.iter().enumerate().skip(parameters) {
            let Some(register) = hidden.get(local.name.as_str()).filter(|_| !read.contains(&index)) else {
                continue;
            };
            let message = format!("the variable `{}` is never read", local.name);
            let found = warning(code::UNUSED, local.span, message, "hides the register of this name");
            let found = match register {
                Some(register) => found.secondary(*register, "the register"),
                None => found,
            };
            let help = "leave out the type to assign to the register, or give the variable another name";
            diagnostics.push(found.help(help));
        }
    }
}

/// The variables that something takes the value of, or changes by their value.
fn read_locals(body: &Body) -> BTreeSet<usize> {
    let mut mentions: BTreeMap<usize, usize> = BTreeMap::new();
    let mut writes: BTreeMap<usize, usize> = BTreeMap::new();
    walk_statements(&body.statements, &mut |met| match met {
        Met::Place(Place { kind: PlaceKind::Local(id), .. }) => *mentions.entry(id.index()).or_default() += 1,
        Met::Expr(expr) => {
            if let ExprKind::Assign { place, .. } = &expr.kind {
                note_written(place, &mut writes);
            }
        }
        Met::Place(_) => {}
    });
    let is_read = |(id, count): (usize, usize)| (writes.get(&id) != Some(&count)).then_some(id);
    mentions.into_iter().filter_map(is_read).collect()
}

/// Counts the variables that an assignment writes.
fn note_written(place: &Place, writes: &mut BTreeMap<usize, usize>) {
    match &place.kind {
        PlaceKind::Local(id) => *writes.entry(id.index()).or_default() += 1,
        PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => note_written(base, writes),
        PlaceKind::Concat(parts) => parts.iter().for_each(|part| note_written(part, writes)),
        PlaceKind::Conditional(_, then, otherwise) => {
            note_written(then, writes);
            note_written(otherwise, writes);
        }
        _ => {}
    }
}
