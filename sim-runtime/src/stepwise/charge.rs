//! Whom lost and extra cycles are counted for.

use std::rc::Rc;

use isac_ir::Model;
use sim_profile::{LostCause, Measurement, Overhead};

use super::core::StepCore;
use super::engine::{Tally, record_of};
use super::instruction::Instruction;
use super::step::{Parked, Step};
use crate::kernel::Profiling;

/// As far as it is known what an instruction is.
pub(super) enum Whose<C: StepCore, P: Profiling> {
    /// It was decoded.
    Decoded(Rc<Instruction<C, P>>),
    /// It could not be decoded, and stands at this address.
    Undecoded(u64),
    /// It was never decoded, or is none.
    Nobody,
}

impl<C: StepCore, P: Profiling> Whose<C, P> {
    /// The instruction at hand; `faulted`: it is at fault, and so its address is known.
    pub(super) fn at_hand(step: &Step<C, P>, faulted: bool) -> Self {
        match step.is_decoded {
            true => Whose::Decoded(step.shared_instruction()),
            false if step.is_undecoded || faulted => Whose::Undecoded(step.address),
            false => Whose::Nobody,
        }
    }

    /// An instruction in flight that has not its turn.
    pub(super) fn of(parked: &Parked<C, P>) -> Self {
        match parked.is_decoded {
            true => Whose::Decoded(Rc::clone(&parked.instruction)),
            false if parked.is_undecoded => Whose::Undecoded(parked.address),
            false => Whose::Nobody,
        }
    }

    /// Adds its cycles to a measurement.
    pub(super) fn charge(&self, measurement: &mut Measurement, model: &Model, overhead: &Overhead) {
        match self {
            Whose::Decoded(instruction) => {
                let record = record_of(measurement, model, instruction);
                record.into_iter().for_each(|record| record.overhead.add(overhead));
            }
            Whose::Undecoded(address) => measurement.add_overhead(Some(*address), overhead),
            Whose::Nobody => measurement.add_overhead(None, overhead),
        }
    }
}

impl Tally {
    /// Counts lost and extra cycles.
    pub(super) fn charge<C: StepCore, P: Profiling>(&mut self, whose: &Whose<C, P>, overhead: &Overhead) {
        let address = match whose {
            Whose::Decoded(instruction) => return instruction.overhead.borrow_mut().add(overhead),
            Whose::Undecoded(address) => Some(*address),
            Whose::Nobody => None,
        };
        if !overhead.is_zero() {
            self.overheads.entry(address).or_default().add(overhead);
        }
    }

    /// Counts a lost cycle.
    pub(super) fn charge_lost<C: StepCore, P: Profiling>(&mut self, whose: &Whose<C, P>, cause: LostCause) {
        let mut overhead = Overhead::default();
        overhead.add_lost(cause, 1);
        self.charge(whose, &overhead);
    }

    /// Counts extra cycles.
    pub(super) fn charge_extra_cycles<C: StepCore, P: Profiling>(
        &mut self,
        whose: &Whose<C, P>,
        extra_cycles: u64,
    ) {
        if P::ON && extra_cycles > 0 {
            self.charge(whose, &Overhead { extra_cycles, ..Overhead::default() });
        }
    }

    /// Counts a cycle in which an instruction was in a stage.
    pub(super) fn count_occupied(&mut self, stage: u32, stands: bool) {
        let stage = stage as usize;
        if self.occupancy.len() <= stage {
            self.occupancy.resize(stage + 1, Default::default());
        }
        self.occupancy[stage].add_one(stands);
    }
}
