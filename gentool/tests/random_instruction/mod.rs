//! Random instructions of a model, the same each time.

use isac_ir::Model;
use isac_ir::bits::mask;
use isac_ir::operation::{Role, Target};
use isac_ir::syntax::Tree;

/// Random numbers that are the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// One of 32 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    /// One of 128 bits.
    pub(crate) fn wide(&mut self) -> u128 {
        (0..4).fold(0, |word, _| word << 32 | u128::from(self.next()))
    }
}

/// Some instruction of a target: any member, any fields, of which each fourth is a corner.
pub(crate) fn random_tree(model: &Model, target: Target, random: &mut Random) -> Tree {
    let members = model.leaf_operations(target);
    let id = members[random.next() as usize % members.len()];
    let operation = model.operation(id);
    let fields = operation.fields.iter().map(|field| {
        let corner = [0, 1, mask(field.width_bits), 1 << ((field.width_bits - 1) % 128)];
        let value = match random.next().is_multiple_of(4) {
            true => corner[random.next() as usize % 4],
            false => random.wide(),
        };
        value & mask(field.width_bits)
    });
    let fields = fields.collect();
    let coded = (0..).zip(&operation.instances).filter(|(_, instance)| instance.role == Role::Coded);
    let coded: Vec<(u32, Target)> = coded.map(|(index, instance)| (index, instance.target)).collect();
    let children = coded.into_iter().map(|(index, target)| (index, random_tree(model, target, random)));
    Tree { operation: id, fields, children: children.collect() }
}
