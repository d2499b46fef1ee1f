//! Every instruction of the set: decode paths cut at operands.
//!
//! Where a CODINGROOT has several elements, or an operation several children that are no operands,
//! each counts by itself: totals add, they never multiply. What no word reaches does not count.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::behavior::Stmt;
use isac_ir::decoder::{Decoder, Node, State};
use isac_ir::operation::{Operation, Target};

/// The instructions, in the order of the model's groups, none twice.
pub(super) fn list_instructions(model: &Model) -> Vec<String> {
    let members = model.groups.iter().map(|group| positions(&group.members)).collect();
    let mut lister = Lister { model, members, found: Paths::default() };
    for operation in &model.operations {
        if let Some(root) = &operation.root {
            let mut above = vec![operation.name.clone()];
            lister.list_elements(operation, &root.statements, &mut above);
        }
    }
    lister.found.paths
}

/// Where each member first stands in its group.
fn positions(members: &[Target]) -> BTreeMap<Target, u32> {
    let mut first = BTreeMap::new();
    for (position, member) in (0u32..).zip(members) {
        first.entry(*member).or_insert(position);
    }
    first
}

/// Paths in the order in which they were found, none twice.
#[derive(Default)]
struct Paths {
    paths: Vec<String>,
    known: BTreeSet<String>,
}

impl Paths {
    fn add(&mut self, path: String) {
        if self.known.insert(path.clone()) {
            self.paths.push(path);
        }
    }
}

struct Lister<'m> {
    model: &'m Model,
    /// By group.
    members: Vec<BTreeMap<Target, u32>>,
    found: Paths,
}

impl Lister<'_> {
    /// What the elements of a CODINGROOT decode, below the parts of SWITCHes that they lie in.
    fn list_elements(&mut self, operation: &Operation, statements: &[Stmt], above: &mut Vec<String>) {
        for statement in statements {
            match statement {
                Stmt::Decode { instance, .. } => {
                    let target = operation.instances[*instance as usize].target;
                    let Some(decoder) = self.model.decoder_of(target) else { continue };
                    for path in self.decoder_paths(decoder) {
                        self.found.add(above.iter().rev().fold(path, |path, name| format!("{name}({path})")));
                    }
                }
                Stmt::OpenNode { label } => above.push(self.model.labels[*label as usize].clone()),
                Stmt::CloseNode => {
                    above.pop();
                }
                _ => statement
                    .children()
                    .into_iter()
                    .for_each(|inner| self.list_elements(operation, inner, above)),
            }
        }
    }

    /// The paths of everything that a decoder may choose, in the order of the description.
    fn decoder_paths(&self, index: u32) -> Vec<String> {
        let decoder = &self.model.decoders[index as usize];
        let accepted = decoder.states.iter().filter_map(|state| match state {
            State::Accept(variant) => Some(*variant),
            State::Reject | State::Fetch { .. } | State::Test { .. } => None,
        });
        let mut reachable: Vec<(Vec<u32>, u32)> =
            accepted.map(|variant| (self.description_order(decoder, variant), variant)).collect();
        reachable.sort();
        let mut paths = Paths::default();
        for (_, variant) in reachable {
            let found = self.node_paths(&decoder.variants[variant as usize].nodes, 0);
            found.into_iter().for_each(|path| paths.add(path));
        }
        paths.paths
    }

    /// The positions of the chosen members in their groups, from the top down.
    fn description_order(&self, decoder: &Decoder, variant: u32) -> Vec<u32> {
        let nodes = &decoder.variants[variant as usize].nodes;
        let chosen = nodes.iter().filter_map(|node| {
            let parent = &nodes[node.parent? as usize];
            let Target::Group(group) = parent.target else { return None };
            self.members[group as usize].get(&node.target).copied()
        });
        chosen.collect()
    }

    /// The paths from a node down.
    fn node_paths(&self, nodes: &[Node], index: u32) -> Vec<String> {
        let node = &nodes[index as usize];
        if let Some(nested) = node.nested {
            return self.decoder_paths(nested);
        }
        let name = self.model.target_name(node.target);
        let below =
            (index + 1..nodes.len() as u32).filter(|child| nodes[*child as usize].parent == Some(index));
        let counted = below.filter(|child| match (node.target, nodes[*child as usize].instance) {
            (Target::Operation(operation), Some(instance)) => {
                !self.model.operation(operation).instances[instance as usize].operand
            }
            _ => true,
        });
        let paths: Vec<String> = counted
            .flat_map(|child| self.node_paths(nodes, child))
            .map(|path| format!("{name}({path})"))
            .collect();
        if paths.is_empty() { vec![format!("{name}()")] } else { paths }
    }
}
