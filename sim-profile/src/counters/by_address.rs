//! Counts of events by the addresses at which they happened.

use std::collections::{BTreeMap, BTreeSet};

use super::uncounted::Uncounted;
use super::{CountedEvent, LineEvent};
use crate::measurement::count;
use crate::spent::spent_by_address;
use crate::{AccessEvent, Accesses, Calls, InstructionRecord, Measurement, ModelTables};

/// Events by address, ascending; what has no address is under `None`.
type ByAddress = BTreeMap<Option<u64>, u64>;

/// An event's counts; those of the model's own events have no address at all.
///
/// Where calls were followed, cycles that were begun in vain are at the address that pays for them, as in all
/// reports by function.
pub(super) fn by_address(
    measurement: &Measurement,
    calls: Option<&Calls>,
    event: &CountedEvent,
) -> Result<ByAddress, Uncounted> {
    let of_records = |times: &dyn Fn(&InstructionRecord) -> u64| {
        summed(measurement.instructions.iter().map(|(key, record)| (Some(key.address), times(record))))
    };
    match event {
        CountedEvent::Cycles
        | CountedEvent::Stalls
        | CountedEvent::StallsOfStage
        | CountedEvent::StallsOfMiss
        | CountedEvent::StallsOfRetry
        | CountedEvent::StallsOfOccupied => Ok(spent(measurement, calls, event)),
        // It is no share of the cycles, but something that instructions do.
        CountedEvent::ExtraCycles => Ok(spent(measurement, None, event)),
        CountedEvent::Lines(what, cache) => lines(measurement, *what, cache.as_deref()),
        CountedEvent::Taken => {
            let taken = measurement.transfers.iter().map(|((from, _), times)| (Some(*from), *times));
            Ok(summed(taken))
        }
        CountedEvent::Faulted => Ok(faulted(measurement)),
        CountedEvent::Model(_) => Err(Uncounted::WithoutAddress(event.clone())),
        CountedEvent::Instructions => Ok(of_records(&|record| record.executed)),
        CountedEvent::Cancelled => Ok(of_records(&|record| record.cancelled)),
        CountedEvent::Accesses(kind, map) => {
            let maps = maps_of(&measurement.tables, map.as_deref())?;
            Ok(of_records(&|record| accesses(record, *kind, &maps)))
        }
    }
}

/// The numbers of the maps that a counter of accesses counts.
fn maps_of(tables: &ModelTables, map: Option<&str>) -> Result<BTreeSet<u32>, Uncounted> {
    let Some(name) = map else {
        return Ok(tables
            .map_names()
            .map(|(map, _)| map)
            .filter(|map| tables.reaches_memory(*map))
            .collect());
    };
    let found: BTreeSet<u32> =
        tables.map_names().filter(|(_, known)| *known == name).map(|(map, _)| map).collect();
    match found.is_empty() {
        false => Ok(found),
        true => {
            let known = tables.map_names().map(|(_, known)| known.to_owned()).collect();
            Err(Uncounted::Map(name.to_owned(), known))
        }
    }
}

fn accesses(record: &InstructionRecord, kind: AccessEvent, maps: &BTreeSet<u32>) -> u64 {
    let mut sum = Accesses::default();
    let of_maps = record.accesses.iter().filter(|((_, resource), _)| maps.contains(resource));
    of_maps.for_each(|(_, accesses)| sum.add(*accesses));
    match kind {
        AccessEvent::Read => sum.reads,
        AccessEvent::Write => sum.writes,
        AccessEvent::Execute => sum.executes,
    }
}

fn spent(measurement: &Measurement, calls: Option<&Calls>, event: &CountedEvent) -> ByAddress {
    let mut all = spent_by_address(measurement);
    if let Some(calls) = calls {
        calls.pay_in_vain(&mut all);
    }
    let of = all.into_iter().map(|(address, spent)| {
        let times = match event {
            CountedEvent::Cycles => spent.cycles(),
            CountedEvent::ExtraCycles => spent.overhead.extra_cycles,
            _ => {
                let lost = spent.overhead.lost.iter().filter(|(cause, _)| event.takes(cause.reason));
                lost.fold(0, |sum: u64, (_, cycles)| sum.saturating_add(*cycles))
            }
        };
        (address, times)
    });
    of.collect()
}

fn lines(measurement: &Measurement, what: LineEvent, cache: Option<&str>) -> Result<ByAddress, Uncounted> {
    let caches = &measurement.tables.caches;
    if let Some(cache) = cache
        && !caches.iter().any(|known| known == cache)
    {
        return Err(Uncounted::Cache(cache.to_owned(), caches.clone()));
    }
    if measurement.lines.is_empty() && !caches.is_empty() && measurement.tables.stages.is_empty() {
        return Err(Uncounted::NoCaches);
    }
    let is_asked = |number: u32| cache.is_none_or(|cache| measurement.tables.cache_name(number) == cache);
    let of = measurement.lines.iter().filter(|((_, number), _)| is_asked(*number));
    Ok(summed(of.map(|((address, _), lines)| {
        let times = match what {
            LineEvent::Hits => lines.hits,
            LineEvent::Misses => lines.misses,
            LineEvent::WriteBacks => lines.write_backs,
        };
        (*address, times)
    })))
}

fn faulted(measurement: &Measurement) -> ByAddress {
    let decoded = measurement.instructions.iter().map(|(key, record)| (Some(key.address), record.faulted));
    let others = measurement.undecoded_faults.iter().map(|(address, times)| (Some(*address), *times));
    summed(decoded.chain(others))
}

fn summed(counts: impl Iterator<Item = (Option<u64>, u64)>) -> ByAddress {
    let mut sums = ByAddress::new();
    counts.for_each(|(address, times)| count(sums.entry(address).or_default(), times));
    sums
}
