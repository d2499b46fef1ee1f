//! Use of resources, and which instructions use them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::instruction_set::InstructionSet;
use super::number::Count;
use crate::{Accesses, Measurement};

/// Registers, register files, maps; caches; events.
#[derive(Serialize)]
pub(super) struct Resources {
    /// Name, whether it is a map, reads, writes, executes; in the model's order.
    resources: Vec<(String, bool, Count, Count, Count)>,
    /// Number of the instruction, of the resource; reads, writes, executes.
    by_instruction: Vec<(usize, u32, Count, Count, Count)>,
    /// Name, hits, misses, lines written back.
    caches: Vec<(String, Count, Count, Count)>,
    /// Name, how often.
    events: Vec<(String, Count)>,
}

/// Those of a run.
pub(super) fn resources_of(measurement: &Measurement, set: &InstructionSet) -> Resources {
    let tables = &measurement.tables;
    let mut totals: BTreeMap<u32, Accesses> = BTreeMap::new();
    let mut by_instruction: BTreeMap<(usize, u32), Accesses> = BTreeMap::new();
    for record in measurement.instructions.values() {
        for (&(_, resource), accesses) in &record.accesses {
            totals.entry(resource).or_default().add(*accesses);
            for &number in set.numbers_of(&record.name) {
                by_instruction.entry((number, resource)).or_default().add(*accesses);
            }
        }
    }
    let resources = (0..).zip(&tables.resources).map(|(number, name)| {
        let Accesses { reads, writes, executes } = totals.get(&number).copied().unwrap_or_default();
        (name.clone(), tables.is_map(number), Count(reads), Count(writes), Count(executes))
    });
    let touched = by_instruction.into_iter().map(|((instruction, resource), accesses)| {
        let Accesses { reads, writes, executes } = accesses;
        (instruction, resource, Count(reads), Count(writes), Count(executes))
    });
    let caches = (0..).zip(&tables.caches).map(|(number, name)| {
        let mut sum = crate::CacheLines::default();
        let of_cache = measurement.lines.iter().filter(|((_, cache), _)| *cache == number);
        of_cache.for_each(|(_, lines)| sum.add(*lines));
        (name.clone(), Count(sum.hits), Count(sum.misses), Count(sum.write_backs))
    });
    let events = measurement.events.iter().map(|(name, count)| (name.clone(), Count(*count)));
    Resources {
        resources: resources.collect(),
        by_instruction: touched.collect(),
        caches: caches.collect(),
        events: events.collect(),
    }
}
