//! Who keeps the next instruction from beginning, and which stages instructions are in.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::time::StageId;
use sim_profile::{Event, EventSink, LostCause, LostReason};

use super::flight::{Flight, Pending, Work};
use super::step::{Frame, Step};

/// Something that keeps a stage from going on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    /// The instruction that did it; `None` for operation `reset`.
    id: Option<u64>,
    cause: LostCause,
}

impl Flight {
    /// Tells why no instruction begins in this cycle: the highest stage of the pipeline that stands
    /// was stalled, or what is first in the first stage was put back, or is due there by itself. The
    /// instruction that is the cause, unless operation `reset` is.
    pub(super) fn tell_lost(&self, model: &Model, first: StageId, sink: &mut dyn EventSink) -> Option<u64> {
        let hold = match self.standing_hold(first.pipeline) {
            Some(hold) => Some(hold),
            None => {
                self.waiting_in(first).map(|due| due.held.unwrap_or_else(|| self.occupant(model, due, first)))
            }
        };
        let Hold { id, cause } = hold?;
        sink.event(Event::Lost { id, cause });
        id
    }

    /// What is due in a stage keeps it.
    fn occupant(&self, model: &Model, due: &Pending, stage: StageId) -> Hold {
        let operation = match due.work {
            Work::Run(run) => match model.time.nodes[run.time_node as usize].target {
                Target::Operation(operation) => Some(operation),
                Target::Group(_) | Target::Label(_) => {
                    let tree = self.instructions.get(&due.id).and_then(|instruction| instruction.tree());
                    tree.zip(run.node).and_then(|(tree, node)| tree.operation_at(node)).map(|(_, it)| it)
                }
            },
            Work::Walk(_) => None,
        };
        let operation = operation.unwrap_or(model.main);
        let cause = LostCause { reason: LostReason::Occupied, operation, stage: model.stage_number(stage) };
        Hold { id: Some(due.id), cause }
    }

    /// Tells which stages an instruction was in in this cycle.
    pub(super) fn tell_occupied(&self, model: &Model, sink: &mut dyn EventSink) {
        let due = self.pending.iter().filter(|pending| pending.due == self.cycle);
        let due = due.filter_map(|pending| pending.stage);
        let stages: BTreeSet<StageId> = self.stages_of_turns().chain(due).collect();
        for stage in stages {
            let stands = self.is_standing(stage);
            sink.event(Event::Occupied { stage: model.stage_number(stage), stands });
        }
    }
}

impl Step<'_, '_> {
    /// What the operation of a frame does to a stage.
    pub(super) fn hold(&self, operation: u32, reason: LostReason, stage: StageId) -> Hold {
        let id = self.instruction.id;
        let cause = LostCause { reason, operation, stage: self.state.model.stage_number(stage) };
        Hold { id: (id > 0).then_some(id), cause }
    }

    /// The operation whose statements are carried out, by number.
    pub(super) fn operation_of(&self, frame: &Frame<'_>) -> u32 {
        let model = self.state.model;
        match &model.memory_fault {
            Some(body) if std::ptr::eq(body, frame.body) => model.memory_fault_number(),
            _ => self.instruction.executions[frame.execution as usize].operation,
        }
    }

    /// Why a stage is stalled: for a cache's miss, where the stall's length comes from the latency of
    /// an access that missed.
    pub(super) fn stall_reason(&self, maps: &[u32]) -> LostReason {
        let missed = maps.iter().find_map(|map| self.missed_cache(*map));
        missed.map_or(LostReason::Stall, LostReason::CacheMiss)
    }
}
