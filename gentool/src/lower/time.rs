//! The time graph: everything that `main` reaches by activation and by decoding.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::operation::{Operation, Role, Target};
use isac_ir::time::{Cause, StageId, TimeGraph, TimeNode, distance};

/// Builds the time graph of a model whose operations are lowered.
pub(super) fn lower_time(model: &Model) -> TimeGraph {
    let stage = model.operation(model.main).stage;
    let main = TimeNode {
        target: Target::Operation(model.main),
        name: model.operation(model.main).name.clone(),
        parent: None,
        instance: None,
        cause: Cause::Start,
        stage,
        queue: None,
        children: Vec::new(),
    };
    let graph = TimeGraph { nodes: vec![main] };
    let reached = vec![Reached { from: stage, distance: None }];
    let mut builder = Builder { model, running: list_running(model), graph, reached };
    let mut next = 0;
    while next < builder.graph.nodes.len() {
        builder.add_children(next as u32);
        next += 1;
    }
    let mut graph = builder.graph;
    for (node, queue) in graph.queues().into_iter().enumerate() {
        graph.nodes[node].queue = queue;
    }
    graph
}

/// What a node of a group stands for: those members alone that are so many stages away.
#[derive(Clone, Copy)]
struct Reached {
    /// The stage of the operation that brings it about.
    from: Option<StageId>,
    /// Distance of the members from there; any without a number.
    distance: Option<u32>,
}

struct Builder<'m> {
    model: &'m Model,
    /// What decoding it makes something run.
    running: BTreeSet<Target>,
    graph: TimeGraph,
    /// By node.
    reached: Vec<Reached>,
}

/// How an instance can come to run, and by which of its members.
struct Way {
    cause: Cause,
    /// What its members inherit.
    inherited: Option<StageId>,
    distance: u32,
}

impl Builder<'_> {
    /// Adds what a node brings about: members of a group, decoded instances, scheduled instances.
    fn add_children(&mut self, node: u32) {
        match self.graph.nodes[node as usize].target {
            Target::Group(group) => self.add_members(node, group),
            Target::Operation(operation) => self.add_instances(node, operation),
            Target::Label(_) => {}
        }
    }

    fn add_members(&mut self, node: u32, group: u32) {
        let model = self.model;
        let TimeNode { name: prefix, stage, .. } = self.graph.nodes[node as usize].clone();
        let reached = self.reached[node as usize];
        for member in &model.groups[group as usize].members {
            let distances = distances(model, *member, stage, reached.from);
            let is_reached = reached.distance.is_none_or(|distance| distances.contains(&distance));
            if !is_reached || is_taken_above(model, &self.graph, node, *member) {
                continue;
            }
            let name = format!("{prefix}.{}", model.target_name(*member));
            let stage = own_stage(model, *member).or(stage);
            let (parent, instance, cause) = (Some(node), None, Cause::Decoded);
            let (queue, children) = (None, Vec::new());
            let member = TimeNode { target: *member, name, parent, instance, cause, stage, queue, children };
            self.push(node, member, reached);
        }
    }

    fn add_instances(&mut self, node: u32, operation: u32) {
        let model = self.model;
        let TimeNode { name: prefix, stage, .. } = self.graph.nodes[node as usize].clone();
        for (index, instance) in (0u32..).zip(&model.operation(operation).instances) {
            for way in self.ways(node, operation, index) {
                if let Some(before) = self.find_before(node, index, way.cause) {
                    self.graph.nodes[node as usize].children.push(before);
                    continue;
                }
                let name = match instance.role {
                    Role::Activated | Role::Below => instance.alias.clone(),
                    _ => format!("{prefix}.{}", instance.alias),
                };
                let child = TimeNode {
                    target: instance.target,
                    name,
                    parent: Some(node),
                    instance: Some(index),
                    cause: way.cause,
                    stage: own_stage(model, instance.target).or(way.inherited),
                    queue: None,
                    children: Vec::new(),
                };
                self.push(node, child, Reached { from: stage, distance: Some(way.distance) });
            }
        }
    }

    /// All ways in which an instance of an operation can come to run.
    fn ways(&self, node: u32, operation: u32, index: u32) -> Vec<Way> {
        let model = self.model;
        let instance = &model.operation(operation).instances[index as usize];
        let from = self.graph.nodes[node as usize].stage;
        let is_decoded = matches!(instance.role, Role::Root | Role::Coded);
        let inherited: BTreeSet<Option<StageId>> = match instance.role {
            Role::Root | Role::Coded => BTreeSet::from([from]),
            Role::Below => stages_below(model, operation, from, instance.target),
            Role::Activated | Role::Unused => BTreeSet::from([None]),
        };
        let mut ways = Vec::new();
        for inherited in inherited {
            for distance in distances(model, instance.target, inherited, from) {
                let mut way = |cause| ways.push(Way { cause, inherited, distance });
                if instance.scheduled {
                    for written in written_delays(model, operation, index) {
                        let (delay, conditional) = (written + distance, instance.conditional);
                        way(Cause::Activated { written, delay, conditional });
                    }
                } else if is_decoded
                    && self.running.contains(&instance.target)
                    && !is_taken_above(model, &self.graph, node, instance.target)
                {
                    way(if distance == 0 { Cause::Decoded } else { Cause::Bound { delay: distance } });
                }
            }
        }
        ways.dedup_by(|a, b| a.cause == b.cause && a.distance == b.distance);
        ways
    }

    /// The node above that this one would repeat: activations that go round in a circle.
    fn find_before(&self, parent: u32, instance: u32, cause: Cause) -> Option<u32> {
        let nodes = &self.graph.nodes;
        let (target, stage) = (nodes[parent as usize].target, nodes[parent as usize].stage);
        let above = std::iter::successors(Some(parent), |node| nodes[*node as usize].parent);
        above.into_iter().find(|node| {
            let node = &nodes[*node as usize];
            let same_parent = node.parent.is_some_and(|parent| {
                nodes[parent as usize].target == target && nodes[parent as usize].stage == stage
            });
            same_parent && node.instance == Some(instance) && node.cause == cause
        })
    }

    fn push(&mut self, parent: u32, node: TimeNode, reached: Reached) {
        let index = self.graph.nodes.len() as u32;
        self.graph.nodes[parent as usize].children.push(index);
        self.graph.nodes.push(node);
        self.reached.push(reached);
    }
}

fn own_stage(model: &Model, target: Target) -> Option<StageId> {
    match target {
        Target::Operation(operation) => model.operation(operation).stage,
        Target::Group(_) | Target::Label(_) => None,
    }
}

/// How far the operations that a target may choose are from a stage.
fn distances(
    model: &Model,
    target: Target,
    inherited: Option<StageId>,
    from: Option<StageId>,
) -> BTreeSet<u32> {
    let operations = model.leaf_operations(target).into_iter();
    operations.map(|operation| distance(from, model.operation(operation).stage.or(inherited))).collect()
}

/// The stages that a target inherits where it is decoded below an operation.
fn stages_below(
    model: &Model,
    operation: u32,
    stage: Option<StageId>,
    target: Target,
) -> BTreeSet<Option<StageId>> {
    let mut found = BTreeSet::new();
    let mut next = vec![(operation, stage)];
    let mut seen = BTreeSet::new();
    while let Some((operation, stage)) = next.pop() {
        if !seen.insert((operation, stage)) {
            continue;
        }
        for instance in &model.operation(operation).instances {
            if !matches!(instance.role, Role::Root | Role::Coded) {
                continue;
            }
            if model.targets_within(instance.target).contains(&target) {
                found.insert(stage);
            }
            let operations = model.leaf_operations(instance.target).into_iter();
            next.extend(operations.map(|operation| (operation, model.operation(operation).stage.or(stage))));
        }
    }
    found
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
        (Cause::Decoded | Cause::Bound { .. }, ..) => true,
        (_, Target::Operation(operation), Some(instance)) => {
            let role = model.operation(operation).instances[instance as usize].role;
            matches!(role, Role::Root | Role::Coded | Role::Below)
        }
        _ => false,
    }
}

/// The DELAYs with which an operation's ACTIVATION schedules an instance.
fn written_delays(model: &Model, operation: u32, instance: u32) -> BTreeSet<u32> {
    let mut delays = BTreeSet::new();
    if let Some(body) = &model.operation(operation).activation {
        walk_statements(&body.statements, &mut |statement| match statement {
            Stmt::Activate { instance: target, delay } if *target == instance => {
                delays.insert(*delay);
            }
            _ => {}
        });
    }
    delays
}

/// The targets of which something has a BEHAVIOR or an ACTIVATION, or something that they decode.
///
/// Found from those upwards: there may be more ways down than anybody can walk.
fn list_running(model: &Model) -> BTreeSet<Target> {
    let mut above: BTreeMap<Target, Vec<Target>> = BTreeMap::new();
    let operations = (0u32..).map(Target::Operation).zip(&model.operations);
    for (holder, operation) in operations.clone() {
        for instance in operation.instances.iter().filter(|instance| instance.role == Role::Coded) {
            above.entry(instance.target).or_default().push(holder);
        }
    }
    for (holder, group) in (0u32..).map(Target::Group).zip(&model.groups) {
        group.members.iter().for_each(|member| above.entry(*member).or_default().push(holder));
    }
    let runs = |operation: &Operation| operation.behavior.is_some() || operation.activation.is_some();
    let mut waiting: Vec<Target> =
        operations.filter(|(_, operation)| runs(operation)).map(|(target, _)| target).collect();
    let mut running = BTreeSet::new();
    while let Some(target) = waiting.pop() {
        if running.insert(target) {
            waiting.extend(above.get(&target).into_iter().flatten());
        }
    }
    running
}
