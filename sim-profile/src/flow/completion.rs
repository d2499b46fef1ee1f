//! From the counts of some edges to those of all.

use std::fmt;

use super::graph::{Graph, OUTSIDE, index};
use super::placement::{NO_EDGE, Placement};

/// Control went from one node to another by no edge of the graph: a fault in the middle of a block,
/// where a snapshot found it, a jump that nobody foresaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// A block that was entered and not left by an edge, or [`OUTSIDE`].
    pub from: u32,
    /// A block that was entered by no edge, or [`OUTSIDE`].
    pub to: u32,
    /// How often.
    pub count: u64,
}

/// The counts of all edges, by number, from those of the counted ones, in the order of
/// [`Placement::counted`]; `passages` are what went by no edge. Takes linear time.
///
/// # Errors
/// No flow has these counts.
///
/// # Panics
/// There is not one count for each counted edge, the placement is of another graph, or a passage
/// names a block that the graph does not have.
pub fn complete(
    graph: &Graph,
    placement: &Placement,
    counts: &[u64],
    passages: &[Passage],
) -> Result<Vec<u64>, FlowError> {
    assert_eq!(counts.len(), placement.counted().len(), "one count for each counted edge");
    assert_eq!(placement.order.len(), graph.nodes(), "the placement is of this graph");
    let mut all = vec![0; graph.edges().len()];
    // By node, what comes in less what goes out, by edges that are known.
    let mut surplus = vec![0_i128; graph.nodes()];
    for (&edge, &count) in placement.counted().iter().zip(counts) {
        all[index(edge)] = count;
        let ends = graph.edges()[index(edge)];
        carry(graph, &mut surplus, Passage { from: ends.from, to: ends.to, count });
    }
    passages.iter().for_each(|&passage| carry(graph, &mut surplus, passage));
    for &node in placement.order.iter().rev() {
        let (missing, edge) = (surplus[index(node)], placement.tree_edge[index(node)]);
        if edge == NO_EDGE {
            match missing {
                0 => continue,
                surplus => return Err(FlowError::Unbalanced { node: number(graph, node), surplus }),
            }
        }
        let ends = graph.edges()[index(edge)];
        let (flow, other) = match graph.index_of(ends.from) == index(node) {
            true => (missing, ends.to),
            false => (-missing, ends.from),
        };
        all[index(edge)] = u64::try_from(flow).map_err(|_| FlowError::Impossible { edge, flow })?;
        surplus[graph.index_of(other)] += missing;
    }
    Ok(all)
}

fn carry(graph: &Graph, surplus: &mut [i128], passage: Passage) {
    let known = |node: u32| node < graph.blocks() || node == OUTSIDE;
    assert!(known(passage.from) && known(passage.to), "a passage is between nodes of the graph");
    surplus[graph.index_of(passage.from)] -= i128::from(passage.count);
    surplus[graph.index_of(passage.to)] += i128::from(passage.count);
}

/// A node's number from its index.
fn number(graph: &Graph, node: u32) -> u32 {
    if node == graph.blocks() { OUTSIDE } else { node }
}

/// How often each block was entered, by number. Sums stay at `u64::MAX` once they reach it.
///
/// # Panics
/// There is not one count for each edge.
pub fn block_counts(graph: &Graph, counts: &[u64], passages: &[Passage]) -> Vec<u64> {
    assert_eq!(counts.len(), graph.edges().len(), "one count for each edge");
    let mut blocks = vec![0_u64; index(graph.blocks())];
    let edges = graph.edges().iter().zip(counts).map(|(edge, &count)| (edge.to, count));
    for (to, count) in edges.chain(passages.iter().map(|passage| (passage.to, passage.count))) {
        if let Some(block) = blocks.get_mut(index(to)) {
            *block = block.saturating_add(count);
        }
    }
    blocks
}

/// Counts that no flow has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowError {
    /// An edge would have been taken less than never, or more often than can be counted.
    Impossible {
        /// The edge.
        edge: u32,
        /// How often.
        flow: i128,
    },
    /// More comes into a part of the graph than goes out of it, or less.
    Unbalanced {
        /// A node of the part.
        node: u32,
        /// What comes in less what goes out.
        surplus: i128,
    },
}

impl fmt::Display for FlowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlowError::Impossible { edge, flow } => {
                write!(f, "edge {edge} would have been taken {flow} times; expected 0 to 2^64 - 1")
            }
            FlowError::Unbalanced { node, surplus } => write!(
                f,
                "what comes into the part around node {node}, less what goes out of it, is {surplus}; \
                 expected 0"
            ),
        }
    }
}

impl std::error::Error for FlowError {}
