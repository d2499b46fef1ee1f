//! Stacks of calls one by one, for formats that write each from end to end.
//!
//! A profile has of each stack its innermost function and the stack without it. Written from end to end,
//! stacks of a chain of n functions that each call the next have n²/2 names together: of 100,000, more than a
//! file can hold. So where all stacks together are too much, those that are deepest are written without
//! their middle.

use crate::{CallContext, Calls, Spending};

/// Most functions of all stacks together that are written.
const MOST_WRITTEN: u64 = 1 << 24;

/// No stack of so many functions or fewer is cut.
const LEAST_CUT: u32 = 64;

/// What stands for the middle of a stack that is cut.
pub(super) const LEFT_OUT: &str = "[functions left out]";

/// The stacks that something was spent in.
pub(super) struct Stacks<'a> {
    contexts: &'a [CallContext],
    /// By number, how many functions are on it.
    depths: Vec<u32>,
    /// How many functions of one are written at most.
    most: u32,
    /// By number, the stack of its outermost functions that are written, if it has more.
    outermost: Vec<u32>,
}

/// A stack with what its innermost function spent by itself.
pub(super) struct Stack<'s> {
    stacks: &'s Stacks<'s>,
    number: u32,
    /// What was spent.
    pub own: Spending,
}

impl<'a> Stacks<'a> {
    /// Those of a run.
    pub(super) fn of(calls: &'a Calls) -> Stacks<'a> {
        let contexts = &calls.contexts[..];
        let mut depths: Vec<u32> = Vec::with_capacity(contexts.len());
        for context in contexts {
            let below = context.parent.and_then(|parent| depths.get(parent as usize)).copied();
            depths.push(below.unwrap_or(0) + 1);
        }
        let mut stacks = Stacks { contexts, depths, most: u32::MAX, outermost: Vec::new() };
        stacks.cut(MOST_WRITTEN);
        stacks
    }

    /// Finds how many functions of a stack can be written if so many of all are.
    fn cut(&mut self, most_written: u64) {
        let deepest = self.written().map(|number| self.depths[number as usize]).max().unwrap_or(0);
        let mut most = deepest.max(LEAST_CUT).next_power_of_two();
        let is_too_much = |most: u32| {
            let depths = self.written().map(|number| u64::from(self.depths[number as usize].min(most)));
            depths.sum::<u64>() > most_written
        };
        while most > LEAST_CUT && is_too_much(most) {
            most /= 2;
        }
        self.most = most;
        self.outermost = Vec::with_capacity(self.contexts.len());
        for (number, context) in (0..).zip(self.contexts) {
            let is_deeper = self.depths[number as usize] > most / 2;
            let below = context.parent.and_then(|parent| self.outermost.get(parent as usize));
            self.outermost.push(below.copied().filter(|_| is_deeper).unwrap_or(number));
        }
    }

    /// All of them, in the order of the profile.
    pub(super) fn iter(&self) -> impl Iterator<Item = Stack<'_>> {
        self.written().map(|number| Stack { stacks: self, number, own: self.contexts[number as usize].own })
    }

    fn written(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(self.contexts);
        numbered.filter(|(_, context)| context.own != Spending::default()).map(|(number, _)| number)
    }

    /// What is left out, in words.
    pub(super) fn note(&self) -> Option<String> {
        let depths = self.written().map(|number| self.depths[number as usize]);
        let cut: Vec<u32> = depths.filter(|depth| *depth > self.most).collect();
        let deepest = cut.iter().max()?;
        Some(format!(
            "{} of {} stacks of calls have more than {} functions, up to {deepest}: of each the {} outermost and \
             the {} innermost are written, with {LEFT_OUT} between them",
            cut.len(),
            self.written().count(),
            self.most,
            self.most / 2,
            self.most / 2,
        ))
    }
}

impl Stack<'_> {
    /// The beginnings of its functions, the innermost first; none of those that are left out.
    pub(super) fn functions(&self) -> impl Iterator<Item = Option<u64>> {
        let Stacks { contexts, depths, most, outermost } = self.stacks;
        let parts = |first: u32| {
            let above = |number: &u32| contexts[*number as usize].parent;
            std::iter::successors(Some(first), above).map(|number| contexts[number as usize].function)
        };
        let depth = depths[self.number as usize];
        let is_cut = depth > *most;
        let upper = if is_cut { most / 2 } else { depth };
        let lower = is_cut.then(|| parts(outermost[self.number as usize]));
        let left_out = is_cut.then_some(None);
        parts(self.number)
            .take(upper as usize)
            .map(Some)
            .chain(left_out)
            .chain(lower.into_iter().flatten().map(Some))
    }
}

#[cfg(test)]
mod tests {
    use super::Stacks;
    use crate::{CallContext, Calls, Spending};

    /// A chain of functions that each call the next.
    fn chain(functions: u32) -> Calls {
        let own = Spending { instructions: 1, cycles: 1 };
        let context =
            |number: u32| CallContext { parent: number.checked_sub(1), function: number.into(), own };
        Calls { contexts: (0..functions).map(context).collect(), ..Calls::default() }
    }

    #[test]
    fn stacks_that_fit_are_whole() {
        let calls = chain(1000);
        let stacks = Stacks::of(&calls);
        assert_eq!(stacks.note(), None);
        for (number, stack) in (0..).zip(stacks.iter()) {
            let expected: Vec<Option<u64>> = (0..=number).rev().map(Some).collect();
            assert_eq!(stack.functions().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn deep_stacks_are_cut_in_their_middle() {
        let calls = chain(1000);
        let mut stacks = Stacks::of(&calls);
        stacks.cut(100_000);
        let written = stacks.iter().map(|stack| stack.functions().count()).max();
        assert_eq!(written, Some(65));
        let last = stacks.iter().last().expect("there are some");
        let (inner, outer) = ((968..1000).rev().map(Some), (0..32).rev().map(Some));
        assert_eq!(
            last.functions().collect::<Vec<_>>(),
            inner.chain([None]).chain(outer).collect::<Vec<_>>()
        );
        assert_eq!(
            stacks.note().as_deref(),
            Some(
                "936 of 1000 stacks of calls have more than 64 functions, up to 1000: of each the 32 outermost and \
                 the 32 innermost are written, with [functions left out] between them"
            )
        );
    }

    /// Whole, the stacks of this chain would have twenty thousand million functions.
    #[test]
    fn what_is_written_of_a_long_chain_is_bounded() {
        let calls = chain(200_000);
        let stacks = Stacks::of(&calls);
        let written: usize = stacks.iter().map(|stack| stack.functions().count()).sum();
        assert!((1 << 22..1 << 25).contains(&written), "{written}");
        let deepest = stacks.iter().last().expect("there are some");
        assert_eq!(deepest.functions().next(), Some(Some(199_999)));
        assert_eq!(deepest.functions().last(), Some(Some(0)));
    }
}
