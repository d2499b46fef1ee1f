//! Every alias of a CODING stands in the assembler text, if there is one.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, Instance, InstanceRole, Model, Operation};
use crate::resolve::code;
use crate::resolve::report::warning;

/// Warns of coded aliases that no text of their operation mentions.
pub(super) fn check_assembler(model: &Model, diagnostics: &mut Diagnostics) {
    for operation in &model.operations {
        check_operation(operation, diagnostics);
    }
}

/// True if no text leaves out an alias: what is written is then what is meant.
pub(super) fn are_whole(model: &Model) -> bool {
    model.operations.iter().all(|operation| left_out(operation).next().is_none())
}

fn check_operation(operation: &Operation, diagnostics: &mut Diagnostics) {
    for instance in left_out(operation) {
        let (alias, name) = (&instance.alias, &operation.name);
        let message = format!("the alias `{alias}` is missing from the text of `{name}`");
        let diagnostic = warning(code::NOT_IN_ASSEMBLER, instance.span, message, "coded only")
            .help("without it the text does not say which member is meant");
        diagnostics.push(diagnostic);
    }
}

/// The coded aliases that no text of an operation mentions, where it has one.
fn left_out(operation: &Operation) -> impl Iterator<Item = &Instance> {
    let items = operation.assembler.iter().flatten();
    let mentioned: BTreeSet<usize> = items
        .filter_map(|item| match item {
            AssemblerItem::Instance(id) => Some(id.index()),
            _ => None,
        })
        .collect();
    let coded = operation.instances.iter().enumerate().filter(|_| !operation.assembler.is_empty());
    let coded = coded.filter(|(_, instance)| instance.role == InstanceRole::Coded);
    coded.filter(move |(index, _)| !mentioned.contains(index)).map(|(_, instance)| instance)
}
