//! The wheel: a bucket of scheduled contexts for each cycle to come, first in, first out.
//!
//! Instructions in flight live in *slots*, numbers that are used again. What stands still is put
//! off by a bucket and stands behind what that bucket has; so a bucket is always in the order in
//! which its entries run.

mod hold;

use std::collections::VecDeque;

use isac_ir::Model;
use isac_ir::time::{StageId, distance};
use sim_profile::LostCause;

use crate::record::Strike;

pub(super) use self::hold::Holder;

/// A scheduled context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The instruction's slot.
    pub slot: u32,
    /// What runs, or that a fault walks on to the last stage.
    pub work: Work,
    /// The stage that it is bound to.
    pub stage: Option<StageId>,
    /// The turn that scheduled it; 0 for `main`.
    by: u64,
    /// The retry that has put it back last: its number in [`Wheel::retries`], from 1 on.
    held: u32,
}

/// What has its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A context of the instruction.
    Run(u32),
    /// Nothing: the slot's fault is on its way.
    Walk,
}

/// An entry that has its turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Turns count from 1 on, over the whole run.
    number: u64,
    pub entry: Entry,
    /// The instruction's ID.
    pub id: u64,
}

/// A slot: the instruction in it, and how much it has scheduled.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// 0 in a slot that is free.
    id: u64,
    scheduled: u32,
    /// The last cycle in which it stood.
    stood: u64,
}

/// All that is scheduled.
pub(super) struct Wheel {
    /// Number of the cycle, from 1 on.
    cycle: u64,
    /// What is due in this cycle; what has had its turn or was cancelled is gone.
    front: Vec<Option<Entry>>,
    /// How far this cycle has come.
    next: usize,
    /// What is due in the cycles to come.
    later: VecDeque<Vec<Entry>>,
    slots: Vec<Held>,
    free: Vec<u32>,
    begun: u64,
    turns: Vec<Turn>,
    /// Stages that sections of a turn of this cycle are bound to, where that is not its own.
    entered: Vec<(Turn, StageId)>,
    begun_turns: u64,
    /// Cycles for which each stage stands after this one, by pipeline and stage.
    counters: Vec<Vec<u64>>,
    /// What has given each counter its value, where that is told.
    stalls: Vec<Vec<Option<Holder>>>,
    /// Retries since the last instruction began. What they put back in the first stage keeps the next
    /// one from beginning, so none is needed for longer.
    retries: Vec<Holder>,
    /// Stages in which something was due in this cycle until a retry put it back.
    put_back: Vec<StageId>,
    /// The last stage that stands in this cycle, by pipeline.
    standing: Vec<Option<u32>>,
    any_stands: bool,
    first: Option<StageId>,
    /// The number of each pipeline's first stage.
    stage_numbers: Vec<u32>,
    /// Slots that were flushed in this turn, with the ID that was in each.
    pub flushed: Vec<(u32, u64)>,
    /// What was fetched in this turn: ID, address.
    pub fetched: Vec<(u64, u64)>,
    /// Where this turn has sent the run elsewhere beside the instructions.
    pub strikes: Vec<Strike>,
}

impl Wheel {
    /// Nothing is scheduled.
    pub(super) fn new(model: &Model) -> Wheel {
        Wheel {
            cycle: 0,
            front: Vec::new(),
            next: 0,
            later: VecDeque::new(),
            slots: Vec::new(),
            free: Vec::new(),
            begun: 0,
            turns: Vec::new(),
            entered: Vec::new(),
            begun_turns: 0,
            counters: model.pipelines.iter().map(|pipeline| vec![0; pipeline.stages.len()]).collect(),
            stalls: model.pipelines.iter().map(|pipeline| vec![None; pipeline.stages.len()]).collect(),
            retries: Vec::new(),
            put_back: Vec::new(),
            standing: vec![None; model.pipelines.len()],
            any_stands: false,
            first: model.first_stage(),
            stage_numbers: (0..model.pipelines.len() as u32)
                .map(|pipeline| model.stage_number(StageId { pipeline, stage: 0 }))
                .collect(),
            flushed: Vec::new(),
            fetched: Vec::new(),
            strikes: Vec::new(),
        }
    }

    /// A cycle begins; true if `main` begins an instruction in it.
    pub(super) fn begin_cycle(&mut self) -> bool {
        self.cycle += 1;
        self.turns.clear();
        self.entered.clear();
        self.put_back.clear();
        self.next = 0;
        self.front.clear();
        if let Some(due) = self.later.pop_front() {
            self.front.extend(due.into_iter().map(Some));
        }
        self.any_stands = false;
        for (standing, counters) in self.standing.iter_mut().zip(&mut self.counters) {
            *standing = counters.iter().rposition(|counter| *counter > 0).map(|stage| stage as u32);
            self.any_stands |= standing.is_some();
            counters.iter_mut().for_each(|counter| *counter = counter.saturating_sub(1));
        }
        for index in 0..self.front.len() {
            self.note_standing(self.front[index]);
        }
        let Some(first) = self.first else { return true };
        !self.is_standing(first) && !self.front.iter().flatten().any(|entry| entry.stage == Some(first))
    }

    /// An instruction begins: the turn of `main`, in its stage.
    pub(super) fn begin_instruction(&mut self, stage: Option<StageId>) -> Turn {
        self.begun += 1;
        self.retries.clear();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Held::default());
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Held { id: self.begun, ..Held::default() };
        self.begin_turn(Entry { slot, work: Work::Run(0), stage, by: 0, held: 0 })
    }

    /// What runs next in this cycle.
    pub(super) fn next_turn(&mut self) -> Option<Turn> {
        while let Some(entry) = self.front.get(self.next) {
            let due = entry.filter(|entry| !self.stands(entry.slot));
            self.next += 1;
            if let Some(entry) = due {
                self.front[self.next - 1] = None;
                self.slots[entry.slot as usize].scheduled -= 1;
                return Some(self.begin_turn(entry));
            }
        }
        None
    }

    fn begin_turn(&mut self, entry: Entry) -> Turn {
        self.begun_turns += 1;
        let turn = Turn { number: self.begun_turns, entry, id: self.slots[entry.slot as usize].id };
        self.turns.push(turn);
        turn
    }

    /// The turn that runs.
    pub(super) fn turn(&self) -> Option<Turn> {
        self.turns.last().copied()
    }

    /// A section bound to a stage runs in the turn at hand.
    pub(super) fn enter(&mut self, stage: Option<StageId>) {
        if let (Some(turn), Some(stage)) = (self.turn(), stage)
            && turn.entry.stage != Some(stage)
        {
            self.entered.push((turn, stage));
        }
    }

    /// Schedules something of the instruction that has its turn, so many cycles from now.
    pub(super) fn schedule(&mut self, work: Work, delay: u32, stage: Option<StageId>) {
        let Some(turn) = self.turn() else { return };
        let entry = Entry { slot: turn.entry.slot, work, stage, by: turn.number, held: 0 };
        self.slots[entry.slot as usize].scheduled += 1;
        match delay {
            0 => {
                self.front.push(Some(entry));
                self.note_standing(Some(entry));
            }
            _ => self.bucket(delay).push(entry),
        }
    }

    /// The same for what is activated from one stage to another.
    pub(super) fn activate(
        &mut self,
        context: u32,
        written: u32,
        from: Option<StageId>,
        to: Option<StageId>,
    ) {
        self.schedule(Work::Run(context), written.saturating_add(distance(from, to)), to);
    }

    /// What is due so many cycles from now, at least one.
    fn bucket(&mut self, delay: u32) -> &mut Vec<Entry> {
        let index = delay as usize - 1;
        if self.later.len() <= index {
            self.later.resize_with(index + 1, Vec::new);
        }
        &mut self.later[index]
    }

    /// True if an instruction has something to run.
    pub(super) fn is_scheduled(&self, slot: u32) -> bool {
        self.slots[slot as usize].scheduled > 0
    }

    /// The instruction of a slot is over: nothing more of it runs.
    pub(super) fn release(&mut self, slot: u32) {
        self.withdraw(|entry| entry.slot == slot);
        self.slots[slot as usize] = Held::default();
        self.free.push(slot);
    }

    /// Takes out everything that an instruction has scheduled.
    pub(super) fn withdraw_all(&mut self, slot: u32) {
        self.withdraw(|entry| entry.slot == slot);
        self.slots[slot as usize].stood = 0;
    }

    fn withdraw(&mut self, is_withdrawn: impl Fn(&Entry) -> bool) {
        let slots = &mut self.slots;
        for place in &mut self.front {
            if let Some(entry) = place.take_if(|entry| is_withdrawn(entry)) {
                slots[entry.slot as usize].scheduled -= 1;
            }
        }
        for bucket in &mut self.later {
            bucket.retain(|entry| {
                let goes = is_withdrawn(entry);
                slots[entry.slot as usize].scheduled -= u32::from(goes);
                !goes
            });
        }
    }

    /// A stage and those before it stand for so many cycles after this one, at least.
    pub(super) fn stall(&mut self, stage: StageId, cycles: u64, cause: Option<LostCause>) {
        let holder = cause.map(|cause| self.holder(cause));
        let counter = &mut self.counters[stage.pipeline as usize][stage.stage as usize];
        if cycles > *counter {
            *counter = cycles;
            self.stalls[stage.pipeline as usize][stage.stage as usize] = holder;
        }
    }

    /// Cancels every instruction in a stage or before it but the one that has its turn.
    pub(super) fn flush(&mut self, stage: StageId) {
        for counter in &mut self.counters[stage.pipeline as usize][..=stage.stage as usize] {
            *counter = 0;
        }
        let caller = self.turn().map(|turn| turn.entry.slot);
        let mut found = self.present(|bound| is_at_or_before(bound, stage));
        found.retain(|(slot, id)| Some(*slot) != caller && self.slots[*slot as usize].id == *id);
        for (slot, id) in found {
            self.release(slot);
            self.flushed.push((slot, id));
        }
    }

    /// True if an instruction is in a stage in this cycle.
    pub(super) fn is_busy(&self, stage: StageId) -> bool {
        !self.present(|bound| bound == stage).is_empty()
    }

    /// Slots and IDs of the instructions of which something bound to certain stages ran, is due or
    /// stands.
    fn present(&self, is_here: impl Fn(StageId) -> bool) -> Vec<(u32, u64)> {
        let ran = self.turns.iter().filter(|turn| turn.entry.stage.is_some_and(&is_here));
        let due = self.front.iter().flatten().filter(|entry| entry.stage.is_some_and(&is_here));
        let due = due.map(|entry| (entry.slot, self.slots[entry.slot as usize].id));
        let entered = self.entered.iter().filter(|(_, stage)| is_here(*stage)).map(|(turn, _)| turn);
        let ran = ran.chain(entered).map(|turn| (turn.entry.slot, turn.id));
        let mut found: Vec<(u32, u64)> = ran.chain(due).collect();
        found.sort_unstable_by_key(|(_, id)| *id);
        found.dedup();
        found
    }

    fn is_standing(&self, stage: StageId) -> bool {
        self.standing[stage.pipeline as usize].is_some_and(|last| stage.stage <= last)
    }

    /// An instruction of which something is due in a stage that stands, stands as a whole.
    fn note_standing(&mut self, entry: Option<Entry>) {
        if let Some(Entry { slot, stage: Some(stage), .. }) = entry.filter(|_| self.any_stands)
            && self.is_standing(stage)
        {
            self.slots[slot as usize].stood = self.cycle;
        }
    }

    /// True if something of a slot's instruction that is still to run is due in a standing stage.
    fn stands(&self, slot: u32) -> bool {
        self.any_stands && self.slots[slot as usize].stood == self.cycle
    }

    /// What the turn's instruction ran in a stage waits for the next cycle, and with it what has
    /// not run there and before; what it scheduled is withdrawn.
    pub(super) fn retry(&mut self, stage: StageId, cause: Option<LostCause>) {
        let Some(turn) = self.turn() else { return };
        let held = cause.map_or(0, |cause| {
            self.retries.push(self.holder(cause));
            self.retries.len() as u32
        });
        let entered =
            |it: &Turn| self.entered.iter().any(|(turn, here)| turn.number == it.number && *here == stage);
        let is_again = |it: &Turn| it.id == turn.id && (it.entry.stage == Some(stage) || entered(it));
        let mut undone: Vec<u64> = self.turns.iter().filter(|it| is_again(it)).map(|it| it.number).collect();
        for it in &self.turns {
            // What they scheduled for this very cycle may have run.
            if undone.contains(&it.entry.by) && !undone.contains(&it.number) {
                undone.push(it.number);
            }
        }
        let again: Vec<Turn> =
            self.turns.iter().filter(|it| is_again(it) && !undone.contains(&it.entry.by)).copied().collect();
        self.withdraw(|entry| undone.contains(&entry.by));
        self.slots[turn.entry.slot as usize].stood = 0;
        for index in 0..self.front.len() {
            self.note_standing(self.front[index]);
        }
        let mut waiting: Vec<Entry> =
            again.into_iter().map(|it| Entry { stage: Some(stage), held, ..it.entry }).collect();
        self.slots[turn.entry.slot as usize].scheduled += waiting.len() as u32;
        for index in 0..self.front.len() {
            let waits = |entry: &Entry| entry.stage.is_some_and(|bound| is_at_or_before(bound, stage));
            let entry = self.front[index].filter(|entry| waits(entry) && !self.stands(entry.slot));
            if let Some(entry) = entry {
                self.front[index] = None;
                self.put_back.extend(entry.stage);
                waiting.push(Entry { held: if held > 0 { held } else { entry.held }, ..entry });
            }
        }
        self.bucket(1).extend(waiting);
    }

    /// The cycle ends: what its standing instructions have scheduled moves on by a cycle.
    pub(super) fn end_cycle(&mut self) {
        if !self.any_stands {
            return;
        }
        for delay in (1..=self.later.len() as u32).rev() {
            let bucket = std::mem::take(self.bucket(delay));
            let (held, kept): (Vec<Entry>, Vec<Entry>) =
                bucket.into_iter().partition(|entry| self.stands(entry.slot));
            *self.bucket(delay) = kept;
            if !held.is_empty() {
                self.bucket(delay + 1).extend(held);
            }
        }
        let held: Vec<Entry> = std::mem::take(&mut self.front).into_iter().flatten().collect();
        self.bucket(1).extend(held);
    }

    /// The last stage of a pipeline.
    pub(super) fn last_stage(&self, pipeline: u32) -> StageId {
        StageId { pipeline, stage: self.counters[pipeline as usize].len() as u32 - 1 }
    }

    /// Instructions in flight: slots with their IDs.
    pub(super) fn in_flight(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.slots).filter(|(_, held)| held.id > 0).map(|(slot, _)| slot)
    }
}

fn is_at_or_before(stage: StageId, last: StageId) -> bool {
    stage.pipeline == last.pipeline && stage.stage <= last.stage
}
