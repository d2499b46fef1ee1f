//! Turns and instructions that are over.

use isac_ir::automaton::{Event, Fate};
use isac_ir::time::StageId;

use super::core::TimedCore;
use super::flight::{Flight, SLOTS, UNDECODED};
use super::turn::Done;
use crate::fault::{Fault, FaultKind, Stop};
use crate::kernel::{Profiling, Trap};

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// A turn is over; true if the run leaves its cycle.
    #[inline(always)]
    pub fn end_turn(&mut self, core: &mut C, done: Done, outcome: Result<(), Trap>) -> bool {
        if P::ON {
            let slot = self.slot_mut(done.slot);
            let twice = slot.counted & done.counted;
            slot.counted |= done.counted;
            if twice != 0 {
                self.count_all_again(done.slot, twice);
            }
        }
        let leaves = match outcome {
            Ok(()) if done.due == 0 && done.class == 0 => false,
            Ok(()) => {
                done.events().for_each(|event| self.tell(done.position, event));
                false
            }
            Err(trap) => self.settle(core, done, trap),
        };
        if P::ON && C::EXTRA_CYCLES {
            self.note_extra_cycles(core, done.slot);
        }
        if C::EXITS && self.exiting.is_none() && core.kernel_ref().exit().is_some() {
            self.exiting = Some(self.slot(done.slot).id);
        }
        leaves
    }

    /// A counter of a turn counts once more.
    #[cold]
    #[inline(never)]
    pub(super) fn count_again(&mut self, slot: u32, counter: u32) {
        let again = &mut self.slot_mut(slot).again;
        match again.iter_mut().find(|(known, _)| *known == counter) {
            Some((_, times)) => *times += 1,
            None => again.push((counter, 1)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn count_all_again(&mut self, slot: u32, mut counters: u128) {
        while counters != 0 {
            self.count_again(slot, counters.trailing_zeros());
            counters &= counters - 1;
        }
    }

    /// A turn has not ended as turns do; true if the run leaves its cycle.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&mut self, core: &mut C, done: Done, trap: Trap) -> bool {
        let place = self.place_at(done.position);
        let is_undecoded = self.slot(done.slot).is_undecoded;
        match (trap.fault(core.kernel_ref()), trap) {
            (Some(kind), _) if is_undecoded || trap == Trap::Fetch => {
                let stage = self.schedule().places[place as usize].stage;
                let stage = stage.unwrap_or(StageId { pipeline: 0, stage: 0 });
                let has_stages = !self.counters.is_empty();
                if !has_stages || self.schedule().next_stage(stage).is_none() {
                    return self.fault(core, done.slot, done.position, kind);
                }
                self.slot_mut(done.slot).doom = Some(kind);
                self.tell(done.position, Event::Doomed);
            }
            (Some(kind), _) => return self.fault(core, done.slot, done.position, kind),
            (None, Trap::Halt) => {
                let status = core.kernel_ref().trap_value as u32 as i32;
                let turn = self.turn_number(place);
                self.stop.get_or_insert((turn, Stop::Halted(status)));
                self.tell(done.position, Event::Over(Fate::Executed));
            }
            (None, Trap::Interrupt) => {
                self.stopped = Some(self.stop.map_or(Stop::Interrupted, |(_, stop)| stop));
                self.leave_cycle(done.slot, done.position, None);
                return true;
            }
            (None, Trap::Retry) => {
                if P::ON {
                    self.note_retry(done);
                }
                self.tell(done.position, Event::Retry);
            }
            (None, _) => self.tell(done.position, Event::Over(Fate::Cancelled)),
        }
        false
    }

    /// A fault that has been on its way strikes; true if the run leaves its cycle.
    #[cold]
    #[inline(never)]
    pub fn strike(&mut self, core: &mut C, position: u32) -> bool {
        let slot = self.slot_at(position);
        let kind = self.slot(slot).doom.unwrap_or(FaultKind::IllegalInstruction);
        self.fault(core, slot, position, kind)
    }

    /// A fault ends the run at once; one that comes behind what ends the run with this cycle ends
    /// its instruction alone.
    pub(super) fn fault(&mut self, core: &mut C, slot: u32, position: u32, kind: FaultKind) -> bool {
        if self.stop.is_some() {
            self.tell(position, Event::Over(Fate::Faulted));
            return false;
        }
        let instruction_address = self.slot(slot).address;
        let cycle = core.kernel_ref().cycles();
        self.stopped = Some(Stop::Fault(Fault { kind, instruction_address, cycle }));
        self.leave_cycle(slot, position, Some(Fate::Faulted));
        true
    }

    /// The run ends in the middle of a cycle, with a turn; what has become of its instruction, if it
    /// is over.
    fn leave_cycle(&mut self, slot: u32, position: u32, fate: Option<Fate>) {
        let number = self.turn_number(self.place_at(position));
        if P::ON {
            self.count_occupied_until(number);
        }
        let mut ends = self.automaton.courses()[self.course as usize].ends.clone();
        ends.retain(|end| end.turn < number || end.fate == Fate::Cancelled);
        let at_hand = (0..self.count).find(|rank| self.slot_of_rank(*rank) == slot).unwrap_or_default();
        let at_hand = fate.map(|fate| (at_hand, fate));
        let over: Vec<(u32, Fate)> = ends.iter().map(|end| (end.rank, end.fate)).chain(at_hand).collect();
        self.end_instructions(&over);
    }

    /// Whatever ends in this cycle, in its order.
    #[inline(never)]
    pub(super) fn end_several(&mut self, core: &mut C) {
        if let Some(exiting) = self.exiting {
            // What an instruction wrote to an EXIT device ends the run when nothing else can end
            // the instruction any more.
            let ends = &self.automaton.courses()[self.course as usize].ends;
            let end = ends.iter().find(|end| self.slot(self.slot_of_rank(end.rank)).id == exiting);
            if let Some((end, exit)) = end.zip(core.kernel_ref().exit())
                && self.stop.is_none_or(|(turn, _)| end.turn <= turn)
            {
                self.stop = Some((end.turn, exit));
            }
        }
        let over = std::mem::take(&mut self.tables[self.course as usize].over);
        self.end_instructions(&over);
        self.tables[self.course as usize].over = over;
    }

    /// Instructions are over: by rank, with what has become of each, in the order in which they
    /// ended.
    fn end_instructions(&mut self, over: &[(u32, Fate)]) {
        let (before, in_flight) = (self.order, self.count);
        let gone = over.iter().fold(0u32, |gone, (rank, _)| gone | 1 << rank);
        (self.order, self.count) = (0, 0);
        for rank in 0..in_flight {
            if gone >> rank & 1 == 0 {
                self.order |= (before >> (4 * rank) & 15) << (4 * self.count);
                self.count += 1;
            }
        }
        let executed = over.iter().filter(|(_, fate)| *fate == Fate::Executed).count();
        for (rank, fate) in over {
            let slot = (before >> (4 * rank)) as u32 & (SLOTS as u32 - 1);
            self.free |= 1 << slot;
            match fate {
                Fate::Executed => self.end_executed(slot, executed == 1 && *rank == 0),
                Fate::Cancelled | Fate::Faulted => self.end_abandoned(slot, *fate),
            }
        }
        if !self.early.is_empty() {
            self.take_early();
        }
    }

    /// An instruction has ended as instructions do.
    #[inline(always)]
    pub(super) fn end_executed(&mut self, slot: u32, is_oldest: bool) {
        self.instructions += 1;
        self.taken += 1;
        let entry = &mut self.slots[slot as usize & (SLOTS - 1)];
        let number = entry.record;
        if !P::ON {
            return;
        }
        if number == UNDECODED {
            self.undecoded += 1;
            self.keep_lines(slot, false);
            self.end_holding(slot, false);
            return;
        }
        let Some(record) = self.records.get_mut(number as usize) else { return };
        record.tally.end(entry.counted);
        if entry.has_overhead || self.holds.is_any {
            self.end_holding(slot, false);
        }
        let entry = &mut self.slots[slot as usize & (SLOTS - 1)];
        let Some(record) = self.records.get_mut(number as usize) else { return };
        if !entry.again.is_empty() {
            entry.again.drain(..).for_each(|(counter, times)| record.tally.add(counter, times));
        }
        for (cache, lines) in entry.lines.drain(..) {
            record.tally.lines.entry(cache).or_default().add(lines);
        }
        if is_oldest && self.early.is_empty() {
            self.go_on(number);
        } else {
            self.early.insert(self.slot(slot).id, number);
            if is_oldest {
                self.take_early();
            }
        }
    }

    /// An instruction was cancelled, or has ended by a fault.
    fn end_abandoned(&mut self, slot: u32, fate: Fate) {
        self.taken += 1;
        if !P::ON {
            self.slot_mut(slot).doom = None;
            return;
        }
        self.keep_lines(slot, fate == Fate::Faulted);
        self.end_holding(slot, fate == Fate::Faulted);
        let entry = self.slot_mut(slot);
        entry.doom = None;
        let (number, address) = (entry.record, entry.address);
        match (self.records.get_mut(number as usize).filter(|_| number != UNDECODED), fate) {
            (Some(record), Fate::Faulted) => record.tally.faulted += 1,
            (Some(record), _) => record.tally.cancelled += 1,
            (None, Fate::Faulted) => *self.undecoded_faults.entry(address).or_default() += 1,
            (None, _) => self.undecoded += 1,
        }
    }

    /// The program goes on with a record's instruction.
    #[inline(always)]
    fn go_on(&mut self, number: u32) {
        let (from, successor) = (self.last, self.successor);
        let Some(record) = self.records.get_mut(number as usize) else { return };
        self.last = number;
        self.successor = record.address.wrapping_add(u64::from(record.size_cells)) & self.pc_mask;
        if successor != record.address && from != UNDECODED {
            record.tally.come_from(from);
        }
    }

    /// What has ended early goes on as soon as nothing older is in flight.
    fn take_early(&mut self) {
        let oldest = match self.count {
            0 => u64::MAX,
            _ => self.slot(self.slot_of_rank(0)).id,
        };
        while let Some(first) = self.early.first_entry()
            && *first.key() < oldest
        {
            let number = first.remove();
            self.go_on(number);
        }
    }

    /// Jumps among what has ended before something that is still in flight.
    pub(super) fn early_jumps(&self) -> Vec<(u32, u32)> {
        let mut jumps = Vec::new();
        let in_flight = self.in_flight().map(|slot| slot.id).collect::<Vec<u64>>();
        let mut before: Option<(u64, u32)> = None;
        for (id, number) in &self.early {
            if let Some((last_id, from)) = before
                && !in_flight.iter().any(|waiting| (last_id..*id).contains(waiting))
            {
                let (here, there) = (&self.records[from as usize], &self.records[*number as usize]);
                let successor = here.address.wrapping_add(u64::from(here.size_cells)) & self.pc_mask;
                if successor != there.address {
                    jumps.push((from, *number));
                }
            }
            before = Some((*id, *number));
        }
        jumps
    }
}
