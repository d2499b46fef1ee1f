//! A run of which samples are taken: two caches of code, one that counts and one that does not.

use std::collections::BTreeMap;

use sim_profile::Sampling;

use super::code::Code;
use super::machine::{BlockCore, Kernel, Profiling};
use crate::record::{Recording, SampleCycles, Sampler};

/// What a run needs besides the code that counts.
pub(super) struct Sampled<C: BlockCore, P: Profiling> {
    sampler: Sampler,
    /// What runs between samples.
    pub silent: Code<C, P::Silent>,
    cycles: SampleCycles,
    /// The model's own events of what is not counted while something is, and the other way round.
    other_events: BTreeMap<String, u64>,
}

impl<C: BlockCore, P: Profiling> Sampled<C, P> {
    /// A run that begins now.
    pub(super) fn new(sampling: Sampling, code: &mut Code<C, P>, kernel: &Kernel) -> Sampled<C, P> {
        let sampler = Sampler::new(sampling);
        let mut silent = Code::default();
        silent.pauses.clone_from(&code.pauses);
        code.begin_checks(sampling.places);
        silent.begin_checks(sampling.places);
        code.set_checks(sampler.length());
        silent.set_checks(sampler.length());
        let cycles = SampleCycles::begin(kernel.passed_cycles());
        Sampled { sampler, silent, cycles, other_events: BTreeMap::new() }
    }

    /// Whether what runs now is counted.
    pub(super) fn is_recording(&self) -> bool {
        self.sampler.is_recording()
    }

    /// The last check before the sampler's turn may have been passed.
    #[inline]
    pub(super) fn look(&mut self, code: &mut Code<C, P>, kernel: &mut Kernel) {
        if self.checks_left(code) == 0 {
            self.turn(code, kernel);
        }
    }

    fn turn(&mut self, code: &mut Code<C, P>, kernel: &mut Kernel) {
        let was_recording = self.is_recording();
        self.sampler.turn();
        match self.is_recording() {
            true => code.set_checks(self.sampler.length()),
            false => self.silent.set_checks(self.sampler.length()),
        }
        if was_recording == self.is_recording() {
            return;
        }
        self.cycles.turn(was_recording, kernel.passed_cycles());
        if self.is_recording() {
            // What code that does not count has left belongs to nobody.
            kernel.take_extra_cycles();
        }
        std::mem::swap(&mut kernel.events, &mut self.other_events);
    }

    /// Checks passed, and samples begun.
    pub(super) fn passed(&self, code: &Code<C, P>) -> (u64, u64) {
        (self.sampler.checks(self.checks_left(code)), self.sampler.samples())
    }

    fn checks_left(&self, code: &Code<C, P>) -> u64 {
        let left = if self.is_recording() { code.checks_left() } else { self.silent.checks_left() };
        left.unwrap_or(self.sampler.length())
    }

    /// What of the run's totals belongs to the samples.
    pub(super) fn count(&self, kernel: &Kernel, recording: &mut Recording) {
        let cycles = self.cycles.of_samples(self.is_recording(), kernel.passed_cycles());
        let events = if self.is_recording() { &kernel.events } else { &self.other_events };
        (recording.cycles, recording.extra_cycles) = (cycles.plain, cycles.extra);
        recording.events = events.clone();
    }
}
