//! Where the cycles went, as the report's elements.

use std::collections::BTreeMap;

use super::each::Each;
use super::element::{Addresses, Cause, Kind, Kinds, Lost, Place, Spent, Stage, Stages, Time};
use crate::coverage::format_percent;
use crate::spent::{self, spent_by_address, spent_by_instruction};
use crate::text::sanitize;
use crate::{LostCause, LostReason, Measurement, ModelTables};

/// Cycles by cause, stage, address and instruction of the set.
pub(super) fn time_of(measurement: &Measurement) -> Time<'_> {
    let tables = &measurement.tables;
    let mut addresses = spent_by_address(measurement);
    let other = addresses.remove(&None).unwrap_or_default();
    let place_of = |(address, spent): (Option<u64>, spent::Spent)| {
        Some(Place { address: tables.format_address(address?), spent: spent_of(&spent, tables) })
    };
    Time {
        lost: lost_of(&measurement.lost(), tables),
        stages: stages_of(measurement),
        addresses: Addresses { place: Each::of(addresses.into_iter().filter_map(place_of)) },
        other: spent_of(&other, tables),
        kinds: kinds_of(measurement),
    }
}

fn spent_of(spent: &spent::Spent, tables: &ModelTables) -> Spent {
    Spent {
        executed: spent.executed,
        begun: spent.begun,
        lost_cycles: spent.overhead.lost_cycles(),
        extra_cycles: spent.overhead.extra_cycles,
        cycles: spent.cycles(),
        cpi: spent.cpi(),
        lost: lost_of(&spent.overhead.lost, tables),
    }
}

/// Lost cycles by cause, in the causes' order.
pub(super) fn lost_of(lost: &BTreeMap<LostCause, u64>, tables: &ModelTables) -> Lost {
    let cause_of = |(cause, &cycles): (&LostCause, &u64)| {
        let LostCause { reason, operation, stage } = *cause;
        let (reason, cache) = match reason {
            LostReason::Stall => ("stall", String::new()),
            LostReason::CacheMiss(cache) => ("cache_miss", sanitize(&tables.cache_name(cache))),
            LostReason::Retry => ("retry", String::new()),
            LostReason::Occupied => ("occupied", String::new()),
        };
        let operation = sanitize(&tables.operation_name(operation));
        Cause { reason, cache, operation, stage: sanitize(&tables.stage_name(stage)), cycles }
    };
    Lost { cause: lost.iter().map(cause_of).collect() }
}

/// The stages, by number.
pub(super) fn stages_of(measurement: &Measurement) -> Stages {
    let stage_of = |(number, cycles): (u32, &crate::StageCycles)| Stage {
        name: sanitize(&measurement.tables.stage_name(number)),
        occupied: cycles.occupied,
        standing: cycles.standing,
        percent: format_percent(cycles.occupied, measurement.cycles),
    };
    Stages { stage: (0..).zip(&measurement.occupancy).map(stage_of).collect() }
}

/// In the model's order; what does not come there, behind, by name.
fn kinds_of(measurement: &Measurement) -> Kinds {
    let tables = &measurement.tables;
    let mut spent = spent_by_instruction(measurement);
    let known = tables.instructions.iter().filter_map(|name| Some((name.clone(), spent.remove(name)?)));
    let known: Vec<(String, spent::Spent)> = known.collect();
    let kind_of = |(name, spent): (String, spent::Spent)| Kind {
        name: sanitize(&name),
        spent: spent_of(&spent, tables),
    };
    Kinds { kind: known.into_iter().chain(spent).map(kind_of).collect() }
}
