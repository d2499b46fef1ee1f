//! Pipelines and their stages, resolved.

use super::{RegisterId, id};
use crate::source::Span;

id!(
    /// Index into [`super::Model::pipelines`].
    PipelineId
);

/// A PIPELINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its stages, first to last; at least one.
    pub stages: Vec<Stage>,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The registers that are set in this stage, each with the place that says so; a register is
    /// named by one stage of all pipelines at most.
    pub registers: Vec<(RegisterId, Span)>,
}

/// One stage of one pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StageId {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// Index into [`Pipeline::stages`].
    pub stage: u32,
}
