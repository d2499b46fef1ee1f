//! Random instructions of the description, as the trees of their operations.

#![allow(dead_code, reason = "every test takes what it needs")]

use isac_ir::Model;
use isac_ir::operation::{Role, Target};
use isac_ir::syntax::Tree;

use crate::support::random::Random;

/// Makes trees, and finds its way about in them by the description's names.
#[derive(Clone, Copy)]
pub(crate) struct Trees<'m>(pub(crate) &'m Model);

impl Trees<'_> {
    /// Any member of a target, with any operands; corners more often than other values.
    pub(crate) fn random(&self, target: Target, random: &mut Random) -> Tree {
        let id = *random.choose(&self.0.leaf_operations(target));
        let operation = self.0.operation(id);
        let fields = operation.fields.iter().map(|field| random.value(field.width_bits).into());
        let fields = fields.collect();
        let coded = (0..).zip(&operation.instances).filter(|(_, instance)| instance.role == Role::Coded);
        let children = coded.map(|(index, instance)| (index, self.random(instance.target, random))).collect();
        Tree { operation: id, fields, children }
    }

    /// The name of the outermost operation.
    pub(crate) fn name(&self, tree: &Tree) -> &str {
        &self.0.operation(tree.operation).name
    }

    /// What stands under an alias of the outermost operation.
    pub(crate) fn child<'t>(&self, tree: &'t mut Tree, alias: &str) -> Option<&'t mut Tree> {
        let instances = &self.0.operation(tree.operation).instances;
        let named = |index: u32| instances[index as usize].alias == alias;
        tree.children.iter_mut().find(|(index, _)| named(*index)).map(|(_, child)| child)
    }

    /// Whether an operation of this name is below.
    pub(crate) fn has(&self, tree: &Tree, name: &str) -> bool {
        tree.children.iter().any(|(_, child)| self.name(child) == name || self.has(child, name))
    }

    pub(crate) fn has_field(&self, tree: &Tree, name: &str) -> bool {
        self.0.operation(tree.operation).fields.iter().any(|field| field.name == name)
    }

    pub(crate) fn field(&self, tree: &Tree, name: &str) -> u128 {
        tree.fields[self.index(tree, name)]
    }

    pub(crate) fn set_field(&self, tree: &mut Tree, name: &str, value: u128) {
        let index = self.index(tree, name);
        tree.fields[index] = value;
    }

    fn index(&self, tree: &Tree, name: &str) -> usize {
        let fields = &self.0.operation(tree.operation).fields;
        fields.iter().position(|field| field.name == name).expect("the field is there")
    }
}
