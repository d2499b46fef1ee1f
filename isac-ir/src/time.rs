//! The time graph: instances of operations, and who brings them about when.

use serde::{Deserialize, Serialize};

use crate::operation::{Role, Target};

/// All instances reached from `main`, in the order in which they are first reached.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimeGraph {
    /// Node 0 is `main`.
    pub nodes: Vec<TimeNode>,
}

/// An instance of an operation or group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeNode {
    /// Operation or group.
    pub target: Target,
    /// Its alias, with those above it where that is needed to tell it apart.
    pub name: String,
    /// The node that brings it about; `None` for `main`.
    pub parent: Option<u32>,
    /// The parent operation's instance.
    pub instance: Option<u32>,
    /// How.
    pub cause: Cause,
}

/// How an instance comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// It is `main`.
    Start,
    /// Its parent's decoding chose it: it runs at once, as if called.
    Decoded,
    /// Its parent schedules it.
    Activated {
        /// Total delay in cycles.
        delay: u32,
        /// True if it depends on a condition.
        conditional: bool,
    },
}

impl TimeGraph {
    /// The nodes that have a queue: those that are scheduled, by their number among them.
    pub fn scheduled(&self) -> impl Iterator<Item = &TimeNode> {
        self.nodes.iter().filter(|node| matches!(node.cause, Cause::Activated { .. }))
    }

    /// True if every delay is 0: one instruction a cycle, complete in it.
    pub fn is_instruction_accurate(&self) -> bool {
        self.nodes.iter().all(|node| !matches!(node.cause, Cause::Activated { delay: 1.., .. }))
    }

    /// The queue's number for an instance that a node schedules.
    pub fn queue(&self, parent: u32, instance: u32) -> Option<u32> {
        self.scheduled()
            .position(|node| node.parent == Some(parent) && node.instance == Some(instance))
            .map(|queue| queue as u32)
    }
}

impl TimeNode {
    /// True if the node is part of a decoding tree: its instance has a CODING.
    pub fn is_decoded(&self, model: &crate::Model) -> bool {
        self.cause == Cause::Decoded || {
            let parent = self.parent.map(|parent| model.time.nodes[parent as usize].target);
            match (parent, self.instance) {
                (Some(Target::Operation(operation)), Some(instance)) => {
                    let role = model.operation(operation).instances[instance as usize].role;
                    matches!(role, Role::Root | Role::Coded | Role::Below)
                }
                _ => false,
            }
        }
    }
}
