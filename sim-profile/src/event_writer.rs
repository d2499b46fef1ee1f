//! Events written as text, one short line each.
//!
//! The file tells what it is, so that it can be read without this crate:
//!
//! ```text
//! isac-events 2
//! {"model":"tiny8","resources":[...],...}           the model's tables, JSON
//! # c cycle begins; b instruction begins; ...       comments explain the letters
//! c
//! b
//! d 80 03 1                                         address, word (hexadecimal), cells
//! r 4 1                                             node, resource
//! end 4                                             number of events
//! ```
//!
//! A file without its `end` line was not written to its end.

use std::io::{self, Write};

use crate::{AccessEvent, CacheLines, Event, EventSink, LostCause, LostReason, ModelTables};

/// First word of an event file.
pub(crate) const FORMAT: &str = "isac-events";
/// Version of the format that is written, and the only one that is read.
pub(crate) const VERSION: &str = "2";

const LEGEND: &str = "\
# One event a line. Numbers are decimal, addresses and words hexadecimal, texts JSON strings.
# c: cycle begins              b: instruction begins, becomes current
# z ID REASON OPERATION STAGE [CACHE]: none begins, because of that one; ID is - if it was reset
# p STAGE STANDS: an instruction was in the stage, which stood (1) or not (0)
# q INSTANCE: scheduled        s INSTANCE: first of its queue becomes current
# e: current one stops         n TEXT: part of its name
# d ADDRESS WORD CELLS: decoded            u ADDRESS: cannot be decoded
# r, w, x NODE RESOURCE: read, write, execute
# m TEXT: event of the model   y CYCLES: extra cycles
# k: cancelled   f: at fault   h: halts the machine   t ADDRESS: went on there
# l ID: flushed                v INSTANCE ID: withdrawn from its queue
# o INSTANCE ID...: new order of its queue     j FROM TO: went on from one to the other
# a CACHE HITS MISSES WRITTEN: lines of a cache that an access touches, written back for it
# end COUNT: number of events
";

/// Writes events to `W`, which should be buffered.
///
/// Events cannot fail, so the first error of `W` is kept and returned by
/// [`EventWriter::finish`]; nothing is written after it.
#[derive(Debug)]
pub struct EventWriter<W: Write> {
    out: W,
    events: u64,
    failure: Option<io::Error>,
}

impl<W: Write> EventWriter<W> {
    /// Begins the file of a run of a model.
    pub fn new(out: W, tables: &ModelTables) -> EventWriter<W> {
        let mut writer = EventWriter { out, events: 0, failure: None };
        writer.failure = writer.write_head(tables).err();
        writer
    }

    /// Ends the file and hands back what it was written to.
    ///
    /// # Errors
    /// The first error of writing.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => {
                writeln!(self.out, "end {}", self.events)?;
                self.out.flush()?;
                Ok(self.out)
            }
        }
    }

    fn write_head(&mut self, tables: &ModelTables) -> io::Result<()> {
        writeln!(self.out, "{FORMAT} {VERSION}")?;
        serde_json::to_writer(&mut self.out, tables)?;
        write!(self.out, "\n{LEGEND}")
    }

    fn write_event(&mut self, event: Event<'_>) -> io::Result<()> {
        let out = &mut self.out;
        match event {
            Event::CycleBegins => writeln!(out, "c"),
            Event::Lost { id, cause } => write_lost(out, id, cause),
            Event::Occupied { stage, stands } => writeln!(out, "p {stage} {}", u8::from(stands)),
            Event::InstructionBegins => writeln!(out, "b"),
            Event::Scheduled { instance } => writeln!(out, "q {instance}"),
            Event::Starts { instance } => writeln!(out, "s {instance}"),
            Event::Ends => writeln!(out, "e"),
            Event::NamePart { text } => write_text(out, 'n', text),
            Event::Decoded { address, word, size_cells } => {
                writeln!(out, "d {address:x} {word} {size_cells}")
            }
            Event::Undecoded { address } => writeln!(out, "u {address:x}"),
            Event::Access { node, resource, kind } => {
                writeln!(out, "{} {node} {resource}", access_letter(kind))
            }
            Event::Lines { cache, lines: CacheLines { hits, misses, write_backs } } => {
                writeln!(out, "a {cache} {hits} {misses} {write_backs}")
            }
            Event::ModelEvent { name } => write_text(out, 'm', name),
            Event::ExtraCycles { cycles } => writeln!(out, "y {cycles}"),
            Event::Cancel => writeln!(out, "k"),
            Event::Fault => writeln!(out, "f"),
            Event::Halt => writeln!(out, "h"),
            Event::Interrupt => writeln!(out, "i"),
            Event::Transfer { to } => writeln!(out, "t {to:x}"),
            Event::Flushed { id } => writeln!(out, "l {id}"),
            Event::Withdrawn { instance, id } => writeln!(out, "v {instance} {id}"),
            Event::Reordered { instance, ids } => write_order(out, instance, ids),
            Event::Jump { from, to } => writeln!(out, "j {from:x} {to:x}"),
        }
    }
}

impl<W: Write> EventSink for EventWriter<W> {
    fn event(&mut self, event: Event<'_>) {
        if self.failure.is_none() {
            self.failure = self.write_event(event).err();
            self.events += 1;
        }
    }
}

fn access_letter(kind: AccessEvent) -> char {
    match kind {
        AccessEvent::Read => 'r',
        AccessEvent::Write => 'w',
        AccessEvent::Execute => 'x',
    }
}

fn write_order(out: &mut impl Write, instance: u32, ids: &[u64]) -> io::Result<()> {
    write!(out, "o {instance}")?;
    ids.iter().try_for_each(|id| write!(out, " {id}"))?;
    writeln!(out)
}

fn write_lost(out: &mut impl Write, id: Option<u64>, cause: LostCause) -> io::Result<()> {
    let LostCause { reason, operation, stage } = cause;
    match id {
        Some(id) => write!(out, "z {id}")?,
        None => write!(out, "z -")?,
    }
    match reason {
        LostReason::Stall => writeln!(out, " stall {operation} {stage}"),
        LostReason::CacheMiss(cache) => writeln!(out, " miss {operation} {stage} {cache}"),
        LostReason::Retry => writeln!(out, " retry {operation} {stage}"),
        LostReason::Occupied => writeln!(out, " occupied {operation} {stage}"),
    }
}

/// A JSON string keeps any text on its line.
fn write_text(out: &mut impl Write, letter: char, text: &str) -> io::Result<()> {
    writeln!(out, "{letter} {}", serde_json::to_string(text)?)
}
