//! What lies below each operation and group.
//!
//! Operations share what they hold: there may be more ways down than anybody can walk, so each
//! answer is found once and kept.

use isac_parser::model::{CheckedModel, InstanceId, InstanceRole, OperationOrGroup, TailItem};

/// What is known of an operation or group and of all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Below {
    /// Something has a BEHAVIOR or an ACTIVATION.
    pub runs: bool,
    /// Something brings words behind the instruction's.
    pub has_tail: bool,
    /// True for groups that are no operands.
    pub is_choice: bool,
    /// Number of operations among which it is a choice.
    pub members: usize,
}

/// The answers for all operations and groups of a model.
pub(super) struct BelowTable {
    operations: Vec<Option<Below>>,
    groups: Vec<Option<Below>>,
}

impl BelowTable {
    /// The answers for a model.
    pub(super) fn of(model: &CheckedModel) -> BelowTable {
        let (operations, groups) = (vec![None; model.operations.len()], vec![None; model.groups.len()]);
        let mut table = BelowTable { operations, groups };
        for operation in 0..model.operations.len() {
            table.find_operation(model, operation);
        }
        for group in 0..model.groups.len() {
            table.find_group(model, group);
        }
        table
    }

    /// What is known of a target.
    pub(super) fn get(&self, target: OperationOrGroup) -> Below {
        let known = match target {
            OperationOrGroup::Operation(id) => self.operations[id.index()],
            OperationOrGroup::Group(id) => self.groups[id.index()],
        };
        known.unwrap_or_default()
    }

    fn find(&mut self, model: &CheckedModel, target: OperationOrGroup) -> Below {
        match target {
            OperationOrGroup::Operation(id) => self.find_operation(model, id.index()),
            OperationOrGroup::Group(id) => self.find_group(model, id.index()),
        }
    }

    fn find_operation(&mut self, model: &CheckedModel, index: usize) -> Below {
        if let Some(known) = self.operations[index] {
            return known;
        }
        let operation = &model.operations[index];
        let mut below = Below {
            runs: operation.behavior.is_some() || !operation.activation.is_empty(),
            has_tail: !operation.tail.is_empty(),
            is_choice: false,
            members: 1,
        };
        for (_, target) in coded_instances(model, index) {
            let inner = self.find(model, target);
            below.runs |= inner.runs;
            below.has_tail |= inner.has_tail;
        }
        self.operations[index] = Some(below);
        below
    }

    fn find_group(&mut self, model: &CheckedModel, index: usize) -> Below {
        if let Some(known) = self.groups[index] {
            return known;
        }
        let mut below = Below::default();
        for member in &model.groups[index].members {
            let inner = self.find(model, *member);
            below.runs |= inner.runs;
            below.has_tail |= inner.has_tail;
            below.is_choice |= match member {
                OperationOrGroup::Operation(id) => model.operations[id.index()].expression.is_none(),
                OperationOrGroup::Group(_) => inner.is_choice,
            };
            below.members = below.members.saturating_add(inner.members);
        }
        self.groups[index] = Some(below);
        below
    }
}

/// The instances of an operation's CODING in INSTANCE order; what a TAIL decodes is none.
pub(super) fn coded_instances(
    model: &CheckedModel,
    operation: usize,
) -> impl Iterator<Item = (InstanceId, OperationOrGroup)> {
    let operation = &model.operations[operation];
    let in_word = |id: InstanceId| !operation.tail.iter().any(|item| is_decoded_by(item, id));
    let instances = (0u32..).map(InstanceId).zip(&operation.instances);
    let coded = instances.filter(move |(id, instance)| instance.role == InstanceRole::Coded && in_word(*id));
    coded.map(|(id, instance)| (id, instance.target))
}

fn is_decoded_by(item: &TailItem, id: InstanceId) -> bool {
    matches!(item, TailItem::Decode { instance, .. } if *instance == id)
}
