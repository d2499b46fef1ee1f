//! Runs a program on the translated engine, from a model as a generated package carries it.

use std::process::ExitCode;

use clap::Parser;
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch};
use sim_translate::TranslatedEngine;

#[derive(Parser)]
struct Options {
    model: std::path::PathBuf,
    /// After so many arrivals a place is compiled.
    #[arg(long)]
    threshold: Option<u32>,
    #[command(flatten)]
    run: RunOptions,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let text = std::fs::read_to_string(&options.model).unwrap_or_default();
    let model = sim_runtime::record::read_model(&text);
    let Some(mut engine) = TranslatedEngine::new(&model) else {
        eprintln!("{:?}", sim_translate::find_obstacles(&model));
        return ExitCode::FAILURE;
    };
    if options.run.wants_measurement() {
        engine = engine.with_profile();
    }
    if let Some(arrivals) = options.threshold {
        engine = engine.with_threshold(arrivals);
    }
    let info = LaunchInfo::of_model(&model, "translated", "");
    ExitCode::from(launch(&mut engine, &info, &options.run, Stdio::of_process()) as u8)
}
