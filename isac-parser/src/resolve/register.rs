//! Registers and register files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::code;
use super::collect::Definitions;
use super::names::Table;
use super::report::{count, error};
use super::typing;
use crate::ast::{RegisterDeclaration, RegisterDeclarator, RegisterOption, Text};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::Register;
use crate::source::Span;

/// Most elements of a register file.
const MAX_ELEMENTS: u128 = 1 << 16;

/// Resolves the registers into [`Table::registers`].
pub(crate) fn resolve_registers(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    for (declaration, declarator) in &definitions.registers {
        let register = resolve_register(declaration, declarator, table, diagnostics);
        table.registers.push(register);
    }
}

fn resolve_register(
    declaration: &RegisterDeclaration,
    declarator: &RegisterDeclarator,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Register> {
    let name = declarator.name.text.clone();
    let elements = declarator.count.as_ref().map(|elements| {
        let limits = 1..=MAX_ELEMENTS;
        typing::number_within(table, elements, "the number of elements", limits, diagnostics)
    });
    let what = "the width of a register";
    let width_bits = typing::number_within(table, &declaration.width, what, 1..=256, diagnostics)?;
    let elements = match elements {
        Some(elements) => Some(u32::try_from(elements?).ok()?),
        None => None,
    };
    let mut register = Register {
        element_names: default_names(&name, elements),
        name,
        span: declarator.name.span,
        width_bits: u32::try_from(width_bits).ok()?,
        count: elements,
        reset: 0,
        element_resets: Vec::new(),
        hardwired: Vec::new(),
    };
    let mut options = Options { table, diagnostics, reset: None, names: None };
    for option in &declaration.options {
        options.apply(option, &mut register);
    }
    register.hardwired.sort_unstable();
    Some(register)
}

fn default_names(file: &str, elements: Option<u32>) -> Vec<Vec<String>> {
    (0..elements.unwrap_or(0)).map(|element| vec![format!("{file}{element}")]).collect()
}

/// The options of one declaration, with those that may stand once only.
struct Options<'a> {
    table: &'a Table,
    diagnostics: &'a mut Diagnostics,
    reset: Option<Span>,
    names: Option<Span>,
}

impl Options<'_> {
    fn apply(&mut self, option: &RegisterOption, register: &mut Register) {
        match option {
            RegisterOption::Reset { value, span } => {
                let first = self.reset.replace(*span);
                self.only_once("RESET", first, *span);
                let bits = (register.width_bits, register.span);
                if let Some(value) = typing::pattern(self.table, value, "RESET", bits, self.diagnostics) {
                    register.reset = value;
                }
            }
            RegisterOption::Hardwired { index, value, .. } => {
                let element = typing::number(self.table, index, self.diagnostics);
                let bits = (register.width_bits, register.span);
                let what = "the value that HARDWIRED gives";
                let value = typing::pattern(self.table, value, what, bits, self.diagnostics);
                let (Some(element), Some(value)) = (element, value) else {
                    return;
                };
                let elements = register.count.unwrap_or(1);
                if element >= u128::from(elements) {
                    self.no_such_element(register, element, index.span);
                    return;
                }
                let element = u32::try_from(element).unwrap_or(u32::MAX);
                if register.hardwired.iter().any(|(other, _)| *other == element) {
                    let message = format!("element {element} is hardwired twice");
                    let diagnostic = error(code::BAD_OPTION, index.span, message, "again here");
                    self.diagnostics.push(diagnostic);
                    return;
                }
                register.hardwired.push((element, value));
            }
            RegisterOption::Names { names, span } => {
                let first = self.names.replace(*span);
                self.only_once("NAMES", first, *span);
                self.names(names, *span, register);
            }
        }
    }

    fn only_once(&mut self, option: &str, first: Option<Span>, span: Span) {
        if let Some(first) = first {
            let message = format!("{option} stands twice");
            let diagnostic = error(code::REPEATED_SECTION, span, message, "again here");
            self.diagnostics.push(diagnostic.secondary(first, "first here"));
        }
    }

    fn no_such_element(&mut self, register: &Register, element: u128, span: Span) {
        let message = format!("`{}` has no element {element}", register.name);
        let has = match register.count {
            Some(elements) => format!("has {}, counted from 0", count(elements, "element")),
            None => "is a single register; its only element is 0".to_owned(),
        };
        let diagnostic = error(code::NO_SUCH_ELEMENT, span, message, "out of range");
        self.diagnostics.push(diagnostic.secondary(register.span, has));
    }

    fn names(&mut self, names: &[Text], span: Span, register: &mut Register) {
        let Some(elements) = register.count else {
            let message = format!("NAMES of `{}`, which is no register file", register.name);
            let diagnostic = error(code::BAD_OPTION, span, message, "names elements")
                .secondary(register.span, "a single register");
            self.diagnostics.push(diagnostic);
            return;
        };
        // Texts of instructions ignore the case of names.
        let mut seen: BTreeMap<String, (&str, Span)> = BTreeMap::new();
        for (element, text) in names.iter().enumerate() {
            let Some(entry) = register.element_names.get_mut(element) else {
                self.no_such_element(register, element as u128, text.span);
                return;
            };
            let synonyms: Vec<&str> = text.value.split('|').collect();
            *entry = synonyms.iter().map(|&synonym| synonym.to_owned()).collect();
            for synonym in synonyms {
                if synonym.is_empty() {
                    let message = format!("element {element} of `{}` gets an empty name", register.name);
                    let diagnostic = error(code::BAD_OPTION, text.span, message, "no name");
                    self.diagnostics.push(diagnostic.help(format!(
                        "write a name, as `{}{element}`; synonyms are separated by one `|`",
                        register.name
                    )));
                    continue;
                }
                if synonym.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
                    let message =
                        format!("the name of element {element} of `{}` has a blank in it", register.name);
                    let diagnostic = error(code::BAD_OPTION, text.span, message, "is never read as one name");
                    self.diagnostics
                        .push(diagnostic.help("write it without blanks, with `_` in their place"));
                    continue;
                }
                match seen.entry(synonym.to_ascii_lowercase()) {
                    Entry::Vacant(place) => {
                        place.insert((synonym, text.span));
                    }
                    Entry::Occupied(first) => {
                        self.diagnostics.push(named_twice(*first.get(), (synonym, text.span)));
                    }
                }
            }
        }
        debug_assert_eq!(register.element_names.len(), elements as usize);
    }
}

/// Two names of elements are one, but for their case.
fn named_twice((first, first_span): (&str, Span), (second, span): (&str, Span)) -> Diagnostic {
    let (message, label) = match first == second {
        true => (format!("two elements are named `{second}`"), "named again here".to_owned()),
        false => (
            format!("two elements are named `{first}` and `{second}`"),
            "texts of instructions ignore case".to_owned(),
        ),
    };
    let first_named = if first == second { "first named here" } else { "the other one" };
    error(code::DOUBLE, span, message, label).secondary(first_span, first_named)
}
