//! Every instruction of the set: decode paths cut at operands.
//!
//! Where a CODINGROOT has several elements, or an operation several children that are no operands,
//! each counts by itself: totals add, they never multiply. What no word reaches does not count.

use isac_ir::Model;
use isac_ir::behavior::Stmt;
use isac_ir::decoder::{Decoder, Node, State};
use isac_ir::operation::{Operation, Target};

/// The instructions, in the order of the model's groups, none twice.
pub(super) fn list_instructions(model: &Model) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for operation in &model.operations {
        if let Some(root) = &operation.root {
            let mut above = vec![operation.name.clone()];
            list_elements(model, operation, &root.statements, &mut above, &mut found);
        }
    }
    found
}

/// What the elements of a CODINGROOT decode, below the parts of SWITCHes that they lie in.
fn list_elements(
    model: &Model,
    operation: &Operation,
    statements: &[Stmt],
    above: &mut Vec<String>,
    found: &mut Vec<String>,
) {
    for statement in statements {
        match statement {
            Stmt::Decode { instance, .. } => {
                let target = operation.instances[*instance as usize].target;
                let Some(decoder) = model.decoder_of(target) else { continue };
                for path in decoder_paths(model, decoder) {
                    let path = above.iter().rev().fold(path, |path, name| format!("{name}({path})"));
                    if !found.contains(&path) {
                        found.push(path);
                    }
                }
            }
            Stmt::OpenNode { label } => above.push(model.labels[*label as usize].clone()),
            Stmt::CloseNode => {
                above.pop();
            }
            _ => statement
                .children()
                .into_iter()
                .for_each(|inner| list_elements(model, operation, inner, above, found)),
        }
    }
}

/// The paths of everything that a decoder may choose, in the order of the description.
fn decoder_paths(model: &Model, index: u32) -> Vec<String> {
    let decoder = &model.decoders[index as usize];
    let mut reachable: Vec<(Vec<u32>, u32)> = (0..decoder.variants.len() as u32)
        .filter(|variant| decoder.states.contains(&State::Accept(*variant)))
        .map(|variant| (description_order(model, decoder, variant), variant))
        .collect();
    reachable.sort();
    let mut paths: Vec<String> = Vec::new();
    for (_, variant) in reachable {
        for path in node_paths(model, &decoder.variants[variant as usize].nodes, 0) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// The positions of the chosen members in their groups, from the top down.
fn description_order(model: &Model, decoder: &Decoder, variant: u32) -> Vec<u32> {
    let nodes = &decoder.variants[variant as usize].nodes;
    let chosen = nodes.iter().filter_map(|node| {
        let parent = &nodes[node.parent? as usize];
        let Target::Group(group) = parent.target else { return None };
        let members = &model.groups[group as usize].members;
        members.iter().position(|member| *member == node.target)
    });
    chosen.map(|position| position as u32).collect()
}

/// The paths from a node down.
fn node_paths(model: &Model, nodes: &[Node], index: u32) -> Vec<String> {
    let node = &nodes[index as usize];
    if let Some(nested) = node.nested {
        return decoder_paths(model, nested);
    }
    let name = model.target_name(node.target);
    let below = (index + 1..nodes.len() as u32).filter(|child| nodes[*child as usize].parent == Some(index));
    let counted = below.filter(|child| match (node.target, nodes[*child as usize].instance) {
        (Target::Operation(operation), Some(instance)) => {
            !model.operation(operation).instances[instance as usize].operand
        }
        _ => true,
    });
    let paths: Vec<String> = counted
        .flat_map(|child| node_paths(model, nodes, child))
        .map(|path| format!("{name}({path})"))
        .collect();
    if paths.is_empty() { vec![format!("{name}()")] } else { paths }
}
