//! `OPERATION name IN pipe.STAGE`.

use super::names::Table;
use super::pipeline::{resolve_pipeline_name, resolve_stage_name};
use crate::ast::Operation;
use crate::diagnostic::Diagnostics;
use crate::model::StageId;
use crate::source::Span;

/// The stage that an operation's IN names, and where; reports a pipeline or stage that does not
/// exist.
pub(crate) fn resolve_stage(
    operation: &Operation,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<(StageId, Span)> {
    let (pipeline, stage) = operation.stage.as_ref()?;
    let id = resolve_pipeline_name(pipeline, table, diagnostics)?;
    let id = resolve_stage_name(id, stage, table, diagnostics)?;
    Some((id, pipeline.span.to(stage.span)))
}
