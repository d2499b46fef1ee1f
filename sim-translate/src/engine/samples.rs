//! Samples: what of a run is counted, and how long compiled code runs until that changes.
//!
//! Compiled code is given checks, and so many of them that the instructions between cannot be more than it
//! may run: in a stretch no address runs twice, and it is known where each step may lead. What runs between
//! samples counts nothing, and goes as far as it can. Where too few checks are left for that, code takes
//! over that ends at each check, and in a sample the same that counts.

use std::collections::BTreeMap;

use sim_profile::{Instrumented, Sampling};
use sim_runtime::record::{PassedCycles, Recording, SampleCycles, Sampler};

use super::TranslatedEngine;
use crate::checks::Checks;
use crate::code::Version;
use crate::codegen::{Site, SiteKind};
use crate::layout::CHECK_SHIFT;

/// Largest budget that compiled code is given at once.
const MOST_ALLOWED: u64 = 1 << 60;
/// Behind a turn code that ends at each check goes on for so many of them, and later for as many as it has, before
/// it is looked whether other code begins where it has come to.
const FEW_CHECKS: u64 = 4;
/// So many checks behind a turn arrivals make no place hot for what runs between samples.
const COLD_CHECKS: u64 = 16;
/// Of the arrivals behind these, one in so many does.
const HEATING: u32 = 8;
/// The sampler's turn is near where fewer checks are left.
const NEAR: u64 = 100;
/// A run pauses with at most this part of it left.
const MOST_REST: u64 = 8;
/// And at least so many instructions.
const LEAST_REST: u64 = 1 << 12;
/// Most checks in a budget that holds them.
const MOST_CHECKS: u64 = 1 << 32;
/// The instructions in a budget that holds checks, too.
const INSTRUCTION_BITS: u64 = (1 << CHECK_SHIFT) - 1;

/// What code goes on between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// That which goes as far as it can.
    Away,
    /// That which ends at each check: too few are left up to the next turn for the other.
    Near,
    /// Either: at the place where a turn was, the one need not begin.
    Back,
}

/// A run of which samples are taken.
pub(super) struct Sampled {
    sampler: Sampler,
    checks: Checks,
    /// What alone is counted.
    instrumented: Option<Instrumented>,
    /// Checks up to the sampler's turn.
    left: u64,
    stage: Stage,
    /// Arrivals far behind a turn where nothing begins that goes as far as it can.
    arrivals: u32,
    cycles: SampleCycles,
    /// The model's own events of what is not counted while something is, and the other way round.
    other_events: BTreeMap<String, u64>,
}

impl Sampled {
    /// A run that begins now.
    pub(super) fn new(sampling: Sampling, now: PassedCycles) -> Sampled {
        let sampler = Sampler::new(sampling);
        let (left, cycles) = (sampler.length(), SampleCycles::begin(now));
        let (checks, instrumented) = (Checks::of(sampling), sampling.duplication.instrumented());
        Sampled {
            sampler,
            checks,
            instrumented,
            left,
            stage: Stage::Away,
            arrivals: 0,
            cycles,
            other_events: BTreeMap::new(),
        }
    }

    /// Whether the sampler's turn is among the next checks.
    pub(super) fn is_turn_near(&self) -> bool {
        self.left < NEAR
    }

    /// Checks passed since the last turn.
    fn passed_since_turn(&self) -> u64 {
        self.sampler.length().saturating_sub(self.left)
    }

    /// An arrival where nothing begins that goes as far as it can; gives whether it makes the place hot. Samples
    /// end anywhere: to compile all of these places takes longer than to go on from check to check, for one where
    /// such code begins is near.
    pub(super) fn arrive(&mut self) -> bool {
        if self.stage != Stage::Back {
            return true;
        }
        if self.passed_since_turn() < COLD_CHECKS {
            return false;
        }
        self.arrivals = self.arrivals.wrapping_add(1);
        self.arrivals.is_multiple_of(HEATING)
    }

    /// Code is entered that goes as far as it can.
    pub(super) fn go_away(&mut self) {
        self.stage = Stage::Away;
    }

    /// What is a check.
    pub(super) fn checks(&self) -> Checks {
        self.checks
    }

    /// How many checks are passed from a turn to the next.
    pub(super) fn interval(&self) -> u64 {
        self.sampler.length()
    }

    /// Checks passed, and samples begun.
    pub(super) fn passed(&self) -> (u64, u64) {
        (self.sampler.checks(self.left), self.sampler.samples())
    }
}

impl TranslatedEngine<'_> {
    /// Whether what runs now is counted.
    pub(super) fn is_recording(&self) -> bool {
        self.sampled.as_ref().is_none_or(|sampled| sampled.sampler.is_recording())
    }

    /// Whether code is compiled that ends at each check, which is a jump then.
    fn has_stretches(&self) -> bool {
        let are_jumps = |sampled: &Sampled| matches!(sampled.checks, Checks::Transfers(_));
        self.sampled.as_ref().is_some_and(are_jumps) && self.calls.is_none()
    }

    /// Code that goes as far as it can may have too few checks left: if so, code is to go on that ends at each.
    /// Gives whether it is so.
    pub(super) fn approach(&mut self) -> bool {
        let has_stretches = self.has_stretches();
        let near = self.sampled.as_mut().filter(|sampled| has_stretches && sampled.is_turn_near());
        near.map(|sampled| sampled.stage = Stage::Near).is_some()
    }

    /// For what compiled code may be entered now, the best first. Samples of which parts alone are counted are
    /// interpreted.
    pub(super) fn versions(&self) -> &'static [Version] {
        let Some(sampled) = &self.sampled else { return &[Version::Long] };
        match (sampled.sampler.is_recording(), sampled.stage) {
            (true, _) if self.has_stretches() && sampled.instrumented.is_none() => &[Version::Counted],
            (true, _) => &[],
            (false, Stage::Away) => &[Version::Long],
            (false, Stage::Near) => &[Version::Stretch],
            (false, Stage::Back) => &[Version::Long, Version::Stretch],
        }
    }

    /// Cycles begun so far.
    pub(super) fn passed_cycles(&self) -> PassedCycles {
        PassedCycles { plain: self.core.plain_cycles(0), extra: self.core.extra_cycles }
    }

    /// The budget of a version of compiled code that may run so many instructions; `None` if it cannot be entered.
    pub(super) fn allowed(&mut self, version: Version, instructions: u64) -> Option<u64> {
        let Some(sampled) = &mut self.sampled else { return Some(instructions.min(MOST_ALLOWED)) };
        let left = match (version, sampled.stage) {
            // Another place may come along where it is rather gone on.
            (Version::Stretch, Stage::Back) => sampled.left.min(sampled.passed_since_turn().max(FEW_CHECKS)),
            _ => sampled.left,
        };
        self.core.instruction_bits = INSTRUCTION_BITS;
        let instructions = instructions.min(INSTRUCTION_BITS);
        if !sampled.checks.bounds_instructions() {
            // Both are asked for.
            return Some(left.min(MOST_CHECKS) << CHECK_SHIFT | instructions);
        }
        // Behind the last check the code goes on to where it is asked next.
        let ends_at_calls = sampled.checks.includes_calls();
        let longest = self.steps.longest_stretch(self.core.model(), &self.core.state.items, ends_at_calls);
        let stretches = instructions / longest;
        let checks = left.min(stretches.saturating_sub(1));
        (checks > 0).then_some(checks << CHECK_SHIFT | INSTRUCTION_BITS)
    }

    /// Whether the caller should rather ask for the rest of what it has asked for together with what comes
    /// then: the less is left, the more often compiled code that counts checks has to be entered for it.
    pub(super) fn is_rest_slow(&self, asked: u64, left: u64) -> bool {
        self.sampled.is_some() && left >= LEAST_REST && left <= asked / MOST_REST
    }

    /// Compiled code has taken so much of its budget; gives how many instructions it was.
    pub(super) fn spend(&mut self, taken: u64) -> u64 {
        match &mut self.sampled {
            None => taken,
            Some(sampled) => {
                sampled.left = sampled.left.saturating_sub(taken >> CHECK_SHIFT);
                taken & INSTRUCTION_BITS
            }
        }
    }

    /// A step that compiled code has not ended itself goes on at an address, which is not counted as a
    /// check yet.
    pub(super) fn pass(&mut self, number: u32, to: u64) {
        let Some(sampled) = &self.sampled else { return };
        match sampled.checks {
            Checks::Each(instrumented @ Instrumented::Accesses) => {
                let model = self.core.model();
                let is_check = self.steps.carries(model, number, instrumented);
                self.take_checks(is_check.into());
            }
            Checks::Each(Instrumented::Calls) | Checks::Transfers(_) => self.pass_transfer(number, to),
        }
    }

    /// The same where only the way on may be a check.
    pub(super) fn pass_transfer(&mut self, number: u32, to: u64) {
        let Some(sampled) = &self.sampled else { return };
        let model = self.core.model();
        let (from, size_cells) = (self.steps.step(number).address, self.steps.step(number).size_cells);
        let way = (from, to, model.successor(from, size_cells));
        let is_check = sampled.checks.is_check(way, || self.steps.calls(model, number));
        self.take_checks(is_check.into());
    }

    fn take_checks(&mut self, checks: u64) {
        if let Some(sampled) = &mut self.sampled {
            sampled.left = sampled.left.saturating_sub(checks);
        }
    }

    /// Compiled code has counted a check when the instruction began that was at hand at a site; it is none
    /// yet if that has not ended.
    pub(super) fn settle_check(&mut self, site: Site) {
        let has_begun = !matches!(site.kind, SiteKind::Budget | SiteKind::Jump | SiteKind::Written);
        let Some(sampled) = self.sampled.as_mut().filter(|_| has_begun) else { return };
        if let Checks::Each(instrumented @ Instrumented::Accesses) = sampled.checks
            && self.steps.carries(self.core.model(), site.step, instrumented)
        {
            sampled.left += 1;
        }
    }

    /// Whether a step is among those that are counted.
    pub(super) fn carries(&mut self, number: u32) -> bool {
        let instrumented = self.sampled.as_ref().and_then(|sampled| sampled.instrumented);
        let model = self.core.model();
        instrumented.is_none_or(|instrumented| self.steps.carries(model, number, instrumented))
    }

    /// A control transfer has happened.
    pub(super) fn note_transfer(&mut self, number: u32, to: u64) {
        let is_counted = self.is_recording() && self.carries(number);
        let from = self.steps.step(number).address;
        match is_counted {
            true => self.steps.count_transfers(from, to, 1),
            false => self.steps.note_transfer(from, to),
        }
    }

    /// Between two instructions: the last check before the sampler's turn may have been passed.
    pub(super) fn look(&mut self) {
        if self.sampled.as_ref().is_none_or(|sampled| sampled.left > 0) {
            return;
        }
        let (now, has_stretches) = (self.passed_cycles(), self.has_stretches());
        let Some(sampled) = &mut self.sampled else { return };
        let was_recording = sampled.sampler.is_recording();
        match sampled.sampler.is_timed() {
            true => sampled.sampler.turn_if(self.core.host.is_sample_due()),
            false => sampled.sampler.turn(),
        }
        sampled.left = sampled.sampler.length();
        sampled.stage = if has_stretches { Stage::Back } else { Stage::Away };
        if was_recording != sampled.sampler.is_recording() {
            sampled.cycles.turn(was_recording, now);
            std::mem::swap(&mut self.core.events, &mut sampled.other_events);
        }
    }

    /// What of the run's totals belongs to what is counted.
    pub(super) fn count_totals(&self, recording: &mut Recording) {
        let (mut cycles, mut events) = (self.passed_cycles(), &self.core.events);
        if let Some(sampled) = &self.sampled {
            let is_recording = sampled.sampler.is_recording();
            cycles = sampled.cycles.of_samples(is_recording, cycles);
            events = if is_recording { events } else { &sampled.other_events };
        }
        (recording.cycles, recording.extra_cycles) = (cycles.plain, cycles.extra);
        recording.events.clone_from(events);
        for (name, times) in self.steps.events() {
            let sum = recording.events.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*times);
        }
    }
}
