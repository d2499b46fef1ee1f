//! Sampled runs: which part of a run was counted, and what follows from that for all of it.
//!
//! A run is cut into *stretches* by its *checks*: each jump to an address not above its own, and each
//! call. Whole stretches are counted or not. Within one no address runs twice, so that of a figure of
//! one address every stretch has one or none, and what was counted of it has a binomial distribution if
//! each stretch is taken with the same probability, by itself: that gives the interval. Where one
//! stretch may have more of a figure, its squares bound what that adds to the variance.

use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval, in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// How the counted stretches of a run are chosen.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Checks from the beginning of one sample to that of the next, on average if they are chosen at
    /// random; at least 1.
    pub interval: u64,
    /// Stretches of one sample, one behind the other; at least 1, at most `interval`.
    pub burst: u64,
    /// What the random numbers begin with; none if all intervals are the same.
    pub seed: Option<u64>,
}

/// What is known of a sampled run as a whole.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    /// Checks that the run came by.
    pub checks: u64,
    /// Samples that were begun.
    pub samples: u64,
    /// Instructions of the run that ended, all of them.
    pub instructions: u64,
    /// Cycles of the run, all of them.
    pub cycles: u64,
}

/// What a figure of the whole run is, as far as samples tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What is most likely.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

/// What was counted of a figure that is a sum over addresses.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// How often each ran in the samples, and how much it adds each time.
    parts: Vec<(u64, u64)>,
}

impl Counted {
    /// One more address, which ran so often and adds so much each time.
    pub fn add(&mut self, executed: u64, each: u64) {
        self.parts.push((executed, each));
    }

    /// What was counted altogether.
    pub fn sum(&self) -> f64 {
        self.parts.iter().map(|&(executed, each)| executed as f64 * each as f64).sum()
    }

    /// At most the sum over the stretches of the square of what each has: two addresses share no more
    /// stretches than the rarer one has.
    fn squares(&self) -> f64 {
        let mut parts = self.parts.clone();
        parts.sort_unstable_by(|left, right| right.cmp(left));
        let (mut squares, mut before) = (0.0, 0.0);
        for (executed, each) in parts {
            let each = each as f64;
            squares += executed as f64 * each * (each + 2.0 * before);
            before += each;
        }
        squares
    }
}

impl Sampling {
    /// The share of all stretches that is counted, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.burst as f64 / self.interval as f64
    }

    /// The figure of the whole run; an interval that holds it in 95 % of all runs at random, or more.
    ///
    /// The interval is that of the score test (Wilson, 1927), with the variance of the whole run's
    /// figure and not of what was counted, so that it holds for small counts, too.
    pub fn estimate(&self, counted: &Counted) -> Estimate {
        let (share, sum) = (self.share(), counted.sum());
        // What one stretch brings at a time; of a figure that was never counted, one.
        let clump = if sum > 0.0 { counted.squares() / sum } else { 1.0 };
        let spread = DEVIATIONS * DEVIATIONS * (1.0 - share) * clump * self.burst as f64;
        let half = (spread * sum + spread * spread / 4.0).sqrt();
        let middle = sum + spread / 2.0;
        Estimate {
            value: sum / share,
            low: ((middle - half) / share).max(0.0),
            high: (middle + half) / share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Sampling};

    fn counted(parts: &[(u64, u64)]) -> Counted {
        let mut counted = Counted::default();
        parts.iter().for_each(|&(executed, each)| counted.add(executed, each));
        counted
    }

    #[test]
    fn what_is_always_counted_is_exact() {
        let estimate = Sampling { interval: 3, burst: 3, seed: None }.estimate(&counted(&[(7, 1), (5, 2)]));
        assert_eq!((estimate.value, estimate.low, estimate.high), (17.0, 17.0, 17.0));
    }

    #[test]
    fn the_ends_of_the_interval_are_as_many_deviations_from_what_was_counted() {
        let sampling = Sampling { interval: 100, burst: 1, seed: Some(1) };
        let estimate = sampling.estimate(&counted(&[(400, 1)]));
        assert_eq!(estimate.value, 40_000.0);
        for end in [estimate.low, estimate.high] {
            let deviation = (end * 0.01 * 0.99).sqrt();
            assert!(((end * 0.01 - 400.0).abs() - 1.96 * deviation).abs() < 1e-9, "{end}");
        }
    }

    #[test]
    fn addresses_of_one_stretch_make_the_interval_as_much_wider() {
        let sampling = Sampling { interval: 10, burst: 1, seed: None };
        let [one, three] = [&[(100, 1)][..], &[(100, 1); 3]].map(|parts| sampling.estimate(&counted(parts)));
        assert!((three.high - 3.0 * one.high).abs() < 1e-9 && (three.low - 3.0 * one.low).abs() < 1e-9);
    }

    #[test]
    fn what_was_never_counted_may_still_have_happened() {
        let estimate = Sampling { interval: 10, burst: 1, seed: None }.estimate(&counted(&[]));
        assert_eq!((estimate.value, estimate.low), (0.0, 0.0));
        assert!(estimate.high > 30.0);
    }
}
