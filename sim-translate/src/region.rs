//! Regions: the code that direct jumps reach from an entry, as blocks of steps.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use isac_ir::Model;

use crate::residual::{Kind, Op, PC, Value};
use crate::specialise::{Place, Step};

/// Most steps in a region.
const MOST_STEPS: usize = 4000;

/// A step with its number.
#[derive(Debug, Clone)]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    pub(crate) step: Rc<Step>,
}

/// Steps one behind the other, entered at the first alone.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) place: Place,
    pub(crate) steps: Vec<Numbered>,
    /// The blocks of this region that it goes on with.
    pub(crate) successors: Vec<usize>,
}

/// Blocks; the first is the entry.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) blocks: Vec<Block>,
    pub(crate) index: HashMap<u64, usize>,
    /// Addresses of steps whose accesses often reach what is not reached at once.
    pub(crate) precise: HashSet<u64>,
}

/// Finds the region of an entry; `step_at` gives the step at an address, if there is one.
pub(crate) fn find_region(
    model: &Model,
    entry: Place,
    mut step_at: impl FnMut(Place) -> Option<Numbered>,
) -> Option<Region> {
    let mut steps: HashMap<u64, (Numbered, Vec<u64>)> = HashMap::new();
    let mut leaders = vec![entry.address];
    let mut waiting = vec![entry.address];
    while let Some(address) = waiting.pop() {
        if steps.contains_key(&address) || steps.len() >= MOST_STEPS {
            continue;
        }
        let Some(found) = step_at(Place { address, ..entry }) else { continue };
        let successor = model.successor(address, found.step.size_cells);
        let targets = targets_within(model, &found.step);
        if targets != [successor] {
            leaders.extend(&targets);
        }
        // What follows in sequence is looked at first.
        waiting.extend(targets.iter().rev());
        steps.insert(address, (found, targets));
    }
    build(&steps, entry, leaders)
}

fn build(steps: &HashMap<u64, (Numbered, Vec<u64>)>, entry: Place, mut leaders: Vec<u64>) -> Option<Region> {
    leaders.retain(|address| steps.contains_key(address));
    leaders.sort_unstable();
    leaders.dedup();
    // The entry comes first, the others by address.
    let others = leaders.iter().copied().filter(|address| *address != entry.address);
    let order: Vec<u64> = std::iter::once(entry.address).chain(others).collect();
    let index: HashMap<u64, usize> = (0..).zip(&order).map(|(index, address)| (*address, index)).collect();
    let mut blocks = Vec::new();
    for address in order {
        let mut block =
            Block { place: Place { address, ..entry }, steps: Vec::new(), successors: Vec::new() };
        let mut next = address;
        loop {
            let (found, targets) = steps.get(&next)?;
            block.steps.push(found.clone());
            match targets[..] {
                [only] if !index.contains_key(&only) && steps.contains_key(&only) => next = only,
                _ => {
                    let known = targets.iter().filter_map(|target| index.get(target).copied());
                    block.successors = known.collect();
                    block.successors.sort_unstable();
                    block.successors.dedup();
                    break;
                }
            }
        }
        blocks.push(block);
    }
    Some(Region { blocks, index, precise: HashSet::new() })
}

/// Addresses that a step goes on with, as far as they are known and no call leads there.
fn targets_within(model: &Model, step: &Step) -> Vec<u64> {
    let mut found = Vec::new();
    find_targets(&step.ops, Some(step.address), &mut found);
    let successor = model.successor(step.address, step.size_cells);
    if !found.contains(&successor) && keeps(&step.ops, successor, model.pc.width_bits) {
        return Vec::new();
    }
    found.dedup();
    found
}

/// True if an address is put into a register: whoever does so and leaves calls.
fn keeps(ops: &[Op], successor: u64, width: u32) -> bool {
    ops.iter().any(|op| match op {
        Op::SetRegister { value: Value { kind: Kind::Const(kept), .. }, .. } => {
            *kept == u128::from(successor) && width > 1
        }
        _ => op.lists().iter().any(|list| keeps(list, successor, width)),
    })
}

/// The known addresses at the ends of a list.
fn find_targets(ops: &[Op], mut pc: Option<u64>, found: &mut Vec<u64>) {
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::If(_, then, otherwise) if index + 1 == ops.len() => {
                find_targets(then, pc, found);
                find_targets(otherwise, pc, found);
                return;
            }
            Op::Trap(_) | Op::Halt(_) | Op::Leave(..) => return,
            _ => pc = pc_behind(op, pc),
        }
    }
    found.extend(pc.filter(|pc| !found.contains(pc)));
}

/// What the program counter holds behind a statement, if that is known.
pub(crate) fn pc_behind(op: &Op, pc: Option<u64>) -> Option<u64> {
    match op {
        Op::Set(PC, value) => value.known().map(|value| value as u64),
        Op::If(_, then, otherwise) => {
            let behind = |list: &[Op]| list.iter().fold(pc, |pc, op| pc_behind(op, pc));
            let (first, second) = (behind(then), behind(otherwise));
            match (crate::specialise::is_gone(then), crate::specialise::is_gone(otherwise)) {
                (true, _) => second,
                (_, true) => first,
                _ => first.filter(|_| first == second),
            }
        }
        Op::Loop(_, body) | Op::Block(_, body) => {
            let mut sets = false;
            crate::residual::walk_ops(body, &mut |item| {
                sets |= matches!(item, crate::residual::Item::Op(Op::Set(PC, _)));
            });
            pc.filter(|_| !sets)
        }
        _ => pc,
    }
}
