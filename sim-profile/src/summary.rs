//! The sums of a measurement.

use std::collections::BTreeMap;

use crate::measurement::count;
use crate::{Accesses, CacheLines, Measurement};

/// The figures of a whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Instructions that ran to their end.
    pub executed: u64,
    /// Instructions that were decoded and then cancelled.
    pub cancelled: u64,
    /// Instructions at fault, decoded or not.
    pub faulted: u64,
    /// Instructions that were decoded and still in flight when the run was over.
    pub unfinished: u64,
    /// Instructions that were never decoded and not at fault.
    pub undecoded: u64,
    /// Cycles in which no instruction began, extra cycles left out.
    pub idle_cycles: u64,
    /// Cycles begun, extra cycles left out.
    pub cycles: u64,
    /// Extra cycles.
    pub extra_cycles: u64,
    /// Both together.
    pub total_cycles: u64,
    /// Accesses of all executed instructions to all resources.
    pub accesses: Accesses,
}

impl Summary {
    /// Adds a measurement up.
    pub fn of(measurement: &Measurement) -> Summary {
        let mut summary = Summary {
            undecoded: measurement.undecoded,
            cycles: measurement.cycles,
            extra_cycles: measurement.extra_cycles,
            total_cycles: measurement.cycles.saturating_add(measurement.extra_cycles),
            ..Summary::default()
        };
        for record in measurement.instructions.values() {
            count(&mut summary.executed, record.executed);
            count(&mut summary.cancelled, record.cancelled);
            count(&mut summary.faulted, record.faulted);
            count(&mut summary.unfinished, record.unfinished);
            record.accesses.values().for_each(|&accesses| summary.accesses.add(accesses));
        }
        for &faults in measurement.undecoded_faults.values() {
            count(&mut summary.faulted, faults);
        }
        summary.idle_cycles = summary.cycles.saturating_sub(summary.begun());
        summary
    }

    /// Instructions that have begun, whatever became of them.
    pub fn begun(&self) -> u64 {
        let Summary { executed, cancelled, faulted, unfinished, undecoded, .. } = *self;
        [executed, cancelled, faulted, unfinished, undecoded].into_iter().fold(0, u64::saturating_add)
    }
}

/// Lines touched by cache number, of all instructions and of operation `reset`. Every cache of the
/// model is listed, untouched ones too.
pub fn cache_totals(measurement: &Measurement) -> BTreeMap<u32, CacheLines> {
    let caches = (0..).zip(&measurement.tables.caches);
    let mut totals: BTreeMap<u32, CacheLines> =
        caches.map(|(number, _)| (number, CacheLines::default())).collect();
    for (&(_, cache), &lines) in &measurement.lines {
        totals.entry(cache).or_default().add(lines);
    }
    totals
}

/// Accesses by resource number, of all executed instructions. Every resource of the model is
/// listed, untouched ones too.
pub fn resource_totals(measurement: &Measurement) -> BTreeMap<u32, Accesses> {
    let mut totals: BTreeMap<u32, Accesses> =
        (0..).zip(&measurement.tables.resources).map(|(number, _)| (number, Accesses::default())).collect();
    for record in measurement.instructions.values() {
        for (&(_, resource), &accesses) in &record.accesses {
            totals.entry(resource).or_default().add(accesses);
        }
    }
    totals
}
