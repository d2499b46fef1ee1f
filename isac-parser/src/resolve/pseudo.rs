//! PSEUDO: only the assembler reads it; here its names are bound to what exists.

use super::collect::Definitions;
use super::expression_names::visit_names;
use super::format::Formats;
use super::names::{Table, double, undefined};
use crate::ast::{Name, Pseudo, PseudoItem};
use crate::diagnostic::Diagnostics;

/// What an expression may ask for beside operands and CONSTANTs.
const OF_THE_INSTRUCTION: [&str; 2] = ["instruction_address", "instruction_size"];

/// Reports operands of undefined groups and formats, operands named twice, and names that are no operand.
pub(crate) fn resolve_pseudos(definitions: &Definitions<'_>, table: &Table, diagnostics: &mut Diagnostics) {
    for pseudo in &definitions.pseudos {
        let operands = resolve_operands(pseudo, table, diagnostics);
        check_names(pseudo, &operands, table, diagnostics);
    }
}

/// The names of the operands.
fn resolve_operands<'a>(pseudo: &'a Pseudo, table: &Table, diagnostics: &mut Diagnostics) -> Vec<&'a Name> {
    let mut operands: Vec<&Name> = Vec::new();
    for item in &pseudo.pattern {
        let name = match item {
            PseudoItem::Operand { name, target } => {
                table.names.operation(target, diagnostics);
                name
            }
            PseudoItem::Value { name, format } => {
                Formats { scope: None, table, diagnostics }.format(format);
                name
            }
            PseudoItem::Text(_) | PseudoItem::Name(_) | PseudoItem::Expr(_) => continue,
        };
        match operands.iter().find(|other| other.text == name.text) {
            Some(first) => diagnostics.push(double(name, first.span)),
            None => operands.push(name),
        }
    }
    operands
}

/// Results name operands; WHEN and expressions may name CONSTANTs, too.
fn check_names(pseudo: &Pseudo, operands: &[&Name], table: &Table, diagnostics: &mut Diagnostics) {
    let known = || operands.iter().map(|operand| operand.text.as_str());
    let mut expressions: Vec<_> = pseudo.condition.iter().collect();
    for item in pseudo.results.iter().flatten() {
        match item {
            PseudoItem::Name(name) if known().all(|operand| operand != name.text) => {
                diagnostics.push(undefined("operand", name, known()));
            }
            PseudoItem::Expr(expr) => expressions.push(expr),
            _ => {}
        }
    }
    for expr in expressions {
        visit_names(expr, &mut |name| {
            let is_known = known().chain(OF_THE_INSTRUCTION).any(|other| other == name.text);
            if !is_known && !table.names.globals.contains_key(&name.text) {
                diagnostics.push(undefined("operand", name, known()));
            }
        });
    }
}
