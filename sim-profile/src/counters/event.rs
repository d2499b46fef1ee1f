//! Events that counters count, by their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{AccessEvent, LostReason};

/// What happens to lines of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineEvent {
    /// A line was there.
    Hits,
    /// A line was absent.
    Misses,
    /// A line had to be written back.
    WriteBacks,
}

/// An event that a counter counts.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(try_from = "String", into = "String")]
pub enum CountedEvent {
    /// Instructions that ran to their end.
    Instructions,
    /// Cycles that instructions took.
    Cycles,
    /// Reads of memory, writes to it or fetches from it by instructions that ran to their end: through one map,
    /// or through all that reach memory or devices.
    Accesses(AccessEvent, Option<String>),
    /// Jumps to anywhere but the successor.
    Taken,
    /// Instructions that were decoded and cancelled.
    Cancelled,
    /// Instructions at fault.
    Faulted,
    /// Cycles in which no instruction could begin.
    Stalls,
    /// Of these, those since a stage stood, by no cache's doing.
    StallsOfStage,
    /// Of these, those of misses of caches.
    StallsOfMiss,
    /// Of these, those of retries.
    StallsOfRetry,
    /// Of these, those in which the first stage was occupied.
    StallsOfOccupied,
    /// The model's `extra_cycles(n)`.
    ExtraCycles,
    /// Lines of a cache, or of all of them.
    Lines(LineEvent, Option<String>),
    /// The model's own `event("name")`.
    Model(String),
}

/// Names of the events that have no more than a name.
const PLAIN: [(&str, CountedEvent); 11] = [
    ("instructions", CountedEvent::Instructions),
    ("cycles", CountedEvent::Cycles),
    ("taken", CountedEvent::Taken),
    ("cancelled", CountedEvent::Cancelled),
    ("faulted", CountedEvent::Faulted),
    ("stalls", CountedEvent::Stalls),
    ("stalls.stage", CountedEvent::StallsOfStage),
    ("stalls.miss", CountedEvent::StallsOfMiss),
    ("stalls.retry", CountedEvent::StallsOfRetry),
    ("stalls.occupied", CountedEvent::StallsOfOccupied),
    ("extra_cycles", CountedEvent::ExtraCycles),
];

/// Names of accesses to memory; behind a point a map may be named.
const ACCESSES: [(&str, AccessEvent); 3] =
    [("loads", AccessEvent::Read), ("stores", AccessEvent::Write), ("fetches", AccessEvent::Execute)];

/// Names of what happens to lines; behind a point a cache may be named.
const LINES: [(&str, LineEvent); 3] =
    [("hits", LineEvent::Hits), ("misses", LineEvent::Misses), ("write_backs", LineEvent::WriteBacks)];

/// What stands before the name of a model's event.
const MODEL: &str = "event.";

impl CountedEvent {
    /// Whether no function has more of it than those that call it together: what a descent over the
    /// call graph may go by.
    pub fn is_monotone(&self) -> bool {
        matches!(self, CountedEvent::Instructions | CountedEvent::Cycles)
    }

    /// Whether a lost cycle is of this event.
    pub(super) fn takes(&self, reason: LostReason) -> bool {
        match self {
            CountedEvent::Stalls => true,
            CountedEvent::StallsOfStage => reason == LostReason::Stall,
            CountedEvent::StallsOfMiss => matches!(reason, LostReason::CacheMiss(_)),
            CountedEvent::StallsOfRetry => reason == LostReason::Retry,
            CountedEvent::StallsOfOccupied => reason == LostReason::Occupied,
            CountedEvent::Instructions
            | CountedEvent::Cycles
            | CountedEvent::Accesses(..)
            | CountedEvent::Taken
            | CountedEvent::Cancelled
            | CountedEvent::Faulted
            | CountedEvent::ExtraCycles
            | CountedEvent::Lines(..)
            | CountedEvent::Model(_) => false,
        }
    }
}

impl fmt::Display for CountedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountedEvent::Model(name) => write!(f, "{MODEL}{name}"),
            CountedEvent::Lines(what, cache) => write_with(f, name_in(&LINES, *what), cache.as_deref()),
            CountedEvent::Accesses(kind, map) => write_with(f, name_in(&ACCESSES, *kind), map.as_deref()),
            plain => f.write_str(name_in(&PLAIN.each_ref().map(|(name, event)| (*name, event)), plain)),
        }
    }
}

/// What an event is called in a table; every one is there.
fn name_in<E: PartialEq>(table: &[(&'static str, E)], event: E) -> &'static str {
    table.iter().find(|(_, known)| *known == event).map_or("", |(name, _)| name)
}

fn write_with(f: &mut fmt::Formatter<'_>, name: &str, behind_point: Option<&str>) -> fmt::Result {
    match behind_point {
        None => f.write_str(name),
        Some(behind) => write!(f, "{name}.{behind}"),
    }
}

/// No event has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent(String);

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = PLAIN.iter().map(|(name, _)| *name);
        let (first, last) = (plain.clone().take(2), plain.skip(2));
        let accesses = ACCESSES.iter().map(|(name, _)| *name);
        let lines = LINES.iter().map(|(name, _)| *name);
        let names: Vec<&str> = first.chain(accesses).chain(last).chain(lines).collect();
        write!(
            f,
            "`{}` is no event; expected {}, one of the last three with .CACHE, loads, stores or fetches with .MAP, \
             or event.NAME",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownEvent {}

impl FromStr for CountedEvent {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<CountedEvent, UnknownEvent> {
        if let Some((_, event)) = PLAIN.iter().find(|(name, _)| *name == text) {
            return Ok(event.clone());
        }
        if let Some(name) = text.strip_prefix(MODEL).filter(|name| !name.is_empty()) {
            return Ok(CountedEvent::Model(name.to_owned()));
        }
        let unknown = || UnknownEvent(text.to_owned());
        let (name, of) = match text.split_once('.') {
            Some((_, "")) => return Err(unknown()),
            Some((name, of)) => (name, Some(of.to_owned())),
            None => (text, None),
        };
        if let Some((_, event)) = LINES.iter().find(|(line, _)| *line == name) {
            return Ok(CountedEvent::Lines(*event, of));
        }
        let (_, kind) = ACCESSES.iter().find(|(access, _)| *access == name).ok_or_else(unknown)?;
        Ok(CountedEvent::Accesses(*kind, of))
    }
}

impl TryFrom<String> for CountedEvent {
    type Error = UnknownEvent;

    fn try_from(text: String) -> Result<CountedEvent, UnknownEvent> {
        text.parse()
    }
}

impl From<CountedEvent> for String {
    fn from(event: CountedEvent) -> String {
        event.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{CountedEvent, PLAIN};

    #[test]
    fn an_event_is_read_as_it_is_written() {
        let others = [
            "loads",
            "stores.defaultmap",
            "fetches",
            "hits",
            "misses.dcache",
            "write_backs.icache",
            "event.trap",
        ];
        for name in PLAIN.iter().map(|(name, _)| *name).chain(others) {
            let event: CountedEvent = name.parse().expect("an event");
            assert_eq!(event.to_string(), name);
        }
    }

    #[test]
    fn what_is_no_event_is_told_with_what_is() {
        for name in ["", "cycle", "hits.", "event.", "stalls.cache", "loads."] {
            let error = name.parse::<CountedEvent>().expect_err("no event");
            let start = format!("`{name}` is no event; expected instructions, cycles, loads, ");
            assert!(error.to_string().starts_with(&start), "{error}");
        }
    }
}
