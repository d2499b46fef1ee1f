//! Which aliases stand in a mnemonic: they tell instructions apart, so they are never operands.
//!
//! The mnemonic is the first item of an instruction's text and all that is joined to it. Where an
//! alias is part of it, so is the mnemonic of the text that the alias chose.

use std::collections::BTreeSet;

use isac_parser::model::{AssemblerItem, CheckedModel, InstanceId, InstanceRole, OperationOrGroup};

/// The aliases in mnemonics, each with its operation's index.
pub(super) fn mnemonic_aliases(model: &CheckedModel) -> BTreeSet<(usize, InstanceId)> {
    let instances = model.operations.iter().flat_map(|operation| &operation.instances);
    let roots = instances.filter(|instance| instance.role == InstanceRole::Root);
    let mut waiting: Vec<OperationOrGroup> = roots.map(|instance| instance.target).collect();
    let (mut walked, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(target) = waiting.pop() {
        if !walked.insert(target) {
            continue;
        }
        match target {
            OperationOrGroup::Group(id) => waiting.extend(&model.groups[id.index()].members),
            OperationOrGroup::Operation(id) => {
                let operation = &model.operations[id.index()];
                for alias in operation.assembler.iter().flat_map(|text| mnemonic(text)) {
                    found.insert((id.index(), alias));
                    waiting.push(operation.instances[alias.index()].target);
                }
            }
        }
    }
    found
}

/// The aliases in a text's first item and in those joined to it.
fn mnemonic(text: &[AssemblerItem]) -> Vec<InstanceId> {
    let joined = text.get(1..).unwrap_or_default().chunks(2).map_while(|pair| match pair {
        [AssemblerItem::Join, item] => Some(item),
        _ => None,
    });
    let items = text.first().into_iter().chain(joined);
    items
        .filter_map(|item| match item {
            AssemblerItem::Instance(id) => Some(*id),
            _ => None,
        })
        .collect()
}
