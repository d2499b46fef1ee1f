//! What a pipeline offers: stall, retry, flush.

use isac_ir::behavior::Stmt;
use isac_ir::resource::{Pipeline, Stage};
use isac_ir::time::StageId;
use isac_parser::model::{ExprKind as SourceKind, StageId as SourceStage};

use super::Lowering;
use super::body::{BodyBuilder, Exits};

impl Lowering<'_> {
    pub(super) fn lower_pipelines(&self) -> Vec<Pipeline> {
        let pipelines = self.model.pipelines.iter();
        pipelines
            .map(|pipeline| Pipeline {
                name: pipeline.name.clone(),
                location: self.location(pipeline.span),
                stages: pipeline
                    .stages
                    .iter()
                    .map(|stage| Stage {
                        name: stage.name.clone(),
                        registers: stage.registers.iter().map(|(register, _)| register.0).collect(),
                    })
                    .collect(),
            })
            .collect()
    }
}

impl BodyBuilder<'_> {
    /// A service of a pipeline, which has no value; anything else does nothing.
    pub(super) fn lower_service(&mut self, service: &SourceKind) {
        match service {
            SourceKind::Stall { stage, cycles } => {
                let cycles = self.lower_value(cycles);
                self.push(Stmt::Stall { stage: lower_stage(*stage), cycles, maps: Vec::new() });
            }
            SourceKind::Retry(pipeline) => {
                self.push(Stmt::Retry { pipeline: pipeline.0 });
                self.leave_maybe(Exits::end());
            }
            SourceKind::Flush(stage) => self.push(Stmt::Flush(lower_stage(*stage))),
            _ => {}
        }
    }
}

/// A stage by the same numbers.
pub(super) fn lower_stage(stage: SourceStage) -> StageId {
    StageId { pipeline: stage.pipeline.0, stage: stage.stage }
}
