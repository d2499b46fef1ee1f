//! Counts of regions, derived from the exact profile.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{CountedEvent, LineEvent, Region};
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::program::render::FunctionNames;
use crate::spent::spent_by_address;
use crate::{Accesses, CallKey, Calls, FunctionCount, Measurement, Spending};

/// Why a region's events are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// The program has no such function.
    Function(String),
    /// Several functions have this name: their addresses.
    Ambiguous(String, Vec<u64>),
    /// The model has no such cache: those that it has.
    Cache(String, Vec<String>),
    /// Calls were not followed, and the region is one with calls.
    NoCalls,
    /// The event has no address, so that it is known of the whole run alone.
    WithoutAddress(CountedEvent),
    /// Some of what the function calls is called by others, too: whose events they are is not known.
    Shared {
        /// The function.
        function: String,
        /// One that it calls, and that ran without it.
        callee: String,
    },
    /// A function that is called has no symbol: the address.
    WithoutSymbols(u64),
}

impl fmt::Display for Uncounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uncounted::Function(name) => {
                write!(f, "no function is called `{name}`; name one of a file given by --image")
            }
            Uncounted::Ambiguous(name, starts) => {
                let starts: Vec<String> = starts.iter().map(|start| format!("{start:#x}")).collect();
                write!(
                    f,
                    "several functions are called `{name}`, at {}; write the address of one behind the name, \
                     as `{name} {}`",
                    starts.join(", "),
                    starts.first().map_or("", String::as_str)
                )
            }
            Uncounted::Cache(name, known) if known.is_empty() => {
                write!(f, "the model has no cache `{name}`, and no other; leave it out")
            }
            Uncounted::Cache(name, known) => {
                write!(f, "the model has no cache `{name}`; it has {}", known.join(", "))
            }
            Uncounted::NoCalls => f.write_str("calls were not followed; measure the run with --calls"),
            Uncounted::WithoutAddress(event) => {
                write!(f, "`{event}` has no address; count it in the whole run, by the region run")
            }
            Uncounted::Shared { function, callee } => write!(
                f,
                "`{callee}`, which `{function}` calls, ran without it, too; of functions with what they \
                 call, instructions and cycles are known alone"
            ),
            Uncounted::WithoutSymbols(address) => write!(
                f,
                "what is called at {address:#x} has no symbol; of functions with what they call, \
                 instructions and cycles are known alone"
            ),
        }
    }
}

impl std::error::Error for Uncounted {}

/// Events by address, ascending; what has no address is under `None`.
type ByAddress = BTreeMap<Option<u64>, u64>;

/// Counters of any events in any regions of one profile.
pub struct ExactCounters<'a> {
    profile: &'a ProgramProfile<'a>,
    names: FunctionNames<'a>,
    /// What was asked for before.
    known: RefCell<BTreeMap<CountedEvent, ByAddress>>,
}

impl<'a> ExactCounters<'a> {
    /// Counters of a profile.
    pub fn new(profile: &'a ProgramProfile<'a>) -> ExactCounters<'a> {
        let names = FunctionNames::of(profile.program);
        ExactCounters { profile, names, known: RefCell::new(BTreeMap::new()) }
    }

    /// How often an event happened in a region.
    ///
    /// # Errors
    /// That is not known, and why.
    pub fn count(&self, region: &Region, event: &CountedEvent) -> Result<u64, Uncounted> {
        match (region, event) {
            (Region::Run, CountedEvent::Model(name)) => {
                Ok(self.profile.measurement.events.get(name).copied().unwrap_or(0))
            }
            (_, CountedEvent::Model(_)) => Err(Uncounted::WithoutAddress(event.clone())),
            (Region::Run, _) => self.sum(event, |_| true),
            (Region::Addresses { first, last }, _) => {
                self.sum(event, |address| address.is_some_and(|address| (*first..=*last).contains(&address)))
            }
            (Region::Own(name), _) => {
                let number = self.function(name)?;
                self.sum(event, |address| self.profile.function_of(address) == number)
            }
            (Region::Inclusive(name), _) => self.count_inclusive(name, event),
        }
    }

    /// The only function of a name, which may be followed by its address.
    fn function(&self, name: &str) -> Result<u32, Uncounted> {
        let program = self.profile.program;
        let has_cells = |number: &u32| program.function_at(program.function(*number).start) == *number;
        let numbers = (0..program.functions().len() as u32).filter(has_cells);
        let is_called = |number: &u32| {
            let function = program.function(*number);
            function.name == name || function.symbol == name || self.names.number(*number) == name
        };
        let found: Vec<u32> = numbers.filter(is_called).collect();
        match found[..] {
            [number] => Ok(number),
            [] => Err(Uncounted::Function(name.to_owned())),
            _ => {
                let starts = found.into_iter().map(|number| program.function(number).start).collect();
                Err(Uncounted::Ambiguous(name.to_owned(), starts))
            }
        }
    }

    fn count_inclusive(&self, name: &str, event: &CountedEvent) -> Result<u64, Uncounted> {
        let function = self.function(name)?;
        let calls = self.profile.calls.ok_or(Uncounted::NoCalls)?;
        let start = self.profile.program.function(function).start;
        let FunctionCount { inclusive, .. } = calls.functions.get(&start).copied().unwrap_or_default();
        match event {
            CountedEvent::Instructions => Ok(inclusive.instructions),
            CountedEvent::Cycles => Ok(inclusive.cycles),
            _ => {
                let below = self.only_below(calls, start)?;
                self.sum(event, |address| below.contains(&self.profile.function_of(address)))
            }
        }
    }

    /// The functions that a function reaches by calls, if none of them ever ran without it: then all of
    /// their events are its own.
    ///
    /// While it was on the stack, one of them was on top. So what was spent while it was there is at
    /// most what all of them spent by themselves, and as much only if they never ran otherwise.
    fn only_below(&self, calls: &Calls, start: u64) -> Result<BTreeSet<u32>, Uncounted> {
        let reached = reached_from(calls, start);
        let of = |function: &u64| calls.functions.get(function).copied().unwrap_or_default();
        let (mut spent, mut numbers) = (Spending::default(), BTreeSet::new());
        for function in &reached {
            let number = self.profile.program.function_at(*function);
            let is_of = |address| self.profile.function_of(address) == number;
            // In code without symbols, functions are wherever calls lead.
            if self.sum(&CountedEvent::Instructions, is_of)? != of(function).own.instructions {
                return Err(Uncounted::WithoutSymbols(*function));
            }
            spent.add(of(function).own);
            numbers.insert(number);
        }
        if spent == of(&start).inclusive {
            return Ok(numbers);
        }
        let is_outside = |key: &CallKey| !reached.contains(&key.caller) && reached.contains(&key.callee);
        let from_outside = calls.arcs.keys().find(|key| is_outside(key) && key.callee != start);
        let callee = from_outside.map_or(start, |key| key.callee);
        Err(Uncounted::Shared { function: self.names.at(start), callee: self.names.at(callee) })
    }

    fn sum(&self, event: &CountedEvent, is_in: impl Fn(Option<u64>) -> bool) -> Result<u64, Uncounted> {
        if !self.known.borrow().contains_key(event) {
            let table = by_address(self.profile.measurement, event)?;
            self.known.borrow_mut().insert(event.clone(), table);
        }
        let known = self.known.borrow();
        let inside = known[event].iter().filter(|(address, _)| is_in(**address));
        Ok(inside.fold(0, |sum: u64, (_, times)| sum.saturating_add(*times)))
    }
}

/// A function and all that calls lead to from it.
fn reached_from(calls: &Calls, start: u64) -> BTreeSet<u64> {
    let mut callees: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for key in calls.arcs.keys() {
        callees.entry(key.caller).or_default().insert(key.callee);
    }
    let mut reached = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(function) = open.pop() {
        for callee in callees.get(&function).into_iter().flatten() {
            if reached.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    reached
}

/// An event's counts; those of the model's own events have no address at all.
fn by_address(measurement: &Measurement, event: &CountedEvent) -> Result<ByAddress, Uncounted> {
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
