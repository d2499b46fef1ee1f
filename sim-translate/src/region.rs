//! Regions: the code that direct jumps reach from an entry, as blocks of steps.

use std::sync::Arc;

use isac_ir::Model;
use isac_ir::bits::mask;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::mode::{Mode, ModeItems};
use crate::residual::{Kind, Op, PC, Value, each_op};
use crate::specialise::{Place, Step};

/// Most steps in a region.
const MOST_STEPS: usize = 4000;
/// Most statements and values in a region.
const MOST_PARTS: usize = 10_000;
/// So far a region reaches into what has not run yet.
const MOST_COLD: u32 = 24;

/// Longest FUNCTION of the program, in instructions, that becomes part of those who often call it.
const MOST_INLINED: usize = 60;
/// A call is followed if it has been carried out so often.
const OFTEN_CALLED: u64 = 12;
/// So deep calls are followed.
const DEEPEST: u32 = 3;

/// A smaller piece of an address is not looked for in memory.
const LEAST_PIECE_BITS: u32 = 8;

/// Most places that a jump by a table leads to within a region.
const MOST_TARGETS: usize = 128;

/// A step with its number.
#[derive(Debug, Clone)]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    pub(crate) step: Arc<Step>,
    /// What is known of the mode before it.
    pub(crate) mode: Mode,
    /// How often it has run before, as far as that is known.
    pub(crate) runs: u64,
    /// Where it has led, if it jumps by a table.
    pub(crate) table: Vec<u64>,
    /// Its successor is behind a call: this is the call, or in its delay slot.
    pub(crate) precedes_return: bool,
    /// Where it jumps, it calls. Known where samples are taken.
    pub(crate) calls: bool,
    /// It reads or writes memory. Known where samples are taken, too.
    pub(crate) accesses_memory: bool,
}

/// Where a step stands: the calls that were followed to it, its address, and what it runs under.
type Key = (u32, u64, Mode);

/// Where a step leads: an address, with what is known of the mode there.
pub(crate) type Target = (u64, Mode);

/// A target with the step that stands for it: one that runs under less may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    target: Target,
    key: Key,
}

/// Steps one behind the other, entered at the first alone.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) place: Place,
    pub(crate) steps: Vec<Numbered>,
    /// The blocks of this region that it goes on with.
    pub(crate) successors: Vec<usize>,
    /// By what they are reached, in the same order.
    pub(crate) targets: Vec<Target>,
    /// Where it goes on within the region if the address that it computes is one of these.
    pub(crate) expected: Vec<u64>,
    /// Where it makes a call that somebody is told of if it goes on there.
    pub(crate) calls: Vec<u64>,
    /// Whether it may return from a call where it goes on at an address that it computes, and does nothing else
    /// there. Known where calls are followed.
    pub(crate) returns: bool,
}

impl Block {
    /// The block of the region that follows at a target.
    pub(crate) fn successor_at(&self, target: Target) -> Option<usize> {
        let at = self.targets.iter().position(|known| *known == target)?;
        Some(self.successors[at])
    }

    /// How often its first step has run before, as far as that is known.
    pub(crate) fn runs(&self) -> u64 {
        self.steps.first().map_or(0, |step| step.runs)
    }

    /// The same of its last.
    pub(crate) fn last_runs(&self) -> u64 {
        self.steps.last().map_or(0, |step| step.runs)
    }
}

/// Blocks; the first is the entry.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) blocks: Vec<Block>,
    /// The RAM that a step accesses, by its address, as far as that is known.
    pub(crate) reached: HashMap<u64, u32>,
    /// Addresses of steps that are often left to the interpreter, as they write close to code, or reach too far
    /// ahead.
    pub(crate) near: HashSet<u64>,
    /// Addresses of steps whose accesses often reach what is not reached at once.
    pub(crate) precise: HashSet<u64>,
}

impl Region {
    /// For each block those that go on with it.
    pub(crate) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|successor| before[*successor].push(index));
        }
        before
    }
}

/// What a step goes on with.
#[derive(Debug, Clone)]
struct Met {
    found: Numbered,
    ways: Vec<Way>,
    /// It may also lead to what is not among the ways.
    has_others: bool,
    /// Where its computed address may lead.
    expected: Vec<u64>,
    /// Where it makes a call that is told.
    calls: Vec<u64>,
    /// As [`Block::returns`].
    returns: bool,
}

/// A call that is followed.
#[derive(Debug, Clone, Copy)]
struct Context {
    above: u32,
    depth: u32,
    /// The address behind the call.
    returns: u64,
}

/// What regions are made of.
pub(crate) trait Steps {
    /// The step for a place, if there is one, and the place that it is of.
    fn step_at(&mut self, place: Place) -> Option<(Place, Numbered)>;

    /// Whether a region ends where a step goes on at an address: somebody has to be told of it, or it is a check
    /// that nothing goes beyond.
    fn ends_at(&mut self, found: &Numbered, to: u64) -> bool;

    /// Whether it makes a call by that.
    fn is_call(&self, step: &Step, to: u64) -> bool;

    /// Whether a step that jumps to an address which it computes may return from a call, and does nothing else
    /// there.
    fn returns(&self, step: &Step) -> bool;

    /// Whether another region begins at a place.
    fn is_entry(&self, place: Place) -> bool;
}

/// Finds regions.
struct Finder<'m, F> {
    model: &'m Model,
    items: &'m ModeItems,
    entry: Place,
    steps: F,
    contexts: Vec<Context>,
    met: HashMap<Key, Met>,
    leaders: Vec<Key>,
    parts: usize,
    /// There is more than a region has room for.
    is_cut: bool,
    /// What other regions begin with is left to them.
    ends_at_entries: bool,
}

/// Finds the region of an entry.
pub(crate) fn find_region(
    model: &Model,
    items: &ModeItems,
    entry: Place,
    steps: impl Steps,
) -> Option<Region> {
    let outside = Context { above: 0, depth: 0, returns: 0 };
    let mut finder = Finder {
        model,
        items,
        entry,
        steps,
        contexts: vec![outside],
        met: HashMap::default(),
        leaders: Vec::new(),
        parts: 0,
        is_cut: false,
        ends_at_entries: false,
    };
    finder.explore();
    if finder.is_cut {
        // Regions of long code end where there is no more room, each elsewhere, and others begin at each of these
        // places: without end at those that there are, each instruction would be compiled over and over.
        finder.ends_at_entries = true;
        finder.explore();
    }
    finder.build()
}

impl<F: Steps> Finder<'_, F> {
    /// The step for a target, and the target that it is of.
    fn find(&mut self, (address, mode): Target) -> Option<(Target, Numbered)> {
        let (place, found) = self.steps.step_at(Place { address, mode, ..self.entry })?;
        Some(((place.address, place.mode), found))
    }

    /// A target with its step in a context.
    fn way(&mut self, context: u32, target: Target) -> Way {
        // Where it is the same step for every mode there is nothing to look for.
        let own = match self.items.has_addresses() {
            true => self.find(target).map_or(target, |(own, _)| own),
            false => target,
        };
        Way { target, key: (context, own.0, own.1) }
    }

    fn explore(&mut self) {
        self.contexts.truncate(1);
        self.met.clear();
        self.leaders = vec![(0, self.entry.address, self.entry.mode)];
        (self.parts, self.is_cut) = (0, false);
        // Keys, and how many instructions before them on the way have not run.
        let mut waiting = vec![((0, self.entry.address, self.entry.mode), 0)];
        while let Some((key, cold)) = waiting.pop() {
            if self.met.contains_key(&key) {
                continue;
            }
            if self.met.len() >= MOST_STEPS || self.parts >= MOST_PARTS {
                self.is_cut = true;
                continue;
            }
            let (context, address, mode) = key;
            let place = Place { address, mode, ..self.entry };
            let is_first = self.met.is_empty();
            if self.ends_at_entries && !is_first && context == 0 && self.steps.is_entry(place) {
                continue;
            }
            let Some((_, found)) = self.find((address, mode)) else { continue };
            let cold = if found.runs > 0 { 0 } else { cold + 1 };
            if cold > MOST_COLD {
                continue;
            }
            self.parts += found.step.parts;
            let successor = self.model.successor(address, found.step.size_cells);
            let ends = Ends::of(self.model, self.items, &found, mode);
            let targets = || ends.targets.iter().map(|(to, _)| *to);
            let ending: Vec<u64> = targets().filter(|to| self.steps.ends_at(&found, *to)).collect();
            let returns = ends.computed.is_some() && self.steps.returns(&found.step);
            let (ways, expected) = self.go_on(context, &found, &ends, &ending);
            let has_others = ends.has_others || !ending.is_empty();
            let mut calls = ending;
            calls.retain(|to| self.steps.is_call(&found.step, *to));
            let goes_on = |way: &Way| (way.key.0, way.key.1) == (context, successor);
            if has_others || ways.len() != 1 || !ways.iter().all(goes_on) {
                self.leaders.extend(ways.iter().map(|way| way.key));
            }
            // What follows in sequence is looked at first.
            waiting.extend(ways.iter().rev().map(|way| (way.key, cold)));
            self.met.insert(key, Met { found, ways, has_others, expected, calls, returns });
        }
    }

    /// What a step of a context goes on with but for where the region ends, and the computed addresses among that.
    fn go_on(&mut self, context: u32, found: &Numbered, ends: &Ends, ending: &[u64]) -> (Vec<Way>, Vec<u64>) {
        let mut within = ends.targets.clone();
        within.retain(|(to, _)| !ending.contains(to));
        match (ends.calls, &within[..]) {
            (Some(returns), [target]) if self.is_worth_following(context, found, *target) => {
                let depth = self.contexts[context as usize].depth + 1;
                self.contexts.push(Context { above: context, depth, returns });
                let within = self.contexts.len() as u32 - 1;
                (vec![self.way(within, *target)], Vec::new())
            }
            (Some(_), _) => (Vec::new(), Vec::new()),
            (None, targets) => {
                let mut ways: Vec<Way> = targets.iter().map(|target| self.way(context, *target)).collect();
                let mut expected = Vec::new();
                if let Some(mode) = ends.computed {
                    let around = self.contexts[context as usize];
                    if (1..=MOST_TARGETS).contains(&found.table.len()) {
                        expected.clone_from(&found.table);
                        expected.retain(|to| !self.steps.ends_at(found, *to));
                        ways.extend(expected.iter().map(|address| self.way(context, (*address, mode))));
                    } else if context > 0 {
                        expected.push(around.returns);
                        expected.retain(|to| !self.steps.ends_at(found, *to));
                        ways.extend(expected.iter().map(|address| self.way(around.above, (*address, mode))));
                    }
                }
                (ways, expected)
            }
        }
    }

    /// True if a call is frequent, and what it calls is short and comes back.
    fn is_worth_following(&mut self, context: u32, call: &Numbered, target: Target) -> bool {
        if call.runs < OFTEN_CALLED || self.contexts[context as usize].depth >= DEEPEST {
            return false;
        }
        let (mut seen, mut waiting, mut comes_back) = (HashSet::default(), vec![target], false);
        while let Some(target) = waiting.pop() {
            let Some((own, found)) = self.find(target).filter(|(_, found)| found.runs > 0) else { continue };
            if !seen.insert(own) {
                continue;
            }
            if seen.len() > MOST_INLINED {
                return false;
            }
            let ends = Ends::of(self.model, self.items, &found, own.1);
            match ends.calls {
                // It comes back as it goes: a delay slot is behind it then.
                Some(returns) => {
                    let mode = ends.targets.first().map_or(own.1, |(_, mode)| *mode);
                    waiting.push((returns, mode));
                }
                None => waiting.extend(ends.targets),
            }
            comes_back |= ends.computed.is_some();
        }
        comes_back
    }

    fn build(mut self) -> Option<Region> {
        let first = (0, self.entry.address, self.entry.mode);
        let met = &self.met;
        self.leaders.retain(|key| met.contains_key(key));
        self.leaders.sort_unstable();
        self.leaders.dedup();
        // The entry comes first, the others by context, address and mode.
        let others = self.leaders.iter().copied().filter(|key| *key != first);
        let order: Vec<Key> = std::iter::once(first).chain(others).collect();
        let index: HashMap<Key, usize> = (0..).zip(&order).map(|(index, key)| (*key, index)).collect();
        let blocks = order.into_iter().map(|key| self.block(key, &index));
        let (reached, near, precise) = (HashMap::default(), HashSet::default(), HashSet::default());
        Some(Region { blocks: blocks.collect::<Option<_>>()?, reached, near, precise })
    }

    fn block(&self, first: Key, index: &HashMap<Key, usize>) -> Option<Block> {
        let mut steps = Vec::new();
        let mut next = first;
        loop {
            let met = self.met.get(&next)?;
            steps.push(met.found.clone());
            match met.ways[..] {
                [only]
                    if !met.has_others
                        && !index.contains_key(&only.key)
                        && self.met.contains_key(&only.key) =>
                {
                    next = only.key;
                }
                _ => {
                    let known = met.ways.iter().filter_map(|way| Some((*index.get(&way.key)?, way.target)));
                    let mut known: Vec<(usize, Target)> = known.collect();
                    known.sort_unstable();
                    known.dedup();
                    let (successors, targets) = known.into_iter().unzip();
                    let place = Place { address: first.1, mode: first.2, ..self.entry };
                    let (expected, calls) = (met.expected.clone(), met.calls.clone());
                    let returns = met.returns;
                    return Some(Block { place, steps, successors, targets, expected, calls, returns });
                }
            }
        }
    }
}

/// The ends of a step.
struct Ends {
    /// Those at known addresses.
    targets: Vec<Target>,
    /// The mode where an address is computed, if one is.
    computed: Option<Mode>,
    /// Some lead elsewhere than to the targets.
    has_others: bool,
    /// The address behind it, if it calls.
    calls: Option<u64>,
}

impl Ends {
    fn of(model: &Model, items: &ModeItems, found: &Numbered, mode: Mode) -> Ends {
        let mut ends = Ends::ways(items, &found.step, mode);
        let successor = model.successor(found.step.address, found.step.size_cells);
        let leaves = ends.targets.iter().all(|(target, _)| *target != successor);
        ends.calls = Some(successor).filter(|_| found.precedes_return && leaves);
        ends
    }

    /// Those of a step, whether it calls or not.
    fn ways(items: &ModeItems, step: &Step, mode: Mode) -> Ends {
        let mut ends = Ends { targets: Vec::new(), computed: None, has_others: false, calls: None };
        find_ends(items, &step.ops, Some(step.address), mode, &mut ends);
        ends
    }
}

/// The known addresses that a step leads to, and whether it may lead to one that it computes.
pub(crate) fn addresses_behind(items: &ModeItems, step: &Step, mode: Mode) -> (Vec<u64>, bool) {
    let ends = Ends::ways(items, step, mode);
    (ends.targets.iter().map(|(address, _)| *address).collect(), ends.computed.is_some())
}

/// Where what a step calls comes back to, if it calls: behind it, or behind its delay slot.
pub(crate) fn call_returns(model: &Model, items: &ModeItems, step: &Step, mode: Mode) -> Option<u64> {
    let successor = model.successor(step.address, step.size_cells);
    let behind_slot = model.successor(successor, step.size_cells);
    // Where no instruction lies at an odd address, its last bit may say something else.
    let mark = u64::from(step.size_cells > 1);
    let keeps =
        |address: u64| [0, mark].iter().any(|mark| keeps(&step.ops, address | mark, model.pc.width_bits));
    let leaves = || Ends::ways(items, step, mode).targets.iter().all(|(target, _)| *target != successor);
    match keeps(successor) && leaves() {
        true => Some(successor),
        false => Some(behind_slot).filter(|address| keeps(*address)),
    }
}

/// True if an address is put into a register, or into memory as a whole or piece by piece, as a stack
/// of bytes takes it: whoever does so and leaves calls.
fn keeps(ops: &[Op], successor: u64, width: u32) -> bool {
    let mut kept = HashSet::default();
    let mut is_kept = false;
    each_op(ops, &mut |op| match op {
        Op::SetRegister { value: Value { kind: Kind::Const(value), .. }, .. } => {
            is_kept |= *value == u128::from(successor) && width > 1;
        }
        Op::SetMemory { value: Value { kind: Kind::Const(value), width }, .. } => {
            kept.insert((*width, *value));
        }
        _ => {}
    });
    let holds = |piece: u32, number: u32| {
        let bits = u128::from(successor).checked_shr(number * piece).unwrap_or(0);
        kept.contains(&(piece, bits & mask(piece)))
    };
    let mut pieces = kept.iter().map(|(piece, _)| *piece).filter(|piece| *piece >= LEAST_PIECE_BITS);
    is_kept || pieces.any(|piece| (0..width.div_ceil(piece)).all(|number| holds(piece, number)))
}

/// The ends of a list. Where the mode is not settled it is the engine that goes on.
fn find_ends(items: &ModeItems, ops: &[Op], mut pc: Option<u64>, mut mode: Mode, ends: &mut Ends) {
    for (index, op) in ops.iter().enumerate() {
        match op {
            Op::If(_, then, otherwise) if index + 1 == ops.len() => {
                find_ends(items, then, pc, mode, ends);
                find_ends(items, otherwise, pc, mode, ends);
                return;
            }
            Op::Trap(_) | Op::Halt(..) | Op::Leave(..) => return,
            _ => (pc, mode) = (pc_behind(op, pc), items.behind(op, mode)),
        }
    }
    match pc {
        _ if !items.is_settled(&mode) => ends.has_others = true,
        Some(pc) if ends.targets.contains(&(pc, mode)) => {}
        Some(pc) => ends.targets.push((pc, mode)),
        None => {
            let known = ends.computed.map_or(mode, |known| known.common(&mode));
            ends.computed = Some(known);
            ends.has_others = true;
        }
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
        Op::Loop(_, body) | Op::Block(_, body) => pc.filter(|_| !crate::specialise::sets_pc(body)),
        _ => pc,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Op, Value, keeps};

    fn number(width: u32, value: u128) -> Value {
        Value { width, kind: Kind::Const(value) }
    }

    fn store(width: u32, value: u128) -> Op {
        Op::SetMemory { map: 0, cells: 1, address: number(16, 0x40ff), value: number(width, value) }
    }

    /// As a processor with a stack of bytes does, whatever else stands around the stores.
    #[test]
    fn an_address_is_kept_in_memory_as_a_whole_or_in_all_of_its_pieces() {
        let choice = |op| Op::If(number(1, 1), vec![op], Vec::new());
        let pieces = [choice(store(8, 0x34)), choice(store(8, 0x12))];
        assert!(keeps(&pieces, 0x1234, 16));
        assert!(keeps(&[store(16, 0x1234)], 0x1234, 16));
        assert!(!keeps(&pieces[..1], 0x1234, 16), "half of it");
        assert!(!keeps(&pieces, 0x1235, 16), "another address");
        assert!(!keeps(&[store(8, 0x34), store(16, 0x12)], 0x1234, 16), "pieces of two widths");
        assert!(!keeps(&pieces, 0x1234, 32), "the address has more bits");
    }

    #[test]
    fn an_address_is_kept_in_a_register() {
        let link = Op::SetRegister { register: 1, element: 31, low: 0, value: number(32, 0x40_0008) };
        assert!(keeps(std::slice::from_ref(&link), 0x40_0008, 32));
        assert!(!keeps(&[link], 0x40_0004, 32));
    }
}
