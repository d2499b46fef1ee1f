//! Who called whom, and what it cost.
//!
//! A function stands here by the address at which it begins. What a function costs by itself is its
//! *self* cost; its *inclusive* cost is that of the time in which it was on the stack of calls, each
//! instruction and cycle counted once, however often it was there. So it is with a call: a recursive
//! one, as long as it lasts, counts once. Where nothing is recursive, the inclusive cost of a
//! function is therefore its self cost and the inclusive costs of its calls.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Measurement;
use crate::context_tree::ContextTree;
use crate::flow::{Graph, strong_parts};
use crate::measurement::count;
use crate::summary::Summary;

/// Instructions and cycles. Sums stay at `u64::MAX` once they reach it. Stored as a list of the two
/// numbers.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Spending {
    /// Instructions that ran to their end; of calls, a cycle without an instruction counts as one.
    pub instructions: u64,
    /// Cycles begun, extra cycles included.
    pub cycles: u64,
}

impl Spending {
    /// Adds `other`.
    pub fn add(&mut self, other: Spending) {
        count(&mut self.instructions, other.instructions);
        count(&mut self.cycles, other.cycles);
    }

    /// What was spent since.
    #[must_use]
    pub fn since(self, before: Spending) -> Spending {
        Spending {
            instructions: self.instructions.saturating_sub(before.instructions),
            cycles: self.cycles.saturating_sub(before.cycles),
        }
    }
}

impl From<(u64, u64)> for Spending {
    fn from((instructions, cycles): (u64, u64)) -> Spending {
        Spending { instructions, cycles }
    }
}

impl From<Spending> for (u64, u64) {
    fn from(Spending { instructions, cycles }: Spending) -> (u64, u64) {
        (instructions, cycles)
    }
}

/// How control came to a function.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// By an instruction that keeps the address behind it.
    Call,
    /// By a jump, or by going on behind another function: it returns to where that one would.
    Tail,
    /// In the place of the next instruction, without one that jumps there.
    Interrupt,
}

impl CallKind {
    /// What reports call it.
    #[cfg(feature = "program")]
    pub(crate) fn name(self) -> &'static str {
        match self {
            CallKind::Call => "call",
            CallKind::Tail => "tail",
            CallKind::Interrupt => "interrupt",
        }
    }
}

/// An arc of the call graph.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(deny_unknown_fields)]
pub struct CallKey {
    /// The function that calls.
    pub caller: u64,
    /// Address of the instruction that does so.
    pub site: u64,
    /// The function that is called.
    pub callee: u64,
    /// How.
    pub kind: CallKind,
}

/// What is known of an arc.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CallCount {
    /// How often it was taken.
    pub calls: u64,
    /// Its inclusive cost.
    pub inclusive: Spending,
}

/// What is known of a function.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct FunctionCount {
    /// What it cost by itself.
    pub own: Spending,
    /// What it cost with all that it called.
    pub inclusive: Spending,
}

/// A stack of calls: functions of which each was called by the one before. One that is called again by
/// something that it called stands there once: what is called from there goes on from where it stood.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CallContext {
    /// The stack without its innermost function, by number in [`Calls::contexts`]; none for what the
    /// run began with.
    pub parent: Option<u32>,
    /// The innermost function.
    pub function: u64,
    /// What that one spent by itself.
    pub own: Spending,
}

/// What a run spent in all.
pub fn spending_of(measurement: &Measurement) -> Spending {
    let summary = Summary::of(measurement);
    Spending { instructions: summary.executed, cycles: summary.total_cycles }
}

/// A cost of which cycles can be taken away, for somebody else to pay.
pub(crate) trait Payable: Default + PartialEq {
    /// Takes away so many cycles, or those that there are; gives them back as a cost.
    fn take(&mut self, cycles: u64) -> Self;
    /// Adds `paid`.
    fn pay(&mut self, paid: &Self);
}

impl Payable for Spending {
    fn take(&mut self, cycles: u64) -> Spending {
        let moved = self.cycles.min(cycles);
        self.cycles -= moved;
        Spending { instructions: 0, cycles: moved }
    }

    fn pay(&mut self, paid: &Spending) {
        self.add(*paid);
    }
}

/// Most frames on the stack of calls while a run is followed; beyond, the oldest is forgotten.
pub const MOST_FRAMES: usize = 1 << 20;

/// The calls of a run, or of several merged ones.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// All arcs.
    #[serde(with = "crate::pairs")]
    pub arcs: BTreeMap<CallKey, CallCount>,
    /// All functions that were on the stack.
    #[serde(with = "crate::pairs")]
    pub functions: BTreeMap<u64, FunctionCount>,
    /// What was spent by stacks of calls, each behind the one that it goes on from, in the order of
    /// their functions' beginnings.
    pub contexts: Vec<CallContext>,
    /// Calls that were forgotten before they returned, since the stack was full: the oldest ones.
    pub forgotten: u64,
    /// Where instructions overlap: cycles of instructions that did not run to their end, as those that a
    /// jump has flushed, by the address that they are counted at, if there is one, and that of the instruction
    /// before them. It pays for them in all that is said here; those of its own function are left out.
    #[serde(default, with = "crate::pairs", skip_serializing_if = "BTreeMap::is_empty")]
    pub in_vain: BTreeMap<(Option<u64>, u64), u64>,
    /// Digests of the functions of each file that were known in all of the runs when calls were followed: a
    /// jump from one function to another is no call where nobody knows them. None where profiles do not tell,
    /// as older ones do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_functions: Option<BTreeSet<String>>,
}

impl Calls {
    /// Whether some of the instructions that they took are cycles without one.
    pub fn count_idle_cycles(&self, measurement: &Measurement) -> bool {
        let own = self.functions.values().fold(Spending::default(), |mut own, function| {
            own.add(function.own);
            own
        });
        measurement.undecoded > 0 && own.instructions > spending_of(measurement).instructions
    }

    /// Adds what `other` counted. Associative and commutative.
    pub fn merge(&mut self, other: &Calls) {
        for (key, theirs) in &other.arcs {
            let ours = self.arcs.entry(*key).or_default();
            count(&mut ours.calls, theirs.calls);
            ours.inclusive.add(theirs.inclusive);
        }
        for (function, theirs) in &other.functions {
            let ours = self.functions.entry(*function).or_default();
            ours.own.add(theirs.own);
            ours.inclusive.add(theirs.inclusive);
        }
        let mut tree = ContextTree::default();
        tree.add(&self.contexts);
        tree.add(&other.contexts);
        self.contexts = tree.into_list();
        count(&mut self.forgotten, other.forgotten);
        for (places, cycles) in &other.in_vain {
            count(self.in_vain.entry(*places).or_default(), *cycles);
        }
        self.known_functions = match (self.known_functions.take(), &other.known_functions) {
            (Some(ours), Some(theirs)) => Some(&ours & theirs),
            (ours, theirs) => ours.or_else(|| theirs.clone()),
        };
    }

    /// Moves cycles that were begun in vain from the address that they are counted at to that of the instruction
    /// that pays for them. What costs nothing any more is gone.
    pub(crate) fn pay_in_vain<C: Payable>(&self, costs: &mut BTreeMap<Option<u64>, C>) {
        for ((place, payer), cycles) in &self.in_vain {
            let Some(cost) = costs.get_mut(place) else { continue };
            let moved = cost.take(*cycles);
            if *cost == C::default() {
                costs.remove(place);
            }
            costs.entry(Some(*payer)).or_default().pay(&moved);
        }
    }

    /// What functions cost with all that they called, where several beginnings may be one function by `key`,
    /// as in code without symbols: what such a one cost is that of the stacks that it is on, so that nothing
    /// counts twice.
    pub fn inclusive_by<K: Ord>(&self, key: impl Fn(u64) -> K) -> BTreeMap<K, Spending> {
        let mut sums: BTreeMap<K, (u32, Spending)> = BTreeMap::new();
        for (start, counted) in &self.functions {
            let (beginnings, inclusive) = sums.entry(key(*start)).or_default();
            *beginnings += 1;
            inclusive.add(counted.inclusive);
        }
        if sums.values().any(|(beginnings, _)| *beginnings > 1) {
            let numbers: BTreeMap<&K, usize> = sums.keys().zip(0..).collect();
            let number_of = |context: &CallContext| numbers.get(&key(context.function)).copied();
            let on_stacks = self.inclusive_of_stacks(numbers.len(), number_of);
            let several = sums.values_mut().zip(on_stacks).filter(|((beginnings, _), _)| *beginnings > 1);
            several.for_each(|((_, inclusive), on_stacks)| *inclusive = on_stacks);
        }
        sums.into_iter().map(|(key, (_, inclusive))| (key, inclusive)).collect()
    }

    /// What was spent by the stacks that so many functions are on, of which the number is told, if a stack's
    /// innermost one has one.
    fn inclusive_of_stacks(
        &self,
        functions: usize,
        number_of: impl Fn(&CallContext) -> Option<usize>,
    ) -> Vec<Spending> {
        let with_calls = self.inclusive_by_context();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.contexts.len()];
        let mut open: Vec<(usize, bool)> = Vec::new();
        for number in 0..self.contexts.len() {
            match self.caller_of(number) {
                Some(caller) => below[caller].push(number),
                None => open.push((number, true)),
            }
        }
        let (mut sums, mut present) = (vec![Spending::default(); functions], vec![0_u32; functions]);
        while let Some((context, begins)) = open.pop() {
            let Some(function) = number_of(&self.contexts[context]) else {
                open.extend(below[context].drain(..).map(|number| (number, true)));
                continue;
            };
            if !begins {
                present[function] -= 1;
                continue;
            }
            if present[function] == 0 {
                sums[function].add(with_calls[context]);
            }
            present[function] += 1;
            open.push((context, false));
            open.extend(below[context].drain(..).map(|number| (number, true)));
        }
        sums
    }

    /// What each stack's innermost function spent with all that it called from there, as [`Calls::contexts`]
    /// has them.
    pub fn inclusive_by_context(&self) -> Vec<Spending> {
        let mut with_calls: Vec<Spending> = self.contexts.iter().map(|context| context.own).collect();
        // What stands behind in the list is called by what stands before: it is taken first.
        for number in (0..self.contexts.len()).rev() {
            if let Some(caller) = self.caller_of(number) {
                let spent = with_calls[number];
                with_calls[caller].add(spent);
            }
        }
        with_calls
    }

    /// The stack that another one goes on from, which stands before it.
    fn caller_of(&self, number: usize) -> Option<usize> {
        let parent = usize::try_from(self.contexts[number].parent?).ok()?;
        Some(parent).filter(|parent| *parent < number)
    }

    /// The groups of functions that call each other in a circle, each function alone that is in none:
    /// by number, callers before callees where no circle forbids.
    pub fn cycles(&self) -> Vec<Vec<u64>> {
        let of_arcs = self.arcs.keys().flat_map(|key| [key.caller, key.callee]);
        let functions: BTreeSet<u64> = self.functions.keys().copied().chain(of_arcs).collect();
        let functions: Vec<u64> = functions.into_iter().collect();
        let number = |function: &u64| functions.binary_search(function).map_or(0, |number| number as u32);
        let mut graph = Graph::new(functions.len() as u32);
        for key in self.arcs.keys() {
            graph.add_edge(number(&key.caller), number(&key.callee));
        }
        let groups = strong_parts(&graph).into_iter().rev();
        let named = groups.map(|mut group| {
            group.sort_unstable();
            group.into_iter().map(|number| functions[number as usize]).collect()
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{CallContext, CallCount, CallKey, CallKind, Calls, FunctionCount, Spending};

    fn calls(arcs: &[(u64, u64)]) -> Calls {
        let key = |&(caller, callee)| CallKey { caller, site: caller, callee, kind: CallKind::Call };
        let arcs = arcs.iter().map(|arc| (key(arc), CallCount { calls: 1, ..CallCount::default() }));
        Calls { arcs: arcs.collect(), ..Calls::default() }
    }

    #[test]
    fn functions_that_call_each_other_are_one_group() {
        let found = calls(&[(1, 2), (2, 3), (3, 2), (3, 4), (4, 4)]).cycles();
        assert_eq!(found, [vec![1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn callers_come_before_callees() {
        let found = calls(&[(9, 1), (9, 5), (5, 1)]).cycles();
        assert_eq!(found, [vec![9], vec![5], vec![1]]);
    }

    /// Of an outer one, what is called and goes on from there, each with one instruction; the functions of one
    /// ten are one.
    #[test]
    fn beginnings_of_one_function_count_once_on_a_stack() {
        let own = Spending { instructions: 1, cycles: 2 };
        let context = |parent, function| CallContext { parent, function, own };
        let contexts =
            vec![context(None, 1), context(Some(0), 20), context(Some(1), 3), context(Some(2), 25)];
        let function = |start, instructions| {
            let inclusive = Spending { instructions, cycles: instructions * 2 };
            (start, FunctionCount { own, inclusive })
        };
        let functions = [function(1, 4), function(3, 2), function(20, 3), function(25, 1)].into();
        let calls = Calls { contexts, functions, ..Calls::default() };
        let found: Vec<_> = calls.inclusive_by(|start| start / 10).into_iter().collect();
        let spent = |instructions| Spending { instructions, cycles: instructions * 2 };
        assert_eq!(found, [(0, spent(4)), (2, spent(3))]);
        let all = calls.inclusive_by(|start| start);
        assert_eq!(all.values().map(|spent| spent.instructions).collect::<Vec<_>>(), [4, 2, 3, 1]);
    }

    #[test]
    fn counts_of_two_runs_add_up() {
        let mut sum = calls(&[(1, 2)]);
        sum.merge(&calls(&[(1, 2), (2, 3)]));
        assert_eq!(sum.arcs.values().map(|arc| arc.calls).collect::<Vec<_>>(), [2, 1]);
    }
}
