//! The XML report: everything that a viewer shows of a run, sums included.
//!
//! The format is described, element by element, by the schema `docs/report.xsd`; its core is the
//! document that the profiler of the architecture's first simulator wrote. A report says nothing
//! of the host or the engine, so equal measurements give equal bytes.

mod difference;
mod dot;
mod each;
mod element;
mod estimates;
mod figure;
mod flow;
mod plain;
#[cfg(feature = "program")]
mod program;
mod text;
mod time;
mod verification;

use serde::Serialize;

use crate::{Measurement, Profile, StaticTable};

pub use difference::render_difference;
pub use dot::render_flow_dot;
pub use estimates::render_estimates;
pub use plain::render_text;
pub use verification::render_verification;

/// Version of the report's format: the attribute `version` of its root. It changes when an
/// element or attribute changes its meaning or goes; additions leave it alone.
pub const VERSION: u32 = 1;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The report of a measurement: XML in UTF-8, indented by two, ending with a line break. Texts of
/// instructions are not in it: a measurement does not have them.
///
/// Siblings in the instruction tree come in the order of [`crate::tree::TreeNode::children`],
/// resources in the model's order, everything else by address, word or name, ascending.
/// Characters of names that XML cannot hold, and control characters, are written as U+FFFD.
pub fn render_xml(measurement: &Measurement) -> String {
    write_report(&figure::report_of(measurement, &StaticTable::new()))
}

/// The report of a profile: that of its measurement, with the texts of the instructions.
pub fn render_profile_xml(profile: &Profile) -> String {
    write_report(&figure::report_of(&profile.measurement, &profile.statics))
}

/// The same with the element `program`: functions, calls and lines of the program that was run.
#[cfg(feature = "program")]
pub fn render_program_xml(profile: &crate::program::ProgramProfile<'_>) -> String {
    let mut report = figure::report_of(profile.measurement, profile.statics);
    report.program = Some(program::program_of(profile));
    write_report(&report)
}

fn write_report(report: &element::Profiler) -> String {
    let mut out = DECLARATION.to_owned();
    let written =
        quick_xml::se::Serializer::with_root(&mut out, Some("profiler")).and_then(|mut serializer| {
            serializer.indent(' ', 2);
            report.serialize(serializer)
        });
    // The element types hold nothing but named fields, texts and numbers, and a `String` takes
    // every write.
    written.expect("a report is serializable");
    out.push('\n');
    out
}
