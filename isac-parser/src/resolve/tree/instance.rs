//! What aliases are, once all operations and groups are known.

use std::rc::Rc;

use super::{Builder, is_decoded, root_value};
use crate::model::{InstanceRole, OperationId};
use crate::resolve::choice::{Choices, Member};
use crate::resolve::operation::{AliasValue, Draft, Meaning, ReferredChoices};
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
            let scope = &mut self.tree.drafts[index].scope;
            scope.instances = instances;
            for (value, found) in scope.values.iter_mut().zip(values) {
                *value = found.unwrap_or(*value);
            }
        }
    }

    /// Lets every operation ask for fields of what its aliases choose.
    pub(super) fn share_choices(&mut self) {
        let member = |(index, draft): (usize, &Draft<'_>)| Member {
            operation: OperationId(u32::try_from(index).unwrap_or(u32::MAX)),
            name: draft.ast.name.text.clone(),
            span: draft.ast.name.span,
            fields: draft.scope.fields.clone(),
        };
        let operations = self.tree.drafts.iter().enumerate().map(member).collect();
        let choices = Rc::new(Choices::new(operations, &self.tree.groups));
        for draft in &mut self.tree.drafts {
            draft.scope.choices = Rc::clone(&choices);
        }
    }

    /// What an operation's references may choose.
    pub(super) fn referred_choices(&self, index: usize) -> Vec<ReferredChoices> {
        let references = self.references.owned(index).into_iter();
        references
            .map(|owned| {
                let mut referred = ReferredChoices::default();
                for (parent, meaning, span) in owned.iter().copied() {
                    let draft = &self.tree.drafts[parent];
                    match meaning {
                        Meaning::Instance(id) if is_decoded(draft.scope.instances[id.index()].role) => {
                            referred.targets.push(draft.scope.instances[id.index()].target);
                        }
                        _ => {
                            referred.no_alias.get_or_insert((draft.ast.name.text.clone(), span));
                        }
                    }
                }
                referred
            })
            .collect()
    }
}
