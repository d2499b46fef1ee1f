//! Cycles beyond those in which instructions begin, and why they were lost.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::measurement::{count, is_index};
use crate::{ModelTables, pairs};

/// Why no instruction began in a cycle: the first stage stood, or something was due in it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "snake_case")]
pub enum LostReason {
    /// It stood, for an operation has stalled a stage.
    Stall,
    /// The same, and the stall's number of cycles comes from an access that missed in this cache:
    /// an index into [`ModelTables::caches`].
    CacheMiss(u32),
    /// What was due in it had been put back by a retry.
    Retry,
    /// What was due in it had been scheduled for this cycle, and nothing had put it back.
    Occupied,
}

/// The one cause of a lost cycle.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(deny_unknown_fields)]
pub struct LostCause {
    /// Why.
    pub reason: LostReason,
    /// Who has stalled, retried or was due: an index into [`ModelTables::operations`].
    pub operation: u32,
    /// The stage that was stalled, or in which was retried; the first stage if it was occupied. An
    /// index into [`ModelTables::stages`].
    pub stage: u32,
}

/// Cycles that an instruction took beyond the one in which it began, whatever became of it. Sums
/// stay at `u64::MAX` once they reach it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// Sum of its `extra_cycles(n)`.
    pub extra_cycles: u64,
    /// Cycles in which it kept the next instruction from beginning. No entry is zero.
    #[serde(with = "pairs")]
    pub lost: BTreeMap<LostCause, u64>,
}

impl Overhead {
    /// Adds the cycles of `other`.
    pub fn add(&mut self, other: &Overhead) {
        count(&mut self.extra_cycles, other.extra_cycles);
        other.lost.iter().for_each(|(&cause, &cycles)| self.add_lost(cause, cycles));
    }

    /// Adds cycles that were lost.
    pub fn add_lost(&mut self, cause: LostCause, cycles: u64) {
        if cycles > 0 {
            count(self.lost.entry(cause).or_default(), cycles);
        }
    }

    /// All cycles that were lost.
    pub fn lost_cycles(&self) -> u64 {
        self.lost.values().fold(0, |sum, cycles| sum.saturating_add(*cycles))
    }

    /// Whether there are no such cycles.
    pub fn is_zero(&self) -> bool {
        *self == Overhead::default()
    }

    /// Checks what the types leave open.
    ///
    /// # Errors
    /// A number that the model does not have, or an entry that is zero.
    pub(crate) fn validate(&self, tables: &ModelTables) -> Result<(), InvalidOverhead> {
        for (cause, &cycles) in &self.lost {
            cause.validate(tables)?;
            if cycles == 0 {
                return Err(InvalidOverhead::Zero);
            }
        }
        Ok(())
    }
}

impl LostCause {
    /// Checks its numbers.
    ///
    /// # Errors
    /// The first that the model does not have.
    pub(crate) fn validate(&self, tables: &ModelTables) -> Result<(), InvalidOverhead> {
        let LostCause { reason, operation, stage } = *self;
        if !is_index(operation, tables.operations.len()) {
            return Err(InvalidOverhead::Operation(operation));
        }
        if !is_index(stage, tables.stages.len()) {
            return Err(InvalidOverhead::Stage(stage));
        }
        match reason {
            LostReason::CacheMiss(cache) if !is_index(cache, tables.caches.len()) => {
                Err(InvalidOverhead::Cache(cache))
            }
            _ => Ok(()),
        }
    }
}

/// In how many cycles an instruction was in a stage. Sums stay at `u64::MAX` once they reach it.
/// Stored as a list of the two numbers.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct StageCycles {
    /// Cycles in which one was in it.
    pub occupied: u64,
    /// Of these, those in which the stage stood.
    pub standing: u64,
}

impl StageCycles {
    /// Adds the cycles of `other`.
    pub fn add(&mut self, other: StageCycles) {
        count(&mut self.occupied, other.occupied);
        count(&mut self.standing, other.standing);
    }

    /// Adds a cycle in which an instruction was in the stage.
    pub fn add_one(&mut self, stands: bool) {
        self.add(StageCycles { occupied: 1, standing: stands.into() });
    }
}

impl From<(u64, u64)> for StageCycles {
    fn from((occupied, standing): (u64, u64)) -> StageCycles {
        StageCycles { occupied, standing }
    }
}

impl From<StageCycles> for (u64, u64) {
    fn from(StageCycles { occupied, standing }: StageCycles) -> (u64, u64) {
        (occupied, standing)
    }
}

/// What is wrong with cycles that were lost, or with those of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidOverhead {
    /// The model has no such operation.
    Operation(u32),
    /// The model has no such stage.
    Stage(u32),
    /// The model has no such cache.
    Cache(u32),
    /// An entry counts nothing.
    Zero,
    /// There are not as many stages as the model has.
    Stages {
        /// As in the model.
        expected: usize,
        /// Counted.
        found: usize,
    },
    /// A stage stood in more cycles than an instruction was in it.
    Standing(u32),
}

impl fmt::Display for InvalidOverhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidOverhead::Operation(operation) => write!(f, "the model has no operation {operation}"),
            InvalidOverhead::Stage(stage) => write!(f, "the model has no stage {stage}"),
            InvalidOverhead::Cache(cache) => write!(f, "the model has no cache {cache}"),
            InvalidOverhead::Zero => write!(f, "an entry of lost or extra cycles is zero; leave it out"),
            InvalidOverhead::Stages { expected, found } => {
                write!(f, "cycles of {found} stages; the model has {expected}")
            }
            InvalidOverhead::Standing(stage) => {
                write!(f, "stage {stage} stood in more cycles than instructions were in it")
            }
        }
    }
}

impl std::error::Error for InvalidOverhead {}
