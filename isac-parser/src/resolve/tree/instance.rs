//! What aliases are, once all operations and groups are known.

use std::collections::BTreeSet;

use super::{Builder, is_decoded, root_value};
use crate::model::{Instance, InstanceRole, OperationOrGroup};
use crate::resolve::operation::{AliasValue, Meaning, Member, ReferredMembers};
use crate::resolve::shape::Width;

impl Builder<'_, '_> {
    /// What an alias is worth, from what it stands for.
    pub(super) fn alias_value(&self, operation: usize, instance: usize) -> AliasValue {
        let instance = &self.tree.drafts[operation].scope.instances[instance];
        let shape = self.shapes[self.node(instance.target)];
        match (instance.role, shape.value) {
            (InstanceRole::Root, _) => root_value(shape),
            (InstanceRole::Below | InstanceRole::Activated | InstanceRole::Unused, _) => AliasValue::NotCoded,
            (InstanceRole::Coded, None) => AliasValue::Broken,
            (InstanceRole::Coded, Some(_)) if instance.width_bits.is_none() => AliasValue::Broken,
            (InstanceRole::Coded, Some(ty)) if shape.has_expression => {
                AliasValue::Operand { ty, is_place: shape.is_place, no_place: shape.no_place }
            }
            (InstanceRole::Coded, Some(ty)) => AliasValue::Coded(ty),
        }
    }

    /// Tells what an ACTIVATION takes from below from what it brings about itself.
    pub(super) fn find_taken(&mut self) {
        for index in 0..self.tree.drafts.len() {
            for instance in 0..self.tree.drafts[index].scope.instances.len() {
                let instances = &self.tree.drafts[index].scope.instances;
                let Instance { role, target, .. } = instances[instance];
                if role == InstanceRole::Activated && self.decodes_below(instances, target) {
                    self.tree.drafts[index].scope.instances[instance].role = InstanceRole::Below;
                }
            }
        }
    }

    /// Completes the instances that are no part of a CODING, whose targets were resolved in any
    /// order.
    pub(super) fn finish_instances(&mut self) {
        for index in 0..self.tree.drafts.len() {
            let mut instances = std::mem::take(&mut self.tree.drafts[index].scope.instances);
            for instance in &mut instances {
                let shape = self.shapes[self.node(instance.target)];
                if let Width::Bits(width) = shape.width
                    && instance.role != InstanceRole::Coded
                {
                    instance.width_bits = Some(width);
                    instance.value_type = shape.value;
                    instance.is_place = shape.is_place;
                }
            }
            let values = instances.iter().map(|instance| match instance.role {
                InstanceRole::Root => Some(root_value(self.shapes[self.node(instance.target)])),
                _ => None,
            });
            let values: Vec<Option<AliasValue>> = values.collect();
            let members = instances.iter().map(|instance| match instance.role {
                InstanceRole::Root => Some(self.members(instance.target)),
                _ => None,
            });
            let members: Vec<Option<Vec<Member>>> = members.collect();
            let scope = &mut self.tree.drafts[index].scope;
            scope.instances = instances;
            for (value, found) in scope.values.iter_mut().zip(values) {
                *value = found.unwrap_or(*value);
            }
            for (known, found) in scope.members.iter_mut().zip(members) {
                known.extend(found.into_iter().flatten());
            }
        }
    }

    /// True if a target is decoded somewhere below one of these instances.
    fn decodes_below(&self, instances: &[Instance], target: OperationOrGroup) -> bool {
        let decoded = instances.iter().filter(|instance| is_decoded(instance.role));
        let mut waiting: Vec<OperationOrGroup> = decoded.map(|instance| instance.target).collect();
        let mut walked = BTreeSet::new();
        while let Some(next) = waiting.pop() {
            if next == target {
                return true;
            }
            if !walked.insert(next) {
                continue;
            }
            match next {
                OperationOrGroup::Group(id) => waiting.extend(&self.tree.groups[id.index()].members),
                OperationOrGroup::Operation(id) => {
                    let instances = &self.tree.drafts[id.index()].scope.instances;
                    let coded = instances.iter().filter(|instance| instance.role == InstanceRole::Coded);
                    waiting.extend(coded.map(|instance| instance.target));
                }
            }
        }
        false
    }

    /// The operations that a target may turn out to be; each group is walked once.
    pub(super) fn members(&self, target: OperationOrGroup) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        let mut walked = BTreeSet::new();
        let mut waiting = vec![target];
        while let Some(next) = waiting.pop() {
            if !walked.insert(next) {
                continue;
            }
            match next {
                OperationOrGroup::Group(id) => {
                    waiting.extend(self.tree.groups[id.index()].members.iter().rev());
                }
                OperationOrGroup::Operation(id) => {
                    let draft = &self.tree.drafts[id.index()];
                    members.push(Member {
                        operation: id,
                        name: draft.ast.name.text.clone(),
                        span: draft.ast.name.span,
                        fields: draft.scope.fields.clone(),
                    });
                }
            }
        }
        members
    }

    /// What an operation's references may choose; each operation once.
    pub(super) fn referred_members(&self, index: usize) -> Vec<ReferredMembers> {
        let references = self.references.owned(index).into_iter();
        references
            .map(|owned| {
                let mut referred = ReferredMembers::default();
                for (parent, meaning, span) in owned.iter().copied() {
                    let draft = &self.tree.drafts[parent];
                    match meaning {
                        Meaning::Instance(id) if is_decoded(draft.scope.instances[id.index()].role) => {
                            referred.members.extend(self.members(draft.scope.instances[id.index()].target));
                        }
                        _ => {
                            referred.no_alias.get_or_insert((draft.ast.name.text.clone(), span));
                        }
                    }
                }
                let mut seen = BTreeSet::new();
                referred.members.retain(|member| seen.insert(member.operation));
                referred
            })
            .collect()
    }
}
