//! `gentool report`

use std::fs::File;
use std::io::{BufReader, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sim_profile::coverage::Exclusions;
use sim_profile::description::render_description_lcov;
use sim_profile::html::OperandTable;
use sim_profile::program::ProgramProfile;
use sim_profile::program::render::{
    render_annotated_source, render_callgrind, render_disassembly, render_dot, render_gprof, render_lcov,
    render_most_expensive, render_oprofile, render_pprof, render_sampled, write_folded,
};
use sim_profile::{
    Profile, ReportParts, render_cobertura, render_junit, render_operands_text, render_profile_text,
    replay_events, write_full_xml,
};
use sim_runtime::launcher::parse_number;

use super::exclusion::read_exclusions;
use super::flow_report::Flow;
use super::html_report::{Described, render_page};
use super::profile_file::SampledProfile;
use super::program_report::Room;
use super::reachable_code::ModelOptions;
use super::requirement::{Requirement, RequirementParser, UNCOVERED};
use super::{Failure, profile_file, program_report};

/// Make a report of stored profiles, or of recorded events.
///
/// Several profiles on one model are added up. Of several programs, as a test suite is, there is what of the
/// model they used, and nothing by address.
///
/// Example: gentool report run.profile --format xml -o run.xml
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` has written.
    #[arg(value_name = "PROFILE", required_unless_present = "events")]
    profiles: Vec<PathBuf>,

    /// The events that `gentool run --engine reference --events FILE` has written.
    #[arg(long, value_name = "FILE", conflicts_with = "profiles")]
    events: Option<PathBuf>,

    /// What the report looks like.
    #[arg(long, value_enum, default_value_t = Format::Xml)]
    format: Format,

    /// Write the page that --format html gives to FILE; open it in a browser.
    ///
    /// Example: gentool report run.profile --image program.elf --model cpu.isac --html run.html
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "out"])]
    html: Option<PathBuf>,

    /// What has to be covered; with less, the exit status is 1. For use in CI.
    ///
    /// LEVEL is instructions, or operands or pairs of them, which need --model; PERCENT has at most two
    /// decimals. What is missing is said on standard error, when the report has been written.
    /// Example: --require instructions=100,operands=90
    #[arg(long, value_name = "LEVEL=PERCENT", value_delimiter = ',', value_parser = RequirementParser, hide_possible_values = true)]
    require: Vec<Requirement>,

    /// Instructions that need not be covered: a file of lines INSTRUCTION: REASON.
    ///
    /// Neither they nor their operands count in any coverage, and reports name them with the reason. One that
    /// was executed is an error. Lines that begin with # are remarks. Example: --exclude untested.txt
    #[arg(long, value_name = "FILE")]
    exclude: Option<PathBuf>,

    /// The function that --format flow-dot draws, by an address in it; the one that ran most if left
    /// out.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    at: Option<u64>,

    #[command(flatten)]
    program: program_report::ProgramOptions,

    #[command(flatten)]
    model: ModelOptions,

    /// Where to write the report; standard output if left out.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Every figure, for programs that read it; with --image those of functions, calls and lines, too.
    Xml,
    /// The sums, for people.
    Text,
    /// A page for the browser that shows all of it and needs nothing else; with --image functions and
    /// lines, with --model operands and encodings, too.
    Html,
    /// How often edges and branches were taken against what can be guessed beforehand, and where
    /// counters would stand.
    Estimates,
    /// The flow graph of a function, for dot.
    FlowDot,
    /// Calls and costs for callgrind_annotate and KCachegrind; needs --image.
    Callgrind,
    /// The instructions that were executed, with what each cost; needs --image.
    Disassembly,
    /// Coverage of lines and branches, for CI services; needs --image, and --model for branches that never
    /// ran.
    Cobertura,
    /// The call graph for dot, best of a run with --calls; needs --image.
    Dot,
    /// A test case for each instruction of the set, failed if it never ran, for CI services.
    Junit,
    /// Stacks of calls for flame graphs; needs --image.
    Folded,
    /// A flat profile, and the call graph as a table; needs --image.
    Gprof,
    /// Coverage of functions, lines and branches, for genhtml and others; needs --image, and --model for
    /// branches that never ran.
    Lcov,
    /// The same of the description: what of it a run with --description-coverage has used; needs
    /// --model.
    LcovDescription,
    /// Cycles by file and by function; needs --image.
    Oprofile,
    /// Stacks of calls for pprof; needs --image.
    Pprof,
    /// What the samples of a run with --sample say of all of it, and how surely; needs --image.
    Sampled,
    /// The sources with counts and cycles at each line; needs --image.
    Source,
    /// The functions that cost most; needs --image.
    Top,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    check_options(options)?;
    let out = options.out();
    profile_file::check_out("report", out, &options.profiles)?;
    profile_file::check_out("report", out, options.events.as_slice())?;
    profile_file::check_out("report", out, &options.program.files.paths())?;
    profile_file::check_out("report", out, options.model.path())?;
    profile_file::check_out("report", out, options.exclude.as_slice())?;
    if options.format() == Format::Sampled {
        return write_sampled(options);
    }
    let profile = match &options.events {
        Some(events) => replay(events)?,
        None => profile_file::read_merged(&options.profiles)?,
    };
    // The command ends with the report; to take a large profile apart by then would take as long as a
    // small report.
    let profile = ManuallyDrop::new(profile);
    if !matches!(options.format(), Format::Xml | Format::Text | Format::Html) {
        tell_note(profile_file::note_of_parts(&profile));
    }
    let excluded = match &options.exclude {
        Some(path) => read_exclusions(path, &profile.measurement)?,
        None => Exclusions::new(),
    };
    let status = write(options, &profile, &excluded)?;
    let missing = missing_of(options, &profile, &excluded)?;
    missing.iter().for_each(|missing| say!("error: {missing}"));
    Ok(if missing.is_empty() { status } else { UNCOVERED })
}

/// What is less covered than is required.
fn missing_of(options: &Options, profile: &Profile, excluded: &Exclusions) -> Result<Vec<String>, Failure> {
    let needs_description = options.require.iter().any(|required| required.needs_description());
    let described = match needs_description {
        true => options.model.load(profile)?.map(|(checked, model)| Described::of(&checked, &model)),
        false => None,
    };
    let description = described.map(|described| described.describe(profile, excluded));
    let missing = |required: &Requirement| required.missing(profile, description.as_ref(), excluded);
    Ok(options.require.iter().filter_map(missing).collect())
}

impl Options {
    fn format(&self) -> Format {
        if self.html.is_some() { Format::Html } else { self.format }
    }

    fn out(&self) -> Option<&Path> {
        self.html.as_deref().or(self.out.as_deref())
    }
}

fn check_options(options: &Options) -> Result<(), Failure> {
    let format = options.format();
    if options.at.is_some() && format != Format::FlowDot {
        return Err(Failure::other("--at is for --format flow-dot; leave it out, or draw a graph"));
    }
    let requires_model = options.require.iter().any(|required| required.needs_description());
    if requires_model && options.model.path().is_empty() {
        return Err(Failure::other(
            "--require operands and --require pairs need the description; add --model MODEL",
        ));
    }
    if format == Format::LcovDescription {
        return match options.model.path() {
            [] => Err(Failure::other("--format lcov-description needs the description; add --model MODEL")),
            _ => Ok(()),
        };
    }
    if matches!(format, Format::FlowDot | Format::Estimates) {
        options.model.check(&options.program.files)?;
    }
    let shows_model = requires_model || shows_model(format);
    if !options.model.path().is_empty() && !shows_model {
        return Err(Failure::other(
            "--model is for --html and for --format xml, text, lcov, lcov-description, cobertura, flow-dot and \
             estimates, which show what never ran; leave it out",
        ));
    }
    Ok(())
}

fn shows_model(format: Format) -> bool {
    let of_description = matches!(format, Format::Xml | Format::Text | Format::Html);
    let of_code = matches!(format, Format::FlowDot | Format::Estimates | Format::Lcov | Format::Cobertura);
    of_description || of_code
}

fn write(options: &Options, profile: &Profile, excluded: &Exclusions) -> Result<i32, Failure> {
    let (files, out) = (&options.program.files, options.out());
    let flow = || {
        profile_file::check_one_program(profile, "a flow of control is that of")?;
        Flow::of(profile, files, &options.model)
    };
    // Which values operands can have is known by the description.
    let operands = || -> Result<Option<OperandTable>, Failure> {
        let found = options.model.load(profile)?;
        let described =
            found.map(|(checked, model)| Described::of(&checked, &model).describe(profile, excluded));
        Ok(described.map(|description| OperandTable::of(&description, &profile.measurement)))
    };
    let room = Room {
        out,
        has_notes: !matches!(options.format(), Format::Dot | Format::Folded | Format::Pprof),
        has_sources: options.format() == Format::Source,
    };
    let with_program = |write: &dyn Fn(&ProgramProfile<'_>) -> Result<i32, Failure>| {
        program_report::with_program(&options.program, profile, room, write)
    };
    let of_program = |render: fn(&ProgramProfile<'_>) -> String| {
        with_program(&|program| profile_file::write(out, render(program).as_bytes()))
    };
    match options.format() {
        Format::Html => {
            let described = options.model.load_described(profile)?;
            let page = render_page(profile, (&options.program, out), described.as_ref(), excluded)?;
            profile_file::write(out, page.as_bytes())
        }
        Format::Xml => {
            let (operands, description) = (operands()?, options.model.load_coverage(profile)?);
            let parts = ReportParts {
                program: None,
                operands: operands.as_ref(),
                description: description.as_ref(),
                exclusions: Some(excluded),
            };
            let write = |parts: ReportParts<'_>| {
                profile_file::write_by(out, |file| write_full_xml(profile, parts, file))
            };
            match files.is_empty() {
                true => write(parts),
                false => with_program(&|program| write(ReportParts { program: Some(program), ..parts })),
            }
        }
        Format::Text => {
            let mut text = render_profile_text(profile, excluded);
            text += &operands()?.as_ref().map(render_operands_text).unwrap_or_default();
            text += &options.model.load_coverage(profile)?.map(|used| used.text()).unwrap_or_default();
            profile_file::write(out, text.as_bytes())
        }
        Format::Estimates => profile_file::write(out, flow()?.estimates().as_bytes()),
        Format::FlowDot => profile_file::write(out, flow()?.dot(options.at)?.as_bytes()),
        Format::Callgrind => of_program(render_callgrind),
        Format::Cobertura => coverage_of_program(options, profile, render_cobertura),
        Format::Junit => profile_file::write(out, render_junit(&profile.measurement, excluded).as_bytes()),
        Format::Disassembly => of_program(render_disassembly),
        Format::Dot => of_program(render_dot),
        Format::Folded => with_program(&|program| {
            let mut note = None;
            let write = |file: &mut dyn Write| {
                note = write_folded(program, file)?;
                Ok(())
            };
            let status = profile_file::write_by(out, write)?;
            tell_note(note);
            Ok(status)
        }),
        Format::Gprof => of_program(render_gprof),
        Format::Lcov => coverage_of_program(options, profile, render_lcov),
        Format::LcovDescription => {
            let coverage = options.model.load_coverage(profile)?.ok_or_else(|| {
                Failure::other(
                    "what of the description was used is not in the profile; run with --description-coverage",
                )
            })?;
            profile_file::write(out, render_description_lcov(&coverage).as_bytes())
        }
        Format::Oprofile => of_program(render_oprofile),
        Format::Pprof => with_program(&|program| {
            let (report, note) = render_pprof(program);
            let status = profile_file::write(out, &report)?;
            tell_note(note);
            Ok(status)
        }),
        // Made before the profile was read.
        Format::Sampled => write_sampled(options),
        Format::Source => of_program(render_annotated_source),
        Format::Top => of_program(render_most_expensive),
    }
}

/// Says what a report leaves out that has no room to say so itself.
fn tell_note(note: Option<String>) {
    if let Some(note) = note {
        say!("note: {note}");
    }
}

/// Lines and branches, those of code that never ran, too, which the description tells.
fn coverage_of_program(
    options: &Options,
    profile: &Profile,
    render: fn(&ProgramProfile<'_>) -> String,
) -> Result<i32, Failure> {
    let room = Room { out: options.out(), has_notes: false, has_sources: false };
    program_report::with_code(&options.program, profile, &options.model, room, &|program| {
        if options.model.path().is_empty() {
            say!("note: branches that never ran are left out; with --model MODEL they are known, too");
        }
        profile_file::write(options.out(), render(program).as_bytes())
    })
}

/// The report of a run of which samples were taken.
fn write_sampled(options: &Options) -> Result<i32, Failure> {
    let [path] = &options.profiles[..] else {
        return Err(Failure::other("--format sampled shows the samples of one run; name one profile"));
    };
    if !options.require.is_empty() || options.exclude.is_some() {
        return Err(Failure::other(
            "samples do not tell what was never executed; leave out --require and --exclude",
        ));
    }
    let SampledProfile { profile, sampling, samples } = profile_file::read_sampled(path)?;
    let room = Room { out: options.out(), has_notes: true, has_sources: false };
    program_report::with_program(&options.program, &profile, room, &|program| {
        let parts = profile.provenance.parts;
        let report = render_sampled(program, sampling, samples, parts);
        profile_file::write(options.out(), report.as_bytes())
    })
}

fn replay(events: &Path) -> Result<Profile, Failure> {
    let path = events.display();
    let file = File::open(events).map_err(|error| {
        Failure::other(format!("cannot read the events {path}: {error}; name a file that exists"))
    })?;
    let measurement =
        replay_events(BufReader::new(file)).map_err(|error| Failure::other(format!("{path}: {error}")))?;
    Ok(Profile { measurement, ..Profile::default() })
}
