//! What can be chosen of samples: where they begin, what of them is counted, and how.

use std::fmt;

use clap::ValueEnum;
use sim_profile::CheckPlaces;
/// What alone is counted in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SampleOnly {
    /// Instructions that can keep the address behind themselves and jump
    Calls,
    /// Instructions that read or write memory.
    Accesses,
}

impl fmt::Display for SampleOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SampleOnly::Calls => "calls",
            SampleOnly::Accesses => "accesses",
        })
    }
}

/// Where a sample may begin and end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SampleChecks {
    /// Calls alone; what runs between two of them has no bound.
    Calls,
    /// Jumps to addresses that are not above their own alone.
    BackEdges,
    /// Both.
    #[default]
    Both,
}

impl SampleChecks {
    pub(super) fn places(self) -> CheckPlaces {
        match self {
            SampleChecks::Calls => CheckPlaces::Calls,
            SampleChecks::BackEdges => CheckPlaces::BackEdges,
            SampleChecks::Both => CheckPlaces::Both,
        }
    }
}

impl fmt::Display for SampleChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SampleChecks::Calls => "calls",
            SampleChecks::BackEdges => "back-edges",
            SampleChecks::Both => "both",
        })
    }
}

/// What there is a second time, with counters in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SampleCode {
    /// What carries instrumentation: the checks are as ever, and of the same samples less is counted.
    #[default]
    Partial,
    /// Nothing: each of these instructions is a check of its own, and there are no others.
    None,
}

impl fmt::Display for SampleCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SampleCode::Partial => "partial",
            SampleCode::None => "none",
        })
    }
}
