//! A measurement together with how it was obtained.

use serde::{Deserialize, Serialize};

use crate::Measurement;

/// How the counts of a [`Measurement`] came about.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every instruction was counted.
    #[default]
    Exact,
    /// One instruction in `interval` was counted.
    Sampled {
        /// Distance between two samples, in instructions; at least 1.
        interval: u64,
    },
}

/// Where a [`Measurement`] came from. It says nothing about the simulated program's behaviour,
/// so equality of runs is equality of their measurements and leaves it out.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Name of the engine that ran the program.
    pub engine: String,
    /// Whether every instruction was counted.
    pub mode: Mode,
    /// What the run took on the host, in seconds of its clock; finite.
    pub host_seconds: f64,
    /// Digest of the model's description, as the engine's maker computes it.
    pub model_digest: String,
    /// Digest of the program's image.
    pub program_digest: String,
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
}
