//! What has to hold of a description beyond the meaning of its names: one rule a file.

use crate::diagnostic::Diagnostics;
use crate::model::{CheckedModel, Model};

/// Proves a model sound.
///
/// `None` if an error is found here or was found before.
pub fn check_model(model: Model, diagnostics: &mut Diagnostics) -> Option<CheckedModel> {
    diagnostics.sort();
    (!diagnostics.has_errors()).then_some(CheckedModel(model))
}
