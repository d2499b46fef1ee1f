//! `gentool check`

use isac_parser::check_coverage;

use super::description::DescriptionOptions;
use super::{Failure, print};

/// Check a description and say everything that is wrong with it.
///
/// Every error and warning is shown with its place and a remedy. Exit status 0 if there is no
/// error, else 126. Example: gentool check models/rv32im/rv32im.isac
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let description = options.description.load_with(check_coverage)?;
    let model = &description.model;
    let kind = match model.time.is_instruction_accurate() {
        true => "instruction-accurate",
        false => "cycle-accurate",
    };
    print(&format!(
        "{}: sound, {kind}, {} operations, {} instructions, {} warning{}\n",
        model.name,
        model.operations.len(),
        model.instructions.len(),
        description.warnings,
        if description.warnings == 1 { "" } else { "s" }
    ))
}
