//! What a section asks of its context: coded values, LOCALs, REFERENCEs, what was chosen.

use isac_ir::operation::Referred;

use super::super::core::StepCore;
use super::Step;
use crate::kernel::Profiling;

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// A value of a context: its coded bits, its fields, then its instances' coded bits.
    #[inline]
    pub fn value(&self, context: usize, index: usize) -> u128 {
        self.instruction.value(context, index)
    }

    /// The context of what an instance has chosen.
    #[inline]
    pub fn link(&self, context: usize, instance: usize) -> usize {
        self.instruction.link(context, instance)
    }

    /// A LOCAL of a context.
    #[inline]
    pub fn variable(&self, context: usize, variable: usize) -> u128 {
        self.variables[self.instruction.variable(context, variable)]
    }

    /// Assigns a LOCAL of a context.
    #[inline]
    pub fn set_variable(&mut self, context: usize, variable: usize, value: u128) {
        let place = self.instruction.variable(context, variable);
        self.variables[place] = value;
    }

    /// What a reference of a context stands for: the context that has it, its operation, and what
    /// it is there.
    #[inline]
    pub fn referred(&self, context: usize, reference: usize) -> (usize, u32, Referred) {
        let (owner, what) = self.instruction.referred(context, reference);
        (owner, self.operation(owner), what)
    }

    /// True if an instance was decoded.
    #[inline]
    pub fn is_there(&self, context: usize, instance: usize) -> bool {
        self.instruction.link(context, instance) < self.instruction.contexts().len()
    }

    /// The operation that an instance has chosen; none has this number if it was not decoded.
    #[inline]
    pub fn chosen(&self, context: usize, instance: usize) -> u32 {
        if self.is_there(context, instance) { self.operation(self.link(context, instance)) } else { u32::MAX }
    }

    /// The operation of a context.
    #[inline]
    pub fn operation(&self, context: usize) -> u32 {
        self.instruction.context(context).operation
    }
}
