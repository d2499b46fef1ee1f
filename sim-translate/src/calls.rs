//! Calls, as the engine follows them.
//!
//! Compiled code goes on by itself wherever the recorder need not be told: within functions, and at calls and
//! returns that it follows by itself ([`crate::frames`]). Other calls and returns, and ways to other functions,
//! come back to the engine, each time: it tells the recorder and enters the region there. A computed jump within a
//! function is nothing to the recorder as long as nobody is to return to where it leads; once somebody is, all code
//! is made anew.

use std::cell::OnceCell;

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::control::{Control, ControlCache};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use sim_profile::{Calls, Spending};
use sim_runtime::record::{
    CallRecorder, FunctionMap, RecordedWord, StaticKey, Step as Transfer, control_at, only_returns, step_of,
};

use crate::arena::Arena;
use crate::frames::Frames;
use crate::specialise::Step;

/// The word of a step with its width in bits, if it has one.
type StepWord = Option<(Bits, u32)>;

/// An instruction as it was met last.
struct Learnt {
    word: StepWord,
    size_cells: u32,
    /// What it may do to the flow of control, once somebody asks: most go on behind themselves, and nobody does.
    control: OnceCell<Option<Control>>,
}

/// Follows the calls of a run.
pub(crate) struct CallTrail {
    recorder: CallRecorder,
    /// By address.
    learnt: HashMap<u64, Learnt>,
    /// Where computed jumps lead of which compiled code says nothing.
    untold: HashSet<u64>,
    control_cache: ControlCache,
}

impl CallTrail {
    /// Of a run that begins at an address.
    pub(crate) fn new(map: FunctionMap, address: u64) -> CallTrail {
        CallTrail {
            recorder: CallRecorder::new(map, address),
            learnt: HashMap::default(),
            untold: HashSet::default(),
            control_cache: ControlCache::default(),
        }
    }

    /// Learns of a step that stands at its address.
    pub(crate) fn learn(&mut self, step: &Step) {
        if self.learnt.get(&step.address).is_some_and(|learnt| learnt.word == step.word) {
            return;
        }
        let learnt = Learnt { word: step.word, size_cells: step.size_cells, control: OnceCell::new() };
        self.learnt.insert(step.address, learnt);
    }

    /// Whether compiled code has to come back where a step that was learnt goes on at an address.
    pub(crate) fn is_told(&mut self, model: &Model, step: &Step, to: u64) -> bool {
        self.told_kind(model, step, to).is_some()
    }

    /// Whether a step that was learnt makes a call where it goes on at an address.
    pub(crate) fn is_call(&self, model: &Model, step: &Step, to: u64) -> bool {
        matches!(self.kind(model, step, to), Some(Transfer::Call { .. }))
    }

    /// Whether a step that was learnt may return from a call, and does nothing else where it jumps.
    pub(crate) fn returns(&self, model: &Model, step: &Step) -> bool {
        let successor = model.successor(step.address, step.size_cells);
        let control = self.known(model, step.address);
        control.is_some_and(|control| only_returns(control, self.branch_before(model, step), successor))
    }

    /// A step that was learnt is over and goes on at an address; the number of the way if the recorder has to be
    /// told the next time, too.
    pub(crate) fn follow(&mut self, model: &Model, step: &Step, to: u64, now: Spending) -> Option<u32> {
        let kind = self.told_kind(model, step, to)?;
        let way = self.recorder.way(step.address, to, kind);
        self.recorder.take(way, now);
        Some(way)
    }

    /// The same way is taken again.
    pub(crate) fn follow_again(&mut self, way: u32, now: Spending) {
        self.recorder.take(way, now);
    }

    /// A step was abandoned, and the run goes on at an address.
    pub(crate) fn follow_abandoned(&mut self, from: u64, to: u64, successor: u64, now: Spending) {
        self.recorder.cancelled(from, to, successor, now);
    }

    /// True if somebody is to return to where nobody was before.
    pub(crate) fn is_newly_awaited(&self) -> bool {
        self.recorder.is_newly_awaited()
    }

    /// True if somebody is to return to where compiled code jumps without saying so.
    pub(crate) fn is_stale(&mut self) -> bool {
        self.recorder.take_newly_awaited().iter().any(|address| self.untold.contains(address))
    }

    /// Compiled code is gone, and perhaps what it was made of.
    pub(crate) fn forget_code(&mut self, is_changed: bool) {
        self.untold.clear();
        if is_changed {
            self.recorder.forget_ways();
        }
    }

    /// The calls so far, with those that compiled code has made by itself.
    pub(crate) fn calls(&self, arena: &Arena, frames: Option<&Frames>, now: Spending) -> Calls {
        match frames {
            Some(frames) => {
                let mut recorder = self.recorder.clone();
                frames.tell(arena, &mut recorder);
                recorder.calls(now)
            }
            None => self.recorder.calls(now),
        }
    }

    /// The recorder, for whoever makes calls without telling each.
    pub(crate) fn recorder(&mut self) -> &mut CallRecorder {
        &mut self.recorder
    }

    /// What a transfer is, if whoever follows calls has to be told of it.
    fn told_kind(&mut self, model: &Model, step: &Step, to: u64) -> Option<Transfer> {
        let kind = self.kind(model, step, to)?;
        let is_told = !self.recorder.is_idle(kind, step.address, to);
        if !is_told && kind == Transfer::Computed {
            self.untold.insert(to);
        }
        is_told.then_some(kind)
    }

    /// What a transfer is; `None` if it is none between functions.
    fn kind(&self, model: &Model, step: &Step, to: u64) -> Option<Transfer> {
        let successor = model.successor(step.address, step.size_cells);
        if to == successor && !self.recorder.map().is_boundary(to) {
            return None;
        }
        let controls = (self.known(model, step.address)?, self.branch_before(model, step));
        Some(step_of(self.recorder.map(), controls, (step.address, successor, to)))
    }

    fn known(&self, model: &Model, address: u64) -> Option<&Control> {
        let Learnt { word, size_cells, control } = self.learnt.get(&address)?;
        let read = || {
            let (word, width_bits) = (*word)?;
            let words = vec![RecordedWord { element: 0, word, width_bits }];
            control_at((model, &self.control_cache), &StaticKey { address, words }, *size_cells)
        };
        control.get_or_init(read).as_ref()
    }

    /// The branch in whose delay slot a step is, if it is in one.
    fn branch_before(&self, model: &Model, step: &Step) -> Option<&Control> {
        // Whatever has a delay slot is as long as what is in it.
        let branch = self.known(model, step.address.wrapping_sub(u64::from(step.size_cells)));
        branch.filter(|control| control.has_slot(step.address))
    }
}
