//! Turns, cycles and runs that end.

use std::rc::Rc;

use isac_ir::automaton::{self, Fate};
use isac_ir::time::StageId;

use super::core::TimedCore;
use super::flight::{Flight, Missed, TurnAt};
use super::follow::Played;
use super::note::NoteKind;
use super::prediction::{Deed, Predicted, Scenes, Slot};
use super::record::RecordKind;
use super::scene::{End, Outcome, UNKNOWN};
use super::turn::Done;
use crate::fault::{Fault, FaultKind, Stop};
use crate::kernel::{Profiling, Trap};

/// Scenes at most; then what they have counted is kept, and they are found anew. Tests, which are
/// not optimised, see that often.
const MOST_SCENES: usize = if cfg!(debug_assertions) { 1 << 8 } else { 1 << 16 };

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The turn at a position of a usual cycle is over; true if it has ended otherwise than predicted.
    #[inline(always)]
    pub fn end_usual_turn(
        &mut self,
        core: &mut C,
        slot: &Slot<C, P>,
        position: u32,
        done: Done<C::Mask>,
        outcome: Result<(), Trap>,
    ) -> bool {
        let may_retry = C::RETRIES >> position & 1 == 1;
        self.is_missed(core, slot, position, (done, outcome), may_retry)
    }

    /// The same of any cycle, in which nothing may be known of the turn yet.
    #[inline(always)]
    pub fn end_turn(
        &mut self,
        core: &mut C,
        slot: &Slot<C, P>,
        position: u32,
        done: Done<C::Mask>,
        outcome: Result<(), Trap>,
    ) -> bool {
        self.is_missed(core, slot, position, (done, outcome), true)
    }

    /// True if a turn has not ended as predicted, which is kept; what it asks of the run is noted before.
    #[inline(always)]
    fn is_missed(
        &mut self,
        core: &mut C,
        slot: &Slot<C, P>,
        position: u32,
        (done, outcome): (Done<C::Mask>, Result<(), Trap>),
        may_retry: bool,
    ) -> bool {
        if P::ON && C::EXTRA_CYCLES {
            self.note_extra_cycles(core, position);
        }
        if C::EXITS && core.kernel_ref().exit().is_some() {
            self.note_exiting(position);
        }
        let is_missed = !self.is_as_predicted(slot, position, done, (outcome, may_retry));
        if is_missed {
            self.miss(slot, position, done, Some(outcome));
        }
        is_missed
    }

    /// The turn at a position is to find that a fault strikes.
    pub fn strike(&mut self, slot: &Slot<C, P>, position: u32) {
        self.miss(slot, position, Done::default(), None);
    }

    /// True if a turn has ended as its scene says, which says that it is done if it cannot ask for a retry;
    /// what it did to the pipeline is forgotten then.
    #[inline(always)]
    fn is_as_predicted(
        &mut self,
        slot: &Slot<C, P>,
        position: u32,
        done: Done<C::Mask>,
        (outcome, may_retry): (Result<(), Trap>, bool),
    ) -> bool {
        let depends = C::DEPENDS >> position & 1 == 1;
        let ended = match outcome {
            Ok(()) => (!may_retry || slot.end == Predicted::Done) && (!depends || done.due == slot.due),
            Err(Trap::Retry) => {
                may_retry && slot.end == Predicted::Retried && (!P::ON || self.retried == slot.retried)
            }
            Err(_) => false,
        };
        let has_decoded = C::DECODES >> position & 1 == 0 || self.decoded_now == slot.decoded;
        let has_acted = !may_act::<C, P>(position) || self.deed == slot.deed;
        let is_it = ended && has_decoded && has_acted && (!P::ON || done.counted == slot.counted);
        if is_it && may_act::<C, P>(position) {
            self.deed = Deed::NONE;
        }
        is_it
    }

    /// The cycle goes on in another scene, behind the turn that has not gone as predicted; true if the run
    /// has left it.
    #[inline(never)]
    pub(super) fn go_on(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) -> bool {
        while let Some(missed) = self.missed.take() {
            self.end_turn_closer(core, scenes, missed);
            if self.stopped.is_some() {
                return true;
            }
            let scene = &scenes[self.scene as usize];
            let behind = u64::MAX.checked_shl(missed.at.position + 1).unwrap_or(0);
            core.other_turns(self, scene, scene.live & behind);
        }
        false
    }

    fn end_turn_closer(&mut self, core: &mut C, scenes: &mut Scenes<C, P>, missed: Missed<C::Mask>) {
        let end = match missed.outcome {
            Some(Ok(())) => Some(End::Done),
            Some(Err(trap)) => self.settle(core, missed, trap),
            None => self.strike_now(core, missed),
        };
        let Some(end) = end else { return };
        let Missed { at: TurnAt { position, .. }, done: Done { due, counted }, .. } = missed;
        self.end_turn_elsewhere(scenes, position, end, (due, counted.into()));
    }

    /// What the turn at a position has decoded.
    pub(super) fn decoded_at(&self, position: u32) -> u32 {
        match C::DECODES >> position & 1 == 1 {
            true => self.decoded_now,
            false => UNKNOWN,
        }
    }

    /// The record of the instruction of a turn, by now.
    fn record_at(&self, missed: Missed<C::Mask>) -> u32 {
        match self.decoded_at(missed.at.position) {
            UNKNOWN => missed.at.record,
            decoded => decoded,
        }
    }

    /// A turn has not ended as turns do; `None` if the run leaves its cycle.
    fn settle(&mut self, core: &mut C, missed: Missed<C::Mask>, trap: Trap) -> Option<End> {
        let position = missed.at.position;
        let place = self.place_at(position);
        let is_undecoded = self.records[self.record_at(missed) as usize].kind == RecordKind::Undecoded;
        match (trap.fault(core.kernel_ref()), trap) {
            (Some(kind), _) if is_undecoded || trap == Trap::Fetch => {
                let stage = self.schedule().places[place as usize].stage;
                let stage = stage.unwrap_or(StageId { pipeline: 0, stage: 0 });
                if self.counters.is_empty() || self.schedule().next_stage(stage).is_none() {
                    return self.fault(core, missed, kind);
                }
                self.note(self.rank_at(position), NoteKind::Doom(kind));
                Some(End::Doomed)
            }
            (Some(kind), _) => self.fault(core, missed, kind),
            (None, Trap::Halt) => {
                let status = core.kernel_ref().trap_value as u32 as i32;
                let turn = self.turn_number(self.plots[self.scene as usize].course, place);
                self.stop.get_or_insert((turn, Stop::Halted(status)));
                self.is_closer = true;
                Some(End::Over(Fate::Executed))
            }
            (None, Trap::Interrupt) => {
                self.find_exit_before(core, position);
                self.stopped = Some(self.stop.map_or(Stop::Interrupted, |(_, stop)| stop));
                self.leave_cycle(core, missed, None);
                None
            }
            (None, Trap::Retry) => Some(End::Retried(if P::ON { self.retried } else { 0 })),
            (None, _) => Some(End::Over(Fate::Cancelled)),
        }
    }

    /// A fault that has been on its way strikes; `None` if the run leaves its cycle.
    fn strike_now(&mut self, core: &mut C, missed: Missed<C::Mask>) -> Option<End> {
        let rank = self.rank_at(missed.at.position);
        let kind = self.notes.iter().find_map(|note| match note.kind {
            NoteKind::Doom(kind) if note.rank == rank => Some(kind),
            _ => None,
        });
        self.fault(core, missed, kind.unwrap_or(FaultKind::IllegalInstruction))
    }

    /// A fault ends the run at once; one that comes behind what ends the run with this cycle ends
    /// its instruction alone.
    fn fault(&mut self, core: &mut C, missed: Missed<C::Mask>, kind: FaultKind) -> Option<End> {
        let position = missed.at.position;
        self.find_exit_before(core, position);
        if self.stop.is_some() {
            return Some(End::Over(Fate::Faulted));
        }
        let instruction_address = self.place_of(self.record_at(missed)).0;
        let cycle = core.kernel_ref().cycles();
        self.stopped = Some(Stop::Fault(Fault { kind, instruction_address, cycle }));
        self.leave_cycle(core, missed, Some(Fate::Faulted));
        None
    }

    /// The run ends in the middle of a cycle, with a turn; what has become of its instruction, if it
    /// is over.
    fn leave_cycle(&mut self, core: &C, missed: Missed<C::Mask>, fate: Option<Fate>) {
        let position = missed.at.position;
        let course = self.course_so_far(position);
        let number = self.turn_number(course, self.place_at(position));
        if P::ON {
            self.count_occupied_until(course, number);
        }
        let rank = self.automaton.courses()[course as usize].turns[number as usize].rank;
        let ends = self.automaton.courses()[course as usize].ends.iter();
        let ends =
            ends.filter(|end| end.turn < number || matches!(end.fate, Fate::Cancelled | Fate::Flushed));
        let own = fate.map(|fate| automaton::End { rank, turn: number, fate });
        let ends: Vec<automaton::End> = ends.copied().chain(own).collect();
        let mut outcomes = self.plots[self.scene as usize].outcomes_before(position).to_vec();
        let outcome = Outcome {
            end: End::Done,
            due: 0,
            decoded: self.decoded_at(position),
            acts: self.take_acts(),
            counted: missed.done.counted.into(),
        };
        outcomes.push((position, outcome));
        let (left, effect) = self.follow(&Played { course, outcomes: &outcomes, ends: &ends });
        self.taken += ends.len() as u64;
        self.instructions += ends.iter().filter(|end| end.fate == Fate::Executed).count() as u64;
        self.follow_effect(core, course, &effect);
        self.note_effect(&effect);
        let mut totals = std::mem::take(&mut self.totals);
        self.add_effect(&mut totals, &effect, 1);
        self.totals = totals;
        self.settle_notes(&effect.ends);
        self.left = Some(left);
    }

    /// A cycle behind a scene, by number, ends and has to be looked at; true if the run ends with it.
    #[inline(always)]
    pub(super) fn end_closer(&mut self, core: &mut C, scenes: &mut Scenes<C, P>, before: u32) -> bool {
        let link = &scenes[self.scene as usize].link;
        let is_calm = self.notes.is_empty() && !self.is_elsewhere && self.stop.is_none();
        let is_followed = P::ON && self.trail.is_some() && is_calm && !link.is_closer.get();
        if !is_followed {
            return self.end_closest(core, scenes, before);
        }
        self.next = link.next.get();
        self.follow_scene(core);
        false
    }

    /// A cycle ends otherwise than in going on as its scene says; true if the run ends with it.
    #[inline(never)]
    fn end_closest(&mut self, core: &mut C, scenes: &mut Scenes<C, P>, before: u32) -> bool {
        if scenes[self.scene as usize].link.next.get() == UNKNOWN {
            self.complete(scenes);
            self.over.add(scenes[self.scene as usize].link.over.get());
        }
        let follows = P::ON && self.trail.is_some();
        if follows {
            self.follow_scene(core);
        }
        let scene = &scenes[self.scene as usize];
        self.next = scene.link.next.get();
        let has_notes = !self.notes.is_empty() || scene.link.is_closer.get();
        if C::EXITS {
            self.find_exit(core, self.plots[self.scene as usize].course, u32::MAX);
        }
        if has_notes {
            let effect = Rc::clone(&self.plots[self.scene as usize].effect);
            self.note_effect(&effect);
            self.settle_notes(&effect.ends);
            self.count_all_settled();
        }
        if self.is_elsewhere {
            self.is_elsewhere = false;
            let configuration = self.plots[self.scene as usize].configuration;
            self.configurations[configuration as usize].latest = self.scene;
            if let Some(before) = scenes.get(before as usize) {
                before.link.next.set(self.scene);
            }
            self.next = scenes[self.scene as usize].link.next.get();
        }
        if scenes.len() > MOST_SCENES {
            self.forget_scenes(scenes);
        }
        self.is_closer = !self.notes.is_empty() || follows;
        self.stopped = self.stop.map(|(_, stop)| stop);
        self.stopped.is_some()
    }

    /// The instruction of the turn at a position has written to an EXIT device, if none has before.
    #[cold]
    #[inline(never)]
    fn note_exiting(&mut self, position: u32) {
        if !self.notes.iter().any(|note| matches!(note.kind, NoteKind::Exiting)) {
            self.note(self.rank_at(position), NoteKind::Exiting);
        }
    }

    /// The turn at a position may end the run: what an instruction that is over by then has written to
    /// an EXIT device comes before.
    fn find_exit_before(&mut self, core: &mut C, position: u32) {
        if C::EXITS && self.exiting().is_some() {
            let course = self.course_so_far(position);
            let turn = self.turn_number(course, self.place_at(position));
            self.find_exit(core, course, turn);
        }
    }

    /// The rank of the instruction that has written to an EXIT device.
    fn exiting(&self) -> Option<u32> {
        let exiting = self.notes.iter().find(|note| matches!(note.kind, NoteKind::Exiting));
        exiting.map(|note| note.rank)
    }

    /// What an instruction wrote to an EXIT device ends the run when nothing else can end the
    /// instruction any more, if that is before a turn of a course.
    fn find_exit(&mut self, core: &mut C, course: u32, before: u32) {
        let Some(rank) = self.exiting() else { return };
        let course = &self.automaton.courses()[course as usize];
        let end = course.ends.iter().find(|end| end.rank == rank && end.turn < before);
        let Some((end, exit)) = end.zip(core.kernel_ref().exit()) else { return };
        // A turn that has cancelled the instruction and halts has halted first.
        let is_own = course.turns[end.turn as usize].rank == rank;
        if self.stop.is_none_or(|(turn, _)| end.turn < turn || is_own && end.turn == turn) {
            self.stop = Some((end.turn, exit));
            self.is_closer = true;
        }
    }
}

/// True if the turn at a position may do something to the pipeline; only a profile has to know what has
/// stalled a stage.
#[inline(always)]
fn may_act<C: TimedCore, P: Profiling>(position: u32) -> bool {
    let acts = if P::ON { C::ACTS } else { C::FLUSHES };
    acts >> position & 1 == 1
}
