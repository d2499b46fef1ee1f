//! What was guessed against what was measured, and what counters cost that are placed by either.

use super::graph::{OUTSIDE, index};
use super::loops::WaysOut;
use super::naive::estimate_naive;
use super::placement::{count_every_edge, place_counters, random_weights, weights_of};
use super::program::ProgramFlow;
use super::routine::{RoutineEdge, RoutineFlow};
use super::wu_larus::{BlockTraits, estimate_wu_larus};
use super::{Graph, Placement};
use crate::measurement::count;

/// By what the tree is chosen whose edges need no counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// There is none: every edge has a counter.
    Every,
    /// By chance.
    Random,
    /// By the naive estimate.
    Naive,
    /// By the estimate of Wu and Larus.
    WuLarus,
    /// By the counts of the same run: nothing is better.
    Measured,
}

impl Choice {
    /// All, in the order of what they know.
    pub const ALL: [Choice; 5] =
        [Choice::Every, Choice::Random, Choice::Naive, Choice::WuLarus, Choice::Measured];
}

/// A function, or several of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineCost {
    /// Number of blocks.
    pub blocks: u64,
    /// Number of edges, virtual ones among them.
    pub edges: u64,
    /// Edges with a counter, if a tree is left out; the number is that of every tree.
    pub counters: u64,
    /// How often edges were taken.
    pub taken: u64,
    /// How often counters counted, by [`Choice::ALL`].
    pub counted: [u64; 5],
}

impl RoutineCost {
    /// Adds the figures of `other`.
    pub fn add(&mut self, other: &RoutineCost) {
        count(&mut self.blocks, other.blocks);
        count(&mut self.edges, other.edges);
        count(&mut self.counters, other.counters);
        count(&mut self.taken, other.taken);
        self.counted.iter_mut().zip(other.counted).for_each(|(ours, theirs)| count(ours, theirs));
    }
}

/// A branch with two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BranchGuess {
    /// Address of the branch.
    pub address: u64,
    /// Where the side leads that is meant; `None` is out of the function.
    pub target: Option<u64>,
    /// How often the branch was executed.
    pub executed: u64,
    /// How often this side was taken.
    pub taken: u64,
    /// How often it should have been, of one time, as the naive estimate says.
    pub naive: f64,
    /// The same as Wu and Larus's says.
    pub wu_larus: f64,
}

/// All that is guessed about a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoutineComparison {
    /// What counters cost.
    pub cost: RoutineCost,
    /// Its branches with two sides that were executed, by address.
    pub branches: Vec<BranchGuess>,
}

/// Compares what can be guessed about a function with what was measured.
///
/// The estimates know the graph and the instructions, and no count; `seed` is for the random tree.
pub fn compare_estimates(flow: &ProgramFlow, routine: &RoutineFlow, seed: u64) -> RoutineComparison {
    let RoutineFlow { graph, counts, .. } = routine;
    let rare: Vec<bool> = routine.kinds.iter().map(|kind| *kind == RoutineEdge::Abort).collect();
    let stores: Vec<bool> =
        routine.blocks.iter().map(|&block| flow.blocks[index(block)].writes_memory).collect();
    let traits = BlockTraits { calls: &routine.calls, stores: &stores, returns: &routine.returns };
    let naive = estimate_naive(graph, &rare);
    let wu_larus = estimate_wu_larus(graph, &rare, traits);
    let placements = [
        count_every_edge(graph),
        place_counters(graph, &random_weights(graph, seed)),
        place_counters(graph, &weights_of(&naive)),
        place_counters(graph, &weights_of(&wu_larus.frequencies)),
        place_counters(graph, counts),
    ];
    let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
    let cost = RoutineCost {
        blocks: u64::from(graph.blocks()),
        edges: counts.len() as u64,
        counters: placements[4].counted().len() as u64,
        taken: sum(&mut counts.iter().copied()),
        counted: placements.each_ref().map(|placement| sum(&mut counted(placement, counts))),
    };
    let branches = branches_of(flow, routine, &rare, &naive, &wu_larus.probabilities);
    RoutineComparison { cost, branches }
}

fn counted(placement: &Placement, counts: &[u64]) -> impl Iterator<Item = u64> {
    placement.counted().iter().map(|&edge| counts[index(edge)])
}

fn branches_of(
    flow: &ProgramFlow,
    routine: &RoutineFlow,
    rare: &[bool],
    naive: &[f64],
    probabilities: &[f64],
) -> Vec<BranchGuess> {
    let ways = WaysOut::of(&routine.graph);
    let branches = (0..routine.graph.blocks()).filter_map(|block| {
        let likely: Vec<u32> =
            ways.of_block(block).iter().copied().filter(|&edge| !rare[index(edge)]).collect();
        let &[one, other] = &likely[..] else { return None };
        // The side that jumps, if the other goes on.
        let side = if routine.kinds[index(one)] == RoutineEdge::Fall { other } else { one };
        let executed = routine.counts[index(one)].saturating_add(routine.counts[index(other)]);
        let all = naive[index(one)] + naive[index(other)];
        (executed > 0).then(|| BranchGuess {
            address: flow.blocks[index(routine.blocks[index(block)])].last,
            target: target_of(flow, routine, &routine.graph, side),
            executed,
            taken: routine.counts[index(side)],
            naive: if all > 0.0 { naive[index(side)] / all } else { 0.5 },
            wu_larus: probabilities[index(side)],
        })
    });
    branches.collect()
}

fn target_of(flow: &ProgramFlow, routine: &RoutineFlow, graph: &Graph, edge: u32) -> Option<u64> {
    let to = graph.edges()[index(edge)].to;
    (to != OUTSIDE).then(|| flow.blocks[index(routine.blocks[index(to)])].first)
}
