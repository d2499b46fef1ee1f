//! Reads what [`crate::EventWriter`] wrote.
//!
//! The file may come from anywhere: whatever is wrong with it is an error with the line and its
//! cause.

use std::fmt;
use std::io::{self, BufRead};

use crate::event_writer::{FORMAT, VERSION};
use crate::lines::{LineError, Lines};
use crate::running::Misplaced;
use crate::{
    AccessEvent, CacheLines, Event, EventProfiler, EventSink, LostCause, LostReason, Measurement,
    ModelTables, Word,
};

/// Reads an event file into a sink, which `make_sink` makes for the file's model.
///
/// # Errors
/// The file is no complete event file of this version. Whether the events make sense is the
/// sink's question.
pub fn read_events<R, S, F>(reader: R, make_sink: F) -> Result<S, EventError>
where
    R: BufRead,
    S: EventSink,
    F: FnOnce(ModelTables) -> S,
{
    let mut lines = Lines::new(reader);
    read_lines(&mut lines, make_sink, |sink, event| {
        sink.event(event);
        Ok(())
    })
    .map_err(|cause| EventError { line: lines.number, cause })
}

/// The measurement that an event file's events make, by [`EventProfiler`].
///
/// # Errors
/// The file is no complete event file of this version, or has an event that cannot happen where
/// it stands.
pub fn replay_events<R: BufRead>(reader: R) -> Result<Measurement, EventError> {
    let mut lines = Lines::new(reader);
    read_lines(&mut lines, EventProfiler::new, |profiler, event| {
        profiler.try_event(event).map_err(EventErrorCause::Misplaced)
    })
    .and_then(|profiler| profiler.try_finish().map_err(EventErrorCause::Misplaced))
    .map_err(|cause| EventError { line: lines.number, cause })
}

fn read_lines<R, S, F, E>(lines: &mut Lines<R>, make_sink: F, mut on_event: E) -> Result<S, EventErrorCause>
where
    R: BufRead,
    F: FnOnce(ModelTables) -> S,
    E: FnMut(&mut S, Event<'_>) -> Result<(), EventErrorCause>,
{
    let tables = read_head(lines)?;
    let mut sink = make_sink(tables);
    let mut events = 0;
    loop {
        let line = lines.next_line()?;
        if line.starts_with('#') {
            continue;
        }
        if let Some(written) = line.strip_prefix("end ") {
            let written = written.parse().map_err(|_| malformed(line))?;
            check_end(lines, written, events)?;
            return Ok(sink);
        }
        parse_event(line, |event| on_event(&mut sink, event))?;
        events += 1;
    }
}

fn read_head<R: BufRead>(lines: &mut Lines<R>) -> Result<ModelTables, EventErrorCause> {
    let first = match lines.next_line() {
        Ok(first) => first,
        Err(LineError::Io(error)) => return Err(EventErrorCause::Io(error)),
        Err(LineError::Truncated | LineError::NotUtf8) => return Err(EventErrorCause::NotEvents),
    };
    match first.split_once(' ') {
        Some((FORMAT, VERSION)) => {}
        Some((FORMAT, version)) => return Err(EventErrorCause::Version(version.to_owned())),
        _ => return Err(EventErrorCause::NotEvents),
    }
    serde_json::from_str(lines.next_line()?).map_err(EventErrorCause::Tables)
}

fn check_end<R: BufRead>(lines: &mut Lines<R>, written: u64, found: u64) -> Result<(), EventErrorCause> {
    if written != found {
        return Err(EventErrorCause::Count { written, found });
    }
    match lines.has_more()? {
        true => Err(EventErrorCause::AfterEnd),
        false => Ok(()),
    }
}

fn malformed(line: &str) -> EventErrorCause {
    // The start of a line is enough to find it by; it may be megabytes long.
    EventErrorCause::Malformed(line.chars().take(60).collect())
}

fn parse_event(
    line: &str,
    take: impl FnOnce(Event<'_>) -> Result<(), EventErrorCause>,
) -> Result<(), EventErrorCause> {
    let bad = || malformed(line);
    let (letter, rest) = line.split_once(' ').unwrap_or((line, ""));
    match letter {
        "n" => take(Event::NamePart { text: &parse_text(rest).ok_or_else(bad)? }),
        "m" => take(Event::ModelEvent { name: &parse_text(rest).ok_or_else(bad)? }),
        "d" => {
            let (address, word, size_cells) = parse_decoded(rest).ok_or_else(bad)?;
            take(Event::Decoded { address, word: &word, size_cells })
        }
        "o" => {
            let (instance, ids) = parse_order(rest).ok_or_else(bad)?;
            take(Event::Reordered { instance, ids: &ids })
        }
        _ => take(parse_plain_event(letter, rest).or_else(|| parse_bare_event(line)).ok_or_else(bad)?),
    }
}

/// The events that are a letter and numbers.
fn parse_plain_event(letter: &str, rest: &str) -> Option<Event<'static>> {
    Some(match letter {
        "q" => Event::Scheduled { instance: decimal(rest)? },
        "s" => Event::Starts { instance: decimal(rest)? },
        "u" => Event::Undecoded { address: hexadecimal(rest)? },
        "t" => Event::Transfer { to: hexadecimal(rest)? },
        "y" => Event::ExtraCycles { cycles: decimal(rest)? },
        "l" => Event::Flushed { id: decimal(rest)? },
        "v" => {
            let (instance, id) = rest.split_once(' ')?;
            Event::Withdrawn { instance: decimal(instance)?, id: decimal(id)? }
        }
        "j" => {
            let (from, to) = rest.split_once(' ')?;
            Event::Jump { from: hexadecimal(from)?, to: hexadecimal(to)? }
        }
        "a" => parse_lines(rest)?,
        "z" => parse_lost(rest)?,
        "p" => {
            let (stage, stands) = rest.split_once(' ')?;
            Event::Occupied { stage: decimal(stage)?, stands: parse_flag(stands)? }
        }
        "r" => parse_access(rest, AccessEvent::Read)?,
        "w" => parse_access(rest, AccessEvent::Write)?,
        "x" => parse_access(rest, AccessEvent::Execute)?,
        _ => return None,
    })
}

/// The events that are a letter and nothing else.
fn parse_bare_event(line: &str) -> Option<Event<'static>> {
    Some(match line {
        "c" => Event::CycleBegins,
        "b" => Event::InstructionBegins,
        "e" => Event::Ends,
        "k" => Event::Cancel,
        "f" => Event::Fault,
        "h" => Event::Halt,
        "i" => Event::Interrupt,
        _ => return None,
    })
}

fn parse_access(rest: &str, kind: AccessEvent) -> Option<Event<'static>> {
    let (node, resource) = rest.split_once(' ')?;
    Some(Event::Access { node: decimal(node)?, resource: decimal(resource)?, kind })
}

fn parse_lines(rest: &str) -> Option<Event<'static>> {
    let mut numbers = rest.split(' ');
    let cache = decimal(numbers.next()?)?;
    let mut next = || numbers.next().and_then(decimal);
    let lines = CacheLines { hits: next()?, misses: next()?, write_backs: next()? };
    numbers.next().is_none().then_some(Event::Lines { cache, lines })
}

fn parse_lost(rest: &str) -> Option<Event<'static>> {
    let mut words = rest.split(' ');
    let id = match words.next()? {
        "-" => None,
        id => Some(decimal(id)?),
    };
    let name = words.next()?;
    let mut next = || words.next().and_then(decimal);
    let (operation, stage) = (next()?, next()?);
    let reason = match name {
        "stall" => LostReason::Stall,
        "miss" => LostReason::CacheMiss(next()?),
        "retry" => LostReason::Retry,
        "occupied" => LostReason::Occupied,
        _ => return None,
    };
    let cause = LostCause { reason, operation, stage };
    words.next().is_none().then_some(Event::Lost { id, cause })
}

fn parse_flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn parse_order(rest: &str) -> Option<(u32, Vec<u64>)> {
    let mut numbers = rest.split(' ');
    let instance = decimal(numbers.next()?)?;
    Some((instance, numbers.map(decimal).collect::<Option<_>>()?))
}

fn parse_text(rest: &str) -> Option<String> {
    serde_json::from_str(rest).ok()
}

fn parse_decoded(rest: &str) -> Option<(u64, Word, u32)> {
    let (address, rest) = rest.split_once(' ')?;
    let (word, size_cells) = rest.split_once(' ')?;
    Some((hexadecimal(address)?, word.parse().ok()?, decimal(size_cells)?))
}

fn decimal<N: TryFrom<u64>>(text: &str) -> Option<N> {
    let number: u64 = text.parse().ok().filter(|_| !text.starts_with('+'))?;
    N::try_from(number).ok()
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok().filter(|_| !text.starts_with('+'))
}

/// What is wrong with an event file, and where.
#[derive(Debug)]
pub struct EventError {
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub cause: EventErrorCause,
}

/// What can be wrong with a line of an event file.
#[derive(Debug)]
pub enum EventErrorCause {
    /// It cannot be read.
    Io(io::Error),
    /// The file does not begin as an event file does.
    NotEvents,
    /// The file is of another version, given here.
    Version(String),
    /// The model's tables are not as expected.
    Tables(serde_json::Error),
    /// It is no event; its beginning is given.
    Malformed(String),
    /// The file ends before its `end` line.
    Truncated,
    /// The file has not as many events as its last line says.
    Count {
        /// As the last line says.
        written: u64,
        /// Counted.
        found: u64,
    },
    /// Something follows the `end` line.
    AfterEnd,
    /// The event cannot happen there.
    Misplaced(Misplaced),
}

impl From<LineError> for EventErrorCause {
    fn from(error: LineError) -> EventErrorCause {
        match error {
            LineError::Io(error) => EventErrorCause::Io(error),
            LineError::Truncated => EventErrorCause::Truncated,
            LineError::NotUtf8 => EventErrorCause::Malformed("text that is not UTF-8".to_owned()),
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

impl fmt::Display for EventErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventErrorCause::Io(error) => write!(f, "cannot be read: {error}"),
            EventErrorCause::NotEvents => {
                write!(f, "no event file; expected it to begin with `{FORMAT} {VERSION}`")
            }
            EventErrorCause::Version(version) => {
                write!(f, "event file of version `{version}`; expected {VERSION}: record the run anew")
            }
            EventErrorCause::Tables(error) => {
                write!(f, "the model's tables are not as expected: {error}")
            }
            EventErrorCause::Malformed(text) => write!(f, "`{text}` is no event"),
            EventErrorCause::Truncated => {
                write!(f, "the file ends here; expected more events or the line `end COUNT`")
            }
            EventErrorCause::Count { written, found } => {
                write!(f, "the file has {found} events; its last line says {written}")
            }
            EventErrorCause::AfterEnd => write!(f, "something follows the line `end COUNT`"),
            EventErrorCause::Misplaced(misplaced) => write!(f, "{misplaced}"),
        }
    }
}

impl std::error::Error for EventError {}
