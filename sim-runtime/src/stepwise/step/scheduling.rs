//! What a section does to what is to come: activations, retries, stalls, flushes.

use isac_ir::time::StageId;
use sim_profile::LostReason;

use super::super::core::StepCore;
use super::Step;
use crate::kernel::{Profiling, Trap};

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// Schedules an instance, with the DELAY that its activation names.
    #[inline]
    pub fn activate(&mut self, context: usize, instance: usize, delay: u32) {
        let target = self.instruction.link(context, instance);
        if let Some(wheel) = &mut self.wheel {
            let from = self.instruction.context(context).stage;
            let link = (target < self.instruction.contexts().len()).then_some(target);
            let below = self.instruction.taken_from_below(context, instance).filter(|_| link.is_none());
            for target in link.into_iter().chain(below) {
                wheel.activate(target as u32, delay, from, self.instruction.context(target).stage);
            }
        } else if target < self.instruction.contexts().len() {
            self.due.push_back(target);
        } else {
            self.due.extend(self.instruction.taken_from_below(context, instance));
        }
    }

    /// Schedules what was decoded for a later stage.
    ///
    /// # Errors
    /// None.
    pub fn schedule_bound(&mut self, context: usize) -> Result<(), Trap> {
        let to = self.instruction.context(context).stage;
        let from = self.instruction.stage_around(context);
        if let Some(wheel) = &mut self.wheel {
            wheel.activate(context as u32, 0, from, to);
        }
        Ok(())
    }

    /// Has what the instruction ran in a context's stage run again in the next cycle. The operation,
    /// by its number, asks for it.
    ///
    /// # Errors
    /// The trap that ends the section.
    pub fn retry<T>(&mut self, context: usize, operation: u32) -> Result<T, Trap> {
        self.retried = self.instruction.context(context).stage.map(|stage| (stage, operation));
        Err(Trap::Retry)
    }

    /// From the next cycle on, a stage and those before it stand still, because of an operation, by
    /// its number; for so many cycles, which come from the latency of these maps.
    pub fn stall(
        &mut self,
        core: &C,
        operation: u32,
        maps: &[u32],
        (pipeline, stage): (u32, u32),
        cycles: u64,
    ) {
        if let Some(wheel) = &mut self.wheel {
            let stage = StageId { pipeline, stage };
            let cause = P::ON.then(|| {
                let missed = maps.iter().find_map(|map| core.missed_cache(*map));
                wheel.cause(missed.map_or(LostReason::Stall, LostReason::CacheMiss), operation, stage)
            });
            wheel.stall(stage, cycles, cause);
        }
    }

    /// Cancels every other instruction in a stage or before it.
    pub fn flush(&mut self, pipeline: u32, stage: u32) {
        if let Some(wheel) = &mut self.wheel {
            wheel.flush(StageId { pipeline, stage });
        }
    }

    /// True if an instruction is in a stage in this cycle.
    pub fn is_busy(&self, pipeline: u32, stage: u32) -> bool {
        self.wheel.as_ref().is_some_and(|wheel| wheel.is_busy(StageId { pipeline, stage }))
    }
}
