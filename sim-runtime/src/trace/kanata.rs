//! A trace as the Konata viewer reads it: the Kanata format, version 4.
//!
//! A file is lines of words between tabs, in the order of time; the format is described in the
//! viewer's `docs/kanata-log-format.md`. Instructions get numbers of their own, from 0 on. Each
//! pipeline has two lanes: the stages, and above them `stall` where the instruction waits.

use std::collections::BTreeMap;
use std::io::{self, Write};

use isac_ir::Model;

use super::label::{InFlight, Labels};
use super::place::{Place, places};
use super::window::CycleWindow;
use super::{CycleTrace, DecodedTrace, TraceSink};

/// Writes some cycles of a run to `W`, which should be buffered.
///
/// A trace cannot fail, so the first error of `W` is kept and returned by
/// [`KanataWriter::finish`]; nothing is written after it.
pub struct KanataWriter<'m, W: Write> {
    out: W,
    failure: Option<io::Error>,
    model: &'m Model,
    labels: Labels<'m>,
    in_flight: InFlight,
    window: CycleWindow,
    has_begun: bool,
    /// Instructions in flight, by ID.
    open: BTreeMap<u64, Open>,
    /// Instructions of the file so far.
    begun: u64,
    /// Of these, instructions that have ended and were not cancelled.
    retired: u64,
    /// What was over in the last cycle, with true if it did not end as instructions do.
    over: Vec<(u64, bool)>,
}

/// An instruction of the file.
struct Open {
    number: u64,
    /// Its address and operation have been written.
    has_label: bool,
    /// What is shown in each lane.
    lanes: BTreeMap<u32, String>,
}

impl<'m, W: Write> KanataWriter<'m, W> {
    /// Begins a file of these cycles.
    pub fn new(out: W, model: &'m Model, window: CycleWindow) -> KanataWriter<'m, W> {
        KanataWriter {
            out,
            failure: None,
            model,
            labels: Labels::new(model),
            in_flight: InFlight::default(),
            window,
            has_begun: false,
            open: BTreeMap::new(),
            begun: 0,
            retired: 0,
            over: Vec::new(),
        }
    }

    /// Ends the file and hands back what it was written to. Instructions that are in flight stay
    /// open, as the viewer expects it.
    ///
    /// # Errors
    /// The first error of writing.
    pub fn finish(mut self) -> io::Result<W> {
        let result = self.failure.take().map_or(Ok(()), Err);
        result.and_then(|()| self.advance(self.window.first))?;
        for id in self.open.keys().copied().collect::<Vec<u64>>() {
            self.write_label(id)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// The next cycle begins: what was over in the last one leaves.
    fn advance(&mut self, cycle: u64) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return write!(self.out, "Kanata\t0004\nC=\t{cycle}\n");
        }
        writeln!(self.out, "C\t1")?;
        for (id, is_flushed) in std::mem::take(&mut self.over) {
            let Some(open) = self.open.remove(&id) else { continue };
            for (lane, stage) in &open.lanes {
                writeln!(self.out, "E\t{}\t{lane}\t{stage}", open.number)?;
            }
            writeln!(self.out, "R\t{}\t{}\t{}", open.number, self.retired, u8::from(is_flushed))?;
            self.retired += u64::from(!is_flushed);
        }
        Ok(())
    }

    fn write_cycle(&mut self, trace: &CycleTrace) -> io::Result<()> {
        self.advance(trace.number)?;
        for run in &trace.runs {
            self.open(run.activation.id)?;
        }
        let mut lanes = self.lanes(trace);
        for id in lanes.keys().copied().collect::<Vec<u64>>() {
            self.open(id)?;
        }
        for (id, open) in &mut self.open {
            open.write_lanes(lanes.remove(id).unwrap_or_default(), &mut self.out)?;
        }
        for id in trace.decoded.iter().map(|decoded| decoded.id) {
            self.write_decoded(id)?;
        }
        self.write_acts(trace)?;
        self.over.extend(trace.ended.iter().map(|id| (*id, false)));
        let faulted = trace.faulted.iter().map(|(id, _)| id);
        self.over.extend(trace.cancelled.iter().chain(faulted).map(|id| (*id, true)));
        for index in 0..self.over.len() {
            self.write_label(self.over[index].0)?;
        }
        Ok(())
    }

    /// Begins an instruction that is not known yet.
    fn open(&mut self, id: u64) -> io::Result<()> {
        if !self.open.contains_key(&id) {
            let number = self.begun;
            self.begun += 1;
            writeln!(self.out, "I\t{number}\t{id}\t0")?;
            self.open.insert(id, Open { number, has_label: false, lanes: BTreeMap::new() });
            // It may have been decoded before the window.
            self.write_decoded(id)?;
        }
        Ok(())
    }

    /// What each instruction shows in each lane in a cycle.
    fn lanes(&self, trace: &CycleTrace) -> BTreeMap<u64, BTreeMap<u32, String>> {
        let mut lanes: BTreeMap<u64, BTreeMap<u32, String>> = BTreeMap::new();
        for (id, places) in places(trace) {
            for (pipeline, Place { stage, waits }) in places {
                let lanes = lanes.entry(id).or_default();
                lanes.insert(2 * pipeline, self.labels.stage(stage));
                if waits {
                    lanes.insert(2 * pipeline + 1, "stall".to_owned());
                }
            }
        }
        if self.model.pipelines.is_empty() {
            // Without stages it is what ran last in the cycle.
            for run in &trace.runs {
                let name = run.activation.name(self.model).to_owned();
                lanes.entry(run.activation.id).or_default().insert(0, name);
            }
        }
        lanes
    }

    /// What an instruction was decoded as, once that is known.
    fn write_decoded(&mut self, id: u64) -> io::Result<()> {
        match self.in_flight.get(id).and_then(|known| known.decoded.as_ref()) {
            Some(_) => self.write_label(id),
            None => Ok(()),
        }
    }

    /// What is known of an instruction, if it was not written yet.
    fn write_label(&mut self, id: u64) -> io::Result<()> {
        let (Some(open), Some(known)) = (self.open.get_mut(&id), self.in_flight.get(id)) else {
            return Ok(());
        };
        if std::mem::replace(&mut open.has_label, true) {
            return Ok(());
        }
        writeln!(self.out, "L\t{}\t0\t{}", open.number, self.labels.instruction(known))?;
        if let Some(DecodedTrace { word, name, .. }) = &known.decoded {
            writeln!(self.out, "L\t{}\t1\tinstruction {id}, word {word}: {name}\\n", open.number)?;
        }
        Ok(())
    }

    /// What they did to time, as text to point at.
    fn write_acts(&mut self, trace: &CycleTrace) -> io::Result<()> {
        for run in &trace.runs {
            let (id, name) = (run.activation.id, run.activation.name(self.model));
            let Some(open) = self.open.get(&id) else { continue };
            for act in &run.acts {
                let act = self.labels.act(act);
                writeln!(self.out, "L\t{}\t1\tcycle {}: {name} {act}\\n", open.number, trace.number)?;
            }
        }
        Ok(())
    }
}

impl Open {
    /// Ends what is not shown any more and begins what is.
    fn write_lanes(&mut self, lanes: BTreeMap<u32, String>, out: &mut impl Write) -> io::Result<()> {
        for (lane, stage) in self.lanes.iter().filter(|(lane, stage)| lanes.get(lane) != Some(stage)) {
            writeln!(out, "E\t{}\t{lane}\t{stage}", self.number)?;
        }
        for (lane, stage) in lanes.iter().filter(|(lane, stage)| self.lanes.get(lane) != Some(stage)) {
            writeln!(out, "S\t{}\t{lane}\t{stage}", self.number)?;
        }
        self.lanes = lanes;
        Ok(())
    }
}

impl<W: Write> TraceSink for KanataWriter<'_, W> {
    fn cycle(&mut self, trace: &CycleTrace) {
        self.in_flight.add(trace, !self.window.is_over(trace.number));
        if self.failure.is_none() && self.window.contains(trace.number) {
            self.failure = self.write_cycle(trace).err();
        }
        self.in_flight.forget(trace);
    }

    /// What is in the window may be decoded behind it.
    fn listens_to(&self, cycle: u64) -> bool {
        self.window.contains(cycle) || (self.window.is_over(cycle) && !self.in_flight.is_empty())
    }
}
