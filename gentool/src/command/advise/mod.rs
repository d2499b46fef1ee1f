//! `gentool advise`: what a designer of the instruction set asks next.

mod form;
mod immediate;
mod page;
mod register;
mod section;
mod sequence;
mod step;

use std::path::PathBuf;

use clap::ValueEnum;
use isac_parser::coverage_maps;

use self::step::steps_of;
use super::description::{DescriptionOptions, check_described};
use super::html_description::describe;
use super::progress::Progress;
use super::{Failure, profile_file};

/// Say what a profile suggests to the designer of an instruction set.
///
/// Instructions and forms of operands that were never used; pairs and triples of instructions that always
/// run together and hand values on, with what they cost and a free encoding; constants that are used
/// most; registers hardly used. Every line has its count.
///
/// Example: gentool advise cpu.isac run.profile
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    /// What `gentool run --profile FILE` has written; several are added up.
    ///
    /// Of several programs there are no sequences of instructions.
    #[arg(value_name = "PROFILE", required = true)]
    profiles: Vec<PathBuf>,

    /// What the result looks like.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Most lines of each list as text; a page has all of them.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    top: usize,

    /// Where to write the result; standard output if left out.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The forms.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Lists below each other.
    Text,
    /// A page for the browser that needs nothing else.
    Html,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let mut sources = options.profiles.clone();
    sources.push(options.description.model.clone());
    profile_file::check_out("result", options.out.as_deref(), &sources)?;
    let (checked, description) = options.description.load_checked()?;
    let model = description.model;
    let profile = profile_file::read_merged(&options.profiles)?;
    check_described(&profile, &model, &options.description.model)?;
    let progress = Progress::new("looking for what to advise");
    let maps = coverage_maps(&checked);
    let measurement = &profile.measurement;
    let steps = steps_of(&model, measurement);
    let mut sections = vec![form::instructions(measurement)];
    sections.push(form::forms(&describe(&model, &maps, &profile), measurement));
    sections.extend([2, 3].map(|length| sequence::sequences(&model, measurement, &steps, &maps, length)));
    sections.push(immediate::immediates(&steps, !profile.is_of_several_programs()));
    sections.extend(register::registers(&model, &steps));
    let title = format!("Advice on {}", measurement.tables.model);
    let text = match options.format {
        Format::Text => section::render_text(&title, &sections, options.top),
        Format::Html => page::render_page(&title, &sections),
    };
    drop(progress);
    profile_file::write(options.out.as_deref(), text.as_bytes())
}
