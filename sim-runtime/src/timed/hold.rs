//! Why cycles are lost, who pays for them, and which stages instructions are in.

use isac_ir::Model;
use isac_ir::automaton::Course;
use isac_ir::schedule::PlaceKind;
use isac_ir::time::StageId;
use sim_profile::{LostCause, LostReason, Measurement, Overhead};

use super::core::TimedCore;
use super::flight::{Flight, Slot, UNDECODED};
use super::turn::Done;
use crate::kernel::Profiling;

/// Who keeps the next instruction from beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder {
    /// The slot and ID of the instruction; `None` for operation `reset`.
    pub whose: Option<(u32, u64)>,
    pub cause: LostCause,
}

/// As far as it is known what an instruction is.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Record(u32),
    /// Never decoded; the address is known of what could not be.
    Undecoded(Option<u64>),
}

/// Who keeps, or has kept, instructions from beginning.
pub(super) struct Holds {
    /// What has given each stage's counter its value.
    pub stalls: Vec<Vec<Option<Holder>>>,
    /// True if anything has stalled or retried since an instruction began.
    pub is_any: bool,
    /// The operation that has asked for a retry last.
    pub retried: u32,
    /// Who has ended since, by ID: cycles that are lost now may be their doing.
    ended: Vec<(u64, Whose)>,
    /// Cycles in which stages were occupied until a fault.
    at_fault: Vec<(u32, bool)>,
}

impl Holds {
    pub(super) fn new(model: &Model) -> Holds {
        Holds {
            stalls: model.pipelines.iter().map(|pipeline| vec![None; pipeline.stages.len()]).collect(),
            is_any: false,
            retried: 0,
            ended: Vec::new(),
            at_fault: Vec::new(),
        }
    }
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// A cycle begins with an instruction, or without: then somebody pays for it.
    #[cold]
    #[inline(never)]
    pub(super) fn note_begin(&mut self, begins: bool) {
        if begins {
            self.holds.ended.clear();
            self.holds.is_any = self.is_stalled;
        } else {
            self.count_lost();
        }
    }

    fn count_lost(&mut self) {
        let Some(holder) = self.find_holder() else { return };
        match holder.whose {
            Some((slot, id)) if self.is_in_flight(slot, id) => {
                let slot = self.slot_mut(slot);
                slot.overhead.add_lost(holder.cause, 1);
                slot.has_overhead = true;
            }
            Some((_, id)) => {
                let ended = self.holds.ended.iter().find(|(ended, _)| *ended == id);
                if let Some(whose) = ended.map(|(_, whose)| *whose) {
                    let mut overhead = Overhead::default();
                    overhead.add_lost(holder.cause, 1);
                    self.charge(whose, overhead);
                }
            }
            None => {
                let mut overhead = Overhead::default();
                overhead.add_lost(holder.cause, 1);
                self.charge(Whose::Undecoded(None), overhead);
            }
        }
    }

    fn is_in_flight(&self, slot: u32, id: u64) -> bool {
        self.free >> slot & 1 == 0 && self.slot(slot).id == id
    }

    /// Who keeps the next instruction from beginning in this cycle.
    fn find_holder(&self) -> Option<Holder> {
        let schedule = self.schedule();
        let first = schedule.first_stage?;
        let course = &self.automaton.courses()[self.course as usize];
        if let Some(stage) = course.standing(first.pipeline) {
            return self.holds.stalls[first.pipeline as usize][stage as usize];
        }
        let state = &self.automaton.states()[course.state as usize];
        let is_first = |place: u32| schedule.places[place as usize].stage == Some(first);
        let mut due = state.pending.iter().filter(|pending| pending.delay == 0);
        let due = due.find(|pending| is_first(pending.place))?;
        let slot = self.slot_of_rank(due.rank);
        if let Some((_, holder)) = self.slot(slot).held.iter().find(|(place, _)| *place == due.place) {
            return Some(*holder);
        }
        let operation = match schedule.places[due.place as usize].kind {
            PlaceKind::Before { operation, .. } => operation,
            PlaceKind::Decoded { turn, .. } => {
                let variant = self.records[self.slot(slot).record as usize].variant;
                schedule.forms[variant as usize].operations[turn as usize]
            }
            PlaceKind::Walk { .. } => return None,
        };
        let stage = schedule.stage_number(first);
        let cause = LostCause { reason: LostReason::Occupied, operation, stage };
        Some(Holder { whose: Some((slot, self.slot(slot).id)), cause })
    }

    /// A slot's instruction as the cause of a stall.
    pub(super) fn staller(
        &self,
        core: &C,
        (slot, operation): (u32, u32),
        maps: &[u32],
        stage: StageId,
    ) -> Holder {
        let missed = maps.iter().find_map(|map| core.missed_cache(*map));
        let reason = missed.map_or(LostReason::Stall, LostReason::CacheMiss);
        let cause = LostCause { reason, operation, stage: self.schedule().stage_number(stage) };
        Holder { whose: (self.cycles > 0).then(|| (slot, self.slot(slot).id)), cause }
    }

    /// A turn runs again in the next cycle, and with it what has not run in its stage and before.
    #[cold]
    #[inline(never)]
    pub(super) fn note_retry(&mut self, done: Done) {
        let own = self.place_at(done.position);
        let Some(stage) = self.schedule().places[own as usize].stage else { return };
        let cause = LostCause {
            reason: LostReason::Retry,
            operation: self.holds.retried,
            stage: self.schedule().stage_number(stage),
        };
        let holder = Holder { whose: Some((done.slot, self.slot(done.slot).id)), cause };
        self.holds.is_any = true;
        let Some(first) = self.schedule().first_stage.filter(|first| first.pipeline == stage.pipeline) else {
            return;
        };
        let number = self.turn_number(own);
        let turns = &self.automaton.courses()[self.course as usize].turns;
        let at_hand = turns[number as usize].rank;
        let waits = |index: u32, by: Option<u32>| index > number && by.is_none_or(|by| by <= number);
        let put_back: Vec<(u32, u32)> = (0u32..)
            .zip(turns)
            .filter(|(index, turn)| match turn.rank == at_hand {
                true => stage == first,
                false => waits(*index, turn.by),
            })
            .filter(|(_, turn)| self.schedule().places[turn.place as usize].stage == Some(first))
            .map(|(_, turn)| (turn.place, turn.rank))
            .collect();
        for (place, rank) in put_back {
            let slot = self.slot_of_rank(rank);
            let held = &mut self.slot_mut(slot).held;
            held.retain(|(known, _)| *known != place);
            held.push((place, holder));
        }
    }

    /// The extra cycles of the turn that was at hand.
    #[inline(always)]
    pub(super) fn note_extra_cycles(&mut self, core: &mut C, slot: u32) {
        let cycles = core.kernel().take_extra_cycles();
        if cycles > 0 {
            let slot = self.slot_mut(slot);
            slot.overhead.extra_cycles = slot.overhead.extra_cycles.saturating_add(cycles);
            slot.has_overhead = true;
        }
    }

    /// The extra cycles of operation `reset`, which nobody pays for.
    pub(super) fn take_extra_cycles_of_reset(&mut self, core: &mut C) {
        let extra_cycles = core.kernel().take_extra_cycles();
        self.charge(Whose::Undecoded(None), Overhead { extra_cycles, ..Overhead::default() });
    }

    /// A slot's instruction is over: its cycles are counted, and it may still have to pay.
    pub(super) fn end_holding(&mut self, slot: u32, is_at_fault: bool) {
        let entry = self.slot(slot);
        let (whose, id) = (whose(entry, is_at_fault), entry.id);
        let entry = self.slot_mut(slot);
        if std::mem::take(&mut entry.has_overhead) {
            let overhead = std::mem::take(&mut entry.overhead);
            self.charge(whose, overhead);
        }
        if self.holds.is_any {
            self.holds.ended.push((id, whose));
        }
    }

    fn charge(&mut self, whose: Whose, overhead: Overhead) {
        if overhead.is_zero() {
            return;
        }
        match whose {
            Whose::Record(number) => self.records[number as usize].tally.overhead.add(&overhead),
            Whose::Undecoded(address) => self.overheads.entry(address).or_default().add(&overhead),
        }
    }

    /// A fault ends the run in the middle of a cycle.
    pub(super) fn count_occupied_until(&mut self, turn: u32) {
        let course = &self.automaton.courses()[self.course as usize];
        let is_there = |(index, by): (u32, Option<u32>)| index <= turn || by.is_none_or(|by| by <= turn);
        let occupied = self.occupied(course, is_there);
        self.holds.at_fault.extend(occupied);
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
    pub(super) fn measure_cycles(&self, measurement: &mut Measurement) {
        for (address, overhead) in &self.overheads {
            measurement.add_overhead(*address, overhead);
        }
        for (course, table) in self.automaton.courses().iter().zip(&self.tables) {
            for (stage, stands) in self.occupied(course, |_| true) {
                let cycles = &mut measurement.occupancy[stage as usize];
                cycles.occupied += table.times;
                cycles.standing += if stands { table.times } else { 0 };
            }
        }
        for (stage, stands) in &self.holds.at_fault {
            measurement.add_occupied(*stage, *stands);
        }
    }

    /// The address that cycles of a slot's undecoded instruction are counted for.
    pub(super) fn undecoded_address(&self, slot: &Slot<C, P>) -> Option<u64> {
        match whose(slot, false) {
            Whose::Record(_) => None,
            Whose::Undecoded(address) => address,
        }
    }
}

fn whose<C: TimedCore, P: Profiling>(slot: &Slot<C, P>, is_at_fault: bool) -> Whose {
    match slot.record {
        UNDECODED => Whose::Undecoded((slot.is_undecoded || is_at_fault).then_some(slot.address)),
        number => Whose::Record(number),
    }
}
