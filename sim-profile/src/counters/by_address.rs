//! Counts of events by the addresses at which they happened.

use std::collections::BTreeMap;

use super::uncounted::Uncounted;
use super::{CountedEvent, LineEvent};
use crate::measurement::count;
use crate::spent::spent_by_address;
use crate::{Accesses, Measurement};

/// Events by address, ascending; what has no address is under `None`.
type ByAddress = BTreeMap<Option<u64>, u64>;

/// An event's counts; those of the model's own events have no address at all.
pub(super) fn by_address(measurement: &Measurement, event: &CountedEvent) -> Result<ByAddress, Uncounted> {
    match event {
        CountedEvent::Cycles
        | CountedEvent::Stalls
        | CountedEvent::StallsOfStage
        | CountedEvent::StallsOfMiss
        | CountedEvent::StallsOfRetry
        | CountedEvent::StallsOfOccupied
        | CountedEvent::ExtraCycles => Ok(spent(measurement, event)),
        CountedEvent::Lines(what, cache) => lines(measurement, *what, cache.as_deref()),
        CountedEvent::Taken => {
            let taken = measurement.transfers.iter().map(|((from, _), times)| (Some(*from), *times));
            Ok(summed(taken))
        }
        CountedEvent::Faulted => Ok(faulted(measurement)),
        CountedEvent::Model(_) => Err(Uncounted::WithoutAddress(event.clone())),
        CountedEvent::Instructions
        | CountedEvent::Cancelled
        | CountedEvent::Loads
        | CountedEvent::Stores
        | CountedEvent::Fetches => Ok(summed(measurement.instructions.iter().map(|(key, record)| {
            let times = match event {
                CountedEvent::Instructions => record.executed,
                CountedEvent::Cancelled => record.cancelled,
                _ => {
                    let maps = record.accesses.iter();
                    let maps = maps.filter(|((_, resource), _)| measurement.tables.is_map(*resource));
                    let mut sum = Accesses::default();
                    maps.for_each(|(_, accesses)| sum.add(*accesses));
                    match event {
                        CountedEvent::Loads => sum.reads,
                        CountedEvent::Stores => sum.writes,
                        _ => sum.executes,
                    }
                }
            };
            (Some(key.address), times)
        }))),
    }
}

fn spent(measurement: &Measurement, event: &CountedEvent) -> ByAddress {
    let all = spent_by_address(measurement).into_iter();
    let of = all.map(|(address, spent)| {
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
