//! What tells runs of one program apart.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::digest;
use crate::{Measurement, Profile, spending_of};

/// A run, several merged ones, or parts of runs, as far as counters of others are told from theirs.
///
/// Arguments and input are not known; what they lead to is.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CountedRun {
    /// Number of runs.
    pub runs: u64,
    /// Of how many parts of runs the counters are, as of snapshots; 0 of whole runs.
    pub parts: u64,
    /// Instructions that ran to their end.
    pub instructions: u64,
    /// Cycles begun, extra cycles included.
    pub cycles: u64,
    /// Digest of how often each instruction ran, and of where it jumped.
    pub course: String,
}

impl CountedRun {
    /// Whose counts a profile has.
    pub fn of(profile: &Profile) -> CountedRun {
        let spent = spending_of(&profile.measurement);
        CountedRun {
            runs: profile.provenance.runs,
            parts: profile.provenance.parts.unwrap_or(0),
            instructions: spent.instructions,
            cycles: spent.cycles,
            course: course(&profile.measurement),
        }
    }
}

/// Of numbers alone that are in every profile, in the order of addresses: newer versions and other engines
/// give the same.
fn course(measurement: &Measurement) -> String {
    let instructions = measurement.instructions.iter();
    let instructions = instructions.map(|(key, record)| [key.address, record.executed, record.cancelled]);
    let transfers = measurement.transfers.iter().map(|((from, to), times)| [*from, *to, *times]);
    let numbers = instructions.chain(transfers).flatten();
    format!("{:016x}", digest(numbers.flat_map(u64::to_le_bytes)))
}

impl fmt::Display for CountedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CountedRun { runs, parts, instructions, cycles, course } = self;
        match (parts, runs) {
            (0, 1) => f.write_str("1 run")?,
            (0, _) => write!(f, "{runs} runs")?,
            (1, _) => f.write_str("1 part of a run")?,
            _ => write!(f, "{parts} parts of runs")?,
        }
        write!(f, " of {instructions} instructions in {cycles} cycles, course {course}")
    }
}

#[cfg(test)]
mod tests {
    use super::CountedRun;
    use crate::{InstructionKey, InstructionRecord, Profile, Word};

    #[test]
    fn runs_of_as_many_instructions_are_told_apart() {
        let run = |address| {
            let mut profile = Profile::default();
            let key = InstructionKey { address, word: Word::new(&[1]).expect("a word") };
            let record = InstructionRecord { executed: 3, ..InstructionRecord::default() };
            profile.measurement.instructions.insert(key, record);
            CountedRun::of(&profile)
        };
        assert_eq!(run(1), run(1));
        assert_eq!(run(1).instructions, run(2).instructions);
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_run_is_told_by_what_it_took() {
        let text = |runs, parts| {
            let course = "0123".to_owned();
            CountedRun { runs, parts, instructions: 5, cycles: 7, course }.to_string()
        };
        assert_eq!(text(1, 0), "1 run of 5 instructions in 7 cycles, course 0123");
        assert!(text(2, 0).starts_with("2 runs of "));
        assert!(text(1, 1).starts_with("1 part of a run of "));
        assert!(text(2, 3).starts_with("3 parts of runs of "));
    }
}
