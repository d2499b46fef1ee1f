//! Which edges get a counter.
//!
//! The edges of a spanning tree need none, for control flows into every node as often as out of it
//! (Knuth and Stevenson, 1973). If the tree is a maximum one by how often edges are taken, what the
//! counters count is the least possible (Ball and Larus, 1994). The tree is found as Kruskal did:
//! edges in the order of their weights, each that closes no cycle.

use super::graph::{Graph, index};

/// No edge: a node that is the root of its tree.
pub(super) const NO_EDGE: u32 = u32::MAX;

/// Which edges of a graph are counted, and how the counts of the others follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Ascending.
    counted: Vec<u32>,
    /// All nodes, each behind the one that its tree edge joins it to; see [`Graph::index_of`].
    pub(super) order: Vec<u32>,
    /// By node: the tree edge towards the root, or [`NO_EDGE`].
    pub(super) tree_edge: Vec<u32>,
}

impl Placement {
    /// The edges that get a counter, ascending. The counts that [`super::complete`] takes are in
    /// this order.
    pub fn counted(&self) -> &[u32] {
        &self.counted
    }
}

/// Chooses the edges to count, so that the least is counted if edges are taken as often as `weights`
/// says, by edge. Of edges of equal weight, the later are counted.
///
/// An edge that is better not counted has a large weight, and one whose count is known anyhow the
/// weight 0; but an edge that closes no cycle is never counted, and one that joins a block to itself
/// always. Takes the time of sorting the edges.
///
/// # Panics
/// There is not one weight for each edge.
pub fn place_counters(graph: &Graph, weights: &[u64]) -> Placement {
    assert_eq!(weights.len(), graph.edges().len(), "one weight for each edge");
    let mut by_weight: Vec<u32> = (0..).take(weights.len()).collect();
    // The number as second key: the same tree from the same weights, on every machine.
    by_weight.sort_unstable_by_key(|&edge| (std::cmp::Reverse(weights[index(edge)]), edge));
    let mut components = Components::new(graph.nodes());
    let mut tree = Vec::with_capacity(graph.nodes());
    let mut counted = Vec::new();
    for edge in by_weight {
        let ends = graph.edges()[index(edge)];
        match components.join(graph.index_of(ends.from), graph.index_of(ends.to)) {
            true => tree.push(edge),
            false => counted.push(edge),
        }
    }
    counted.sort_unstable();
    let (order, tree_edge) = hang(graph, &tree);
    Placement { counted, order, tree_edge }
}

/// A counter on every edge, to compare with.
pub fn count_every_edge(graph: &Graph) -> Placement {
    count_edges(graph, |_| true)
}

/// A counter on every edge that can have one, to compare with. Of those that cannot, one that closes a
/// cycle with others is counted all the same: nothing else tells how often it is taken.
pub fn count_edges(graph: &Graph, can_count: impl Fn(u32) -> bool) -> Placement {
    let mut components = Components::new(graph.nodes());
    let (mut counted, mut tree) = (Vec::new(), Vec::new());
    for (edge, ends) in (0u32..).zip(graph.edges()) {
        match !can_count(edge) && components.join(graph.index_of(ends.from), graph.index_of(ends.to)) {
            true => tree.push(edge),
            false => counted.push(edge),
        }
    }
    let (order, tree_edge) = hang(graph, &tree);
    Placement { counted, order, tree_edge }
}

/// Weights without meaning, equal for equal seeds: what a tree is worth that knows nothing.
pub fn random_weights(graph: &Graph, seed: u64) -> Vec<u64> {
    // SplitMix64 (Steele, Lea, Flood, 2014).
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    graph.edges().iter().map(|_| next()).collect()
}

/// Weights from guessed frequencies: their order is kept as far as integers go.
pub fn weights_of(frequencies: &[f64]) -> Vec<u64> {
    // So much that rare edges still differ, and the most frequent ones fit.
    const SCALE: f64 = (1_u64 << 32) as f64;
    // A float that is too large, or no number, becomes the nearest integer, or 0.
    frequencies.iter().map(|frequency| (frequency * SCALE) as u64).collect()
}

/// Roots the trees of a forest, the one with the outside there: all nodes in the order from the
/// roots, and the edge of each towards its root.
fn hang(graph: &Graph, tree: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let neighbours = Neighbours::of(graph, tree);
    let nodes = graph.nodes();
    let mut order: Vec<u32> = Vec::with_capacity(nodes);
    let mut tree_edge = vec![NO_EDGE; nodes];
    let mut seen = vec![false; nodes];
    let mut done = 0;
    for root in (0..=graph.blocks()).rev() {
        if !seen[index(root)] {
            seen[index(root)] = true;
            order.push(root);
        }
        while done < order.len() {
            for &(edge, other) in neighbours.at(order[done]) {
                if !seen[index(other)] {
                    seen[index(other)] = true;
                    tree_edge[index(other)] = edge;
                    order.push(other);
                }
            }
            done += 1;
        }
    }
    (order, tree_edge)
}

/// The edges at each node, in one list: `(edge, other end)`.
struct Neighbours {
    first: Vec<u32>,
    all: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(graph: &Graph, edges: &[u32]) -> Neighbours {
        let ends = |edge: u32| {
            let edge = graph.edges()[index(edge)];
            (graph.index_of(edge.from), graph.index_of(edge.to))
        };
        let mut first = vec![0_u32; graph.nodes() + 1];
        for &edge in edges {
            let (from, to) = ends(edge);
            first[from] += 1;
            first[to] += 1;
        }
        let mut sum = 0;
        for entry in &mut first {
            sum += *entry;
            *entry = sum;
        }
        // Filled from behind, so that `first` ends up as what it is called.
        let mut all = vec![(0, 0); 2 * edges.len()];
        for &edge in edges.iter().rev() {
            let (from, to) = ends(edge);
            for (node, other) in [(from, to), (to, from)] {
                first[node] -= 1;
                all[index(first[node])] = (edge, u32::try_from(other).unwrap_or(u32::MAX));
            }
        }
        Neighbours { first, all }
    }

    fn at(&self, node: u32) -> &[(u32, u32)] {
        &self.all[index(self.first[index(node)])..index(self.first[index(node) + 1])]
    }
}

/// Which nodes are joined already (Tarjan, 1975).
struct Components {
    parent: Vec<usize>,
    size: Vec<u32>,
}

impl Components {
    fn new(nodes: usize) -> Components {
        Components { parent: (0..nodes).collect(), size: vec![1; nodes] }
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Whether the two were not joined before; they are now.
    fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return false;
        }
        let (large, small) = if self.size[one] < self.size[other] { (other, one) } else { (one, other) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
        true
    }
}
