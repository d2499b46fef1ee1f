//! Who may decode or activate an operation: found for those alone that take something from there. All
//! pairs of a description may be as many as its operations by themselves.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Group, InstanceRole, OperationOrGroup};
use crate::resolve::operation::Draft;

/// How a parent brings an operation about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Decodes,
    Activates,
}

/// The parents of operations that were asked for, and what they are found by.
#[derive(Default)]
pub(crate) struct Parents {
    /// By node, operations before groups: the groups that have it as a member.
    groups: Vec<Vec<usize>>,
    /// By node: the operations with an instance of it.
    takers: Vec<Vec<(usize, Way)>>,
    /// By operation: its parents.
    found: BTreeMap<usize, BTreeMap<usize, Way>>,
    /// Groups and operations that were met.
    pub(super) steps: usize,
}

impl Parents {
    pub(super) fn new(drafts: &[Draft<'_>], groups: &[Group]) -> Parents {
        let node = |target: OperationOrGroup| match target {
            OperationOrGroup::Operation(id) => id.index(),
            OperationOrGroup::Group(id) => drafts.len() + id.index(),
        };
        let nodes = drafts.len() + groups.len();
        let mut parents = Parents {
            groups: vec![Vec::new(); nodes],
            takers: vec![Vec::new(); nodes],
            ..Parents::default()
        };
        for (index, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|member| parents.groups[node(*member)].push(drafts.len() + index));
        }
        for (parent, draft) in drafts.iter().enumerate() {
            for instance in &draft.scope.instances {
                let way = match instance.role {
                    InstanceRole::Coded | InstanceRole::Root => Way::Decodes,
                    InstanceRole::Activated => Way::Activates,
                    // What is decoded has what decoded it above it, whoever takes it from there.
                    InstanceRole::Below | InstanceRole::Unused => continue,
                };
                parents.takers[node(instance.target)].push((parent, way));
            }
        }
        parents
    }

    /// Who may decode an operation, or activate it without its having been decoded.
    pub(crate) fn of(&mut self, operation: usize) -> &BTreeMap<usize, Way> {
        let Parents { groups, takers, found, steps } = self;
        found.entry(operation).or_insert_with(|| {
            let mut parents = BTreeMap::new();
            let (mut walked, mut waiting) = (BTreeSet::new(), vec![operation]);
            while let Some(node) = waiting.pop() {
                *steps += 1;
                if !walked.insert(node) {
                    continue;
                }
                for (parent, way) in &takers[node] {
                    *steps += 1;
                    let known = parents.entry(*parent).or_insert(*way);
                    if *way == Way::Decodes {
                        *known = *way;
                    }
                }
                waiting.extend(&groups[node]);
            }
            parents
        })
    }

    /// How a parent that was found brings an operation about.
    pub(super) fn way(&self, operation: usize, parent: usize) -> Option<Way> {
        self.found.get(&operation)?.get(&parent).copied()
    }
}
