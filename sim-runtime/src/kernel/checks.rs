//! Checks: where a run that is sampled may begin to be counted, or cease to be.
//!
//! A link that is a check leads to a *gate*: a copy of the block there with one record before it, which
//! counts the check down and goes on. So links are what they are without samples, and a check costs what
//! one short step does.

use std::cell::Cell;
use std::marker::PhantomData;

use sim_profile::CheckPlaces;

use super::block::{Block, Record, control_at_cell};
use super::code::Code;
use super::machine::{BlockCore, Profiling};
use super::step::gate;
use crate::record::{calls, is_check};

impl<C: BlockCore, P: Profiling> Code<C, P> {
    /// Checks are counted from now on.
    pub(super) fn begin_checks(&mut self, places: CheckPlaces) {
        self.checks = Some(places);
    }

    /// So many checks are passed before the next turn of the sampler.
    pub(super) fn set_checks(&self, left: u64) {
        self.checks_left.set(left);
    }

    /// Checks up to the next turn of the sampler; none are counted if no samples are taken.
    pub(super) fn checks_left(&self) -> Option<u64> {
        self.checks.map(|_| self.checks_left.get())
    }

    /// A check is passed, where samples are taken; whether it was the last one before the sampler's turn.
    #[inline(always)]
    pub(super) fn pass_check(&self) -> bool {
        match self.checks_left.get() {
            left @ 2.. => {
                self.checks_left.set(left - 1);
                false
            }
            0 | 1 => {
                self.checks_left.set(0);
                true
            }
        }
    }

    /// The gate of a block.
    pub(super) fn gate_of(&mut self, block: u32) -> u32 {
        if let Some(gate) = self.gates.get(&block) {
            return *gate;
        }
        let gate =
            Record { run: gate::<C, P>, site: block, args: C::Args::default(), profiling: PhantomData };
        let records: Vec<Record<C, P>> =
            std::iter::once(gate).chain(self.records[block as usize].iter().copied()).collect();
        let number = self.blocks.len() as u32;
        self.records.push(records.into());
        // Its instructions are those of the block.
        self.blocks.push(Block { statics: Box::default(), starts: Cell::new(0), stops: Default::default() });
        self.gates.insert(block, number);
        number
    }

    /// Whether it is a check to go from a site to a target, which is not behind it.
    pub(super) fn is_check(&self, core: &C, site: u32, target: u64) -> bool {
        // A block's end belongs to no instruction, and goes on behind it.
        let Some((places, source)) = self.checks.zip(self.static_of(site)) else { return false };
        let (model, address) = (core.model(), source.address);
        let successor = model.successor(address, source.size_cells);
        let is_call = || {
            let at = address.wrapping_sub(source.size_cells.into());
            let before = || control_at_cell::<C, P>(core, &self.control_cache, at);
            let control = source.control((model, &self.control_cache));
            control.is_some_and(|control| calls(&control, before, (address, successor)))
        };
        is_check(places, (address, target, successor), is_call)
    }
}
