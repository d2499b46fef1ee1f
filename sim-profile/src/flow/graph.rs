//! The flow graph of a piece of a program.

/// The node that is no block: control comes from there by an entry, and goes there by an exit.
///
/// Run start, calls from elsewhere and interrupts are edges from here; run end, faults, snapshots
/// and jumps that leave the piece are edges to here. Such edges are called virtual.
pub const OUTSIDE: u32 = u32::MAX;

/// A way from the end of a block to the beginning of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// A block, or [`OUTSIDE`].
    pub from: u32,
    /// A block, or [`OUTSIDE`].
    pub to: u32,
}

impl Edge {
    /// Whether it comes from outside or leads there.
    pub fn is_virtual(self) -> bool {
        self.from == OUTSIDE || self.to == OUTSIDE
    }
}

/// A directed graph: blocks are numbered from 0, edges too, both in the order in which they came.
///
/// Anything goes: self loops, parallel edges, irreducible loops, several entries, blocks that no
/// edge leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    blocks: u32,
    edges: Vec<Edge>,
}

impl Graph {
    /// A graph of so many blocks, without edges.
    pub fn new(blocks: u32) -> Graph {
        assert!(blocks < OUTSIDE, "a graph has at most 2^32 - 1 blocks");
        Graph { blocks, edges: Vec::new() }
    }

    /// Adds a block; returns its number.
    pub fn add_block(&mut self) -> u32 {
        assert!(self.blocks < OUTSIDE - 1, "a graph has at most 2^32 - 1 blocks");
        self.blocks += 1;
        self.blocks - 1
    }

    /// Adds an edge; returns its number.
    ///
    /// # Panics
    /// An end is neither a block nor [`OUTSIDE`], or both are outside.
    pub fn add_edge(&mut self, from: u32, to: u32) -> u32 {
        let known = |node: u32| node < self.blocks || node == OUTSIDE;
        assert!(known(from) && known(to), "an edge joins blocks of the graph: {from} -> {to}");
        assert!(from != OUTSIDE || to != OUTSIDE, "an edge has an end in the graph");
        let number = u32::try_from(self.edges.len()).expect("a graph has less than 2^32 edges");
        self.edges.push(Edge { from, to });
        number
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The edges, by number.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Number of nodes: the blocks, and outside.
    pub(crate) fn nodes(&self) -> usize {
        index(self.blocks) + 1
    }

    /// Where a node stands in a table of [`Graph::nodes`] entries: outside is the last one.
    pub(crate) fn index_of(&self, node: u32) -> usize {
        index(node.min(self.blocks))
    }
}

/// A number as an index: no target has a `usize` below 32 bits.
pub(crate) const fn index(number: u32) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::{Graph, OUTSIDE};

    #[test]
    fn blocks_and_edges_are_numbered_as_they_come() {
        let mut graph = Graph::new(1);
        assert_eq!(graph.add_block(), 1);
        assert_eq!(graph.add_edge(OUTSIDE, 0), 0);
        assert_eq!(graph.add_edge(0, 1), 1);
        assert!(graph.edges()[0].is_virtual() && !graph.edges()[1].is_virtual());
    }

    #[test]
    #[should_panic(expected = "an edge joins blocks of the graph: 0 -> 2")]
    fn an_edge_to_nowhere_is_a_bug() {
        Graph::new(2).add_edge(0, 2);
    }
}
