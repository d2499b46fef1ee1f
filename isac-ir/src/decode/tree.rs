//! The decoding tree of an instruction, and finding one's way in it.

use crate::Model;
use crate::bits::mask;
use crate::operation::Target;

/// A node of a decoded instruction's tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DecodedNode {
    /// Group or operation.
    pub target: Target,
    /// Index of the node above; `None` for the root.
    pub parent: Option<u32>,
    /// Position among its siblings.
    pub position: u32,
    /// The instance of the nearest operation above that led here.
    pub instance: Option<u32>,
    /// Its coded word (the low 128 bits of it).
    pub coded: u128,
    /// The fields of an operation.
    pub fields: Vec<u128>,
    /// The decoder that chose what is below, if this node begins a part decoded by its own.
    pub nested: Option<u32>,
}

impl DecodedNode {
    /// A node by itself.
    pub(crate) fn new(target: Target) -> DecodedNode {
        DecodedNode {
            target,
            parent: None,
            position: 0,
            instance: None,
            coded: 0,
            fields: Vec::new(),
            nested: None,
        }
    }
}

/// A decoded instruction: the walk through the decoding tree, in pre-order.
///
/// Node 0 is the operation that holds the CODINGROOT.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decoded {
    /// The nodes.
    pub nodes: Vec<DecodedNode>,
}

impl Decoded {
    /// The name: groups and operations of the walk, children in parentheses, siblings side by side.
    pub fn name(&self, model: &Model) -> String {
        let mut name = String::new();
        self.write_name(model, 0, &mut name);
        name
    }

    fn write_name(&self, model: &Model, node: u32, name: &mut String) {
        name.push_str(model.target_name(self.nodes[node as usize].target));
        name.push('(');
        for child in self.children(node) {
            self.write_name(model, child, name);
        }
        name.push(')');
    }

    /// The nodes right below one, in order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        (node + 1..self.nodes.len() as u32)
            .filter(move |child| self.nodes[*child as usize].parent == Some(node))
    }

    /// The node above one that is no part of a SWITCH.
    pub fn owner(&self, node: u32) -> Option<u32> {
        let mut above = self.nodes[node as usize].parent?;
        while let Target::Label(_) = self.nodes[above as usize].target {
            above = self.nodes[above as usize].parent?;
        }
        Some(above)
    }

    /// The node that an operation's instance led to; parts of a SWITCH may lie between.
    pub fn instance(&self, operation: u32, instance: u32) -> Option<u32> {
        (operation + 1..self.nodes.len() as u32).find(|child| {
            self.nodes[*child as usize].instance == Some(instance) && self.owner(*child) == Some(operation)
        })
    }

    /// The operation that a node is or leads to through groups.
    pub fn operation_at(&self, mut node: u32) -> Option<(u32, u32)> {
        loop {
            match self.nodes[node as usize].target {
                Target::Operation(operation) => return Some((node, operation)),
                Target::Group(_) => node = self.children(node).next()?,
                Target::Label(_) => return None,
            }
        }
    }

    /// True if what an operation's instance chose is this member, or lies in this group.
    pub fn has_chosen(&self, operation: u32, instance: u32, member: Target) -> bool {
        let mut next = self.instance(operation, instance);
        while let Some(node) = next {
            let target = self.nodes[node as usize].target;
            if target == member {
                return true;
            }
            next = if let Target::Group(_) = target { self.children(node).next() } else { None };
        }
        false
    }

    /// True if a node lies below another.
    pub fn is_below(&self, node: u32, above: u32) -> bool {
        let mut next = self.nodes[node as usize].parent;
        while let Some(parent) = next {
            if parent == above {
                return true;
            }
            next = self.nodes[parent as usize].parent;
        }
        false
    }

    /// The nodes below an operation at which a target was decoded, in order.
    pub fn find_below(&self, operation: u32, target: Target) -> impl Iterator<Item = u32> + '_ {
        (operation + 1..self.nodes.len() as u32).filter(move |node| {
            self.nodes[*node as usize].target == target && self.is_below(*node, operation)
        })
    }

    /// A field of a node.
    pub fn field(&self, model: &Model, node: u32, field: u32) -> u128 {
        let Target::Operation(operation) = self.nodes[node as usize].target else { return 0 };
        let width = model.operation(operation).fields[field as usize].width_bits;
        self.nodes[node as usize].fields[field as usize] & mask(width)
    }
}
