//! Who keeps the next instruction from beginning, and which stages instructions are in.

use isac_ir::time::StageId;
use sim_profile::{LostCause, LostReason};

use super::{Entry, Wheel};

/// Who keeps the next instruction from beginning.
#[derive(Debug, Clone, Copy)]
pub(in crate::stepwise) enum Holder {
    /// A stall or a retry: of a slot, with the ID that was in it, or of operation `reset`.
    Cause(Option<(u32, u64)>, LostCause),
    /// What is due in the first stage.
    Occupant(Entry),
}

impl Wheel {
    /// What an operation does to a stage.
    pub(in crate::stepwise) fn cause(&self, reason: LostReason, operation: u32, stage: StageId) -> LostCause {
        LostCause { reason, operation, stage: self.number_of(stage) }
    }

    /// What is due in the first stage, as a cause.
    pub(in crate::stepwise) fn occupation(&self, operation: u32) -> Option<LostCause> {
        Some(self.cause(LostReason::Occupied, operation, self.first?))
    }

    fn number_of(&self, stage: StageId) -> u32 {
        self.stage_numbers[stage.pipeline as usize] + stage.stage
    }

    /// The turn's instruction, or operation `reset`, as a cause.
    pub(super) fn holder(&self, cause: LostCause) -> Holder {
        Holder::Cause(self.turn().map(|turn| (turn.entry.slot, turn.id)), cause)
    }

    /// Why no instruction begins in this cycle.
    pub(in crate::stepwise) fn lost(&self) -> Option<Holder> {
        let first = self.first?;
        if let Some(stage) = self.standing[first.pipeline as usize] {
            return self.stalls[first.pipeline as usize][stage as usize];
        }
        let due = self.front.iter().flatten().find(|entry| entry.stage == Some(first))?;
        match due.held {
            0 => Some(Holder::Occupant(*due)),
            number => self.retries.get(number as usize - 1).copied(),
        }
    }

    /// The stages that instructions were in in this cycle, by number, and whether each stood.
    pub(in crate::stepwise) fn occupied(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        let ran = self.turns.iter().filter_map(|turn| turn.entry.stage);
        let due = self.front.iter().flatten().filter_map(|entry| entry.stage);
        let entered = self.entered.iter().map(|(_, stage)| *stage);
        let mut stages: Vec<StageId> =
            ran.chain(due).chain(entered).chain(self.put_back.iter().copied()).collect();
        stages.sort_unstable();
        stages.dedup();
        stages.into_iter().map(|stage| (self.number_of(stage), self.is_standing(stage)))
    }

    /// The ID in a slot.
    pub(in crate::stepwise) fn id_in(&self, slot: u32) -> u64 {
        self.slots[slot as usize].id
    }
}
