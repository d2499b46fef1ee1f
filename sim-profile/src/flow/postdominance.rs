//! Which blocks control cannot miss on its way outside.

use super::graph::{Graph, index};
use super::loops::WaysOut;

/// The postdominator tree of a graph (Cooper, Harvey, Kennedy, 2001).
pub(super) struct Postdominance {
    /// By node, when a walk through the tree comes to it and when it has left it.
    visits: Vec<(u32, u32)>,
}

impl Postdominance {
    pub(super) fn of(graph: &Graph) -> Postdominance {
        // The graph backwards: what leads to a node, from outside on.
        let mut backwards = Graph::new(graph.blocks());
        graph.edges().iter().for_each(|edge| _ = backwards.add_edge(edge.to, edge.from));
        let against = WaysOut::of(&backwards);
        let (order, endless) = left_last_first(&backwards, &against);
        let nodes = graph.nodes();
        let mut rank = vec![usize::MAX; nodes];
        for (position, &node) in order.iter().enumerate() {
            rank[node] = position;
        }
        let ways = WaysOut::of(graph);
        let mut parent = vec![usize::MAX; nodes];
        let root = index(graph.blocks());
        parent[root] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().filter(|&&node| node != root) {
                let mut next = if endless[node] { root } else { usize::MAX };
                for &edge in ways.of_node(node) {
                    let to = graph.index_of(graph.edges()[index(edge)].to);
                    if parent[to] != usize::MAX {
                        next = if next == usize::MAX { to } else { meet(&parent, &rank, next, to) };
                    }
                }
                changed |= std::mem::replace(&mut parent[node], next) != next;
            }
        }
        Postdominance { visits: visit(&parent, &order, root) }
    }

    /// Whether every way from `block` outside leads through `other`.
    pub(super) fn postdominates(&self, other: usize, block: usize) -> bool {
        let (outer, inner) = (self.visits[other], self.visits[block]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }
}

/// All nodes, the last one first that a walk in depth from outside leaves; what it does not reach is at
/// the end. And, by node, whether it was chosen to be left for outside, of a loop without end.
fn left_last_first(graph: &Graph, ways: &WaysOut) -> (Vec<usize>, Vec<bool>) {
    let root = index(graph.blocks());
    let mut endless = vec![false; root + 1];
    let mut seen = vec![false; root + 1];
    let mut left = Vec::with_capacity(root + 1);
    let mut unreached = Vec::new();
    for start in std::iter::once(root).chain((0..root).rev()) {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        endless[start] = start != root;
        let reached = if start == root { &mut left } else { &mut unreached };
        let mut path = vec![(start, 0)];
        let mut walked = Vec::new();
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = ways.of_node(*node).get(*next) else {
                walked.push(*node);
                path.pop();
                continue;
            };
            *next += 1;
            let to = graph.index_of(graph.edges()[index(edge)].to);
            if !std::mem::replace(&mut seen[to], true) {
                path.push((to, 0));
            }
        }
        walked.reverse();
        reached.extend(walked);
    }
    left.extend(unreached);
    (left, endless)
}

/// The nearest node above both.
fn meet(parent: &[usize], rank: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        if rank[one] > rank[other] {
            one = parent[one];
        } else {
            other = parent[other];
        }
    }
    one
}

/// By node, the number of the visit when a walk through the tree comes and of the last one below.
fn visit(parent: &[usize], order: &[usize], root: usize) -> Vec<(u32, u32)> {
    let mut size = vec![1_u32; parent.len()];
    for &node in order.iter().rev().filter(|&&node| node != root) {
        size[parent[node]] += size[node];
    }
    let mut next = vec![0_u32; parent.len()];
    let mut visits = vec![(0, 0); parent.len()];
    for &node in order {
        let first = match node == root {
            true => 0,
            false => {
                let place = &mut next[parent[node]];
                std::mem::replace(place, *place + size[node])
            }
        };
        visits[node] = (first, first + size[node] - 1);
        next[node] = first + 1;
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::Postdominance;
    use crate::flow::{Graph, OUTSIDE};

    #[test]
    fn what_every_way_leads_through_postdominates() {
        // 0 -> 1 | 2 -> 3; 3 -> outside; 1 -> 4 <-> 5 without end.
        let mut graph = Graph::new(6);
        let edges = [(OUTSIDE, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, OUTSIDE), (1, 4), (4, 5), (5, 4)];
        edges.iter().for_each(|&(from, to)| _ = graph.add_edge(from, to));
        let found = Postdominance::of(&graph);
        let all: Vec<(usize, usize)> = (0..6)
            .flat_map(|one| (0..6).map(move |other| (one, other)))
            .filter(|&(one, other)| one != other && found.postdominates(one, other))
            .collect();
        assert_eq!(all, [(3, 2), (5, 4)]);
    }
}
