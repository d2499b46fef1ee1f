//! Profiles of a run that goes on: after so many instructions, so many seconds, or when a signal asks.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use sim_profile::{Mode, Profile, ProgramImage, Provenance, write_profile};

use crate::engine::Engine;
use crate::launcher::counts::LOST;
use crate::launcher::earlier_snapshots::{is_replaceable, remove_earlier_snapshots, snapshot_path};
use crate::launcher::failures::Failures;
use crate::launcher::launch_info::LaunchInfo;
use crate::launcher::number::{parse_count, parse_seconds};
use crate::launcher::options::RunOptions;
use crate::launcher::output_file::{write_atomically, write_remedy};
use crate::launcher::parts::Parts;

/// How long a run goes on between two snapshots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SnapshotInterval {
    /// Instructions that end or are cancelled.
    Instructions(u64),
    /// Seconds of the host's time.
    Seconds(f64),
}

impl SnapshotInterval {
    /// Reads `100M`, or `0.5s`.
    ///
    /// # Errors
    /// What it looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parsed = match text.strip_suffix('s') {
            Some(seconds) => parse_seconds(seconds).ok().map(SnapshotInterval::Seconds),
            None => parse_count(text).ok().filter(|count| *count > 0).map(SnapshotInterval::Instructions),
        };
        parsed.ok_or_else(|| {
            "expected a number of instructions above 0 like 500_000 or 10M, or seconds like 10s or 0.5s"
                .to_owned()
        })
    }
}

impl fmt::Display for SnapshotInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotInterval::Instructions(count) => write!(f, "{count}"),
            SnapshotInterval::Seconds(seconds) => write!(f, "{seconds}s"),
        }
    }
}

/// Asks a run, from another thread or by a signal, for a snapshot.
#[derive(Debug, Clone, Default)]
pub struct SnapshotRequest(Arc<AtomicBool>);

impl SnapshotRequest {
    /// The request that SIGUSR1 makes, where there are such signals: from the first call on, one for all of the
    /// process. A signal that comes before would end it.
    #[must_use]
    pub fn of_process() -> Self {
        static REQUEST: OnceLock<SnapshotRequest> = OnceLock::new();
        let register = || {
            let request = Self::default();
            // If the signal cannot be had, snapshots at intervals can all the same.
            #[cfg(unix)]
            let _ = signal_hook::flag::register(signal_hook::consts::SIGUSR1, request.0.clone());
            request
        };
        REQUEST.get_or_init(register).clone()
    }

    /// Asks for one.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// Writes the snapshots of a run.
pub(super) struct Snapshots {
    path: Option<PathBuf>,
    interval: Option<SnapshotInterval>,
    request: SnapshotRequest,
    /// Addresses at which one is written.
    places: BTreeSet<u64>,
    /// All addresses at which the run pauses, and to which it has not come yet.
    awaited: BTreeSet<u64>,
    /// Each holds what was counted since the one before.
    are_apart: bool,
    /// All that was counted when the last one was written, if they are apart.
    before: Option<Profile>,
    mode: Mode,
    engine: String,
    model_digest: String,
    images: Vec<ProgramImage>,
    begun: Instant,
    /// When the next one is due.
    next_instructions: u64,
    next_time: Option<Instant>,
    written: u64,
    /// Those of an earlier run are gone.
    has_made_way: bool,
    longest: Duration,
    /// A signal has asked for one, and nobody has said where to store it.
    is_asked_in_vain: bool,
    /// What could not be stored.
    pub(super) failures: Failures,
}

impl Snapshots {
    /// Those of a run that begins now.
    pub(super) fn new(options: &RunOptions, info: &LaunchInfo, request: SnapshotRequest) -> Self {
        let mut snapshots = Snapshots {
            path: options.profile.clone(),
            interval: options.snapshot_every,
            request,
            places: BTreeSet::new(),
            awaited: BTreeSet::new(),
            are_apart: options.snapshot_apart,
            before: None,
            mode: options.mode(),
            engine: info.engine.clone(),
            model_digest: info.model_digest.clone(),
            images: Vec::new(),
            begun: Instant::now(),
            next_instructions: u64::MAX,
            next_time: None,
            written: 0,
            has_made_way: false,
            longest: Duration::ZERO,
            is_asked_in_vain: false,
            failures: Failures::default(),
        };
        snapshots.schedule(0);
        snapshots
    }

    /// Removes those of an earlier run, if any of this one can be foreseen: whoever asks for one by a signal finds
    /// them removed then.
    ///
    /// # Errors
    /// What is there is no snapshot, or cannot be removed.
    pub(super) fn make_way(&mut self, options: &RunOptions) -> Result<(), String> {
        let is_any_foreseen = options.snapshot_every.is_some() || !options.snapshot_at.is_empty();
        match &self.path {
            Some(path) if is_any_foreseen => {
                if path.metadata().is_ok_and(|found| !found.is_file()) {
                    return Err(format!(
                        "snapshots are stored beside the profile, and {} is no file; name another --profile",
                        path.display()
                    ));
                }
                remove_earlier_snapshots(path)?;
            }
            _ => return Ok(()),
        }
        self.has_made_way = true;
        Ok(())
    }

    /// The run has begun, of this program; one is to be written at each of these addresses, and it pauses at all of
    /// those.
    pub(super) fn begin(&mut self, image: &ProgramImage, places: BTreeSet<u64>, pauses: BTreeSet<u64>) {
        self.images = vec![image.clone()];
        (self.places, self.awaited) = (places, pauses);
        (self.begun, self.next_time) = (Instant::now(), None);
        self.schedule(0);
    }

    /// How many instructions may run until the next one; `taken` have so far.
    pub(super) fn budget(&self, taken: u64) -> u64 {
        self.next_instructions.saturating_sub(taken).max(1)
    }

    /// How long a slice of the run may take at most, for snapshots to come in time.
    pub(super) fn slice_time(&self, usual: Duration) -> Duration {
        match self.interval {
            Some(SnapshotInterval::Seconds(seconds)) => usual.min(Duration::from_secs_f64(seconds / 4.0)),
            _ => usual,
        }
    }

    /// The run has paused at an address: parts begin and end there, and one may be due.
    pub(super) fn arrive(&mut self, engine: &mut dyn Engine, parts: &mut Parts, pc: u64) {
        self.awaited.remove(&pc);
        // What is counted up to here belongs to the part that ends here.
        if self.places.contains(&pc) {
            self.take(engine, parts);
        }
        if let Err(error) = parts.arrive(engine, pc) {
            self.failures.add(error);
        }
    }

    /// Writes one if it is due: `taken` instructions have ended or were cancelled so far.
    pub(super) fn look(&mut self, engine: &mut dyn Engine, parts: &Parts, taken: u64) {
        let mut is_asked = self.request.take();
        if is_asked && self.path.is_none() {
            // Whoever sends a signal does not decide how the run ends.
            self.is_asked_in_vain = true;
            is_asked = false;
        }
        let is_time = self.next_time.is_some_and(|time| Instant::now() >= time);
        if !is_asked && !is_time && taken < self.next_instructions {
            return;
        }
        self.take(engine, parts);
        if is_time || taken >= self.next_instructions {
            self.schedule(taken);
        }
    }

    /// What is to be told of a request that was made in vain, each time.
    pub(super) fn take_note(&mut self) -> Option<&'static str> {
        std::mem::take(&mut self.is_asked_in_vain)
            .then_some("a snapshot was asked for, and nobody said where to; give --profile FILE")
    }

    fn take(&mut self, engine: &mut dyn Engine, parts: &Parts) {
        let begun = Instant::now();
        if let Err(error) = self.write(engine, parts) {
            self.failures.add(error);
        }
        self.longest = self.longest.max(begun.elapsed());
    }

    /// The addresses to which the run has not come, of those at which it was to pause.
    pub(super) fn awaited(&self) -> &BTreeSet<u64> {
        &self.awaited
    }

    /// How many there were, and how long the run stood still for one at most; none if there were none.
    pub(super) fn summary(&self) -> Option<String> {
        let snapshots = if self.written == 1 { "snapshot" } else { "snapshots" };
        let (written, longest) = (self.written, self.longest.as_secs_f64());
        (written > 0).then(|| format!("{written} {snapshots}, {longest:.3} seconds for one at most"))
    }

    /// A stored profile that would be taken for the snapshot behind the last one, and is of an earlier run: it was
    /// behind a gap when that run's were removed.
    pub(super) fn find_left_over(&self) -> Option<PathBuf> {
        let path = self.path.as_ref().filter(|_| self.has_made_way)?;
        let next = snapshot_path(path, self.written + 1);
        is_replaceable(&next).is_ok_and(|is_there| is_there).then_some(next)
    }

    fn schedule(&mut self, taken: u64) {
        match self.interval {
            Some(SnapshotInterval::Instructions(count)) => {
                self.next_instructions = (taken / count).saturating_add(1).saturating_mul(count);
            }
            Some(SnapshotInterval::Seconds(seconds)) => {
                // Late ones do not make all further ones late.
                let interval = Duration::from_secs_f64(seconds);
                let due = self.next_time.unwrap_or(self.begun).checked_add(interval);
                self.next_time = due.map(|due| due.max(Instant::now()));
            }
            None => {}
        }
    }

    fn write(&mut self, engine: &mut dyn Engine, parts: &Parts) -> Result<(), String> {
        let Some(path) = &self.path else {
            return Err("nobody said where snapshots are to be stored; give --profile FILE".to_owned());
        };
        if !self.has_made_way {
            remove_earlier_snapshots(path)?;
            self.has_made_way = true;
        }
        let file = snapshot_path(path, self.written + 1);
        is_replaceable(&file)?;
        let provenance = Provenance {
            engines: [self.engine.clone()].into(),
            mode: self.mode,
            runs: 1,
            parts: None,
            host_nanoseconds: u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
            model_digest: self.model_digest.clone(),
            images: self.images.clone(),
            programs: Vec::new(),
        };
        let so_far = parts.profile(engine, provenance)?;
        let part = match &self.before {
            Some(before) => Some(so_far.since(before).ok_or(LOST)?),
            None => None,
        };
        let mut bytes = Vec::new();
        let written = write_profile(&mut bytes, part.as_ref().unwrap_or(&so_far))
            .and_then(|()| write_atomically(&file, &bytes));
        written.map_err(|error| {
            let remedy = write_remedy(&error);
            format!("the snapshot could not be written to {}: {error}; {remedy}", file.display())
        })?;
        self.written += 1;
        self.before = self.are_apart.then_some(so_far);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SnapshotInterval;

    #[test]
    fn an_interval_is_read_as_it_is_written() {
        assert_eq!(SnapshotInterval::parse("10M"), Ok(SnapshotInterval::Instructions(10_000_000)));
        assert_eq!(SnapshotInterval::parse("0.5s"), Ok(SnapshotInterval::Seconds(0.5)));
        for text in ["10000000", "0.5s", "3s"] {
            assert_eq!(SnapshotInterval::parse(text).expect("an interval").to_string(), text);
        }
        for text in ["", "0", "s", "0s", "-1s", "0.5", "10 M"] {
            SnapshotInterval::parse(text).expect_err(text);
        }
    }
}
