//! A line on the terminal that shows that a long run is alive.
//!
//! It shares the terminal with the guest, who comes first: with its first output there, the
//! line goes for good.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Engine;
use crate::host::Streams;

/// A run that ends sooner shows no line at all.
const DELAY: Duration = Duration::from_millis(500);

pub(super) struct Progress {
    bar: ProgressBar,
    start: Instant,
    enabled: bool,
    shown: bool,
}

impl Progress {
    /// Progress of a run that begins now. If `enabled`, the line goes to standard error.
    pub(super) fn new(enabled: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed} elapsed") {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), enabled, shown: false }
    }

    /// Makes the guest's output take the line away where both go to a terminal.
    pub(super) fn make_way(&self, streams: Streams) -> Streams {
        if !self.enabled {
            return streams;
        }
        let wrap = |inner, shared: bool| -> Box<dyn Write + Send> {
            if shared { Box::new(Foreground { bar: self.bar.clone(), inner }) } else { inner }
        };
        Streams {
            input: streams.input,
            output: wrap(streams.output, io::stdout().is_terminal()),
            errors: wrap(streams.errors, true),
        }
    }

    /// Shows how far the run is.
    pub(super) fn update(&mut self, engine: &dyn Engine) {
        let elapsed = self.start.elapsed();
        if !self.enabled || elapsed < DELAY || self.bar.is_finished() {
            return;
        }
        if !self.shown {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        let instructions = engine.instructions();
        let mips = mips(instructions, elapsed);
        self.bar.set_message(format!("{instructions} instructions, {mips:.1} MIPS"));
        self.bar.tick();
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Million instructions a second; 0 for no time.
pub(super) fn mips(instructions: u64, elapsed: Duration) -> f64 {
    let seconds = elapsed.as_secs_f64();
    if seconds > 0.0 { instructions as f64 / seconds / 1e6 } else { 0.0 }
}

/// Output before which the progress line goes.
struct Foreground {
    bar: ProgressBar,
    inner: Box<dyn Write + Send>,
}

impl Write for Foreground {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.bar.is_finished() {
            self.bar.finish_and_clear();
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
