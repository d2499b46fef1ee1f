//! `gentool report`

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sim_profile::{Profile, render_text, render_xml, replay_events};

use super::Failure;
use super::profile_file;

/// Make a report of stored profiles, or of recorded events.
///
/// Several profiles of one program on one model are added up.
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

    /// Where to write the report; standard output if left out.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Every figure, for programs that read it.
    Xml,
    /// The sums, for people.
    Text,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let out = options.out.as_deref();
    profile_file::check_out("report", out, &options.profiles)?;
    profile_file::check_out("report", out, options.events.as_slice())?;
    let profile = match &options.events {
        Some(events) => replay(events)?,
        None => profile_file::read_merged(&options.profiles)?,
    };
    profile_file::write(out, render(options.format, &profile).as_bytes())
}

fn render(format: Format, profile: &Profile) -> String {
    match format {
        Format::Xml => render_xml(&profile.measurement),
        Format::Text => render_text(&profile.measurement),
    }
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
