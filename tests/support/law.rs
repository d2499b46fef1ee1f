//! The law: all ways to run a program end in the same state and count the same.

use std::cell::RefCell;
use std::io::Cursor;
use std::rc::Rc;

use sim_profile::executions::executions;
use sim_profile::spent::{Spent, spent_by_address};
use sim_profile::summary::Summary;
use sim_profile::tree::InstructionTree;
use sim_profile::{Event, EventSink, EventWriter, Measurement, render_xml, replay_events};
use sim_runtime::Engine;
use sim_runtime::record::model_tables;

use super::split::SplitEngine;
use super::thorough::is_thorough;
use super::{EngineKind, Simulator};

/// A way to run a program, with a name for messages.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) engine: Box<dyn Engine>,
}

/// All ways but the reference in one go, or by default some of them; `budgets` are the pieces of the split ones.
pub(crate) fn ways(simulator: &Simulator, budgets: &[u64]) -> Vec<Way> {
    let split = |kind| Box::new(SplitEngine::new(simulator.engine(kind), budgets)) as Box<dyn Engine>;
    let mut ways = vec![
        Way { name: "emitted, split", engine: split(EngineKind::Emitted) },
        Way { name: "unprofiled", engine: simulator.engine(EngineKind::Unprofiled) },
        Way { name: "stepwise", engine: simulator.engine(EngineKind::Stepwise) },
        Way { name: "reference, split", engine: split(EngineKind::Reference) },
    ];
    if is_thorough() {
        ways.extend([
            Way { name: "emitted", engine: simulator.engine(EngineKind::Emitted) },
            Way { name: "unprofiled, split", engine: split(EngineKind::Unprofiled) },
            Way { name: "stepwise, split", engine: split(EngineKind::Stepwise) },
            Way { name: "stepwise, unprofiled", engine: simulator.engine(EngineKind::StepwiseUnprofiled) },
        ]);
    }
    if let Some(engine) = simulator.translated(true, 2) {
        ways.push(Way { name: "translated", engine });
    }
    if let Some(engine) = simulator.translated(false, 1) {
        let engine = Box::new(SplitEngine::new(engine, budgets));
        ways.push(Way { name: "translated, unprofiled, split", engine });
    }
    ways
}

/// What a measurement adds up to, whichever way it is added up.
pub(crate) fn check_sums(measurement: &Measurement, instructions: u64, cycles: u64) {
    measurement.validate().expect("the measurement is sound");
    let summary = Summary::of(measurement);
    // What ends without having been decoded has ended all the same.
    let ended = summary.executed..=summary.executed + summary.undecoded;
    assert!(ended.contains(&instructions), "{instructions} instructions, in the summary {ended:?}");
    assert_eq!(summary.total_cycles, cycles, "cycles in the summary");
    check_time(measurement);
    let by_address: u64 = executions(measurement).values().sum();
    assert_eq!(by_address, summary.executed, "sum of the executions");
    let tree = InstructionTree::of(measurement);
    let roots: u64 = tree.roots.iter().map(|root| root.executed).sum();
    assert_eq!(roots, summary.executed, "sum over the tree's roots");
    assert_eq!(tree.total(), summary.accesses, "accesses of the tree's roots");
}

/// Every cycle is one in which an instruction began, one that was lost and has a cause, or an extra
/// one; and each is at one address, or at none.
pub(crate) fn check_time(measurement: &Measurement) {
    let summary = Summary::of(measurement);
    let lost: u64 = measurement.lost().into_values().sum();
    assert_eq!(summary.begun() + lost + summary.extra_cycles, summary.total_cycles, "cycles");
    assert_eq!(summary.idle_cycles, lost, "lost cycles");
    let mut sum = Spent::default();
    spent_by_address(measurement).values().for_each(|spent| sum.add(spent));
    assert_eq!(sum.cycles(), summary.total_cycles, "cycles of all addresses");
    assert_eq!((sum.executed, sum.begun), (summary.executed, summary.begun()), "of all addresses");
    assert_eq!(sum.overhead.extra_cycles, summary.extra_cycles, "extra cycles of all addresses");
    assert_eq!(sum.overhead.lost, measurement.lost(), "lost cycles of all addresses");
    for stage in &measurement.occupancy {
        assert!(stage.standing <= stage.occupied && stage.occupied <= summary.cycles, "{stage:?}");
    }
}

/// Writes the events of a run to memory.
#[derive(Clone)]
pub(crate) struct EventFile(Rc<RefCell<EventWriter<Vec<u8>>>>);

impl EventFile {
    pub(crate) fn new(simulator: &Simulator) -> EventFile {
        let tables = model_tables((simulator.model)());
        EventFile(Rc::new(RefCell::new(EventWriter::new(Vec::new(), &tables))))
    }

    /// The report that the events make, once the engine is gone.
    pub(crate) fn report(self) -> String {
        let writer = Rc::into_inner(self.0).expect("nobody writes any more").into_inner();
        let bytes = writer.finish().expect("memory takes everything");
        let measurement = replay_events(Cursor::new(bytes)).expect("the events make sense");
        render_xml(&measurement)
    }
}

impl EventSink for EventFile {
    fn event(&mut self, event: Event<'_>) {
        self.0.borrow_mut().event(event);
    }
}
