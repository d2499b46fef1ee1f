//! Notes: what is known of instructions in flight that is too rare or too varied for a
//! configuration.

use sim_profile::CacheLines;

use super::core::TimedCore;
use super::flight::Flight;
use super::prediction::CLOSER;
use super::record::RecordKind;
use super::scene::{Effect, Ended, Known, Whose};
use super::turn::line_counter;
use crate::fault::FaultKind;
use crate::kernel::Profiling;
use isac_ir::automaton::Fate;

/// Something noted of an instruction in flight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note {
    /// The instruction.
    pub rank: u32,
    pub kind: NoteKind,
}

/// What is noted.
#[derive(Debug, Clone, Copy)]
pub(super) enum NoteKind {
    /// The fault that is on its way to the last stage.
    Doom(FaultKind),
    /// It has written to an EXIT device.
    Exiting,
    /// A counter that has counted more often than the configuration says.
    Again(u32, u64),
    /// Lines of a cache that it has touched in other ways than by one hit in a turn.
    Lines(u32, CacheLines),
    /// Cycles lost for it, by the number of the cause, beside the first one.
    Lost(u32, u64),
    /// Extra cycles.
    Extra(u64),
}

impl NoteKind {
    /// Adds another one, if it is of the same.
    fn add(&mut self, other: NoteKind) -> bool {
        match (self, other) {
            (NoteKind::Again(counter, times), NoteKind::Again(same, more)) if *counter == same => {
                *times = times.saturating_add(more);
            }
            (NoteKind::Lines(cache, lines), NoteKind::Lines(same, more)) if *cache == same => lines.add(more),
            (NoteKind::Lost(cause, cycles), NoteKind::Lost(same, more)) if *cause == same => {
                *cycles = cycles.saturating_add(more);
            }
            (NoteKind::Extra(cycles), NoteKind::Extra(more)) => *cycles = cycles.saturating_add(more),
            _ => return false,
        }
        true
    }
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Notes something of an instruction in flight; what is known to count for it is counted at once.
    pub(super) fn note(&mut self, rank: u32, kind: NoteKind) {
        let configuration = self.plots[self.scene as usize].configuration;
        if let Some(record) = self.settled(configuration, rank)
            && self.count_settled(record, kind)
        {
            return;
        }
        self.closer |= CLOSER;
        let mut own = self.notes.iter_mut().filter(|note| note.rank == rank);
        if !own.any(|note| note.kind.add(kind)) {
            self.notes.push(Note { rank, kind });
        }
    }

    /// The record of an instruction of a configuration that will be the same whenever it is over; by rank.
    pub(super) fn settled(&self, configuration: u32, rank: u32) -> Option<u32> {
        let Known { configuration, settled, .. } = &self.configurations[configuration as usize];
        let is_settled = settled.checked_shr(rank).is_some_and(|settled| settled & 1 == 1);
        configuration.actors.get(rank as usize).filter(|_| is_settled).map(|actor| actor.record)
    }

    /// Counts what was noted of an instruction that is decoded once and for all; false if it depends on its end.
    fn count_settled(&mut self, record: u32, kind: NoteKind) -> bool {
        if !P::ON {
            return false;
        }
        match kind {
            NoteKind::Doom(_) | NoteKind::Exiting | NoteKind::Again(..) => return false,
            NoteKind::Lines(cache, lines) => {
                self.totals.tally(record).lines.entry(cache).or_default().add(lines);
            }
            NoteKind::Lost(cause, cycles) => {
                self.totals.charge_lost(Whose::Record(record), self.causes[cause as usize], cycles);
            }
            NoteKind::Extra(cycles) => self.totals.charge_extra(Whose::Record(record), cycles),
        }
        true
    }

    /// Counts what was noted of instructions that are decoded once and for all behind the cycle at hand.
    pub(super) fn count_all_settled(&mut self) {
        let configuration = self.plots[self.next as usize].configuration;
        for index in (0..self.notes.len()).rev() {
            let Note { rank, kind } = self.notes[index];
            if let Some(record) = self.settled(configuration, rank)
                && self.count_settled(record, kind)
            {
                self.notes.swap_remove(index);
            }
        }
    }

    /// A counter of the turn at a position counts once more.
    #[cold]
    #[inline(never)]
    pub(super) fn count_again(&mut self, position: u32, counter: u32) {
        self.note(self.rank_at(position), NoteKind::Again(counter, 1));
    }

    /// A cycle has led to this for instructions that were in flight.
    pub(super) fn note_effect(&mut self, effect: &Effect) {
        effect.again.iter().for_each(|(rank, counters)| self.note_again(*rank, *counters));
        effect.lost.iter().for_each(|(rank, cause)| self.note(*rank, NoteKind::Lost(*cause, 1)));
    }

    /// Counters of an instruction have counted once more.
    fn note_again(&mut self, rank: u32, mut counters: u128) {
        while counters != 0 {
            self.note(rank, NoteKind::Again(counters.trailing_zeros(), 1));
            counters &= counters - 1;
        }
    }

    /// The extra cycles of the turn at a position.
    #[inline(always)]
    pub(super) fn note_extra_cycles(&mut self, core: &mut C, position: u32) {
        let cycles = core.kernel().take_extra_cycles();
        if cycles > 0 {
            let rank = self.rank_at(position);
            self.note(rank, NoteKind::Extra(cycles));
            if let Some(trail) = &mut self.trail {
                trail.charge_extra(Some(rank), cycles);
            }
        }
    }

    /// The extra cycles of operation `reset`, which nobody pays for.
    pub(super) fn take_extra_cycles_of_reset(&mut self, core: &mut C) {
        let extra_cycles = core.kernel().take_extra_cycles();
        self.totals.charge_extra(Whose::Undecoded(None), extra_cycles);
        if let Some(trail) = &mut self.trail {
            trail.charge_extra(None, extra_cycles);
        }
    }

    /// The address that cycles and lines of an instruction are counted for, as far as it is known.
    pub(super) fn address_of(&self, record: u32, is_at_fault: bool) -> Option<u64> {
        let record = &self.records[record as usize];
        (record.kind != RecordKind::Begun || is_at_fault).then_some(record.address)
    }

    /// Who an instruction is when it is over.
    pub(super) fn whose(&self, record: u32, fate: Fate) -> Whose {
        match self.records[record as usize].is_decoded() {
            true => Whose::Record(record),
            false => Whose::Undecoded(self.address_of(record, fate == Fate::Faulted)),
        }
    }

    /// Instructions are over: what was noted of them is counted, and the others have new ranks.
    pub(super) fn settle_notes(&mut self, ends: &[Ended]) {
        for index in (0..self.notes.len()).rev() {
            let Note { rank, kind } = self.notes[index];
            if let Some(Ended { actor, fate, .. }) = ends.iter().find(|ended| ended.rank == rank) {
                self.notes.swap_remove(index);
                self.count_note(actor.record, *fate, kind);
            } else {
                self.notes[index].rank -= ends.iter().filter(|ended| ended.rank < rank).count() as u32;
            }
        }
    }

    fn count_note(&mut self, record: u32, fate: Fate, kind: NoteKind) {
        if !P::ON {
            return;
        }
        let whose = self.whose(record, fate);
        let is_counted = fate == Fate::Executed && self.records[record as usize].is_decoded();
        match kind {
            NoteKind::Doom(_) | NoteKind::Exiting => {}
            NoteKind::Again(counter, times) if is_counted => {
                self.totals.tally(record).add(counter, times);
            }
            NoteKind::Again(counter, times) => {
                if let Some(cache) = self.cache_of_counter(counter) {
                    let address = self.address_of(record, fate == Fate::Faulted);
                    let lines = CacheLines { hits: times, ..CacheLines::default() };
                    self.totals.add_lines(address, cache, lines);
                }
            }
            NoteKind::Lines(cache, lines) if is_counted => {
                self.totals.tally(record).lines.entry(cache).or_default().add(lines);
            }
            NoteKind::Lines(cache, lines) => {
                let address = self.address_of(record, fate == Fate::Faulted);
                self.totals.add_lines(address, cache, lines);
            }
            NoteKind::Lost(cause, cycles) => {
                self.totals.charge_lost(whose, self.causes[cause as usize], cycles);
            }
            NoteKind::Extra(cycles) => self.totals.charge_extra(whose, cycles),
        }
    }

    /// The cache whose hits a counter counts.
    pub(super) fn cache_of_counter(&self, counter: u32) -> Option<u32> {
        let index = C::LINES.iter().zip(0..).find(|(_, index)| line_counter::<C>(*index) == counter);
        index.map(|((_, cache), _)| *cache)
    }
}
