//! Calls, as the dispatcher follows them.
//!
//! The link of a call, of a return, or from one function to another has the number of its way: who
//! goes there tells the recorder, and goes on without the dispatcher. All others go on as they do
//! without calls. A computed jump within a function is nothing to the recorder as long as nobody is
//! to return to where it leads; its link is undone once somebody is.

use std::collections::HashMap;

use isac_ir::control::{Control, ControlCache};
use sim_profile::{Calls, Spending};

use super::block::{Static, control_at_cell};
use super::machine::{BlockCore, Core, Profiling};
use crate::record::{CallRecorder, FunctionMap, own_step, step_of};

/// Follows calls of a core that runs in blocks.
pub(super) struct CallTrail {
    recorder: CallRecorder,
    /// By address; forgotten with the blocks.
    controls: HashMap<u64, Option<Control>>,
    control_cache: ControlCache,
}

impl CallTrail {
    pub(super) fn new(map: FunctionMap, address: u64) -> CallTrail {
        CallTrail {
            recorder: CallRecorder::new(map, address),
            controls: HashMap::new(),
            control_cache: ControlCache::default(),
        }
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

    /// An instruction was cancelled, and the run goes on at the PC: elsewhere, if that is another
    /// function, by an interrupt or what is like one.
    pub(super) fn follow_cancelled<C: Core>(&mut self, core: &C, source: &Static) {
        let successor = core.model().successor(source.address, source.size_cells);
        let kernel = core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        self.recorder.cancelled(source.address, core.pc(), successor, now);
    }

    /// An instruction has ended and gone on at the PC. The number of its way, if the recorder has to be told the
    /// next time, too. Where it was struck it would have gone on elsewhere, and has no way.
    pub(super) fn follow<C: BlockCore, P: Profiling>(
        &mut self,
        core: &C,
        source: &Static,
        struck: Option<u64>,
    ) -> Option<u32> {
        let Some(next) = struck else { return self.go_on::<C, P>(core, source, core.pc()) };
        self.go_on::<C, P>(core, source, next);
        let kernel = core.kernel_ref();
        let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
        self.recorder.strike(next, core.pc(), now);
        None
    }

    fn go_on<C: BlockCore, P: Profiling>(&mut self, core: &C, source: &Static, to: u64) -> Option<u32> {
        let model = core.model();
        let successor = model.successor(source.address, source.size_cells);
        if to == successor && !self.map().is_boundary(to) {
            return None;
        }
        let cache = &self.control_cache;
        let control = self.controls.entry(source.address).or_insert_with(|| source.control((model, cache)));
        let is_explained = own_step(control.as_ref()?, successor, to).is_some();
        // Whatever has a delay slot is as long as what is in it.
        let behind = source.address.wrapping_sub(u64::from(source.size_cells));
        if !is_explained {
            self.controls.entry(behind).or_insert_with(|| control_at_cell::<C, P>(core, cache, behind));
        }
        let known = |address: u64| self.controls.get(&address)?.as_ref();
        let branch = known(behind).filter(|branch| !is_explained && branch.has_slot(source.address));
        let places = (source.address, successor, to);
        let step = step_of(self.map(), (known(source.address)?, branch), places);
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
