//! Nothing decodes itself, and nothing activates itself without delay.
//!
//! The edges are those along which one operation leads to another within one cycle: CODINGROOT,
//! CODING, and ACTIVATION of delay 0. A circle without an activation is endless decoding; one
//! with an activation is a cycle of the processor that never ends.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostics;
use crate::model::{Activation, InstanceRole, Model, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports circles of instances and of activations without delay.
pub(super) fn check_cycles(model: &Model, diagnostics: &mut Diagnostics) {
    let decoding = edges(model, false);
    let cycles = report(model, &decoding, diagnostics);
    // A circle of decoding would be found again among all edges.
    if cycles == 0 {
        report(model, &edges(model, true), diagnostics);
    }
}

/// One edge: its target and, for an activation, where it stands.
struct Edge {
    target: usize,
    activation: Option<Span>,
}

fn node(model: &Model, target: OperationOrGroup) -> usize {
    match target {
        OperationOrGroup::Operation(id) => id.index(),
        OperationOrGroup::Group(id) => model.operations.len() + id.index(),
    }
}

fn edges(model: &Model, with_activations: bool) -> Vec<Vec<Edge>> {
    let operations = model.operations.iter().map(|operation| {
        let mut edges = Vec::new();
        for instance in &operation.instances {
            if matches!(instance.role, InstanceRole::Coded | InstanceRole::Root) {
                edges.push(Edge { target: node(model, instance.target), activation: None });
            }
        }
        if with_activations {
            let mut activated = Vec::new();
            immediate(&operation.activation, &mut activated);
            for (instance, span) in activated {
                let instance = &operation.instances[instance];
                if instance.role == InstanceRole::Activated {
                    let target = node(model, instance.target);
                    edges.push(Edge { target, activation: Some(span) });
                }
            }
        }
        edges
    });
    let groups = model.groups.iter().map(|group| {
        let members = group.members.iter();
        members.map(|m| Edge { target: node(model, *m), activation: None }).collect()
    });
    operations.chain(groups).collect()
}

/// The instances that are activated without delay.
fn immediate(items: &[Activation], found: &mut Vec<(usize, Span)>) {
    for item in items {
        match item {
            Activation::Activate { instance, delay_cycles: 0, span } => {
                found.push((instance.index(), *span));
            }
            Activation::Activate { .. } => {}
            Activation::If { then, otherwise, .. } => {
                immediate(then, found);
                immediate(otherwise, found);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| immediate(items, found));
                immediate(default, found);
            }
        }
    }
}

/// Reports the circles among the edges; how many there are.
fn report(model: &Model, edges: &[Vec<Edge>], diagnostics: &mut Diagnostics) -> usize {
    let needs: Vec<Vec<usize>> =
        edges.iter().map(|edges| edges.iter().map(|edge| edge.target).collect()).collect();
    let cycles = dependency_order(&needs).cycles;
    for cycle in &cycles {
        report_cycle(model, edges, cycle, diagnostics);
    }
    cycles.len()
}

fn report_cycle(model: &Model, edges: &[Vec<Edge>], cycle: &[usize], diagnostics: &mut Diagnostics) {
    let following = cycle.iter().cycle().skip(1);
    let activation = cycle.iter().zip(following).find_map(|(from, to)| {
        let edge = edges[*from].iter().find(|edge| edge.target == *to)?;
        Some((edge.activation?, *from))
    });
    let names = BTreeSet::from_iter(cycle.iter().copied());
    let mut diagnostic = match activation {
        Some((span, from)) => {
            let (name, _) = describe(model, from);
            let message = format!("`{name}` activates itself in the same cycle");
            error(code::ACTIVATION_CYCLE, span, message, "leads back without delay")
                .help("a cycle of activations needs a DELAY")
        }
        None => {
            let (name, span) = describe(model, cycle[0]);
            let message = format!("`{name}` is decoded as a part of itself");
            error(code::CYCLIC_INSTANCE, span, message, "part of itself")
        }
    };
    for node in names {
        let (name, span) = describe(model, node);
        if span != diagnostic.primary.0 {
            diagnostic = diagnostic.secondary(span, format!("through `{name}`"));
        }
    }
    diagnostics.push(diagnostic);
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
