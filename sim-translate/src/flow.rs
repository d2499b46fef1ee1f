//! The flow graph of a compiled region: where its counters stand, and how its budget goes down.
//!
//! Nodes are points between which nothing can part. Each edge that code stands on can count; the
//! others are worked out of those, and of the sites at which the region was left in between. With the
//! number of instructions that begin in each node the same graph tells how the budget goes down.

use std::collections::BTreeMap;

use sim_profile::flow::{
    BlockTraits, Graph, OUTSIDE, Placement, count_edges, estimate_naive, estimate_wu_larus, place_counters,
    random_weights, weights_of,
};

use crate::counting::{Counting, Frequencies, Lead};
use crate::layout::CHECK_SHIFT;

/// Begins the weights without meaning.
const SEED: u64 = 1;

/// What is known of an edge beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    /// The place in the code that is passed with it, by number; `None` if there is none, and how
    /// often it was taken follows from the others.
    pub(crate) position: Option<u32>,
    /// How often it is expected to be taken, to compare with the others.
    pub(crate) weight: u64,
    /// It closes a circle: at its end the budget is asked.
    pub(crate) is_back: bool,
    /// It is a check, where samples are taken.
    pub(crate) is_check: bool,
    /// The address of the instruction at its beginning; of the region, if it leads into that.
    pub(crate) address: u64,
    pub(crate) lead: Lead,
}

impl Way {
    /// An edge that nothing stands on.
    pub(crate) const UNCOUNTED: Way = Way {
        position: None,
        weight: u64::MAX,
        is_back: false,
        is_check: false,
        address: 0,
        lead: Lead::Within,
    };
}

/// A flow graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) graph: Graph,
    /// By edge.
    pub(crate) ways: Vec<Way>,
    /// Instructions that begin in each node.
    pub(crate) begins: Vec<u32>,
    /// Instructions of each node that are checks by themselves.
    pub(crate) node_checks: Vec<u32>,
    /// Nodes that end with a call.
    calls: Vec<bool>,
    /// Nodes that write memory.
    stores: Vec<bool>,
    /// Nodes that end with a return, or another jump to a computed address.
    returns: Vec<bool>,
}

impl Flow {
    pub(crate) fn add_node(&mut self) -> u32 {
        self.begins.push(0);
        self.node_checks.push(0);
        for traits in [&mut self.calls, &mut self.stores, &mut self.returns] {
            traits.push(false);
        }
        self.graph.add_block()
    }

    /// A node ends with a call.
    pub(crate) fn mark_call(&mut self, node: u32) {
        self.calls[node as usize] = true;
    }

    /// A node writes memory.
    pub(crate) fn mark_store(&mut self, node: u32) {
        self.stores[node as usize] = true;
    }

    /// A node goes on at a computed address.
    pub(crate) fn mark_return(&mut self, node: u32) {
        self.returns[node as usize] = true;
    }

    pub(crate) fn add_edge(&mut self, from: u32, to: u32, way: Way) -> u32 {
        self.ways.push(way);
        self.graph.add_edge(from, to)
    }

    /// The edges that count: those that have to so that all others follow, or every one that can. Some have
    /// another weight than their own.
    pub(crate) fn placement(&self, counting: &Counting, others: &BTreeMap<usize, u64>) -> Placement {
        let rare = || vec![false; self.ways.len()];
        let mut weights: Vec<u64> = match counting {
            Counting::Every => {
                return count_edges(&self.graph, |edge| self.ways[edge as usize].position.is_some());
            }
            Counting::Fewest => {
                let weight = |(edge, way): (usize, &Way)| others.get(&edge).copied().unwrap_or(way.weight);
                self.ways.iter().enumerate().map(weight).collect()
            }
            Counting::Random => random_weights(&self.graph, SEED),
            Counting::Naive => weights_of(&estimate_naive(&self.graph, &rare())),
            Counting::WuLarus => {
                let traits = BlockTraits { calls: &self.calls, stores: &self.stores, returns: &self.returns };
                weights_of(&estimate_wu_larus(&self.graph, &rare(), traits).frequencies)
            }
            Counting::Measured(frequencies) => self.measured_weights(frequencies),
        };
        let uncounted = self.ways.iter().zip(&mut weights).filter(|(way, _)| way.position.is_none());
        uncounted.for_each(|(_, weight)| *weight = u64::MAX);
        place_counters(&self.graph, &weights)
    }

    /// How often edges were taken in an earlier run. What came into the region is what did not come from
    /// within.
    fn measured_weights(&self, frequencies: &Frequencies) -> Vec<u64> {
        let of_way = |way: &Way| frequencies.of_edge(way.address, way.lead);
        let mut weights: Vec<u64> = self.ways.iter().map(of_way).collect();
        for (index, way) in self.ways.iter().enumerate().filter(|(_, way)| way.lead == Lead::In) {
            let to = self.graph.edges()[index].to;
            let others = self
                .graph
                .edges()
                .iter()
                .zip(&self.ways)
                .filter(|(edge, other)| edge.to == to && other.lead != Lead::In);
            let from_within = others.map(|(_, other)| of_way(other)).fold(0, u64::saturating_add);
            weights[index] = of_way(way).saturating_sub(from_within);
        }
        weights
    }

    /// What the budget goes down by in a node.
    pub(crate) fn begins(&self, node: u32) -> i64 {
        let of = |table: &[u32]| table.get(node as usize).map_or(0, |begins| i64::from(*begins));
        of(&self.begins) + (of(&self.node_checks) << CHECK_SHIFT)
    }

    /// What the budget goes down by for a check that an edge is.
    fn checks(&self, edge: usize) -> i64 {
        i64::from(self.ways[edge].is_check) << CHECK_SHIFT
    }

    /// For each node how many instructions have begun before it on the heaviest way there, and how many
    /// checks were passed: the budget is corrected where another way comes in.
    pub(crate) fn potentials(&self) -> Vec<i64> {
        let nodes = self.begins.len();
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); nodes + 1];
        let place = |node: u32| if node == OUTSIDE { nodes } else { node as usize };
        for (index, (edge, way)) in (0u32..).zip(self.graph.edges().iter().zip(&self.ways)) {
            if !way.is_back && edge.to != OUTSIDE {
                leaving[place(edge.from)].push(index);
            }
        }
        let mut potentials = vec![0i64; nodes + 1];
        let mut heaviest: Vec<Option<u64>> = vec![None; nodes + 1];
        for node in self.order(&leaving) {
            let behind = potentials[node as usize] + self.begins(node);
            for edge in &leaving[node as usize] {
                let (to, weight) = (self.graph.edges()[*edge as usize].to, self.ways[*edge as usize].weight);
                if heaviest[to as usize].is_none_or(|heaviest| weight > heaviest) {
                    potentials[to as usize] = behind + self.checks(*edge as usize);
                    heaviest[to as usize] = Some(weight);
                }
            }
        }
        potentials
    }

    /// The nodes in an order in which every edge given goes forward; the outside comes first, as the
    /// number behind all others.
    fn order(&self, leaving: &[Vec<u32>]) -> Vec<u32> {
        let mut order = Vec::with_capacity(leaving.len());
        let mut seen = vec![false; leaving.len()];
        let outside = leaving.len() as u32 - 1;
        let mut way: Vec<(u32, usize)> = vec![(outside, 0)];
        seen[outside as usize] = true;
        while let Some((node, next)) = way.last_mut() {
            match leaving[*node as usize].get(*next) {
                Some(edge) => {
                    *next += 1;
                    let to = self.graph.edges()[*edge as usize].to;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        way.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    way.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// What the budget goes down by on an edge.
    pub(crate) fn correction(&self, potentials: &[i64], edge: usize) -> i64 {
        let at = |node: u32| potentials.get(node as usize).copied().unwrap_or(0);
        let ends = self.graph.edges()[edge];
        let to = if ends.to == OUTSIDE { 0 } else { at(ends.to) };
        let from = if ends.from == OUTSIDE { 0 } else { at(ends.from) + self.begins(ends.from) };
        from + self.checks(edge) - to
    }
}

#[cfg(test)]
mod tests {
    use sim_profile::flow::complete;

    use super::*;

    fn way(position: u32, weight: u64, is_back: bool) -> Way {
        Way { position: Some(position), weight, is_back, ..Way::UNCOUNTED }
    }

    /// A loop with two ways through it, one of them longer: entry, head, left, right, foot.
    fn diamond() -> Flow {
        let mut flow = Flow::default();
        for begins in [2, 1, 3, 5, 1] {
            let node = flow.add_node();
            flow.begins[node as usize] = begins;
        }
        let edges = [
            (OUTSIDE, 0, 1),
            (0, 1, 1),
            (1, 2, 8),
            (1, 3, 4),
            (2, 4, 8),
            (3, 4, 4),
            (4, 1, 9),
            (4, OUTSIDE, 1),
        ];
        for (position, (from, to, weight)) in (0..).zip(edges) {
            flow.add_edge(from, to, way(position, weight, (from, to) == (4, 1)));
        }
        flow
    }

    #[test]
    fn the_budget_goes_down_by_what_every_way_begins() {
        let flow = diamond();
        let potentials = flow.potentials();
        let walks: [&[usize]; 3] = [&[0, 1, 2, 4, 7], &[0, 1, 3, 5, 7], &[0, 1, 2, 4, 6, 3, 5, 6, 2, 4, 7]];
        for walk in walks {
            let begun: i64 = walk.iter().map(|edge| flow.begins(flow.graph.edges()[*edge].from)).sum();
            let down: i64 = walk.iter().map(|edge| flow.correction(&potentials, *edge)).sum();
            assert_eq!(down, begun, "{walk:?}");
        }
        // The heavier way through the loop is corrected at its end alone.
        assert_eq!([2, 4].map(|edge| flow.correction(&potentials, edge)), [0, 0]);
    }

    #[test]
    fn three_counters_tell_of_a_loop_with_two_ways() {
        let flow = diamond();
        let placement = flow.placement(&Counting::Fewest, &BTreeMap::new());
        let walk = [0, 1, 2, 4, 6, 3, 5, 6, 2, 4, 7];
        let taken = |edge: u32| walk.iter().filter(|taken| **taken == edge).count() as u64;
        let counts: Vec<u64> = placement.counted().iter().map(|edge| taken(*edge)).collect();
        assert_eq!(counts.len(), 3, "8 edges, 6 nodes: 5 edges of a tree");
        let all = complete(&flow.graph, &placement, &counts, &[]).expect("a walk is a flow");
        assert_eq!(all, (0..8).map(taken).collect::<Vec<u64>>());
    }
}
