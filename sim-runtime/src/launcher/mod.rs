//! Runs a program on an engine for a user: options, loading, limits, messages, result files.
//!
//! `gentool run` and every generated simulator are this module around an engine. It is the only
//! part of the crate that prints, reads the clock or listens to signals; none of that reaches
//! the guest.
//!
//! Exit status: the guest's own, modulo 256, else one of [`exit_status`]. A run that is ended
//! by Ctrl-C or SIGTERM has the status of a reached limit: the limit was set by hand. Every end
//! leaves its reports.

pub mod exit_status;

mod command;
mod counts;
mod earlier_snapshots;
mod failures;
mod image_check;
mod interrupt;
mod launch_info;
mod message;
mod number;
mod options;
mod output_file;
mod parts;
mod pauses;
mod place;
mod progress;
mod run;
mod slice;
mod snapshot;
mod start;
mod state_dump;
mod stdio;
mod symbol_files;
mod value_choice;
mod value_report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use isac_ir::Model;
use sim_profile::symbols::ImageFile;
use sim_profile::{CacheLines, Provenance, ValueTable, render_profile_xml, write_profile};

pub use command::{main, take_negative_numbers, with_remedy};
pub use interrupt::{EndRequests, Interrupt, survive_file_limits};
pub use launch_info::{LaunchInfo, LaunchMap, LaunchRegister, LaunchStack};
pub use number::{parse_count, parse_number, parse_seconds, parse_value, parse_wide};
pub use options::{ProgramFormat, RunOptions, SampleChecks, SampleCode, SampleOnly};
pub use output_file::{AtomicFile, OutputFile, Render, Results, is_same_file};
pub use snapshot::{SnapshotInterval, SnapshotRequest};
pub use start::{describe_image, holds_parts};
pub use stdio::{Stdio, color_choice, is_dumb};
pub use symbol_files::parse_image_argument;

use crate::engine::{CacheStatistics, Engine};
use crate::fault::Stop;
use crate::host::Host;
use crate::record::{function_at, function_map};
use image_check::{AwaitedCode, check_image};
use interrupt::{InterruptibleInput, Reason};
use message::{describe_end, describe_halt};
use output_file::{check_writable, is_same_place, write_or_rescue};
use parts::{Bounds, Parts};
use pauses::{Pauses, find_pauses};
use place::parse_assignment;
use progress::{Progress, mips};
use run::{End, Limits, Watch, run};
use slice::Recall;
use snapshot::Snapshots;
use start::{Outside, Started, read_program, read_program_of, start};
use state_dump::dump_state;
use symbol_files::{check_image_files, images_of, read_image_files};
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

/// Why values are not those of parts of a run, and what to do.
const NO_VALUES_OF_PARTS: &str = "--values counts those of the whole run, and --count-from and --count-until parts \
                                  of it; leave out --values, or name instructions by --values-at in place of \
                                  --count-from and --count-until";

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

/// Checks before anything else is done that all results of a run can be written, and over nothing
/// that it needs, and that the files of `--image` can be read.
///
/// # Errors
/// Which file cannot, why, and what to do.
pub fn check_results(options: &RunOptions) -> Result<(), String> {
    check_outputs(options, &profile_outputs(options))?;
    check_values(options)?;
    check_image_files(options)
}

/// What is counted of a part of a run is no part of the values.
fn check_values(options: &RunOptions) -> Result<(), String> {
    match options.values.is_some() && options.is_counted_in_parts() {
        true => Err(NO_VALUES_OF_PARTS.to_owned()),
        false => Ok(()),
    }
}

fn check_outputs(options: &RunOptions, outputs: &[OutputFile<'_>]) -> Result<(), String> {
    let mut paths: Vec<(&str, &Path)> =
        outputs.iter().map(|output| (output.what, output.path.as_path())).collect();
    paths.extend(options.events.iter().map(|path| ("events", path.as_path())));
    paths.extend(options.pipeline_trace.iter().map(|path| ("pipeline trace", path.as_path())));
    paths.extend(options.dump_state.iter().map(|path| ("final state", path.as_path())));
    let images = options.images.iter().map(|image| Ok(parse_image_argument(image)?.0));
    let images: Vec<PathBuf> = images.collect::<Result<_, String>>()?;
    for (index, (what, path)) in paths.iter().enumerate() {
        if let Some((other, _)) = paths[..index].iter().find(|(_, earlier)| is_same_file(earlier, path)) {
            return Err(format!(
                "{other} and {what} are both to be written to {}; name two files",
                path.display()
            ));
        }
        if is_same_file(&options.program, path) {
            return Err(format!(
                "the {what} would be written over the program {}; name another file",
                path.display()
            ));
        }
        if let Some(image) = images.iter().find(|image| is_same_file(image, path)) {
            return Err(format!(
                "the {what} would be written over the file {} of --image; name another file",
                image.display()
            ));
        }
        check_writable(what, path)?;
    }
    let others = paths.iter().map(|(_, path)| *path).chain([options.program.as_path()]);
    let others = others.chain(images.iter().map(PathBuf::as_path));
    match options.profile.as_deref().and_then(|profile| find_snapshot(profile, others)) {
        Some(path) => Err(format!(
            "the file {} is called as a snapshot is, and could be written over; name another --profile",
            path.display()
        )),
        None => Ok(()),
    }
}

/// The first of some files that is called as snapshots are: as the profile, with a dot and a number behind.
#[must_use]
pub fn find_snapshot<'a>(profile: &Path, files: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
    let is_snapshot = |file: &Path| {
        let name = file.file_name()?.to_str()?;
        let (before, number) = name.rsplit_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && is_same_place(profile, &file.with_file_name(before))).then_some(())
    };
    files.into_iter().find(|file| is_snapshot(file).is_some())
}

/// What the options say about the start has to be possible.
fn check_start(info: &LaunchInfo, options: &RunOptions) -> Result<(), String> {
    let width_bits = info.pc.width_bits;
    match (options.pc, options.raw, options.format) {
        (Some(pc), ..) if width_bits < u64::BITS && pc >> width_bits != 0 => Err(format!(
            "--pc {pc:#x} does not fit into the {width_bits} bits of the program counter; give an \
             address that it can hold"
        )),
        (_, Some(_), ProgramFormat::Elf | ProgramFormat::Ihex | ProgramFormat::Srec) => {
            Err("--raw and another --format exclude each other; leave one of them out".to_owned())
        }
        _ => Ok(()),
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

/// What follows a run.
struct Conclusion<'a> {
    engine: &'a mut dyn Engine,
    info: &'a LaunchInfo,
    options: &'a RunOptions,
    messages: Messages,
    snapshots: Snapshots,
    parts: Parts,
    awaited: Vec<AwaitedCode>,
}

impl Conclusion<'_> {
    fn warn(&mut self, warning: &str) {
        self.messages.line(&format!("warning: {warning}"));
    }

    /// Says how the run ended, writes all files and gives the exit status.
    fn finish(
        &mut self,
        started: Started,
        (end, elapsed): (End, Duration),
        outputs: &[OutputFile<'_>],
    ) -> i32 {
        let Started { mut host, image, .. } = started;
        self.tell(&mut host, end, elapsed);
        for awaited in std::mem::take(&mut self.awaited) {
            let warning = awaited.check(self.engine.machine(), self.info);
            warning.iter().for_each(|warning| self.warn(warning));
        }
        let provenance = Provenance {
            engines: [self.info.engine.clone()].into(),
            mode: self.options.mode(),
            runs: 1,
            parts: None,
            host_nanoseconds: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            model_digest: self.info.model_digest.clone(),
            images: vec![image],
            programs: Vec::new(),
        };
        let failures = &self.snapshots.failures;
        failures.summary().iter().for_each(|summary| self.messages.error(summary));
        let failed = !failures.is_empty();
        let written = self.write_outputs(outputs, provenance) && !failed;
        match end {
            _ if !written || host.flush().is_err() => exit_status::FAILURE,
            End::Exited(status) => status & 0xff,
            End::Fault(_) => exit_status::FAULT,
            End::InstructionLimit(_)
            | End::CycleLimit(_)
            | End::Interrupted(_)
            | End::InterruptedWithin(_) => exit_status::LIMIT,
        }
    }

    /// Sends out the rest of the guest's output, then says how the run ended.
    fn tell(&mut self, host: &mut Host, end: End, elapsed: Duration) {
        if let Err(error) = host.flush() {
            self.messages.error(&error);
        }
        let function = match end {
            End::Fault(fault) => self.function_at(fault.instruction_address),
            _ => None,
        };
        let whose = (end, function.as_deref());
        for line in describe_end(self.engine, self.info, whose, self.options.timeout) {
            self.messages.line(&line);
        }
        if let (End::Exited(status), Some(explanation)) = (end, host.explanation()) {
            let function = self.function_at(explanation.address);
            for line in describe_halt(self.info, status, explanation, function.as_deref()) {
                self.messages.line(&line);
            }
        }
        for address in self.snapshots.awaited() {
            let given = self.options.pauses().join(", ");
            let digits = self.info.pc.width_bits.div_ceil(4) as usize + 2;
            self.messages.line(&format!("note: the run has not come to {address:#0digits$x} ({given})"));
        }
        if let Some(path) = self.snapshots.find_left_over() {
            let path = path.display();
            self.messages.line(&format!(
                "note: {path} is a snapshot of an earlier run, behind the last one of this; remove it and those behind it"
            ));
        }
        if self.options.has_chosen_values() && self.engine.values().is_some_and(ValueTable::is_empty) {
            self.messages
                .line("note: no instruction of --values-at and --values-of was counted: there are no values");
        }
        if self.options.stats {
            let instructions = self.engine.instructions();
            self.messages.line(&format!(
                "{instructions} instructions, {} cycles, {:.3} seconds, {:.1} MIPS",
                self.engine.cycles(),
                elapsed.as_secs_f64(),
                mips(instructions, elapsed)
            ));
            let summaries = [self.snapshots.summary(), self.parts.summary()];
            summaries.iter().flatten().for_each(|summary| self.messages.line(summary));
            self.engine.statistics().iter().for_each(|line| self.messages.line(line));
            for CacheStatistics { name, lines } in self.engine.caches() {
                let CacheLines { hits, misses, write_backs } = lines;
                let line = format!("{name}: {hits} hits, {misses} misses, {write_backs} lines written back");
                self.messages.line(&line);
            }
        }
    }

    /// The function of the program that an address belongs to, if its file tells.
    fn function_at(&self, address: u64) -> Option<String> {
        let program = read_program(&self.options.program).ok()?;
        let files = read_image_files(self.options).ok()?;
        function_at(self.engine.model()?, &images_of(&program, &files), address)
    }

    /// Writes all files, each independently of the others; false if one failed.
    fn write_outputs(&mut self, outputs: &[OutputFile<'_>], provenance: Provenance) -> bool {
        let mut results = Vec::new();
        if let Some(path) = &self.options.dump_state {
            let text = dump_state(self.engine, self.info);
            results.push(write_or_rescue("final state", path, text.as_bytes()));
        }
        if !outputs.is_empty() {
            match self.parts.profile(self.engine, provenance) {
                Ok(profile) => {
                    let made = Results {
                        profile: &profile,
                        values: self.engine.values(),
                        model: self.engine.model(),
                    };
                    results.extend(outputs.iter().map(|output| write_output(output, &made)));
                }
                Err(error) => results.push(Err(error)),
            }
        }
        let mut written = true;
        for error in results.into_iter().filter_map(Result::err) {
            self.messages.error(&error);
            written = false;
        }
        written
    }
}

fn write_output(output: &OutputFile<'_>, results: &Results<'_>) -> Result<(), String> {
    let bytes = (output.render)(results)
        .map_err(|error| format!("the {} could not be made: {error}", output.what))?;
    write_or_rescue(output.what, &output.path, &bytes)
}

/// Where the launcher speaks.
struct Messages(Box<dyn Write + Send>);

impl Messages {
    fn error(&mut self, text: &str) {
        self.line(&format!("error: {text}"));
    }

    fn line(&mut self, text: &str) {
        // Nobody could be told that nobody listens.
        let _ = writeln!(self.0, "{text}");
    }
}
