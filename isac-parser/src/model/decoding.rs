//! How words are told apart: what the proof that decoding is unambiguous has found.

use super::{InstanceId, OperationOrGroup};
pub use crate::cube::Cube;
pub use crate::proof::{Diagram, DiagramNode};

/// The paths of a choice, and which of them wins a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoding {
    /// Width of the widest path's word in bits.
    ///
    /// Patterns are counted in such a word. What is fetched first stands in its lowest bits in a
    /// little-endian model, in its highest in a big-endian one.
    pub width_bits: u32,
    /// The paths, in the order of the description.
    pub paths: Vec<DecodingPath>,
    /// Of the entries that have a word, the first one's path wins it.
    pub entries: Vec<DecodingEntry>,
    /// False if the entries of some paths have words, too, that an alias of theirs turns down.
    pub is_exact: bool,
    /// True if it is known which words each path has: those of its entries, of which
    /// [`DecodingPath::words`] may turn some down.
    pub is_known: bool,
}

/// One way of choosing members, as far as they are chosen together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodingPath {
    /// From the choice itself to the leaf, groups among them.
    pub steps: Vec<PathStep>,
    /// Width of its word in bits.
    pub width_bits: u32,
    /// Decides which of the words of its entries it has, where these have more than it: aliases
    /// beside it turn others down.
    pub words: Option<Diagram>,
}

/// An operation or group on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathStep {
    /// Which.
    pub target: OperationOrGroup,
    /// The instance of the operation above that led here; `None` for the choice itself and for
    /// members of groups.
    pub instance: Option<InstanceId>,
}

/// A set of words that a path has, and its place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodingEntry {
    /// Index among the paths.
    pub path: usize,
    /// The words: all that match one of these, and of them those that the diagram says yes to.
    pub patterns: Vec<Cube>,
    /// Decides where the words are too many to be listed.
    pub diagram: Option<Diagram>,
}

impl Decoding {
    /// True if the patterns of all entries have just their words.
    pub fn is_listed(&self) -> bool {
        self.is_exact && self.entries.iter().all(|entry| entry.diagram.is_none())
    }
}
