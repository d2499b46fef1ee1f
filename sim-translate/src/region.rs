//! Regions: the code that direct jumps reach from an entry, as blocks of steps.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use isac_ir::Model;

use crate::residual::{Kind, Op, PC, Value, count_parts};
use crate::specialise::{Place, Step};

/// Most steps in a region.
const MOST_STEPS: usize = 4000;
/// Most statements and values in a region.
const MOST_PARTS: usize = 60_000;
/// So far a region reaches into what has not run yet.
const MOST_COLD: u32 = 24;

/// Longest FUNCTION of the program, in instructions, that becomes part of those who often call it.
const MOST_INLINED: usize = 60;
/// A call is followed if it has been carried out so often.
const OFTEN_CALLED: u64 = 12;
/// So deep calls are followed.
const DEEPEST: u32 = 3;

/// A step with its number.
#[derive(Debug, Clone)]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    pub(crate) step: Rc<Step>,
    /// How often it has run before, as far as that is known.
    pub(crate) runs: u64,
}

/// Where a step stands: the calls that were followed to it, and its address.
type Key = (u32, u64);

/// Steps one behind the other, entered at the first alone.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) place: Place,
    pub(crate) steps: Vec<Numbered>,
    /// The blocks of this region that it goes on with.
    pub(crate) successors: Vec<usize>,
    /// The addresses at which they are, in the same order.
    pub(crate) addresses: Vec<u64>,
    /// Where it goes on within the region if the address that it computes is this one.
    pub(crate) returns: Option<u64>,
}

impl Block {
    /// The block of the region that follows at an address.
    pub(crate) fn successor_at(&self, address: u64) -> Option<usize> {
        let at = self.addresses.iter().position(|known| *known == address)?;
        Some(self.successors[at])
    }
}

/// Blocks; the first is the entry.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) blocks: Vec<Block>,
    /// Addresses of steps whose accesses often reach what is not reached at once.
    pub(crate) precise: HashSet<u64>,
}

/// What a step goes on with.
#[derive(Debug, Clone)]
struct Met {
    found: Numbered,
    targets: Vec<Key>,
    /// Where its computed address may lead.
    returns: Option<u64>,
}

/// A call that is followed.
#[derive(Debug, Clone, Copy)]
struct Context {
    above: u32,
    depth: u32,
    /// The address behind the call.
    returns: u64,
}

/// Finds regions; `step_at` gives the step at an address, if there is one.
struct Finder<'m, F> {
    model: &'m Model,
    entry: Place,
    step_at: F,
    contexts: Vec<Context>,
    met: HashMap<Key, Met>,
    leaders: Vec<Key>,
    parts: usize,
}

/// Finds the region of an entry.
pub(crate) fn find_region(
    model: &Model,
    entry: Place,
    step_at: impl FnMut(Place) -> Option<Numbered>,
) -> Option<Region> {
    let outside = Context { above: 0, depth: 0, returns: 0 };
    let mut finder = Finder {
        model,
        entry,
        step_at,
        contexts: vec![outside],
        met: HashMap::new(),
        leaders: vec![(0, entry.address)],
        parts: 0,
    };
    finder.explore();
    finder.build()
}

impl<F: FnMut(Place) -> Option<Numbered>> Finder<'_, F> {
    fn find(&mut self, address: u64) -> Option<Numbered> {
        (self.step_at)(Place { address, ..self.entry })
    }

    fn explore(&mut self) {
        // Keys, and how many instructions before them on the way have not run.
        let mut waiting = vec![((0, self.entry.address), 0)];
        while let Some((key, cold)) = waiting.pop() {
            if self.met.contains_key(&key) || self.met.len() >= MOST_STEPS || self.parts >= MOST_PARTS {
                continue;
            }
            let Some(found) = self.find(key.1) else { continue };
            let cold = if found.runs > 0 { 0 } else { cold + 1 };
            if cold > MOST_COLD {
                continue;
            }
            self.parts += count_parts(&found.step.ops);
            let successor = self.model.successor(key.1, found.step.size_cells);
            let (targets, returns) = self.go_on(key.0, &found);
            if targets != [(key.0, successor)] {
                self.leaders.extend(&targets);
            }
            // What follows in sequence is looked at first.
            waiting.extend(targets.iter().rev().map(|target| (*target, cold)));
            self.met.insert(key, Met { found, targets, returns });
        }
    }

    /// What a step of a context goes on with.
    fn go_on(&mut self, context: u32, found: &Numbered) -> (Vec<Key>, Option<u64>) {
        let ways = Ways::of(self.model, &found.step);
        match (ways.calls, &ways.targets[..]) {
            (Some(returns), [target]) if self.is_worth_following(context, found, *target) => {
                let depth = self.contexts[context as usize].depth + 1;
                self.contexts.push(Context { above: context, depth, returns });
                (vec![(self.contexts.len() as u32 - 1, *target)], None)
            }
            (Some(_), _) => (Vec::new(), None),
            (None, targets) => {
                let mut targets: Vec<Key> = targets.iter().map(|target| (context, *target)).collect();
                let around = self.contexts[context as usize];
                let returns = (ways.computes && context > 0).then_some(around.returns);
                targets.extend(returns.map(|returns| (around.above, returns)));
                (targets, returns)
            }
        }
    }

    /// True if a call is frequent, and what it calls is short and comes back.
    fn is_worth_following(&mut self, context: u32, call: &Numbered, target: u64) -> bool {
        if call.runs < OFTEN_CALLED || self.contexts[context as usize].depth >= DEEPEST {
            return false;
        }
        let (mut seen, mut waiting, mut comes_back) = (HashSet::new(), vec![target], false);
        while let Some(address) = waiting.pop() {
            let Some(found) = self.find(address).filter(|found| found.runs > 0) else { continue };
            if !seen.insert(address) {
                continue;
            }
            if seen.len() > MOST_INLINED {
                return false;
            }
            let ways = Ways::of(self.model, &found.step);
            match ways.calls {
                Some(returns) => waiting.push(returns),
                None => waiting.extend(ways.targets),
            }
            comes_back |= ways.computes;
        }
        comes_back
    }

    fn build(mut self) -> Option<Region> {
        let first = (0, self.entry.address);
        let met = &self.met;
        self.leaders.retain(|key| met.contains_key(key));
        self.leaders.sort_unstable();
        self.leaders.dedup();
        // The entry comes first, the others by context and address.
        let others = self.leaders.iter().copied().filter(|key| *key != first);
        let order: Vec<Key> = std::iter::once(first).chain(others).collect();
        let index: HashMap<Key, usize> = (0..).zip(&order).map(|(index, key)| (*key, index)).collect();
        let blocks = order.into_iter().map(|key| self.block(key, &index));
        Some(Region { blocks: blocks.collect::<Option<_>>()?, precise: HashSet::new() })
    }

    fn block(&self, first: Key, index: &HashMap<Key, usize>) -> Option<Block> {
        let mut steps = Vec::new();
        let mut next = first;
        loop {
            let met = self.met.get(&next)?;
            steps.push(met.found.clone());
            match met.targets[..] {
                [only] if !index.contains_key(&only) && self.met.contains_key(&only) => next = only,
                _ => {
                    let known = met.targets.iter().filter_map(|key| Some((*index.get(key)?, key.1)));
                    let mut known: Vec<(usize, u64)> = known.collect();
                    known.sort_unstable();
                    known.dedup();
                    let (successors, addresses) = known.into_iter().unzip();
                    let place = Place { address: first.1, ..self.entry };
                    return Some(Block { place, steps, successors, addresses, returns: met.returns });
                }
            }
        }
    }
}

/// The ways on from a step.
struct Ways {
    /// Known addresses.
    targets: Vec<u64>,
    /// Some address is computed.
    computes: bool,
    /// The address behind it, if it calls.
    calls: Option<u64>,
}

impl Ways {
    fn of(model: &Model, step: &Step) -> Ways {
        let mut ways = Ways { targets: Vec::new(), computes: false, calls: None };
        find_targets(&step.ops, Some(step.address), &mut ways);
        let successor = model.successor(step.address, step.size_cells);
        let is_call = !ways.targets.contains(&successor) && keeps(&step.ops, successor, model.pc.width_bits);
        ways.calls = is_call.then_some(successor);
        ways
    }
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

/// The addresses at the ends of a list.
fn find_targets(ops: &[Op], mut pc: Option<u64>, ways: &mut Ways) {
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::If(_, then, otherwise) if index + 1 == ops.len() => {
                find_targets(then, pc, ways);
                find_targets(otherwise, pc, ways);
                return;
            }
            Op::Trap(_) | Op::Halt(_) | Op::Leave(..) => return,
            _ => pc = pc_behind(op, pc),
        }
    }
    match pc {
        Some(pc) if ways.targets.contains(&pc) => {}
        Some(pc) => ways.targets.push(pc),
        None => ways.computes = true,
    }
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
