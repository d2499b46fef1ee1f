//! A run in small pieces, looked at between them: nothing of it may show in the end.

use isac_ir::Model;
use sim_profile::{Calls, Measurement, Samples, Sampling, ValueTable};
use sim_runtime::host::Host;
use sim_runtime::record::{FunctionMap, ValueChoice};
use sim_runtime::{Engine, Machine, Stop};

/// An engine that is asked for a few instructions at a time, and for its measurement in between.
pub(crate) struct SplitEngine {
    pub(crate) engine: Box<dyn Engine>,
    /// How many instructions at a time, taken in turn; 0 is among what may be asked.
    pub(crate) budgets: Vec<u64>,
    next: usize,
}

impl SplitEngine {
    pub(crate) fn new(engine: Box<dyn Engine>, budgets: &[u64]) -> SplitEngine {
        assert!(budgets.iter().any(|budget| *budget > 0), "the run must get on");
        SplitEngine { engine, budgets: budgets.to_vec(), next: 0 }
    }
}

impl Engine for SplitEngine {
    fn machine(&mut self) -> &mut dyn Machine {
        self.engine.machine()
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        let mut left = instructions;
        loop {
            let budget = self.budgets[self.next].min(left);
            self.next = (self.next + 1) % self.budgets.len();
            let (before, cycles_before) = (self.engine.instructions(), self.engine.cycles());
            let stop = self.engine.run(host, budget);
            match stop {
                Stop::Budget => {}
                Stop::Paused { taken, is_at_address } => {
                    return Stop::Paused { taken: instructions - left + taken, is_at_address };
                }
                Stop::Halted(_) | Stop::Fault(_) | Stop::Interrupted => return stop,
            }
            // Instructions that are cancelled take their cycle and their place in the budget.
            let ended = self.engine.instructions() - before;
            let cycles = self.engine.cycles() - cycles_before;
            assert!(ended <= budget && cycles >= budget, "{ended} of {budget} have ended in {cycles} cycles");
            let _ = self.engine.measurement();
            left -= budget;
            if left == 0 {
                return stop;
            }
        }
    }

    fn instructions(&self) -> u64 {
        self.engine.instructions()
    }

    fn cycles(&self) -> u64 {
        self.engine.cycles()
    }

    fn model(&self) -> Option<&Model> {
        self.engine.model()
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        self.engine.record_calls(map)
    }

    fn calls(&self) -> Option<Calls> {
        self.engine.calls()
    }

    fn sample(&mut self, sampling: Sampling) -> bool {
        self.engine.sample(sampling)
    }

    fn record_values(&mut self, choice: ValueChoice) -> bool {
        self.engine.record_values(choice)
    }

    fn values(&self) -> Option<&ValueTable> {
        self.engine.values()
    }

    fn samples(&self) -> Option<Samples> {
        self.engine.samples()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        self.engine.measurement()
    }
}
