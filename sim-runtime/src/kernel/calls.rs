//! Calls, as the dispatcher follows them.
//!
//! The link of a call, of a return, or from one function to another has the number of its way: who
//! goes there tells the recorder, and goes on without the dispatcher. All others go on as they do
//! without calls. A computed jump within a function is nothing to the recorder as long as nobody is
//! to return to where it leads; its link is undone once somebody is.

use std::collections::HashMap;

use isac_ir::Model;
use isac_ir::control::Control;
use sim_profile::{Calls, Spending};

use super::block::Static;
use super::machine::Core;
use crate::record::{CallRecorder, FunctionMap, step_of};

/// Follows calls of a core that runs in blocks.
pub(super) struct CallTrail {
    recorder: CallRecorder,
    /// By address; forgotten with the blocks.
    controls: HashMap<u64, Option<Control>>,
}

impl CallTrail {
    pub(super) fn new(map: FunctionMap, address: u64) -> CallTrail {
        CallTrail { recorder: CallRecorder::new(map, address), controls: HashMap::new() }
    }

    /// The functions.
    pub(super) fn map(&self) -> &FunctionMap {
        self.recorder.map()
    }

    /// A way that was followed before is taken again.
    #[inline(always)]
    pub(super) fn take(&mut self, way: u32, now: Spending) {
        self.recorder.take(way, now);
    }

    /// The addresses that somebody is to return to, for the first time.
    pub(super) fn take_newly_awaited(&mut self) -> Vec<u64> {
        self.recorder.take_newly_awaited()
    }

    /// Whether an instruction has to do with the one behind it: that is in its delay slot.
    pub(super) fn has_slot(&mut self, model: &Model, entry: &Static) -> bool {
        let control = self.controls.entry(entry.address).or_insert_with(|| entry.control(model));
        let successor = model.successor(entry.address, entry.size_cells);
        control.as_ref().is_some_and(|control| control.has_slot(successor))
    }

    /// An instruction was cancelled, and the run goes on at the PC: elsewhere, if that is another
    /// function, by an interrupt or what is like one.
    pub(super) fn follow_cancelled<C: Core>(&mut self, core: &C, source: &Static) {
        let successor = core.model().successor(source.address, source.size_cells);
        let kernel = core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        self.recorder.cancelled(source.address, core.pc(), successor, now);
    }

    /// An instruction has ended and gone on at the PC; `source` is that one and the one before it.
    /// The number of its way, if the recorder has to be told the next time, too. Where it was struck it would
    /// have gone on elsewhere, and has no way.
    pub(super) fn follow<C: Core>(
        &mut self,
        core: &C,
        source: (&Static, Option<&Static>),
        struck: Option<u64>,
    ) -> Option<u32> {
        let Some(next) = struck else { return self.go_on(core, source, core.pc()) };
        self.go_on(core, source, next);
        let kernel = core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        self.recorder.strike(next, core.pc(), now);
        None
    }

    fn go_on<C: Core>(
        &mut self,
        core: &C,
        (source, before): (&Static, Option<&Static>),
        to: u64,
    ) -> Option<u32> {
        let model = core.model();
        let successor = model.successor(source.address, source.size_cells);
        if to == successor && !self.map().is_boundary(to) {
            return None;
        }
        for entry in before.into_iter().chain([source]) {
            self.controls.entry(entry.address).or_insert_with(|| entry.control(model));
        }
        let known = |entry: &Static| self.controls.get(&entry.address)?.as_ref();
        let step = step_of(known(source)?, before.and_then(known), successor, to);
        if self.recorder.is_idle(step, source.address, to) {
            return None;
        }
        let kernel = core.kernel_ref();
        let way = self.recorder.way(source.address, to, step);
        self.recorder.take(way, Spending { instructions: kernel.instructions, cycles: kernel.cycles() });
        Some(way)
    }

    /// Code has changed.
    pub(super) fn forget_code(&mut self) {
        self.controls.clear();
        self.recorder.forget_ways();
    }

    pub(super) fn calls(&self, now: Spending) -> Calls {
        self.recorder.calls(now)
    }
}
