//! Counts checks in an engine that knows every instruction as it ends.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::control::control_of;
use sim_profile::{CheckPlaces, Sampling, Word};

use super::{Executed, Sampler, is_check};

/// Counts the checks of a run and says what of it is counted.
pub(crate) struct CheckCounter {
    sampler: Sampler,
    places: CheckPlaces,
    /// Checks up to the sampler's turn.
    left: u64,
    /// The address that an instruction keeps, by its own, as it was decoded last.
    keeps: BTreeMap<u64, (Word, Option<u64>)>,
}

impl CheckCounter {
    /// Of a run that begins now.
    pub(crate) fn new(sampling: Sampling) -> CheckCounter {
        let sampler = Sampler::new(sampling);
        CheckCounter { left: sampler.length(), sampler, places: sampling.places, keeps: BTreeMap::new() }
    }

    /// Whether what runs now is counted.
    pub(crate) fn is_recording(&self) -> bool {
        self.sampler.is_recording()
    }

    /// An instruction has ended as instructions do, and goes on at an address.
    pub(crate) fn count(&mut self, model: &Model, executed: &Executed<'_>, to: u64) {
        let Executed { address, size_cells, word, decoded } = *executed;
        let keeps = &mut self.keeps;
        let look = || {
            let known = keeps.get(&address).filter(|(known, _)| *known == word);
            known.map(|(_, kept)| *kept).unwrap_or_else(|| {
                let kept = control_of(model, decoded, address, size_cells).keeps;
                keeps.insert(address, (word, kept));
                kept
            })
        };
        if is_check(self.places, (address, to, model.successor(address, size_cells)), look) {
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
