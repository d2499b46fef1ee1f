//! How long a run goes on before the launcher looks whether it is to end, or to be stored.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a run begins with: even the slowest engine has soon done so many.
const FIRST: u64 = 10_000;
const LEAST: u64 = 100;
/// Engines are entered so seldom then that it costs nothing; a run that becomes much slower all at once ends a
/// slice of this length at some time, too.
const LARGEST: u64 = 1 << 30;

/// A number of instructions that takes about as long as is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    instructions: u64,
    wanted: Duration,
}

impl Slice {
    /// The first one of a run whose slices are to take so long.
    pub(super) fn new(wanted: Duration) -> Self {
        Self { instructions: FIRST, wanted }
    }

    /// How many instructions may run.
    pub(super) fn instructions(self) -> u64 {
        self.instructions
    }

    /// The next one, after so many instructions, or cycles where these were more, in so long a time.
    ///
    /// What paused early says that more would take too long, if it does, and never that more would not.
    #[must_use]
    pub(super) fn adapted(self, ran: u64, elapsed: Duration) -> Self {
        let instructions = if elapsed > self.wanted * 2 {
            let by_rate = ran as f64 * self.wanted.as_secs_f64() / elapsed.as_secs_f64();
            self.instructions.min(by_rate as u64)
        } else if elapsed < self.wanted / 2 && ran >= self.instructions / 2 {
            self.instructions.saturating_mul(2)
        } else {
            self.instructions
        };
        Self { instructions: instructions.clamp(LEAST, LARGEST), ..self }
    }
}

/// Calls an engine back that has got so slow in the middle of a slice that it would never end.
#[derive(Debug, Clone, Default)]
pub(super) struct Recall(Arc<Mutex<Option<Instant>>>);

impl Recall {
    /// At the end of a slice that begins now, and was to take less.
    pub(super) fn after(&self, slice: Slice, now: Instant) {
        let end = now.checked_add(slice.wanted * 2);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    /// True if the engine is to come back.
    pub(super) fn is_due(&self) -> bool {
        let end = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Duration = Duration::from_millis(50);

    /// Slices of an engine with so many instructions a second, each as long as it may be.
    fn settled(mut slice: Slice, rate: f64) -> Slice {
        for _ in 0..40 {
            let elapsed = Duration::from_secs_f64(slice.instructions() as f64 / rate);
            slice = slice.adapted(slice.instructions(), elapsed);
        }
        slice
    }

    #[test]
    fn slices_take_as_long_as_is_wanted() {
        let mut slice = Slice::new(WANTED);
        for rate in [1e9, 1e5, 3e7] {
            slice = settled(slice, rate);
            let takes = slice.instructions() as f64 / rate;
            assert!((0.025..=0.1).contains(&takes), "{takes} seconds at {rate}");
        }
        assert_eq!(settled(slice, 1.0).instructions(), LEAST);
        assert_eq!(settled(slice, 1e15).instructions(), LARGEST);
    }

    #[test]
    fn a_run_that_becomes_slow_has_one_long_slice() {
        let fast = settled(Slice::new(WANTED), 3e9);
        let elapsed = Duration::from_secs_f64(fast.instructions() as f64 / 1e6);
        let next = fast.adapted(fast.instructions(), elapsed);
        assert!(next.instructions() <= 50_000, "{next:?}");
    }

    #[test]
    fn what_paused_early_makes_no_slice_longer() {
        let first = Slice::new(WANTED);
        for ran in [0, 1, 100, FIRST / 2 - 1] {
            assert_eq!(first.adapted(ran, Duration::from_nanos(1)), first);
        }
        assert!(first.adapted(1, WANTED * 3).instructions() < FIRST);
        let whole = first.adapted(FIRST - FIRST / 8, Duration::from_nanos(1));
        assert_eq!(whole.instructions(), 2 * FIRST);
    }

    #[test]
    fn an_engine_is_called_back_when_its_slice_should_be_over() {
        let (recall, slice, now) = (Recall::default(), Slice::new(Duration::from_secs(3600)), Instant::now());
        assert!(!recall.is_due());
        recall.after(slice, now);
        assert!(!recall.is_due());
        recall.after(Slice::new(Duration::ZERO), now);
        assert!(recall.is_due());
    }

    #[test]
    fn no_time_at_all_is_no_error() {
        let slice = Slice::new(Duration::ZERO);
        assert_eq!(slice.adapted(FIRST, Duration::from_nanos(1)).instructions(), LEAST);
        assert_eq!(slice.adapted(FIRST, Duration::ZERO), slice);
    }
}
