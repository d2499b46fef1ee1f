//! What is in flight: instructions, what they have scheduled, and stages that stand still.
//!
//! Everything scheduled is one list in the order of scheduling; what is due in a cycle runs in
//! that order. What is put off goes to the end of the list.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::time::StageId;
use sim_profile::{Event, EventSink};

use super::execution::keep_executions;
use super::hold::Hold;
use super::instruction::Instruction;
use super::step::Due;
use super::tracing::Tracer;
use crate::fault::FaultKind;
use crate::record::Strike;
use crate::trace::Act;

/// What has its turn.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// An instance.
    Run(Due),
    /// Nothing: a fault of decoding walks on to the last stage, where it strikes.
    Walk(FaultKind),
}

/// A scheduled activation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    /// The cycle in which it runs.
    pub due: u64,
    /// Its instance's queue.
    pub queue: u32,
    /// Its instruction.
    pub id: u64,
    /// The stage that it is bound to.
    pub stage: Option<StageId>,
    /// What it is.
    pub work: Work,
    /// The turn that scheduled it.
    pub by: u64,
    /// The retry that has put it back last.
    pub held: Option<Hold>,
}

/// Something scheduled, or `main`, that has its turn in this cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Turns count from 1 on, over the whole run.
    pub number: u64,
    /// Its queue; `main` has one only where it is bound to a stage.
    pub queue: Option<u32>,
    pub id: u64,
    pub stage: Option<StageId>,
    pub work: Work,
    /// The turn that scheduled it; 0 for `main`.
    by: u64,
}

/// All instructions in flight.
#[derive(Clone, Default)]
pub(super) struct Flight {
    /// Number of the cycle, extra cycles not counted; the first is 1.
    pub cycle: u64,
    /// By ID.
    pub instructions: BTreeMap<u64, Instruction>,
    /// In the order of scheduling.
    pub pending: Vec<Pending>,
    /// Cycles for which each stage stands after this one, by pipeline and stage.
    pub counters: Vec<Vec<u64>>,
    /// What has given each counter its value.
    holds: Vec<Vec<Option<Hold>>>,
    /// The last stage that stands in this cycle, by pipeline.
    standing: Vec<Option<u32>>,
    /// The turns of this cycle so far.
    turns: Vec<Turn>,
    /// Stages that operations of a turn of this cycle are bound to, where that is not its own: turn,
    /// instruction, stage.
    entered: Vec<(u64, u64, StageId)>,
    /// Stages in which something was due in this cycle until a retry put it back.
    put_back: Vec<StageId>,
    /// IDs of instructions that this turn has flushed.
    pub flushed: Vec<u64>,
    /// What was fetched in this turn: ID, address.
    pub fetched: Vec<(u64, u64)>,
    /// Where this turn has sent the run elsewhere beside the instructions.
    pub strikes: Vec<Strike>,
    begun_turns: u64,
    pub begun_instructions: u64,
    /// IDs in each instance's queue, as they were told.
    queues: Vec<Vec<u64>>,
    /// What happens in this cycle, where somebody wants to know.
    pub tracer: Option<Tracer>,
}

impl Flight {
    pub(super) fn new(model: &Model) -> Flight {
        let pipelines = model.pipelines.iter();
        Flight {
            counters: pipelines.clone().map(|pipeline| vec![0; pipeline.stages.len()]).collect(),
            holds: pipelines.map(|pipeline| vec![None; pipeline.stages.len()]).collect(),
            queues: vec![Vec::new(); model.time.scheduled().count() + model.pipelines.len()],
            ..Flight::default()
        }
    }

    /// A cycle begins: what stands in it is known from here on.
    pub(super) fn begin_cycle(&mut self) {
        self.cycle += 1;
        self.turns.clear();
        self.entered.clear();
        self.put_back.clear();
        let highest = |counters: &Vec<u64>| counters.iter().rposition(|counter| *counter > 0);
        self.standing = self.counters.iter().map(|counters| highest(counters).map(|it| it as u32)).collect();
        for counter in self.counters.iter_mut().flatten() {
            *counter = counter.saturating_sub(1);
        }
    }

    /// True if `main` begins an instruction in this cycle, `first` being the stage where they do.
    pub(super) fn admits(&self, first: Option<StageId>) -> bool {
        let Some(first) = first else { return true };
        !self.is_standing(first) && self.waiting_in(first).is_none()
    }

    /// The first that is due in a stage in this cycle.
    pub(super) fn waiting_in(&self, stage: StageId) -> Option<&Pending> {
        self.pending.iter().find(|pending| pending.due == self.cycle && pending.stage == Some(stage))
    }

    /// The queue of what walks through a pipeline without anything to run.
    pub(super) fn walking_queue(&self, pipeline: u32) -> u32 {
        (self.queues.len() - self.counters.len()) as u32 + pipeline
    }

    /// The last stage of a pipeline.
    pub(super) fn last_stage(&self, pipeline: u32) -> StageId {
        StageId { pipeline, stage: self.counters[pipeline as usize].len() as u32 - 1 }
    }

    /// The ID of a new instruction.
    pub(super) fn begin_instruction(&mut self) -> u64 {
        self.begun_instructions += 1;
        self.begun_instructions
    }

    /// The turn of `main`.
    pub(super) fn begin_main(&mut self, model: &Model, id: u64, work: Work) -> Turn {
        let stage = model.operation(model.main).stage;
        self.begin_turn(Turn { number: 0, queue: model.time.queue(0), id, stage, work, by: 0 })
    }

    /// An operation bound to a stage runs in the turn at hand.
    pub(super) fn enter(&mut self, stage: Option<StageId>) {
        if let (Some(turn), Some(stage)) = (self.turns.last().copied(), stage)
            && turn.stage != Some(stage)
        {
            self.entered.push((turn.number, turn.id, stage));
        }
    }

    /// Takes what runs next in this cycle.
    pub(super) fn next_turn(&mut self, sink: &mut dyn EventSink) -> Option<Turn> {
        let next = (0..self.pending.len()).find(|index| {
            let pending = &self.pending[*index];
            pending.due == self.cycle && !self.stands(pending.id)
        })?;
        let Pending { queue, id, stage, work, by, .. } = self.pending.remove(next);
        self.leave_queue(queue, id, sink);
        Some(self.begin_turn(Turn { number: 0, queue: Some(queue), id, stage, work, by }))
    }

    fn begin_turn(&mut self, turn: Turn) -> Turn {
        self.begun_turns += 1;
        let turn = Turn { number: self.begun_turns, ..turn };
        self.turns.push(turn);
        turn
    }

    /// Schedules something; its instruction is the current one.
    pub(super) fn schedule(&mut self, pending: Pending, sink: &mut dyn EventSink) {
        sink.event(Event::Scheduled { instance: pending.queue });
        self.queues[pending.queue as usize].push(pending.id);
        self.pending.push(pending);
        self.tell_order(&[pending], sink);
    }

    /// Nothing more of an instruction runs; who tells of it says so, too.
    pub(super) fn drop_pending(&mut self, id: u64) {
        self.pending.retain(|pending| pending.id != id);
        for queue in &mut self.queues {
            queue.retain(|queued| *queued != id);
        }
    }

    /// Takes everything that an instruction has scheduled out of the queues.
    pub(super) fn withdraw_all(&mut self, id: u64, sink: &mut dyn EventSink) {
        self.withdraw(sink, |pending| pending.id == id);
    }

    fn withdraw(&mut self, sink: &mut dyn EventSink, is_withdrawn: impl Fn(&Pending) -> bool) {
        let all = std::mem::take(&mut self.pending);
        let (withdrawn, kept) = all.into_iter().partition::<Vec<_>, _>(|pending| is_withdrawn(pending));
        self.pending = kept;
        for Pending { queue, id, .. } in &withdrawn {
            sink.event(Event::Withdrawn { instance: *queue, id: *id });
            let ids = &mut self.queues[*queue as usize];
            if let Some(last) = ids.iter().rposition(|queued| queued == id) {
                ids.remove(last);
            }
        }
        self.tell_order(&withdrawn, sink);
    }

    /// True if an instruction has something to run.
    pub(super) fn is_scheduled(&self, id: u64) -> bool {
        self.pending.iter().any(|pending| pending.id == id)
    }

    /// A stage and those before it stand for so many cycles after this one, at least.
    pub(super) fn stall(&mut self, stage: StageId, cycles: u64, hold: Hold) {
        let counter = &mut self.counters[stage.pipeline as usize][stage.stage as usize];
        if cycles > *counter {
            *counter = cycles;
            self.holds[stage.pipeline as usize][stage.stage as usize] = Some(hold);
        }
        if cycles > 0 {
            self.trace_act(|| Act::Stall { stage, cycles });
        }
    }

    /// Numbers of the stages that stand in the next cycle.
    pub(super) fn stalled(&self) -> Vec<u32> {
        let counters = (0..).zip(self.counters.iter().flatten());
        counters.filter(|(_, counter)| **counter > 0).map(|(number, _)| number).collect()
    }

    /// IDs of the instructions that a flush of a stage cancels: all but the caller.
    pub(super) fn flush(&mut self, stage: StageId, caller: u64) -> Vec<u64> {
        for counter in &mut self.counters[stage.pipeline as usize][..=stage.stage as usize] {
            *counter = 0;
        }
        let here = |bound: Option<StageId>| bound.is_some_and(|bound| is_at_or_before(bound, stage));
        let in_flight = |id: &u64| *id != caller && self.instructions.contains_key(id);
        self.present(here).into_iter().filter(in_flight).collect()
    }

    /// True if an instruction is in a stage in this cycle.
    pub(super) fn is_busy(&self, stage: StageId) -> bool {
        !self.present(|bound| bound == Some(stage)).is_empty()
    }

    /// IDs of the instructions of which something bound to certain stages ran, is due or stands.
    fn present(&self, is_here: impl Fn(Option<StageId>) -> bool) -> BTreeSet<u64> {
        let ran = self.turns.iter().filter(|turn| is_here(turn.stage)).map(|turn| turn.id);
        let due = self.pending.iter().filter(|it| it.due == self.cycle && is_here(it.stage));
        let entered = self.entered.iter().filter(|(_, _, stage)| is_here(Some(*stage)));
        ran.chain(due.map(|pending| pending.id)).chain(entered.map(|(_, id, _)| *id)).collect()
    }

    /// What keeps the highest stage of a pipeline that stands, if one does.
    pub(super) fn standing_hold(&self, pipeline: u32) -> Option<Hold> {
        let stage = self.standing[pipeline as usize]?;
        self.holds[pipeline as usize][stage as usize]
    }

    /// Stages in which something ran in this cycle, or would have but for a retry.
    pub(super) fn stages_of_turns(&self) -> impl Iterator<Item = StageId> + '_ {
        let ran = self.turns.iter().filter_map(|turn| turn.stage);
        ran.chain(self.entered.iter().map(|(_, _, stage)| *stage)).chain(self.put_back.iter().copied())
    }

    pub(super) fn is_standing(&self, stage: StageId) -> bool {
        self.standing[stage.pipeline as usize].is_some_and(|last| stage.stage <= last)
    }

    /// True if something of an instruction is due in a stage that stands: all of it stands.
    fn stands(&self, id: u64) -> bool {
        if self.standing.iter().all(Option::is_none) {
            return false;
        }
        let stands = |stage: StageId| self.is_standing(stage);
        self.pending.iter().any(|it| it.id == id && it.due == self.cycle && it.stage.is_some_and(stands))
    }

    /// What a turn's instruction ran in a stage waits for the next cycle, and with it what has not
    /// run there and before; what it scheduled is withdrawn.
    pub(super) fn retry(&mut self, turn: Turn, (stage, hold): (StageId, Hold), sink: &mut dyn EventSink) {
        let entered: BTreeSet<u64> =
            self.entered.iter().filter(|(_, _, here)| *here == stage).map(|(number, ..)| *number).collect();
        let ran_here = |it: &Turn| it.stage == Some(stage) || entered.contains(&it.number);
        let again = |it: &&Turn| it.id == turn.id && ran_here(it);
        let mut undone: BTreeSet<u64> = self.turns.iter().filter(again).map(|it| it.number).collect();
        for it in &self.turns {
            // What they scheduled for this very cycle may have run.
            if undone.contains(&it.by) {
                undone.insert(it.number);
            }
        }
        let repeated: Vec<Turn> =
            self.turns.iter().filter(again).filter(|it| !undone.contains(&it.by)).copied().collect();
        self.withdraw(sink, |pending| undone.contains(&pending.by));
        for Turn { queue, id, work, by, .. } in repeated {
            if let Some(queue) = queue {
                let due = self.cycle + 1;
                let held = Some(hold);
                self.schedule(Pending { due, queue, id, stage: Some(stage), work, by, held }, sink);
            }
        }
        let standing: BTreeSet<u64> =
            self.pending.iter().map(|pending| pending.id).filter(|id| self.stands(*id)).collect();
        let cycle = self.cycle;
        let moved = self.put_off(sink, Some(hold), |pending| {
            let waits = pending.stage.is_some_and(|bound| is_at_or_before(bound, stage));
            waits && pending.due == cycle && !standing.contains(&pending.id)
        });
        self.put_back.extend(moved.iter().filter_map(|pending| pending.stage));
        self.trace_put_back(&moved);
    }

    /// The cycle ends: what its standing instructions have scheduled moves on by a cycle.
    pub(super) fn end_cycle(&mut self, sink: &mut dyn EventSink) {
        let ids = self.pending.iter().map(|pending| pending.id);
        let standing: BTreeSet<u64> = ids.filter(|id| self.stands(*id)).collect();
        let moved = self.put_off(sink, None, |pending| standing.contains(&pending.id));
        self.trace_held(&moved);
    }

    /// Moves what is scheduled on by a cycle, to the end of the list; what that was.
    fn put_off(
        &mut self,
        sink: &mut dyn EventSink,
        hold: Option<Hold>,
        waits: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let all = std::mem::take(&mut self.pending);
        let (mut waiting, kept) = all.into_iter().partition::<Vec<_>, _>(|pending| waits(pending));
        self.pending = kept;
        for pending in &mut waiting {
            pending.due += 1;
            pending.held = hold.or(pending.held);
        }
        self.pending.extend(&waiting);
        self.tell_order(&waiting, sink);
        waiting
    }

    /// Takes an ID out of a queue, where it is the first: what stands lets others pass.
    fn leave_queue(&mut self, queue: u32, id: u64, sink: &mut dyn EventSink) {
        let ids = &mut self.queues[queue as usize];
        let Some(place) = ids.iter().position(|queued| *queued == id) else { return };
        if place > 0 {
            ids[..=place].rotate_right(1);
            sink.event(Event::Reordered { instance: queue, ids });
        }
        ids.remove(0);
    }

    /// Forgets executions of an instruction that nothing to come can refer to, once there are many:
    /// what waits or repeats itself for long shall not grow.
    pub(super) fn forget_executions(&mut self, instruction: &mut Instruction) {
        if instruction.executions.len() < MANY_EXECUTIONS {
            return;
        }
        let mine = |pending: &&mut Pending| pending.id == instruction.id;
        let mut above: Vec<&mut u32> = Vec::new();
        for pending in self.pending.iter_mut().filter(mine) {
            if let Work::Run(Due { above: Some((execution, _)), .. }) = &mut pending.work {
                above.push(execution);
            }
        }
        let kept = keep_executions(&mut instruction.executions, above.iter().map(|place| **place));
        for place in above {
            *place = kept[place];
        }
    }

    /// Tells of queues that are in another order than that in which their entries will start; only
    /// those of what was moved can be.
    fn tell_order(&mut self, moved: &[Pending], sink: &mut dyn EventSink) {
        for Pending { queue, .. } in moved {
            let entries = self.pending.iter().filter(|pending| pending.queue == *queue);
            let mut entries: Vec<(u64, u64)> = entries.map(|pending| (pending.due, pending.id)).collect();
            entries.sort_by_key(|(due, _)| *due);
            let ids: Vec<u64> = entries.into_iter().map(|(_, id)| id).collect();
            let told = &mut self.queues[*queue as usize];
            if ids != *told {
                sink.event(Event::Reordered { instance: *queue, ids: &ids });
                *told = ids;
            }
        }
    }
}

/// From so many executions on it is looked which of them are needed.
const MANY_EXECUTIONS: usize = 256;

fn is_at_or_before(stage: StageId, last: StageId) -> bool {
    stage.pipeline == last.pipeline && stage.stage <= last.stage
}
