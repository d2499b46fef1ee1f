//! The engine's state, kept and taken up again.
//!
//! Memories are kept page by page; a page that is as it was in the state before is shared with it.

use isac_ir::bits::Bits;
use sim_profile::EventProfiler;

use super::ReferenceEngine;
use super::flight::Flight;
use super::step::Counts;
use crate::cache::AccessCosts;
use crate::device::Devices;
use crate::fault::Stop;
use crate::inspection::{Flying, SavedEngine};
use crate::memory::SavedMemory;
use crate::program_order::ProgramOrder;
use crate::record::{CallFollower, CallsInFlight};

/// All that a run has changed.
struct Saved {
    registers: Vec<Vec<Bits>>,
    memory: SavedMemory,
    devices: Devices,
    costs: Option<AccessCosts>,
    reached: Vec<Option<u32>>,
    counts: Counts,
    profiler: Option<EventProfiler>,
    flight: Flight,
    order: ProgramOrder,
    taken: u64,
    exiting: Option<u64>,
    is_reset: bool,
    stopped: Option<Stop>,
    calls: Option<CallFollower>,
    calls_in_flight: Option<CallsInFlight>,
}

impl ReferenceEngine<'_> {
    /// The state at hand; `None` where somebody else listens, who cannot forget what was told.
    pub(super) fn save_state(&mut self) -> Option<SavedEngine> {
        if self.events.writer.is_some() || self.trace.is_some() {
            return None;
        }
        Some(SavedEngine::new(Saved {
            registers: self.state.registers.clone(),
            memory: self.state.memory.save(),
            devices: self.state.devices.clone(),
            costs: self.state.costs.clone(),
            reached: self.state.reached.clone(),
            counts: self.counts,
            profiler: self.events.profiler.clone(),
            flight: self.flight.clone(),
            order: self.order.clone(),
            taken: self.taken,
            exiting: self.exiting,
            is_reset: self.is_reset,
            stopped: self.stopped,
            calls: self.calls.clone(),
            calls_in_flight: self.calls_in_flight.clone(),
        }))
    }

    /// Takes up a state of this engine; false if it is of another kind.
    pub(super) fn take_up_state(&mut self, saved: &SavedEngine) -> bool {
        let Some(saved) = saved.get::<Saved>() else { return false };
        self.state.registers.clone_from(&saved.registers);
        self.state.memory.restore(&saved.memory);
        self.state.devices.clone_from(&saved.devices);
        self.state.costs.clone_from(&saved.costs);
        self.state.reached.clone_from(&saved.reached);
        self.counts = saved.counts;
        self.events.profiler.clone_from(&saved.profiler);
        self.flight.clone_from(&saved.flight);
        self.order.clone_from(&saved.order);
        self.taken = saved.taken;
        self.exiting = saved.exiting;
        self.is_reset = saved.is_reset;
        self.stopped = saved.stopped;
        self.calls.clone_from(&saved.calls);
        self.calls_in_flight.clone_from(&saved.calls_in_flight);
        if let Some(touched) = &mut self.state.touched {
            touched.clear();
        }
        true
    }

    /// What is in flight between two cycles.
    pub(super) fn flying_now(&self) -> Flying {
        let (pending, standing) = self.flight.to_come();
        Flying { instructions: self.trace_in_flight(), pending, standing }
    }
}
