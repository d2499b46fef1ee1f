//! Which functions cost most, found with few counters: breadth-first down the call graph.
//!
//! A function spends, with all that it calls, no more than those that call it do together. So one
//! whose callers have less than the threshold in all need not be measured. What is found is the same as
//! if every function had been measured; only the passes are fewer. A pass is a run of the program with
//! as many functions measured as there are counters. Functions that call each other in a circle are
//! bounded by those that call into the circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::Calls;

/// How functions were measured, one pass after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descent {
    /// What was measured in each pass: the function's beginning, and what it spent with its calls.
    pub passes: Vec<Vec<(u64, u64)>>,
    /// Those that were left out, with what bounds them.
    pub left_out: BTreeMap<u64, u64>,
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
        let mut descent = Descent { threshold, ..Descent::default() };
        loop {
            search.open_circles(&mut descent);
            let pass: Vec<u64> = search.waiting.drain(..counters.max(1).min(search.waiting.len())).collect();
            if pass.is_empty() {
                return descent;
            }
            let measured: Vec<(u64, u64)> =
                pass.into_iter().map(|function| (function, measure(function))).collect();
            search.bounds.extend(measured.iter().copied());
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
    /// Those outside that call into it.
    callers: BTreeSet<u64>,
}

struct Search {
    /// Those whose callers are not all known yet.
    closed: Vec<Circle>,
    /// What is to be measured next, the outermost first.
    waiting: VecDeque<u64>,
    /// What a function spent, or what it may have spent at most.
    bounds: BTreeMap<u64, u64>,
}

impl Search {
    fn of(calls: &Calls) -> Search {
        let mut groups = calls.cycles();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let numbered = groups.iter().enumerate();
        let circle_of: BTreeMap<u64, usize> = numbered
            .flat_map(|(index, group)| group.iter().map(move |function| (*function, index)))
            .collect();
        let mut callers: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); groups.len()];
        for key in calls.arcs.keys() {
            let (from, to) = (circle_of[&key.caller], circle_of[&key.callee]);
            if from != to {
                callers[to].insert(key.caller);
            }
        }
        let closed = groups
            .into_iter()
            .zip(callers)
            .map(|(functions, callers)| Circle { functions, callers })
            .collect();
        Search { closed, waiting: VecDeque::new(), bounds: BTreeMap::new() }
    }

    /// Takes all circles whose callers are known: those that may reach the threshold wait to be
    /// measured. One that is left out may open others.
    fn open_circles(&mut self, descent: &mut Descent) {
        loop {
            let bounds = &self.bounds;
            let is_open = |circle: &Circle| circle.callers.iter().all(|caller| bounds.contains_key(caller));
            let (open, closed) = std::mem::take(&mut self.closed).into_iter().partition(is_open);
            self.closed = closed;
            let mut open: Vec<Circle> = open;
            if open.is_empty() {
                return;
            }
            open.sort_unstable_by_key(|circle| circle.functions.first().copied());
            for Circle { functions, callers } in open {
                let of_callers = callers.iter().map(|caller| self.bounds[caller]);
                let bound = match callers.is_empty() {
                    true => u64::MAX,
                    false => of_callers.fold(0, u64::saturating_add),
                };
                if bound >= descent.threshold {
                    self.waiting.extend(functions);
                } else {
                    self.bounds.extend(functions.iter().map(|function| (*function, bound)));
                    descent.left_out.extend(functions.into_iter().map(|function| (function, bound)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Descent;
    use crate::{CallCount, CallKey, CallKind, Calls, FunctionCount, Spending};

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
}
