//! Instructions in flight: slots, ranks, the course of the cycle.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::automaton::{Automaton, Event, Fate, Happening};
use isac_ir::bits::mask;
use isac_ir::schedule::Schedule;
use isac_ir::time::StageId;
use sim_profile::{CacheLines, Overhead};

use super::core::{TimedCore, TurnFn};
use super::hold::{Holder, Holds};
use super::record::{Record, Tally};
use super::turn::Turn;
use crate::fault::{FaultKind, Stop};
use crate::kernel::Profiling;

/// Instructions in flight at most; four bits tell a slot.
pub(super) const SLOTS: usize = 16;
/// Places at most.
pub(super) const PLACES: usize = 64;
/// Number of addresses whose instruction is found at once; a power of two.
pub(super) const NEAR: usize = 1 << 14;
/// The record of an instruction that is not decoded.
pub(super) const UNDECODED: u32 = 0;
/// No course: not asked for yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// An instruction in flight.
pub(super) struct Slot<C: TimedCore, P: Profiling> {
    pub id: u64,
    pub address: u64,
    pub size_cells: u32,
    pub record: u32,
    pub turns: &'static [TurnFn<C, P>],
    pub args: C::Args,
    /// Counters that have counted once.
    pub counted: u128,
    /// Those that have counted again, with how often.
    pub again: Vec<(u32, u64)>,
    /// True if its word matches nothing.
    pub is_undecoded: bool,
    /// The fault that is on its way to the last stage.
    pub doom: Option<FaultKind>,
    /// Lines of caches that it has touched in other ways than by one hit in a turn.
    pub lines: Vec<(u32, CacheLines)>,
    /// Lost and extra cycles so far.
    pub overhead: Overhead,
    /// True if there are some.
    pub has_overhead: bool,
    /// By place, the retry that has put back what waits there.
    pub held: Vec<(u32, Holder)>,
}

/// What the kernel looks up of a course.
pub(super) struct Table {
    /// A bit for each position whose place has a turn.
    pub live: u64,
    /// True if `main` begins an instruction.
    pub begins: bool,
    pub ends: Ends,
    /// Instructions in flight behind it.
    pub left: u32,
    /// The first course of the next cycle.
    pub next: u32,
    /// In how many cycles it was the course at their end.
    pub times: u64,
    /// What has become of the instructions that end, by rank.
    pub over: Vec<(u32, Fate)>,
    /// Ranks of the instructions, by position, four bits each: of the first sixteen positions, then
    /// of all others.
    pub ranks: [u64; PLACES / 16],
    /// By position, the stages with an instruction in them.
    pub busy: [u64; PLACES],
}

/// Which instructions end in a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Nothing,
    /// The oldest is executed, nothing else ends.
    Oldest,
    Others,
}

/// Instructions in flight.
pub struct Flight<C: TimedCore, P: Profiling> {
    /// Positions whose turns run in this cycle.
    pub(super) live: u64,
    /// As [`Table::ranks`].
    pub(super) ranks: [u64; PLACES / 16],
    pub(super) course: u32,
    /// The next cycle's course, if nothing stands.
    pub(super) next: u32,
    /// Slots by rank, four bits each.
    pub(super) order: u64,
    /// Number of instructions in flight.
    pub(super) count: u32,
    /// A bit for each slot that is free.
    pub(super) free: u32,
    /// True if a stage has a counter above 0.
    pub(super) is_stalled: bool,
    pub(super) slots: [Slot<C, P>; SLOTS],
    pub(super) tables: Vec<Table>,
    pub(super) near: Vec<u32>,
    pub(super) records: Vec<Record<C, P>>,
    /// The number of the last record executed.
    pub(super) last: u32,
    /// Where the program goes on behind it if it does not jump.
    pub(super) successor: u64,
    /// What has ended before something older.
    pub(super) early: BTreeMap<u64, u32>,
    pub(super) automaton: Automaton,
    /// By pipeline and stage: cycles for which each stands after this one.
    pub(super) counters: Vec<Vec<u64>>,
    pub(super) known: BTreeMap<(u64, u64), u32>,
    pub(super) begun: u64,
    /// Cycles begun, extra cycles left out.
    pub(super) cycles: u64,
    /// Who keeps instructions from beginning.
    pub(super) holds: Holds,
    /// Instructions that have ended or were cancelled.
    pub(super) taken: u64,
    /// Instructions that have ended.
    pub(super) instructions: u64,
    /// Instructions that were never decoded and not at fault.
    pub(super) undecoded: u64,
    /// Faults before anything was decoded, by instruction address.
    pub(super) undecoded_faults: BTreeMap<u64, u64>,
    /// Lines of caches, by address and cache, that no record tells.
    pub(super) lines: BTreeMap<(Option<u64>, u32), CacheLines>,
    /// Lost and extra cycles of what was never decoded.
    pub(super) overheads: BTreeMap<Option<u64>, Overhead>,
    /// What was touched of each cache until now.
    pub(super) seen: Vec<CacheLines>,
    /// ID of the instruction that has written to an EXIT device.
    pub(super) exiting: Option<u64>,
    /// The turn that ends the run with its cycle.
    pub(super) stop: Option<(u32, Stop)>,
    /// Size of an instruction in cells.
    pub(super) size_cells: u32,
    /// The bits of an address in the program counter.
    pub(super) pc_mask: u64,
    pub(super) stopped: Option<Stop>,
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Nothing is in flight.
    ///
    /// # Panics
    /// If the model is none that the generator takes this kernel for.
    pub(super) fn new(model: &Model) -> Self {
        let schedule = match Schedule::of(model) {
            Ok(schedule) => schedule,
            Err(obstacle) => panic!("the generator has taken the wrong kernel: {obstacle}"),
        };
        let holds = Holds::new(model);
        let counters = schedule.pipelines.iter().map(|(stages, _)| vec![0; *stages as usize]).collect();
        let nothing = |_| Slot {
            id: 0,
            address: 0,
            size_cells: 0,
            record: UNDECODED,
            turns: &[],
            args: C::Args::default(),
            counted: 0,
            again: Vec::new(),
            is_undecoded: false,
            doom: None,
            lines: Vec::new(),
            overhead: Overhead::default(),
            has_overhead: false,
            held: Vec::new(),
        };
        let undecoded = Record {
            address: u64::MAX,
            word: 0,
            class: 0,
            size_cells: 0,
            turns: &[],
            args: C::Args::default(),
            variant: 0,
            tally: Tally::default(),
        };
        let mut flight = Flight {
            live: 0,
            ranks: [0; PLACES / 16],
            course: 0,
            next: 0,
            order: 0,
            count: 0,
            free: (1 << SLOTS) - 1,
            is_stalled: false,
            slots: std::array::from_fn(nothing),
            tables: Vec::new(),
            near: vec![UNDECODED; NEAR],
            records: vec![undecoded],
            last: UNDECODED,
            successor: 0,
            early: BTreeMap::new(),
            automaton: Automaton::new(schedule),
            counters,
            known: BTreeMap::new(),
            begun: 0,
            cycles: 0,
            holds,
            taken: 0,
            instructions: 0,
            undecoded: 0,
            undecoded_faults: BTreeMap::new(),
            lines: BTreeMap::new(),
            overheads: BTreeMap::new(),
            seen: vec![CacheLines::default(); model.caches.len()],
            exiting: None,
            stop: None,
            size_cells: C::WORD_BITS.div_ceil(model.maps.first().map_or(8, |map| map.cell_bits)),
            pc_mask: mask(model.pc.width_bits.min(64)) as u64,
            stopped: None,
        };
        flight.next = flight.first_course(0);
        flight
    }

    /// What it is of.
    pub(super) fn schedule(&self) -> &Schedule {
        self.automaton.schedule()
    }

    /// A cycle begins.
    #[inline(always)]
    pub(super) fn begin_cycle(&mut self, core: &mut C) {
        core.kernel().begun_cycles = Some(self.cycles);
        self.cycles += 1;
        self.course = self.next;
        if self.is_stalled {
            self.stand();
        }
        let Some(table) = self.tables.get(self.course as usize) else { return };
        let begins = table.begins;
        self.live = table.live;
        self.ranks[0] = table.ranks[0];
        if C::POSITIONS.len() > 16 {
            self.ranks = table.ranks;
        }
        if P::ON && (!begins || self.holds.is_any) {
            self.note_begin(begins);
        }
        if begins {
            self.begun += 1;
            let slot = self.free.trailing_zeros() & (SLOTS as u32 - 1);
            self.free &= !(1 << slot);
            self.order |= u64::from(slot) << ((4 * self.count) & 63);
            self.count += 1;
            let entry = &mut self.slots[slot as usize];
            entry.id = self.begun;
            entry.address = core.pc();
            entry.size_cells = 0;
            entry.record = UNDECODED;
            entry.counted = 0;
            entry.is_undecoded = false;
            if P::ON {
                entry.held.clear();
            }
        }
    }

    /// Finds what stands in this cycle.
    #[cold]
    #[inline(never)]
    pub(super) fn stand(&mut self) {
        self.is_stalled = false;
        for pipeline in 0..self.counters.len() {
            let counters = &mut self.counters[pipeline];
            let standing = counters.iter().rposition(|counter| *counter > 0);
            for counter in counters.iter_mut() {
                *counter = counter.saturating_sub(1);
                self.is_stalled |= *counter > 0;
            }
            if let Some(stage) = standing {
                let stage = StageId { pipeline: pipeline as u32, stage: stage as u32 };
                self.course = self.further(Happening { place: None, event: Event::Stands(stage) });
            }
        }
    }

    /// True if the turn at a position runs in this cycle.
    #[inline(always)]
    pub fn is_live(&self, position: u32) -> bool {
        self.live >> position & 1 == 1
    }

    /// The turn at a position begins.
    #[inline(always)]
    pub fn turn(&mut self, position: u32) -> Turn<'_, C, P> {
        let slot = self.slot_at(position);
        Turn::new(self, slot, position)
    }

    #[inline(always)]
    pub(super) fn slot_at(&self, position: u32) -> u32 {
        let rank = self.ranks[(position as usize / 16) & 3] >> (4 * (position & 15)) & 15;
        (self.order >> (4 * rank)) as u32 & (SLOTS as u32 - 1)
    }

    #[inline(always)]
    pub(super) fn slot(&self, slot: u32) -> &Slot<C, P> {
        &self.slots[slot as usize & (SLOTS - 1)]
    }

    #[inline(always)]
    pub(super) fn slot_mut(&mut self, slot: u32) -> &mut Slot<C, P> {
        &mut self.slots[slot as usize & (SLOTS - 1)]
    }

    pub(super) fn slot_of_rank(&self, rank: u32) -> u32 {
        (self.order >> ((4 * rank) & 63)) as u32 & (SLOTS as u32 - 1)
    }

    #[inline(always)]
    pub(super) fn place_of(&self, slot: u32) -> (u64, u32) {
        let slot = self.slot(slot);
        (slot.address, slot.size_cells)
    }

    #[inline(always)]
    pub(super) fn args(&self, slot: u32) -> C::Args {
        self.slot(slot).args
    }

    /// # Panics
    /// If the instruction has no such turn: a bug of the generator.
    #[inline(always)]
    pub(super) fn function(&self, slot: u32, turn: usize) -> TurnFn<C, P> {
        self.slot(slot).turns[turn]
    }

    pub(super) fn place_at(&self, position: u32) -> u32 {
        C::POSITIONS.get(position as usize).copied().unwrap_or_default()
    }

    /// The number of a place's turn in this cycle.
    pub(super) fn turn_number(&self, place: u32) -> u32 {
        let turns = &self.automaton.courses()[self.course as usize].turns;
        turns.iter().position(|turn| turn.place == place).unwrap_or_default() as u32
    }

    /// From the next cycle on, a stage and those before it stand still, if that is longer than what
    /// it has to stand already.
    #[inline(never)]
    pub(super) fn stall(&mut self, stage: StageId, cycles: u64, holder: Option<Holder>) {
        let (pipeline, number) = (stage.pipeline as usize, stage.stage as usize);
        let counter = &mut self.counters[pipeline][number];
        if cycles > *counter {
            *counter = cycles;
            self.is_stalled = true;
            if P::ON {
                self.holds.stalls[pipeline][number] = holder;
                self.holds.is_any = true;
            }
        }
    }

    /// Cancels every other instruction in a stage or before it.
    #[inline(never)]
    pub(super) fn flush(&mut self, position: u32, stage: StageId) {
        if self.is_stalled
            && let Some(counters) = self.counters.get_mut(stage.pipeline as usize)
        {
            counters.iter_mut().take(stage.stage as usize + 1).for_each(|counter| *counter = 0);
        }
        if self.cycles > 0 {
            self.tell(position, Event::Flush(stage));
        }
    }

    #[inline(always)]
    pub(super) fn is_busy(&self, position: u32, stage: StageId) -> bool {
        let number = self.schedule().stage_number(stage);
        match self.tables.get(self.course as usize) {
            Some(table) => table.busy[position as usize & (PLACES - 1)] >> number & 1 == 1,
            None => false,
        }
    }

    /// The cycle ends; true if the run ends with it.
    #[inline(always)]
    pub(super) fn end_cycle(&mut self, core: &mut C) -> bool {
        let Some(table) = self.tables.get_mut(self.course as usize) else { return true };
        if P::ON {
            table.times += 1;
        }
        let (ends, left, next) = (table.ends, table.left, table.next);
        let is_leaving = self.stop.is_some() || C::EXITS && self.exiting.is_some();
        match ends {
            Ends::Nothing => {}
            Ends::Oldest if !is_leaving => {
                let slot = self.order as u32 & (SLOTS as u32 - 1);
                self.order >>= 4;
                self.free |= 1 << slot;
                self.count = left;
                self.end_executed(slot, true);
            }
            Ends::Oldest | Ends::Others => self.end_several(core),
        }
        self.next = match next {
            UNKNOWN => self.find_next(),
            next => next,
        };
        is_leaving && self.take_stop()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn take_stop(&mut self) -> bool {
        self.stopped = self.stop.map(|(_, stop)| stop);
        self.stopped.is_some()
    }

    /// The instructions in flight, the oldest first.
    pub(super) fn in_flight(&self) -> impl Iterator<Item = &Slot<C, P>> {
        (0..self.count).map(|rank| self.slot(self.slot_of_rank(rank)))
    }
}
