//! Counts checks in an engine that knows every instruction as it ends.

use isac_ir::Model;
use sim_profile::{CheckPlaces, Sampling};

use super::controls::Controls;
use super::{Executed, Sampler, calls, is_check};

/// Counts the checks of a run and says what of it is counted.
pub(crate) struct CheckCounter {
    sampler: Sampler,
    places: CheckPlaces,
    /// Checks up to the sampler's turn.
    left: u64,
    controls: Controls,
}

impl CheckCounter {
    /// Of a run that begins now.
    pub(crate) fn new(sampling: Sampling) -> CheckCounter {
        let sampler = Sampler::new(sampling);
        CheckCounter {
            left: sampler.length(),
            sampler,
            places: sampling.places,
            controls: Controls::default(),
        }
    }

    /// Whether what runs now is counted.
    pub(crate) fn is_recording(&self) -> bool {
        self.sampler.is_recording()
    }

    /// An instruction has ended as instructions do, and goes on at an address.
    pub(crate) fn count(&mut self, model: &Model, executed: &Executed<'_>, to: u64) {
        let Executed { address, size_cells, .. } = *executed;
        let successor = model.successor(address, size_cells);
        let control = self.places.includes_calls().then(|| self.controls.learn(model, executed));
        let before = || self.controls.at(address.wrapping_sub(size_cells.into()));
        let is_call = || control.as_ref().is_some_and(|control| calls(control, before, (address, successor)));
        if is_check(self.places, (address, to, successor), is_call) {
            self.left = self.left.saturating_sub(1);
        }
    }

    /// Between two instructions: whether what comes now is counted.
    pub(crate) fn look(&mut self) -> bool {
        if self.left == 0 {
            self.sampler.turn();
            self.left = self.sampler.length();
        }
        self.is_recording()
    }

    /// Checks passed, and samples begun.
    pub(crate) fn passed(&self) -> (u64, u64) {
        (self.sampler.checks(self.left), self.sampler.samples())
    }
}
