//! Instructions in flight: what every cycle does.

use std::collections::HashMap;
use std::sync::Arc;

use isac_ir::Model;
use isac_ir::automaton::Automaton;
use isac_ir::bits::mask;
use isac_ir::schedule::Schedule;
use isac_ir::time::StageId;
use sim_profile::{CacheLines, LostCause};

use super::core::{TimedCore, TurnFn};
use super::note::{Note, NoteKind};
use super::record::{Record, RecordKind};
use super::scene::{Act, Configuration, Known, Plot, Scene, UNKNOWN};
use super::totals::Totals;
use super::turn::Turn;
use crate::fault::Stop;
use crate::kernel::Profiling;

/// The record of no instruction.
pub(super) const NOBODY: u32 = 0;

/// Instructions in flight.
pub struct Flight<C: TimedCore, P: Profiling> {
    /// Positions whose turns run in this cycle.
    pub(super) live: u64,
    /// As [`Scene::closer`]; all ones as soon as the turn at hand has done anything to the pipeline,
    /// or decoded something else.
    pub(super) closer: u64,
    pub(super) scene: u32,
    /// The next cycle's scene.
    pub(super) next: u32,
    /// The last cycle's scene.
    pub(super) before: u32,
    /// What the turn at hand has decoded, if it is one that decodes.
    pub(super) decoded_now: u32,
    /// True if a stage has a counter above 0.
    pub(super) is_stalled: bool,
    /// True if the cycle's end has to be looked at, whatever the scene says.
    pub(super) is_closer: bool,
    /// Cycles that may be over at once beside those that the engine counts.
    pub(super) spare_cycles: u64,
    /// Cycles begun, extra cycles left out.
    pub(super) cycles: u64,
    /// Instructions that have ended or were cancelled.
    pub(super) taken: u64,
    /// Instructions that have ended.
    pub(super) instructions: u64,
    pub(super) scenes: Vec<Scene<C>>,
    /// With a profile alone: by scene and position, the counters that count.
    pub(super) masks: Vec<C::Masks>,
    pub(super) records: Vec<Record<C, P>>,
    /// With a profile alone: what was touched of each cache until now.
    pub(super) seen: Vec<CacheLines>,
    /// What is known of instructions in flight that no configuration says.
    pub(super) notes: Vec<Note>,
    /// What the turn at hand did to the pipeline.
    pub(super) acts: Vec<Act>,
    /// True if the cycle has gone otherwise than its first scene predicted.
    pub(super) is_elsewhere: bool,
    pub(super) plots: Vec<Plot>,
    pub(super) configurations: Vec<Known>,
    pub(super) numbers: HashMap<Arc<Configuration>, u32>,
    pub(super) automaton: Automaton,
    /// By address, kind and word, the number of the record.
    pub(super) known: HashMap<(u64, RecordKind, u64), u32>,
    /// By number of the stage: cycles for which it stands after this one.
    pub(super) counters: Vec<u64>,
    /// Causes of lost cycles, by number.
    pub(super) causes: Vec<LostCause>,
    /// The operation that has asked for a retry last.
    pub(super) retried: u32,
    pub(super) totals: Totals,
    /// The turn that ends the run with its cycle.
    pub(super) stop: Option<(u32, Stop)>,
    /// Size of an instruction in cells.
    pub(super) size_cells: u32,
    /// The bits of an address in the program counter.
    pub(super) pc_mask: u64,
    /// What is in flight, if the run has ended in the middle of a cycle.
    pub(super) left: Option<Configuration>,
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
        let size_cells = C::WORD_BITS.div_ceil(schedule.decoding.cell_bits);
        let stages: u32 = schedule.pipelines.iter().map(|(stages, _)| stages).sum();
        let mut flight = Flight {
            live: 0,
            closer: 0,
            scene: 0,
            next: 0,
            before: UNKNOWN,
            decoded_now: UNKNOWN,
            is_stalled: false,
            is_closer: false,
            spare_cycles: 0,
            cycles: 0,
            taken: 0,
            instructions: 0,
            scenes: Vec::new(),
            masks: Vec::new(),
            records: vec![Record::new(u64::MAX, RecordKind::Begun)],
            seen: vec![CacheLines::default(); model.caches.len()],
            notes: Vec::new(),
            acts: Vec::new(),
            is_elsewhere: false,
            plots: Vec::new(),
            configurations: Vec::new(),
            numbers: HashMap::new(),
            automaton: Automaton::new(schedule),
            known: HashMap::new(),
            counters: vec![0; stages as usize],
            causes: Vec::new(),
            retried: 0,
            totals: Totals::default(),
            stop: None,
            size_cells,
            pc_mask: mask(model.pc.width_bits.min(64)) as u64,
            left: None,
            stopped: None,
        };
        flight.next = flight.scene_of(Configuration::default());
        flight
    }

    /// What it is of.
    pub(super) fn schedule(&self) -> &Schedule {
        self.automaton.schedule()
    }

    /// A cycle begins.
    #[inline(always)]
    pub(super) fn begin_cycle(&mut self, core: &mut C) {
        self.scene = self.next;
        let stands = if self.is_stalled { self.stand() } else { 0 };
        core.kernel().begun_cycles = Some(self.cycles);
        self.cycles += 1;
        let Some(scene) = self.scenes.get(self.scene as usize) else { return };
        if scene.stands != stands || scene.begins && scene.pc != core.pc() {
            self.begin_elsewhere(stands, core.pc());
            return;
        }
        self.live = scene.live;
        self.closer = scene.closer;
    }

    /// Finds what stands in this cycle: of each pipeline the last stage, a bit for each by number.
    /// If it is one of several cycles that are all alike, all but the last are over with it.
    #[inline(never)]
    fn stand(&mut self) -> u64 {
        let (mut stands, mut alike) = (0, u64::MAX);
        for (stages, first) in &self.automaton.schedule().pipelines {
            let counters = &self.counters[*first as usize..(first + stages) as usize];
            if let Some(stage) = counters.iter().rposition(|counter| *counter > 0) {
                stands |= 1 << (first + stage as u32);
                alike = alike.min(counters[stage]);
            }
        }
        let further = self.stand_on(stands, alike - 1);
        self.is_stalled = false;
        for counter in &mut self.counters {
            *counter = counter.saturating_sub(1 + further);
            self.is_stalled |= *counter > 0;
        }
        stands
    }

    /// The next cycles are all alike: as many of them are over as nothing happens in.
    fn stand_on(&mut self, stands: u64, alike: u64) -> u64 {
        let Some(scene) = self.scenes.get_mut(self.scene as usize) else { return 0 };
        let is_idle = scene.live == 0 && scene.taken == 0 && scene.next == self.scene;
        if !is_idle || scene.stands != stands {
            return 0;
        }
        let further = alike.min(self.spare_cycles);
        self.spare_cycles -= further;
        self.cycles += further;
        if P::ON && further > 0 {
            scene.times += further;
            if let Some((rank, cause)) = self.plots[self.scene as usize].effect.lost {
                self.note(rank, NoteKind::Lost(cause, further));
            }
        }
        further
    }

    /// True if the turn at a position runs in this cycle.
    #[inline(always)]
    pub fn is_live(&self, position: u32) -> bool {
        self.live >> position & 1 == 1
    }

    /// True if the turns at just these positions run in this cycle, a bit for each.
    #[inline(always)]
    pub fn are_live(&self, positions: u64) -> bool {
        self.live == positions
    }

    /// The turns up to a position have been.
    pub fn pass(&mut self, position: u32) {
        self.live &= u64::MAX.checked_shl(position + 1).unwrap_or(0);
    }

    /// True if the run has left its cycle.
    pub fn has_left(&self) -> bool {
        self.stopped.is_some()
    }

    /// The turn at a position begins.
    #[inline(always)]
    pub fn turn(&mut self, position: u32) -> Turn<'_, C, P> {
        if C::DECODES >> position & 1 == 1 {
            self.decoded_now = UNKNOWN;
        }
        let record = self.row(position);
        Turn::new(self, record, position)
    }

    /// The record of the instruction that has the turn at a position.
    #[inline(always)]
    pub(super) fn row(&self, position: u32) -> u32 {
        let scene = self.scenes.get(self.scene as usize);
        scene.and_then(|scene| scene.row.as_ref().get(position as usize)).copied().unwrap_or(NOBODY)
    }

    /// The record of what is decoded in this cycle, as predicted.
    #[inline(always)]
    pub(super) fn predicted(&self) -> u32 {
        self.scenes.get(self.scene as usize).map_or(UNKNOWN, |scene| scene.decoded)
    }

    #[inline(always)]
    pub(super) fn place_of(&self, record: u32) -> (u64, u32) {
        self.records.get(record as usize).map_or((0, 0), |record| (record.address, record.size_cells))
    }

    /// # Panics
    /// If there is no such record: a bug of the kernel.
    #[inline(always)]
    pub(super) fn args(&self, record: u32) -> C::Args {
        self.records[record as usize].args
    }

    /// # Panics
    /// If the instruction has no such turn: a bug of the generator.
    #[inline(always)]
    pub(super) fn function(&self, record: u32, turn: usize) -> TurnFn<C, P> {
        self.records[record as usize].turns[turn]
    }

    pub(super) fn place_at(&self, position: u32) -> u32 {
        C::POSITIONS.get(position as usize).copied().unwrap_or_default()
    }

    /// The rank of the instruction that has the turn at a position.
    pub(super) fn rank_at(&self, position: u32) -> u32 {
        let parts = &self.plots[self.scene as usize].parts;
        parts.iter().find(|part| part.position == position).map_or(0, |part| part.rank)
    }

    /// From the next cycle on, a stage and those before it stand still, if that is longer than what
    /// it has to stand already; true if it is.
    #[inline(never)]
    pub(super) fn stall(&mut self, stage: StageId, cycles: u64) -> bool {
        let number = self.schedule().stage_number(stage);
        let counter = &mut self.counters[number as usize];
        let is_longer = cycles > *counter;
        if is_longer {
            *counter = cycles;
            self.is_stalled = true;
        }
        is_longer
    }

    /// Cancels every other instruction in a stage or before it.
    #[inline(never)]
    pub(super) fn flush(&mut self, stage: StageId) {
        if self.is_stalled {
            let (_, first) = self.schedule().pipelines[stage.pipeline as usize];
            let flushed = first as usize..=(first + stage.stage) as usize;
            self.counters[flushed].iter_mut().for_each(|counter| *counter = 0);
        }
        let act = Act::Flush(stage);
        if !self.acts.contains(&act) {
            self.acts.push(act);
        }
        self.closer = u64::MAX;
    }

    #[inline(always)]
    pub(super) fn is_busy(&mut self, position: u32, number: u32) -> bool {
        if let Some(scene) = self.scenes.get(self.scene as usize)
            && (C::FLUSHES >> position & 1 == 0
                || scene.flushing >> position & 1 == 0 && self.closer != u64::MAX)
        {
            return scene.busy.as_ref().get(position as usize).is_some_and(|busy| busy >> number & 1 == 1);
        }
        self.is_busy_so_far(position, number)
    }

    /// The cycle ends; true if the run ends with it.
    #[inline(always)]
    pub(super) fn end_cycle(&mut self, core: &mut C) -> bool {
        let Some(scene) = self.scenes.get_mut(self.scene as usize) else { return true };
        if P::ON {
            scene.times += 1;
        }
        self.taken += u64::from(scene.taken);
        self.instructions += u64::from(scene.executed);
        self.next = scene.next;
        if scene.is_closer || self.is_closer {
            return self.end_closer(core);
        }
        self.before = self.scene;
        false
    }
}
