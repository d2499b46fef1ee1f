//! What has to hold of a description beyond the meaning of its names: one rule a file.

mod ambiguity;
mod assembler;
mod contest;
mod cycle;
mod element_name;
mod finding;
mod member;
mod not_lowered;
mod range;
mod recursion;
mod single_decoding;
mod unused;
pub(crate) mod walk;
mod when;
mod word_set;
mod word_width;

use crate::diagnostic::Diagnostics;
use crate::model::{CheckedModel, Model};

/// Proves a model sound; sorts the findings.
///
/// The model may be one in which errors were found; what was refused in it is passed over. `None`
/// if an error is found here or was found before. Warnings are given only where there is none:
/// what looks unused may be used by what was refused.
pub fn check_model(model: Model, diagnostics: &mut Diagnostics) -> Option<CheckedModel> {
    range::check_ranges(&model, diagnostics);
    element_name::check_element_names(&model, diagnostics);
    recursion::check_recursion(&model, diagnostics);
    cycle::check_cycles(&model, diagnostics);
    single_decoding::check_single_decoding(&model, diagnostics);
    let misfits = word_width::check_word_widths(&model, diagnostics);
    let decodings = ambiguity::check_ambiguity(&model, &misfits, diagnostics);
    if !diagnostics.has_errors() {
        unused::check_unused(&model, diagnostics);
        assembler::check_assembler(&model, diagnostics);
        not_lowered::refuse_not_lowered(&model, diagnostics);
    }
    diagnostics.sort();
    (!diagnostics.has_errors()).then_some(CheckedModel { model, decodings })
}
