//! What the page cannot show, why, and how to get it.

use serde::Serialize;

use super::HtmlReport;
use super::source::LineTable;

/// Something that is missing in some views.
#[derive(Serialize)]
pub(super) struct Gap {
    /// The views that lack it.
    views: &'static [&'static str],
    text: String,
}

/// Those of a report.
pub(super) fn gaps_of(report: &HtmlReport<'_>, lines: &LineTable) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut add = |views, text: &str| gaps.push(Gap { views, text: text.to_owned() });
    let (profile, program) = (report.profile, report.program);
    if profile.is_of_several_programs() {
        add(
            &["functions", "flame", "code", "branches", "pipeline"],
            "This is of several programs, added up, and an address is something else in each of them. So \
             there are no addresses, functions and lines: make a page of the profiles of one program.",
        );
    } else if program.program.images().is_empty() {
        add(
            &["functions", "flame", "code", "branches"],
            "No program file is known, so nothing has the name of a function or a line. Make the page \
             by gentool report PROFILE --image PROGRAM --html FILE.",
        );
    } else if lines.is_empty() {
        add(
            &["code"],
            "No line of a source is known. Build the program with debug information (-g), and run it again.",
        );
    } else if lines.has_gone(program) {
        add(
            &["code"],
            "Some sources cannot be read; of these the lines that have code are shown. Name their \
             folder by gentool report PROFILE --image PROGRAM --sources DIR --html FILE.",
        );
    }
    if profile.provenance.parts.is_some() {
        add(
            &["summary", "functions", "code"],
            "Not all that ran was counted, but parts of it: from one address to another, or since the snapshot \
             before.",
        );
    }
    let is_of_one = !profile.is_of_several_programs();
    if is_of_one && profile.calls.is_none() {
        add(
            &["flame", "functions"],
            "Calls were not followed, so there are no inclusive costs and no stacks. Run with --calls.",
        );
    }
    if is_of_one && profile.statics.is_empty() {
        add(
            &["code", "branches"],
            "Nothing is known of what the instructions could have done, since these are events alone. \
             Run with --profile, and make the page from that.",
        );
    }
    if is_of_one && report.description.is_none() {
        add(
            &["branches"],
            "Branches that never ran are found by the description, and left out. Make the page by gentool run \
             --html, or by gentool report PROFILE --model MODEL --image PROGRAM --html FILE.",
        );
    }
    if report.description.is_none() {
        add(
            &["instructions", "operands", "encoding"],
            "The description is not at hand: its lines, the operands and the encoding map are missing. \
             Make the page by gentool run --html, or by gentool report PROFILE --model MODEL --image PROGRAM \
             --html FILE.",
        );
    }
    if report.description.is_none_or(|description| description.coverage.is_none()) {
        add(
            &["description"],
            "How often each line of the description ran is counted on request, by the reference engine: run \
             with --description-coverage, and make the page by gentool run --html, or by gentool report \
             PROFILE --model MODEL --image PROGRAM --html FILE.",
        );
    }
    if profile.measurement.tables.stages.is_empty() {
        add(
            &["time", "pipeline"],
            "Instructions of this model do not overlap, so no cycle is lost to a pipeline.",
        );
    } else if is_of_one && profile.pipeline.is_none() {
        add(
            &["pipeline"],
            "Single cycles are kept on request: run with --pipeline-view FROM:COUNT, the first cycle and how \
             many; several runs added up have none.",
        );
    }
    let notes = program.program.notes().iter();
    gaps.extend(notes.map(|note| Gap { views: &["functions", "code"], text: note.to_string() }));
    gaps
}
