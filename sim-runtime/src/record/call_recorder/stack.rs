//! Stacks of calls by number, and what was spent in them.

use sim_profile::{CallContext, ContextTree, Spending};

/// The number of a stack, and whether a function may stand twice among the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StackNumber(u32);

impl StackNumber {
    const IS_REPEATED: u32 = 1 << 31;

    /// That of no stack.
    pub(super) const NONE: StackNumber = StackNumber(u32::MAX);

    /// Whether all functions of the frames are different, so that the stack has them all.
    #[inline]
    pub(super) fn is_single(self) -> bool {
        self.0 & Self::IS_REPEATED == 0
    }

    pub(super) fn number(self) -> u64 {
        self.0.into()
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 & !Self::IS_REPEATED) as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct Stack {
    parent: Option<u32>,
    /// Number of the innermost function.
    function: u32,
    /// What was spent in single frames with this stack.
    inclusive: Spending,
    /// What the innermost function spent by itself in others, modulo 2^64 until all frames are gone.
    own: Spending,
}

/// All stacks of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Stacks {
    tree: ContextTree,
    /// By number in the tree.
    stacks: Vec<Stack>,
}

impl Stacks {
    /// The stack with another function called, by its number and its beginning.
    pub(super) fn call(&mut self, parent: Option<StackNumber>, (function, start): (u32, u64)) -> StackNumber {
        let above = parent.map(|parent| parent.index() as u32);
        let number = self.tree.call(above, start);
        if number as usize == self.stacks.len() {
            let (inclusive, own) = Default::default();
            self.stacks.push(Stack { parent: above, function, inclusive, own });
        }
        let is_single =
            parent.is_none_or(StackNumber::is_single) && self.stacks[number as usize].parent == above;
        StackNumber(if is_single { number } else { number | StackNumber::IS_REPEATED })
    }

    /// Number of the innermost function.
    pub(super) fn function(&self, number: StackNumber) -> u32 {
        self.stacks[number.index()].function
    }

    /// Whether a function, by its beginning, is not on a single stack.
    pub(super) fn is_new(&self, number: StackNumber, start: u64) -> bool {
        number.is_single() && self.tree.find(number.index() as u32, start).is_none()
    }

    /// A single frame was taken off.
    #[inline]
    pub(super) fn add_single(&mut self, number: StackNumber, spent: Spending) {
        if let Some(stack) = self.stacks.get_mut(number.index()) {
            stack.inclusive = sum(stack.inclusive, spent);
        }
    }

    /// A frame was taken off, from the top of another.
    pub(super) fn add(&mut self, number: StackNumber, spent: Spending, below: Option<StackNumber>) {
        let own = &mut self.stacks[number.index()].own;
        *own = sum(*own, spent);
        if let Some(below) = below {
            let own = &mut self.stacks[below.index()].own;
            *own = difference(*own, spent);
        }
    }

    /// What single frames spent, by number of the function.
    pub(super) fn inclusive(&self) -> impl Iterator<Item = (u32, Spending)> {
        self.stacks.iter().map(|stack| (stack.function, stack.inclusive))
    }

    /// The list of all stacks, once no frame is left.
    pub(super) fn into_list(mut self) -> Vec<CallContext> {
        for index in 0..self.stacks.len() {
            let Stack { parent, inclusive, .. } = self.stacks[index];
            let own = &mut self.stacks[index].own;
            *own = sum(*own, inclusive);
            if let Some(parent) = parent {
                let own = &mut self.stacks[parent as usize].own;
                *own = difference(*own, inclusive);
            }
        }
        for (number, stack) in (0..).zip(&self.stacks) {
            self.tree.spend(number, stack.own);
        }
        self.tree.into_list()
    }
}

/// What was spent between two moments.
#[inline]
pub(super) fn difference(now: Spending, before: Spending) -> Spending {
    Spending {
        instructions: now.instructions.wrapping_sub(before.instructions),
        cycles: now.cycles.wrapping_sub(before.cycles),
    }
}

#[inline]
pub(super) fn sum(one: Spending, other: Spending) -> Spending {
    Spending {
        instructions: one.instructions.wrapping_add(other.instructions),
        cycles: one.cycles.wrapping_add(other.cycles),
    }
}
