//! What a debugger tells of a run in words.

use std::fmt::Write as _;

use isac_ir::Model;
use isac_ir::time::StageId;
use sim_profile::report::render_text;
use sim_runtime::inspection::Flying;
use sim_runtime::trace::Waiting;

use crate::debugger::Debugger;
use crate::stall::stage_name;

const UNKNOWN: &str = "this engine does not tell what is in flight; take --engine reference\n";

/// What stands in which stage, and which stages stand still: a line for each instruction in flight,
/// the oldest first.
pub fn show_pipeline(debugger: &Debugger<'_>) -> String {
    let Some(flying) = debugger.engine.flying() else { return UNKNOWN.to_owned() };
    let model = debugger.model();
    let mut text = String::new();
    if flying.instructions.is_empty() {
        text += "no instruction is in flight\n";
    }
    for instruction in &flying.instructions {
        let address = debugger.info().format_address(instruction.address);
        let what = match &instruction.decoded {
            Some(decoded) => decoded.text.as_ref().unwrap_or(&decoded.name),
            None => "not decoded yet",
        };
        let next = flying.pending.iter().find(|waiting| waiting.activation.id == instruction.id);
        let stage = next.and_then(|waiting| waiting.activation.stage);
        let stage = stage.map_or("-", |stage| name_of(model, stage));
        line(&mut text, format_args!("{:>8}  {address}  next {stage:<6}  {what}", instruction.id));
    }
    for (number, cycles) in &flying.standing {
        let name = stage_name(model, *number);
        line(&mut text, format_args!("stage {name} stands for {cycles} cycles"));
    }
    text
}

/// What is scheduled, in running order.
pub fn show_pending(debugger: &Debugger<'_>) -> String {
    let Some(Flying { pending, .. }) = debugger.engine.flying() else { return UNKNOWN.to_owned() };
    let model = debugger.model();
    let mut text = String::new();
    if pending.is_empty() {
        text += "nothing is scheduled\n";
    }
    for Waiting { activation, cycles } in &pending {
        let name = activation.name(model);
        let stage = activation.stage.map(|stage| format!(" in {}", name_of(model, stage)));
        let stage = stage.unwrap_or_default();
        line(&mut text, format_args!("in {cycles} cycles: {name}{stage}, of instruction {}", activation.id));
    }
    text
}

/// The sums of the run so far; within an instruction, or a cycle, those of before it.
pub fn show_profile(debugger: &mut Debugger<'_>) -> String {
    let engine = &mut debugger.engine;
    let measurement = match &debugger.inside {
        None => engine.measurement(),
        Some(position) => engine.save().and_then(|here| {
            engine.take_up(&position.before.engine);
            let measurement = engine.measurement();
            engine.take_up(&here);
            measurement
        }),
    };
    match measurement {
        Some(measurement) => render_text(&measurement),
        None => "the engine was made without a profile\n".to_owned(),
    }
}

fn name_of(model: &Model, stage: StageId) -> &str {
    let pipeline = model.pipelines.get(stage.pipeline as usize);
    pipeline.and_then(|pipeline| pipeline.stages.get(stage.stage as usize)).map_or("-", |stage| &stage.name)
}

/// Adds a line to a text.
pub(crate) fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // A `String` takes every write.
    let _ = writeln!(text, "{words}");
}
