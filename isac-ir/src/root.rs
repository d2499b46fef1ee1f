//! CODINGROOT: what its elements are decoded from, and which were.
//!
//! The elements are the [`Stmt::Decode`]s of a body, numbered in the order of the text. The words
//! alone do not tell which of them were decoded where an IF asks for a register; the numbers do,
//! and with words and numbers at hand the decoding tree can be built again without any register:
//! that is what [`decode_instruction`](crate::decode::decode_instruction) does.

mod recorded;

use serde::{Deserialize, Serialize};

use crate::Model;
use crate::behavior::{AccessId, Expr, ExprKind, InstanceId, Stmt, walk_statements};
use crate::decode::{Decoded, DecodedElement, DecodedNode, Element, decode_word};
use crate::operation::Target;

pub use recorded::RecordedDecoder;

/// Where the word of an element comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum WordSource {
    /// It is fetched.
    Map {
        /// The map's index.
        map: u32,
        /// Address in cells, of the map's address width.
        address: Expr,
        /// The fetch.
        access: AccessId,
    },
    /// A value holds it already.
    Value {
        /// The word, the most significant part first: one of more than 128 bits has several.
        parts: Vec<Expr>,
        /// Address of the instruction in cells; `None` is what the PC holds.
        address: Option<Expr>,
        /// Width of the cells that its size is counted in.
        cell_bits: u32,
    },
}

impl WordSource {
    /// Its expressions, in the order of their evaluation.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            WordSource::Map { address, .. } => vec![address],
            WordSource::Value { parts, address, .. } => address.iter().chain(parts).collect(),
        }
    }
}

/// An element of a CODINGROOT.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootElement<'a> {
    /// What it decodes.
    pub instance: InstanceId,
    /// Its number.
    pub element: u32,
    /// Where its word comes from.
    pub source: &'a WordSource,
}

/// The elements of an operation's CODINGROOT, by number.
pub fn root_elements(model: &Model, operation: u32) -> Vec<RootElement<'_>> {
    let mut found = Vec::new();
    if let Some(root) = &model.operation(operation).root {
        walk_statements(&root.statements, &mut |statement| {
            if let Stmt::Decode { instance, element, source } = statement {
                found.push(RootElement { instance: *instance, element: *element, source });
            }
        });
    }
    found
}

/// A CODINGROOT on its way: the decoding tree so far, and what was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootDecoding {
    /// The tree; node 0 is the operation that holds the CODINGROOT.
    pub decoded: Decoded,
    operation: u32,
    /// The nodes that the next one lies below, innermost last.
    open: Vec<u32>,
    /// Number of each element with what it has decoded.
    elements: Vec<(u32, DecodedElement)>,
}

impl RootDecoding {
    /// An operation that has decoded nothing yet.
    pub fn new(operation: u32) -> RootDecoding {
        let decoded = Decoded { nodes: vec![DecodedNode::new(Target::Operation(operation))] };
        RootDecoding { decoded, operation, open: vec![0], elements: Vec::new() }
    }

    /// The operation that holds the CODINGROOT.
    pub fn operation(&self) -> u32 {
        self.operation
    }

    /// True before the first element.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Adds what an element has decoded.
    pub fn add(&mut self, instance: InstanceId, number: u32, element: DecodedElement) {
        let (above, place) = self.next_place();
        let first = self.decoded.nodes.len() as u32;
        self.decoded.nodes.extend(element.nodes.iter().cloned().map(|mut node| {
            match &mut node.parent {
                Some(parent) => *parent += first,
                None => (node.parent, node.position, node.instance) = (above, place, Some(instance)),
            }
            node
        }));
        self.elements.push((number, element));
    }

    /// Begins a part of a SWITCH.
    pub fn open(&mut self, label: u32) {
        let (parent, position) = self.next_place();
        self.open.push(self.decoded.nodes.len() as u32);
        let node = DecodedNode { parent, position, ..DecodedNode::new(Target::Label(label)) };
        self.decoded.nodes.push(node);
    }

    /// Ends the part that was begun last.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// The open node, and how many children it has.
    fn next_place(&self) -> (Option<u32>, u32) {
        let parent = self.open.last().copied();
        (parent, parent.map_or(0, |parent| self.decoded.children(parent).count() as u32))
    }

    /// Number of each element that was decoded, with what it has decoded, in their order.
    pub fn elements(&self) -> &[(u32, DecodedElement)] {
        &self.elements
    }

    /// How many elements were decoded.
    pub fn decoded_elements(&self) -> usize {
        self.elements.len()
    }

    /// Size of the instruction in cells: what was fetched, and what else was decoded, rounded up.
    pub fn size_cells(&self, model: &Model) -> u32 {
        let known = root_elements(model, self.operation);
        let mut cells = 0;
        // Words of values join to whole cells: they may be parts of one.
        let (mut held_bits, mut held_cell) = (0, 1);
        for (number, element) in &self.elements {
            match known[*number as usize].source {
                WordSource::Map { map, .. } => {
                    cells += element.width_bits() / model.maps[*map as usize].cell_bits;
                }
                WordSource::Value { cell_bits, .. } => {
                    held_bits += element.width_bits();
                    held_cell = *cell_bits;
                }
            }
        }
        cells + u32::div_ceil(held_bits, held_cell)
    }

    /// What tells the instruction from every other at its address: the words of its elements one
    /// behind the other. Where registers decide what is decoded, the elements' numbers follow.
    pub fn bytes(&self, model: &Model) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.elements.iter().flat_map(|(_, element)| element.bytes()).collect();
        if depends_on_registers(model, self.operation) {
            let numbers = self.elements.iter().map(|(number, _)| number.to_be_bytes());
            let first = 4 - number_bytes(root_elements(model, self.operation).len());
            bytes.extend(numbers.flat_map(|number| number.into_iter().skip(first)));
        }
        bytes
    }
}

/// Goes through a CODINGROOT again with the words at hand, which stand in the order in which they
/// were decoded; `None` if one matches nothing.
pub fn decode_root(model: &Model, operation: u32, elements: &[Element]) -> Option<RootDecoding> {
    replay(model, operation, &mut Given { model, elements })
}

/// What a CODINGROOT has decoded before.
trait Elements {
    /// The number of the element that comes next, if that is known before it is decoded.
    fn next_number(&self) -> Option<u32>;

    /// Decodes an element, if it was decoded.
    ///
    /// # Errors
    /// Its word matches nothing.
    fn decode(&mut self, instance: InstanceId, number: u32) -> Result<Option<DecodedElement>, NoElement>;
}

/// A word matches nothing.
struct NoElement;

/// Elements whose words are at hand.
struct Given<'a> {
    model: &'a Model,
    elements: &'a [Element],
}

impl Elements for Given<'_> {
    fn next_number(&self) -> Option<u32> {
        self.elements.first().map(|next| next.element)
    }

    fn decode(&mut self, _: InstanceId, number: u32) -> Result<Option<DecodedElement>, NoElement> {
        match self.elements {
            [next, rest @ ..] if next.element == number => {
                self.elements = rest;
                decode_word(self.model, next).map(Some).ok_or(NoElement)
            }
            _ => Ok(None),
        }
    }
}

fn replay(model: &Model, operation: u32, elements: &mut impl Elements) -> Option<RootDecoding> {
    let mut decoding = RootDecoding::new(operation);
    let root = model.operation(operation).root.as_ref()?;
    replay_statements(&mut decoding, &root.statements, elements).ok()?;
    Some(decoding)
}

/// Which arm of an IF was taken is seen from what was decoded.
fn replay_statements(
    decoding: &mut RootDecoding,
    statements: &[Stmt],
    elements: &mut impl Elements,
) -> Result<(), NoElement> {
    for statement in statements {
        match statement {
            Stmt::Decode { instance, element, .. } => {
                if let Some(decoded) = elements.decode(*instance, *element)? {
                    decoding.add(*instance, *element, decoded);
                }
            }
            Stmt::OpenNode { label } => decoding.open(*label),
            Stmt::CloseNode => decoding.close(),
            Stmt::If { condition, then, otherwise } => {
                let arm = match (&condition.kind, elements.next_number()) {
                    (ExprKind::Chosen { instance, member }, _) => {
                        let chosen = decoding.decoded.has_chosen(0, *instance, *member);
                        if chosen { &then[..] } else { otherwise }
                    }
                    (_, Some(next)) if decodes(then, Some(next)) => then,
                    (_, Some(next)) if decodes(otherwise, Some(next)) => otherwise,
                    _ => &[],
                };
                replay_statements(decoding, arm, elements)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// As few bytes as hold the number of each of so many elements.
fn number_bytes(elements: usize) -> usize {
    if elements > 256 { 2 } else { 1 }
}

/// True if something but the words decides which elements are decoded.
fn depends_on_registers(model: &Model, operation: u32) -> bool {
    let mut depends = false;
    if let Some(root) = &model.operation(operation).root {
        walk_statements(&root.statements, &mut |statement| {
            if let Stmt::If { condition, then, otherwise } = statement {
                let by_word = matches!(condition.kind, ExprKind::Chosen { .. });
                depends |= !by_word && (decodes(then, None) || decodes(otherwise, None));
            }
        });
    }
    depends
}

/// True if an element of this number, or any, stands in these statements.
fn decodes(statements: &[Stmt], number: Option<u32>) -> bool {
    let mut found = false;
    walk_statements(statements, &mut |statement| {
        if let Stmt::Decode { element, .. } = statement {
            found |= number.is_none_or(|number| number == *element);
        }
    });
    found
}
