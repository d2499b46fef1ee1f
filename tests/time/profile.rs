//! Where a case says that cycles went, and what of that every trace tells as well.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_profile::{LostCause, LostReason, Measurement, Overhead, StageCycles};
use sim_runtime::trace::{CycleTrace, MainTrace};

/// The lines `lost` and `stage` of a case.
pub(crate) fn print_profile(measurement: &Measurement) -> String {
    let mut lost: BTreeMap<Option<u64>, Overhead> = measurement.overheads.clone();
    for (key, record) in &measurement.instructions {
        lost.entry(Some(key.address)).or_default().add(&record.overhead);
    }
    let lines = lost.iter().flat_map(|(address, overhead)| {
        let address = address.map_or("-".to_owned(), |address| format!("{address:#x}"));
        overhead.lost.iter().map(move |(cause, cycles)| print_lost(measurement, cause, *cycles, &address))
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    let stages = (0..).zip(&measurement.occupancy).map(|(number, cycles)| {
        let StageCycles { occupied, standing } = cycles;
        format!("stage {} {occupied} {standing}\n", short_stage(measurement, number))
    });
    lines.into_iter().chain(stages).collect()
}

fn print_lost(measurement: &Measurement, cause: &LostCause, cycles: u64, address: &str) -> String {
    let LostCause { reason, operation, stage } = *cause;
    let reason = match reason {
        LostReason::Stall => "stall".to_owned(),
        LostReason::CacheMiss(cache) => format!("miss {}", measurement.tables.cache_name(cache)),
        LostReason::Retry => "retry".to_owned(),
        LostReason::Occupied => "occupied".to_owned(),
    };
    let operation = measurement.tables.operation_name(operation);
    format!("lost {cycles} {reason} {operation} {} {address}\n", short_stage(measurement, stage))
}

fn short_stage(measurement: &Measurement, stage: u32) -> String {
    let name = measurement.tables.stage_name(stage);
    name.rsplit('.').next().unwrap_or_default().to_owned()
}

/// What is lost to a stage that stands, and to what is due in it, is so in the trace, and so are the
/// stages that instructions are in.
pub(crate) fn check_profile(cycles: &[CycleTrace], measurement: &Measurement, model: &Model) {
    let (mut stands, mut waits) = (0, 0);
    for (cause, lost) in measurement.lost() {
        match cause.reason {
            LostReason::Stall | LostReason::CacheMiss(_) => stands += lost,
            LostReason::Retry | LostReason::Occupied => waits += lost,
        }
    }
    let count =
        |fits: &dyn Fn(&MainTrace) -> bool| cycles.iter().filter(|cycle| fits(&cycle.main)).count() as u64;
    assert_eq!(stands, count(&|main| matches!(main, MainTrace::Stands(_))), "lost to stalls");
    assert_eq!(waits, count(&|main| matches!(main, MainTrace::Waits(_))), "lost to what is due");
    let mut occupied = vec![0; measurement.occupancy.len()];
    for cycle in cycles {
        let runs = cycle.runs.iter().map(|run| run.activation);
        let waiting = cycle.held.iter().chain(&cycle.pending).filter(|waiting| waiting.cycles == 0);
        let waiting = waiting.chain(&cycle.put_back).map(|waiting| waiting.activation);
        let mut stages: Vec<_> = runs.chain(waiting).filter_map(|activation| activation.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        stages.into_iter().for_each(|stage| occupied[model.stage_number(stage) as usize] += 1);
    }
    let found: Vec<u64> = measurement.occupancy.iter().map(|stage| stage.occupied).collect();
    assert_eq!(found, occupied, "cycles of stages");
}
