//! Which instruction was in which stage, in some cycles of one run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ModelTables;
use crate::measurement::is_index;

/// More cycles would be no picture any more.
pub const WIDEST_VIEW: u64 = 2_000;

/// The pipeline in some cycles. It is of one run: it does not add up.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PipelineView {
    /// The first cycle; they count from 1.
    pub first: u64,
    /// How many there are, 1 to [`WIDEST_VIEW`].
    pub cycles: u64,
    /// The instructions that were in flight, in the order of beginning.
    pub rows: Vec<PipelineRow>,
}

/// An instruction, and where it was when.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PipelineRow {
    /// Its ID: instructions count from 1 in the order of beginning.
    pub id: u64,
    /// Its address; before it is decoded, the program counter as it began.
    pub address: u64,
    /// What it is written as, or its operation; empty if it was never decoded.
    pub text: String,
    /// In the order of the cycles.
    pub stays: Vec<PipelineStay>,
    /// How it ended, if not as instructions do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<PipelineEnd>,
}

/// Cycles that an instruction was in a stage.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PipelineStay {
    /// Index into [`ModelTables::stages`]; without a pipeline, something of it ran.
    pub stage: Option<u32>,
    /// The first cycle.
    pub from: u64,
    /// How many, at least 1.
    pub cycles: u64,
    /// It stood there, or had to try again.
    pub waits: bool,
}

/// An end before an instruction's own.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PipelineEnd {
    /// The cycle.
    pub cycle: u64,
    /// Its fault struck; else it was cancelled.
    pub faulted: bool,
}

/// What breaks a rule of [`PipelineView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidView {
    /// So many cycles are none, or too many.
    Cycles(u64),
    /// A cycle of an instruction that is not among them.
    Outside(u64),
    /// The model has no such stage.
    Stage(u32),
}

impl fmt::Display for InvalidView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidView::Cycles(cycles) => {
                write!(f, "a view of {cycles} cycles; expected 1 to {WIDEST_VIEW}")
            }
            InvalidView::Outside(cycle) => write!(f, "cycle {cycle} is not among those of the view"),
            InvalidView::Stage(stage) => write!(f, "the model has no stage {stage}"),
        }
    }
}

impl PipelineView {
    /// Checks what the types leave open.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self, tables: &ModelTables) -> Result<(), InvalidView> {
        let end = self.first.checked_add(self.cycles);
        let end = end.filter(|_| (1..=WIDEST_VIEW).contains(&self.cycles));
        let end = end.ok_or(InvalidView::Cycles(self.cycles))?;
        let is_inside = |cycle: u64| (self.first..end).contains(&cycle);
        for row in &self.rows {
            for stay in &row.stays {
                let last = stay.from.saturating_add(stay.cycles);
                if stay.cycles == 0 || !is_inside(stay.from) || last > end {
                    return Err(InvalidView::Outside(last));
                }
                if let Some(stage) = stay.stage.filter(|stage| !is_index(*stage, tables.stages.len())) {
                    return Err(InvalidView::Stage(stage));
                }
            }
            if let Some(end) = row.end.filter(|end| !is_inside(end.cycle)) {
                return Err(InvalidView::Outside(end.cycle));
            }
        }
        Ok(())
    }
}
