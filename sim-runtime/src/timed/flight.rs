//! Instructions in flight: what every cycle does.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use isac_ir::Model;
use isac_ir::automaton::Automaton;
use isac_ir::bits::mask;
use isac_ir::schedule::Schedule;
use isac_ir::time::StageId;
use sim_profile::LostCause;

use super::calls::CallTrail;
use super::core::{TimedCore, TurnFn};
use super::note::{Note, NoteKind};
use super::prediction::{Deed, Over, Scene, Scenes, Slot};
use super::record::{Record, RecordKind};
use super::scene::{Act, Configuration, Known, Plot, UNKNOWN};
use super::totals::Totals;
use super::turn::{Done, Turn};
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

/// Instructions in flight.
pub struct Flight<C: TimedCore, P: Profiling> {
    /// What the turn at hand did to the pipeline, if [`Flight::acts`] does not say it.
    pub(super) deed: Deed,
    pub(super) scene: u32,
    /// The next cycle's scene.
    pub(super) next: u32,
    /// What the turn at hand has decoded, if it is one that decodes.
    pub(super) decoded_now: u32,
    /// True if a stage has a counter above 0.
    pub(super) is_stalled: bool,
    /// True if a cycle's begin has to be looked at: a stage stands, or calls are followed.
    pub(super) begins_closer: bool,
    /// True if the cycle's end has to be looked at, whatever the scene says.
    pub(super) is_closer: bool,
    /// Cycles that may be over at once beside those that the engine counts.
    pub(super) spare_cycles: u64,
    /// Instructions of the cycles since [`Flight::settle_over`].
    pub(super) over: Over,
    /// Instructions that have ended or were cancelled, before those.
    pub(super) taken: u64,
    /// Instructions that have ended.
    pub(super) instructions: u64,
    /// What is left of the turn that was called by its address last: conditions that hold, counters that
    /// have counted.
    pub(super) left_of_turn: (u64, C::Mask),
    /// The turn that has not gone as predicted.
    pub(super) missed: Option<Missed<C::Mask>>,
    pub(super) records: Vec<Record<C, P>>,
    /// What is known of instructions in flight that no configuration says.
    pub(super) notes: Vec<Note>,
    /// What the turn at hand did to the pipeline, if it is more than one flush.
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
            next: 0,
            decoded_now: UNKNOWN,
            is_stalled: false,
            begins_closer: false,
            is_closer: false,
            spare_cycles: 0,
            over: Over::default(),
            taken: 0,
            instructions: 0,
            left_of_turn: (0, C::Mask::default()),
            missed: None,
            records: vec![Record::new(u64::MAX, RecordKind::Begun)],
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

    /// A cycle begins: true if it begins as a scene predicts.
    #[inline(always)]
    pub(super) fn begin_cycle(&mut self, core: &mut C, (number, scene): (u32, &Scene<C, P>)) -> bool {
        self.scene = number;
        core.kernel().begun_cycles += 1;
        !self.begins_closer && core.pc() & scene.pc_bits == scene.pc_expected
    }

    /// A cycle begins otherwise, or it has to be looked at how it does.
    #[inline(always)]
    pub(super) fn begin_closer(&mut self, core: &mut C, scenes: &mut Scenes<C, P>) {
        let scene = &scenes[self.scene as usize];
        let follows = P::ON && self.trail.is_some();
        if !follows || self.is_stalled || core.pc() & scene.pc_bits != scene.pc_expected {
            self.find_begin(core, scenes);
        }
        if follows {
            self.begins_closer = true;
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
        self.begins_closer = self.is_stalled;
    }

    /// Finds what stands in this cycle: of each pipeline the last stage, a bit for each by number.
    /// If it is one of several cycles that are all alike, all but the last are over with it.
    fn stand(&mut self, core: &mut C, scene: &Scene<C, P>) -> u64 {
        let (mut stands, mut alike) = (0, u64::MAX);
        for (stages, first) in &self.automaton.schedule().pipelines {
            let counters = &self.counters[*first as usize..(first + stages) as usize];
            if let Some(stage) = counters.iter().rposition(|counter| *counter > 0) {
                stands |= 1 << (first + stage as u32);
                alike = alike.min(counters[stage]);
            }
        }
        let further = self.stand_on(core, scene, (stands, alike - 1));
        self.is_stalled = false;
        for counter in &mut self.counters {
            *counter = counter.saturating_sub(1 + further);
            self.is_stalled |= *counter > 0;
        }
        stands
    }

    /// The next cycles are all alike: as many of them are over as nothing happens in.
    fn stand_on(&mut self, core: &mut C, scene: &Scene<C, P>, (stands, alike): (u64, u64)) -> u64 {
        let link = &scene.link;
        let is_idle = scene.live == 0 && link.over.get().all() == 0 && link.next.get() == self.scene;
        if !is_idle || scene.stands != stands {
            return 0;
        }
        let further = alike.min(self.spare_cycles);
        self.spare_cycles -= further;
        core.kernel().begun_cycles += further;
        if P::ON && further > 0 {
            link.times.set(link.times.get() + further);
            let effect = Rc::clone(&self.plots[self.scene as usize].effect);
            if let Some((rank, cause)) = effect.lost {
                self.note(rank, NoteKind::Lost(cause, further));
            }
            if let Some((trail, whose)) = self.trail.as_mut().zip(effect.payer) {
                trail.charge_lost(whose, further);
            }
        }
        further
    }

    /// A turn has not gone as predicted; without an outcome it is to find that a fault strikes.
    #[cold]
    #[inline(never)]
    pub(super) fn miss(
        &mut self,
        slot: &Slot<C, P>,
        position: u32,
        done: Done<C::Mask>,
        outcome: Option<Result<(), Trap>>,
    ) {
        self.missed = Some(Missed { at: TurnAt { position, record: slot.record }, done, outcome });
    }

    /// The turn at a position begins.
    #[inline(always)]
    pub fn turn<'f>(
        &'f mut self,
        scene: &'f Scene<C, P>,
        slot: &'f Slot<C, P>,
        position: u32,
    ) -> Turn<'f, C, P> {
        if C::DECODES >> position & 1 == 1 {
            self.decoded_now = UNKNOWN;
        }
        Turn::new(self, scene, slot, position)
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

    /// What was called by its address tells what is left of its turn; what nobody asks for it keeps.
    #[inline(always)]
    pub(super) fn leave_turn(&mut self, due: u64, counted: C::Mask) {
        if C::DEPENDS != 0 {
            self.left_of_turn.0 = due;
        }
        if P::ON {
            self.left_of_turn.1 = counted;
        }
    }

    /// What it has told.
    #[inline(always)]
    pub(super) fn left_of_turn(&self) -> (u64, C::Mask) {
        let (due, counted) = self.left_of_turn;
        let due = if C::DEPENDS == 0 { 0 } else { due };
        (due, if P::ON { counted } else { C::Mask::default() })
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
            (self.is_stalled, self.begins_closer) = (true, true);
        }
        is_longer
    }

    /// Cancels every other instruction in a stage or before it.
    #[inline(always)]
    pub(super) fn flush(&mut self, stage: StageId) {
        match !self.is_stalled && self.deed == Deed::NONE {
            true => self.deed = Deed::flush(stage),
            false => self.flush_further(stage),
        }
    }

    /// The same where a stage stands or something was done before.
    #[inline(never)]
    fn flush_further(&mut self, stage: StageId) {
        if self.is_stalled {
            let (_, first) = self.schedule().pipelines[stage.pipeline as usize];
            let flushed = first as usize..=(first + stage.stage) as usize;
            self.counters[flushed].iter_mut().for_each(|counter| *counter = 0);
        }
        self.act(Act::Flush(stage), Deed::flush(stage));
    }

    /// The turn at hand does something to the pipeline; the deed is that of the act alone.
    pub(super) fn act(&mut self, act: Act, deed: Deed) {
        if self.deed == Deed::NONE {
            self.deed = deed;
        } else if self.deed != deed {
            self.acts.extend(self.deed.act());
            self.deed = Deed::MORE;
            if !self.acts.contains(&act) {
                self.acts.push(act);
            }
        }
    }

    /// All that the turn at hand did to the pipeline.
    pub(super) fn take_acts(&mut self) -> Vec<Act> {
        let mut acts = std::mem::take(&mut self.acts);
        acts.extend(std::mem::take(&mut self.deed).act());
        acts
    }

    #[inline(always)]
    pub(super) fn is_busy(&mut self, slot: &Slot<C, P>, position: u32, number: u32) -> bool {
        let may_flush = C::FLUSHES >> position & 1 == 1;
        if !may_flush || slot.deed == Deed::NONE && self.deed == Deed::NONE {
            return slot.busy >> number & 1 == 1;
        }
        self.is_busy_so_far(position, number)
    }

    /// A cycle ends, which has gone as its scene says: true if that has to be looked at.
    #[inline(always)]
    pub(super) fn end_cycle(&mut self, scene: &Scene<C, P>) -> bool {
        let link = &scene.link;
        if P::ON {
            link.times.set(link.times.get() + 1);
        }
        self.over.add(link.over.get());
        link.is_closer.get() | self.is_closer
    }

    /// The instructions of the last cycles are counted; less than 2³² of them.
    pub(super) fn settle_over(&mut self) {
        let over = std::mem::take(&mut self.over);
        self.taken += over.all();
        self.instructions += over.executed();
    }
}
