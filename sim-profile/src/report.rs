//! The XML report: everything that a viewer shows of a run, sums included.
//!
//! The format is described, element by element, by the schema `docs/report.xsd`; its core is the
//! document that the profiler of the architecture's first simulator wrote. A report says nothing
//! of the host or the engine, so equal measurements give equal bytes.

#[cfg(feature = "program")]
mod cobertura;
#[cfg(feature = "program")]
mod description;
mod difference;
mod dot;
mod each;
mod element;
mod estimates;
mod figure;
mod flow;
mod junit;
mod line;
#[cfg(feature = "program")]
mod operand;
mod pipeline;
mod plain;
#[cfg(feature = "program")]
mod program;
mod time;
mod verification;
mod xml;

use std::io::{self, BufWriter, Write};

use crate::{Measurement, Profile, StaticTable};

#[cfg(feature = "program")]
pub use cobertura::render_cobertura;
pub use difference::render_difference;
pub use dot::render_flow_dot;
pub use estimates::render_estimates;
pub use junit::render_junit;
#[cfg(feature = "program")]
pub use operand::render_operands_text;
pub use plain::{render_profile_text, render_text};
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
    render_report(&figure::report_of(measurement, &StaticTable::new()))
}

/// The report of a profile: that of its measurement, with the texts of the instructions.
pub fn render_profile_xml(profile: &Profile) -> String {
    render_report(&figure::report_of_profile(profile))
}

/// Writes the same, piece by piece: that of a large program is longer than what it is made from.
///
/// # Errors
/// `out` fails.
pub fn write_profile_xml(profile: &Profile, out: impl Write) -> io::Result<()> {
    write_report(&figure::report_of_profile(profile), out)
}

/// What a report can have beside the profile.
#[cfg(feature = "program")]
#[derive(Clone, Copy, Default)]
pub struct ReportParts<'a> {
    /// Functions, calls and lines of the program that was run: the element `program`.
    pub program: Option<&'a crate::program::ProgramProfile<'a>>,
    /// Which values of operands, and pairs of values, were executed: `operands`.
    pub operands: Option<&'a crate::html::OperandTable>,
    /// What of the model's description was used: `description`.
    pub description: Option<&'a crate::description::DescriptionCoverage>,
    /// Instructions that need not be covered.
    pub exclusions: Option<&'a crate::coverage::Exclusions>,
}

/// Writes the report of a profile with further parts, piece by piece.
///
/// # Errors
/// `out` fails.
#[cfg(feature = "program")]
pub fn write_full_xml(profile: &Profile, parts: ReportParts<'_>, out: impl Write) -> io::Result<()> {
    let mut report = figure::report_of_profile(profile);
    report.program = parts.program.map(program::program_of);
    report.operands = parts.operands.map(operand::operands_of);
    report.description = parts.description.map(description::description_of);
    if let Some(exclusions) = parts.exclusions.filter(|exclusions| !exclusions.is_empty()) {
        report.coverage = figure::coverage_of(&profile.measurement, exclusions);
    }
    write_report(&report, out)
}

fn render_report(report: &element::Profiler<'_>) -> String {
    let mut out = Vec::new();
    // A `Vec` takes every write, and the serializer writes text alone.
    write_report(report, &mut out).expect("a report can be written to memory");
    String::from_utf8(out).expect("a report is a text")
}

/// An element of another format as a whole file.
fn render_element(name: &'static str, element: &impl serde::Serialize) -> String {
    let mut out = DECLARATION.as_bytes().to_vec();
    // As above.
    xml::write_element(&mut out, name, element).expect("a report can be written to memory");
    out.push(b'\n');
    String::from_utf8(out).expect("a report is a text")
}

fn write_report(report: &element::Profiler<'_>, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(DECLARATION.as_bytes())?;
    xml::write_element(&mut out, "profiler", report)?;
    out.write_all(b"\n")?;
    out.flush()
}
