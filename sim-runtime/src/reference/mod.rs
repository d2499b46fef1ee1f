//! The reference engine: interprets isac-ir in the plainest way and tells every event.
//!
//! It is the oracle that every other engine is held against, so it shares nothing with them but
//! the model: it decodes each word anew, evaluates each expression as a tree of 128-bit numbers,
//! and counts nothing itself: whatever is known of a run is derived from its events.

mod evaluate;
mod execution;
mod fetch;
mod instruction;
mod operand;
mod place;
mod state;
mod statement;
mod step;

use isac_ir::Model;
use sim_profile::{Event, EventProfiler, EventSink, Measurement};

use crate::engine::{Engine, Machine};
use crate::fault::{Fault, Stop};
use crate::host::Host;
use crate::record::model_tables;
use state::State;
use step::{Counts, Ending, Step};

/// The reference engine with a processor's state in it.
pub struct ReferenceEngine<'m> {
    state: State<'m>,
    counts: Counts,
    events: Events<'m>,
    is_reset: bool,
    stopped: Option<Stop>,
}

/// Who listens to the events.
struct Events<'m> {
    profiler: Option<EventProfiler>,
    writer: Option<Box<dyn EventSink + 'm>>,
}

impl EventSink for Events<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(profiler) = &mut self.profiler {
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
            events: Events { profiler: None, writer: None },
            is_reset: false,
            stopped: None,
        }
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

    /// Runs operation `reset` once, before the first cycle; it belongs to no instruction.
    fn reset(&mut self, host: &mut Host) -> Option<Stop> {
        if std::mem::replace(&mut self.is_reset, true) {
            return None;
        }
        let reset = self.state.model.reset?;
        let mut step = Step::new(&mut self.state, &mut self.counts, host, &mut self.events);
        let outcome = step.run_alone(reset);
        let ending = step.settle(outcome);
        let place = step_place(&step);
        self.stop(ending, place)
    }

    /// Executes one instruction; `None` if the run goes on.
    fn step(&mut self, host: &mut Host) -> Option<Stop> {
        let mut step = Step::new(&mut self.state, &mut self.counts, host, &mut self.events);
        let outcome = step.run();
        step.end(outcome);
        let ending = step.settle(outcome);
        let place = step_place(&step);
        match ending {
            Ending::Complete => self.counts.instructions += 1,
            Ending::Halted(_) => self.counts.instructions += u64::from(place.was_decoded),
            Ending::Abandoned | Ending::HaltedByHandler(_) | Ending::Fault(_) => {}
        }
        self.counts.cycles = place.cycle.saturating_add(1);
        self.stop(ending, place)
    }

    /// What an ending is to the run; an EXIT device that was written ends it in any case.
    fn stop(&self, ending: Ending, place: StepPlace) -> Option<Stop> {
        let exit = self.state.devices.exit_status();
        match ending {
            Ending::Fault(kind) => {
                let StepPlace { instruction_address, cycle, .. } = place;
                Some(Stop::Fault(Fault { kind, instruction_address, cycle }))
            }
            Ending::Halted(status) | Ending::HaltedByHandler(status) => {
                Some(Stop::Halted(exit.unwrap_or(status)))
            }
            Ending::Complete | Ending::Abandoned => exit.map(Stop::Halted),
        }
    }
}

/// Where and when a step was.
struct StepPlace {
    instruction_address: u64,
    cycle: u64,
    was_decoded: bool,
}

fn step_place(step: &Step<'_, '_>) -> StepPlace {
    StepPlace {
        instruction_address: step.instruction_address(),
        cycle: step.counts.cycles,
        was_decoded: step.was_decoded(),
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
        for _ in 0..instructions {
            if let Some(stop) = self.step(host) {
                self.stopped = Some(stop);
                return stop;
            }
        }
        Stop::Budget
    }

    fn instructions(&self) -> u64 {
        self.counts.instructions
    }

    fn cycles(&self) -> u64 {
        self.counts.cycles
    }

    fn measurement(&mut self) -> Option<Measurement> {
        self.events.profiler.as_ref().map(EventProfiler::measurement)
    }
}
