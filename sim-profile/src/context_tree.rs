//! Stacks of calls while they are gathered.
//!
//! A function stands on a stack once, so each stack that is new asks whether the function is on the one that
//! it goes on from. To walk down that one would take, for a chain of n functions that each call the next, n²
//! steps. So the stacks that each function is the innermost of are known, and where they are fewer than the
//! stack is deep, those are looked at: whether one of them is below is found in a logarithm of the depth by
//! the pointers of Myers' list with random access ("An applicative random-access stack", Information
//! Processing Letters 17, 1983). Where they are many, the walk down ends at a stack of which the answer is known,
//! and a long walk leaves one behind: functions that a deep stack calls at each depth, or that many functions call
//! which are called at one, cost few steps each.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::calls::{CallContext, Spending};

/// Stacks of calls while they are gathered.
#[derive(Clone, Debug, Default)]
pub struct ContextTree {
    contexts: Vec<CallContext>,
    /// By number, how deep each is, and a stack further down.
    depths: Vec<Depth>,
    numbers: HashMap<(Option<u32>, u64), u32>,
    /// Stacks by their innermost function.
    innermost: HashMap<u64, Vec<u32>>,
    /// Stacks that are known not to have a function.
    absent: HashSet<(u32, u64)>,
}

/// What a search has found, and how far down the stack it went.
struct Sought {
    found: Option<u32>,
    steps: u32,
}

#[derive(Clone, Copy, Debug)]
struct Depth {
    /// How many stacks it goes on from, one from the other.
    depth: u32,
    /// One of those, which skips as many as makes every other one be found soon; the outermost one has
    /// itself.
    jump: u32,
}

impl ContextTree {
    /// The stack with another function called, which may be on it already.
    pub fn call(&mut self, parent: Option<u32>, function: u64) -> u32 {
        if let Some(known) = self.numbers.get(&(parent, function)) {
            return *known;
        }
        if let Some(parent) = parent {
            let Sought { found, steps } = self.seek(parent, function);
            if let Some(number) = found {
                self.numbers.insert((Some(parent), function), number);
                return number;
            }
            if let Some(below) = self.contexts[parent as usize].parent.filter(|_| steps > LONG_WALK) {
                self.absent.insert((below, function));
            }
        }
        let number = self.contexts.len() as u32;
        self.numbers.insert((parent, function), number);
        self.innermost.entry(function).or_default().push(number);
        self.depths.push(self.depth_upon(parent, number));
        self.contexts.push(CallContext { parent, function, own: Spending::default() });
        number
    }

    /// The part of a stack whose innermost function is this one, if it is there.
    pub fn find(&self, stack: u32, function: u64) -> Option<u32> {
        self.seek(stack, function).found
    }

    fn seek(&self, stack: u32, function: u64) -> Sought {
        let Some(candidates) = self.innermost.get(&function) else { return Sought { found: None, steps: 0 } };
        let deepest = self.depth(stack).depth;
        if candidates.len() as u64 * STEPS_OF_A_SEARCH < u64::from(deepest) {
            let is_below = |number: &u32| {
                let depth = self.depth(*number).depth;
                depth <= deepest && self.part(stack, depth) == *number
            };
            return Sought { found: candidates.iter().copied().find(is_below), steps: 0 };
        }
        let (mut here, mut steps) = (Some(stack), 0);
        while let Some(number) = here {
            let context = &self.contexts[number as usize];
            if context.function == function {
                return Sought { found: Some(number), steps };
            }
            if let Some(&called) = self.numbers.get(&(Some(number), function)) {
                // Where it was called anew, it was not there.
                let is_new = self.contexts[called as usize].parent == Some(number);
                return Sought { found: (!is_new).then_some(called), steps };
            }
            if self.absent.contains(&(number, function)) {
                return Sought { found: None, steps };
            }
            here = context.parent;
            steps += 1;
        }
        Sought { found: None, steps }
    }

    fn depth(&self, number: u32) -> Depth {
        self.depths[number as usize]
    }

    fn depth_upon(&self, parent: Option<u32>, number: u32) -> Depth {
        let Some(parent) = parent else { return Depth { depth: 0, jump: number } };
        let Depth { depth, jump } = self.depth(parent);
        let over = self.depth(jump);
        let is_like_the_one_before = depth - over.depth == over.depth - self.depth(over.jump).depth;
        Depth { depth: depth + 1, jump: if is_like_the_one_before { over.jump } else { parent } }
    }

    /// The part of a stack that is so deep.
    fn part(&self, stack: u32, depth: u32) -> u32 {
        let mut here = stack;
        while self.depth(here).depth > depth {
            let jump = self.depth(here).jump;
            let is_above = self.depth(jump).depth >= depth;
            here = if is_above { jump } else { self.contexts[here as usize].parent.unwrap_or(jump) };
        }
        here
    }

    /// Adds what a stack's innermost function spent.
    pub fn spend(&mut self, number: u32, own: Spending) {
        if let Some(context) = self.contexts.get_mut(number as usize) {
            context.own.add(own);
        }
    }

    /// All stacks in the order in which they were met first.
    pub fn into_contexts(self) -> Vec<CallContext> {
        self.contexts
    }

    /// The list of all stacks, as [`crate::Calls::contexts`] has it.
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

/// About as many steps down a stack as it takes to find a part of it by its depth.
const STEPS_OF_A_SEARCH: u64 = 32;

/// After so many steps down a stack it is worth some memory that nobody goes there again.
const LONG_WALK: u32 = 64;

#[cfg(test)]
mod tests {
    use super::ContextTree;
    use crate::Spending;

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

    /// A chain of functions, each of which calls one that calls another; and many that the last of them calls, which
    /// all call a third.
    #[test]
    fn stacks_that_end_in_one_function_are_found_soon() {
        const DEEP: u64 = 50_000;
        let (leaf, inner, last) = (3 * DEEP, 3 * DEEP + 1, 3 * DEEP + 2);
        let mut tree = ContextTree::default();
        let mut stack = tree.call(None, 0);
        for function in 1..DEEP {
            let outer = tree.call(Some(stack), leaf);
            let called = tree.call(Some(outer), inner);
            assert_eq!((tree.find(called, leaf), tree.find(stack, inner)), (Some(outer), None));
            stack = tree.call(Some(stack), function);
        }
        for function in DEEP..2 * DEEP {
            let outer = tree.call(Some(stack), function);
            let called = tree.call(Some(outer), last);
            assert_eq!(tree.call(Some(called), function), outer);
            assert_eq!(tree.call(Some(called), function - DEEP), (function - DEEP).saturating_mul(3) as u32);
        }
        assert_eq!(tree.into_contexts().len() as u64, DEEP + 2 * (DEEP - 1) + 2 * DEEP);
    }

    /// A chain of functions, then the same one from another beginning, and functions that are on it.
    #[test]
    fn a_function_is_found_on_a_stack_however_deep_it_is() {
        const DEEP: u64 = 100_000;
        let mut tree = ContextTree::default();
        let mut ends = Vec::new();
        for first in [DEEP, DEEP + 1] {
            let mut stack = tree.call(None, first);
            for function in 0..DEEP {
                stack = tree.call(Some(stack), function);
            }
            ends.push(stack);
        }
        for (chain, end) in ends.into_iter().enumerate() {
            let outermost = (DEEP + 1) as u32 * chain as u32;
            for function in [0, 1, 2, DEEP / 2, DEEP - 2, DEEP - 1] {
                assert_eq!(tree.find(end, function), Some(outermost + 1 + function as u32));
                assert_eq!(tree.call(Some(end), function), outermost + 1 + function as u32);
            }
            assert_eq!(tree.find(end, DEEP + 1 - chain as u64), None);
            assert_eq!(tree.find(end, DEEP + 2), None);
        }
        let list = tree.into_contexts();
        assert_eq!(list.len() as u64, 2 * (DEEP + 1));
    }
}
