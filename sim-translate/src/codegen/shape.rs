//! The shape of a region: what is a loop, and in which order its blocks are made.

use isac_ir::Model;

use crate::checks::Checks;
use crate::region::Region;

/// How much more often a loop is expected to run than what is around it.
const TURNS: u64 = 8;

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
    /// Most instructions from each block's beginning to where the budget is asked next.
    pub(super) lengths: Vec<i64>,
    /// Most checks from each block's beginning to there, at least 1; empty where no samples are taken.
    pub(super) checks: Vec<i64>,
}

impl Shape {
    /// The shape of a region, where samples are taken with their checks.
    pub(super) fn of(region: &Region, model: &Model, asked: Option<Checks>) -> Shape {
        let order = order(region);
        let count = region.blocks.len();
        let mut position = vec![0; count];
        for (at, block) in order.iter().enumerate() {
            position[*block] = at;
        }
        let mut headers = vec![false; count];
        let mut entered = vec![0; count];
        let mut back = Vec::new();
        for (index, block) in region.blocks.iter().enumerate() {
            for successor in &block.successors {
                entered[*successor] += 1;
                if position[*successor] <= position[index] {
                    headers[*successor] = true;
                    back.push((index, *successor));
                }
            }
        }
        let mut lengths = vec![0; count];
        for index in order.iter().rev() {
            let block = &region.blocks[*index];
            let within = block.successors.iter().filter(|successor| !headers[**successor]);
            let longest = within.map(|successor| lengths[*successor]).max().unwrap_or(0);
            lengths[*index] = block.steps.len() as i64 + longest;
        }
        let weights = weights(region, &back);
        let checks = match asked {
            Some(asked) => most_checks((model, asked), region, &order, &headers),
            None => Vec::new(),
        };
        Shape { order, position, headers, entered, weights, lengths, checks }
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

/// The blocks in reverse postorder.
fn order(region: &Region) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; region.blocks.len()];
    let mut way = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = way.last_mut() {
        match region.blocks[*block].successors.get(*next) {
            Some(successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*successor], true) {
                    way.push((*successor, 0));
                }
            }
            None => {
                order.push(*block);
                way.pop();
            }
        }
    }
    order.reverse();
    order
}

/// A block in a loop runs some times as often as what is around that.
fn weights(region: &Region, back: &[(usize, usize)]) -> Vec<u64> {
    let count = region.blocks.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (index, block) in region.blocks.iter().enumerate() {
        block.successors.iter().for_each(|successor| before[*successor].push(index));
    }
    let mut weights = vec![1u64; count];
    // Circles to one header are one loop; large regions have many, and an estimate is enough.
    let mut headers: Vec<usize> = back.iter().map(|(_, header)| *header).collect();
    headers.sort_unstable();
    headers.dedup();
    for header in headers.into_iter().take(256) {
        let mut within = vec![false; count];
        within[header] = true;
        let mut waiting: Vec<usize> =
            back.iter().filter(|(_, to)| *to == header).map(|(from, _)| *from).collect();
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut within[block], true) {
                waiting.extend(&before[block]);
            }
        }
        for (weight, _) in weights.iter_mut().zip(&within).filter(|(_, within)| **within) {
            *weight = weight.saturating_mul(TURNS).min(1 << 40);
        }
    }
    weights
}
