//! A run of which samples are taken: each instruction is counted or not.

use std::collections::BTreeMap;

use sim_profile::{Measurement, Sampling};

use crate::kernel::Kernel;
use crate::record::{CheckCounter, SampleCycles};

/// What a run needs besides what is counted.
pub(super) struct Sampled {
    pub(super) checks: CheckCounter,
    cycles: SampleCycles,
    /// The model's own events of what is not counted while something is, and the other way round.
    other_events: BTreeMap<String, u64>,
}

impl Sampled {
    /// A run that begins now.
    pub(super) fn new(sampling: Sampling, kernel: &Kernel) -> Sampled {
        let cycles = SampleCycles::begin(kernel.passed_cycles());
        Sampled { checks: CheckCounter::new(sampling), cycles, other_events: BTreeMap::new() }
    }

    /// Whether what runs now is counted.
    pub(super) fn is_recording(&self) -> bool {
        self.checks.is_recording()
    }

    /// Between two cycles: the last check before the sampler's turn may have been passed.
    pub(super) fn look(&mut self, kernel: &mut Kernel) {
        let was_recording = self.is_recording();
        if self.checks.look() != was_recording {
            self.cycles.turn(was_recording, kernel.passed_cycles());
            std::mem::swap(&mut kernel.events, &mut self.other_events);
        }
    }

    /// What of the run's totals belongs to the samples.
    pub(super) fn count(&self, kernel: &Kernel, measurement: &mut Measurement) {
        let cycles = self.cycles.of_samples(self.is_recording(), kernel.passed_cycles());
        let events = if self.is_recording() { &kernel.events } else { &self.other_events };
        (measurement.cycles, measurement.extra_cycles) = (cycles.plain, cycles.extra);
        measurement.events.clone_from(events);
    }
}
