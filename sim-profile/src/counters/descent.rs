//! Which functions cost most, found with few counters: breadth-first down the call graph.
//!
//! A function spends, with all that it calls, no more than those that call it do together. So one
//! whose callers have less than the threshold in all need not be measured. What is found is the same as
//! if every function had been measured; only the passes are fewer. A pass is a run of the program with
//! as many functions measured as there are counters. Functions that call each other in a circle are
//! bounded by those that call into the circle; a function that a run began with is not bounded at all.
//!
//! Where calls were forgotten, it is not known what functions spent of which frames may have been: nothing is
//! measured of them, and they bound nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::forgotten;
use crate::Calls;

/// How functions were measured, one pass after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descent {
    /// What was measured in each pass: the function's beginning, and what it spent with its calls.
    pub passes: Vec<Vec<(u64, u64)>>,
    /// Those that were left out, with what bounds them.
    pub left_out: BTreeMap<u64, u64>,
    /// Those of which it is not known what they spent with their calls, since calls were forgotten.
    pub unknown: BTreeSet<u64>,
    /// The least that a function must have spent to be found.
    pub threshold: u64,
}

impl Descent {
    /// Measures the functions of a call graph from the outermost down, with so many counters, at least
    /// one, as long as they may have spent the threshold. `measure` reads a counter: what a function
    /// spent with its calls.
    pub fn of(
        calls: &Calls,
        counters: usize,
        threshold: u64,
        mut measure: impl FnMut(u64) -> u64,
    ) -> Descent {
        let mut search = Search::of(calls);
        let mut descent = Descent { unknown: forgotten::functions(calls), threshold, ..Descent::default() };
        loop {
            search.open_circles(&mut descent);
            let pass: Vec<u64> = search.waiting.drain(..counters.max(1).min(search.waiting.len())).collect();
            if pass.is_empty() {
                return descent;
            }
            let measured: Vec<(u64, u64)> =
                pass.into_iter().map(|function| (function, measure(function))).collect();
            measured.iter().for_each(|(function, spent)| search.bound(*function, *spent));
            descent.passes.push(measured);
        }
    }

    /// The functions that spent the threshold or more, in the order in which they were found.
    pub fn found(&self) -> impl Iterator<Item = (u64, u64)> {
        let all = self.passes.iter().flatten().copied();
        all.filter(|(_, spent)| *spent >= self.threshold)
    }

    /// How many functions were measured.
    pub fn measured(&self) -> usize {
        self.passes.iter().map(Vec::len).sum()
    }
}

/// Functions that call each other in a circle, or one that is in none.
struct Circle {
    /// By their beginnings, ascending.
    functions: Vec<u64>,
    /// How many of those outside that call into it have no bound yet.
    callers: usize,
    /// What those that have spent in all at most; `u64::MAX` if a run began in it.
    bound: u64,
}

struct Search {
    circles: Vec<Circle>,
    /// The circles outside of its own that a function calls into.
    callees: BTreeMap<u64, BTreeSet<usize>>,
    /// Circles whose callers all have bounds, and that were not looked at yet.
    open: Vec<usize>,
    /// What is to be measured next, the outermost first.
    waiting: VecDeque<u64>,
}

impl Search {
    fn of(calls: &Calls) -> Search {
        let mut groups = calls.cycles();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let numbered = groups.iter().enumerate();
        let circle_of: BTreeMap<u64, usize> = numbered
            .flat_map(|(index, group)| group.iter().map(move |function| (*function, index)))
            .collect();
        let mut circles: Vec<Circle> =
            groups.into_iter().map(|functions| Circle { functions, callers: 0, bound: 0 }).collect();
        let mut callees: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
        for key in calls.arcs.keys() {
            let (from, to) = (circle_of[&key.caller], circle_of[&key.callee]);
            if from != to && callees.entry(key.caller).or_default().insert(to) {
                circles[to].callers += 1;
            }
        }
        let begun = calls.contexts.iter().filter(|context| context.parent.is_none());
        for number in begun.filter_map(|context| circle_of.get(&context.function)) {
            circles[*number].bound = u64::MAX;
        }
        let is_outermost = |number: &usize| circles[*number].callers == 0;
        let open: Vec<usize> = (0..circles.len()).filter(is_outermost).collect();
        open.iter().for_each(|number| circles[*number].bound = u64::MAX);
        Search { circles, callees, open, waiting: VecDeque::new() }
    }

    /// A function has spent so much, or at most so much: what it calls into may have no caller left without a
    /// bound.
    fn bound(&mut self, function: u64, spent: u64) {
        for number in self.callees.remove(&function).into_iter().flatten() {
            let circle = &mut self.circles[number];
            circle.bound = circle.bound.saturating_add(spent);
            circle.callers -= 1;
            if circle.callers == 0 {
                self.open.push(number);
            }
        }
    }

    /// Takes all circles whose callers are known: those that may reach the threshold wait to be
    /// measured. One that is left out may open others, as one of which nothing is known.
    fn open_circles(&mut self, descent: &mut Descent) {
        while !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            open.sort_unstable_by_key(|number| self.circles[*number].functions.first().copied());
            for number in open {
                let Circle { functions, bound, .. } = &mut self.circles[number];
                let (functions, bound) = (std::mem::take(functions), *bound);
                for function in functions {
                    if descent.unknown.contains(&function) {
                        self.bound(function, u64::MAX);
                    } else if bound >= descent.threshold {
                        self.waiting.push_back(function);
                    } else {
                        descent.left_out.insert(function, bound);
                        self.bound(function, bound);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Descent;
    use crate::{CallContext, CallCount, CallKey, CallKind, Calls, FunctionCount, Spending};

    /// Calls between functions, with what each spent with its calls.
    fn calls(arcs: &[(u64, u64)], spent: &[(u64, u64)]) -> Calls {
        let mut calls = Calls::default();
        for (caller, callee) in arcs {
            let key = CallKey { caller: *caller, site: *caller, callee: *callee, kind: CallKind::Call };
            calls.arcs.insert(key, CallCount::default());
        }
        for (function, cycles) in spent {
            let inclusive = Spending { instructions: *cycles, cycles: *cycles };
            calls.functions.insert(*function, FunctionCount { own: Spending::default(), inclusive });
        }
        calls
    }

    fn descend(calls: &Calls, counters: usize, threshold: u64) -> Descent {
        Descent::of(calls, counters, threshold, |function| calls.functions[&function].inclusive.cycles)
    }

    #[test]
    fn what_its_callers_cannot_have_spent_is_left_out() {
        let calls = calls(&[(1, 2), (1, 3), (3, 4), (4, 5)], &[(1, 100), (2, 80), (3, 15), (4, 9), (5, 3)]);
        let descent = descend(&calls, 1, 10);
        assert_eq!(descent.passes, [[(1, 100)], [(2, 80)], [(3, 15)], [(4, 9)]]);
        assert_eq!(descent.left_out, [(5, 9)].into());
        assert_eq!(descent.found().collect::<Vec<_>>(), [(1, 100), (2, 80), (3, 15)]);
        assert_eq!(descend(&calls, 2, 10).passes.len(), 3);
    }

    #[test]
    fn several_callers_bound_a_function_together() {
        let calls = calls(&[(1, 2), (1, 3), (2, 4), (3, 4)], &[(1, 100), (2, 8), (3, 8), (4, 12)]);
        let descent = descend(&calls, 8, 10);
        assert_eq!(descent.passes, [vec![(1, 100)], vec![(2, 8), (3, 8)], vec![(4, 12)]]);
        assert_eq!(descent.found().map(|(function, _)| function).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn functions_in_a_circle_are_bounded_from_outside() {
        let arcs = [(1, 2), (2, 3), (3, 2), (3, 4), (4, 4)];
        let calls = calls(&arcs, &[(1, 100), (2, 50), (3, 40), (4, 30)]);
        let descent = descend(&calls, 1, 45);
        assert_eq!(descent.measured(), 3);
        assert_eq!(descent.left_out, [(4, 40)].into());
        assert_eq!(descend(&calls, 1, 101).measured(), 1);
        assert_eq!(descend(&calls, 1, 101).left_out, [(2, 100), (3, 100), (4, 100)].into());
    }

    #[test]
    fn without_calls_there_is_nothing_to_measure() {
        assert_eq!(descend(&Calls::default(), 0, 1).passes.len(), 0);
    }

    /// 2 calls itself until its caller and some of itself are forgotten, then 3, which spends most of the run.
    #[test]
    fn what_was_forgotten_bounds_nothing() {
        let mut calls =
            calls(&[(1, 2), (2, 2), (2, 3), (3, 4), (3, 5)], &[(1, 4), (2, 6), (3, 100), (4, 90)]);
        calls.functions.insert(5, FunctionCount::default());
        calls.forgotten = 7;
        let descent = descend(&calls, 1, 50);
        assert_eq!(descent.found().collect::<Vec<_>>(), [(3, 100), (4, 90)]);
        assert_eq!(descent.unknown, [1, 2].into());
        assert_eq!(descent.passes.len(), 3, "5 is measured: its caller spent 100");
    }

    /// The sum of two runs: one began with 3, which the other one has called for a short time.
    #[test]
    fn what_a_run_began_with_is_not_bounded() {
        let mut calls = calls(&[(1, 2), (2, 3)], &[(1, 100), (2, 1), (3, 80)]);
        assert_eq!(descend(&calls, 1, 50).found().count(), 1);
        let root = |function| CallContext { parent: None, function, own: Spending::default() };
        calls.contexts = vec![root(1), root(3)];
        assert_eq!(descend(&calls, 1, 50).found().collect::<Vec<_>>(), [(1, 100), (3, 80)]);
    }
}
