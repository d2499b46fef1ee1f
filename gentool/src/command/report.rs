//! `gentool report`

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use sim_profile::{render_xml, replay_events};
use sim_runtime::launcher::{AtomicFile, is_same_file};

use super::{Failure, print};

/// Make the report of a run from its recorded events.
///
/// Example: gentool report --events run.events --out run.xml
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The events that `gentool run --engine reference --events FILE` has written.
    #[arg(long, value_name = "FILE")]
    events: PathBuf,

    /// Where to write the XML report; standard output if left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let path = options.events.display();
    let file = File::open(&options.events).map_err(|error| {
        Failure::other(format!("cannot read the events {path}: {error}; name a file that exists"))
    })?;
    let measurement =
        replay_events(BufReader::new(file)).map_err(|error| Failure::other(format!("{path}: {error}")))?;
    let report = render_xml(&measurement);
    match &options.out {
        None => print(&report),
        Some(out) => {
            if is_same_file(&options.events, out) {
                let message =
                    format!("the report would be written over the events {path}; name another file");
                return Err(Failure::other(message));
            }
            let unwritable = |error: std::io::Error| {
                Failure::other(format!(
                    "cannot write {}: {error}; name a file that you may write to",
                    out.display()
                ))
            };
            let mut file = AtomicFile::create(out).map_err(unwritable)?;
            file.write_all(report.as_bytes()).map_err(unwritable)?;
            file.finish().map_err(unwritable)?;
            Ok(0)
        }
    }
}
