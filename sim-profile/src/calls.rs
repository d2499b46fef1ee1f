//! Who called whom, and what it cost.
//!
//! A function stands here by the address at which it begins. What a function costs by itself is its
//! *self* cost; its *inclusive* cost is that of the time in which it was on the stack of calls, each
//! instruction and cycle counted once, however often it was there. So it is with a call: a recursive
//! one, as long as it lasts, counts once. Where nothing is recursive, the inclusive cost of a
//! function is therefore its self cost and the inclusive costs of its calls.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::Measurement;
use crate::measurement::count;
use crate::summary::Summary;

/// Instructions and cycles. Sums stay at `u64::MAX` once they reach it. Stored as a list of the two
/// numbers.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Spending {
    /// Instructions that ran to their end.
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

/// Stacks of calls while they are gathered.
#[derive(Clone, Debug, Default)]
pub struct ContextTree {
    contexts: Vec<CallContext>,
    numbers: HashMap<(Option<u32>, u64), u32>,
}

impl ContextTree {
    /// The stack with another function called, which may be on it already.
    pub fn call(&mut self, parent: Option<u32>, function: u64) -> u32 {
        if let Some(known) = self.numbers.get(&(parent, function)) {
            return *known;
        }
        let mut above = parent;
        while let Some(number) = above {
            let context = self.contexts[number as usize];
            if context.function == function {
                self.numbers.insert((parent, function), number);
                return number;
            }
            above = context.parent;
        }
        let number = self.contexts.len() as u32;
        self.numbers.insert((parent, function), number);
        self.contexts.push(CallContext { parent, function, own: Spending::default() });
        number
    }

    /// Adds what a stack's innermost function spent.
    pub fn spend(&mut self, number: u32, own: Spending) {
        if let Some(context) = self.contexts.get_mut(number as usize) {
            context.own.add(own);
        }
    }

    /// The list of all stacks, as [`Calls::contexts`] has it.
    pub fn into_list(self) -> Vec<CallContext> {
        let mut children: BTreeMap<Option<u32>, Vec<(u64, u32)>> = BTreeMap::new();
        for (number, context) in (0u32..).zip(&self.contexts) {
            children.entry(context.parent).or_default().push((context.function, number));
        }
        children.values_mut().for_each(|list| list.sort_unstable_by(|a, b| b.cmp(a)));
        let mut list = Vec::with_capacity(self.contexts.len());
        let mut open: Vec<(Option<u32>, u32)> =
            children.remove(&None).into_iter().flatten().map(|(_, number)| (None, number)).collect();
        while let Some((parent, number)) = open.pop() {
            let here = list.len() as u32;
            list.push(CallContext { parent, ..self.contexts[number as usize] });
            let below = children.remove(&Some(number)).into_iter().flatten();
            open.extend(below.map(|(_, number)| (Some(here), number)));
        }
        list
    }

    /// Takes away what the stacks of a list have spent; `None` if one has spent more than is known here.
    pub(crate) fn take(&mut self, list: &[CallContext]) -> Option<()> {
        let mut numbers: Vec<u32> = Vec::with_capacity(list.len());
        for context in list {
            let parent = context.parent.and_then(|parent| numbers.get(parent as usize)).copied();
            let number = self.call(parent, context.function);
            let own = &mut self.contexts.get_mut(number as usize)?.own;
            *own = own.without(context.own)?;
            numbers.push(number);
        }
        Some(())
    }

    /// Adds the stacks of a list.
    pub(crate) fn add(&mut self, list: &[CallContext]) {
        let mut numbers: Vec<u32> = Vec::with_capacity(list.len());
        for context in list {
            let parent = context.parent.and_then(|parent| numbers.get(parent as usize)).copied();
            let number = self.call(parent, context.function);
            self.spend(number, context.own);
            numbers.push(number);
        }
    }
}

/// What a run spent in all.
pub fn spending_of(measurement: &Measurement) -> Spending {
    let summary = Summary::of(measurement);
    Spending { instructions: summary.executed, cycles: summary.total_cycles }
}

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
}

impl Calls {
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
    }

    /// The groups of functions that call each other in a circle, each function alone that is in none:
    /// by number, callers before callees where no circle forbids.
    pub fn cycles(&self) -> Vec<Vec<u64>> {
        let mut callees: BTreeMap<u64, Vec<u64>> = self.functions.keys().map(|f| (*f, Vec::new())).collect();
        for key in self.arcs.keys() {
            callees.entry(key.caller).or_default().push(key.callee);
            callees.entry(key.callee).or_default();
        }
        let mut search = Search::default();
        for function in callees.keys() {
            search.visit(*function, &callees);
        }
        let mut groups = search.groups;
        groups.reverse();
        groups
    }
}

/// Tarjan's search for strongly connected components (SIAM Journal on Computing 1, 1972), without
/// recursion.
#[derive(Default)]
struct Search {
    /// Number of visit, and the lowest number that is reached from there.
    visited: BTreeMap<u64, (u32, u32)>,
    stack: Vec<u64>,
    closed: BTreeMap<u64, ()>,
    groups: Vec<Vec<u64>>,
}

impl Search {
    fn visit(&mut self, first: u64, callees: &BTreeMap<u64, Vec<u64>>) {
        if self.visited.contains_key(&first) {
            return;
        }
        let mut open = vec![(first, 0)];
        self.enter(first);
        while let Some((function, next)) = open.pop() {
            let Some(callee) = callees[&function].get(next).copied() else {
                self.leave(function, open.last().map(|(above, _)| *above));
                continue;
            };
            open.push((function, next + 1));
            match self.visited.get(&callee).copied() {
                None => {
                    self.enter(callee);
                    open.push((callee, 0));
                }
                Some((number, _)) if !self.closed.contains_key(&callee) => self.lower(function, number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, function: u64) {
        let number = self.visited.len() as u32;
        self.visited.insert(function, (number, number));
        self.stack.push(function);
    }

    fn lower(&mut self, function: u64, reached: u32) {
        if let Some((_, lowest)) = self.visited.get_mut(&function) {
            *lowest = reached.min(*lowest);
        }
    }

    fn leave(&mut self, function: u64, above: Option<u64>) {
        let (number, lowest) = self.visited[&function];
        if let Some(above) = above {
            self.lower(above, lowest);
        }
        if number == lowest {
            let first = self.stack.iter().rposition(|other| *other == function).unwrap_or(0);
            let mut group = self.stack.split_off(first);
            group.iter().for_each(|member| {
                self.closed.insert(*member, ());
            });
            group.sort_unstable();
            self.groups.push(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallCount, CallKey, CallKind, Calls, ContextTree, Spending};

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

    fn stacks(tree: ContextTree) -> Vec<(Option<u32>, u64, u64)> {
        let list = tree.into_list().into_iter();
        list.map(|context| (context.parent, context.function, context.own.cycles)).collect()
    }

    #[test]
    fn stacks_are_listed_by_function_whatever_came_first() {
        let mut tree = ContextTree::default();
        let main = tree.call(None, 10);
        for function in [30, 20, 30] {
            let stack = tree.call(Some(main), function);
            tree.spend(stack, Spending { instructions: 1, cycles: 2 });
        }
        assert_eq!(stacks(tree), [(None, 10, 0), (Some(0), 20, 2), (Some(0), 30, 4)]);
    }

    #[test]
    fn a_recursive_function_stands_in_a_stack_once() {
        let mut tree = ContextTree::default();
        let main = tree.call(None, 10);
        let outer = tree.call(Some(main), 20);
        let inner = tree.call(Some(outer), 30);
        assert_eq!(tree.call(Some(inner), 20), outer);
        assert_eq!(tree.call(Some(outer), 20), outer);
        assert_eq!(stacks(tree), [(None, 10, 0), (Some(0), 20, 0), (Some(1), 30, 0)]);
    }

    #[test]
    fn counts_of_two_runs_add_up() {
        let mut sum = calls(&[(1, 2)]);
        sum.merge(&calls(&[(1, 2), (2, 3)]));
        assert_eq!(sum.arcs.values().map(|arc| arc.calls).collect::<Vec<_>>(), [2, 1]);
    }
}
