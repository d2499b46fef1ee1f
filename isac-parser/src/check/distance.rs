//! Instructions walk the stages forwards, one after the other.
//!
//! The total delay of what is scheduled is its DELAY and the distance in stages. A negative
//! distance is wrong whatever the DELAY: it would be a way back. While one bridges a stage,
//! a stall, a retry or a flush of the stage in between does not see the instruction: it is warned of.

use std::collections::{BTreeMap, BTreeSet};

use super::schedule::{Bound, Run, Schedule, Step, Way};
use super::walk::{Met, walk_statements};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Expr, ExprKind, Model, Operation, OperationId, StageId};
use crate::resolve::code;
use crate::resolve::report::{count, error, warning};
use crate::source::Span;

/// Reports what leads back to an earlier stage, and operands that are not in their parent's.
pub(super) fn check_distances(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    // One IN is wrong for all that mention the operand.
    let mut operands: BTreeMap<OperationId, Vec<&Step>> = BTreeMap::new();
    let mut back: BTreeMap<OperationId, Vec<&Step>> = BTreeMap::new();
    // What is reached from an earlier stage, too, has an IN that is right.
    let mut is_right = BTreeSet::new();
    for step in &schedule.steps {
        let to = schedule.runs[step.to].operation;
        let is_operand = model.operations[to.index()].expression.is_some();
        match step.way {
            Way::Decoded { .. } if is_operand => {
                if is_elsewhere(model, schedule, step) {
                    operands.entry(to).or_default().push(step);
                }
            }
            Way::Decoded { is_taken: true, .. } => {}
            Way::Decoded { .. } | Way::Activated { .. } if schedule.distance(step) < 0 => {
                back.entry(to).or_default().push(step);
            }
            Way::Decoded { .. } => {}
            Way::Activated { .. } => {
                is_right.insert(to);
            }
        }
    }
    for (to, steps) in &back {
        let parents = parents(schedule, steps);
        let is_activated = steps.iter().all(|step| matches!(step.way, Way::Activated { .. }));
        if is_activated && parents.len() >= SEVERAL && !is_right.contains(to) {
            diagnostics.extend(early(model, schedule, steps, &parents));
            continue;
        }
        let mut reported = BTreeSet::new();
        let steps = steps.iter().filter(|step| reported.insert(place_of(step)));
        diagnostics.extend(steps.filter_map(|step| backwards(model, schedule, step)));
    }
    diagnostics.extend(operands.values().filter_map(|steps| operand(model, schedule, steps)));
    if let Some(reset) = model.reset
        && let Some((_, span)) = model.operations[reset.index()].stage
    {
        let message = "`reset` runs before the first cycle, in no stage";
        let help = "take its IN away; `reset` may write the registers of every stage";
        diagnostics.push(error(code::MISPLACED_IN, span, message, "no stage here").help(help));
    }
}

/// So many operations that all activate one in an earlier stage are not wrong: its IN is.
const SEVERAL: usize = 3;

fn place_of(step: &Step) -> Span {
    match step.way {
        Way::Decoded { span, .. } | Way::Activated { span, .. } => span,
    }
}

/// The message for a step that leads back.
fn backwards(model: &Model, schedule: &Schedule, step: &Step) -> Option<Diagnostic> {
    let distance = schedule.distance(step);
    let (from, to) = (&schedule.runs[step.from], &schedule.runs[step.to]);
    let (early, late) = (to.bound?, from.bound?);
    let [upper, lower] = [from, to].map(|run| &model.operations[run.operation.index()].name);
    let [early_name, late_name] = [early, late].map(|bound| stage_name(model, bound.stage));
    let back = format!("leads back by {}", count(distance.unsigned_abs(), "stage"));
    let diagnostic = match step.way {
        Way::Decoded { span, .. } => {
            let message = format!(
                "`{lower}` in stage {early_name} is decoded by `{upper}` in the later stage {late_name}"
            );
            error(code::NEGATIVE_DISTANCE, early.span, message, back)
                .secondary(span, format!("decoded here, by `{upper}`"))
                .secondary(late.span, reason(model, from, late))
                .help("what is decoded runs in the stage of what decodes it, or in a later one")
        }
        Way::Activated { delay_cycles, span } => {
            let message = format!(
                "`{upper}` in stage {late_name} activates `{lower}` in the earlier stage {early_name}"
            );
            let diagnostic = error(code::NEGATIVE_DISTANCE, span, message, back)
                .secondary(late.span, reason(model, from, late))
                .secondary(early.span, reason(model, to, early));
            match delay_cycles {
                0 => diagnostic.help("an instruction walks the stages forwards; take the IN away from what runs in several stages"),
                _ => diagnostic.help("an instruction walks the stages forwards, and a DELAY does not lead it back"),
            }
        }
    };
    Some(diagnostic)
}

/// The message for an operation whose IN names an earlier stage than those of all that activate it.
fn early(model: &Model, schedule: &Schedule, steps: &[&Step], parents: &[OperationId]) -> Option<Diagnostic> {
    let step = steps.first()?;
    let (from, to) = (&schedule.runs[step.from], &schedule.runs[step.to]);
    let (early, late) = (to.bound?, from.bound?);
    let lower = &model.operations[to.operation.index()].name;
    let message = format!(
        "`{lower}` in stage {} is activated by {} operations in later stages",
        stage_name(model, early.stage),
        parents.len()
    );
    let diagnostic = error(code::NEGATIVE_DISTANCE, early.span, message, "each of them leads back to it")
        .secondary(place_of(step), format!("activated by {}", list(model, parents)))
        .secondary(late.span, reason(model, from, late));
    Some(diagnostic.help("let its IN name a stage that is not before theirs, or take it away"))
}

/// True for an operand whose IN names another stage than its parent's.
fn is_elsewhere(model: &Model, schedule: &Schedule, step: &Step) -> bool {
    let (from, to) = (&schedule.runs[step.from], &schedule.runs[step.to]);
    let own = model.operations[to.operation.index()].stage;
    own.is_some_and(|(own, _)| from.bound.is_none_or(|bound| bound.stage != own))
}

/// The message for such an operand, with the steps that lead to it.
fn operand(model: &Model, schedule: &Schedule, steps: &[&Step]) -> Option<Diagnostic> {
    let step = steps.first()?;
    let (from, to) = (&schedule.runs[step.from], &schedule.runs[step.to]);
    let operand = &model.operations[to.operation.index()];
    let (own, span) = operand.stage?;
    let parents = parents(schedule, steps);
    let parent = &model.operations[from.operation.index()];
    let runs_with = match parents.len() {
        1 => format!("`{}`", parent.name),
        _ => "what mentions it".to_owned(),
    };
    let message = format!(
        "the operand `{}` runs with {runs_with}, not in stage {}",
        operand.name,
        stage_name(model, own)
    );
    let label = format!("an operand of {}", list(model, &parents));
    let diagnostic = error(code::MISPLACED_IN, span, message, "an operand has the stage of its parent")
        .secondary(place_of(step), label);
    let diagnostic = match from.bound {
        Some(bound) => diagnostic.secondary(bound.span, reason(model, from, bound)),
        None => diagnostic.secondary(parent.span, format!("`{}` is in no stage", parent.name)),
    };
    Some(diagnostic.help("take its IN away; an operation with an EXPRESSION is an operand"))
}

/// The operations that steps lead from, each once.
fn parents(schedule: &Schedule, steps: &[&Step]) -> Vec<OperationId> {
    let mut seen = BTreeSet::new();
    let parents = steps.iter().map(|step| schedule.runs[step.from].operation);
    parents.filter(|parent| seen.insert(*parent)).collect()
}

/// Most operations that a message names.
const MOST_NAMED: usize = 4;

/// Operations as a message names them: `a`, `b` and 3 more.
fn list(model: &Model, operations: &[OperationId]) -> String {
    let name = |id: &OperationId| format!("`{}`", model.operations[id.index()].name);
    let named: Vec<String> = operations.iter().take(MOST_NAMED).map(name).collect();
    match (operations.len().saturating_sub(MOST_NAMED), named.as_slice()) {
        (0, [before @ .., last]) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        (0, _) => named.join(", "),
        (more, _) => format!("{} and {more} more", named.join(", ")),
    }
}

/// Warns of what is scheduled past a stage, in a description that stalls, retries or flushes.
pub(super) fn check_bridges(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    let Some(held) = first_service(model) else { return };
    let (mut met, mut reported) = (BTreeSet::new(), BTreeSet::new());
    let mut activated = None;
    for step in &schedule.steps {
        let (delay_cycles, schedules) = match step.way {
            Way::Decoded { is_taken: true, .. } => continue,
            Way::Decoded { .. } => (0, "decodes"),
            Way::Activated { delay_cycles, .. } => (delay_cycles, "activates"),
        };
        let (from, to) = (&schedule.runs[step.from], &schedule.runs[step.to]);
        let Some(bound) = to.bound else { continue };
        let total = schedule.distance(step) + i64::from(delay_cycles);
        // Of a group's members, one stands for all that are in its stage.
        let place = (place_of(step), bound.stage);
        if total < 2 || reported.contains(&place) || !met.insert((step.from, place)) {
            continue;
        }
        let activated = activated.get_or_insert_with(|| find_activated(schedule));
        if delay_cycles == 0 && is_shown_between((schedule, activated), step, bound.stage) {
            continue;
        }
        reported.insert(place);
        let [upper, lower] = [from, to].map(|run| &model.operations[run.operation.index()].name);
        let cycles = count(total.unsigned_abs(), "cycle");
        let message = format!("`{upper}` {schedules} `{lower}` {cycles} ahead");
        let label = "in between nothing shows where the instruction is";
        let mut diagnostic = warning(code::LONG_ACTIVATION, place_of(step), message, label)
            .secondary(bound.span, reason(model, to, bound));
        if let Some(bound) = from.bound {
            diagnostic = diagnostic.secondary(bound.span, reason(model, from, bound));
        }
        diagnostic = diagnostic
            .secondary(held, "this sees instructions by the stages that they are in")
            .help("lead from stage to stage, each operation activated from the stage before its own");
        diagnostics.push(diagnostic);
    }
}

/// True if something that the same run decodes is in each stage between its own and one, whatever is decoded: the usual
/// shape of a format, whose opcode runs in the stage between.
fn is_shown_between(
    (schedule, activated): (&Schedule, &BTreeSet<(OperationId, StageId)>),
    bridge: &Step,
    last: StageId,
) -> bool {
    let first = schedule.runs[bridge.from].bound.filter(|first| first.stage.pipeline == last.pipeline);
    let Some(first) = first else { return false };
    let mut decoded: BTreeMap<Span, Vec<&Step>> = BTreeMap::new();
    for step in schedule.steps.iter().filter(|step| step.from == bridge.from) {
        if let Way::Decoded { span, .. } = step.way {
            decoded.entry(span).or_default().push(step);
        }
    }
    let shows = |step: &&Step, stage: StageId| match step.way {
        Way::Decoded { is_taken: true, .. } => activated.contains(&(schedule.runs[step.to].operation, stage)),
        _ => schedule.runs[step.to].bound.is_some_and(|bound| bound.stage == stage),
    };
    let mut between = (first.stage.stage + 1..last.stage).map(|stage| StageId { stage, ..last });
    between.all(|stage| decoded.values().any(|steps| steps.iter().all(|step| shows(step, stage))))
}

/// What is activated, with the stages that it runs in then.
fn find_activated(schedule: &Schedule) -> BTreeSet<(OperationId, StageId)> {
    let activated = schedule.steps.iter().filter(|step| matches!(step.way, Way::Activated { .. }));
    let runs = activated.map(|step| &schedule.runs[step.to]);
    runs.filter_map(|run| Some((run.operation, run.bound?.stage))).collect()
}

/// Where the description stalls, retries or flushes first.
fn first_service(model: &Model) -> Option<Span> {
    let mut first = None;
    let behaviors = model.operations.iter().filter_map(|operation| operation.behavior.as_ref());
    for body in behaviors.chain(model.functions.iter().map(|function| &function.body)) {
        walk_statements(&body.statements, &mut |met| {
            if let Met::Expr(Expr { kind, span, .. }) = met
                && matches!(kind, ExprKind::Stall { .. } | ExprKind::Retry(_) | ExprKind::Flush(_))
                && first.is_none_or(|first| *span < first)
            {
                first = Some(*span);
            }
        });
    }
    first
}

/// A stage as messages name it: with its pipeline where there are several.
pub(super) fn stage_name(model: &Model, stage: StageId) -> String {
    let pipeline = &model.pipelines[stage.pipeline.index()];
    let name = &pipeline.stages[stage.stage as usize].name;
    if model.pipelines.len() == 1 { name.clone() } else { format!("{}.{name}", pipeline.name) }
}

/// Why a run is in its stage: what stands at the IN.
pub(super) fn reason(model: &Model, run: &Run, bound: Bound) -> String {
    let name = |operation: &Operation| format!("`{}`", operation.name);
    let runs = name(&model.operations[run.operation.index()]);
    let stage = stage_name(model, bound.stage);
    if bound.operation == run.operation {
        return format!("{runs} runs in stage {stage}");
    }
    let above = name(&model.operations[bound.operation.index()]);
    format!("{runs} runs in stage {stage} as does {above}, which decodes it")
}
