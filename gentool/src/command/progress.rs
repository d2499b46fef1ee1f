//! A line on the terminal that shows that something long is alive.
//!
//! It goes to standard error, to a terminal alone, without colours, and only after a moment: what is done
//! by then shows nothing. While it stands nothing else may be printed.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sim_runtime::launcher::is_dumb;

/// What ends sooner shows no line at all.
const DELAY: Duration = Duration::from_millis(500);

/// How often the line is drawn anew.
const INTERVAL: Duration = Duration::from_millis(120);

/// The line, as long as this lives.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped to say that the end has come.
    waits: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Of work that nobody can tell the amount of.
    pub(super) fn new(what: impl Into<String>) -> Progress {
        Progress::show(ProgressBar::no_length(), "{spinner} {msg} ({elapsed})", what.into())
    }

    /// Of work on so many files.
    pub(super) fn of_files(what: &str, files: usize) -> Progress {
        let bar = ProgressBar::new(files as u64);
        Progress::show(bar, "{spinner} {msg}: {pos} of {len} files ({elapsed})", what.to_owned())
    }

    /// One more file is done.
    pub(super) fn tick(&self) {
        self.bar.inc(1);
    }

    fn show(bar: ProgressBar, template: &str, what: String) -> Progress {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        if !io::stderr().is_terminal() || is_dumb() {
            return Progress { bar, waits: None };
        }
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        let (end, ended) = channel();
        let shown = bar.clone();
        let waiting = thread::spawn(move || {
            if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(INTERVAL);
            }
        });
        Progress { bar, waits: Some((end, waiting)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, waiting)) = self.waits.take() {
            drop(end);
            // It has nothing to fail at.
            let _ = waiting.join();
            self.bar.finish_and_clear();
        }
    }
}
