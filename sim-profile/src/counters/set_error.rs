//! What is wrong with a set of counters.

use std::{fmt, io};

use super::set::{FORMAT, OLDEST, VERSION};
use super::{CountedEvent, CountedRun, Region};

/// Why a set cannot be read, or joined with another.
#[derive(Debug)]
pub enum SetError {
    /// It cannot be read at all.
    Read(io::Error),
    /// It is no such file.
    Json(serde_json::Error),
    /// It is of another format or version.
    Format {
        /// The format found.
        format: String,
        /// The version found.
        version: u64,
    },
    /// The two are of different models, descriptions or programs.
    OtherProgram,
    /// The two are of different runs: of which the other set is, and of which this one.
    OtherRun(Box<[CountedRun; 2]>),
    /// One of the two does not say which run it is of.
    UnknownRun,
    /// They disagree on how often a function has called another.
    Calls {
        /// The function that calls, and the one that is called.
        names: Box<(String, String)>,
        /// The two counts.
        counts: [u64; 2],
    },
    /// They disagree on a count.
    Contradiction {
        /// The region and the event.
        place: Box<(Region, CountedEvent)>,
        /// The two counts.
        counts: [u64; 2],
    },
    /// It counts what no run can have: what, and why not.
    Impossible(String),
    /// They give one metric two formulas.
    Metric(String),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::Read(error) if error.kind() == io::ErrorKind::IsADirectory => f.write_str(
                "is a folder; name a file that `gentool counters --save` has written",
            ),
            SetError::Read(error) => write!(f, "cannot be read: {error}; name a file that exists"),
            SetError::Json(error) => {
                write!(
                    f,
                    "is no set of counters: {error}; give a file that `gentool counters --save` has written"
                )
            }
            SetError::Format { format, version } => write!(
                f,
                "is `{format}` version {version}; expected `{FORMAT}` version {OLDEST} to {VERSION}: write it \
                 anew by `gentool counters --save`"
            ),
            SetError::OtherProgram => {
                f.write_str("is of another model, description or program; join counters of one program alone")
            }
            SetError::OtherRun(runs) => {
                let [ours, theirs] = &**runs;
                write!(f, "is of {theirs}, where another set is of {ours}; join counters of equal runs alone")
            }
            SetError::UnknownRun => f.write_str(
                "cannot be joined: it, or the set that it is joined with, does not say which run it is of, as \
                 files of version 1 do not; write both anew by `gentool counters --save`",
            ),
            SetError::Calls { names, counts: [ours, theirs] } => write!(
                f,
                "has {theirs} calls of `{}` by `{}`, where another set has {ours}; join counters of equal runs \
                 alone",
                names.1, names.0
            ),
            SetError::Contradiction { place, counts: [ours, theirs] } => write!(
                f,
                "counts {theirs} `{}` in {}, where another set has {ours}; join counters of equal runs alone",
                place.1, place.0
            ),
            SetError::Impossible(what) => write!(
                f,
                "{what}: the file is damaged; write it anew by `gentool counters --save`"
            ),
            SetError::Metric(name) => {
                write!(f, "gives the metric `{name}` another formula than another set; rename one of them")
            }
        }
    }
}

impl std::error::Error for SetError {}
