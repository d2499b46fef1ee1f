//! `gentool check`

use super::Failure;
use super::description::DescriptionOptions;

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
    let description = options.description.load()?;
    let model = &description.model;
    let kind = match model.time.is_instruction_accurate() {
        true => "instruction-accurate",
        false => "cycle-accurate",
    };
    println!(
        "{}: sound, {kind}, {} operations, {} instructions, {} warnings",
        model.name,
        model.operations.len(),
        model.instructions.len(),
        description.warnings
    );
    Ok(0)
}
