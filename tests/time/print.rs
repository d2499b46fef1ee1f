//! A cycle as text, in the format of the cases.

use isac_ir::Model;
use isac_ir::time::StageId;
use sim_runtime::trace::{Act, CycleTrace, MainTrace, RunTrace, Waiting};
use sim_runtime::{AccessKind, Fault, FaultKind};

/// The lines of one cycle.
pub(crate) fn print_cycle(trace: &CycleTrace, model: &Model) -> String {
    let mut lines = vec![format!("cycle {}", trace.number)];
    let mut runs = trace.runs.iter();
    lines.push(match trace.main {
        MainTrace::Began(id) => format!("  main {id}{}", acts(runs.next(), model)),
        MainTrace::Stands(stage) => format!("  no main: {} stands", stage_name(stage, model)),
        MainTrace::Waits(waiting) => {
            format!("  no main: {} of {} is due", waiting.name(model), waiting.id)
        }
        MainTrace::Over => "  no main".to_owned(),
    });
    for run in runs {
        let (name, id) = (run.activation.name(model), run.activation.id);
        lines.push(format!("  run {name} {id}{}", acts(Some(run), model)));
    }
    for Waiting { activation, .. } in &trace.held {
        lines.push(format!("  hold {} {}", activation.name(model), activation.id));
    }
    if !trace.pending.is_empty() {
        lines.push(format!("  pending {}", pending(trace, model)));
    }
    lines.extend(list("  end", &trace.ended));
    lines.extend(list("  cancelled", &trace.cancelled));
    for (id, fault) in &trace.faulted {
        let (kind, address) = describe(fault);
        lines.push(format!("  fault {id} {kind} {address:#x}"));
    }
    if let Some(status) = trace.halt {
        lines.push(format!("  halt {status}"));
    }
    lines.join("\n") + "\n"
}

fn list(word: &str, ids: &[u64]) -> Option<String> {
    let ids: String = ids.iter().map(|id| format!(" {id}")).collect();
    (!ids.is_empty()).then(|| format!("{word}{ids}"))
}

fn acts(run: Option<&RunTrace>, model: &Model) -> String {
    let acts = run.into_iter().flat_map(|run| &run.acts);
    acts.map(|act| format!(" {}", print_act(act, model))).collect()
}

fn print_act(act: &Act, model: &Model) -> String {
    match act {
        Act::Stall { stage, cycles } => format!("stall {} {cycles}", stage_name(*stage, model)),
        Act::Flush { stage, cancelled } => {
            let flush = format!("flush {}", stage_name(*stage, model));
            list(&format!("{flush} cancels"), cancelled).unwrap_or(flush)
        }
        Act::Retry => "retry".to_owned(),
        Act::Cancel => "cancel".to_owned(),
        Act::Halt => "halt".to_owned(),
        Act::Fault => "fault".to_owned(),
    }
}

fn pending(trace: &CycleTrace, model: &Model) -> String {
    let mut ids: Vec<u64> = trace.pending.iter().map(|waiting| waiting.activation.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let entries = trace.pending.iter().map(|Waiting { activation, cycles }| {
        let rank = ids.iter().position(|id| *id == activation.id).expect("it is one of them");
        format!("{}+{cycles} #{rank}", activation.name(model))
    });
    entries.collect::<Vec<String>>().join(", ")
}

fn stage_name(stage: StageId, model: &Model) -> &str {
    &model.pipelines[stage.pipeline as usize].stages[stage.stage as usize].name
}

fn describe(fault: &Fault) -> (&'static str, u64) {
    match fault.kind {
        FaultKind::IllegalInstruction => ("illegal", fault.instruction_address),
        FaultKind::Memory { access: AccessKind::Read, address } => ("read", address),
        FaultKind::Memory { access: AccessKind::Write, address } => ("write", address),
        FaultKind::Memory { access: AccessKind::Fetch, address } => ("fetch", address),
        FaultKind::DivisionByZero => ("division", fault.instruction_address),
        FaultKind::RegisterIndex { .. } => ("index", fault.instruction_address),
    }
}
