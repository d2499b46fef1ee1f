//! Where the cycles went.

use std::collections::BTreeMap;

use serde::Serialize;

use super::instruction_set::InstructionSet;
use super::number::Count;
use crate::coverage::format_percent;
use crate::{LostCause, LostReason, Measurement, ModelTables};

/// Lost cycles and stages.
#[derive(Serialize)]
pub(super) struct Time {
    /// Reason, cache, operation, stage, cycles, share of all cycles in percent.
    lost: Vec<(&'static str, String, String, String, Count, String)>,
    /// Number of the instruction, of the cause above; cycles.
    lost_by_instruction: Vec<(usize, usize, Count)>,
    /// Name, cycles occupied, cycles standing, occupied in percent.
    stages: Vec<(String, Count, Count, String)>,
}

/// As the element `time` has them.
pub(super) fn time_of(measurement: &Measurement, set: &InstructionSet) -> Time {
    let tables = &measurement.tables;
    let total = measurement.cycles.saturating_add(measurement.extra_cycles);
    let lost = measurement.lost();
    let numbers: BTreeMap<&LostCause, usize> = lost.keys().zip(0..).collect();
    let mut by_instruction: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for record in measurement.instructions.values() {
        for (cause, &cycles) in &record.overhead.lost {
            let Some(&cause) = numbers.get(cause) else { continue };
            for &number in set.numbers_of(&record.name) {
                let sum = by_instruction.entry((number, cause)).or_default();
                *sum = sum.saturating_add(cycles);
            }
        }
    }
    let stages = (0..).zip(&measurement.occupancy).map(|(number, cycles)| {
        let percent = format_percent(cycles.occupied, measurement.cycles);
        (tables.stage_name(number), Count(cycles.occupied), Count(cycles.standing), percent)
    });
    Time {
        lost_by_instruction: by_instruction.into_iter().map(|((i, cause), n)| (i, cause, Count(n))).collect(),
        stages: stages.collect(),
        lost: lost.iter().map(|(cause, &cycles)| lost_row(cause, cycles, total, tables)).collect(),
    }
}

fn lost_row(
    cause: &LostCause,
    cycles: u64,
    total: u64,
    tables: &ModelTables,
) -> (&'static str, String, String, String, Count, String) {
    let (reason, cache) = match cause.reason {
        LostReason::Stall => ("stall", String::new()),
        LostReason::CacheMiss(cache) => ("cache_miss", tables.cache_name(cache)),
        LostReason::Retry => ("retry", String::new()),
        LostReason::Occupied => ("occupied", String::new()),
    };
    let (operation, stage) = (tables.operation_name(cause.operation), tables.stage_name(cause.stage));
    (reason, cache, operation, stage, Count(cycles), format_percent(cycles, total))
}
