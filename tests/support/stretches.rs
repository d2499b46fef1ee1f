//! A run cut at its checks: what each stretch has, so that samples of it can be taken again and again
//! without running it.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_profile::{Measurement, Samples, Sampling};
use sim_runtime::host::Host;
use sim_runtime::record::Sampler;
use sim_runtime::{Engine, Machine, Stop};

/// An instruction's address, and where it went on.
pub(crate) type Step = (u64, u64);

/// An engine that takes samples and is looked at behind every instruction.
pub(crate) struct SteppedEngine {
    engine: Box<dyn Engine>,
    /// The steps of each stretch in turn.
    stretches: Vec<Vec<Step>>,
}

impl SteppedEngine {
    /// Of an engine that is asked for samples before it runs, and has no delay slots.
    pub(crate) fn new(engine: Box<dyn Engine>) -> SteppedEngine {
        SteppedEngine { engine, stretches: vec![Vec::new()] }
    }

    pub(crate) fn stretches(&self) -> Stretches<'_> {
        Stretches(&self.stretches)
    }

    fn pc(&mut self) -> u64 {
        let place = self.engine.model().expect("the engine knows its model").pc.clone();
        self.engine.machine().read_place(&place) as u64
    }
}

impl Engine for SteppedEngine {
    fn machine(&mut self) -> &mut dyn Machine {
        self.engine.machine()
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        for _ in 0..instructions {
            let before = self.engine.instructions();
            let from = self.pc();
            let stop = self.engine.run(host, 1);
            if self.engine.instructions() > before {
                let step = (from, self.pc());
                self.stretches.last_mut().expect("there is a first stretch").push(step);
            }
            let checks = self.engine.samples().expect("samples are taken").checks;
            self.stretches.resize(checks as usize + 1, Vec::new());
            if stop != Stop::Budget {
                return stop;
            }
        }
        Stop::Budget
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

    fn sample(&mut self, sampling: Sampling) -> bool {
        self.engine.sample(sampling)
    }

    fn samples(&self) -> Option<Samples> {
        self.engine.samples()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        self.engine.measurement()
    }
}

/// What a run has from check to check.
pub(crate) struct Stretches<'s>(&'s [Vec<Step>]);

impl Stretches<'_> {
    /// How often each step is taken in the whole run.
    pub(crate) fn all(&self) -> BTreeMap<Step, u64> {
        count(self.0.iter())
    }

    /// How often each is taken in the stretches that a sampler chooses.
    pub(crate) fn sample(&self, sampling: Sampling) -> BTreeMap<Step, u64> {
        let mut sampler = Sampler::new(sampling);
        let mut left = sampler.length();
        count(self.0.iter().filter(|_| {
            let is_chosen = sampler.is_recording();
            left -= 1;
            if left == 0 {
                sampler.turn();
                left = sampler.length();
            }
            is_chosen
        }))
    }
}

fn count<'s>(stretches: impl Iterator<Item = &'s Vec<Step>>) -> BTreeMap<Step, u64> {
    let mut counts = BTreeMap::new();
    for step in stretches.flatten() {
        *counts.entry(*step).or_default() += 1;
    }
    counts
}
