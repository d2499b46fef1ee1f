//! One instruction decodes once: operations with a CODINGROOT exclude each other.
//!
//! Name, address and size of an instruction are what its CODINGROOT decodes; after a second one it
//! would be another. Whether two exclude each other is seen in the text: they stand in the arms of
//! one IF, in CASEs of one SWITCH, or are members of one group.

use std::collections::VecDeque;

use super::cycle::{edges, node as node_of};
use super::schedule::{Way, activations};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Activation, InstanceRole, Model, Operation, OperationOrGroup, root_decodes};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports operations by which one instruction would come to two CODINGROOTs, or to one of them twice.
pub(super) fn check_single_decoding(model: &Model, diagnostics: &mut Diagnostics) {
    if !dependency_order(&edges(model)).cycles.is_empty() {
        // What is decoded as a part of itself was reported.
        return;
    }
    let needs = needs(model);
    let order = dependency_order(&needs).sorted;
    let roots = find_roots(model, &needs, &order);
    let mut walk = Walk { model, roots: &roots, found_twice: Vec::new() };
    for operation in order.iter().filter_map(|node| model.operations.get(*node)) {
        walk.operation(operation);
    }
    for (first, second) in walk.found_twice {
        let is_circle = first.root == second.root && first.step == first.root;
        diagnostics.push(match is_circle {
            true => leads_back(second, find_way_back(model, &needs, second)),
            false => found_twice(first, second),
        });
    }
}

/// The activation that closes a circle: of those on the shortest way from a step to the CODINGROOT that it leads to,
/// the first which goes no farther away from `main`.
fn find_way_back<'a>(model: &'a Model, needs: &[Vec<usize>], step: Found) -> Option<Activates<'a>> {
    let is_owner = |operation: &Operation| {
        root_decodes(&operation.coding_root).first().is_some_and(|decode| decode.span == step.root)
    };
    let owner = model.operations.iter().position(is_owner)?;
    let depths = distances(needs, model.main.index()).0;
    let way = {
        let (_, from) = distances(needs, node_of(model, step.target));
        let before = |node: &usize| from[*node].filter(|before| before != node);
        let mut way: Vec<usize> = std::iter::successors(Some(owner), before).collect();
        way.reverse();
        way
    };
    way.windows(2).filter(|edge| depths[edge[1]] <= depths[edge[0]]).find_map(|edge| {
        let operation = model.operations.get(edge[0])?;
        let span = find_activation(model, operation, edge[1])?;
        let target = model.operations.get(edge[1]).map_or("", |target| &target.name);
        Some(Activates { span, target })
    })
}

/// How many steps each node is away from one, and the node before it on the way; that of the first is itself.
fn distances(needs: &[Vec<usize>], first: usize) -> (Vec<usize>, Vec<Option<usize>>) {
    let (mut distances, mut from) = (vec![usize::MAX; needs.len()], vec![None; needs.len()]);
    (distances[first], from[first]) = (0, Some(first));
    let mut open = VecDeque::from([first]);
    while let Some(node) = open.pop_front() {
        for next in &needs[node] {
            if from[*next].is_none() {
                (distances[*next], from[*next]) = (distances[node] + 1, Some(node));
                open.push_back(*next);
            }
        }
    }
    (distances, from)
}

/// Where an operation activates a node.
fn find_activation(model: &Model, operation: &Operation, node: usize) -> Option<Span> {
    let ways = activations(operation)
        .into_iter()
        .filter(|(instance, _)| node_of(model, operation.instances[*instance].target) == node);
    ways.flat_map(|(_, ways)| ways).find_map(|way| match way {
        Way::Activated { span, .. } => Some(span),
        Way::Decoded { .. } => None,
    })
}

/// An activation.
struct Activates<'a> {
    span: Span,
    /// The name of what is activated.
    target: &'a str,
}

/// The CODINGROOT that each operation, then each group, leads to, also round a circle.
fn find_roots(model: &Model, needs: &[Vec<usize>], order: &[usize]) -> Vec<Option<Span>> {
    let mut needed_by = vec![Vec::new(); needs.len()];
    for (node, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|need| needed_by[*need].push(node));
    }
    let mut roots = vec![None; needs.len()];
    let mut open: VecDeque<usize> = order.iter().copied().collect();
    while let Some(node) = open.pop_front() {
        if roots[node].is_some() {
            continue;
        }
        let root = match model.operations.get(node) {
            Some(operation) => Walk { model, roots: &roots, found_twice: Vec::new() }.operation(operation),
            None => {
                let members = &model.groups[node - model.operations.len()].members;
                members.iter().find_map(|member| roots[node_of(model, *member)])
            }
        };
        if root.is_some() {
            roots[node] = root;
            open.extend(needed_by[node].iter().filter(|waiting| roots[**waiting].is_none()));
        }
    }
    roots
}

/// What each operation, then each group, has instances or members of.
fn needs(model: &Model) -> Vec<Vec<usize>> {
    let operations = model.operations.iter().map(|operation| {
        operation.instances.iter().map(|instance| node_of(model, instance.target)).collect()
    });
    let groups = model.groups.iter();
    let groups = groups.map(|group| group.members.iter().map(|member| node_of(model, *member)).collect());
    operations.chain(groups).collect()
}

/// A way to a CODINGROOT.
#[derive(Clone, Copy)]
struct Found {
    /// What leads there.
    step: Span,
    /// What that is a step to.
    target: OperationOrGroup,
    /// The first element of the CODINGROOT.
    root: Span,
}

struct Walk<'a> {
    model: &'a Model,
    /// The CODINGROOT that each operation, then each group, leads to, as far as it is known.
    roots: &'a [Option<Span>],
    /// Two CODINGROOTs, the later one second.
    found_twice: Vec<(Found, Found)>,
}

impl Walk<'_> {
    /// The first CODINGROOT that executing an operation leads to.
    fn operation(&mut self, operation: &Operation) -> Option<Span> {
        let own = root_decodes(&operation.coding_root).first().copied();
        let mut found = own.map(|decode| {
            let target = operation.instances[decode.instance.index()].target;
            Found { step: decode.span, target, root: decode.span }
        });
        let activated = activations(operation);
        for (index, instance) in operation.instances.iter().enumerate() {
            let is_decoded = matches!(instance.role, InstanceRole::Coded | InstanceRole::Root);
            if is_decoded && !activated.contains_key(&index) {
                found = self.then(found, instance.target, instance.span);
            }
        }
        self.activations(operation, &operation.activation, found).map(|found| found.root)
    }

    /// What follows a CODINGROOT, if one was found: a second one is reported.
    fn then(&mut self, found: Option<Found>, target: OperationOrGroup, step: Span) -> Option<Found> {
        let next = self.roots[node_of(self.model, target)].map(|root| Found { step, target, root });
        if let (Some(first), Some(second)) = (found, next) {
            self.found_twice.push((first, second));
        }
        found.or(next)
    }

    fn activations(
        &mut self,
        operation: &Operation,
        items: &[Activation],
        before: Option<Found>,
    ) -> Option<Found> {
        items.iter().fold(before, |found, item| match item {
            Activation::Activate { instance, span, .. } => {
                let instance = &operation.instances[instance.index()];
                match instance.role {
                    // It was met where it is decoded.
                    InstanceRole::Below => found,
                    _ => self.then(found, instance.target, *span),
                }
            }
            Activation::If { then, otherwise, .. } => {
                let arms = [then, otherwise].map(|arm| self.activations(operation, arm, found));
                arms.into_iter().flatten().next()
            }
            Activation::Switch { cases, default, .. } => {
                let arms = cases.iter().map(|(_, items)| items).chain([default]);
                let arms: Vec<_> = arms.map(|arm| self.activations(operation, arm, found)).collect();
                arms.into_iter().flatten().next()
            }
        })
    }
}

fn found_twice(first: Found, second: Found) -> Diagnostic {
    let mut diagnostic = error(code::SECOND_DECODING, second.step, TWICE, "leads to a second CODINGROOT")
        .secondary(second.root, "the second");
    if first.step != first.root {
        diagnostic = diagnostic.secondary(first.step, "after this, which leads to the first");
    }
    if first.root != second.root {
        diagnostic = diagnostic.secondary(first.root, "the first");
    }
    diagnostic
        .help("one CODINGROOT decodes several words; of several one is chosen by IF and ELSE or by SWITCH")
}

const TWICE: &str = "one instruction would decode twice";

/// What was decoded leads back to its own CODINGROOT.
fn leads_back(step: Found, way_back: Option<Activates<'_>>) -> Diagnostic {
    let leads = "leads back to the CODINGROOT";
    let diagnostic = match way_back {
        Some(Activates { span, target }) => {
            let label = format!("activates `{target}`, which {leads}");
            error(code::SECOND_DECODING, span, TWICE, label)
        }
        None => error(code::SECOND_DECODING, step.step, TWICE, leads),
    };
    diagnostic
        .secondary(step.root, "decodes it")
        .help("the next instruction is begun by the next cycle: take this activation out")
}
