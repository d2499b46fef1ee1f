//! The time graph: everything that `main` reaches by activation and by decoding.

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::operation::{Role, Target};
use isac_ir::time::{Cause, TimeGraph, TimeNode};

/// Builds the time graph of a model whose operations are lowered.
pub(super) fn lower_time(model: &Model) -> TimeGraph {
    let mut graph = TimeGraph::default();
    graph.nodes.push(TimeNode {
        target: Target::Operation(model.main),
        name: model.operation(model.main).name.clone(),
        parent: None,
        instance: None,
        cause: Cause::Start,
    });
    let mut next = 0;
    while next < graph.nodes.len() {
        add_children(model, &mut graph, next as u32);
        next += 1;
    }
    graph
}

/// Adds what a node brings about: members of a group, decoded instances, scheduled instances.
fn add_children(model: &Model, graph: &mut TimeGraph, node: u32) {
    let prefix = graph.nodes[node as usize].name.clone();
    match graph.nodes[node as usize].target {
        Target::Group(group) => {
            let members = model.groups[group as usize].members.iter();
            let taken = |member: &&Target| is_taken_above(model, graph, node, **member);
            for member in members.filter(|member| !taken(member)).collect::<Vec<_>>() {
                let name = format!("{prefix}.{}", model.target_name(*member));
                let (parent, instance, cause) = (Some(node), None, Cause::Decoded);
                graph.nodes.push(TimeNode { target: *member, name, parent, instance, cause });
            }
        }
        Target::Operation(operation) => {
            for (index, instance) in model.operation(operation).instances.iter().enumerate() {
                let cause = match instance.role {
                    _ if instance.scheduled => scheduling(model, operation, index as u32),
                    Role::Root | Role::Coded if is_taken_above(model, graph, node, instance.target) => None,
                    Role::Root | Role::Coded if can_run(model, instance.target) => Some(Cause::Decoded),
                    _ => None,
                };
                let name = match instance.role {
                    Role::Activated | Role::Below => instance.alias.clone(),
                    _ => format!("{prefix}.{}", instance.alias),
                };
                let (parent, target, instance) = (Some(node), instance.target, Some(index as u32));
                graph.nodes.extend(cause.map(|cause| TimeNode { target, name, parent, instance, cause }));
            }
        }
        Target::Label(_) => {}
    }
}

/// True if an operation above takes a target from below `node`: it runs there alone.
fn is_taken_above(model: &Model, graph: &TimeGraph, mut node: u32, target: Target) -> bool {
    loop {
        let here = &graph.nodes[node as usize];
        if let Target::Operation(operation) = here.target
            && model.operation(operation).taken_from_below(target).is_some()
        {
            return true;
        }
        match here.parent {
            Some(parent) if is_decoded(model, graph, node, parent) => node = parent,
            _ => return false,
        }
    }
}

/// True if what a node stands for was decoded below its parent.
fn is_decoded(model: &Model, graph: &TimeGraph, node: u32, parent: u32) -> bool {
    let here = &graph.nodes[node as usize];
    match (here.cause, graph.nodes[parent as usize].target, here.instance) {
        (Cause::Decoded, ..) => true,
        (_, Target::Operation(operation), Some(instance)) => {
            let role = model.operation(operation).instances[instance as usize].role;
            matches!(role, Role::Root | Role::Coded | Role::Below)
        }
        _ => false,
    }
}

/// How an operation's ACTIVATION schedules an instance.
fn scheduling(model: &Model, operation: u32, instance: u32) -> Option<Cause> {
    let operation = model.operation(operation);
    let mut delay = None;
    walk_statements(&operation.activation.as_ref()?.statements, &mut |statement| match statement {
        Stmt::Activate { instance: target, delay: cycles } if *target == instance => {
            delay = Some(*cycles);
        }
        _ => {}
    });
    let conditional = operation.instances[instance as usize].conditional;
    delay.map(|delay| Cause::Activated { delay, conditional })
}

/// True if something below a target has a BEHAVIOR or an ACTIVATION.
fn can_run(model: &Model, target: Target) -> bool {
    match target {
        Target::Operation(index) => {
            let operation = model.operation(index);
            operation.behavior.is_some()
                || operation.activation.is_some()
                || operation
                    .instances
                    .iter()
                    .any(|instance| instance.role == Role::Coded && can_run(model, instance.target))
        }
        Target::Group(group) => {
            model.groups[group as usize].members.iter().any(|member| can_run(model, *member))
        }
        Target::Label(_) => false,
    }
}
