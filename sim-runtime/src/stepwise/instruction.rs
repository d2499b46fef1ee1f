//! A decoded instruction with everything resolved: contexts, values, what to call.

mod builder;

use std::cell::{Cell, RefCell};

use isac_ir::decode::Decoded;
use isac_ir::operation::Referred;
use isac_ir::time::StageId;
use sim_profile::{Overhead, Word};

use self::builder::Builder;
pub(super) use self::builder::Described;
use super::core::{BodyFn, StepCore};
use crate::kernel::Profiling;

/// An operation that may run in an instruction.
pub struct Context<C: StepCore, P: Profiling> {
    /// The operation.
    pub operation: u32,
    /// The node of the decoding tree that its accesses belong to.
    pub node: u32,
    /// The stage that it is bound to, by itself or by what decodes it.
    pub stage: Option<StageId>,
    /// Its CODINGROOT.
    root: Option<BodyFn<C, P>>,
    /// Its coded bits, its fields, the coded bits of its instances: where they begin.
    values: usize,
    /// The contexts of its instances: where they begin.
    links: usize,
    /// Its first LOCAL, and one past the last.
    variables: (usize, usize),
    /// What its REFERENCEs stand for: where that begins.
    references: usize,
    /// The context that decoded it, else the one that activated it.
    parent: Option<usize>,
    /// It is of no instruction, but of what runs beside each, as what takes interrupts does.
    is_beside: bool,
    /// It may send the run elsewhere than the instruction does.
    pub(super) strikes: bool,
    /// It fetches the instruction, where that has to be known.
    pub(super) fetches: bool,
    /// Its first counter.
    counters: u32,
    /// What executing it calls, behind its CODINGROOT: a part of the instruction's actions.
    run: (usize, usize),
    /// The LOCALs that begin anew when it is executed: a part of the instruction's ranges.
    fresh: (usize, usize),
}

impl<C: StepCore, P: Profiling> Context<C, P> {
    /// Its first counter.
    pub fn counters(&self) -> u32 {
        self.counters
    }
}

impl<C: StepCore, P: Profiling> Clone for Context<C, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: StepCore, P: Profiling> Copy for Context<C, P> {}

/// A section to call.
pub struct Action<C: StepCore, P: Profiling> {
    /// The section, or what schedules the context for a later stage.
    pub function: BodyFn<C, P>,
    /// The context.
    pub context: usize,
    /// True for a section: it runs in the stage of its context.
    pub is_section: bool,
    /// True for a BEHAVIOR.
    pub is_behavior: bool,
}

impl<C: StepCore, P: Profiling> Clone for Action<C, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: StepCore, P: Profiling> Copy for Action<C, P> {}

/// An instruction: what was decoded, or, before anything is, what `main` brings about.
pub struct Instruction<C: StepCore, P: Profiling> {
    /// Address in cells.
    pub address: u64,
    /// Size in cells.
    pub size_cells: u32,
    /// The words of all elements, joined.
    pub word: Word,
    /// The decoding tree; `None` before decoding.
    pub decoded: Option<Decoded>,
    /// The context that holds the CODINGROOT.
    root: usize,
    contexts: Vec<Context<C, P>>,
    values: Vec<u128>,
    links: Vec<u32>,
    references: Vec<(usize, Referred)>,
    /// What activations take from further below: context, instance, context taken.
    below: Vec<(usize, u32, usize)>,
    /// What may run before something that it was decoded below and that runs by itself: both.
    awaited: Vec<(usize, usize)>,
    actions: Vec<Action<C, P>>,
    /// LOCALs that begin anew together.
    fresh: Vec<(usize, usize)>,
    /// Number of LOCALs of all contexts.
    pub variables: usize,
    /// How often each region ran in executions that ended.
    pub counts: Vec<Cell<u64>>,
    /// Executions that ended.
    pub executed: Cell<u64>,
    /// Executions that were cancelled.
    pub cancelled: Cell<u64>,
    /// Executions that were abandoned by a fault.
    pub faulted: Cell<u64>,
    /// Lost and extra cycles of executions that are over, whatever became of them.
    pub overhead: RefCell<Overhead>,
    /// Executions in which the run ended.
    pub unfinished: Cell<u64>,
}

impl<C: StepCore, P: Profiling> Instruction<C, P> {
    /// What runs before anything is decoded; context 0 is `first`'s.
    pub fn undecoded(described: Described<'_>, first: u32) -> Self {
        Builder::undecoded(described, first).finish((0, 0, Word::default()), 0)
    }

    /// What a CODINGROOT has decoded; `root` is the context that holds it, as in `before`.
    pub fn decoded(
        described: Described<'_>,
        before: &Instruction<C, P>,
        root: usize,
        decoded: Decoded,
        place: (u64, u32, Word),
    ) -> Self {
        Builder::decoded(described, before, root, decoded).finish(place, root)
    }

    /// A context.
    #[inline]
    pub fn context(&self, context: usize) -> &Context<C, P> {
        &self.contexts[context]
    }

    /// The context that holds the CODINGROOT.
    #[inline]
    pub fn root_context(&self) -> usize {
        self.root
    }

    /// All contexts.
    pub fn contexts(&self) -> &[Context<C, P>] {
        &self.contexts
    }

    /// What executing a context calls.
    #[inline]
    pub fn actions(&self, context: usize) -> std::ops::Range<usize> {
        let (start, end) = self.contexts[context].run;
        start..end
    }

    /// A section to call.
    #[inline]
    pub fn action(&self, index: usize) -> Action<C, P> {
        self.actions[index]
    }

    /// The CODINGROOT of a context.
    #[inline]
    pub fn root(&self, context: usize) -> Option<BodyFn<C, P>> {
        self.contexts[context].root
    }

    /// A value of a context: its coded bits, its fields, then its instances' coded bits.
    #[inline]
    pub fn value(&self, context: usize, index: usize) -> u128 {
        self.values[self.contexts[context].values + index]
    }

    /// The context of what an instance has chosen.
    #[inline]
    pub fn link(&self, context: usize, instance: usize) -> usize {
        self.links[self.contexts[context].links + instance] as usize
    }

    /// The contexts that an activation of an instance takes from further below.
    pub fn taken_from_below(&self, context: usize, instance: usize) -> impl Iterator<Item = usize> + '_ {
        let taken = self
            .below
            .iter()
            .filter(move |(taker, alias, _)| *taker == context && *alias as usize == instance);
        taken.map(|(_, _, taken)| *taken)
    }

    /// The stage of the context that decoded or activated one.
    pub fn stage_around(&self, context: usize) -> Option<StageId> {
        self.contexts[context].parent.and_then(|parent| self.contexts[parent].stage)
    }

    /// The LOCALs that begin anew when a context is executed: its own, and those of all that it
    /// calls.
    #[inline]
    pub fn fresh_variables(&self, context: usize) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let (start, end) = self.contexts[context].fresh;
        self.fresh[start..end].iter().map(|(start, end)| *start..*end)
    }

    /// The contexts that a context was decoded below, and that run by themselves, perhaps later.
    pub fn awaited(&self, context: usize) -> impl Iterator<Item = usize> + '_ {
        self.awaited.iter().filter(move |(taken, _)| *taken == context).map(|(_, above)| *above)
    }

    /// True if anything may run before what it was decoded below.
    #[inline]
    pub fn has_awaited(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// The place of a context's LOCAL among those of all.
    #[inline]
    pub fn variable(&self, context: usize, variable: usize) -> usize {
        self.contexts[context].variables.0 + variable
    }

    /// The context that has what a reference of a context stands for, and what it is there.
    #[inline]
    pub fn referred(&self, context: usize, reference: usize) -> (usize, Referred) {
        self.references[self.contexts[context].references + reference]
    }

    /// The first counter of a context.
    #[inline]
    pub fn counter(&self, context: usize) -> u32 {
        self.contexts[context].counters
    }
}
