//! The pipeline as people draw it: instructions downwards, cycles across.

use std::collections::BTreeMap;

use isac_ir::Model;

use super::label::{InFlight, Labels};
use super::place::{Place, places};
use super::window::CycleWindow;
use super::{CycleTrace, TraceSink};

/// More cycles would be no picture any more.
pub const WIDEST_DIAGRAM: u64 = 200;

/// Draws some cycles of a run.
///
/// What stands in a cell is the stage that an instruction is in, by its first letter where those
/// differ, in lower case if it stands there or has to try again; `x` in the cycle in which it was
/// cancelled, `!` where its fault struck. Without a pipeline, `*` is a cycle in which something
/// of it ran.
pub struct Diagram<'m> {
    labels: Labels<'m>,
    short_stages: Vec<Vec<String>>,
    window: CycleWindow,
    /// The last cycle that was seen.
    last: Option<u64>,
    in_flight: InFlight,
    /// By ID.
    rows: BTreeMap<u64, Row>,
}

#[derive(Default)]
struct Row {
    label: String,
    cells: BTreeMap<u64, String>,
}

impl<'m> Diagram<'m> {
    /// A picture of these cycles.
    pub fn new(model: &'m Model, window: CycleWindow) -> Diagram<'m> {
        let labels = Labels::new(model);
        let short_stages = labels.short_stages();
        let (in_flight, rows) = (InFlight::default(), BTreeMap::new());
        Diagram { labels, short_stages, window, last: None, in_flight, rows }
    }

    /// The picture; empty if the run had none of the cycles.
    pub fn text(&self) -> String {
        let Some(last) = self.last else { return String::new() };
        let cells = self.rows.values().flat_map(|row| row.cells.values());
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        let width = (widest + 1).max(3);
        let id_width = self.rows.keys().next_back().map_or(0, |id| id.to_string().len());
        let label_width = self.rows.values().map(|row| row.label.len()).max().unwrap_or(0);

        let mut text = self.head(last, id_width + label_width + 4, width);
        for (id, Row { label, cells, .. }) in &self.rows {
            let cell = |cycle| cells.get(&cycle).map_or("", String::as_str);
            let cells: String =
                (self.window.first..=last).map(|cycle| format!("{:>width$}", cell(cycle))).collect();
            let line = format!("{id:>id_width$}  {label:label_width$}  {cells}");
            text += line.trim_end();
            text += "\n";
        }
        text
    }

    /// The numbers of the cycles, each above the right end of its cell: of every fifth where there
    /// is no room for more.
    fn head(&self, last: u64, margin: usize, width: usize) -> String {
        let step = if last.to_string().len() < width { 1 } else { 5 };
        let mut head = " ".repeat(margin);
        for cycle in (self.window.first..=last).step_by(step) {
            let end = margin + (cycle - self.window.first + 1) as usize * width;
            let room = end.saturating_sub(head.len());
            head += &format!("{cycle:>room$}");
        }
        head + "\n"
    }

    fn set(&mut self, id: u64, cycle: u64, cell: String) {
        self.rows.entry(id).or_default().cells.insert(cycle, cell);
    }

    fn short(&self, place: &Place) -> String {
        let name = &self.short_stages[place.stage.pipeline as usize][place.stage.stage as usize];
        if place.waits { name.to_lowercase() } else { name.clone() }
    }

    fn draw(&mut self, trace: &CycleTrace) {
        let cycle = trace.number;
        for (id, places) in places(trace) {
            let cell = places.values().map(|place| self.short(place)).collect();
            self.set(id, cycle, cell);
        }
        if self.short_stages.is_empty() {
            for run in &trace.runs {
                self.set(run.activation.id, cycle, "*".to_owned());
            }
        }
        for id in &trace.cancelled {
            self.set(*id, cycle, "x".to_owned());
        }
        for (id, _) in &trace.faulted {
            self.set(*id, cycle, "!".to_owned());
        }
    }

    /// Names what is in the picture, as far as it is known.
    fn label(&mut self, trace: &CycleTrace) {
        let ran = trace.runs.iter().map(|run| run.activation.id);
        let others = trace.held.iter().chain(&trace.flushed).map(|waiting| waiting.activation.id);
        for id in ran.chain(others) {
            if let (Some(row), Some(known)) = (self.rows.get_mut(&id), self.in_flight.get(id)) {
                row.label = self.labels.instruction(known);
            }
        }
    }
}

impl TraceSink for Diagram<'_> {
    fn cycle(&mut self, trace: &CycleTrace) {
        if self.window.contains(trace.number) {
            self.last = Some(trace.number);
            self.draw(trace);
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
