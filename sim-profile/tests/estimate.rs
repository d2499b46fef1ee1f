//! What is guessed about the flow of control before anything ran.

use proptest::prelude::*;
use sim_profile::flow::{
    BlockTraits, Graph, OUTSIDE, estimate_naive, estimate_wu_larus, place_counters, weights_of,
};

fn graph(blocks: u32, edges: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::new(blocks);
    edges.iter().for_each(|&(from, to)| _ = graph.add_edge(from, to));
    graph
}

/// Rounded to two decimals, to be read.
fn rounded(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| (value * 100.0).round() / 100.0).collect()
}

fn wu_larus(graph: &Graph, calls: &[u32], stores: &[u32], returns: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let table = |listed: &[u32]| (0..graph.blocks()).map(|block| listed.contains(&block)).collect::<Vec<_>>();
    let (calls, stores, returns) = (table(calls), table(stores), table(returns));
    let rare = vec![false; graph.edges().len()];
    let traits = BlockTraits { calls: &calls, stores: &stores, returns: &returns };
    let estimate = estimate_wu_larus(graph, &rare, traits);
    (rounded(&estimate.probabilities), rounded(&estimate.frequencies))
}

/// Entry 0, loop head 1, body 2 with a self loop, exit 3.
fn nested() -> Graph {
    graph(4, &[(OUTSIDE, 0), (0, 1), (1, 2), (1, 3), (2, 2), (2, 1), (3, OUTSIDE)])
}

#[test]
fn loops_go_round_ten_times() {
    let graph = nested();
    let flow = estimate_naive(&graph, &[false; 7]);
    // 10 times the head; 1 of these leaves; 9 enter the inner loop, which goes round 10 times each.
    assert_eq!(flow, [1.0, 1.0, 9.0, 1.0, 81.0, 9.0, 1.0]);
    let placement = place_counters(&graph, &weights_of(&flow));
    assert_eq!(placement.counted().len(), 7 - 4);
    assert!(placement.counted().contains(&4), "the inner loop's way back to itself always counts");
}

#[test]
fn control_divides_among_ways_that_are_not_rare() {
    let graph = graph(3, &[(OUTSIDE, 0), (0, 1), (0, 2), (0, OUTSIDE), (1, OUTSIDE), (2, OUTSIDE)]);
    let rare = [false, false, false, true, false, true];
    assert_eq!(estimate_naive(&graph, &rare), [1.0, 0.5, 0.5, 0.0, 0.5, 0.5]);
    assert_eq!(estimate_naive(&graph, &[false; 6])[3], 1.0 / 3.0);
}

#[test]
fn a_loop_goes_round_as_often_as_its_way_back_is_taken() {
    let (probabilities, frequencies) = wu_larus(&nested(), &[], &[], &[]);
    // At 1, leaving the loop: 20 %, and leading to the head of the inner loop: 75 %, but that both
    // speak for 2: 4 * 3 to 1. At 2, both ways lead back.
    assert_eq!(probabilities, [1.0, 1.0, 0.92, 0.08, 0.5, 0.5, 1.0]);
    assert_eq!(frequencies, [1.0, 1.0, 12.0, 1.0, 12.0, 12.0, 1.0]);
}

#[test]
fn one_back_edge_is_taken_in_88_of_100_cases() {
    // A loop that is left at its end.
    let graph = graph(2, &[(OUTSIDE, 0), (0, 0), (0, 1), (1, OUTSIDE)]);
    let (probabilities, frequencies) = wu_larus(&graph, &[], &[], &[]);
    assert_eq!(probabilities, [1.0, 0.88, 0.12, 1.0]);
    assert_eq!(frequencies, [1.0, 7.33, 1.0, 1.0]);
}

#[test]
fn calls_stores_and_returns_are_avoided_and_evidence_adds_up() {
    // 0 branches to 1 or 2, both lead to 3.
    let graph = graph(4, &[(OUTSIDE, 0), (0, 1), (0, 2), (1, 3), (2, 3), (3, OUTSIDE)]);
    let branch =
        |calls: &[u32], stores: &[u32], returns: &[u32]| wu_larus(&graph, calls, stores, returns).0[1];
    assert_eq!(branch(&[], &[], &[]), 0.5);
    assert_eq!(branch(&[1], &[], &[]), 0.22);
    assert_eq!(branch(&[1, 2], &[], &[]), 0.5, "both sides call");
    assert_eq!(branch(&[3], &[], &[]), 0.5, "that call cannot be missed");
    assert_eq!(branch(&[], &[2], &[]), 0.55);
    assert_eq!(branch(&[], &[], &[1]), 0.28);
    // 22 of 100 and 28 of 100: 0.0616 to 0.5616.
    assert_eq!(branch(&[1], &[], &[1]), 0.1);
}

#[test]
fn a_loop_without_end_has_a_limit() {
    let graph = graph(1, &[(OUTSIDE, 0), (0, 0)]);
    let (_, frequencies) = wu_larus(&graph, &[], &[], &[]);
    assert_eq!(frequencies, [1.0, 1000.0]);
}

/// Blocks, edges and how many entries there are.
fn graphs() -> impl Strategy<Value = Graph> {
    (1_u32..15).prop_flat_map(|blocks| {
        let node = prop_oneof![8 => 0..blocks, 1 => Just(OUTSIDE)];
        proptest::collection::vec((node.clone(), node), 0..60).prop_map(move |edges| {
            let inside = edges.into_iter().filter(|(from, to)| *from != OUTSIDE || *to != OUTSIDE);
            graph(blocks, &inside.collect::<Vec<_>>())
        })
    })
}

proptest! {
    /// On any graph, irreducible ones among them.
    #[test]
    fn every_guess_is_a_number_and_probabilities_add_up(graph in graphs(), marks: u64) {
        let marked = |shift: u32| -> Vec<bool> {
            (0..graph.blocks()).map(|block| marks >> ((block + shift) % 64) & 1 == 1).collect()
        };
        let rare: Vec<bool> = (0..graph.edges().len()).map(|edge| marks >> (edge % 61) & 3 == 3).collect();
        let (calls, stores, returns) = (marked(0), marked(15), marked(30));
        let traits = BlockTraits { calls: &calls, stores: &stores, returns: &returns };
        let estimate = estimate_wu_larus(&graph, &rare, traits);
        for block in 0..graph.blocks() {
            let ways: Vec<usize> =
                (0..rare.len()).filter(|&edge| graph.edges()[edge].from == block).collect();
            let sum: f64 = ways.iter().map(|&edge| estimate.probabilities[edge]).sum();
            prop_assert!(ways.is_empty() || (sum - 1.0).abs() < 1e-9, "{sum}");
        }
        for values in [&estimate.probabilities, &estimate.frequencies, &estimate_naive(&graph, &rare)] {
            prop_assert!(values.iter().all(|value| value.is_finite() && *value >= 0.0));
        }
    }
}
