//! How often edges are taken, guessed from the shape of the graph alone.

use super::graph::{Graph, OUTSIDE, index};
use super::loops::{Loops, NONE, WaysOut};

/// How often a loop is supposed to go round.
const TURNS: f64 = 10.0;

/// Guesses how often each edge is taken when control comes in once by each entry, by edge.
///
/// What comes to a block goes on by all its edges alike; a loop goes round ten times, and what came in
/// leaves it by all its exits alike. `rare` edges, by number, are not taken where there is another
/// way: faults, and exits to anywhere that nobody expects.
///
/// # Panics
/// `rare` has not one entry for each edge.
pub fn estimate_naive(graph: &Graph, rare: &[bool]) -> Vec<f64> {
    assert_eq!(rare.len(), graph.edges().len(), "one entry for each edge");
    let (loops, ways) = (Loops::of(graph), WaysOut::of(graph));
    let exits = exits_of(graph, &loops, &ways, rare);
    let mut flow: Vec<Option<f64>> =
        graph.edges().iter().map(|edge| (edge.from == OUTSIDE).then_some(1.0)).collect();
    let mut comes = vec![0.0; index(graph.blocks())];
    graph.edges().iter().filter(|edge| edge.from == OUTSIDE).for_each(|edge| comes[index(edge.to)] += 1.0);
    for &block in &loops.order {
        let mut weight = comes[index(block)];
        let head_of = loops.headed_by(block);
        if head_of != NONE {
            let leaving = &exits[index(head_of)];
            for &edge in leaving {
                flow[index(edge)].get_or_insert(weight / leaving.len() as f64);
            }
            weight *= TURNS;
        }
        let (known, open): (Vec<u32>, Vec<u32>) =
            ways.of_block(block).iter().partition(|&&edge| flow[index(edge)].is_some());
        let gone: f64 = known.iter().filter_map(|&edge| flow[index(edge)]).sum();
        let likely: Vec<u32> = open.iter().copied().filter(|&edge| !rare[index(edge)]).collect();
        let takers = if likely.is_empty() { &open } else { &likely };
        for &edge in &open {
            flow[index(edge)] = Some(0.0);
        }
        for &edge in takers {
            flow[index(edge)] = Some((weight - gone).max(0.0) / takers.len() as f64);
        }
        for &edge in ways.of_block(block) {
            let to = graph.edges()[index(edge)].to;
            if to != OUTSIDE && !loops.back[index(edge)] {
                comes[index(to)] += flow[index(edge)].unwrap_or(0.0);
            }
        }
    }
    flow.into_iter().map(|flow| flow.unwrap_or(0.0)).collect()
}

/// By loop, the edges that leave it and are not rare.
fn exits_of(graph: &Graph, loops: &Loops, ways: &WaysOut, rare: &[bool]) -> Vec<Vec<u32>> {
    let leaves = |number: u32, edge: u32| {
        let to = graph.edges()[index(edge)].to;
        !rare[index(edge)] && (to == OUTSIDE || !loops.holds(number, to))
    };
    let exits = (0..).zip(&loops.loops).map(|(number, one)| {
        let edges = one.blocks.iter().flat_map(|&block| ways.of_block(block));
        edges.copied().filter(|&edge| leaves(number, edge)).collect()
    });
    exits.collect()
}
