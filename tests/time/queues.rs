//! Which instructions wait for which operation after each step of a run, from its events.

use std::cell::RefCell;
use std::rc::Rc;

use isac_ir::Model;
use isac_ir::operation::Target;
use sim_profile::{Event, EventProfiler, EventSink};
use sim_runtime::Engine;
use sim_runtime::host::Host;
use sim_runtime::record::model_tables;
use sim_runtime::reference::ReferenceEngine;

use super::case::Case;
use super::run::load_cells;

/// More cycles than the case has.
const LIMIT: u64 = 1000;

/// A row for every operation that ran.
#[derive(Clone)]
struct Table(Rc<RefCell<Rows>>);

struct Rows {
    profiler: EventProfiler,
    /// Name of each instance's operation.
    operations: Vec<String>,
    /// Operations that have a queue, in the order of their declaration.
    columns: Vec<String>,
    cycle: u64,
    /// The step that is not over yet: its operation.
    step: Option<String>,
    text: String,
}

/// The table of a case's run.
pub(crate) fn queue_table(case: &Case, model: &Model) -> String {
    let table = Table(Rc::new(RefCell::new(Rows::new(model))));
    let mut engine = ReferenceEngine::new(model).with_events(Box::new(table.clone()));
    load_cells(case, engine.machine(), model);
    engine.run(&mut Host::default(), LIMIT);
    drop(engine);
    let rows = table.0.borrow();
    assert_eq!(rows.profiler.misplaced(), None);
    rows.text.clone()
}

impl Rows {
    fn new(model: &Model) -> Rows {
        let operation = |target| match target {
            Target::Operation(operation) => model.operation(operation).name.clone(),
            target => panic!("{} has one queue for all its members", model.target_name(target)),
        };
        let operations: Vec<String> = model.time.scheduled().map(|node| operation(node.target)).collect();
        let declared = model.operations.iter().map(|operation| operation.name.clone());
        let columns: Vec<String> = declared.filter(|name| operations.contains(name)).collect();
        let text = format!(
            "| cycle | step (ID) | {} |\n|---|---|{}\n",
            columns.join(" | "),
            "---|".repeat(columns.len())
        );
        let profiler = EventProfiler::new(model_tables(model));
        Rows { profiler, operations, columns, cycle: 0, step: None, text }
    }

    /// The step is over: the row of what waits after it.
    fn end_step(&mut self) {
        let Some(step) = self.step.take() else { return };
        let id = self.profiler.current().expect("an instruction has run");
        self.text += &format!("| {} | {step} ({id}) |", self.cycle);
        for column in &self.columns {
            let queues = self.operations.iter().zip(self.profiler.queues());
            let here = queues.filter(|(operation, _)| *operation == column);
            let mut ids: Vec<u64> = here.flat_map(|(_, queue)| queue.iter().copied()).collect();
            ids.sort_unstable();
            let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
            self.text += &format!(" {} |", if ids.is_empty() { "-".to_owned() } else { ids.join(",") });
        }
        self.text += "\n";
    }
}

impl EventSink for Table {
    fn event(&mut self, event: Event<'_>) {
        let mut rows = self.0.borrow_mut();
        let begun = match event {
            Event::InstructionBegins => Some("main".to_owned()),
            Event::Starts { instance } => Some(rows.operations[instance as usize].clone()),
            _ => None,
        };
        if begun.is_some() || matches!(event, Event::Ends) {
            rows.end_step();
        }
        rows.cycle += u64::from(event == Event::CycleBegins);
        rows.profiler.event(event);
        if begun.is_some() {
            rows.step = begun;
        }
    }
}
