//! Why cycles are lost, who pays for them, and which stages instructions are in.

use isac_ir::automaton::Course;
use isac_ir::schedule::PlaceKind;
use isac_ir::time::StageId;
use sim_profile::{LostCause, LostReason, Measurement};

use super::core::TimedCore;
use super::flight::Flight;
use super::mask::Mask;
use super::prediction::{Deed, Slot};
use super::scene::{Act, Actor, Configuration, Effect, Holder, Whose, push_last};
use super::totals::Totals;
use super::turn::{Acted, stall_counter};
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The number of a cause.
    fn cause(&mut self, cause: LostCause) -> u32 {
        let known = self.causes.iter().position(|known| *known == cause);
        let number = known.unwrap_or(self.causes.len());
        if known.is_none() {
            self.causes.push(cause);
        }
        number as u32
    }

    /// A cycle behind a configuration, by number, is lost: somebody pays for it.
    pub(super) fn lose_cycle(
        &mut self,
        (number, before): (u32, &Configuration),
        course: u32,
        actors: &mut [Actor],
        effect: &mut Effect,
    ) {
        let Some(holder) = self.find_holder(before, course) else { return };
        effect.payer = Some(holder.whose);
        let settled = match holder.whose {
            Whose::InFlight(rank) => self.settled(number, rank),
            _ => None,
        };
        match settled.map_or(holder.whose, Whose::Record) {
            Whose::InFlight(rank) => match &mut actors[rank as usize].lost {
                Some(_) => effect.lost = Some((rank, holder.cause)),
                lost => *lost = Some(holder.cause),
            },
            whose => effect.charges.push((whose, holder.cause)),
        }
    }

    /// Who keeps the next instruction from beginning.
    fn find_holder(&mut self, before: &Configuration, course: u32) -> Option<Holder> {
        let schedule = self.schedule();
        let first = schedule.first_stage?;
        let course = &self.automaton.courses()[course as usize];
        if let Some(stage) = course.standing(first.pipeline) {
            let number = schedule.stage_number(StageId { stage, ..first });
            return before.stalls.iter().find(|(stage, _)| *stage == number).map(|(_, holder)| *holder);
        }
        let state = &self.automaton.states()[before.state as usize];
        let is_first = |place: u32| schedule.places[place as usize].stage == Some(first);
        let mut due = state.pending.iter().filter(|pending| pending.delay == 0);
        let due = *due.find(|pending| is_first(pending.place))?;
        let held = before.held.iter().find(|(rank, place, _)| (*rank, *place) == (due.rank, due.place));
        if let Some((.., holder)) = held {
            return Some(*holder);
        }
        let operation = match schedule.places[due.place as usize].kind {
            PlaceKind::Before { operation, .. } => operation,
            PlaceKind::Decoded { turn, .. } => {
                let record = before.actors[due.rank as usize].record;
                let variant = self.records[record as usize].variant;
                schedule.forms[variant as usize].operations[turn as usize]
            }
            PlaceKind::Walk { .. } => return None,
        };
        let stage = schedule.stage_number(first);
        let cause = self.cause(LostCause { reason: LostReason::Occupied, operation, stage });
        Some(Holder { whose: Whose::InFlight(due.rank), cause })
    }

    /// The turn at hand stalls a stage, and lasts longer than what has stalled it.
    #[inline(never)]
    pub(super) fn note_stall(
        &mut self,
        core: &C,
        (operation, maps, stage): (u32, &[u32], StageId),
        acted: Acted,
    ) {
        let (stage, cause) = self.find_stall(core, (operation, maps, stage));
        self.act(Act::Stall(stage, cause), Deed::stall(stage, cause), acted);
    }

    /// The turn at a usual position, with what is predicted of it, stalls a stage for so many cycles. Where that is
    /// longer than what has stalled it, a counter tells of it: what the turn has counted by then, that one
    /// included if no other stalls are told than these.
    #[inline(never)]
    pub(super) fn count_stall(
        &mut self,
        core: &C,
        (stall, cycles): ((u32, &[u32], StageId), u64),
        (slot, position): (&Slot<C, P>, u32),
        counted: C::Mask,
    ) -> C::Mask {
        if !self.stall(core, stall.2, cycles) {
            return counted;
        }
        let (stage, cause) = self.find_stall(core, stall);
        self.forget_stalls(core.kernel_ref().begun_cycles);
        push_last(&mut self.stalls_now.1, (position, Act::Stall(stage, cause)));
        let counter = stall_counter::<C>(position);
        match slot.deed == Deed::NONE || slot.deed == Deed::of(&self.stalls_at(position)) {
            true => counted.either(counter),
            false => counted.without(counter),
        }
    }

    /// Stalls of cycles before one, by its number, which counters have told of are forgotten.
    pub(super) fn forget_stalls(&mut self, cycle: u64) {
        if self.stalls_now.0 != cycle {
            self.stalls_now.0 = cycle;
            self.stalls_now.1.clear();
        }
    }

    /// What the turn at a usual position has stalled in the cycle at hand, if a counter tells that it has.
    pub(super) fn stalls_at(&self, position: u32) -> Vec<Act> {
        let own = self.stalls_now.1.iter().filter(|(at, _)| *at == position);
        own.map(|(_, act)| *act).collect()
    }

    /// The stage that something stalls, and the cause, by their numbers.
    fn find_stall(&mut self, core: &C, (operation, maps, stage): (u32, &[u32], StageId)) -> (u32, u32) {
        let missed = maps.iter().find_map(|map| core.missed_cache(*map));
        let reason = missed.map_or(LostReason::Stall, LostReason::CacheMiss);
        let stage = self.schedule().stage_number(stage);
        (stage, self.cause(LostCause { reason, operation, stage }))
    }

    /// The cause of cycles that are lost because the turn at a position runs again.
    pub(super) fn cause_of_retry(&mut self, position: u32, operation: u32) -> u32 {
        let place = self.place_at(position);
        let schedule = self.schedule();
        let stage = schedule.places[place as usize].stage.map_or(0, |stage| schedule.stage_number(stage));
        self.cause(LostCause { reason: LostReason::Retry, operation, stage })
    }

    /// What a retry of the turn at a position puts back into the first stage, in a course that does
    /// not know of it: place and rank.
    pub(super) fn find_put_back(&self, course: u32, position: u32) -> Vec<(u32, u32)> {
        let own = self.place_at(position);
        let Some(stage) = self.schedule().places[own as usize].stage else { return Vec::new() };
        let first = self.schedule().first_stage.filter(|first| first.pipeline == stage.pipeline);
        let Some(first) = first else { return Vec::new() };
        let number = self.turn_number(course, own);
        let turns = &self.automaton.courses()[course as usize].turns;
        let at_hand = turns[number as usize].rank;
        let waits = |index: u32, by: Option<u32>| index > number && by.is_none_or(|by| by <= number);
        let put_back = (0u32..)
            .zip(turns)
            .filter(|(index, turn)| waits(*index, turn.by) || turn.rank == at_hand && stage == first);
        let put_back = put_back
            .filter(|(_, turn)| self.schedule().places[turn.place as usize].stage == Some(first))
            .map(|(_, turn)| (turn.place, turn.rank));
        put_back.collect()
    }

    /// Who it is that holds, behind a cycle.
    pub(super) fn held_by(&self, holder: Holder, effect: &Effect) -> Holder {
        let Whose::InFlight(rank) = holder.whose else { return holder };
        let whose = match effect.ends.iter().find(|ended| ended.rank == rank) {
            Some(ended) => self.whose(ended.actor.record, ended.fate),
            None => Whose::InFlight(rank_behind(rank, effect)),
        };
        Holder { whose, ..holder }
    }

    /// What is held, behind a cycle.
    pub(super) fn still_held(
        &self,
        held: Vec<(u32, u32, Holder)>,
        effect: &Effect,
    ) -> Vec<(u32, u32, Holder)> {
        let is_over = |rank: u32| effect.ends.iter().any(|ended| ended.rank == rank);
        let held = held.into_iter().filter(|(rank, ..)| !is_over(*rank));
        held.map(|(rank, place, holder)| (rank_behind(rank, effect), place, self.held_by(holder, effect)))
            .collect()
    }

    /// A fault ends the run in the middle of a cycle, in a turn of a course.
    pub(super) fn count_occupied_until(&mut self, course: u32, turn: u32) {
        let course = &self.automaton.courses()[course as usize];
        let is_there = |(index, by): (u32, Option<u32>)| index <= turn || by.is_none_or(|by| by <= turn);
        let occupied = self.occupied(course, is_there);
        self.totals.at_fault.extend(occupied);
    }

    /// The stages that instructions are in in a course, by number, and whether each stands.
    fn occupied(&self, course: &Course, is_there: impl Fn((u32, Option<u32>)) -> bool) -> Vec<(u32, bool)> {
        let schedule = self.schedule();
        let turns = (0u32..).zip(&course.turns).filter(|(index, turn)| is_there((*index, turn.by)));
        let stages = turns.filter_map(|(_, turn)| schedule.places[turn.place as usize].stage);
        let occupied =
            stages.fold(course.waiting, |stages, stage| stages | 1 << schedule.stage_number(stage));
        let mut found = Vec::new();
        for (pipeline, (stages, _)) in (0u32..).zip(&schedule.pipelines) {
            for stage in 0..*stages {
                let number = schedule.stage_number(StageId { pipeline, stage });
                if occupied >> number & 1 == 1 {
                    let stands = course.standing(pipeline).is_some_and(|last| stage <= last);
                    found.push((number, stands));
                }
            }
        }
        found
    }

    /// Adds what is known of cycles to a measurement.
    pub(super) fn measure_cycles(&self, totals: &Totals, measurement: &mut Measurement) {
        for (address, overhead) in &totals.overheads {
            measurement.add_overhead(*address, overhead);
        }
        for (course, times) in self.automaton.courses().iter().zip(&totals.courses) {
            if *times == 0 {
                continue;
            }
            for (stage, stands) in self.occupied(course, |_| true) {
                let cycles = &mut measurement.occupancy[stage as usize];
                cycles.occupied += times;
                cycles.standing += if stands { *times } else { 0 };
            }
        }
        for (stage, stands) in &totals.at_fault {
            measurement.add_occupied(*stage, *stands);
        }
    }
}

/// The rank behind a cycle of an instruction that is not over.
fn rank_behind(rank: u32, effect: &Effect) -> u32 {
    rank - effect.ends.iter().filter(|ended| ended.rank < rank).count() as u32
}
