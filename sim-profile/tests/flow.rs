//! Flow graphs: from the counts of few edges to those of all, on random graphs and random walks.

use proptest::prelude::*;
use sim_profile::flow::{
    Edge, FlowError, Graph, OUTSIDE, Passage, Placement, block_counts, complete, count_every_edge,
    place_counters, random_weights,
};

/// A graph of some blocks, with edges between any of them and the outside, many at once or none.
fn graphs() -> impl Strategy<Value = Graph> {
    (1_u32..12).prop_flat_map(|blocks| {
        let node = prop_oneof![6 => 0..blocks, 1 => Just(OUTSIDE)];
        proptest::collection::vec((node.clone(), node), 0..40).prop_map(move |edges| {
            let mut graph = Graph::new(blocks);
            for (from, to) in edges {
                if from != OUTSIDE || to != OUTSIDE {
                    graph.add_edge(from, to);
                }
            }
            graph
        })
    })
}

/// What walks did: how often each edge was taken, and where control went by none.
#[derive(Debug)]
struct Walked {
    edges: Vec<u64>,
    blocks: Vec<u64>,
    passages: Vec<Passage>,
}

/// Walks from outside, by an edge where there is one and else by a passage; each takes the edges that
/// `choices` says until it is outside again or the choices are over, which ends it by a passage.
fn walk(graph: &Graph, walks: &[Vec<u16>]) -> Walked {
    let mut walked = Walked {
        edges: vec![0; graph.edges().len()],
        blocks: vec![0; graph.blocks() as usize],
        passages: Vec::new(),
    };
    for choices in walks {
        let mut at = OUTSIDE;
        for &choice in choices {
            let choice = usize::from(choice);
            let ways: Vec<usize> =
                (0..graph.edges().len()).filter(|&edge| graph.edges()[edge].from == at).collect();
            let to = match ways.get(choice % ways.len().max(1)) {
                // Now and then control goes where no edge leads.
                Some(&edge) if choice % 31 != 0 => {
                    walked.edges[edge] += 1;
                    graph.edges()[edge].to
                }
                _ => {
                    let to = u32::try_from(choice).unwrap() % graph.blocks();
                    walked.passages.push(Passage { from: at, to, count: 1 });
                    to
                }
            };
            at = to;
            match walked.blocks.get_mut(at as usize) {
                Some(block) => *block += 1,
                None => break,
            }
        }
        if at != OUTSIDE {
            walked.passages.push(Passage { from: at, to: OUTSIDE, count: 1 });
        }
    }
    walked
}

fn walks() -> impl Strategy<Value = Vec<Vec<u16>>> {
    proptest::collection::vec(proptest::collection::vec(any::<u16>(), 0..60), 0..6)
}

fn counts_of(placement: &Placement, edges: &[u64]) -> Vec<u64> {
    placement.counted().iter().map(|&edge| edges[edge as usize]).collect()
}

/// The parts of a graph that edges join, the outside being a node.
fn components(graph: &Graph) -> usize {
    let nodes = graph.blocks() as usize + 1;
    let mut part: Vec<usize> = (0..nodes).collect();
    let at = |node: u32| (node as usize).min(nodes - 1);
    for _ in 0..nodes {
        for &Edge { from, to } in graph.edges() {
            let least = part[at(from)].min(part[at(to)]);
            (part[at(from)], part[at(to)]) = (least, least);
        }
    }
    part.sort_unstable();
    part.dedup();
    part.len()
}

/// What counters on these edges count, if edges are taken as often as their weights say.
fn cost(placement: &Placement, weights: &[u64]) -> u128 {
    placement.counted().iter().map(|&edge| u128::from(weights[edge as usize])).sum()
}

/// Whether the edges that are not in the set close no cycle, so that the set is enough to count.
fn is_enough(graph: &Graph, counted: u32) -> bool {
    let mut forest = Graph::new(graph.blocks());
    for (number, edge) in graph.edges().iter().enumerate() {
        if counted >> number & 1 == 0 {
            forest.add_edge(edge.from, edge.to);
        }
    }
    forest.edges().len() == forest.blocks() as usize + 1 - components(&forest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_counts_of_all_edges_follow_exactly(
        graph in graphs(), walks in walks(), seed: u64, measured: bool,
    ) {
        let walked = walk(&graph, &walks);
        let weights = if measured { walked.edges.clone() } else { random_weights(&graph, seed) };
        for placement in [place_counters(&graph, &weights), count_every_edge(&graph)] {
            let counts = counts_of(&placement, &walked.edges);
            let all = complete(&graph, &placement, &counts, &walked.passages);
            prop_assert_eq!(all.as_ref(), Ok(&walked.edges));
            prop_assert_eq!(block_counts(&graph, &walked.edges, &walked.passages), walked.blocks.clone());
        }
    }

    #[test]
    fn as_few_edges_are_counted_as_possible(graph in graphs(), seed: u64) {
        let placement = place_counters(&graph, &random_weights(&graph, seed));
        let nodes = graph.blocks() as usize + 1;
        prop_assert_eq!(placement.counted().len(), graph.edges().len() + components(&graph) - nodes);
        prop_assert!(placement.counted().is_sorted_by(|one, other| one < other));
    }

    /// Against all sets of edges that would do.
    #[test]
    fn as_little_is_counted_as_possible(
        edges in proptest::collection::vec((0_u32..4, 0_u32..4), 1..9),
        weights in proptest::collection::vec(0_u64..10, 9),
    ) {
        let mut graph = Graph::new(4);
        edges.iter().for_each(|&(from, to)| { graph.add_edge(from, to); });
        let weights = &weights[..edges.len()];
        let least = (0_u32..1 << edges.len())
            .filter(|&set| is_enough(&graph, set))
            .map(|set| (0..edges.len()).filter(|&edge| set >> edge & 1 == 1).map(|edge| weights[edge]).sum())
            .min();
        let placement = place_counters(&graph, weights);
        prop_assert_eq!(Some(cost(&placement, weights)), least.map(|sum: u64| u128::from(sum)));
    }

    /// Whatever stands in the counters, the answer is counts that flow, or an error: no panic.
    #[test]
    fn counts_that_no_walk_has_are_refused_or_flow(
        graph in graphs(), seed: u64, counts in proptest::collection::vec(any::<u64>(), 40),
    ) {
        let placement = place_counters(&graph, &random_weights(&graph, seed));
        let counts = &counts[..placement.counted().len()];
        if let Ok(all) = complete(&graph, &placement, counts, &[]) {
            let mut surplus = vec![0_i128; graph.blocks() as usize + 1];
            for (edge, &count) in graph.edges().iter().zip(&all) {
                surplus[(edge.from.min(graph.blocks())) as usize] -= i128::from(count);
                surplus[(edge.to.min(graph.blocks())) as usize] += i128::from(count);
            }
            prop_assert!(surplus.iter().all(|&node| node == 0));
        }
    }
}

/// A loop of two blocks between entry and exit: 0 -> 1 -> 1 ... -> 2.
fn small_loop() -> Graph {
    let mut graph = Graph::new(3);
    for (from, to) in [(OUTSIDE, 0), (0, 1), (1, 1), (1, 2), (2, OUTSIDE)] {
        graph.add_edge(from, to);
    }
    graph
}

#[test]
fn the_loop_counts_at_its_back_edge_and_once_a_run() {
    let graph = small_loop();
    let placement = place_counters(&graph, &[1, 1, 9, 1, 1]);
    assert_eq!(placement.counted(), [2, 4], "of equal weights, the last is counted");
    assert_eq!(complete(&graph, &placement, &[18, 2], &[]), Ok(vec![2, 2, 18, 2, 2]));
}

#[test]
fn a_fault_leaves_a_block_by_no_edge() {
    let graph = small_loop();
    let placement = place_counters(&graph, &[5, 5, 1, 1, 5]);
    assert_eq!(placement.counted(), [2, 3]);
    let fault = Passage { from: 1, to: OUTSIDE, count: 1 };
    let all = complete(&graph, &placement, &[3, 0], &[fault]);
    assert_eq!(all, Ok(vec![1, 1, 3, 0, 0]));
    assert_eq!(block_counts(&graph, &all.unwrap(), &[fault]), [1, 4, 0]);
}

#[test]
fn what_cannot_be_is_told() {
    let graph = small_loop();
    let placement = place_counters(&graph, &[1, 1, 9, 1, 1]);
    let fault = Passage { from: 1, to: OUTSIDE, count: 3 };
    let back = Passage { from: OUTSIDE, to: 0, count: 9 };
    let error = complete(&graph, &placement, &[0, 2], &[fault, back]).unwrap_err();
    assert_eq!(error, FlowError::Impossible { edge: 0, flow: -4 });
    assert_eq!(error.to_string(), "edge 0 would have been taken -4 times; expected 0 to 2^64 - 1");
    let lonely = Graph::new(1);
    let placement = place_counters(&lonely, &[]);
    let error =
        complete(&lonely, &placement, &[], &[Passage { from: OUTSIDE, to: 0, count: 2 }]).unwrap_err();
    assert_eq!(error, FlowError::Unbalanced { node: 0, surplus: 2 });
    assert_eq!(
        error.to_string(),
        "what comes into the part around node 0, less what goes out of it, is 2; expected 0"
    );
}
