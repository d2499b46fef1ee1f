//! Nothing decodes itself, and nothing activates itself without delay.
//!
//! The edges are those along which one operation leads to another within one cycle: what its CODING
//! and CODINGROOT contain, and ACTIVATION of total delay 0. A circle without an activation is endless
//! decoding; one with an activation is a cycle of the processor that never ends.

use std::collections::BTreeSet;

use super::schedule::{Schedule, Way};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{InstanceRole, Model, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports operations that are decoded as a part of themselves; true if there is none.
pub(super) fn check_decoding_cycles(model: &Model, diagnostics: &mut Diagnostics) -> bool {
    let edges = edges(model);
    let cycles = dependency_order(&edges).cycles;
    for cycle in &cycles {
        let (name, span) = describe(model, cycle[0]);
        let message = format!("`{name}` is decoded as a part of itself");
        let diagnostic = error(code::CYCLIC_INSTANCE, span, message, "part of itself");
        diagnostics.push(through(model, cycle, diagnostic));
    }
    cycles.is_empty()
}

/// Reports operations that activate themselves again with a total delay of 0.
pub(super) fn check_activation_cycles(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    let mut edges: Vec<Vec<(usize, Option<Span>)>> = vec![Vec::new(); schedule.runs.len()];
    for step in &schedule.steps {
        let activation = match step.way {
            Way::Decoded { is_taken: true, .. } => continue,
            Way::Decoded { .. } => None,
            Way::Activated { delay_cycles: 1.., .. } => continue,
            Way::Activated { span, .. } => Some(span),
        };
        // A negative distance is reported by itself.
        if schedule.distance(step) <= 0 {
            edges[step.from].push((step.to, activation));
        }
    }
    let needs: Vec<Vec<usize>> =
        edges.iter().map(|edges| edges.iter().map(|(to, _)| *to).collect()).collect();
    let operation = |run: usize| schedule.runs[run].operation.index();
    let mut reported = BTreeSet::new();
    for cycle in dependency_order(&needs).cycles {
        let following = cycle.iter().cycle().skip(1);
        let activation = cycle.iter().zip(following).find_map(|(from, to)| {
            let (_, span) = edges[*from].iter().find(|(target, span)| target == to && span.is_some())?;
            Some(((*span)?, *from))
        });
        let Some((span, from)) = activation else { continue };
        let (name, _) = describe(model, operation(from));
        let message = format!("`{name}` activates itself in the same cycle");
        let diagnostic = error(code::ACTIVATION_CYCLE, span, message, "leads back without delay")
            .help("a cycle of activations needs a DELAY");
        let nodes: Vec<usize> = cycle.iter().map(|run| operation(*run)).collect();
        if reported.insert(span) {
            diagnostics.push(through(model, &nodes, diagnostic));
        }
    }
}

/// The number of an operation, or of a group behind all of them.
pub(super) fn node(model: &Model, target: OperationOrGroup) -> usize {
    match target {
        OperationOrGroup::Operation(id) => id.index(),
        OperationOrGroup::Group(id) => model.operations.len() + id.index(),
    }
}

/// What each operation, then each group, contains.
pub(super) fn edges(model: &Model) -> Vec<Vec<usize>> {
    let operations = model.operations.iter().map(|operation| {
        let instances = operation.instances.iter();
        let decoded =
            instances.filter(|instance| matches!(instance.role, InstanceRole::Coded | InstanceRole::Root));
        decoded.map(|instance| node(model, instance.target)).collect()
    });
    let groups = model.groups.iter();
    let groups = groups.map(|group| group.members.iter().map(|member| node(model, *member)).collect());
    operations.chain(groups).collect()
}

/// The same with the operations and groups of a circle.
fn through(model: &Model, nodes: &[usize], mut diagnostic: Diagnostic) -> Diagnostic {
    for node in BTreeSet::from_iter(nodes.iter().copied()) {
        let (name, span) = describe(model, node);
        if span != diagnostic.primary.0 {
            diagnostic = diagnostic.secondary(span, format!("through `{name}`"));
        }
    }
    diagnostic
}

fn describe(model: &Model, node: usize) -> (&str, Span) {
    match model.operations.get(node) {
        Some(operation) => (&operation.name, operation.span),
        None => {
            let group = &model.groups[node - model.operations.len()];
            (&group.name, group.span)
        }
    }
}
