//! The time graph: instances of operations, and who brings them about when.

use serde::{Deserialize, Serialize};

use crate::operation::Target;

/// All instances reached from `main`, in the order in which they are first reached.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimeGraph {
    /// Node 0 is `main`.
    pub nodes: Vec<TimeNode>,
}

/// An instance of an operation or group.
///
/// An instance that can be scheduled with several total delays has a node for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeNode {
    /// Operation or group.
    pub target: Target,
    /// Its alias, with those above it where that is needed to tell it apart.
    pub name: String,
    /// The node that first brings it about; `None` for `main`.
    pub parent: Option<u32>,
    /// The parent operation's instance.
    pub instance: Option<u32>,
    /// How.
    pub cause: Cause,
    /// The stage that an operation here is bound to, by itself or by what decodes it; of a group
    /// that which its members inherit.
    pub stage: Option<StageId>,
    /// The number of its queue, if it has one: see [`TimeGraph::queues`].
    pub queue: Option<u32>,
    /// What it brings about: of a group the members that are reached by this node. A circle of
    /// activations comes back to a node that is there already.
    pub children: Vec<u32>,
}

/// How an instance comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// It is `main`.
    Start,
    /// Its parent's decoding chose it: it runs at once, as if called.
    Decoded,
    /// Its parent's decoding chose it, and it is bound to a later stage: it is scheduled.
    Bound {
        /// Distance in stages, in cycles.
        delay: u32,
    },
    /// Its parent schedules it.
    Activated {
        /// The activation's own DELAY in cycles.
        written: u32,
        /// Total delay in cycles: DELAY and distance in stages.
        delay: u32,
        /// True if it depends on a condition.
        conditional: bool,
    },
}

impl Cause {
    /// Total delay in cycles, if it is scheduled.
    pub fn delay(self) -> Option<u32> {
        match self {
            Cause::Start | Cause::Decoded => None,
            Cause::Bound { delay } | Cause::Activated { delay, .. } => Some(delay),
        }
    }
}

/// A stage of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StageId {
    /// Index into [`crate::Model::pipelines`].
    pub pipeline: u32,
    /// Index into its stages.
    pub stage: u32,
}

/// How many cycles later something bound to one stage runs than what brings it about, which is
/// outside of that pipeline or in a stage that is not behind it.
pub fn distance(from: Option<StageId>, to: Option<StageId>) -> u32 {
    match (from, to) {
        (_, None) => 0,
        (Some(from), Some(to)) if from.pipeline == to.pipeline => to.stage.saturating_sub(from.stage),
        (_, Some(to)) => to.stage,
    }
}

impl TimeGraph {
    /// The nodes that have a queue, by the number of their queue.
    pub fn scheduled(&self) -> impl Iterator<Item = &TimeNode> {
        self.nodes.iter().filter(|node| node.queue.is_some())
    }

    /// The number of every node's queue, by node: those that are scheduled have one, in their
    /// order. `main` has one if it, or something that it decodes and runs at once, is bound to a
    /// stage, where it may have to run again.
    pub fn queues(&self) -> Vec<Option<u32>> {
        let has_queue = |(index, node): (usize, &TimeNode)| {
            node.cause.delay().is_some() || index == 0 && self.is_bound(0)
        };
        let mut numbers = 0..;
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|node| if has_queue(node) { numbers.next() } else { None }).collect()
    }

    /// The number of a node's queue, if it has one.
    pub fn queue(&self, node: u32) -> Option<u32> {
        self.nodes[node as usize].queue
    }

    /// True if a node, or something that it decodes and runs at once, is bound to a stage.
    fn is_bound(&self, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        let at_once = |child: &&u32| self.nodes[**child as usize].cause == Cause::Decoded;
        node.stage.is_some() || node.children.iter().filter(at_once).any(|child| self.is_bound(*child))
    }

    /// True if every delay is 0: one instruction a cycle, complete in it.
    pub fn is_instruction_accurate(&self) -> bool {
        self.nodes.iter().all(|node| node.cause.delay().unwrap_or(0) == 0)
    }

    /// The first node among those that one brings about that fits.
    pub fn child(&self, parent: u32, fits: impl Fn(&TimeNode) -> bool) -> Option<u32> {
        let children = self.nodes[parent as usize].children.iter().copied();
        children.into_iter().find(|child| fits(&self.nodes[*child as usize]))
    }

    /// The node by which an operation's node schedules an instance.
    pub fn scheduled_child(&self, parent: u32, instance: u32) -> Option<u32> {
        self.child(parent, |node| node.instance == Some(instance) && node.cause.delay().is_some())
    }
}
