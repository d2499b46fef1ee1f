//! Forms: the instructions that have a step of their own, one for each variant of the decoder.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::account::{
    Part, Scheduled, body_counters, decoder_counters, operation_counters, referred_regions,
    scheduled_operations,
};
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::decoder::Variant;
use isac_ir::operand::MentionKind;
use isac_ir::operation::{Role, Target};

use super::name::{camel_case, unique};

/// An instruction with a step of its own.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The variant of the root's decoder.
    pub variant: u32,
    /// Its type name.
    pub name: String,
    /// What its step calls, in order.
    pub calls: Vec<Call>,
    /// Number of its counters.
    pub counters: u32,
    /// The counters of operands that a REFERENCE may stand for, by node of the variant and what is done
    /// there, as [`isac_ir::account::OperandCounters`] numbers them.
    pub operand_counters: BTreeMap<(u32, MentionKind), u32>,
    /// What runs, by its node in the time graph, with the variant's node; empty where instructions are in
    /// flight.
    pub nodes: BTreeMap<u32, Option<u32>>,
}

/// One call of a step: a section of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub operation: u32,
    pub part: Part,
    /// The variant's node, or `None` outside the decoding tree.
    pub node: Option<u32>,
    /// Its node in the time graph; 0 where instructions are in flight.
    pub time_node: u32,
    /// First counter of the section.
    pub base: u32,
    /// The bit of [`Step::due`](sim_runtime::kernel::Step::due) on which it depends.
    pub guard: Option<u32>,
    /// True if it counts its region 0: it is the section of an operation on a condition.
    pub conditional: bool,
    /// It is of no instruction, but of what runs beside each, as what takes interrupts does.
    pub is_beside: bool,
}

/// The operation that holds the CODINGROOT, its instance and its decoder.
pub(super) fn find_root(model: &Model) -> Option<(u32, u32, u32)> {
    let operation = model.operations.iter().position(|operation| operation.root.is_some())? as u32;
    let instances = model.operation(operation).instances.iter();
    let (index, instance) = instances.enumerate().find(|(_, instance)| instance.role == Role::Root)?;
    Some((operation, index as u32, model.decoder_of(instance.target)?))
}

/// The bit of `Step::due` for an instance that an operation schedules.
pub(super) fn queue_bit(model: &Model, operation: u32, instance: u32) -> Option<u32> {
    let nodes = (0u32..).zip(&model.time.nodes);
    let mut parents = nodes.filter(|(_, node)| node.target == Target::Operation(operation));
    parents.find_map(|(parent, _)| model.time.queue(model.time.scheduled_child(parent, instance)?))
}

/// The forms, by variant.
pub(super) fn list_forms(model: &Model) -> Vec<Form> {
    let Some((_, _, decoder)) = find_root(model) else { return Vec::new() };
    let mut taken = BTreeSet::from(["None".to_string()]);
    let variants = &model.decoders[decoder as usize].variants;
    let forms = (0u32..).zip(variants).map(|(index, variant)| {
        let mut composer = Composer::new(model, variant);
        composer.compose();
        let operand_counters = composer.number_operands();
        Form {
            variant: index,
            name: unique(&camel_case(&leaf_name(model, variant)), &mut taken),
            calls: composer.calls,
            counters: composer.counters,
            operand_counters,
            nodes: composer.nodes,
        }
    });
    forms.collect()
}

/// What runs before anything is decoded, in order.
pub(super) fn calls_before_decoding(model: &Model) -> Vec<Call> {
    let nothing = Variant { width_bits: 0, nodes: Vec::new() };
    let mut composer = Composer::new(model, &nothing);
    composer.stops_at_root = true;
    composer.compose();
    composer.calls
}

/// The name of the last operation along the chain of what are no operands.
pub(super) fn leaf_name(model: &Model, variant: &Variant) -> String {
    let mut node = 0;
    loop {
        let below = (node + 1..variant.nodes.len() as u32).find(|child| {
            let child = &variant.nodes[*child as usize];
            child.parent == Some(node) && child.nested.is_none() && !is_operand(model, variant, child)
        });
        match below {
            Some(child) => node = child,
            None => return model.target_name(variant.nodes[node as usize].target).to_string(),
        }
    }
}

fn is_operand(model: &Model, variant: &Variant, node: &isac_ir::decoder::Node) -> bool {
    let above = node.parent.map(|parent| variant.nodes[parent as usize].target);
    match (above, node.instance) {
        (Some(Target::Operation(operation)), Some(instance)) => {
            model.operation(operation).instances[instance as usize].operand
        }
        _ => false,
    }
}

/// Puts the sections of an instruction in the order in which they run.
///
/// Activations are taken first in, first out; one that does not happen leaves the order of the
/// others as it is, so the order is static and what depends on a condition is guarded.
struct Composer<'a> {
    model: &'a Model,
    variant: &'a Variant,
    calls: Vec<Call>,
    counters: u32,
    /// First counter of each node of the variant.
    bases: Vec<u32>,
    due: std::collections::VecDeque<Due>,
    /// Nothing is composed from the operation with the CODINGROOT on.
    stops_at_root: bool,
    /// What has run, by its node in the time graph, with the variant's node.
    nodes: BTreeMap<u32, Option<u32>>,
}

/// Something that runs: where it stands in the time graph and in the variant, and on what it
/// depends.
#[derive(Debug, Clone, Copy)]
struct Due {
    time_node: u32,
    node: Option<u32>,
    /// First counter of an operation outside the decoding tree.
    base: u32,
    guard: Option<u32>,
    conditional: bool,
    /// Nothing of the instruction has led to it but what decodes.
    is_beside: bool,
}

impl<'a> Composer<'a> {
    fn new(model: &'a Model, variant: &'a Variant) -> Composer<'a> {
        let mut composer = Composer {
            model,
            variant,
            calls: Vec::new(),
            counters: operation_counters(model, model.main, false),
            bases: Vec::new(),
            due: Default::default(),
            stops_at_root: false,
            nodes: BTreeMap::new(),
        };
        composer.number_nodes();
        composer
    }

    /// The tree's counters, numbered as [`isac_ir::account`] does.
    fn number_nodes(&mut self) {
        let mut conditional: Vec<bool> = Vec::new();
        for node in &self.variant.nodes {
            let above = node.parent.map(|parent| parent as usize);
            let inherited = above.is_some_and(|above| conditional[above]);
            let here = inherited || self.is_conditional(node);
            conditional.push(here);
            self.bases.push(self.counters);
            self.counters += match (node.nested, node.target) {
                (Some(nested), _) => decoder_counters(self.model, nested, here),
                (None, Target::Operation(operation)) => operation_counters(self.model, operation, here),
                (None, Target::Group(_) | Target::Label(_)) => 0,
            };
        }
    }

    /// The counters of operands that a REFERENCE may stand for, behind all others.
    fn number_operands(&mut self) -> BTreeMap<(u32, MentionKind), u32> {
        let mut counters = BTreeMap::new();
        for (index, node) in (0u32..).zip(&self.variant.nodes) {
            if !self.is_referred(node) {
                continue;
            }
            for kind in MentionKind::ALL {
                let regions = referred_regions(self.model, node.target, kind);
                if regions > 0 {
                    counters.insert((index, kind), self.counters);
                    self.counters += regions;
                }
            }
        }
        counters
    }

    /// Whether a REFERENCE may stand for a node's instance.
    fn is_referred(&self, node: &isac_ir::decoder::Node) -> bool {
        let above = node.parent.map(|parent| self.variant.nodes[parent as usize].target);
        match (above, node.instance) {
            (Some(Target::Operation(parent)), Some(instance)) => self.model.may_refer_to(parent, instance),
            _ => false,
        }
    }

    fn is_conditional(&self, node: &isac_ir::decoder::Node) -> bool {
        let root = find_root(self.model).map(|(operation, instance, _)| (operation, instance));
        let place = match (node.parent, node.instance) {
            (None, _) => root,
            (Some(parent), Some(instance)) => match self.variant.nodes[parent as usize].target {
                Target::Operation(operation) => Some((operation, instance)),
                Target::Group(_) | Target::Label(_) => None,
            },
            _ => None,
        };
        place.is_some_and(|(operation, instance)| {
            self.model.operation(operation).instances[instance as usize].conditional
        })
    }

    fn compose(&mut self) {
        let main =
            Due { time_node: 0, node: None, base: 0, guard: None, conditional: false, is_beside: true };
        self.due.push_back(main);
        while let Some(due) = self.due.pop_front() {
            let target = self.model.time.nodes[due.time_node as usize].target;
            let root = find_root(self.model).map(|(operation, ..)| Target::Operation(operation));
            if self.stops_at_root && Some(target) == root {
                return;
            }
            self.execute_target(due);
        }
    }

    fn execute_target(&mut self, due: Due) {
        match self.model.time.nodes[due.time_node as usize].target {
            Target::Operation(operation) => self.execute(operation, due),
            Target::Group(_) | Target::Label(_) => {
                let Some(parent) = due.node else { return };
                let child = (0u32..).zip(&self.variant.nodes).find(|(_, child)| child.parent == Some(parent));
                let Some((child, target)) = child.map(|(index, child)| (index, child.target)) else { return };
                if let Some(time_node) = self.time_child(due.time_node, |node| node.target == target) {
                    self.execute_target(Due { time_node, node: Some(child), ..due });
                }
            }
        }
    }

    fn time_child(&self, parent: u32, fits: impl Fn(&isac_ir::time::TimeNode) -> bool) -> Option<u32> {
        self.model.time.child(parent, fits)
    }

    fn execute(&mut self, operation: u32, due: Due) {
        let table = self.model.operation(operation);
        let Due { time_node, node, guard, conditional, .. } = due;
        let is_beside = due.is_beside && node.is_none() && table.root.is_none();
        self.nodes.insert(time_node, node);
        let base = node.map_or(due.base, |node| self.bases[node as usize]);
        let mut call =
            Call { operation, part: Part::Root, node, time_node, base, guard, conditional, is_beside };
        if let Some(body) = &table.root {
            call.base += body_counters(body, conditional);
        }
        self.execute_instances(operation, due, true);
        if let Some(body) = &table.behavior {
            self.calls.push(Call { part: Part::Behavior, ..call });
            call.base += body_counters(body, conditional);
        }
        self.execute_instances(operation, due, false);
        if let Some(body) = &table.activation {
            self.calls.push(Call { part: Part::Activation, ..call });
            let is_beside = is_beside || table.root.is_some();
            self.schedule(&body.statements, operation, Due { base, is_beside, ..due });
        }
    }

    /// Runs decoded instances that are not scheduled: operands, or all others.
    fn execute_instances(&mut self, operation: u32, due: Due, operands: bool) {
        let instances = &self.model.operation(operation).instances;
        for (index, instance) in (0u32..).zip(instances) {
            let decoded = matches!(instance.role, Role::Coded | Role::Root);
            if !decoded || instance.scheduled || instance.operand != operands {
                continue;
            }
            let child = self.child(operation, due.node, index);
            let below = self.time_child(due.time_node, |node| node.instance == Some(index));
            if let (Some(child), Some(time_node)) = (child, below) {
                self.execute_target(Due { time_node, node: Some(child), ..due });
            }
        }
    }

    /// The variant's node of an operation's instance.
    fn child(&self, operation: u32, node: Option<u32>, instance: u32) -> Option<u32> {
        match node {
            None => find_root(self.model).filter(|root| (root.0, root.1) == (operation, instance)).map(|_| 0),
            Some(_) => (0u32..)
                .zip(&self.variant.nodes)
                .find(|(_, child)| child.parent == node && child.instance == Some(instance))
                .map(|(index, _)| index),
        }
    }

    fn schedule(&mut self, statements: &[Stmt], operation: u32, due: Due) {
        let mut activated = Vec::new();
        walk_statements(statements, &mut |statement| {
            if let Stmt::Activate { instance, .. } = statement {
                activated.push(*instance);
            }
        });
        let (scheduled, _) = scheduled_operations(self.model, operation, due.base, due.conditional);
        for instance in activated {
            let queue = queue_bit(self.model, operation, instance);
            let below = self.time_child(due.time_node, |node| node.instance == Some(instance));
            let depends = due.conditional
                || due.guard.is_some()
                || self.model.operation(operation).instances[instance as usize].conditional;
            if let (Some(queue), Some(time_node)) = (queue, below) {
                let node = self.child(operation, due.node, instance);
                let base = direct_base(self.model, &scheduled, instance);
                let guard = depends.then_some(queue);
                let is_beside = due.is_beside && node.is_none();
                self.due.push_back(Due { time_node, node, base, guard, conditional: depends, is_beside });
            }
        }
    }
}

/// First counter of what an operation itself schedules as an instance; the list is that
/// operation's. A decoded instance is not in it: its counters are the tree's.
fn direct_base(model: &Model, scheduled: &[Scheduled], instance: u32) -> u32 {
    let mut index = 1;
    while let Some(entry) = scheduled.get(index) {
        if entry.instance == Some(instance) {
            return entry.base;
        }
        // Over what it schedules in turn.
        let conditional = entry.conditional;
        index += scheduled_operations(model, entry.operation, 0, conditional).0.len();
    }
    0
}
