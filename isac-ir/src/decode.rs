//! Decoding at run time: a word and a [`Decoder`] give a decoding tree.
//!
//! This is the plain way that the reference engine takes and from which profiles get their names;
//! generated simulators run the same automata as code.

use crate::Model;
use crate::bits::{Bits, mask};
use crate::decoder::{Decoder, Run, State};
use crate::operation::Target;

/// A node of a decoded instruction's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// A decoded instruction: the walk through the decoding tree, in pre-order.
///
/// Node 0 is the operation that holds the CODINGROOT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The nodes.
    pub nodes: Vec<DecodedNode>,
}

/// A word of an instruction with the instance that decoded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// The instance of the operation that holds the CODINGROOT.
    pub instance: u32,
    /// Its decoder.
    pub decoder: u32,
    /// The word.
    pub word: Bits,
}

/// Decodes the elements of an operation's CODINGROOT; `None` if a word matches nothing.
pub fn decode_instruction(model: &Model, operation: u32, elements: &[Element]) -> Option<Decoded> {
    let root = DecodedNode {
        target: Target::Operation(operation),
        parent: None,
        position: 0,
        instance: None,
        coded: 0,
        fields: Vec::new(),
        nested: None,
    };
    let mut nodes = vec![root];
    for (position, element) in elements.iter().enumerate() {
        let first = nodes.len();
        decode_below(model, element.decoder, element.word, &mut nodes)?;
        nodes[first].parent = Some(0);
        nodes[first].position = position as u32;
        nodes[first].instance = Some(element.instance);
    }
    Some(Decoded { nodes })
}

/// Appends the tree of a decoder's variant for this word.
fn decode_below(model: &Model, decoder: u32, word: Bits, nodes: &mut Vec<DecodedNode>) -> Option<()> {
    let automaton = &model.decoders[decoder as usize];
    let variant = &automaton.variants[choose_variant(automaton, word)? as usize];
    let mut places = Vec::with_capacity(variant.nodes.len());
    for node in &variant.nodes {
        let index = nodes.len() as u32;
        places.push(index);
        let coded = gather(word, &node.coded);
        if let Some(nested) = node.nested {
            decode_below(model, nested, coded, nodes)?;
        } else {
            nodes.push(DecodedNode {
                target: node.target,
                parent: None,
                position: 0,
                instance: None,
                coded: coded.to_u128(),
                fields: node.fields.iter().map(|runs| gather(word, runs).to_u128()).collect(),
                nested: None,
            });
        }
        let placed = &mut nodes[index as usize];
        placed.parent = node.parent.map(|parent| places[parent as usize]);
        placed.position = node.position;
        placed.instance = node.instance;
        placed.nested = node.nested;
    }
    Some(())
}

/// The index of the variant that a word is.
pub fn choose_variant(decoder: &Decoder, word: Bits) -> Option<u32> {
    let mut state = decoder.start;
    loop {
        match &decoder.states[state as usize] {
            State::Reject => return None,
            State::Accept(variant) => return Some(*variant),
            State::Test { low, width, edges, otherwise } => {
                let value = word.extract(*low, *width) as u64;
                state = edges
                    .binary_search_by_key(&value, |(edge, _)| *edge)
                    .map_or(*otherwise, |found| edges[found].1);
            }
        }
    }
}

/// Copies runs of bits out of a word.
pub fn gather(word: Bits, runs: &[Run]) -> Bits {
    runs.iter().fold(Bits::ZERO, |value, run| {
        let halves = [(0, run.width.min(128)), (128, run.width.saturating_sub(128))];
        halves.into_iter().fold(value, |value, (offset, width)| {
            value.with(run.to + offset, width, word.extract(run.from + offset, width))
        })
    })
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

    /// The node that an operation's instance led to.
    pub fn instance(&self, operation: u32, instance: u32) -> Option<u32> {
        self.children(operation).find(|child| self.nodes[*child as usize].instance == Some(instance))
    }

    /// The operation that a node is or leads to through groups.
    pub fn operation_at(&self, mut node: u32) -> Option<(u32, u32)> {
        loop {
            match self.nodes[node as usize].target {
                Target::Operation(operation) => return Some((node, operation)),
                Target::Group(_) => node = self.children(node).next()?,
            }
        }
    }

    /// A field of a node.
    pub fn field(&self, model: &Model, node: u32, field: u32) -> u128 {
        let Target::Operation(operation) = self.nodes[node as usize].target else { return 0 };
        let width = model.operation(operation).fields[field as usize].width_bits;
        self.nodes[node as usize].fields[field as usize] & mask(width)
    }
}

impl Model {
    /// Name of an operation or group.
    pub fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Operation(operation) => &self.operations[operation as usize].name,
            Target::Group(group) => &self.groups[group as usize].name,
        }
    }

    /// The decoder of an operation or group.
    pub fn decoder_of(&self, target: Target) -> Option<u32> {
        self.decoders.iter().position(|decoder| decoder.target == target).map(|index| index as u32)
    }

    /// Every operation that a target may turn out to be, in the model's order, none twice.
    pub fn leaf_operations(&self, target: Target) -> Vec<u32> {
        let mut found = Vec::new();
        self.collect_leaves(target, &mut found);
        found
    }

    fn collect_leaves(&self, target: Target, found: &mut Vec<u32>) {
        match target {
            Target::Operation(operation) => {
                if !found.contains(&operation) {
                    found.push(operation);
                }
            }
            Target::Group(group) => {
                for member in &self.groups[group as usize].members {
                    self.collect_leaves(*member, found);
                }
            }
        }
    }
}
