//! What stands in the way of any simulator: executions that need something of their own.
//!
//! Compiled sections keep one set of LOCALs for each place in the decoding tree, and one decoded
//! instruction at a time. An operation may be executed several times in one instruction, because it is
//! activated in two places, or because activations come back to it: each execution then begins with
//! LOCALs of its own. That is enough, unless something still to come refers to those of the execution
//! before.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::operation::{Instance, Operation, Referred, Role, Target};

/// Why no simulator can be emitted from this model; empty if one can.
pub fn find_obstacles(model: &Model) -> Vec<String> {
    let mut found = Vec::new();
    for operation in &model.operations {
        let activated = activated_instances(operation);
        let again: Vec<u32> = activated_again(&activated).collect();
        let twice = again.into_iter().chain(taken_twice(model, operation, &activated));
        let targets = twice.map(|instance| operation.instances[instance as usize].target);
        if targets.into_iter().any(|target| keeps_variables(model, target)) {
            let place = &operation.location;
            found.push(format!(
                "{place}: LOCALs of what is activated in two places and activates in turn are not emitted yet"
            ));
        }
    }
    for operation in operations_below_circles(model) {
        find_circle_obstacles(model, operation, &mut found);
    }
    found
}

/// The instances that an ACTIVATION names, in the order of the text.
pub(super) fn activated_instances(operation: &Operation) -> Vec<u32> {
    let mut activated = Vec::new();
    if let Some(body) = &operation.activation {
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::Activate { instance, .. } = statement {
                activated.push(*instance);
            }
        });
    }
    activated
}

/// Those that have been named before.
pub(super) fn activated_again(activated: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let again = (1..activated.len()).filter(|end| activated[..*end].contains(&activated[*end]));
    again.map(|index| activated[index])
}

/// What an operation takes from below that is taken by another instance, too: its own, or one of an
/// operation in between.
fn taken_twice(model: &Model, operation: &Operation, activated: &[u32]) -> Vec<u32> {
    let takes = |instance: &&Instance| instance.role == Role::Below;
    let is_decoded = |instance: &Instance| matches!(instance.role, Role::Coded | Role::Root);
    let mut others: Vec<&Instance> = operation.instances.iter().filter(takes).collect();
    if others.is_empty() {
        return Vec::new();
    }
    for decoded in operation.instances.iter().filter(|instance| is_decoded(instance)) {
        for below in model.operations_below(decoded.target, is_decoded) {
            others.extend(model.operation(below).instances.iter().filter(takes));
        }
    }
    let shares = |instance: &Instance| {
        let leaves = model.leaf_operations(instance.target);
        let meets = |other: &&&Instance| {
            !std::ptr::eq(**other, instance)
                && model.leaf_operations(other.target).iter().any(|leaf| leaves.contains(leaf))
        };
        others.iter().any(|other| meets(&other))
    };
    let taken = activated.iter().copied().filter(|instance| {
        let instance = &operation.instances[*instance as usize];
        takes(&instance) && shares(instance)
    });
    taken.collect()
}

/// True if LOCALs of a target, or of what it decodes or activates, may be referred to later.
fn keeps_variables(model: &Model, target: Target) -> bool {
    let below = model.operations_below(target, |instance| instance.role != Role::Below);
    let any = |fits: fn(&Operation) -> bool| below.iter().any(|index| fits(model.operation(*index)));
    any(|operation| !operation.variables.is_empty()) && any(|operation| operation.activation.is_some())
}

/// The operations that activations come back to, and all that these bring about.
fn operations_below_circles(model: &Model) -> BTreeSet<u32> {
    let nodes = &model.time.nodes;
    let back = (0u32..)
        .zip(nodes)
        .flat_map(|(index, node)| node.children.iter().copied().filter(move |child| *child <= index));
    let mut next: Vec<u32> = back.collect();
    let (mut seen, mut operations) = (BTreeSet::new(), BTreeSet::new());
    while let Some(node) = next.pop() {
        if seen.insert(node) {
            let node = &nodes[node as usize];
            next.extend(&node.children);
            if let Target::Operation(operation) = node.target {
                operations.insert(operation);
            }
        }
    }
    operations
}

/// What an operation cannot do that an instruction may execute again and again.
fn find_circle_obstacles(model: &Model, operation: u32, found: &mut Vec<String>) {
    let table = model.operation(operation);
    let (place, name) = (&table.location, &table.name);
    if table.root.is_some() {
        found.push(format!(
            "{place}: a CODINGROOT behind activations that go round in a circle is not emitted yet"
        ));
    }
    let is_kept = |user: &Operation| {
        let references = 0..user.references.len() as u32;
        references
            .into_iter()
            .any(|reference| matches!(user.referred(reference, operation), Some(Referred::Variable(_))))
    };
    if model.operations.iter().any(is_kept) {
        found.push(format!(
            "{place}: LOCALs of `{name}` that others refer to, behind activations that go round in a circle, are not emitted yet"
        ));
    }
}
