//! How many paths of activations and decodings begin at `main`.
//!
//! A simulator has an instance of an operation for each path that leads to it, since each has a
//! delay and an order of its own. Layers of operations that all activate both of the next layer
//! double them with each layer, so their number is found here before anyone makes them.

use std::collections::{BTreeMap, BTreeSet};

use super::member::operations_of;
use super::schedule::{Schedule, Step, Way};
use crate::diagnostic::Diagnostics;
use crate::model::{InstanceRole, Model, Operation, OperationId, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::report::error;

/// Most paths: some times what the largest descriptions have.
const MOST_PATHS: usize = 20_000;

/// Reports a description with more paths than can be simulated.
pub(super) fn check_unrolling(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    let operations = Unrolling::new(model, schedule).unroll();
    if operations.len() <= MOST_PATHS {
        return;
    }
    let mut counts: BTreeMap<OperationId, usize> = BTreeMap::new();
    for operation in &operations {
        *counts.entry(*operation).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    let Some((most, count)) = most else { return };
    let (operation, main) = (&model.operations[most.index()], &model.operations[model.main.index()]);
    let message = format!("`{}` is brought about in too many ways", operation.name);
    let label = format!("at least {count} paths lead here");
    let diagnostic = error(code::TOO_MANY_RUNS, operation.span, message, label)
        .secondary(main.span, format!("more than {MOST_PATHS} paths begin here"))
        .help(
            "whatever two operations activate is there twice, and all behind it, too: \
             activate once, in front of both, what both need",
        );
    diagnostics.push(diagnostic);
}

/// The end of a path.
struct Node {
    run: usize,
    /// The path without its last step, and that step; `None` for `main`.
    last: Option<(usize, usize)>,
}

struct Unrolling<'a> {
    schedule: &'a Schedule,
    /// Numbers of the steps that are instances of their own, by the run that they begin at.
    steps: Vec<Vec<usize>>,
}

impl<'a> Unrolling<'a> {
    fn new(model: &'a Model, schedule: &'a Schedule) -> Unrolling<'a> {
        let mut steps = vec![Vec::new(); schedule.runs.len()];
        let mut known = BTreeSet::new();
        let runs_below = running_operations(model);
        let mut running = BTreeMap::new();
        for (number, step) in schedule.steps.iter().enumerate() {
            let delay = match step.way {
                Way::Decoded { is_taken: true, .. } => continue,
                Way::Decoded { .. } => None,
                Way::Activated { delay_cycles, .. } => Some(delay_cycles),
            };
            let from = &model.operations[schedule.runs[step.from].operation.index()];
            let target = from.instances[step.instance].target;
            // What decodes to operands alone has nothing to run.
            let runs = delay.is_some()
                || *running
                    .entry(target)
                    .or_insert_with(|| operations_of(model, target).iter().any(|id| runs_below[id.index()]));
            if runs && known.insert((step.from, step.to, step.instance, delay)) {
                steps[step.from].push(number);
            }
        }
        Unrolling { schedule, steps }
    }

    /// The operations at the ends of all paths, the short ones first; one more than
    /// [`MOST_PATHS`] if there are more.
    fn unroll(&self) -> Vec<OperationId> {
        // The first run is that of `main`.
        let mut nodes = vec![Node { run: 0, last: None }];
        let mut next = 0;
        while next < nodes.len() && nodes.len() <= MOST_PATHS {
            for number in &self.steps[nodes[next].run] {
                let Step { to, way, .. } = self.schedule.steps[*number];
                let is_activated = matches!(way, Way::Activated { .. });
                if !(is_activated && has_step(&nodes, next, *number)) {
                    nodes.push(Node { run: to, last: Some((next, *number)) });
                }
                if nodes.len() > MOST_PATHS {
                    break;
                }
            }
            next += 1;
        }
        nodes.iter().map(|node| self.schedule.runs[node.run].operation).collect()
    }
}

/// True if a path has taken a step before: it would go round in a circle.
fn has_step(nodes: &[Node], end: usize, step: usize) -> bool {
    let steps = std::iter::successors(nodes[end].last, |(before, _)| nodes[*before].last);
    steps.into_iter().any(|(_, taken)| taken == step)
}

/// The operations that have a section that runs, or below which something decoded has: found from
/// those that have one on upwards, each looked at once.
fn running_operations(model: &Model) -> Vec<bool> {
    let mut users: BTreeMap<OperationOrGroup, Vec<usize>> = BTreeMap::new();
    for (number, operation) in model.operations.iter().enumerate() {
        let coded = operation.instances.iter().filter(|instance| instance.role == InstanceRole::Coded);
        coded.for_each(|instance| users.entry(instance.target).or_default().push(number));
    }
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); model.operations.len()];
    for (target, users) in &users {
        for id in operations_of(model, *target) {
            above[id.index()].extend(users);
        }
    }
    let has_section =
        |operation: &Operation| operation.behavior.is_some() || !operation.activation.is_empty();
    let mut runs: Vec<bool> = model.operations.iter().map(has_section).collect();
    let mut waiting: Vec<usize> = (0..runs.len()).filter(|number| runs[*number]).collect();
    while let Some(below) = waiting.pop() {
        for number in &above[below] {
            if !std::mem::replace(&mut runs[*number], true) {
                waiting.push(*number);
            }
        }
    }
    runs
}
