//! How often edges are taken, guessed from what programs do as a rule (Wu and Larus, 1994).
//!
//! Every rule that applies to a branch gives the probability of one of its sides, measured by Ball and
//! Larus on many programs; several are combined as Dempster and Shafer combine evidence. From the
//! probabilities follow the frequencies, loop by loop from the innermost on.
//!
//! | rule | a side is taken | in machine code |
//! |---|---|---|
//! | loop branch | 88 % if it leads back to a loop's head | yes |
//! | loop exit | 20 % if it leaves the loop, and no side leads to a head | yes |
//! | loop header | 75 % if it leads to a loop's head from outside, and can be missed | yes |
//! | call | 22 % if a call follows, and can be missed | yes: an instruction that keeps the way back |
//! | store | 45 % if a write to memory follows, and can be missed | yes |
//! | return | 28 % if a return follows | yes: a jump to an address from a register |
//! | pointer, opcode, guard | | no: they ask what is compared, and with what |

use super::graph::{Graph, OUTSIDE, index};
use super::loops::{Loops, NONE, WaysOut};
use super::postdominance::Postdominance;

const LOOP_BRANCH: f64 = 0.88;
const LOOP_EXIT: f64 = 0.20;
const LOOP_HEADER: f64 = 0.75;
const CALL: f64 = 0.22;
const STORE: f64 = 0.45;
const RETURN: f64 = 0.28;

/// A loop goes round at most so often.
const MOST_TURNS: f64 = 1000.0;

/// What the rules ask about blocks; each member has one entry for each block.
#[derive(Clone, Copy, Debug)]
pub struct BlockTraits<'a> {
    /// It ends with a call.
    pub calls: &'a [bool],
    /// It writes memory.
    pub stores: &'a [bool],
    /// It ends with a return.
    pub returns: &'a [bool],
}

/// What was guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// By edge: how often it is taken when control is at its beginning; 1 for entries.
    pub probabilities: Vec<f64>,
    /// By edge: how often it is taken when control comes in once by each entry.
    pub frequencies: Vec<f64>,
}

/// Guesses how often each edge is taken. `rare` is as for [`super::estimate_naive`].
///
/// # Panics
/// `rare` has not one entry for each edge, or a member of `traits` not one for each block.
pub fn estimate_wu_larus(graph: &Graph, rare: &[bool], traits: BlockTraits<'_>) -> Estimate {
    assert_eq!(rare.len(), graph.edges().len(), "one entry for each edge");
    for by_block in [traits.calls, traits.stores, traits.returns] {
        assert_eq!(by_block.len(), index(graph.blocks()), "one entry for each block");
    }
    let (loops, ways) = (Loops::of(graph), WaysOut::of(graph));
    let rules = Rules { graph, loops: &loops, postdominance: &Postdominance::of(graph), traits };
    let mut probabilities = vec![1.0; rare.len()];
    for block in 0..graph.blocks() {
        let edges = ways.of_block(block);
        let likely: Vec<u32> = edges.iter().copied().filter(|&edge| !rare[index(edge)]).collect();
        let takers = if likely.is_empty() { edges } else { &likely };
        edges.iter().for_each(|&edge| probabilities[index(edge)] = 0.0);
        takers.iter().for_each(|&edge| probabilities[index(edge)] = 1.0 / takers.len() as f64);
        if let &[one, other] = takers {
            let taken = rules.probability(block, one, other);
            probabilities[index(one)] = taken;
            probabilities[index(other)] = 1.0 - taken;
        }
    }
    let frequencies = frequencies_of(graph, &loops, &ways, &probabilities);
    Estimate { probabilities, frequencies }
}

struct Rules<'a> {
    graph: &'a Graph,
    loops: &'a Loops,
    postdominance: &'a Postdominance,
    traits: BlockTraits<'a>,
}

impl Rules<'_> {
    /// The probability of `one`, the other way being `other`.
    fn probability(&self, block: u32, one: u32, other: u32) -> f64 {
        let mut taken = 0.5;
        let mut evidence = |of_one: bool, of_other: bool, probability: f64| {
            // A rule that speaks of both sides says nothing.
            if of_one != of_other {
                let found = if of_one { probability } else { 1.0 - probability };
                let both = taken * found;
                taken = both / (both + (1.0 - taken) * (1.0 - found));
            }
        };
        let back = [one, other].map(|edge| self.loops.back[index(edge)]);
        evidence(back[0], back[1], LOOP_BRANCH);
        let innermost = self.loops.innermost[index(block)];
        if innermost != NONE && !back[0] && !back[1] {
            let leaves = |edge: u32| {
                let to = self.to(edge);
                to == OUTSIDE || !self.loops.holds(innermost, to)
            };
            evidence(leaves(one), leaves(other), LOOP_EXIT);
        }
        let side = |of: &dyn Fn(u32) -> bool, missable: bool| {
            [one, other].map(|edge| {
                let to = self.to(edge);
                to != OUTSIDE
                    && of(to)
                    && !(missable && self.postdominance.postdominates(index(to), index(block)))
            })
        };
        let heads = side(
            &|to| self.loops.headed_by(to) != NONE && !self.loops.holds(self.loops.headed_by(to), block),
            true,
        );
        evidence(heads[0], heads[1], LOOP_HEADER);
        let calls = side(&|to| self.traits.calls[index(to)], true);
        evidence(calls[0], calls[1], CALL);
        let stores = side(&|to| self.traits.stores[index(to)], true);
        evidence(stores[0], stores[1], STORE);
        let returns = side(&|to| self.traits.returns[index(to)], false);
        evidence(returns[0], returns[1], RETURN);
        taken
    }

    fn to(&self, edge: u32) -> u32 {
        self.graph.edges()[index(edge)].to
    }
}

/// Frequencies from probabilities: of each loop first how often control comes back to its head.
fn frequencies_of(graph: &Graph, loops: &Loops, ways: &WaysOut, probabilities: &[f64]) -> Vec<f64> {
    let mut flow = Propagation {
        graph,
        loops,
        ways,
        probabilities,
        turns: vec![1.0; loops.loops.len()],
        blocks: vec![0.0; index(graph.blocks())],
    };
    let mut position = vec![0_u32; index(graph.blocks())];
    for (number, &block) in (0..).zip(&loops.order) {
        position[index(block)] = number;
    }
    for number in (0..loops.loops.len()).rev() {
        let one = &loops.loops[number];
        let mut blocks = one.blocks.clone();
        blocks.sort_unstable_by_key(|&block| position[index(block)]);
        blocks.iter().for_each(|&block| flow.blocks[index(block)] = 0.0);
        flow.blocks[index(one.head)] = 1.0;
        let again = flow.run(&blocks, |to| to == one.head);
        flow.turns[number] = 1.0 / (1.0 - again.min(1.0 - 1.0 / MOST_TURNS));
    }
    flow.blocks.fill(0.0);
    for edge in graph.edges().iter().filter(|edge| edge.from == OUTSIDE) {
        flow.blocks[index(edge.to)] += 1.0;
    }
    flow.run(&loops.order, |_| false);
    let of_edge = |(edge, &probability): (&super::Edge, &f64)| match edge.from {
        OUTSIDE => 1.0,
        from => flow.blocks[index(from)] * probability,
    };
    graph.edges().iter().zip(probabilities).map(of_edge).collect()
}

struct Propagation<'a> {
    graph: &'a Graph,
    loops: &'a Loops,
    ways: &'a WaysOut,
    probabilities: &'a [f64],
    /// By loop: how often it goes round when it is come to once; 1 as long as it is not known.
    turns: Vec<f64>,
    /// By block: what comes to it, and its frequency once control has gone on.
    blocks: Vec<f64>,
}

impl Propagation<'_> {
    /// Lets control go on from some blocks, in an order without ways back; returns what comes back to
    /// the block that `is_head` says.
    fn run(&mut self, blocks: &[u32], is_head: impl Fn(u32) -> bool) -> f64 {
        let mut again = 0.0;
        for &block in blocks {
            let own = self.loops.headed_by(block);
            if own != NONE {
                self.blocks[index(block)] *= self.turns[index(own)];
            }
            for &edge in self.ways.of_block(block) {
                let to = self.graph.edges()[index(edge)].to;
                let flow = self.blocks[index(block)] * self.probabilities[index(edge)];
                if is_head(to) {
                    again += flow;
                } else if to != OUTSIDE && !self.loops.back[index(edge)] {
                    self.blocks[index(to)] += flow;
                }
            }
        }
        again
    }
}
