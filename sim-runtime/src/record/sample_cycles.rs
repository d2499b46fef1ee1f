//! Which of a run's cycles belong to its samples.

/// Cycles that have begun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassedCycles {
    /// Without extra cycles.
    pub plain: u64,
    /// Extra cycles.
    pub extra: u64,
}

/// The cycles of the stretches that are counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct SampleCycles {
    /// Of those before the one that runs now.
    counted: PassedCycles,
    /// Of the run, when that one began.
    begun: PassedCycles,
}

impl SampleCycles {
    /// Of a run that is at hand with so many cycles.
    pub fn begin(now: PassedCycles) -> SampleCycles {
        SampleCycles { counted: PassedCycles::default(), begun: now }
    }

    /// What ran up to now was counted or not; what comes is the other.
    pub fn turn(&mut self, was_recording: bool, now: PassedCycles) {
        self.counted = self.of_samples(was_recording, now);
        self.begun = now;
    }

    /// Those of all samples.
    pub fn of_samples(&self, is_recording: bool, now: PassedCycles) -> PassedCycles {
        if !is_recording {
            return self.counted;
        }
        let since = |counted: u64, begun: u64, now: u64| counted.saturating_add(now.saturating_sub(begun));
        PassedCycles {
            plain: since(self.counted.plain, self.begun.plain, now.plain),
            extra: since(self.counted.extra, self.begun.extra, now.extra),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PassedCycles, SampleCycles};

    #[test]
    fn cycles_are_those_of_the_stretches_that_are_counted() {
        let at = |plain, extra| PassedCycles { plain, extra };
        let mut cycles = SampleCycles::begin(at(2, 1));
        cycles.turn(false, at(10, 3));
        assert_eq!(cycles.of_samples(true, at(14, 4)), at(4, 1));
        cycles.turn(true, at(15, 4));
        assert_eq!(cycles.of_samples(false, at(99, 9)), at(5, 1));
    }
}
