//! What has to hold of a description beyond the meaning of its names: one rule a file.

mod ambiguity;
mod assembler;
mod beginning;
mod coded_size;
mod contest;
mod coverage;
mod cycle;
mod distance;
mod effect;
mod element_name;
mod expansion;
mod finding;
mod instruction_count;
mod late_read;
mod latency;
mod literal;
mod member;
mod member_text;
mod pseudo;
mod range;
mod recursion;
mod retry;
mod same_text;
mod schedule;
mod single_decoding;
mod stage_register;
mod text;
mod unrolling;
mod unused;
mod unused_local;
pub(crate) mod walk;
mod when;
mod word_address;
mod word_set;
mod word_width;
mod written_value;

pub use coverage::check_coverage;

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::model::{CheckedModel, Model};
use crate::resolve::code;

/// Proves a model sound; sorts the findings.
///
/// The model may be one in which errors were found; what was refused in it is passed over. `None`
/// if an error is found here or was found before. Warnings are given only where there is none:
/// what looks unused may be used by what was refused (but never by a PSEUDO).
pub fn check_model(model: Model, diagnostics: &mut Diagnostics) -> Option<CheckedModel> {
    // An IN that was refused would be missed everywhere.
    let names_are_sound = !diagnostics.iter().any(|found| code::OF_NAMES.contains(&found.code));
    range::check_ranges(&model, diagnostics);
    element_name::check_element_names(&model, diagnostics);
    recursion::check_recursion(&model, diagnostics);
    written_value::check_written_values(&model, diagnostics);
    expansion::check_expansions(&model, diagnostics);
    let schedule = match cycle::check_decoding_cycles(&model, diagnostics) {
        true => schedule::find_schedule(&model, diagnostics),
        false => None,
    };
    if let Some(schedule) = &schedule {
        cycle::check_activation_cycles(&model, schedule, diagnostics);
        if names_are_sound {
            distance::check_distances(&model, schedule, diagnostics);
            stage_register::check_stage_registers(&model, schedule, diagnostics);
            retry::check_retries(&model, schedule, diagnostics);
        }
    }
    single_decoding::check_single_decoding(&model, diagnostics);
    let can_be_listed = instruction_count::check_instruction_counts(&model, diagnostics);
    if let (Some(schedule), true) = (&schedule, can_be_listed) {
        unrolling::check_unrolling(&model, schedule, diagnostics);
    }
    let misfits = word_width::check_word_widths(&model, diagnostics);
    // What cannot be listed cannot be compared, either.
    let decodings = match can_be_listed {
        true => ambiguity::check_ambiguity(&model, &misfits, diagnostics),
        false => BTreeMap::new(),
    };
    let word_sizes = coded_size::check_coded_sizes(&model, &decodings, names_are_sound, diagnostics);
    if names_are_sound && !diagnostics.iter().any(|found| found.code.0.starts_with("E04")) {
        same_text::check_texts(&model, &decodings, diagnostics);
        if assembler::are_whole(&model) {
            pseudo::check_pseudos(&model, diagnostics);
        }
    }
    let pseudos_alone = |found: &Diagnostic| found.code == code::PSEUDO_RESULT;
    if diagnostics.iter().filter(|found| found.severity == Severity::Error).all(pseudos_alone) {
        // What nothing decodes any more no PSEUDO can yield; the first is the cause.
        unused::check_unused(&model, diagnostics);
    }
    if !diagnostics.has_errors() {
        assembler::check_assembler(&model, diagnostics);
        unused_local::check_unused_locals(&model, diagnostics);
        member_text::check_member_texts(&model, diagnostics);
        literal::check_literals(&model, diagnostics);
        literal::check_register_names(&model, diagnostics);
        beginning::check_beginnings(&model, diagnostics);
        latency::check_latencies(&model, diagnostics);
        word_address::check_word_addresses(&model, diagnostics);
        if let Some(schedule) = &schedule {
            distance::check_bridges(&model, schedule, diagnostics);
            late_read::check_late_reads(&model, schedule, diagnostics);
        }
    } else {
        // A WHEN or CODING that was refused leaves others without the words that it would have had.
        diagnostics.remove(code::UNREACHABLE_MEMBER);
    }
    diagnostics.sort();
    (!diagnostics.has_errors()).then_some(CheckedModel { model, decodings, word_sizes })
}
