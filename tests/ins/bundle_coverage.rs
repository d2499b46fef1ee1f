//! What the cases of a model leave out whose words are bundles: by the trees that their words decode to.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, Element, decode_word};
use isac_ir::operation::Target;
use isac_ir::syntax::{Format, TextItem, Tree};

use super::case::Case;

/// What no case has, each as one line: members of a group that an alias never chose, registers that
/// never stand in an operand, numbers whose corner values never occur. Predicate 0 is written by
/// writing none.
pub(crate) fn missing_in_bundles(model: &Model, cases: &[Case]) -> Vec<String> {
    let mut seen = Seen::default();
    for case in cases {
        if let Some(tree) = tree_of(model, case) {
            seen.add(model, &tree, "", "");
        }
    }
    let mut missing = Vec::new();
    for ((place, group), chosen) in &seen.chosen {
        let members = &model.groups[*group as usize].members;
        let leaves = members.iter().flat_map(|member| model.operations_below(*member, |_| false));
        missing.extend(
            leaves
                .filter(|operation| !chosen.contains(operation))
                .map(|operation| format!("{place} is never {}", model.operation(operation).name)),
        );
    }
    for ((place, width_bits, is_register), values) in &seen.values {
        let highest = u128::MAX >> (128 - width_bits);
        let sign = 1 << (width_bits - 1);
        let wanted: Vec<u128> = match is_register {
            true => (u128::from(place.ends_with(": when.index"))..=highest).collect(),
            false => vec![0, highest, sign, sign - 1],
        };
        missing.extend(
            wanted
                .iter()
                .filter(|value| !values.contains(value))
                .map(|value| format!("{place} is never {value:#x}")),
        );
    }
    missing
}

/// The tree of a case's first word, if it is one.
fn tree_of(model: &Model, case: &Case) -> Option<Tree> {
    let decoder = (0..model.decoders.len())
        .find(|index| model.target_name(model.decoders[*index].target) == "bundle")?;
    let width_bits = model.decoders[decoder].width_bits;
    let bytes: Vec<u8> = case.bytes.iter().take(width_bits as usize / 8).rev().copied().collect();
    let element = Element {
        instance: 0,
        element: 0,
        decoder: decoder as u32,
        word: Bits::from_be_bytes(&bytes),
        width_bits,
    };
    Tree::of(&Decoded { nodes: decode_word(model, &element)?.nodes }, 0)
}

#[derive(Default)]
struct Seen {
    /// By place and group, the operations that were chosen.
    chosen: BTreeMap<(String, u32), BTreeSet<u32>>,
    /// By place, width and whether it names a register, the values.
    values: BTreeMap<(String, u32, bool), BTreeSet<u128>>,
}

impl Seen {
    /// Adds a tree; `instruction` is the operation of the slot with its opcode, `path` the aliases below.
    fn add(&mut self, model: &Model, tree: &Tree, instruction: &str, path: &str) {
        let operation = model.operation(tree.operation);
        for (field, value) in operation.fields.iter().zip(&tree.fields) {
            let is_register = operation.texts.iter().flatten().any(|item| {
                matches!(item, TextItem::Field { field: id, format: Format::Name { .. } }
                    if operation.fields[*id as usize].name == field.name)
            });
            let place = format!("{instruction}: {path}{}", field.name);
            self.values.entry((place, field.width_bits, is_register)).or_default().insert(*value);
        }
        for (instance, child) in &tree.children {
            let table = &operation.instances[*instance as usize];
            let is_slot = instruction.is_empty();
            let place =
                if is_slot { table.alias.clone() } else { format!("{instruction}: {path}{}", table.alias) };
            if let (Target::Group(group), false) = (table.target, table.alias == "op") {
                self.chosen.entry((place, group)).or_default().insert(child.operation);
            }
            match is_slot {
                true => self.add(model, child, &name_of(model, child), ""),
                false => self.add(model, child, instruction, &format!("{path}{}.", table.alias)),
            }
        }
    }
}

/// The operation of a slot, with the opcode that it has below it.
fn name_of(model: &Model, tree: &Tree) -> String {
    let operation = model.operation(tree.operation);
    let opcode = tree.children.iter().find_map(|(instance, child)| {
        (operation.instances[*instance as usize].alias == "op").then(|| model.operation(child.operation))
    });
    opcode.unwrap_or(operation).name.clone()
}
