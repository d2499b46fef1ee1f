//! The shape of a region: how often its blocks are expected to run, and where the budget is held and asked.

use isac_ir::Model;
use rustc_hash::FxHashSet as HashSet;

use crate::checks::Checks;
use crate::loops::{Loop, Loops};
use crate::region::Region;

/// How much more often a loop is expected to run than what is around it.
pub(super) const TURNS: u64 = 8;

/// Most registers that a loop uses which holds the budget: more of the guest's would be where none of the host's
/// are left.
const MOST_USED: usize = 6;

/// The shape of a region.
pub(super) struct Shape {
    /// The blocks so that only what closes a circle goes back.
    pub(super) order: Vec<usize>,
    /// Where each block is in that order.
    pub(super) position: Vec<usize>,
    /// Blocks that circles come back to.
    pub(super) headers: Vec<bool>,
    /// Number of blocks that go on with each.
    pub(super) entered: Vec<usize>,
    /// How often each is expected to run.
    pub(super) weights: Vec<u64>,
    /// The header of the loop that each lies in, if that has no others within it.
    pub(super) innermost: Vec<Option<usize>>,
    /// The header of the innermost loop that each lies in, if that holds the budget.
    pub(super) holding: Vec<Option<usize>>,
    /// Most instructions from each block's beginning to where the budget is asked next.
    pub(super) lengths: Vec<i64>,
    /// Most checks from each block's beginning to there, at least 1; empty where no samples are taken.
    pub(super) checks: Vec<i64>,
}

impl Shape {
    /// The shape of a region, where samples are taken with their checks.
    pub(super) fn of(region: &Region, model: &Model, asked: Option<Checks>) -> Shape {
        let Loops { order, position, headers, loops } = Loops::of(region);
        let count = region.blocks.len();
        let mut entered = vec![0; count];
        let successors = region.blocks.iter().flat_map(|block| &block.successors);
        successors.for_each(|successor| entered[*successor] += 1);
        let mut lengths = vec![0; count];
        for index in order.iter().rev() {
            let block = &region.blocks[*index];
            let within = block.successors.iter().filter(|successor| !headers[**successor]);
            let longest = within.map(|successor| lengths[*successor]).max().unwrap_or(0);
            lengths[*index] = block.steps.len() as i64 + longest;
        }
        let weights = weights(count, &loops);
        let is_small = |found: &Loop| registers_used((region, model), &found.blocks) <= MOST_USED;
        let holding = innermost(count, &loops, is_small);
        let innermost = innermost(count, &loops, |_| true);
        let checks = match asked {
            Some(asked) => most_checks((model, asked), region, &order, &headers),
            None => Vec::new(),
        };
        Shape { order, position, headers, entered, weights, innermost, holding, lengths, checks }
    }
}

/// Most checks from each block's beginning to where the budget is asked next, which is in time if the
/// last of them leads there. Whatever leaves the region may be one.
fn most_checks(
    (model, asked): (&Model, Checks),
    region: &Region,
    order: &[usize],
    headers: &[bool],
) -> Vec<i64> {
    let mut checks = vec![1i64; region.blocks.len()];
    for index in order.iter().rev() {
        let block = &region.blocks[*index];
        let ways = block.successors.iter().zip(&block.targets);
        let most = ways.map(|(successor, (target, _))| {
            let behind = if headers[*successor] { 0 } else { checks[*successor] };
            let last = block.steps.last();
            behind + i64::from(last.is_some_and(|last| asked.is_check_of(model, last, *target)))
        });
        let within = block.steps.iter().filter(|step| asked.includes(step)).count();
        checks[*index] = within as i64 + most.max().unwrap_or(1).max(1);
    }
    checks
}

/// A block in a loop runs some times as often as what is around that.
fn weights(count: usize, loops: &[Loop]) -> Vec<u64> {
    let mut weights = vec![1u64; count];
    for block in loops.iter().flat_map(|found| &found.blocks) {
        weights[*block] = weights[*block].saturating_mul(TURNS).min(1 << 40);
    }
    weights
}

/// For each block the header of its loop, if that is an innermost one which is taken.
fn innermost(count: usize, loops: &[Loop], takes: impl Fn(&Loop) -> bool) -> Vec<Option<usize>> {
    let mut innermost = vec![None; count];
    for found in loops.iter().filter(|found| found.is_innermost && takes(found)) {
        found.blocks.iter().for_each(|block| innermost[*block] = Some(found.header));
    }
    innermost
}

/// How many registers some blocks read or write.
fn registers_used((region, model): (&Region, &Model), blocks: &[usize]) -> usize {
    let mut used = HashSet::default();
    for step in blocks.iter().flat_map(|block| &region.blocks[*block].steps) {
        used.extend(step.step.register_uses(model).elements.iter().map(|element| element.key));
    }
    used.len()
}
