//! The operations that a name may stand for.

use std::collections::BTreeSet;

use crate::model::{GroupId, Model, OperationId, OperationOrGroup};

/// The operation itself, or all operations of a group and of the groups in it, in order.
///
/// An operation that is a member in several ways comes as often only as its groups differ: a
/// group is walked once.
pub(super) fn operations_of(model: &Model, target: OperationOrGroup) -> Vec<OperationId> {
    let mut operations = Vec::new();
    let mut walked: BTreeSet<GroupId> = BTreeSet::new();
    let mut waiting = vec![target];
    while let Some(next) = waiting.pop() {
        match next {
            OperationOrGroup::Operation(id) => operations.push(id),
            OperationOrGroup::Group(id) => {
                if walked.insert(id) {
                    waiting.extend(model.groups[id.index()].members.iter().rev());
                }
            }
        }
    }
    operations
}
