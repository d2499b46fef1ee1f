//! What an operation does to the pipeline.

use isac_ir::time::StageId;
use sim_profile::Event;

use super::flight::{Pending, Turn, Work};
use super::step::{Leaving, Step};
use crate::fault::FaultKind;
use crate::trace::Act;

impl Step<'_, '_> {
    /// Cancels every other instruction in a stage or before it.
    pub(super) fn flush(&mut self, stage: StageId) {
        let cancelled = self.flight.flush(stage, self.instruction.id);
        for &id in &cancelled {
            self.flight.trace_flushed(id);
            self.flight.instructions.remove(&id);
            self.flight.drop_pending(id);
            self.flight.flushed.push(id);
            self.sink.event(Event::Flushed { id });
        }
        self.flight.trace_act(|| Act::Flush { stage, cancelled });
    }

    /// Lets a fault walk on by a stage, in the place of whatever the instruction has scheduled;
    /// false if it strikes here, in the last stage.
    pub(super) fn walk_on(&mut self, turn: Turn, fault: FaultKind) -> bool {
        let stage = turn.stage.unwrap_or(StageId { pipeline: 0, stage: 0 });
        if stage == self.flight.last_stage(stage.pipeline) {
            return false;
        }
        let id = turn.id;
        self.flight.withdraw_all(id, self.sink);
        let queue = self.flight.walking_queue(stage.pipeline);
        let stage = Some(StageId { stage: stage.stage + 1, ..stage });
        let (due, work) = (self.flight.cycle + 1, Work::Walk(fault));
        let pending = Pending { due, queue, id, stage, work, by: turn.number, held: None };
        self.flight.schedule(pending, self.sink);
        true
    }

    /// Leaves to run again in the next cycle.
    ///
    /// # Panics
    /// Outside of the pipeline's stages, which the checks exclude.
    pub(super) fn retry(&mut self, pipeline: u32, operation: u32) -> Leaving {
        match self.stage {
            Some(stage) if stage.pipeline == pipeline => Leaving::Retry { stage, operation },
            _ => panic!("`retry` in an operation that is outside of the pipeline"),
        }
    }
}
