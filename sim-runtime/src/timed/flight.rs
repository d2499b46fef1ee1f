//! Instructions in flight: what every cycle does.

use std::rc::Rc;
use std::sync::Arc;

use isac_ir::Model;
use isac_ir::automaton::Automaton;
use isac_ir::bits::mask;
use isac_ir::schedule::Schedule;
use isac_ir::time::StageId;
use rustc_hash::FxHashMap;
use sim_profile::LostCause;

use super::calls::CallTrail;
use super::core::{TimedCore, TurnFn};
use super::note::{Note, NoteKind};
use super::outcomes::Outcomes;
use super::prediction::{BEGINS_CLOSER, Deed, Over, Scene, Scenes, Slot};
use super::record::{Record, RecordKind};
use super::scene::{Act, Configuration, Known, Part, Plot, UNKNOWN, push_last};
use super::totals::Totals;
use super::turn::{Acted, Done, Turn};
use crate::fault::Stop;
use crate::kernel::{Profiling, Trap};

/// The record of no instruction.
pub(super) const NOBODY: u32 = 0;

/// A turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnAt {
    pub position: u32,
    /// The record of its instruction as the turn began.
    pub record: u32,
}

/// A turn that has not gone as its scene predicted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missed<M> {
    pub at: TurnAt,
    pub done: Done<M>,
    /// None if it is to find that a fault strikes.
    pub outcome: Option<Result<(), Trap>>,
}

impl<M> Missed<M> {
    /// The record of its instruction, by now.
    pub(super) fn record(&self) -> u32 {
        match self.done.decoded {
            UNKNOWN => self.at.record,
            decoded => decoded,
        }
    }
}

/// Instructions in flight.
pub struct Flight<C: TimedCore, P: Profiling> {
    /// What the turn at hand did to the pipeline, if it has done something and [`Flight::acts`] does not say
    /// it; else that of another turn.
    pub(super) deed: Deed,
    /// This cycle's scene; [`UNKNOWN`] behind reset, and where scenes were forgotten.
    pub(super) scene: u32,
    /// The one of the cycle before; [`UNKNOWN`] if none leads here.
    pub(super) before: u32,
    /// The next cycle's scene, where a cycle was looked at or the run has paused.
    pub(super) next: u32,
    /// What the turn at hand has decoded, for what is called by its address in the same turn.
    pub(super) decoded_now: u32,
    /// Whether a turn has done something to the pipeline: told to what is called by its address where the turn
    /// has decoded, and by it if it ends in a trap.
    pub(super) acted: Acted,
    /// True if a stage stands in the next cycle.
    pub(super) is_stalled: bool,
    /// [`CLOSER`](super::prediction::CLOSER) if the cycle's end has to be looked at, whatever the scene says; and
    /// [`BEGINS_CLOSER`] if the begin of the next one has to be.
    pub(super) closer: u32,
    /// Cycles that may be over at once beside those that the engine counts.
    pub(super) spare_cycles: u64,
    /// Instructions of the cycles since [`Flight::settle_over`].
    pub(super) over: Over,
    /// Instructions that have ended or were cancelled, before those.
    pub(super) taken: u64,
    /// Instructions that have ended.
    pub(super) instructions: u64,
    /// Of the turn that was called by its address last: conditions that hold.
    pub(super) due: u64,
    /// The turn that has not gone as predicted.
    pub(super) missed: Option<Missed<C::Mask>>,
    pub(super) records: Vec<Record<C, P>>,
    /// What is known of instructions in flight that no configuration says.
    pub(super) notes: Vec<Note>,
    /// What the turn at hand did to the pipeline, if it is more than one flush.
    pub(super) acts: Vec<Act>,
    /// With a profile alone: the last cycle in which a counter told of stalls, by number, and the stalls, each with the
    /// position of its turn.
    pub(super) stalls_now: (u64, Vec<(u32, Act)>),
    /// True if the cycle has gone otherwise than its first scene predicted.
    pub(super) is_elsewhere: bool,
    pub(super) plots: Vec<Plot>,
    /// By hash of a configuration, a begin and the first turns, a scene that has gone so, of those that are not the only
    /// one of their configuration.
    pub(super) agreeing: FxHashMap<u64, u32>,
    pub(super) outcomes: Outcomes,
    pub(super) configurations: Vec<Known>,
    pub(super) numbers: FxHashMap<Arc<Configuration>, u32>,
    pub(super) automaton: Automaton,
    /// By number of the course, its turns, if anybody has asked.
    pub(super) parts: Vec<Option<Rc<[Part]>>>,
    /// By address, kind and word, the number of the record.
    pub(super) known: FxHashMap<(u64, RecordKind, u64), u32>,
    /// By number of the stage: the last cycle in which it stands, by its number.
    pub(super) stands_until: Vec<u64>,
    /// Causes of lost cycles, by number.
    pub(super) causes: Vec<LostCause>,
    /// The operation that has asked for a retry last.
    pub(super) retried: u32,
    pub(super) totals: Totals,
    /// Who follows calls, if anybody does.
    pub(super) trail: Option<Box<CallTrail>>,
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
    /// Nothing is in flight; and the scene of the first cycle.
    ///
    /// # Panics
    /// If the model is none that the generator takes this kernel for.
    pub(super) fn new(model: &Model) -> (Self, Scenes<C, P>) {
        let schedule = match Schedule::of(model) {
            Ok(schedule) => schedule,
            Err(obstacle) => panic!("the generator has taken the wrong kernel: {obstacle}"),
        };
        let size_cells = C::WORD_BITS.div_ceil(schedule.decoding.cell_bits);
        let stages: u32 = schedule.pipelines.iter().map(|(stages, _)| stages).sum();
        let mut flight = Flight {
            deed: Deed::NONE,
            scene: 0,
            before: UNKNOWN,
            next: 0,
            decoded_now: UNKNOWN,
            acted: Acted::No,
            is_stalled: false,
            closer: 0,
            spare_cycles: 0,
            over: Over::default(),
            taken: 0,
            instructions: 0,
            due: 0,
            missed: None,
            records: vec![Record::new(u64::MAX, RecordKind::Begun)],
            notes: Vec::new(),
            acts: Vec::new(),
            stalls_now: (0, Vec::new()),
            is_elsewhere: false,
            plots: Vec::new(),
            agreeing: FxHashMap::default(),
            outcomes: Outcomes::default(),
            configurations: Vec::new(),
            numbers: FxHashMap::default(),
            automaton: Automaton::new(schedule),
            parts: Vec::new(),
            known: FxHashMap::default(),
            stands_until: vec![0; stages as usize],
            causes: Vec::new(),
            retried: 0,
            totals: Totals::default(),
            trail: None,
            stop: None,
            size_cells,
            pc_mask: mask(model.pc.width_bits.min(64)) as u64,
            left: None,
            stopped: None,
        };
        let mut scenes = Scenes::new();
        flight.next = flight.scene_of(&mut scenes, Configuration::default());
        (flight, scenes)
    }

    /// What it is of.
    pub(super) fn schedule(&self) -> &Schedule {
        self.automaton.schedule()
    }

    /// The next cycle's scene, with [`BEGINS_CLOSER`] if its begin has to be looked at.
    pub(super) fn next_or_closer(&self) -> u32 {
        self.next | self.closer & BEGINS_CLOSER
    }

    /// A cycle begins otherwise, or it has to be looked at how it does.
    #[inline(always)]
    pub(super) fn begin_closer(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) {
        self.scene &= !BEGINS_CLOSER;
        let scene = &scenes[self.scene as usize];
        let follows = P::ON && self.trail.is_some();
        if !follows || self.is_stalled || !scene.begins_at(core.pc()) {
            self.find_begin(core, scenes);
        }
        if follows {
            self.closer |= BEGINS_CLOSER;
            self.follow_beginning(core, scenes[self.scene as usize].begins);
        }
    }

    /// A cycle begins: how, is compared with its scene.
    #[inline(never)]
    fn find_begin(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) {
        let scene = &scenes[self.scene as usize];
        let stands = if self.is_stalled { self.stand(core, scene) } else { 0 };
        if scene.stands != stands || scene.begins && scene.pc != core.pc() {
            self.begin_elsewhere(scenes, stands, core.pc());
        }
        self.closer = self.closer & !BEGINS_CLOSER | if self.is_stalled { BEGINS_CLOSER } else { 0 };
    }

    /// Finds what stands in this cycle: of each pipeline the last stage, a bit for each by number.
    /// If it is one of several cycles that are all alike, all but the last are over with it.
    fn stand(&mut self, core: &mut C, scene: &Scene<C, P>) -> u64 {
        let cycle = core.kernel_ref().begun_cycles;
        let (mut stands, mut alike) = (0, u64::MAX);
        for (stages, first) in &self.automaton.schedule().pipelines {
            let until = &self.stands_until[*first as usize..(first + stages) as usize];
            if let Some(stage) = until.iter().rposition(|until| *until >= cycle) {
                stands |= 1 << (first + stage as u32);
                alike = alike.min(until[stage] - cycle);
            }
        }
        self.stand_on(core, scene, (stands, alike));
        let cycle = core.kernel_ref().begun_cycles;
        self.is_stalled = self.stands_until.iter().any(|until| *until > cycle);
        stands
    }

    /// The next cycles are all alike: as many of them are over as nothing happens in.
    fn stand_on(&mut self, core: &mut C, scene: &Scene<C, P>, (stands, alike): (u64, u64)) {
        if !scene.is_idle.get() || scene.stands != stands {
            return;
        }
        let further = alike.min(self.spare_cycles);
        self.spare_cycles -= further;
        core.kernel().begun_cycles += further;
        if P::ON && further > 0 {
            scene.link.times.set(scene.link.times.get() + further);
            let Some(effect) = self.plots[self.scene as usize].effect.clone() else { return };
            if let Some((rank, cause)) = effect.lost {
                self.note(rank, NoteKind::Lost(cause, further));
            }
            if let Some((trail, whose)) = self.trail.as_mut().zip(effect.payer) {
                trail.charge_lost(whose, further);
            }
        }
    }

    /// The turn at a position begins.
    #[inline(always)]
    pub fn turn<'f>(
        &'f mut self,
        scene: &'f Scene<C, P>,
        slot: &'f Slot<C, P>,
        position: u32,
    ) -> Turn<'f, C, P> {
        Turn::new(self, scene, slot, position)
    }

    /// The same at a usual position of a usual cycle.
    #[inline(always)]
    pub fn usual_turn<'f>(
        &'f mut self,
        scene: &'f Scene<C, P>,
        slot: &'f Slot<C, P>,
        position: u32,
    ) -> Turn<'f, C, P> {
        let mut turn = Turn::new(self, scene, slot, position);
        turn.counts_stalls = C::STALLS >> position & 1 == 1;
        turn
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

    /// What was called by its address tells which conditions hold, if anybody asks.
    #[inline(always)]
    pub(super) fn leave_due(&mut self, due: u64) {
        if C::DEPENDS != 0 {
            self.due = due;
        }
    }

    /// What it has told.
    #[inline(always)]
    pub(super) fn left_due(&self) -> u64 {
        if C::DEPENDS == 0 { 0 } else { self.due }
    }

    pub(super) fn place_at(&self, position: u32) -> u32 {
        C::POSITIONS.get(position as usize).copied().unwrap_or_default()
    }

    /// The rank of the instruction that has the turn at a position.
    pub(super) fn rank_at(&self, position: u32) -> u32 {
        let place = self.place_at(position);
        let course = self.automaton.courses().get(self.plots[self.scene as usize].course as usize);
        let turn = course.and_then(|course| course.turns.iter().find(|turn| turn.place == place));
        turn.map_or(0, |turn| turn.rank)
    }

    /// From the next cycle on, a stage and those before it stand still, if that is longer than what
    /// it has to stand already; true if it is.
    #[inline(never)]
    pub(super) fn stall(&mut self, core: &C, stage: StageId, cycles: u64) -> bool {
        let number = self.schedule().stage_number(stage);
        let until = &mut self.stands_until[number as usize];
        let last = core.kernel_ref().begun_cycles.saturating_add(cycles);
        let is_longer = last > *until;
        if is_longer {
            *until = last;
            self.is_stalled = true;
            self.closer |= BEGINS_CLOSER;
        }
        is_longer
    }

    /// Cancels every other instruction in a stage or before it; the turn may have acted before.
    #[inline(always)]
    pub(super) fn flush(&mut self, stage: StageId, acted: Acted) {
        match !self.is_stalled && acted == Acted::No {
            true => self.deed = Deed::flush(stage),
            false => self.flush_further(stage, acted),
        }
    }

    /// The same where a stage stands or something was done before.
    #[inline(never)]
    fn flush_further(&mut self, stage: StageId, acted: Acted) {
        if self.is_stalled {
            let (_, first) = self.schedule().pipelines[stage.pipeline as usize];
            let flushed = first as usize..=(first + stage.stage) as usize;
            self.stands_until[flushed].fill(0);
        }
        self.act(Act::Flush(stage), Deed::flush(stage), acted);
    }

    /// The turn at hand does something to the pipeline, and may have done so before; the deed is that of the
    /// act alone.
    pub(super) fn act(&mut self, act: Act, deed: Deed, acted: Acted) {
        if acted == Acted::No {
            self.deed = deed;
        } else if self.deed != deed {
            self.acts.extend(self.deed.act());
            self.deed = Deed::MORE;
            push_last(&mut self.acts, act);
        }
    }

    /// All that the turn at hand did to the pipeline.
    pub(super) fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.deed).with(std::mem::take(&mut self.acts))
    }

    #[inline(always)]
    pub(super) fn is_busy(
        &mut self,
        (slot, position): (&Slot<C, P>, u32),
        acted: Acted,
        number: u32,
    ) -> bool {
        let may_flush = C::FLUSHES >> position & 1 == 1;
        if !may_flush || slot.deed == Deed::NONE && acted == Acted::No {
            return slot.busy >> number & 1 == 1;
        }
        if acted == Acted::No {
            self.deed = Deed::NONE;
        }
        self.is_busy_so_far(position, number)
    }

    /// A cycle ends, which has gone as its scene says: the next one's scene, with [`CLOSER`] if the end has to
    /// be looked at.
    #[inline(always)]
    pub(super) fn end_cycle(&mut self, scene: &Scene<C, P>) -> u32 {
        let link = &scene.link;
        if P::ON {
            link.times.set(link.times.get() + 1);
        }
        self.over.add(link.over.get());
        link.next_or_closer() | self.closer
    }

    /// The instructions of the last cycles are counted; less than 2³² of them.
    pub(super) fn settle_over(&mut self) {
        let over = std::mem::take(&mut self.over);
        self.taken += over.all();
        self.instructions += over.executed();
    }
}
