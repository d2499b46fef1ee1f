//! `gentool dump`

use clap::ValueEnum;
use isac_ir::print::{print_behavior, print_decoders, print_time};

use isac_ir::Model;
use isac_ir::automaton::{Automaton, Limits, print_automaton};
use isac_ir::schedule::Schedule;
use isac_parser::print_coverage_map;

use super::description::DescriptionOptions;
use super::{Failure, print};

/// Print a stage of what a description is turned into.
///
/// Example: gentool dump decoder models/tiny8/tiny8.isac
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What to print.
    stage: Stage,
    /// Most states of the timing automaton that are looked for.
    ///
    /// With more, or where instructions take more courses than an automaton is for, the kernel
    /// works without it: the results are the same. Example: --states 100
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    states: usize,
    #[command(flatten)]
    description: DescriptionOptions,
}

/// The stages.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Stage {
    /// The decoding automata, one state a line, and the trees that they choose between.
    Decoder,
    /// The time graph: every operation's instance with what brings it about and when. Of a model
    /// with instructions in flight also the timing automaton.
    Time,
    /// The behaviour of every operation as typed statements, with the id of each access.
    Behavior,
    /// How the words that a CODINGROOT decodes are used, and which are free: the encoding and
    /// the words of each instruction, the use of each opcode, the free patterns.
    CoverageMap,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    if let Stage::CoverageMap = options.stage {
        let mut map = String::new();
        options.description.load_with(|model, _| map = print_coverage_map(model))?;
        return print(&map);
    }
    let model = options.description.load()?.model;
    print(&match options.stage {
        Stage::Decoder => print_decoders(&model),
        Stage::Time => print_time(&model) + &timing_automaton(&model, options.states),
        Stage::Behavior => print_behavior(&model),
        Stage::CoverageMap => String::new(),
    })
}

/// The timing automaton of a model with instructions in flight, or why it has none.
fn timing_automaton(model: &Model, states: usize) -> String {
    if !model.overlaps() {
        return String::new();
    }
    match Schedule::of(model) {
        Ok(schedule) => {
            let mut automaton = Automaton::new(schedule);
            let explored = automaton.explore(Limits { states, ..Limits::default() });
            print_automaton(model, &automaton, explored)
        }
        Err(obstacle) => format!("timing automaton: none, for {obstacle}\n"),
    }
}
