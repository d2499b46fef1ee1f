//! A measurement together with how it was obtained.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::image::identities;
use crate::measurement::count;
use crate::several_programs::keep_first_files;
use crate::{
    Calls, ImageDifference, Measurement, MergeError, PipelineView, ProgramImage, ProgramRuns, Samples,
    Sampling, StaticTable, pairs,
};

/// How the counts of a [`Measurement`] came about.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every instruction was counted.
    #[default]
    Exact,
    /// What ran in some stretches of the run was counted, and nothing else.
    Sampled(Sampling),
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Exact => write!(f, "exact"),
            Mode::Sampled(sampling) => write!(f, "sampled: {sampling}"),
        }
    }
}

/// Where a [`Measurement`] came from. It says nothing about the simulated program's behaviour,
/// so equality of runs is equality of their measurements and leaves it out.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Names of the engines that ran the program.
    pub engines: BTreeSet<String>,
    /// Whether every instruction was counted.
    pub mode: Mode,
    /// Number of runs.
    pub runs: u64,
    /// Of how many parts of runs these are the counts, where not all of a run was counted: of none where what was
    /// to begin one never came; `None` of whole runs, each of which is one part among others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u64>,
    /// What they took on the host, in nanoseconds of its clock.
    pub host_nanoseconds: u64,
    /// Digest of the model's description, as the engine's maker computes it.
    pub model_digest: String,
    /// What was loaded, the program first; of several programs nothing.
    pub images: Vec<ProgramImage>,
    /// The programs, where runs of several were added up, in the order of their digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramRuns>,
}

impl Provenance {
    /// What these are the counts of, in words, where not all of a run was counted.
    pub fn describe_parts(&self) -> Option<String> {
        Some(match self.parts? {
            0 => "of no part of what ran: counting never began".to_owned(),
            1 => "of 1 part of what ran, and of nothing else".to_owned(),
            parts => format!("of {parts} parts of what ran, and of nothing else"),
        })
    }
}

/// What a run did to the processor and how that is known.
///
/// Stored by [`crate::write_profile`].
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The counts.
    pub measurement: Measurement,
    /// How they were obtained.
    pub provenance: Provenance,
    /// What is known of its instructions whatever they did; empty if nobody has asked the model.
    #[serde(default, with = "pairs")]
    pub statics: StaticTable,
    /// Its calls, if they were followed.
    #[serde(default)]
    pub calls: Option<Calls>,
    /// What is known of all of the run, where some of it was counted.
    #[serde(default)]
    pub samples: Option<Samples>,
    /// How often each point of the model's description was passed, by its number, if that was counted.
    #[serde(default)]
    pub visits: Option<Vec<u64>>,
    /// Which instruction was in which stage in some cycles, if that was asked for: of one run alone.
    #[serde(default)]
    pub pipeline: Option<PipelineView>,
}

impl Profile {
    /// Adds the runs of `other`. Associative and commutative. The sum has calls if both have, and counts
    /// of the description's points; it has no cycles of a pipeline. Where the two are of different
    /// programs, it is [without addresses](Profile::without_addresses).
    ///
    /// # Errors
    /// The two are of different models, were not obtained in the same way, are samples of different
    /// programs, or name an instruction differently; nothing is added then.
    pub fn merge(&mut self, other: &Profile) -> Result<(), MergeError> {
        let is_of_several = [&*self, other].map(Profile::is_of_several_programs);
        let images = [&self.provenance.images, &other.provenance.images];
        let is_of_one = identities(images[0]) == identities(images[1]);
        if is_of_several == [true; 2] || is_of_several == [false; 2] && is_of_one {
            return self.merge_alike(other);
        }
        let difference = ImageDifference::between(images[0], images[1]);
        if let (Mode::Sampled(_), Some(difference)) = (self.provenance.mode, difference) {
            return Err(MergeError::Program(Box::new(difference)));
        }
        let mut sum = self.without_addresses();
        sum.merge_alike(&other.without_addresses())?;
        *self = sum;
        Ok(())
    }

    /// Both of one program, or both without addresses.
    fn merge_alike(&mut self, other: &Profile) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        self.measurement.merge(&other.measurement)?;
        let (ours, theirs) = (&mut self.provenance, &other.provenance);
        ours.engines.extend(theirs.engines.iter().cloned());
        // Where parts are added up, a whole run is one of them.
        ours.parts = match (ours.parts, theirs.parts) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(ours.runs).saturating_add(other.unwrap_or(theirs.runs))),
        };
        count(&mut ours.runs, theirs.runs);
        count(&mut ours.host_nanoseconds, theirs.host_nanoseconds);
        keep_first_files(&mut ours.images, &theirs.images);
        ours.add_programs(&theirs.programs);
        for (key, facts) in &other.statics {
            self.statics.entry(*key).or_insert_with(|| facts.clone());
        }
        match (&mut self.calls, &other.calls) {
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            // Those of some of the runs are the calls of none.
            (calls, _) => *calls = None,
        }
        match (&mut self.visits, &other.visits) {
            (Some(ours), Some(theirs)) => {
                ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| count(ours, *theirs));
            }
            (visits, _) => *visits = None,
        }
        match (&mut self.samples, &other.samples) {
            (Some(ours), Some(theirs)) => ours.add(*theirs),
            // A share of some of it says nothing of all.
            (samples, _) => *samples = None,
        }
        self.pipeline = None;
        Ok(())
    }
}

impl Profile {
    /// Whether both are of one description, and were obtained in one way.
    pub(crate) fn check_mergeable(&self, other: &Profile) -> Result<(), MergeError> {
        self.measurement.check_tables(&other.measurement)?;
        self.provenance.check_mergeable(&other.provenance, &self.measurement.tables.model)?;
        self.check_visits(other)
    }

    /// One description has as many points whoever counts them.
    fn check_visits(&self, other: &Profile) -> Result<(), MergeError> {
        match (&self.visits, &other.visits) {
            (Some(ours), Some(theirs)) if ours.len() != theirs.len() => {
                Err(MergeError::Points([ours.len(), theirs.len()]))
            }
            _ => Ok(()),
        }
    }
}

impl Provenance {
    fn check_mergeable(&self, other: &Provenance, model: &str) -> Result<(), MergeError> {
        if self.mode != other.mode {
            return Err(MergeError::Mode(self.mode, other.mode));
        }
        match self.model_digest == other.model_digest {
            true => Ok(()),
            false => Err(MergeError::Model {
                model: model.to_owned(),
                digests: [self.model_digest.clone(), other.model_digest.clone()],
            }),
        }
    }
}
