//! The shape of a region: what is a loop, and in which order its blocks are made.

use std::collections::BTreeSet;

use isac_ir::Model;

use crate::checks::Checks;
use crate::region::Region;
use crate::residual::{Item, Kind, Op, Value, walk_ops};

/// How much more often a loop is expected to run than what is around it.
const TURNS: u64 = 8;

/// Most loops that are looked at: large regions have many, and what is not known of some costs no more than a
/// little speed.
const MOST_LOOPS: usize = 256;
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
        let loops = loops(region, &back, &headers);
        let weights = weights(count, &loops);
        let holding = holding(region, &loops, &headers);
        let checks = match asked {
            Some(asked) => most_checks((model, asked), region, &order, &headers),
            None => Vec::new(),
        };
        Shape { order, position, headers, entered, weights, holding, lengths, checks }
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
fn weights(count: usize, loops: &[Loop]) -> Vec<u64> {
    let mut weights = vec![1u64; count];
    for block in loops.iter().flat_map(|found| &found.blocks) {
        weights[*block] = weights[*block].saturating_mul(TURNS).min(1 << 40);
    }
    weights
}

/// The blocks of a loop.
struct Loop {
    header: usize,
    blocks: Vec<usize>,
    /// It is entered at its header alone.
    has_one_entry: bool,
}

/// The loops of a region: circles to one header are one loop.
fn loops(region: &Region, back: &[(usize, usize)], headers: &[bool]) -> Vec<Loop> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); region.blocks.len()];
    for (index, block) in region.blocks.iter().enumerate() {
        block.successors.iter().for_each(|successor| before[*successor].push(index));
    }
    let mut found = Vec::new();
    for header in (0..region.blocks.len()).filter(|block| headers[*block]).take(MOST_LOOPS) {
        let mut within = vec![false; region.blocks.len()];
        within[header] = true;
        let ends = back.iter().filter(|(_, to)| *to == header).map(|(from, _)| *from);
        let mut waiting: Vec<usize> = ends.collect();
        let mut blocks = vec![header];
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut within[block], true) {
                blocks.push(block);
                waiting.extend(&before[block]);
            }
        }
        found.push(Loop { header, blocks, has_one_entry: header == 0 || !within[0] });
    }
    found
}

/// For each block the header of its loop, if that is an innermost one which holds the budget.
fn holding(region: &Region, loops: &[Loop], headers: &[bool]) -> Vec<Option<usize>> {
    let mut holding = vec![None; region.blocks.len()];
    for Loop { header, blocks, .. } in loops.iter().filter(|found| found.has_one_entry) {
        let is_innermost = blocks.iter().all(|block| block == header || !headers[*block]);
        if is_innermost && registers_used(region, blocks) <= MOST_USED {
            blocks.iter().for_each(|block| holding[*block] = Some(*header));
        }
    }
    holding
}

/// How many registers some blocks read or write.
fn registers_used(region: &Region, blocks: &[usize]) -> usize {
    let mut used = BTreeSet::new();
    for step in blocks.iter().flat_map(|block| &region.blocks[*block].steps) {
        walk_ops(&step.step.ops, &mut |item| match item {
            Item::Op(Op::SetRegister { register, element, .. })
            | Item::Value(Value { kind: Kind::Register { register, element, .. }, .. }) => {
                used.insert((*register, *element));
            }
            Item::Op(_) | Item::Value(_) => {}
        });
    }
    used.len()
}
