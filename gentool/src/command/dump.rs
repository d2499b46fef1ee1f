//! `gentool dump`

use clap::ValueEnum;
use isac_ir::print::{print_behavior, print_decoders, print_time};

use super::description::DescriptionOptions;
use super::{Failure, print};

/// Print a stage of what a description is turned into.
///
/// Example: gentool dump decoder models/tiny8/tiny8.isac
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What to print.
    stage: Stage,
    #[command(flatten)]
    description: DescriptionOptions,
}

/// The stages.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Stage {
    /// The decoding automata, one state a line, and the trees that they choose between.
    Decoder,
    /// The time graph: every operation's instance with what brings it about and when.
    Time,
    /// The behaviour of every operation as typed statements, with the id of each access.
    Behavior,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let model = options.description.load()?.model;
    print(&match options.stage {
        Stage::Decoder => print_decoders(&model),
        Stage::Time => print_time(&model),
        Stage::Behavior => print_behavior(&model),
    })
}
