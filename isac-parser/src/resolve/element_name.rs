//! A name of an element is nobody else's.
//!
//! A run is told registers by their names, and shows them by their names: of two that have one, it
//! would be the first.

use std::collections::BTreeMap;

use super::code;
use super::collect::Definitions;
use super::names::{Global, Table};
use super::report::error;
use crate::ast::{RegisterDeclaration, RegisterOption};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Register, RegisterId, RegisterPart};
use crate::source::Span;

/// An element of a register file, and where its name stands.
#[derive(Debug, Clone, Copy)]
struct Element<'a> {
    file: &'a Register,
    id: RegisterId,
    element: u32,
    span: Span,
}

/// Reports elements that are named as another register, as an ALIAS of something else, or as an
/// element of another file; of each file and each thing beside it one.
pub(super) fn compare_element_names(
    definitions: &Definitions<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) {
    let mut named: BTreeMap<&str, Element<'_>> = BTreeMap::new();
    let registers = definitions.registers.iter().zip(&table.registers);
    for (id, ((declaration, _), file)) in (0..).map(RegisterId).zip(registers) {
        let Some(file) = file else { continue };
        let mut reported = Vec::new();
        for (element, names) in (0..).zip(&file.element_names) {
            let span = span_of(declaration, element, file);
            for name in names {
                let own = Element { file, id, element, span };
                let Some((other, what)) = find_other(name, own, &named, table) else {
                    named.entry(name).or_insert(own);
                    continue;
                };
                if !reported.contains(&other) {
                    reported.push(other);
                    diagnostics.push(shared(name, own, what));
                }
            }
        }
    }
}

/// Where an element is named: in NAMES, or by the name of the file.
fn span_of(declaration: &RegisterDeclaration, element: u32, file: &Register) -> Span {
    let mut names = declaration.options.iter().filter_map(|option| match option {
        RegisterOption::Names { names, .. } => names.get(element as usize),
        _ => None,
    });
    names.next_back().map_or(file.span, |text| text.span)
}

/// Who else has a name: where that begins, to be told once, and what it is.
fn find_other(
    name: &str,
    own: Element<'_>,
    named: &BTreeMap<&str, Element<'_>>,
    table: &Table,
) -> Option<(Span, (Span, String))> {
    if let Some(other) = named.get(name).filter(|other| other.id != own.id) {
        let what = format!("element {} of `{}` has it, too", other.element, other.file.name);
        return Some((other.file.span, (other.span, what)));
    }
    let global = table.names.globals.get(name)?;
    let is_other = match global.what {
        Global::Register(id) => table.register(id).is_some_and(|register| register.count.is_none()),
        Global::Alias(alias) => table.alias(alias).is_some_and(|alias| {
            let is_own = |part: &RegisterPart| part.register == own.id && part.element == own.element;
            !alias.names.parts.iter().all(is_own)
        }),
        _ => false,
    };
    is_other.then(|| (global.span, (global.span, format!("{} has it, too", global.what.kind()))))
}

fn shared(name: &str, own: Element<'_>, (other, what): (Span, String)) -> Diagnostic {
    let Element { file, element, span, .. } = own;
    let message = format!("element {element} of `{}` has the name of something else, `{name}`", file.name);
    let label = match span == file.span {
        true => format!("its elements are `{0}0`, `{0}1`, and so on", file.name),
        false => format!("`{name}` names element {element} here"),
    };
    error(code::DOUBLE, span, message, label).secondary(other, what).help(format!(
        "rename one of the two, an element by NAMES; an ALIAS of `{}[{element}]` may have its name",
        file.name
    ))
}
