//! The pipeline in some cycles, as plain data for reports.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_profile::{PipelineEnd, PipelineRow, PipelineStay, PipelineView};

use super::label::{InFlight, Labels};
use super::place::places;
use super::window::CycleWindow;
use super::{CycleTrace, TraceSink};

/// Keeps which instruction was in which stage in some cycles of a run.
pub struct ViewRecorder<'m> {
    model: &'m Model,
    labels: Labels<'m>,
    window: CycleWindow,
    /// The last cycle of the window that was seen.
    last: Option<u64>,
    in_flight: InFlight,
    /// By ID.
    rows: BTreeMap<u64, PipelineRow>,
}

impl<'m> ViewRecorder<'m> {
    /// Of these cycles.
    pub fn new(model: &'m Model, window: CycleWindow) -> ViewRecorder<'m> {
        let labels = Labels::new(model);
        let (in_flight, rows) = (InFlight::default(), BTreeMap::new());
        ViewRecorder { model, labels, window, last: None, in_flight, rows }
    }

    /// What was seen so far; `None` if the run had none of the cycles.
    pub fn view(&self) -> Option<PipelineView> {
        let first = self.window.first;
        let cycles = self.last?.saturating_sub(first).saturating_add(1);
        Some(PipelineView { first, cycles, rows: self.rows.values().cloned().collect() })
    }

    fn row(&mut self, id: u64) -> &mut PipelineRow {
        self.rows.entry(id).or_insert_with(|| PipelineRow { id, ..PipelineRow::default() })
    }

    fn add(&mut self, trace: &CycleTrace) {
        let cycle = trace.number;
        for (id, places) in places(trace) {
            for place in places.into_values() {
                let stage = self.model.stage_number(place.stage);
                self.row(id).add(cycle, Some(stage), place.waits);
            }
        }
        if self.model.pipelines.is_empty() {
            for run in &trace.runs {
                self.row(run.activation.id).add(cycle, None, false);
            }
        }
        for id in &trace.cancelled {
            self.row(*id).end = Some(PipelineEnd { cycle, faulted: false });
        }
        for (id, _) in &trace.faulted {
            self.row(*id).end = Some(PipelineEnd { cycle, faulted: true });
        }
    }

    /// Names what is in the view, as far as it is known.
    fn label(&mut self, trace: &CycleTrace) {
        let ran = trace.runs.iter().map(|run| run.activation.id);
        let others = trace.held.iter().chain(&trace.flushed).map(|waiting| waiting.activation.id);
        for id in ran.chain(others) {
            if let (Some(row), Some(known)) = (self.rows.get_mut(&id), self.in_flight.get(id)) {
                (row.address, row.text) = (known.address, self.labels.text(known));
            }
        }
    }
}

/// Adds a cycle to where an instruction has been.
trait Stays {
    fn add(&mut self, cycle: u64, stage: Option<u32>, waits: bool);
}

impl Stays for PipelineRow {
    fn add(&mut self, cycle: u64, stage: Option<u32>, waits: bool) {
        let goes_on = |stay: &&mut PipelineStay| {
            stay.stage == stage && stay.waits == waits && cycle.checked_sub(stay.cycles) == Some(stay.from)
        };
        let is_known = |stay: &PipelineStay| stay.stage == stage && stay.from + stay.cycles > cycle;
        if self.stays.iter().any(is_known) {
            return;
        }
        match self.stays.iter_mut().find(goes_on) {
            Some(stay) => stay.cycles += 1,
            None => self.stays.push(PipelineStay { stage, from: cycle, cycles: 1, waits }),
        }
    }
}

impl TraceSink for ViewRecorder<'_> {
    fn cycle(&mut self, trace: &CycleTrace) {
        if self.window.contains(trace.number) {
            self.last = Some(trace.number);
            self.add(trace);
        }
        // What is in the window may have been decoded before it, and may be behind it.
        self.in_flight.add(trace, !self.window.is_over(trace.number));
        self.label(trace);
        self.in_flight.forget(trace);
    }

    /// What is in the window may be decoded behind it.
    fn listens_to(&self, cycle: u64) -> bool {
        self.window.contains(cycle) || (self.window.is_over(cycle) && !self.in_flight.is_empty())
    }
}
