//! The registers of a stage are written in that stage, and from outside of all stages.

use std::collections::{BTreeMap, BTreeSet};

use super::distance::{reason, stage_name};
use super::effect::{Effect, Effects, What, effects_of};
use super::schedule::{Bound, Run, Schedule};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Model, PipelineId, RegisterId, StageId};
use crate::resolve::code;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports writes of a stage's registers by operations that run in another stage.
pub(super) fn check_stage_registers(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    let owners = owners(model);
    if owners.is_empty() {
        return;
    }
    let mut reported = BTreeSet::new();
    for (operation, runs) in schedule.runs_by_operation() {
        if runs.iter().all(|run| run.bound.is_none()) {
            continue;
        }
        let effects = effects_of(model, operation);
        for effect in &effects.list {
            let What::Write(register) = effect.what else { continue };
            let Some(owner) = owners.get(&register) else { continue };
            for run in &runs {
                if let Some(bound) = run.bound.filter(|bound| bound.stage != owner.0)
                    && reported.insert((
                        effects.way(effect).first().copied(),
                        effect.span,
                        register,
                        bound.stage,
                    ))
                {
                    let write = (&effects, effect);
                    diagnostics.push(written_elsewhere(model, (register, *owner), write, (run, bound)));
                }
            }
        }
    }
}

/// The stage that sets each register, and where it says so.
fn owners(model: &Model) -> BTreeMap<RegisterId, (StageId, Span)> {
    let mut owners = BTreeMap::new();
    for (pipeline, declared) in (0..).zip(&model.pipelines) {
        for (stage, declared) in (0..).zip(&declared.stages) {
            let id = StageId { pipeline: PipelineId(pipeline), stage };
            owners.extend(declared.registers.iter().map(|(register, span)| (*register, (id, *span))));
        }
    }
    owners
}

fn written_elsewhere(
    model: &Model,
    (register, (owner, listed)): (RegisterId, (StageId, Span)),
    (effects, effect): (&Effects, &Effect),
    (run, bound): (&Run, Bound),
) -> Diagnostic {
    let register = &model.registers[register.index()].name;
    let (here, there) = (stage_name(model, bound.stage), stage_name(model, owner));
    let pipeline = &model.pipelines[owner.pipeline.index()];
    let stage = &pipeline.stages[owner.stage as usize].name;
    let message = format!("`{register}` is set in stage {there}, but written in stage {here}");
    let diagnostic = error(code::WRITTEN_ELSEWHERE, effect.span, message, format!("written in stage {here}"));
    let diagnostic = effects
        .along(effect, diagnostic)
        .secondary(listed, format!("set in stage {there}"))
        .secondary(bound.span, reason(model, run, bound));
    diagnostic.help(format!(
        "write it in an operation IN {}.{stage}; a register that several stages write is listed by none",
        pipeline.name
    ))
}
