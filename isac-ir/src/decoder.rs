//! Decoders: minimised decision automata from a word to a chosen decoding tree.
//!
//! The variants of a decoder may have different widths. All of them are counted in one word of the
//! widest: what is fetched first stands in its lowest bits in a little-endian model, in its
//! highest in a big-endian one. A shorter variant has nothing to say about the other bits.

use serde::{Deserialize, Serialize};

use crate::Model;
use crate::operation::Target;

/// Decides which variant of a group or operation a word is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoder {
    /// What it decodes.
    pub target: Target,
    /// Width of the word in bits, 1 to 256: that of the widest variant.
    pub width_bits: u32,
    /// How much of the word is there at the start: the width of the narrowest variant.
    pub first_bits: u32,
    /// The states; an edge leads to a state with a lower index.
    pub states: Vec<State>,
    /// Where it starts.
    pub start: u32,
    /// What it decides between.
    pub variants: Vec<Variant>,
    /// True if it also accepts words that a nested decoder of the variant turns down.
    pub is_open: bool,
}

/// A state of a decoder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum State {
    /// No variant has this word.
    Reject,
    /// The word is this variant.
    Accept(u32),
    /// The cells of the word's first bits have to be there from here on.
    Fetch {
        /// Width of these cells, more than whatever was there before.
        width_bits: u32,
        /// Where it leads.
        next: u32,
    },
    /// Looks at some bits.
    Test {
        /// Least significant bit looked at.
        low: u32,
        /// Number of bits, 1 to 16.
        width: u32,
        /// Where each value leads, by ascending value.
        edges: Vec<(u64, u32)>,
        /// Where every other value leads.
        otherwise: u32,
    },
}

/// A decoding tree, complete but for parts that a nested decoder decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Width of its word; all of it has been fetched where it is accepted.
    pub width_bits: u32,
    /// The tree in pre-order; node 0 is the decoder's target.
    pub nodes: Vec<Node>,
}

/// A node of a variant's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Group or operation.
    pub target: Target,
    /// Index of the node above; `None` for node 0.
    pub parent: Option<u32>,
    /// Position among its siblings.
    pub position: u32,
    /// The instance of the nearest operation above that led here; `None` above any operation.
    pub instance: Option<u32>,
    /// Where its coded word lies in the decoder's word.
    pub coded: Vec<Run>,
    /// Where each field of an operation lies in the decoder's word.
    pub fields: Vec<Vec<Run>>,
    /// The decoder that decides what is below, from the node's coded word; its node 0 is this one.
    pub nested: Option<u32>,
}

/// Consecutive bits that are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    /// Least significant bit in the word.
    pub from: u32,
    /// Least significant bit in the value.
    pub to: u32,
    /// Number of bits.
    pub width: u32,
}

impl Model {
    /// The decoder of an operation or group.
    pub fn decoder_of(&self, target: Target) -> Option<u32> {
        self.decoders.iter().position(|decoder| decoder.target == target).map(|index| index as u32)
    }
}
