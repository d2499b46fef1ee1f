//! What must be known before what: dependencies first, and the circles among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The nodes of a graph in an order in which every node follows all that it needs.
pub(crate) struct Order {
    /// All nodes; a node in a circle follows all it needs but the edge that closes the circle.
    pub(crate) sorted: Vec<usize>,
    /// All nodes that need themselves, directly or through others.
    pub(crate) circular: BTreeSet<usize>,
    /// One circle of each set of nodes that all need each other: the shortest through the one that is
    /// met first, from it along the edges back to it (the last node needs the first).
    pub(crate) cycles: Vec<Vec<usize>>,
    /// All nodes, those together that all need each other, each such set after those that it needs.
    pub(crate) components: Vec<Vec<usize>>,
}

/// Sorts the nodes `0..needs.len()`, where `needs[n]` lists what node `n` needs.
///
/// Tarjan's strongly connected components, with a stack of its own, so that no input can exhaust the
/// program's. Takes time in proportion to nodes and edges, up to the sets' logarithms.
pub(crate) fn dependency_order(needs: &[Vec<usize>]) -> Order {
    let mut walk = Walk {
        needs,
        states: vec![State::New; needs.len()],
        met: 0,
        open: Vec::new(),
        order: Order {
            sorted: Vec::with_capacity(needs.len()),
            circular: BTreeSet::new(),
            cycles: Vec::new(),
            components: Vec::new(),
        },
    };
    for start in 0..needs.len() {
        if walk.states[start] == State::New {
            walk.from(start);
        }
    }
    walk.order
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// The how manieth node it is that was met, and the earliest that it leads to within its component.
    Open {
        met: usize,
        back_to: usize,
    },
    /// The node of its component that was met first.
    Done(usize),
}

struct Walk<'a> {
    needs: &'a [Vec<usize>],
    states: Vec<State>,
    met: usize,
    /// Nodes whose component is not complete yet, in the order in which they were met.
    open: Vec<usize>,
    order: Order,
}

impl Walk<'_> {
    fn from(&mut self, start: usize) {
        // Each entry is a node on the current path with the number of its edges already taken.
        let mut path = vec![(start, 0)];
        self.meet(start);
        while let Some((node, taken)) = path.last_mut() {
            let node = *node;
            if let Some(&next) = self.needs[node].get(*taken) {
                *taken += 1;
                match self.states[next] {
                    State::New => {
                        self.meet(next);
                        path.push((next, 0));
                    }
                    State::Open { met, .. } => self.leads_back(node, met),
                    State::Done(_) => {}
                }
                continue;
            }
            path.pop();
            self.order.sorted.push(node);
            if let State::Open { met, back_to } = self.states[node] {
                match path.last() {
                    Some((above, _)) if back_to < met => self.leads_back(*above, back_to),
                    _ => self.close(node),
                }
            }
        }
    }

    fn meet(&mut self, node: usize) {
        self.states[node] = State::Open { met: self.met, back_to: self.met };
        self.met += 1;
        self.open.push(node);
    }

    fn leads_back(&mut self, node: usize, to: usize) {
        if let State::Open { back_to, .. } = &mut self.states[node] {
            *back_to = to.min(*back_to);
        }
    }

    /// Completes the component of which this node was met first.
    fn close(&mut self, first: usize) {
        let begin = self.open.iter().rposition(|node| *node == first).unwrap_or(0);
        let component = self.open.split_off(begin);
        for node in &component {
            self.states[*node] = State::Done(first);
        }
        if let Some(circle) = self.shortest_circle(first) {
            self.order.cycles.push(circle);
            self.order.circular.extend(&component);
        }
        self.order.components.push(component);
    }

    /// The shortest way from a node back to it, if there is one.
    fn shortest_circle(&self, first: usize) -> Option<Vec<usize>> {
        let mut reached_from = BTreeMap::new();
        let mut waiting = VecDeque::from([first]);
        while let Some(node) = waiting.pop_front() {
            for next in &self.needs[node] {
                if *next == first {
                    let back = |node: &usize| reached_from.get(node).copied();
                    let mut circle: Vec<usize> = std::iter::successors(Some(node), back).collect();
                    circle.reverse();
                    return Some(circle);
                }
                if self.states[*next] == State::Done(first) && !reached_from.contains_key(next) {
                    reached_from.insert(*next, node);
                    waiting.push_back(*next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_nodes_come_first() {
        let order = dependency_order(&[vec![1, 2], vec![2], vec![]]);
        assert_eq!(order.sorted, [2, 1, 0]);
        assert!(order.cycles.is_empty());
    }

    #[test]
    fn a_circle_is_reported_once_along_its_edges() {
        let order = dependency_order(&[vec![1], vec![2], vec![1]]);
        assert_eq!(order.cycles, [vec![1, 2]]);
        assert_eq!(order.sorted.len(), 3);
    }

    #[test]
    fn every_node_of_a_circle_is_known_though_one_circle_is_told() {
        // 3 only leads to a circle, 4 is in none.
        let order = dependency_order(&[vec![1, 2], vec![0], vec![1], vec![0], vec![]]);
        assert_eq!(order.cycles, [vec![0, 1]]);
        assert_eq!(order.circular.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(order.components, [vec![0, 1, 2], vec![3], vec![4]]);
        assert_eq!(dependency_order(&[vec![0]]).cycles, [vec![0]]);
    }

    #[test]
    fn circles_that_share_a_node_do_not_multiply() {
        let last = 50_000;
        let needs: Vec<Vec<usize>> =
            (0..=last).map(|n| if n == last { vec![0] } else { vec![0, n + 1] }).collect();
        let order = dependency_order(&needs);
        assert_eq!(order.cycles, [vec![0]]);
        assert_eq!(order.circular.len(), last + 1);
    }

    #[test]
    fn a_long_chain_needs_no_program_stack() {
        let needs: Vec<Vec<usize>> =
            (0..200_000).map(|n| if n == 199_999 { vec![] } else { vec![n + 1] }).collect();
        assert_eq!(dependency_order(&needs).sorted[0], 199_999);
    }
}
