//! PSEUDO: only the assembler reads it; here its operands are bound to groups that exist.

use super::collect::Definitions;
use super::names::{Table, double};
use crate::ast::PseudoItem;
use crate::diagnostic::Diagnostics;

/// Reports operands of undefined groups and operands named twice.
pub(crate) fn resolve_pseudos(definitions: &Definitions<'_>, table: &Table, diagnostics: &mut Diagnostics) {
    for pseudo in &definitions.pseudos {
        let mut operands = Vec::new();
        for item in &pseudo.pattern {
            let name = match item {
                PseudoItem::Operand { name, target } => {
                    table.names.operation(target, diagnostics);
                    name
                }
                PseudoItem::Value { name, .. } => name,
                PseudoItem::Text(_) | PseudoItem::Name(_) | PseudoItem::Expr(_) => continue,
            };
            match operands.iter().find(|(other, _)| *other == name.text.as_str()) {
                Some((_, first)) => diagnostics.push(double(name, *first)),
                None => operands.push((name.text.as_str(), name.span)),
            }
        }
    }
}
