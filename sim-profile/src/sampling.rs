//! Sampled runs: which part of a run was counted, and what follows from that for all of it.
//!
//! A run is cut into *stretches* by its *checks*: each jump to an address not above its own, and each
//! call, or one of the two alone. Whole stretches are counted or not. Where jumps back are checks, no address
//! runs twice within one, so that of a figure of one address every stretch has one or none, and what was counted
//! of it has a binomial distribution if each stretch is taken with the same probability, by itself: that gives
//! the interval, in [`interval`]. A figure that adds up addresses has the sum of their intervals, as if they all
//! came together. Where calls alone are checks, that holds of calls alone.

mod interval;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What of an instruction's counts is wanted, where the instrumented code is not all of the program.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Instrumented {
    /// Calls: instructions that can keep the address behind themselves and jump.
    Calls,
    /// Accesses to memory: instructions that read or write it, their fetch left out.
    Accesses,
}

impl fmt::Display for Instrumented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Instrumented::Calls => "calls",
            Instrumented::Accesses => "accesses to memory",
        })
    }
}

/// How much of the program there is a second time, with what counts in it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Duplication {
    /// All of it: whole stretches are counted, with everything in them.
    #[default]
    Full,
    /// What carries instrumentation: of the same stretches these instructions alone are counted.
    Partial(Instrumented),
    /// Nothing: each of these instructions is a check of its own, there are no others, and a sample is one of
    /// them.
    None(Instrumented),
}

impl Duplication {
    /// Whether it is all of the program.
    pub fn is_full(&self) -> bool {
        *self == Duplication::Full
    }

    /// What alone is counted.
    pub fn instrumented(&self) -> Option<Instrumented> {
        match self {
            Duplication::Full => None,
            Duplication::Partial(instrumented) | Duplication::None(instrumented) => Some(*instrumented),
        }
    }
}

/// Where the checks are that cut a run into stretches.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum CheckPlaces {
    /// Calls alone: a stretch may run in loops for as long as it likes.
    Calls,
    /// Jumps to addresses that are not above their own alone, calls to such addresses included.
    BackEdges,
    /// Both.
    #[default]
    Both,
}

impl CheckPlaces {
    /// Whether they are all that there may be.
    pub fn is_both(&self) -> bool {
        *self == CheckPlaces::Both
    }

    /// Whether calls are checks wherever they lead.
    pub fn includes_calls(self) -> bool {
        self != CheckPlaces::BackEdges
    }

    /// Whether jumps to addresses that are not above their own are checks, so that no address runs twice in
    /// one stretch.
    pub fn includes_back_edges(self) -> bool {
        self != CheckPlaces::Calls
    }
}

impl fmt::Display for CheckPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckPlaces::Calls => "calls",
            CheckPlaces::BackEdges => "jumps back",
            CheckPlaces::Both => "checks",
        })
    }
}

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
    /// How much of the program is there twice.
    #[serde(default, skip_serializing_if = "Duplication::is_full")]
    pub duplication: Duplication,
    /// Where checks are; where nothing is there twice, what carries instrumentation is a check instead.
    #[serde(default, skip_serializing_if = "CheckPlaces::is_both")]
    pub places: CheckPlaces,
    /// Microseconds of the host's time from the beginning of one sample to that of the next, if no number
    /// of checks says when: such samples are others each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer_microseconds: Option<u64>,
}

impl Sampling {
    /// Samples of one stretch, one in each so many checks.
    pub fn every(interval: u64) -> Sampling {
        Sampling {
            interval,
            burst: 1,
            seed: None,
            duplication: Duplication::Full,
            places: CheckPlaces::Both,
            timer_microseconds: None,
        }
    }

    /// Whether a stretch has at most one of each address, on which intervals rest. Calls are told apart: each
    /// is the end of a stretch, or of it there is one in a stretch at most.
    pub fn bounds_stretches(&self) -> bool {
        self.places.includes_back_edges() || matches!(self.duplication, Duplication::None(_))
    }

    /// Samples that any engine takes: of whole stretches, chosen by their number alone.
    pub fn is_plain(&self) -> bool {
        self.duplication.is_full() && self.timer_microseconds.is_none()
    }

    /// How the samples of a run were taken: `samples of 1, one in 50 checks on average, at random from seed 7`.
    pub fn describe(self, samples: Samples) -> String {
        let Sampling { interval, burst, seed, places, timer_microseconds, duplication } =
            self.observed(samples);
        let distance = format!("samples of {burst}, one in {interval} {places}");
        match (timer_microseconds, seed) {
            (Some(time), _) => {
                let distance = match samples.samples {
                    // None were taken, so that no interval was seen.
                    0 => format!("samples of {burst}"),
                    _ => format!("{distance} on average"),
                };
                format!(
                    "{distance}, one every {time} microseconds of this computer's time: another run has others"
                )
            }
            (None, _) if interval == burst => match duplication {
                Duplication::Full | Duplication::Partial(_) => {
                    format!("samples of all stretches between {places}")
                }
                Duplication::None(_) => "samples at all checks".to_owned(),
            },
            (None, Some(seed)) => format!("{distance} on average, at random from seed {seed}"),
            (None, None) => distance,
        }
    }

    /// The same with the interval that there was on average, where no number said it.
    pub fn observed(self, samples: Samples) -> Sampling {
        match self.timer_microseconds {
            None => self,
            Some(_) => {
                let interval = samples.checks.checked_div(samples.samples).unwrap_or(samples.checks);
                Sampling { interval: interval.max(self.burst), ..self }
            }
        }
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sampling { interval, burst, seed, duplication, places, timer_microseconds } = self;
        match timer_microseconds {
            None => write!(f, "{burst} of {interval} stretches between {places}")?,
            Some(time) => write!(f, "{burst} stretches between {places} every {time} microseconds")?,
        }
        match duplication {
            Duplication::Full => {}
            Duplication::Partial(counted) => write!(f, ", {counted} alone")?,
            Duplication::None(counted) => write!(f, ", {counted} alone, each a check")?,
        }
        seed.map_or(Ok(()), |seed| write!(f, ", at random from seed {seed}"))
    }
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

impl Samples {
    /// Adds what is known of another run, or of another part of this one.
    pub fn add(&mut self, other: Samples) {
        let Self { checks, samples, instructions, cycles } = self;
        let sums = [checks, samples, instructions, cycles];
        let others = [other.checks, other.samples, other.instructions, other.cycles];
        sums.into_iter().zip(others).for_each(|(sum, other)| *sum = sum.saturating_add(other));
    }
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
    /// By how often addresses ran in the samples, how much those add each time that ran so often.
    parts: BTreeMap<u64, u64>,
}

impl Counted {
    /// One more address, which ran so often and adds so much each time.
    pub fn add(&mut self, executed: u64, each: u64) {
        let sum = self.parts.entry(executed).or_default();
        *sum = sum.saturating_add(each);
    }

    /// What was counted altogether.
    pub fn sum(&self) -> f64 {
        self.parts.iter().map(|(executed, each)| *executed as f64 * *each as f64).sum()
    }
}

impl Sampling {
    /// The share of all stretches that is counted, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.burst as f64 / self.interval as f64
    }

    /// The figure of the whole run. Its interval holds it in 95 % of all runs at random of those that have
    /// counted something of it, or in more: where addresses did not come together, or a sample has several
    /// stretches. What was never counted is in no sum.
    pub fn estimate(&self, counted: &Counted) -> Estimate {
        let share = self.share();
        let (mut low, mut high) = (0.0, 0.0);
        for (executed, each) in &counted.parts {
            let [least, most] = self.bounds(*executed);
            low += least * *each as f64;
            high += most * *each as f64;
        }
        if counted.parts.is_empty() {
            high = self.bounds(0)[1];
        }
        Estimate { value: counted.sum() / share, low, high }
    }

    /// How often something happened in the whole run, at least and at most, of which so much was counted and
    /// no stretch has more than one.
    fn bounds(&self, counted: u64) -> [f64; 2] {
        let share = self.share();
        if self.burst == 1 || counted == 0 {
            return interval::times(counted, share).map(|end| end * self.burst as f64);
        }
        // The stretches of one sample are not chosen by themselves: all that was counted may be of the
        // fewest samples that have room for it.
        let samples = counted.div_ceil(self.burst);
        interval::times(samples, share).map(|end| end / samples as f64 * counted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Samples, Sampling};

    fn counted(parts: &[(u64, u64)]) -> Counted {
        let mut counted = Counted::default();
        parts.iter().for_each(|&(executed, each)| counted.add(executed, each));
        counted
    }

    #[test]
    fn what_is_always_counted_is_exact() {
        let estimate = Sampling { burst: 3, ..Sampling::every(3) }.estimate(&counted(&[(7, 1), (5, 2)]));
        assert_eq!((estimate.value, estimate.low, estimate.high), (17.0, 17.0, 17.0));
    }

    #[test]
    fn addresses_of_one_stretch_make_the_interval_as_much_wider() {
        let sampling = Sampling::every(10);
        for executed in [1, 100, 1000] {
            let of = |parts: &[(u64, u64)]| sampling.estimate(&counted(parts));
            let [one, three] = [of(&[(executed, 1)]), of(&[(executed, 1); 3])];
            assert!((three.high - 3.0 * one.high).abs() < 1e-6 && (three.low - 3.0 * one.low).abs() < 1e-6);
        }
    }

    #[test]
    fn a_burst_counts_as_one_choice() {
        let burst = Sampling { burst: 4, ..Sampling::every(40) }.estimate(&counted(&[(400, 1)]));
        let single = Sampling::every(10).estimate(&counted(&[(100, 1)]));
        assert_eq!(burst.value, 4000.0);
        assert!((burst.low - 4.0 * single.low).abs() < 1e-6 && (burst.high - 4.0 * single.high).abs() < 1e-6);
    }

    #[test]
    fn where_time_chose_the_interval_is_what_it_came_to() {
        let sampling = Sampling { timer_microseconds: Some(50), ..Sampling::every(1) };
        let samples = Samples { checks: 1000, samples: 8, ..Samples::default() };
        assert_eq!(sampling.observed(samples).interval, 125);
        assert_eq!(sampling.observed(Samples { checks: 1000, ..Samples::default() }).interval, 1000);
        assert_eq!(Sampling::every(7).observed(samples).interval, 7);
    }

    #[test]
    fn what_was_never_counted_may_still_have_happened() {
        let estimate = Sampling::every(10).estimate(&counted(&[]));
        assert_eq!((estimate.value, estimate.low), (0.0, 0.0));
        assert!(estimate.high > 30.0);
    }
}
