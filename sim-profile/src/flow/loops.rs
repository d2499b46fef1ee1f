//! Loops of a flow graph, also of one that is irreducible.
//!
//! A loop is a strongly connected part of the graph; its head is the block of it that a walk in depth
//! from the entries reaches first. Without the edges to the head, the part falls into smaller ones,
//! which are the loops within. Where a loop is entered at the head alone, this is the natural loop.

use super::graph::{Graph, OUTSIDE, index};

/// No loop, or no block.
pub(super) const NONE: u32 = u32::MAX;

/// Deepest nest of loops that are told apart; what is deeper is no structure that somebody wrote.
const DEEPEST: u32 = 64;

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) head: u32,
    /// The loop around it, or [`NONE`].
    pub(super) outer: u32,
    /// Blocks, those of inner loops among them.
    pub(super) blocks: Vec<u32>,
    depth: u32,
}

/// All loops of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Loops {
    /// Each behind the one around it.
    pub(super) loops: Vec<Loop>,
    /// By block: the innermost loop, or [`NONE`].
    pub(super) innermost: Vec<u32>,
    /// By edge: whether it leads to the head of a loop that it is in, or would close a cycle otherwise.
    pub(super) back: Vec<bool>,
    /// All blocks, each behind those that lead to it by edges that are not `back`.
    pub(super) order: Vec<u32>,
}

impl Loops {
    pub(super) fn of(graph: &Graph) -> Loops {
        let ways = WaysOut::of(graph);
        let blocks = index(graph.blocks());
        let mut found = Loops {
            loops: Vec::new(),
            innermost: vec![NONE; blocks],
            back: vec![false; graph.edges().len()],
            order: Vec::new(),
        };
        let first = found.walk(graph, &ways);
        let mut rank = vec![0_u32; blocks];
        for (position, &block) in (0..).zip(&first) {
            rank[index(block)] = position;
        }
        // Parts that remain to be divided, with the loop that each is.
        let mut remaining = vec![(first, NONE)];
        let mut search = Search::new(blocks);
        while let Some((part, outer)) = remaining.pop() {
            let within = |edge: u32| found.is_within(graph, edge, outer);
            for strong in search.parts_of(graph, &ways, &part, within) {
                if strong.len() > 1 || found.closes(graph, &ways, strong[0], outer) {
                    let number = found.add(graph, &ways, &rank, &strong, outer);
                    remaining.extend(number.map(|number| (strong, number)));
                }
            }
        }
        found.order = found.walk(graph, &ways);
        found
    }

    /// Whether a loop holds a block.
    pub(super) fn holds(&self, number: u32, block: u32) -> bool {
        let mut around = self.innermost[index(block)];
        while around != NONE && around != number {
            around = self.loops[index(around)].outer;
        }
        around == number
    }

    /// The loop that a block is the head of, or [`NONE`].
    pub(super) fn headed_by(&self, block: u32) -> u32 {
        let mut number = self.innermost[index(block)];
        while number != NONE && self.loops[index(number)].head != block {
            number = self.loops[index(number)].outer;
        }
        number
    }

    fn depth(&self, number: u32) -> u32 {
        if number == NONE { 0 } else { self.loops[index(number)].depth }
    }

    /// Whether an edge leads to a block of which `outer` is still the innermost loop, and is not `back`.
    fn is_within(&self, graph: &Graph, edge: u32, outer: u32) -> bool {
        let to = graph.edges()[index(edge)].to;
        !self.back[index(edge)] && to != OUTSIDE && self.innermost[index(to)] == outer
    }

    /// Whether a block leads to itself.
    fn closes(&self, graph: &Graph, ways: &WaysOut, block: u32, outer: u32) -> bool {
        let mut edges = ways.of_block(block).iter();
        edges.any(|&edge| graph.edges()[index(edge)].to == block && self.is_within(graph, edge, outer))
    }

    /// Makes a loop of a strongly connected part, unless it is too deep.
    fn add(&mut self, graph: &Graph, ways: &WaysOut, rank: &[u32], part: &[u32], outer: u32) -> Option<u32> {
        let depth = self.depth(outer) + 1;
        if depth > DEEPEST {
            self.cut(graph, ways, rank, part, outer);
            return None;
        }
        let head = part.iter().copied().min_by_key(|&block| rank[index(block)])?;
        let number = u32::try_from(self.loops.len()).ok()?;
        part.iter().for_each(|&block| self.innermost[index(block)] = number);
        for &edge in part.iter().flat_map(|&block| ways.of_block(block)) {
            self.back[index(edge)] |= graph.edges()[index(edge)].to == head;
        }
        self.loops.push(Loop { head, outer, blocks: part.to_vec(), depth });
        Some(number)
    }

    /// Leaves no cycle in a part, without calling it a loop.
    fn cut(&mut self, graph: &Graph, ways: &WaysOut, rank: &[u32], blocks: &[u32], outer: u32) {
        for &block in blocks {
            for &edge in ways.of_block(block) {
                let to = graph.edges()[index(edge)].to;
                let inside = to != OUTSIDE && self.innermost[index(to)] == outer;
                self.back[index(edge)] |= inside && rank[index(to)] <= rank[index(block)];
            }
        }
    }

    /// All blocks in the reverse order in which a walk in depth leaves them; it takes no `back` edge.
    fn walk(&self, graph: &Graph, ways: &WaysOut) -> Vec<u32> {
        let entries = graph.edges().iter().filter(|edge| edge.from == OUTSIDE).map(|edge| edge.to);
        let mut seen = vec![false; index(graph.blocks())];
        let mut left = Vec::with_capacity(seen.len());
        let mut path: Vec<(u32, usize)> = Vec::new();
        // What no entry leads to comes last, so that it is left last, and first in the order.
        for start in entries.chain(0..graph.blocks()) {
            if std::mem::replace(&mut seen[index(start)], true) {
                continue;
            }
            path.push((start, 0));
            while let Some((block, next)) = path.last_mut() {
                let Some(&edge) = ways.of_block(*block).get(*next) else {
                    left.push(*block);
                    path.pop();
                    continue;
                };
                *next += 1;
                let to = graph.edges()[index(edge)].to;
                if to != OUTSIDE && !self.back[index(edge)] && !std::mem::replace(&mut seen[index(to)], true)
                {
                    path.push((to, 0));
                }
            }
        }
        left.reverse();
        left
    }
}

/// The edges out of each block.
pub(super) struct WaysOut {
    first: Vec<u32>,
    edges: Vec<u32>,
}

impl WaysOut {
    pub(super) fn of(graph: &Graph) -> WaysOut {
        let mut first = vec![0_u32; graph.nodes() + 1];
        graph.edges().iter().for_each(|edge| first[graph.index_of(edge.from) + 1] += 1);
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut next = first.clone();
        let mut edges = vec![0; graph.edges().len()];
        for (number, edge) in (0..).zip(graph.edges()) {
            let place = &mut next[graph.index_of(edge.from)];
            edges[index(*place)] = number;
            *place += 1;
        }
        WaysOut { first, edges }
    }

    /// Those out of a node, see [`Graph::index_of`].
    pub(super) fn of_node(&self, node: usize) -> &[u32] {
        &self.edges[index(self.first[node])..index(self.first[node + 1])]
    }

    pub(super) fn of_block(&self, block: u32) -> &[u32] {
        self.of_node(index(block))
    }
}

/// The strongly connected parts of a graph, each behind those that it leads to.
pub(crate) fn strong_parts(graph: &Graph) -> Vec<Vec<u32>> {
    let blocks: Vec<u32> = (0..graph.blocks()).collect();
    let within = |edge: u32| graph.edges()[index(edge)].to != OUTSIDE;
    Search::new(blocks.len()).parts_of(graph, &WaysOut::of(graph), &blocks, within)
}

/// The search for strongly connected parts (Tarjan, SIAM Journal on Computing 1, 1972), without recursion.
struct Search {
    /// By block, in the order of being reached, from 1; `u32::MAX` once its part is complete.
    number: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    parts: Vec<Vec<u32>>,
    numbered: u32,
}

impl Search {
    fn new(blocks: usize) -> Search {
        let (number, low) = (vec![0; blocks], vec![0; blocks]);
        Search { number, low, stack: Vec::new(), parts: Vec::new(), numbered: 0 }
    }

    /// The parts of some blocks, which no edge that `within` takes leads out of.
    fn parts_of(
        &mut self,
        graph: &Graph,
        ways: &WaysOut,
        blocks: &[u32],
        within: impl Fn(u32) -> bool,
    ) -> Vec<Vec<u32>> {
        self.numbered = 0;
        blocks.iter().for_each(|&block| self.number[index(block)] = 0);
        let mut path: Vec<(u32, usize)> = Vec::new();
        for &start in blocks {
            if self.number[index(start)] != 0 {
                continue;
            }
            self.enter(start);
            path.push((start, 0));
            while let Some((block, next)) = path.last_mut() {
                let block = *block;
                let Some(&edge) = ways.of_block(block).get(*next) else {
                    path.pop();
                    self.leave(block, path.last().map(|(before, _)| *before));
                    continue;
                };
                *next += 1;
                let to = graph.edges()[index(edge)].to;
                if within(edge) && self.reach(block, to) {
                    path.push((to, 0));
                }
            }
        }
        std::mem::take(&mut self.parts)
    }

    fn enter(&mut self, block: u32) {
        self.numbered += 1;
        self.number[index(block)] = self.numbered;
        self.low[index(block)] = self.numbered;
        self.stack.push(block);
    }

    /// Whether the block is reached for the first time.
    fn reach(&mut self, from: u32, to: u32) -> bool {
        match self.number[index(to)] {
            0 => {
                self.enter(to);
                true
            }
            u32::MAX => false,
            number => {
                self.low[index(from)] = self.low[index(from)].min(number);
                false
            }
        }
    }

    fn leave(&mut self, block: u32, before: Option<u32>) {
        let low = self.low[index(block)];
        if let Some(before) = before {
            self.low[index(before)] = self.low[index(before)].min(low);
        }
        if low == self.number[index(block)] {
            let start = self.stack.iter().rposition(|&other| other == block).unwrap_or(0);
            let part = self.stack.split_off(start);
            part.iter().for_each(|&block| self.number[index(block)] = u32::MAX);
            self.parts.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Loops, NONE};
    use crate::flow::{Graph, OUTSIDE};

    fn graph(blocks: u32, edges: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::new(blocks);
        edges.iter().for_each(|&(from, to)| _ = graph.add_edge(from, to));
        graph
    }

    #[test]
    fn loops_nest() {
        // 0 -> 1 { 2 { 2 } 3 } -> 4
        let edges = [(OUTSIDE, 0), (0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (1, 4), (4, OUTSIDE)];
        let loops = Loops::of(&graph(5, &edges));
        let heads: Vec<_> = loops.loops.iter().map(|one| (one.head, one.outer, one.blocks.len())).collect();
        assert_eq!(heads, [(1, NONE, 3), (2, 0, 1)]);
        assert_eq!(loops.innermost, [NONE, 0, 1, 0, NONE]);
        assert_eq!(loops.back, [false, false, false, true, false, true, false, false]);
        assert!(loops.holds(0, 2) && !loops.holds(1, 3));
        assert_eq!((loops.headed_by(1), loops.headed_by(3)), (0, NONE));
    }

    #[test]
    fn a_loop_with_two_entries_has_one_head() {
        let edges = [(OUTSIDE, 0), (0, 1), (0, 2), (1, 2), (2, 1), (2, OUTSIDE)];
        let loops = Loops::of(&graph(3, &edges));
        assert_eq!(loops.loops.len(), 1);
        assert_eq!(loops.loops[0].head, 1);
        assert_eq!(loops.back, [false, false, false, false, true, false]);
    }

    #[test]
    fn a_dense_graph_ends() {
        let mut dense = graph(200, &[(OUTSIDE, 0)]);
        for from in 0..200 {
            (0..200).for_each(|to| _ = dense.add_edge(from, to));
        }
        let loops = Loops::of(&dense);
        assert_eq!(loops.order.len(), 200);
        let position: Vec<_> =
            (0..200).map(|block| loops.order.iter().position(|&other| other == block).unwrap()).collect();
        for (edge, back) in dense.edges().iter().zip(&loops.back).skip(1) {
            assert!(*back || position[edge.from as usize] < position[edge.to as usize]);
        }
    }
}
