//! Values that instructions read and write: what is to tell them is interpreted.

use std::sync::Arc;

use super::TranslatedEngine;
use crate::specialise::{Place, Step, specialise_noted_step};

impl TranslatedEngine<'_> {
    /// The step that tells values at a place, if those of its instruction are counted now.
    pub(super) fn noted_step(&mut self, place: Place, number: Option<u32>) -> Option<Arc<Step>> {
        let number = number.filter(|number| self.core.tells_values(self.steps.step(*number)))?;
        if !self.is_recording() || !self.carries(number) {
            return None;
        }
        let core = &self.core;
        let make = || Arc::new(specialise_noted_step(core.model(), &core.state, &core.state.items, place));
        Some(Arc::clone(self.noted.entry(number).or_insert_with(make)))
    }
}
