//! What a launcher uses of the process around it, to be replaced in tests.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ColorChoice;

use crate::host::{Capture, Streams};
use crate::launcher::interrupt::Interrupt;
use crate::launcher::snapshot::SnapshotRequest;

/// Streams of guest and launcher, and how a run is ended from outside.
pub struct Stdio {
    /// The guest's streams.
    pub streams: Streams,
    /// The launcher's own messages.
    pub messages: Box<dyn Write + Send>,
    /// Ends the run.
    pub interrupt: Interrupt,
    /// Asks for a profile of the run so far.
    pub snapshot: SnapshotRequest,
    /// Show progress on standard error, which is a terminal.
    pub progress: bool,
}

/// Whether the terminal knows no codes: `dumb`, as terminfo calls it.
#[must_use]
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// Whether what clap prints has colours: as clap finds, but never on a dumb terminal. (Where `CI` is
/// set, clap takes every terminal for one with colours.)
#[must_use]
pub fn color_choice() -> ColorChoice {
    if is_dumb() { ColorChoice::Never } else { ColorChoice::Auto }
}

impl Stdio {
    /// Those of this process. Signals end the run from now on, a second one the process:
    /// see [`Interrupt::of_process`]; SIGUSR1 asks for a snapshot.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            streams: Streams::of_process(),
            messages: Box::new(io::stderr()),
            interrupt: Interrupt::of_process(),
            snapshot: SnapshotRequest::of_process(),
            progress: io::stderr().is_terminal() && !is_dumb(),
        }
    }

    /// The same for a run that somebody debugs in this process: see [`Interrupt::asking`]. No progress
    /// is shown.
    #[must_use]
    pub fn of_debugged_process(asked: Arc<AtomicBool>) -> Self {
        Self {
            streams: Streams::of_process(),
            messages: Box::new(io::stderr()),
            interrupt: Interrupt::asking(asked),
            snapshot: SnapshotRequest::of_process(),
            progress: false,
        }
    }

    /// For tests: constant input; the guest's output and, in one buffer, the guest's errors and
    /// the launcher's messages are kept.
    #[must_use]
    pub fn captured(input: &[u8]) -> (Self, Capture, Capture) {
        let (streams, output, errors) = Streams::captured(input);
        let stdio = Self {
            streams,
            messages: Box::new(errors.clone()),
            interrupt: Interrupt::default(),
            snapshot: SnapshotRequest::default(),
            progress: false,
        };
        (stdio, output, errors)
    }
}
