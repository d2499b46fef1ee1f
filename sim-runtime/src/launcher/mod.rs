//! Runs a program on an engine for a user: options, loading, limits, messages, result files.
//!
//! `gentool run` and every generated simulator are this module around an engine. It is the only
//! part of the crate that prints, reads the clock or listens to signals; none of that reaches
//! the guest.
//!
//! Exit status: the guest's own, modulo 256, else one of [`exit_status`]. A run that is ended
//! by Ctrl-C or a signal has the status of a reached limit: the limit was set by hand. Every end
//! leaves its reports.

pub mod exit_status;

mod command;
mod conclusion;
mod counts;
mod earlier_snapshots;
mod failures;
mod image_check;
mod interrupt;
mod launch_info;
mod message;
mod number;
mod option_checks;
mod options;
mod options_line;
mod output_file;
mod parts;
mod pauses;
mod place;
mod progress;
mod run;
mod sample_choice;
mod slice;
mod snapshot;
mod start;
mod state_dump;
mod stdio;
mod symbol_files;
mod value_choice;
mod value_report;

use std::time::{Duration, Instant};

use isac_ir::Model;
use sim_profile::symbols::ImageFile;
use sim_profile::{render_profile_xml, write_profile};

pub use command::{main, take_negative_numbers, with_remedy};
pub use interrupt::{EndRequests, Interrupt, survive_file_limits};
pub use launch_info::{LaunchInfo, LaunchMap, LaunchRegister, LaunchStack};
pub use number::{parse_count, parse_number, parse_seconds, parse_value, parse_wide};
pub use option_checks::{check_results, find_snapshot};
pub use options::{ProgramFormat, RunOptions};
pub use output_file::{AtomicFile, OutputFile, Render, Results, is_same_file, write_remedy};
pub use sample_choice::{SampleChecks, SampleCode, SampleOnly};
pub use snapshot::{SnapshotInterval, SnapshotRequest};
pub use start::{describe_image, holds_parts};
pub use stdio::{Stdio, color_choice, is_dumb};
pub use symbol_files::parse_image_argument;

use crate::engine::Engine;
use crate::fault::Stop;
use crate::record::function_map;
use conclusion::Conclusion;
use image_check::{AwaitedCode, check_image};
use interrupt::{InterruptibleInput, Reason};
use message::Messages;
use option_checks::{check_outputs, check_start, check_values};
use parts::{Bounds, Parts};
use pauses::{Pauses, find_pauses};
use place::parse_assignment;
use progress::Progress;
use run::{End, Limits, Watch, run};
use slice::Recall;
use snapshot::Snapshots;
use start::{Outside, Started, read_program_of, start};
use symbol_files::{images_of, read_image_files};
use value_choice::find_choice;
use value_report::render_values;

/// Runs a program and leaves the results that the options ask for.
///
/// `engine` holds the RESET values. Its first [`Engine::run`] is one of 0 instructions, which
/// is to run operation `reset`, and nothing more. Returns the exit status.
pub fn launch(engine: &mut dyn Engine, info: &LaunchInfo, options: &RunOptions, stdio: Stdio) -> i32 {
    launch_with(engine, info, options, stdio, Vec::new())
}

/// As [`launch`], with further files made from the results.
pub fn launch_with(
    engine: &mut dyn Engine,
    info: &LaunchInfo,
    options: &RunOptions,
    stdio: Stdio,
    further: Vec<OutputFile<'_>>,
) -> i32 {
    let mut outputs = profile_outputs(options);
    outputs.extend(further);
    let messages = Messages(stdio.messages);
    let mut progress = Progress::new(stdio.progress);
    let mut streams = progress.make_way(stdio.streams);
    streams.input = Box::new(InterruptibleInput::new(streams.input, stdio.interrupt.clone()));

    if let Some(seconds) = options.timeout
        && let Some(deadline) = Instant::now().checked_add(Duration::from_secs_f64(seconds))
    {
        stdio.interrupt.set_deadline(deadline);
    }
    let recall = Recall::default();
    let outside = Outside { streams, interrupt: stdio.interrupt.clone(), recall: recall.clone() };
    let mut snapshots = Snapshots::new(options, info, stdio.snapshot.clone());
    let begun = begin(engine, info, options, outside, &outputs);
    let begun = begun.and_then(|begun| snapshots.make_way(options).map(|()| begun));
    let parts = Parts::new(Bounds::default());
    let awaited = Vec::new();
    let mut conclusion = Conclusion { engine, info, options, messages, snapshots, parts, awaited };
    match begun {
        Ok(Begun { mut started, pauses, warnings, awaited }) => {
            let awaited_places = pauses.all();
            conclusion.parts = Parts::new(pauses.bounds);
            conclusion.awaited = awaited;
            warnings.iter().for_each(|warning| conclusion.warn(warning));
            let Conclusion { engine, snapshots, parts, messages, .. } = &mut conclusion;
            snapshots.begin(&started.image, pauses.snapshots, awaited_places);
            let watch = Watch {
                interrupt: &stdio.interrupt,
                recall: &recall,
                progress: &mut progress,
                snapshots,
                parts,
                messages,
                pc: &info.pc,
            };
            let run = run_timed(*engine, &mut started, options, watch);
            progress.clear();
            conclusion.finish(started, run, &outputs)
        }
        Err(error) => {
            conclusion.messages.error(&error);
            exit_status::FAILURE
        }
    }
}

/// Runs a program that operation `reset` has not ended already, and takes the time.
fn run_timed(
    engine: &mut dyn Engine,
    started: &mut Started,
    options: &RunOptions,
    watch: Watch<'_>,
) -> (End, Duration) {
    let interrupt = watch.interrupt;
    let start = Instant::now();
    let end = match started.stop {
        Stop::Budget | Stop::Paused { .. } => run(engine, &mut started.host, Limits::of(options), watch),
        Stop::Halted(status) => End::Exited(status),
        Stop::Fault(fault) => End::Fault(fault),
        Stop::Interrupted => End::InterruptedWithin(interrupt.reason().unwrap_or(Reason::Signal)),
    };
    (end, start.elapsed())
}

/// A run before its first instruction.
struct Begun {
    started: Started,
    pauses: Pauses,
    /// What is likely to be wrong with the files of `--image`.
    warnings: Vec<String>,
    awaited: Vec<AwaitedCode>,
}

/// Everything that can be wrong with the user's options is found before the first instruction.
fn begin(
    engine: &mut dyn Engine,
    info: &LaunchInfo,
    options: &RunOptions,
    outside: Outside,
    outputs: &[OutputFile<'_>],
) -> Result<Begun, String> {
    let mut assignments = Vec::new();
    for text in &options.set {
        assignments.push(parse_assignment(info, text)?);
    }
    check_outputs(options, outputs)?;
    let images = read_image_files(options)?;
    check_start(info, options)?;
    let sampling = options.sampling()?;
    if options.calls && outputs.iter().all(|output| ["report", "values"].contains(&output.what)) {
        return Err("--calls is for the profile, and none is stored; add --profile FILE".to_owned());
    }
    if options.is_counted_in_parts() && outputs.is_empty() {
        return Err("--count-from and --count-until are for the profile, and none is made; add --profile \
                    FILE or --report FILE"
            .to_owned());
    }
    check_values(options)?;
    if options.snapshot_apart && engine.model().is_some_and(Model::overlaps) {
        return Err(NO_PARTS.to_owned());
    }
    let program = read_program_of(options)?;
    let started = start(engine, info, options, outside, (&program, &assignments))?;
    let files = images_of(&program, &images);
    let pauses = find_pauses(engine, options, &files)?;
    if options.calls {
        follow_calls(engine, &files)?;
    }
    let checks = images.iter().map(|image| check_image(image, &program, engine.machine(), info));
    let (warnings, awaited): (Vec<_>, Vec<_>) = checks.unzip();
    let (warnings, awaited) = (warnings.into_iter().flatten(), awaited.into_iter().flatten());
    let begun = Begun { started, pauses, warnings: warnings.collect(), awaited: awaited.collect() };
    if options.values.is_some() {
        let choice = find_choice(options, engine.model(), &files)?;
        if !engine.record_values(choice) {
            return Err(NO_VALUES.to_owned());
        }
    }
    match sampling {
        Some(sampling) if !engine.sample(sampling) => Err(no_samples(engine, sampling.is_plain()).to_owned()),
        _ => Ok(begun),
    }
}

/// Why samples are not taken where instructions overlap, and what to do.
pub const NO_SAMPLES: &str = "samples cannot be taken where instructions overlap; leave out --sample, or take a \
                              description without pipeline";

/// Why an engine takes no samples, and what to do.
fn no_samples(engine: &dyn Engine, are_plain: bool) -> &'static str {
    match engine.model() {
        Some(model) if model.overlaps() => NO_SAMPLES,
        _ if !are_plain => NO_SUCH_SAMPLES,
        _ => "this engine takes no samples of this description; say --engine reference",
    }
}

/// Why samples are not taken of parts of stretches, or by time, and what to do.
const NO_SUCH_SAMPLES: &str = "this engine takes samples of whole stretches, chosen by checks; leave out \
                               --sample-only and --sample-timer, or take the translated engine, which simulates \
                               no caches";

/// Why values are not counted, and what to do.
const NO_VALUES: &str = "this simulator was generated without what --values needs; generate it with `gentool \
                         generate --values`, or leave out --values";

/// Why calls are not followed, and what to do.
const NO_CALLS: &str = "this engine cannot follow calls; leave out --calls, or say --engine reference";

/// Why runs are not divided where instructions overlap, and what to do.
const NO_PARTS: &str = "a run cannot be divided where instructions overlap, for some are always on their way; \
                        leave out --snapshot-apart, and ask gentool diff what happened between two snapshots";

/// Has calls followed between the functions of the program.
fn follow_calls(engine: &mut dyn Engine, files: &[ImageFile<'_>]) -> Result<(), String> {
    let map = engine.model().map(|model| function_map(model, files)).unwrap_or_default();
    match engine.record_calls(map) {
        true => Ok(()),
        false => Err(NO_CALLS.to_owned()),
    }
}

/// The files that [`RunOptions`] itself can ask for.
fn profile_outputs<'a>(options: &RunOptions) -> Vec<OutputFile<'a>> {
    let mut outputs = Vec::new();
    if let Some(path) = options.report.clone() {
        outputs.push(OutputFile {
            path,
            what: "report",
            render: Box::new(|results| Ok(render_profile_xml(results.profile).into_bytes())),
        });
    }
    if let Some(path) = options.profile.clone() {
        outputs.push(OutputFile {
            path,
            what: "profile",
            render: Box::new(|results| {
                let mut bytes = Vec::new();
                write_profile(&mut bytes, results.profile)?;
                Ok(bytes)
            }),
        });
    }
    if let Some(path) = options.values.clone() {
        outputs.push(OutputFile {
            path,
            what: "values",
            render: Box::new(|results| {
                let told = results.model.zip(results.values);
                let (model, values) = told.expect("an engine that was asked for values has them");
                Ok(render_values(model, results.profile, values).into_bytes())
            }),
        });
    }
    outputs
}
