//! The time graph: its nodes lead to each other, to operations and to stages that exist.

use super::table::{has_stage, has_target};
use crate::Model;
use crate::operation::Target;
use crate::time::{Cause, TimeNode};

/// Adds the promises of the time graph that are broken.
pub(super) fn verify_time(model: &Model, errors: &mut Vec<String>) {
    let nodes = &model.time.nodes;
    let Some(main) = nodes.first() else {
        errors.push("time graph: it has no node for main".to_string());
        return;
    };
    if (main.target, main.parent, main.cause) != (Target::Operation(model.main), None, Cause::Start) {
        errors.push("time graph: node 0 is not main".to_string());
    }
    for (index, node) in (0u32..).zip(nodes) {
        let mut fail = |text: &str| errors.push(format!("time graph: node {index} {text}"));
        if !has_target(model, node.target) {
            fail("stands for what does not exist");
        } else if index > 0 && !is_brought_about(model, index, node) {
            fail("is not what its parent brings about");
        }
        if node.stage.is_some_and(|stage| !has_stage(model, stage)) {
            fail("is in a stage that does not exist");
        }
        if node.children.iter().any(|child| !is_child(nodes, index, *child)) {
            fail("has a child that has another parent");
        }
    }
    if errors.is_empty() && !model.time.nodes.iter().map(|node| node.queue).eq(model.time.queues()) {
        errors.push("time graph: the queues are not numbered in the order of their nodes".to_string());
    }
}

/// True if a node's parent stands before it, has it among its children, and has it as an instance
/// or a member.
fn is_brought_about(model: &Model, index: u32, node: &TimeNode) -> bool {
    let Some(parent) = node.parent.filter(|parent| *parent < index) else { return false };
    let parent = &model.time.nodes[parent as usize];
    let leads_here = match (parent.target, node.instance) {
        (Target::Operation(operation), Some(instance)) => {
            let above = model.operations.get(operation as usize);
            let instance = above.and_then(|above| above.instances.get(instance as usize));
            instance.is_some_and(|instance| instance.target == node.target)
        }
        (Target::Group(group), None) => {
            let group = model.groups.get(group as usize);
            group.is_some_and(|group| group.members.contains(&node.target))
        }
        _ => false,
    };
    leads_here && node.cause != Cause::Start && parent.children.contains(&index)
}

/// True if a child has this node as its parent, or is above it: a circle of activations.
fn is_child(nodes: &[TimeNode], index: u32, child: u32) -> bool {
    if child > index {
        return nodes.get(child as usize).is_some_and(|node| node.parent == Some(index));
    }
    let above = |node: &u32| nodes[*node as usize].parent.filter(|parent| parent < node);
    let cause = nodes[child as usize].cause;
    cause.delay().is_some() && std::iter::successors(Some(index), above).any(|node| node == child)
}
