//! The report as a page for people: one file that holds everything and asks nobody for anything.
//!
//! ```text
//! Profile + files of the program --> Data, one member for each view --> JSON in page.html
//! ```
//!
//! A browser must open the report of a large program at once, and every figure has to be that of the
//! other reports. So all sums are made here, tables are columns of plain values, and the page lays
//! them out: it draws the rows that are seen. Whatever comes from the program stands in the data
//! alone, where no name can become markup.

mod branch;
mod call;
mod code;
mod description;
mod encoding;
mod function;
mod gap;
mod instruction_set;
mod model_source;
mod number;
mod page;
mod pipeline;
mod resource;
mod source;
mod summary;
mod time;

use serde::Serialize;

use crate::coverage::Exclusions;
use crate::program::ProgramProfile;
use crate::program::line::Steps;
use crate::{Measurement, Profile};

pub use description::{
    Description, ImpossiblePairs, InstructionOperands, OperandCoverage, OperandPlace, OperandSpace,
    OperandTable, OperandValue, PairCoverage, PlaceCoverage,
};
pub use encoding::{EncodingMap, EncodingRow, FreePattern};

/// What a page is made of.
#[derive(Clone, Copy)]
pub struct HtmlReport<'a> {
    /// The profile of the run.
    pub profile: &'a Profile,
    /// The same with the program's files; a program of no files if none is known.
    pub program: &'a ProgramProfile<'a>,
    /// What the description alone tells, if it is at hand.
    pub description: Option<&'a Description>,
    /// Instructions that need not be covered.
    pub exclusions: &'a Exclusions,
}

/// Everything that the page shows.
#[derive(Serialize)]
struct Data {
    model: String,
    images: Vec<String>,
    /// Of several programs.
    programs: Vec<summary::ProgramRow>,
    address_digits: u32,
    summary: Vec<summary::Figure>,
    coverage: summary::Coverage,
    instructions: instruction_set::Instructions,
    tree: Vec<instruction_set::Node>,
    resources: resource::Resources,
    time: time::Time,
    functions: function::Functions,
    calls: call::Calls,
    sources: Vec<source::Source>,
    lines: source::Lines,
    code: code::Code,
    branches: Vec<branch::Branch>,
    pipeline: Option<pipeline::Pipeline>,
    description: Option<description::View>,
    gaps: Vec<gap::Gap>,
}

/// The page, as HTML in UTF-8. Equal profiles, programs and descriptions give equal bytes.
pub fn render_html(report: &HtmlReport<'_>) -> String {
    page::fill(&data_of(report))
}

/// What the page shows, as the JSON that stands in it.
pub fn render_html_data(report: &HtmlReport<'_>) -> String {
    page::json_of(&data_of(report))
}

fn data_of(report: &HtmlReport<'_>) -> Data {
    let measurement = &report.profile.measurement;
    // Of several programs nothing is known by address, so there is no code.
    let nothing = Measurement::new(measurement.tables.clone());
    let of_one = match measurement.is_of_several_programs {
        true => ProgramProfile { measurement: &nothing, ..*report.program },
        false => *report.program,
    };
    let program = &of_one;
    let steps = Steps::of(program);
    let set = instruction_set::InstructionSet::of(measurement);
    let functions = function::FunctionTable::of(program, &steps);
    let lines = source::LineTable::of(program, &steps);
    let code = code::code_of(program, &set, &functions, &lines);
    let images = report.profile.provenance.images.iter().map(|image| image.name.clone());
    Data {
        model: measurement.tables.model.clone(),
        images: images.collect(),
        address_digits: measurement.tables.address_bits.min(64).div_ceil(4),
        summary: summary::figures_of(measurement),
        coverage: summary::coverage_of(measurement, report.exclusions, &set),
        programs: summary::programs_of(report.profile),
        resources: resource::resources_of(measurement, &set),
        time: time::time_of(measurement, &set),
        calls: call::calls_of(program, &functions),
        sources: lines.sources(program),
        branches: branch::branches_of(program, &functions, &lines),
        pipeline: pipeline::pipeline_of(report.profile),
        description: report.description.map(|facts| description::view_of(facts, measurement, &set)),
        gaps: gap::gaps_of(report, &lines),
        tree: set.tree(measurement),
        instructions: set.instructions(measurement, &functions, program),
        functions: functions.into_functions(),
        lines: lines.into_lines(),
        code,
    }
}
