//! What an ACTIVATION takes from below: what is part of one of the operation's own codings.

use std::collections::{BTreeMap, BTreeSet};

use super::{Builder, is_decoded};
use crate::model::InstanceRole;
use crate::resolve::order::dependency_order;

/// An instance of an operation, both by number.
type Asker = (usize, usize);

impl Builder<'_, '_> {
    /// Tells what an ACTIVATION takes from below from what it brings about itself.
    ///
    /// For 64 activated targets at a time one walk over all codings finds what has them below; a walk
    /// for each ACTIVATION would take as long as all codings, once for each.
    pub(super) fn find_taken(&mut self) {
        let mut asked: BTreeMap<usize, Vec<Asker>> = BTreeMap::new();
        for (index, draft) in self.tree.drafts.iter().enumerate() {
            for (number, instance) in draft.scope.instances.iter().enumerate() {
                if instance.role == InstanceRole::Activated {
                    asked.entry(self.node(instance.target)).or_default().push((index, number));
                }
            }
        }
        let parts = self.coded_parts();
        let decoded: BTreeSet<usize> = (0..self.tree.drafts.len())
            .flat_map(|index| self.decoded(index))
            .chain(parts.iter().flatten().copied())
            .collect();
        asked.retain(|target, _| decoded.contains(target));
        if asked.is_empty() {
            return;
        }
        let components = dependency_order(&parts).components;
        let asked: Vec<(usize, Vec<Asker>)> = asked.into_iter().collect();
        for some in asked.chunks(u64::BITS as usize) {
            let mut below = vec![0u64; parts.len()];
            for (bit, (target, _)) in some.iter().enumerate() {
                below[*target] = 1 << bit;
            }
            for component in &components {
                let with =
                    |node: &usize| parts[*node].iter().fold(below[*node], |all, part| all | below[*part]);
                let all = component.iter().map(with).fold(0, |all, one| all | one);
                component.iter().for_each(|node| below[*node] = all);
            }
            self.take(some, &below);
        }
    }

    /// Gives instances whose target is below their operation that role.
    fn take(&mut self, asked: &[(usize, Vec<Asker>)], below: &[u64]) {
        let mut of_operation: BTreeMap<usize, u64> = BTreeMap::new();
        for (bit, (_, askers)) in asked.iter().enumerate() {
            for (index, number) in askers {
                let decoded = || self.decoded(*index).fold(0, |all, node| all | below[node]);
                let found = *of_operation.entry(*index).or_insert_with(decoded);
                if found >> bit & 1 == 1 {
                    self.tree.drafts[*index].scope.instances[*number].role = InstanceRole::Below;
                }
            }
        }
    }

    /// What an operation itself decodes.
    fn decoded(&self, index: usize) -> impl Iterator<Item = usize> {
        let instances = self.tree.drafts[index].scope.instances.iter();
        instances.filter(|instance| is_decoded(instance.role)).map(|instance| self.node(instance.target))
    }

    /// By node: the parts of an operation's CODING, the members of a group.
    fn coded_parts(&self) -> Vec<Vec<usize>> {
        let operations = self.tree.drafts.iter().map(|draft| {
            let instances = draft.scope.instances.iter();
            let coded = instances.filter(|instance| instance.role == InstanceRole::Coded);
            coded.map(|instance| self.node(instance.target)).collect()
        });
        let groups = self.tree.groups.iter();
        let groups = groups.map(|group| group.members.iter().map(|member| self.node(*member)).collect());
        operations.chain(groups).collect()
    }
}
