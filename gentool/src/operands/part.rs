//! The instructions of the set that a decoded one is: its decode path, cut at operands.

use isac_ir::Model;
use isac_ir::decode::Decoded;
use isac_ir::operation::{Instance, Role, Target};

/// An instruction of the set in a decoding tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name, as [`sim_profile::path::instruction_of`] gives it.
    pub name: String,
    /// The nodes of the operations that it is made of, the outermost first.
    pub operations: Vec<u32>,
}

/// True for what the coverage of instructions is cut at.
pub(super) fn is_operand(instance: &Instance) -> bool {
    instance.operand && instance.role == Role::Coded
}

/// All that a decoded instruction is, in pre-order: what has several children that are no operands is
/// several instructions.
pub fn parts_of(model: &Model, decoded: &Decoded) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut pending = vec![0];
    while let Some(node) = pending.pop() {
        let target = decoded.nodes[node as usize].target;
        let is_cut = |child: u32| match (target, decoded.nodes[child as usize].instance) {
            (Target::Operation(operation), Some(instance)) => {
                is_operand(&model.operation(operation).instances[instance as usize])
            }
            _ => false,
        };
        let children: Vec<u32> = decoded.children(node).filter(|child| !is_cut(*child)).collect();
        if children.is_empty() && !matches!(target, Target::Label(_)) {
            parts.push(part_at(model, decoded, node));
        }
        pending.extend(children.into_iter().rev());
    }
    parts
}

fn part_at(model: &Model, decoded: &Decoded, node: u32) -> Part {
    let above = |node: &u32| decoded.nodes[*node as usize].parent;
    let mut chain: Vec<u32> = std::iter::successors(Some(node), above).collect();
    chain.reverse();
    let target = |node: &u32| decoded.nodes[*node as usize].target;
    Part {
        name: name_of(chain.iter().map(|node| model.target_name(target(node)))),
        operations: chain
            .iter()
            .copied()
            .filter(|node| matches!(target(node), Target::Operation(_)))
            .collect(),
    }
}

/// `decode(instr(add()))`
pub(super) fn name_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let (mut text, mut depth) = (String::new(), 0);
    for name in names {
        text.push_str(name);
        text.push('(');
        depth += 1;
    }
    text + &")".repeat(depth)
}
