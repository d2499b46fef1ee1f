//! `pipe.retry()` repeats what an instruction does in a stage: there has to be an instruction, and
//! a stage of that pipeline.

use std::collections::BTreeSet;

use super::distance::reason;
use super::effect::{Effect, Effects, What, effects_of, effects_of_function};
use super::schedule::{Run, Schedule};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Model, PipelineId};
use crate::resolve::code;
use crate::resolve::report::error;

/// Reports calls of `retry` where there is nothing to run again.
pub(super) fn check_retries(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    if model.pipelines.is_empty() {
        return;
    }
    let mut reported = BTreeSet::new();
    for (operation, runs) in schedule.runs_by_operation() {
        let effects = effects_of(model, operation);
        for (pipeline, effect) in retries(&effects) {
            let is_inside = |run: &Run| run.bound.is_some_and(|bound| bound.stage.pipeline == pipeline);
            if let Some(run) = runs.iter().find(|run| !is_inside(run))
                && reported.insert((effect.span, operation))
            {
                diagnostics.push(outside((model, schedule), pipeline, run, (&effects, effect)));
            }
        }
    }
    if let Some(handler) = model.memory_fault {
        let effects = effects_of_function(model, handler);
        for (_, effect) in retries(&effects) {
            let message = "`retry` in `memory_fault`, where no instruction is left to go on";
            let diagnostic = error(code::RETRY_OUTSIDE, effect.span, message, "nothing runs again");
            let handler = &model.functions[handler.index()];
            let diagnostic = effects
                .along(effect, diagnostic)
                .secondary(handler.span, "the instruction that faulted is abandoned")
                .help("let it `flush` what came behind, and set the PC to where it goes on");
            diagnostics.push(diagnostic);
        }
    }
}

fn retries(effects: &Effects) -> impl Iterator<Item = (PipelineId, &Effect)> {
    effects.list.iter().filter_map(|effect| match effect.what {
        What::Retry(pipeline) => Some((pipeline, effect)),
        What::Write(_) | What::Read(_) | What::Touch(_) | What::Control => None,
    })
}

fn outside(
    (model, schedule): (&Model, &Schedule),
    pipeline: PipelineId,
    run: &Run,
    (effects, effect): (&Effects, &Effect),
) -> Diagnostic {
    let declared = &model.pipelines[pipeline.index()];
    let operation = &model.operations[run.operation.index()];
    let message =
        format!("`retry` of `{}` in `{}`, which is in none of its stages", declared.name, operation.name);
    let diagnostic = error(code::RETRY_OUTSIDE, effect.span, message, "no stage to run again");
    let diagnostic = effects.along(effect, diagnostic);
    let diagnostic = match run.bound {
        Some(bound) => diagnostic.secondary(bound.span, reason(model, run, bound)),
        None if Some(run.operation) == model.reset => {
            diagnostic.secondary(operation.span, "runs before the first cycle, for no instruction")
        }
        None => diagnostic.secondary(operation.span, "has no IN, and nothing in a stage decodes it"),
    };
    let diagnostic = diagnostic.secondary(declared.span, "the pipeline");
    let own = run.bound.map(|bound| &model.pipelines[bound.stage.pipeline.index()].name);
    let stage = declared.stages.get(earliest_stage(schedule, run, pipeline));
    match (Some(run.operation) == model.reset, own, stage) {
        (false, Some(own), _) => diagnostic.help(format!(
            "write `{own}.retry()`: what runs again is what the instruction does in its own stage"
        )),
        (false, None, Some(stage)) => diagnostic.help(format!(
            "bind it to a stage, as `OPERATION {} IN {}.{}`",
            operation.name, declared.name, stage.name
        )),
        _ => diagnostic.help("`retry` belongs to operations that run in a stage"),
    }
}

/// The earliest stage of a pipeline that an operation may be bound to, by number: that of the latest of what activates
/// it, or the first.
fn earliest_stage(schedule: &Schedule, run: &Run, pipeline: PipelineId) -> usize {
    let leading = schedule.steps.iter().filter(|step| schedule.runs[step.to].operation == run.operation);
    let stages = leading.filter_map(|step| schedule.runs[step.from].bound).map(|bound| bound.stage);
    let stages = stages.filter(|stage| stage.pipeline == pipeline).map(|stage| stage.stage as usize);
    stages.max().unwrap_or(0)
}
