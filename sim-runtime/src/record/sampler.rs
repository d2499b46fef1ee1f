//! Which stretches between the checks of a run are counted.
//!
//! An engine counts checks down and asks here when there are none left: it either has to count from
//! now on, or to go on without. The countdown itself is the engine's, for it is asked at each check.

use sim_profile::Sampling;

use crate::host::Random;

/// Where time chooses, so many checks are passed before it is asked for again.
const CHECKS_UNASKED: u64 = 64;

/// Chooses the stretches that are counted.
#[derive(Debug, Clone)]
pub struct Sampler {
    sampling: Sampling,
    random: Option<Random>,
    is_recording: bool,
    /// Checks from the last turn to the next.
    length: u64,
    /// Checks before the last turn.
    checks: u64,
    samples: u64,
}

impl Sampler {
    /// At the beginning of a run, which is where its first stretch begins.
    pub fn new(sampling: Sampling) -> Sampler {
        let random = sampling.seed.map(Random::new);
        let mut sampler = Sampler { sampling, random, is_recording: false, length: 0, checks: 0, samples: 0 };
        match sampling.timer_microseconds {
            Some(_) => sampler.turn_if(false),
            None => sampler.turn(),
        }
        sampler
    }

    /// Whether time chooses: then [`Sampler::turn_if`] is to be called.
    pub fn is_timed(&self) -> bool {
        self.sampling.timer_microseconds.is_some()
    }

    /// Whether what runs now is counted.
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// How many checks are passed from a turn to the next; at least 1.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The same where time chooses: a sample begins if it `is_due`, and the next look is soon.
    pub fn turn_if(&mut self, is_due: bool) {
        self.checks = self.checks.saturating_add(self.length);
        self.is_recording = is_due && !self.is_recording;
        self.length = if self.is_recording { self.sampling.burst } else { CHECKS_UNASKED };
        self.samples += u64::from(self.is_recording);
    }

    /// All checks up to the next turn were passed: this is it.
    pub fn turn(&mut self) {
        self.checks = self.checks.saturating_add(self.length);
        let skipped =
            if self.is_recording || self.samples == 0 && self.checks == 0 { self.skip() } else { 0 };
        self.is_recording = skipped == 0;
        self.length = if self.is_recording { self.sampling.burst } else { skipped };
        self.samples += u64::from(self.is_recording);
    }

    /// Checks passed so far, where this many are left up to the next turn.
    pub fn checks(&self, left: u64) -> u64 {
        self.checks.saturating_add(self.length.saturating_sub(left))
    }

    /// Samples begun so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// How many checks begin no sample, up to the one that does.
    ///
    /// At random each begins one with the same probability, whatever the others did: the number is
    /// geometrically distributed, by inversion of its distribution function.
    fn skip(&mut self) -> u64 {
        let Sampling { interval, burst, .. } = self.sampling;
        let skipped = interval.saturating_sub(burst);
        match &mut self.random {
            None => skipped,
            Some(_) if skipped == 0 => 0,
            Some(random) => {
                let uniform = ((random.next() >> 11) + 1) as f64 / (1u64 << 53) as f64;
                // Of skipped / (skipped + 1), which is too near to 1 to be told from it where that is large.
                let missed = logarithm_near_one(-1.0 / (2.0 * skipped as f64 + 1.0));
                (logarithm(uniform) / missed) as u64
            }
        }
    }
}

/// The natural logarithm of a number above 0 and up to 1, the same on every computer: made of
/// operations whose results IEEE 754 lays down.
fn logarithm(number: f64) -> f64 {
    let (mut mantissa, mut halvings) = (number, 0.0);
    while mantissa < 0.75 {
        mantissa *= 2.0;
        halvings += 1.0;
    }
    logarithm_near_one((mantissa - 1.0) / (mantissa + 1.0)) - halvings * std::f64::consts::LN_2
}

/// The logarithm of (1 + `ratio`) / (1 - `ratio`), that is 2 artanh(`ratio`), up to a third: from a seventh
/// down each term is a fiftieth of the one before.
fn logarithm_near_one(ratio: f64) -> f64 {
    let terms = (0..18).map(|term| f64::from(2 * term + 1)).rev();
    2.0 * ratio * terms.fold(0.0, |sum, odd| sum * ratio * ratio + 1.0 / odd)
}

#[cfg(test)]
mod tests {
    use super::{Sampler, logarithm};
    use sim_profile::Sampling;

    /// Which of the first stretches are counted.
    fn chosen(sampling: Sampling, stretches: usize) -> String {
        let mut sampler = Sampler::new(sampling);
        let mut left = sampler.length();
        let mut text = String::new();
        for _ in 0..stretches {
            text.push(if sampler.is_recording() { 'x' } else { '.' });
            left -= 1;
            if left == 0 {
                sampler.turn();
                left = sampler.length();
            }
        }
        assert_eq!(sampler.checks(left), stretches as u64);
        text
    }

    #[test]
    fn samples_come_at_the_end_of_their_interval() {
        let of = |interval, burst| chosen(Sampling { burst, ..Sampling::every(interval) }, 12);
        assert_eq!(of(1, 1), "xxxxxxxxxxxx");
        assert_eq!(of(4, 1), "...x...x...x");
        assert_eq!(of(4, 3), ".xxx.xxx.xxx");
        assert_eq!(of(3, 3), "xxxxxxxxxxxx");
    }

    #[test]
    fn where_time_chooses_a_sample_begins_when_it_is_due() {
        let mut sampler = Sampler::new(Sampling { timer_microseconds: Some(9), ..Sampling::every(1) });
        let mut told = Vec::new();
        for is_due in [false, true, true, false] {
            told.push((sampler.is_recording(), sampler.length()));
            sampler.turn_if(is_due);
        }
        assert_eq!(told, [(false, 64), (false, 64), (true, 1), (false, 64)]);
        assert_eq!((sampler.checks(64), sampler.samples()), (64 + 64 + 1 + 64, 1));
    }

    #[test]
    fn at_random_every_stretch_has_the_same_chance() {
        for (interval, burst) in [(1, 1), (2, 1), (10, 1), (10, 4)] {
            let (runs, stretches) = (4000, 30);
            let mut counts = vec![0u32; stretches];
            for seed in 0..runs {
                let text =
                    chosen(Sampling { burst, seed: Some(seed), ..Sampling::every(interval) }, stretches);
                for (count, taken) in counts.iter_mut().zip(text.bytes()) {
                    *count += u32::from(taken == b'x');
                }
            }
            // The first stretches of a run with bursts have no earlier ones to be a burst's end.
            let share = burst as f64 / interval as f64;
            let deviation = (runs as f64 * share * (1.0 - share)).sqrt();
            for (stretch, count) in counts.iter().enumerate().skip(if burst > 1 { 20 } else { 0 }) {
                let off = (f64::from(*count) - runs as f64 * share).abs();
                assert!(off <= 4.5 * deviation, "{interval}, {burst}: {count} of stretch {stretch}");
            }
        }
    }

    /// However long it is, an interval is as long on average.
    #[test]
    fn long_intervals_are_long_at_random_too() {
        for interval in [2, 1 << 20, 1 << 52, 1 << 54, 1 << 60] {
            let (mut sum, runs) = (0.0, 4000);
            for seed in 0..runs {
                sum += Sampler::new(Sampling { seed: Some(seed), ..Sampling::every(interval) }).skip() as f64;
            }
            let mean = (sum / f64::from(runs as u32) + 1.0) / interval as f64;
            assert!((0.9..1.1).contains(&mean), "{interval}: {mean}");
        }
    }

    #[test]
    fn a_logarithm_is_one() {
        for number in [1.0, 0.999_999, 0.75, 0.7499, 0.5, 0.1, 1e-9, 1.2e-16] {
            let (found, expected) = (logarithm(number), f64::ln(number));
            assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{number}: {found}, {expected}");
        }
    }
}
