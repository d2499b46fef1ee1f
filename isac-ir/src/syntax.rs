//! Instructions as text, and as the words that their codings make.
//!
//! A decoder says what a word is; this is the way back. An operation's [`Coding`] says where the
//! bits of its fields and aliases go, its [`Text`]s say how it is written. [`encode`] makes the
//! words of a [`Tree`], [`mod@print`] its text, in normal form. What these need to be computed (the
//! element that `#NAME(x, 8 + n)` names, say) is a [`Computation`]: a body that reads nothing
//! and changes nothing.

pub mod encode;
pub mod evaluate;
pub mod number;
pub mod print;
pub mod solve;

use serde::{Deserialize, Serialize};

use crate::Model;
use crate::behavior::{Body, FieldId, InstanceId, LocalId, Stmt};
use crate::bits::Bits;
use crate::decode::Decoded;
use crate::decoder::Run;
use crate::operation::Target;
use crate::root::{WordSource, root_elements};

/// Where the bits of a CODING come from. In a [`Run`] `from` is the bit of the word, `to` that of
/// the field or alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coding {
    /// Width in bits.
    pub width_bits: u32,
    /// The fixed bits; all others are 0, those that may be either among them.
    pub value: Bits,
    /// Where the bits of fields stand.
    pub fields: Vec<(FieldId, Run)>,
    /// Where the bits of aliases stand.
    pub instances: Vec<(InstanceId, Run)>,
}

/// One text of an operation: its items in order.
pub type Text = Vec<TextItem>;

/// An item of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TextItem {
    /// It stands as it is.
    Literal(String),
    /// No space between the neighbours.
    Join,
    /// The text of what an instance chose.
    Instance(InstanceId),
    /// A field.
    Field {
        /// The field.
        field: FieldId,
        /// How it is written.
        format: Format,
    },
}

/// How a field is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Format {
    /// Without a format: decimal, printed unsigned, read with either sign.
    Plain,
    /// `#U`: decimal.
    Unsigned,
    /// `#S`: decimal.
    Signed,
    /// `#X`: hexadecimal, read with either sign.
    Hexadecimal,
    /// `#UX`: hexadecimal, read without sign.
    UnsignedHexadecimal,
    /// `#NAME`: an element of a register file.
    Name {
        /// The file's index.
        register: u32,
        /// Which element; `None` is the one that the field counts.
        element: Option<Box<Computation>>,
    },
    /// `#ABS`: an address, in hexadecimal.
    Absolute,
    /// `#REL`: the address that the field is the distance to, in hexadecimal.
    Relative {
        /// What is added to the instruction's address to get where the distance begins.
        offset: Option<Box<Computation>>,
    },
    /// `#LIST`: the elements of a register file whose bits are set, the lowest first.
    List {
        /// The file's index.
        register: u32,
    },
    /// What is written is computed from fields, those that the text has no other item for among them.
    Computed {
        /// How the value is written; of a distance, the distance is the value.
        format: Box<Format>,
        /// The value.
        value: Box<Computation>,
    },
}

/// Statements that give a value and have no other effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Computation {
    /// The statements.
    pub body: Body,
    /// The variables that hold its arguments at the beginning.
    pub parameters: Vec<LocalId>,
    /// The variable that holds its value at the end.
    pub result: LocalId,
    /// True if the value is two's complement.
    pub signed: bool,
}

/// Another spelling of instructions: a line that is written like its pattern is written anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pseudo {
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// What is matched. Operands and values count as operands, in the order of the text.
    pub pattern: Vec<PatternItem>,
    /// An expression that has to be known, and not 0; nothing asks for nothing.
    pub condition: Option<Vec<PseudoPiece>>,
    /// The lines that are assembled instead.
    pub results: Vec<Vec<PseudoPiece>>,
}

/// An item of a PSEUDO's pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PatternItem {
    /// It stands as it is.
    Literal(String),
    /// What an operation or group may be.
    Operand(Target),
    /// A value in a format.
    Value(Format),
}

/// A piece of what a PSEUDO gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PseudoPiece {
    /// It stands as it is.
    Text(String),
    /// What was written for an operand.
    Operand(u32),
}

/// What was chosen, from an operation downwards: all that a word says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The operation's index.
    pub operation: u32,
    /// Its fields.
    pub fields: Vec<u128>,
    /// What its instances chose, by instance.
    pub children: Vec<(InstanceId, Tree)>,
}

impl Tree {
    /// The part of a decoding tree at a node and below; `None` where it is no operation.
    pub fn of(decoded: &Decoded, node: u32) -> Option<Tree> {
        let (node, operation) = decoded.operation_at(node)?;
        let mut children = Vec::new();
        for child in decoded.children(node) {
            let placed = &decoded.nodes[child as usize];
            if let (Some(instance), Target::Operation(_) | Target::Group(_)) =
                (placed.instance, placed.target)
            {
                children.push((instance, Tree::of(decoded, child)?));
            }
        }
        Some(Tree { operation, fields: decoded.nodes[node as usize].fields.clone(), children })
    }

    /// What an instance chose.
    pub fn child(&self, instance: InstanceId) -> Option<&Tree> {
        self.children.iter().find(|(found, _)| *found == instance).map(|(_, child)| child)
    }
}

impl Model {
    /// The names of an element of a register file, the one that is printed first; none if there
    /// is no such element.
    pub fn element_names(&self, register: u32, element: u128) -> Vec<String> {
        let file = &self.registers[register as usize];
        match usize::try_from(element) {
            Ok(index) if element < u128::from(file.elements()) => match file.element_names.get(index) {
                Some(names) if !names.is_empty() => names.clone(),
                _ => vec![format!("{}{element}", file.name)],
            },
            _ => Vec::new(),
        }
    }

    /// Width of the addresses that `#ABS` and `#REL` speak of.
    pub fn address_bits(&self) -> u32 {
        self.pc.width_bits.min(64)
    }
}

/// What instructions are decoded by, one word after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The decoder's index.
    pub decoder: u32,
    /// Width of the cells that the words stand in.
    pub cell_bits: u32,
}

/// The decoders of all CODINGROOTs that decode one element whatever way they take, none twice; the
/// ways of an IF stand in its order.
///
/// Instructions of a CODINGROOT that decodes several have no text of their own.
pub fn entries(model: &Model) -> Vec<Entry> {
    let mut found = Vec::new();
    for (index, operation) in (0..).zip(&model.operations) {
        let Some(root) = &operation.root else { continue };
        if most_decoded(&root.statements) > 1 {
            continue;
        }
        for element in root_elements(model, index) {
            let cell_bits = match element.source {
                WordSource::Map { map, .. } => model.maps[*map as usize].cell_bits,
                WordSource::Value { cell_bits, .. } => *cell_bits,
            };
            let target = operation.instances[element.instance as usize].target;
            let entry = model.decoder_of(target).map(|decoder| Entry { decoder, cell_bits });
            found.extend(entry.filter(|entry| !found.contains(entry)));
        }
    }
    found
}

/// How many elements one way through a CODINGROOT decodes at most.
fn most_decoded(statements: &[Stmt]) -> usize {
    let of = |statement: &Stmt| match statement {
        Stmt::Decode { .. } => 1,
        Stmt::If { then, otherwise, .. } => most_decoded(then).max(most_decoded(otherwise)),
        _ => 0,
    };
    statements.iter().map(of).sum()
}
