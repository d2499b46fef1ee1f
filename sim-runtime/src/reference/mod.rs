//! The reference engine: interprets isac-ir in the plainest way and tells every event.
//!
//! It is the oracle that every other engine is held against, so it shares nothing with them but
//! the model: it decodes each word anew, evaluates each expression as a tree of 128-bit numbers,
//! and counts nothing itself: whatever is known of a run is derived from its events.

mod calls;
mod cost;
mod cycle;
mod evaluate;
mod execution;
mod fetch;
mod flight;
mod follow;
mod hold;
mod instruction;
mod operand;
mod place;
mod saved;
mod stage;
mod state;
mod statement;
mod step;
mod tracing;
mod value;
mod visit;

use std::collections::BTreeSet;

use isac_ir::Model;
use sim_profile::{
    Calls, Event, EventProfiler, EventSink, Measurement, PipelineView, Samples, Sampling, Spending,
    ValueTable,
};

use crate::cache::AccessCosts;
use crate::engine::{CacheStatistics, Engine, Machine};
use crate::fault::Stop;
use crate::host::Host;
use crate::inspection::{Flying, Follow, PassedStatement, SavedEngine, TouchedCells, Within};
use crate::pause::Pauses;
use crate::program_order::ProgramOrder;
use crate::record::{
    CallFollower, CallsInFlight, CheckCounter, FunctionMap, ValueChoice, ValueRecorder, model_tables,
};
use crate::trace::TraceSink;
use flight::Flight;
use follow::Follower;
use instruction::Instruction;
use state::State;
use step::{Counts, Leaving};
use visit::Visits;

/// The reference engine with a processor's state in it.
pub struct ReferenceEngine<'m> {
    state: State<'m>,
    counts: Counts,
    events: Events<'m>,
    trace: Option<Box<dyn TraceSink + 'm>>,
    flight: Flight,
    order: ProgramOrder,
    /// Instructions that have ended or were cancelled.
    taken: u64,
    /// The instruction that has written to an EXIT device.
    exiting: Option<u64>,
    is_reset: bool,
    simulates_caches: bool,
    stopped: Option<Stop>,
    calls: Option<CallFollower>,
    /// The same where instructions overlap.
    calls_in_flight: Option<CallsInFlight>,
    sampled: Option<CheckCounter>,
    values: Option<ValueRecorder>,
    visits: Option<Visits>,
    /// The model as it is without points.
    plain: &'m Model,
    /// The same with a point at each statement, if it can be followed.
    followed: Option<&'m Model>,
    /// Who follows the statements, if anybody does now.
    follower: Option<Follower>,
    pauses: Pauses,
}

/// Who listens to the events.
struct Events<'m> {
    profiler: Option<EventProfiler>,
    /// Whether the profiler is told nothing, between samples.
    is_silent: bool,
    writer: Option<Box<dyn EventSink + 'm>>,
}

impl EventSink for Events<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(profiler) = self.profiler.as_mut().filter(|_| !self.is_silent) {
            profiler.event(event);
        }
        if let Some(writer) = &mut self.writer {
            writer.event(event);
        }
    }
}

impl<'m> ReferenceEngine<'m> {
    /// A processor after reset, without profiling.
    pub fn new(model: &'m Model) -> ReferenceEngine<'m> {
        ReferenceEngine {
            state: State::new(model),
            counts: Counts::default(),
            events: Events { profiler: None, is_silent: false, writer: None },
            trace: None,
            flight: Flight::new(model),
            order: ProgramOrder::default(),
            taken: 0,
            exiting: None,
            is_reset: false,
            simulates_caches: model.overlaps(),
            stopped: None,
            calls: None,
            calls_in_flight: None,
            sampled: None,
            values: None,
            visits: None,
            plain: model,
            followed: None,
            follower: None,
            pauses: Pauses::default(),
        }
    }

    /// The same with caches and latencies, which models without overlapping instructions do without
    /// otherwise.
    #[must_use]
    pub fn with_caches(mut self) -> Self {
        self.simulates_caches = true;
        self
    }

    /// The same with a profile made of the events.
    #[must_use]
    pub fn with_profile(mut self) -> Self {
        self.events.profiler = Some(EventProfiler::new(model_tables(self.state.model)));
        self
    }

    /// The same with somebody else listening to the events.
    #[must_use]
    pub fn with_events(mut self, sink: Box<dyn EventSink + 'm>) -> Self {
        self.events.writer = Some(sink);
        self
    }

    /// The same with somebody listening to what happens in each cycle.
    #[must_use]
    pub fn with_trace(mut self, sink: Box<dyn TraceSink + 'm>) -> Self {
        self.trace = Some(sink);
        self
    }

    /// The same with counts of how often each point of the description was passed: of a model that was
    /// lowered with so many of them, and is else the same as `plain`, which whoever asks is told of.
    #[must_use]
    pub fn with_visits(mut self, points: usize, plain: &'m Model) -> Self {
        self.visits = Some(Visits::new(points));
        self.plain = plain;
        self
    }

    /// The same with statements that can be followed: those of a model that was lowered with points, and
    /// is else the same.
    ///
    /// # Panics
    /// If it is another model.
    #[must_use]
    pub fn with_statements(mut self, followed: &'m Model) -> Self {
        assert!(followed.time == self.plain.time, "the model with points is the same but for these");
        self.followed = Some(followed);
        self
    }

    /// Empties the caches and runs operation `reset`, once, before the first cycle; it belongs to no
    /// instruction.
    fn reset(&mut self, host: &mut Host) -> Option<Stop> {
        if std::mem::replace(&mut self.is_reset, true) {
            return None;
        }
        if self.simulates_caches {
            self.state.costs = Some(AccessCosts::new(self.state.model, host.seed()));
        }
        let reset = self.state.model.reset?;
        let address = self.state.pc();
        let mut step = self.step(host, Instruction { address, ..Instruction::default() }, 0);
        let outcome = match step.run_alone(reset) {
            Err(Leaving::Doomed(kind)) => Err(Leaving::Fault(kind)),
            outcome => outcome,
        };
        let cycle = step.counts.cycles;
        let ending = step.settle(outcome);
        self.charge(None, self.counts.extra_cycles);
        let exit = self.state.devices.exit_status();
        self.stop(ending, (address, cycle), exit)
    }
}

impl Engine for ReferenceEngine<'_> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.state
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.stopped {
            return stop;
        }
        if let Some(stop) = self.reset(host) {
            self.stopped = Some(stop);
            return stop;
        }
        let before = self.taken;
        for _ in 0..instructions {
            if self.pauses.is_at(|| self.state.pc()) {
                return Stop::Paused { taken: self.taken - before, is_at_address: true };
            }
            if let Some(stop) = self.cycle(host) {
                self.stopped = Some(stop);
                return stop;
            }
            if self.taken - before >= instructions {
                break;
            }
        }
        match self.state.model.overlaps() {
            true => Stop::Paused { taken: self.taken - before, is_at_address: false },
            false => Stop::Budget,
        }
    }

    fn pause_at(&mut self, addresses: &BTreeSet<u64>) -> bool {
        let pauses = !self.state.model.overlaps();
        if pauses {
            self.pauses = Pauses::new(addresses);
        }
        pauses
    }

    fn model(&self) -> Option<&isac_ir::Model> {
        Some(self.plain)
    }

    fn instructions(&self) -> u64 {
        self.counts.instructions
    }

    fn cycles(&self) -> u64 {
        self.counts.cycles
    }

    fn caches(&self) -> Vec<CacheStatistics> {
        let names = self.state.model.caches.iter().map(|cache| cache.name.clone());
        let touched = self.state.costs.iter().flat_map(AccessCosts::touched);
        names.zip(touched).map(|(name, lines)| CacheStatistics { name, lines }).collect()
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        let address = self.state.pc();
        match self.state.model.overlaps() {
            true => self.calls_in_flight = Some(CallsInFlight::new(map, address)),
            false => self.calls = Some(CallFollower::new(map, address)),
        }
        true
    }

    fn calls(&self) -> Option<Calls> {
        let now = Spending { instructions: self.instructions(), cycles: self.cycles() };
        let in_flight = || self.calls_in_flight.as_ref().map(CallsInFlight::calls);
        self.calls.as_ref().map(|calls| calls.calls(now)).or_else(in_flight)
    }

    fn flying(&self) -> Option<Flying> {
        Some(self.flying_now())
    }

    fn oldest(&self) -> Option<(u64, u64)> {
        self.flight.instructions.first_key_value().map(|(id, instruction)| (*id, instruction.address))
    }

    fn watch_accesses(&mut self, watches: bool) -> bool {
        self.state.touched = watches.then(Vec::new);
        true
    }

    fn take_accesses(&mut self) -> Vec<TouchedCells> {
        self.state.touched.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn follow(&mut self, follow: Follow) -> bool {
        let Some(followed) = self.followed else { return false };
        self.follower = Follower::of(follow);
        // Between two cycles nothing refers to a statement of either.
        self.state.model = if self.follower.is_some() { followed } else { self.plain };
        true
    }

    fn take_passed(&mut self) -> Vec<PassedStatement> {
        self.follower.as_mut().map(Follower::take_passed).unwrap_or_default()
    }

    fn within(&self) -> Option<&Within> {
        self.follower.as_ref()?.within()
    }

    fn stalled(&self) -> Vec<u32> {
        self.flight.stalled()
    }

    fn save(&mut self) -> Option<SavedEngine> {
        self.save_state()
    }

    fn take_up(&mut self, saved: &SavedEngine) -> bool {
        self.take_up_state(saved)
    }

    fn sample(&mut self, sampling: Sampling) -> bool {
        let is_possible = self.events.profiler.is_some()
            && sampling.is_plain()
            && self.calls.is_none()
            && !self.state.model.overlaps();
        if is_possible {
            let counter = CheckCounter::new(sampling);
            self.events.is_silent = !counter.is_recording();
            self.sampled = Some(counter);
        }
        is_possible
    }

    fn samples(&self) -> Option<Samples> {
        let (checks, samples) = self.sampled.as_ref()?.passed();
        Some(Samples { checks, samples, instructions: self.instructions(), cycles: self.cycles() })
    }

    fn record_values(&mut self, choice: ValueChoice) -> bool {
        self.values = Some(ValueRecorder::new(self.plain, choice));
        true
    }

    fn values(&self) -> Option<&ValueTable> {
        self.values.as_ref().map(ValueRecorder::table)
    }

    fn visits(&self) -> Option<Vec<u64>> {
        self.visits.as_ref().map(Visits::counts)
    }

    fn pipeline(&self) -> Option<PipelineView> {
        self.trace.as_ref()?.view()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        self.events.profiler.as_ref().map(EventProfiler::measurement)
    }
}
