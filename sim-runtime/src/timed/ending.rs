//! Turns, cycles and runs that end.

use isac_ir::automaton::{self, Fate};
use isac_ir::time::StageId;

use super::core::TimedCore;
use super::flight::{Flight, Missed, TurnAt};
use super::follow::Played;
use super::mask::Mask;
use super::note::NoteKind;
use super::outcomes::{AllTurned, Outcome, Turned, turned_before};
use super::prediction::{CLOSER, Deed, Predicted, Scene, Scenes, Slot, Slots, uncounted};
use super::record::RecordKind;
use super::scene::{End, UNKNOWN};
use super::turn::{Acted, Done, stall_counter};
use crate::fault::{Fault, FaultKind, Stop};
use crate::kernel::{Profiling, Trap};

/// Scenes at most, of some 1.1 KiB each; then what they have counted is kept, and they are found anew. Tests, which are
/// not optimised, see that often.
const MOST_SCENES: usize = if cfg!(debug_assertions) { 1 << 8 } else { 1 << 18 };

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The turn at a usual position of a usual cycle is over; true if it has ended otherwise than predicted. Its
    /// scene says that it is just done, unless it is at one of the `uncounted` positions; there it is plain, or the
    /// scene says whether it is. `number` is that of its position among the usual ones.
    #[inline(always)]
    pub fn end_usual_turn<const ARE_PLAIN: bool>(
        &mut self,
        core: &mut C,
        (scene, number): (&Scene<C, P>, usize),
        position: u32,
        (done, outcome): (Done<C::Mask>, Result<(), Trap>),
        all_counted: &mut C::Mask,
    ) -> bool {
        self.note_asked(core, position);
        let slot = &scene.usual.all()[number];
        let is_at = |positions: u64| positions >> position & 1 == 1;
        let Done { due, counted, decoded, acted } = done;
        debug_assert!(
            !is_at(C::GROUPED) || counted.into() & !C::COUNTERS[number] == 0,
            "a grouped turn counts what is its own"
        );
        let is_done = match acted {
            Acted::No if is_at(uncounted::<C, P>()) => {
                ARE_PLAIN || number < u32::BITS as usize && scene.plain >> number & 1 == 1
            }
            Acted::No => true,
            Acted::AsTold => !is_at(C::RETRIES) || slot.end == Predicted::Done,
            Acted::Yes => false,
        };
        if outcome.is_ok()
            && is_done
            && (!is_at(C::DEPENDS) || due == slot.due)
            && (!is_at(C::DECODES) || decoded == scene.decoded)
            && (!P::ON || is_at(C::GROUPED) || counted == P::kept(scene.counted.all()[number]))
        {
            if P::ON && is_at(C::GROUPED) {
                *all_counted = all_counted.either(counted);
            }
            return false;
        }
        let is_missed =
            self.end_usual_turn_otherwise(core, (scene, number), (due, counted), (decoded, acted), outcome);
        if P::ON && is_at(C::GROUPED) && !is_missed {
            *all_counted = all_counted.either(counted);
        }
        is_missed
    }

    /// The same where a turn is not just done as predicted, or what it did is to be compared. What is left of it comes
    /// in pieces, which stay in registers until they are needed here.
    #[inline(never)]
    fn end_usual_turn_otherwise(
        &mut self,
        core: &C,
        (scene, number): (&Scene<C, P>, usize),
        (due, mut counted): (u64, C::Mask),
        (decoded, mut acted): (u32, Acted),
        outcome: Result<(), Trap>,
    ) -> bool {
        let (slot, expected) = (&scene.usual.all()[number], P::kept(scene.counted.all()[number]));
        let position = slot.position.into();
        if P::ON && C::STALLS >> position & 1 == 1 {
            counted = counted.without(stall_counter::<C>(position));
            self.forget_stalls(core.kernel_ref().begun_cycles);
            let acts = self.stalls_at(position);
            (self.deed, acted) = (Deed::of(&acts), Acted::Yes);
            self.acts = if self.deed == Deed::MORE { acts } else { Vec::new() };
        }
        self.end_turn_otherwise((slot, expected), (due, counted), (decoded, acted), outcome)
    }

    /// The same of any turn, of which nothing may be known yet.
    #[inline(always)]
    pub fn end_turn(
        &mut self,
        core: &mut C,
        (slot, expected): (&Slot<C, P>, C::Mask),
        position: u32,
        (done, outcome): (Done<C::Mask>, Result<(), Trap>),
    ) -> bool {
        self.note_asked(core, position);
        let Done { due, counted, decoded, acted } = done;
        if outcome.is_ok()
            && slot.end == Predicted::Done
            && (acted == Acted::AsTold || acted == Acted::No && slot.deed == Deed::NONE)
            && due == slot.due
            && decoded == slot.decoded
            && (!P::ON || counted == expected)
        {
            return false;
        }
        self.end_turn_otherwise((slot, expected), (due, counted), (decoded, acted), outcome)
    }

    /// What the turn at a position asks of the run is noted.
    #[inline(always)]
    fn note_asked(&mut self, core: &mut C, position: u32) {
        if P::ON && C::EXTRA_CYCLES {
            self.note_extra_cycles(core, position);
        }
        if C::EXITS && core.kernel_ref().exit().is_some() {
            self.note_exiting(position);
        }
    }

    /// A turn is over, which is not just done as predicted, or what it did is to be compared; true if it has ended
    /// otherwise than predicted. What is left of it comes in pieces, which stay in registers until they are
    /// needed here.
    #[inline(never)]
    fn end_turn_otherwise(
        &mut self,
        (slot, expected): (&Slot<C, P>, C::Mask),
        (due, counted): (u64, C::Mask),
        (decoded, acted): (u32, Acted),
        outcome: Result<(), Trap>,
    ) -> bool {
        let ended = match outcome {
            Ok(()) => slot.end == Predicted::Done && due == slot.due,
            Err(Trap::Retry) => slot.end == Predicted::Retried && (!P::ON || self.retried == slot.retried),
            Err(_) => false,
        };
        let position = slot.position.into();
        match acted {
            Acted::No => self.deed = Deed::NONE,
            Acted::AsTold => self.deed = slot.deed,
            Acted::Yes => {}
        }
        let is_missed =
            !ended || decoded != slot.decoded || self.deed != slot.deed || P::ON && counted != expected;
        if is_missed {
            let done = Done { due, counted, decoded, acted };
            self.missed =
                Some(Missed { at: TurnAt { position, record: slot.record }, done, outcome: Some(outcome) });
        }
        is_missed
    }

    /// The turn at a position is to find that a fault strikes.
    #[cold]
    pub fn strike(&mut self, slot: &Slot<C, P>, position: u32) {
        self.deed = Deed::NONE;
        let done = Done { due: 0, counted: C::Mask::default(), decoded: UNKNOWN, acted: Acted::No };
        self.missed = Some(Missed { at: TurnAt { position, record: slot.record }, done, outcome: None });
    }

    /// The cycle goes on in another scene, behind the turn that has not gone as predicted, or as the turns at grouped
    /// positions have not counted what was; true if the run has left it.
    #[inline(never)]
    pub(super) fn go_on(&mut self, core: &mut C, scenes: &mut Scenes<C, P>, counted: C::Mask) -> bool {
        if P::ON {
            let before = self.missed.map_or(u32::MAX, |missed| missed.at.position);
            self.recount(scenes, (core.kernel_ref().begun_cycles, counted), before);
        }
        while let Some(missed) = self.missed.take() {
            self.end_turn_closer(core, scenes, missed);
            if self.stopped.is_some() {
                return true;
            }
            let scene = &scenes[self.scene as usize];
            let behind = u64::MAX.checked_shl(missed.at.position + 1).unwrap_or(0);
            core.other_turns(self, scene, scene.live() & behind);
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
        self.end_turn_elsewhere(scenes, (missed.at.position, missed.at.record), end, missed.done);
    }

    /// A turn has not ended as turns do; `None` if the run leaves its cycle.
    fn settle(&mut self, core: &mut C, missed: Missed<C::Mask>, trap: Trap) -> Option<End> {
        let position = missed.at.position;
        let place = self.place_at(position);
        let is_undecoded = self.records[missed.record() as usize].kind == RecordKind::Undecoded;
        match (trap.fault(core.kernel_ref()), trap) {
            (Some(kind), _) if is_undecoded || trap == Trap::Fetch => {
                let stage = self.schedule().places[place as usize].stage;
                let stage = stage.unwrap_or(StageId { pipeline: 0, stage: 0 });
                if self.stands_until.is_empty() || self.schedule().next_stage(stage).is_none() {
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
                self.closer |= CLOSER;
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
        let instruction_address = self.place_of(missed.record()).0;
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
        let mut turned =
            AllTurned::from_slice(turned_before(&self.plots[self.scene as usize].turned, position));
        let outcome = Outcome {
            end: End::Done,
            due: 0,
            decoded: missed.done.decoded,
            acts: self.take_acts(),
            counted: missed.done.counted.into(),
        };
        turned.push(Turned { position, outcome: self.outcomes.number(outcome) });
        let (left, effect) = self.follow(&Played { course, turned: &turned, ends: &ends });
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

    /// A cycle ends and has to be looked at; true if the run ends with it.
    #[inline(always)]
    pub(super) fn end_closer(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) -> bool {
        let link = &scenes[self.scene as usize].link;
        let is_calm = self.notes.is_empty() && self.stop.is_none() && !link.is_closer();
        let is_followed = P::ON && self.trail.is_some();
        match (is_calm, self.is_elsewhere, is_followed) {
            (true, true, false) => self.end_elsewhere(scenes),
            (true, false, true) => {
                self.next = link.next().unwrap_or(UNKNOWN);
                self.follow_scene(core);
            }
            _ => return self.end_closest(core, scenes),
        }
        false
    }

    /// A cycle ends that has gone otherwise than its first scene predicted, and in nothing else otherwise than its
    /// scene says; and the next cycle's scene.
    #[inline(never)]
    fn end_elsewhere(&mut self, scenes: &Scenes<C, P>) {
        self.lead_here(scenes);
        self.closer &= !CLOSER;
    }

    /// What the cycle before leads to, and what is behind its configuration, is expected to go as it has gone now; and
    /// the next cycle's scene.
    #[inline(always)]
    fn lead_here(&mut self, scenes: &Scenes<C, P>) {
        self.is_elsewhere = false;
        let configuration = self.plots[self.scene as usize].configuration;
        self.configurations[configuration as usize].latest = self.scene;
        if let Some(before) = scenes.get(self.before as usize) {
            before.link.lead_to(self.scene);
        }
        self.next = scenes[self.scene as usize].link.next().unwrap_or(UNKNOWN);
    }

    /// A cycle ends otherwise than in going on as its scene says; true if the run ends with it.
    #[inline(never)]
    fn end_closest(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) -> bool {
        if scenes[self.scene as usize].link.next().is_none() {
            self.complete(scenes);
            self.over.add(scenes[self.scene as usize].link.over.get());
        }
        let follows = P::ON && self.trail.is_some();
        if follows {
            self.follow_scene(core);
        }
        let scene = &scenes[self.scene as usize];
        self.next = scene.link.next().unwrap_or(UNKNOWN);
        let has_notes = !self.notes.is_empty() || scene.link.is_closer();
        if C::EXITS {
            self.find_exit(core, self.plots[self.scene as usize].course, u32::MAX);
        }
        if has_notes {
            if let Some(effect) = self.plots[self.scene as usize].effect.clone() {
                self.note_effect(&effect);
                self.settle_notes(&effect.ends);
            }
            self.count_all_settled();
        }
        if self.is_elsewhere {
            self.lead_here(scenes);
        }
        if scenes.len() > MOST_SCENES {
            self.forget_scenes(scenes);
        }
        let is_closer = !self.notes.is_empty() || follows;
        self.closer = self.closer & !CLOSER | if is_closer { CLOSER } else { 0 };
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
            self.closer |= CLOSER;
        }
    }
}
