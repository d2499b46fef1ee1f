//! `gentool run`

pub(super) mod child;
mod reference;

use std::mem::ManuallyDrop;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::thread;

use clap::ValueEnum;
use gentool::emit::find_obstacles;
use isac_ir::Model;
use sim_runtime::launcher::{
    LaunchInfo, NO_SAMPLES, ProgramFormat, RunOptions, SnapshotRequest, Stdio, check_results, find_snapshot,
    is_same_file, launch_with,
};
use sim_runtime::trace::CycleWindow;
use sim_translate::{Counting, TranslatedEngine};

use self::reference::run_reference;
use super::cache::build_simulator;
use super::description::{Description, DescriptionOptions, digest_model};
use super::gdb::{parse_address, run_debugged};
use super::html_report::{Described, RunPage, check_page};
use super::mistaken_file::instead_of_program;
use super::pipeline::parse_view;
use super::{Failure, profile_file};

/// Run a program on the simulator of a description.
///
/// Where instructions overlap, or the description holds what is not translated yet, and with --caches, a
/// simulator is generated and built the first time, and kept; all other runs start at once. The program's
/// exit status is that of the run.
///
/// Example: gentool run models/rv32im/rv32im.isac models/rv32im/programs/crc32.elf --report crc32.xml
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    description: DescriptionOptions,

    #[command(flatten)]
    run: RunOptions,

    /// Write the profile as a page for the browser to FILE.
    ///
    /// One file that needs nothing else: coverage, resources, functions, calls, sources beside code,
    /// branches, cycles. Names of functions and lines come from the program, texts of sources from the
    /// current folder; stacks of calls need --calls. Example: --html run.html
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    html: Option<PathBuf>,

    /// Count in the profile what of the description is used: each line and each side of a decision.
    ///
    /// Of BEHAVIOR, ACTIVATION, CODINGROOT, EXPRESSION and FUNCTION; all other counts are the same.
    /// The page of --html shows it beside the lines; gentool report --format lcov-description makes a
    /// tracefile of a stored profile. Reference engine alone. Example:
    /// --profile run.profile --description-coverage
    #[arg(
        long,
        conflicts_with_all = ["events", "gdb", "sample"],
        help_heading = "Results"
    )]
    description_coverage: bool,

    /// Keep which instruction is in which stage in these cycles, for --html, --report and --profile.
    ///
    /// The first cycle, from 1 on, and how many, at most 2,000; numbers may have a unit (K, M, G). It is
    /// of one run: gentool merge leaves it out. Reference engine alone.
    /// Example: --html run.html --pipeline-view 5K:200
    #[arg(
        long,
        value_name = "FROM:COUNT",
        value_parser = parse_view,
        conflicts_with_all = ["gdb", "sample"],
        help_heading = "Results"
    )]
    pipeline_view: Option<CycleWindow>,

    /// What executes the program; all give the same results.
    ///
    /// Default: translated where that is possible, else emitted, as with --caches;
    /// reference where --events or a picture of the pipeline asks for it. The emitted one is built by cargo
    /// first, for a minute or so, and kept for the next run of the description.
    #[arg(long, value_enum)]
    engine: Option<EngineName>,

    /// Where the translated engine counts for a profile, which is the same by all.
    ///
    /// To compare what counting costs; --stats tells edges and counters.
    #[arg(long, value_enum, value_name = "WHERE", default_value = "fewest")]
    counters: Counters,

    /// Let the translated engine count where the stored profile FILE says that it is rarest, of an earlier
    /// run with --profile.
    ///
    /// As with --counters the profile is the same; it costs less where loops run shorter than is supposed.
    #[arg(long, value_name = "FILE", conflicts_with = "counters")]
    counters_from: Option<PathBuf>,

    /// Let so many threads beside the run make machine code for the translated engine: 0 or 1.
    ///
    /// Default: 1 where this computer has a second processor for it. With 0 the run waits for its code, and
    /// --stats tells the same of each run but for times; state and profile are the same by both.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=1))]
    compile_threads: Option<u8>,

    /// Wait for gdb at PORT of this computer, and run the program as it says.
    ///
    /// In gdb: target remote :PORT. With ADDRESS:PORT others can connect, too: whoever does reads and
    /// writes all of the simulated memory. By --engine reference, the default here, a run can be taken
    /// back; --engine translated is faster and cannot. 0 takes any port that is free.
    /// Example: --gdb 1234
    #[arg(
        long,
        value_name = "PORT",
        conflicts_with = "values",
        value_parser = parse_address,
        help_heading = "Debugging"
    )]
    gdb: Option<SocketAddr>,
}

/// Where compiled code counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Counters {
    /// On as few edges of the control flow as tell all others.
    Fewest,
    /// On every edge.
    Every,
    /// On as few, chosen by chance.
    Random,
    /// On as few, by a naive estimate of how often each edge is taken.
    Naive,
    /// On as few, by the estimate of Wu and Larus.
    WuLarus,
}

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// Interprets the model in the plainest way: slow, needs no build, tells every event.
    Reference,
    /// The generated simulator, built by cargo: fast.
    Emitted,
    /// Machine code made while the program runs: fastest, needs no build; for models whose
    /// instructions do not overlap.
    Translated,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    // It would end the process as long as nobody listens.
    let _ = SnapshotRequest::of_process();
    check_program(options)?;
    let (checked, description) = options.description.load_checked()?;
    check_files(options, &description)?;
    check_samples(&description.model, options)?;
    let counted = options.description_coverage.then(|| description.count_points(&checked));
    let describe = || {
        let described = Described::of(&checked, &description.model);
        match &counted {
            Some((_, points)) => described.with_points(points.clone(), description.texts()),
            None => described,
        }
    };
    let page = options.html.as_deref().map(|path| RunPage::of(path, &options.run, describe()));
    let page = page.as_ref();
    page.map_or(Ok(()), RunPage::check_sources)?;
    let is_followed = options.gdb.is_some() && options.engine != Some(EngineName::Translated);
    let followed = is_followed.then(|| description.follow_statements(&checked));
    drop(checked);
    let model = description.model;
    let obstacles = find_obstacles(&model);
    let told = wants_reference(options);
    let wanted = match (options.engine, told) {
        (Some(EngineName::Emitted | EngineName::Translated), Some(option)) => {
            return Err(Failure::other(format!("{option} needs the reference engine; leave --engine out")));
        }
        (Some(engine), _) => engine,
        (None, _) if options.gdb.is_some() => EngineName::Reference,
        (None, _) if told.is_some() => EngineName::Reference,
        (None, _) if asks_too_much(&options.run).is_none() && can_translate(&model) => EngineName::Translated,
        (None, _) => EngineName::Emitted,
    };
    if wanted != EngineName::Translated
        && let Some(option) =
            says_how_to_compile(options).or(options.run.wants_translated().map(ToOwned::to_owned))
    {
        return Err(Failure::other(format!("{option} needs the translated engine; leave it out")));
    }
    check_gdb(options, wanted)?;
    match (wanted, &obstacles[..]) {
        (EngineName::Reference, _) => {
            run_reference(&model, counted.as_ref(), followed.as_ref(), options, page)
        }
        (EngineName::Translated, _) => run_translated(&model, options, page),
        (EngineName::Emitted, []) => run_emitted(&model, &options.run, page),
        (EngineName::Emitted, [first, ..]) if options.engine.is_none() => {
            say!("note: using the reference engine: {first}");
            run_reference(&model, None, None, options, page)
        }
        (EngineName::Emitted, [first, ..]) => Err(Failure {
            message: format!("no simulator can be emitted: {first}; use --engine reference"),
            status: sim_runtime::launcher::exit_status::MODEL,
        }),
    }
}

/// Raw bytes are what nothing else is: a text that was taken for a program would run somehow.
fn check_program(options: &Options) -> Result<(), Failure> {
    let program = &options.run.program;
    if options.run.format != ProgramFormat::Auto || options.run.raw.is_some() {
        return Ok(());
    }
    match instead_of_program(&options.description.model, program) {
        None => Ok(()),
        Some(found) => Err(Failure::other(format!("{} is no program: {found}", program.display()))),
    }
}

/// An option that the reference engine alone knows.
fn wants_reference(options: &Options) -> Option<&'static str> {
    let own = [
        ("--description-coverage", options.description_coverage),
        ("--pipeline-view", options.pipeline_view.is_some()),
    ];
    let own = own.into_iter().find_map(|(option, is_given)| is_given.then_some(option));
    options.run.wants_reference().or(own)
}

/// An option that the translated engine does not know.
fn asks_too_much(options: &RunOptions) -> Option<&'static str> {
    options.caches.then_some("--caches")
}

/// True if the translated engine takes the model, on this computer.
fn can_translate(model: &Model) -> bool {
    sim_translate::find_obstacles(model).is_empty() && sim_translate::is_host_supported()
}

/// What gdb takes back must not have been told already, and the emitted engine is another process.
fn check_gdb(options: &Options, wanted: EngineName) -> Result<(), Failure> {
    match (options.gdb, options.run.wants_reference(), wanted) {
        (Some(_), Some(option), _) => Err(Failure::other(format!(
            "--gdb and {option} exclude each other: what is taken back cannot be unwritten; leave one out"
        ))),
        (Some(_), None, EngineName::Emitted) => {
            Err(Failure::other("--gdb needs another engine; leave --engine out"))
        }
        _ => Ok(()),
    }
}

/// No result may take the place of what the run is made from; found before a simulator is built.
fn check_files(options: &Options, description: &Description) -> Result<(), Failure> {
    results(options).try_for_each(|(what, path)| description.check_output(what, path))?;
    if let Some(profile) = &options.run.profile {
        description.check_snapshots(profile)?;
    }
    check_results(&options.run).map_err(Failure::other)?;
    check_counters_from(options)?;
    check_view(options)?;
    check_coverage(options)?;
    options.html.as_deref().map_or(Ok(()), |page| check_page(page, results(options), &options.run.program))
}

/// What counters are placed by is kept.
fn check_counters_from(options: &Options) -> Result<(), Failure> {
    let Some(from) = &options.counters_from else { return Ok(()) };
    if let Some(profile) = &options.run.profile
        && find_snapshot(profile, [from.as_path()]).is_some()
    {
        return Err(Failure::other(format!(
            "{}, by which counters are placed, is called as a snapshot is, and would give way to those of this run; \
             name another --profile",
            from.display()
        )));
    }
    match results(options).find(|(_, path)| is_same_file(path, from)) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::other(format!(
            "the {what} would take the place of {}, by which counters are placed; name another file",
            from.display()
        ))),
    }
}

/// What is kept has to be shown by something.
fn check_view(options: &Options) -> Result<(), Failure> {
    let shows = [&options.html, &options.run.report, &options.run.profile];
    match options.pipeline_view.is_some() && shows.iter().all(|file| file.is_none()) {
        true => Err(Failure::other("nothing would show --pipeline-view; add --html, --report or --profile")),
        false => Ok(()),
    }
}

/// What is counted has to be kept or shown.
fn check_coverage(options: &Options) -> Result<(), Failure> {
    match options.description_coverage && options.run.profile.is_none() && options.html.is_none() {
        true => Err(Failure::other("nothing would keep --description-coverage; add --profile or --html")),
        false => Ok(()),
    }
}

/// What samples do not tell, and where they cannot be taken: said before a simulator is built.
fn check_samples(model: &Model, options: &Options) -> Result<(), Failure> {
    let sampling = options.run.sampling().map_err(Failure::other)?;
    match sampling.is_some() {
        true if options.html.is_some() => {
            Err(Failure::other("--html shows exact figures alone; leave out --html or --sample"))
        }
        true if options.gdb.is_some() => {
            Err(Failure::other("a run is debugged as a whole; leave out the samples, or --gdb"))
        }
        true if model.overlaps() => Err(Failure::other(NO_SAMPLES)),
        _ => Ok(()),
    }
}

/// What is written, with its file.
fn results(options: &Options) -> impl Iterator<Item = (&'static str, &Path)> {
    let results = &options.run;
    let all = [
        ("page", &options.html),
        ("report", &results.report),
        ("profile", &results.profile),
        ("values", &results.values),
        ("events", &results.events),
        ("pipeline trace", &results.pipeline_trace),
        ("final state", &results.dump_state),
    ];
    all.into_iter().filter_map(|(what, path)| Some((what, path.as_deref()?)))
}

/// Replaces this program by the simulator, which has the same options; where a page is to be made,
/// waits for it.
fn run_emitted(model: &Model, options: &RunOptions, page: Option<&RunPage>) -> Result<i32, Failure> {
    let program = build_simulator(model, options.values.is_some())?;
    if let Some(page) = page {
        return page.run_simulator(&program, options);
    }
    let mut command = Command::new(&program);
    command.args(options.to_arguments());
    let unstartable =
        |error: std::io::Error| Failure::other(format!("cannot start {}: {error}", program.display()));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        Err(unstartable(command.exec()))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(unstartable)?;
        Ok(status.code().unwrap_or(sim_runtime::launcher::exit_status::FAILURE))
    }
}

/// The option by which compiled code is to be made otherwise than it would, as the user knows it.
fn says_how_to_compile(options: &Options) -> Option<String> {
    let value = options.counters.to_possible_value().filter(|_| options.counters != Counters::Fewest);
    let named = value.map(|value| format!("--counters {}", value.get_name()));
    let named = named.or(options.counters_from.as_ref().map(|_| "--counters-from".to_owned()));
    named.or(options.compile_threads.map(|_| "--compile-threads".to_owned()))
}

/// Where compiled code is to count.
fn counting(model: &Model, options: &Options) -> Result<Counting, Failure> {
    let Some(path) = &options.counters_from else {
        return Ok(match options.counters {
            Counters::Fewest => Counting::Fewest,
            Counters::Every => Counting::Every,
            Counters::Random => Counting::Random,
            Counters::Naive => Counting::Naive,
            Counters::WuLarus => Counting::WuLarus,
        });
    };
    let measurement = profile_file::read(path)?.measurement;
    match &measurement.tables.model {
        name if *name == model.name => Ok(Counting::measured(&measurement)),
        name => Err(Failure::other(format!(
            "{} was measured on {name}, and this is {}; name a profile of this model",
            path.display(),
            model.name
        ))),
    }
}

/// Translates the model while the program runs.
fn run_translated(model: &Model, asked: &Options, page: Option<&RunPage>) -> Result<i32, Failure> {
    let options = &asked.run;
    let refused = |reason: &str| Failure {
        message: format!("the model cannot be translated: {reason}; use another --engine"),
        status: sim_runtime::launcher::exit_status::MODEL,
    };
    if let Some(option) = asks_too_much(options) {
        return Err(Failure::other(match options.wants_translated() {
            Some(other) => {
                format!(
                    "{other} needs the translated engine, which does not know {option}; leave one of them out"
                )
            }
            None => format!(
                "the translated engine does not know {option}; leave --engine out, or say --engine reference, which \
                 needs no build"
            ),
        }));
    }
    if let Some(first) = sim_translate::find_obstacles(model).first() {
        return Err(refused(first));
    }
    let Some(mut engine) = TranslatedEngine::new(model) else {
        return Err(refused("it is too large"));
    };
    if options.wants_measurement() || page.is_some() {
        engine = engine.with_profile();
    }
    engine = engine.with_counting(counting(model, asked)?);
    let has_second = || thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
    if asked.compile_threads.map_or_else(has_second, |threads| threads > 0) {
        engine = engine.with_compiler_beside();
    }
    let info = LaunchInfo::of_model(model, "translated", &digest_model(model));
    if let Some(address) = asked.gdb {
        let engine = Box::new(engine.with_profile());
        return run_debugged(model, engine, &info, (address, options), Rc::default(), page);
    }
    let further = page.into_iter().map(RunPage::output).collect();
    // The process ends behind this, and all of its memory at once: piece by piece takes 4 % of a short run.
    let mut engine = ManuallyDrop::new(engine);
    Ok(launch_with(&mut *engine, &info, options, Stdio::of_process(), further))
}
