//! Every alias of a CODING stands in the assembler text, if there is one.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, InstanceRole, Model, Operation};
use crate::resolve::code;
use crate::resolve::report::warning;

/// Warns of coded aliases that no text of their operation mentions.
pub(super) fn check_assembler(model: &Model, diagnostics: &mut Diagnostics) {
    for operation in &model.operations {
        check_operation(operation, diagnostics);
    }
}

fn check_operation(operation: &Operation, diagnostics: &mut Diagnostics) {
    if operation.assembler.is_empty() {
        return;
    }
    let mentioned: BTreeSet<usize> = operation
        .assembler
        .iter()
        .flatten()
        .filter_map(|item| match item {
            AssemblerItem::Instance(id) => Some(id.index()),
            _ => None,
        })
        .collect();
    for (index, instance) in operation.instances.iter().enumerate() {
        if instance.role == InstanceRole::Coded && !mentioned.contains(&index) {
            let (alias, name) = (&instance.alias, &operation.name);
            let message = format!("the alias `{alias}` is missing from the text of `{name}`");
            let diagnostic = warning(code::NOT_IN_ASSEMBLER, instance.span, message, "coded only")
                .help("without it the text does not say which member is meant");
            diagnostics.push(diagnostic);
        }
    }
}
