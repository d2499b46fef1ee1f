//! Checks: where a run that is sampled may begin to be counted, or cease to be.

use std::cell::Cell;

use isac_ir::Model;

use super::code::Code;
use super::machine::{BlockCore, Profiling};
use crate::record::is_check;

impl<C: BlockCore, P: Profiling> Code<C, P> {
    /// So many checks are passed before the next turn of the sampler.
    pub(super) fn set_checks(&mut self, checks: u64) {
        self.checks_left = Some(Cell::new(checks));
    }

    /// Checks up to the next turn of the sampler; none are counted if no samples are taken.
    pub(super) fn checks_left(&self) -> Option<u64> {
        self.checks_left.as_ref().map(Cell::get)
    }

    /// A check is passed; whether it was the last one before the sampler's turn.
    #[inline]
    pub(super) fn pass_check(&self) -> bool {
        self.checks_left.as_ref().is_some_and(|checks| {
            let left = checks.get().saturating_sub(1);
            checks.set(left);
            left == 0
        })
    }

    /// Whether it is a check to go from a site to a target, which is not behind it.
    pub(super) fn is_check(&self, model: &Model, site: u32, target: u64) -> bool {
        // A block's end belongs to no instruction, and goes on behind it.
        let source = self.checks_left.as_ref().and_then(|_| self.static_of(site));
        source.is_some_and(|source| {
            let keeps = || source.control(model).and_then(|control| control.keeps);
            is_check(source.address, target, model.successor(source.address, source.size_cells), keeps)
        })
    }
}
