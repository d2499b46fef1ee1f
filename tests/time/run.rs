//! A case's program, run on its model by the engine that traces.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use sim_profile::Measurement;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::trace::{CycleTrace, CycleWindow, Diagram, KanataWriter, TraceSink};
use sim_runtime::{Engine, Machine, Stop};

use super::account::Account;
use super::case::Case;
use super::print::print_cycle;
use super::profile::print_profile;
use crate::place::Place;

/// More cycles than any case has.
const LIMIT: u64 = 1000;

/// What a run did.
pub(crate) struct Run<'m> {
    pub(crate) cycles: Vec<CycleTrace>,
    pub(crate) stop: Stop,
    pub(crate) measurement: Measurement,
    engine: RefCell<ReferenceEngine<'m>>,
}

/// Keeps every cycle.
#[derive(Clone, Default)]
pub(crate) struct Cycles(pub(crate) Rc<RefCell<Vec<CycleTrace>>>);

impl TraceSink for Cycles {
    fn cycle(&mut self, cycle: &CycleTrace) {
        self.0.borrow_mut().push(cycle.clone());
    }
}

/// A model of this repository, lowered.
pub(crate) fn load(path: &str) -> Model {
    let mut sources = SourceMap::new();
    let mut findings = Diagnostics::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let checked = load_model(&file, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    let Some(checked) = checked else { panic!("{}", findings.render(&sources, Style::Plain)) };
    lower_model(&checked, &sources, path)
}

/// Puts the cells of a case into memory, as the loader does.
pub(crate) fn load_cells(case: &Case, machine: &mut dyn Machine, model: &Model) {
    let map = model.target.host_map.unwrap_or(0) as usize;
    let cell_bytes = model.maps[map].cell_bits.div_ceil(8) as usize;
    for (address, value) in &case.cells {
        let mut bytes = value.to_le_bytes()[..cell_bytes].to_vec();
        if model.target.big_endian {
            bytes.reverse();
        }
        machine.write_bytes(map, address * cell_bytes as u64, &bytes).expect("the cell is in memory");
    }
}

/// Keeps the cycles of a window, and listens to no other.
struct Late(CycleWindow, Cycles);

impl TraceSink for Late {
    fn cycle(&mut self, cycle: &CycleTrace) {
        self.1.cycle(cycle);
    }

    fn listens_to(&self, cycle: u64) -> bool {
        self.0.contains(cycle)
    }
}

/// The cycles of a window of a case's run, told to who listens to them alone.
pub(crate) fn trace_window(case: &Case, model: &Model, window: CycleWindow) -> Vec<CycleTrace> {
    let cycles = Cycles::default();
    let mut engine = ReferenceEngine::new(model).with_trace(Box::new(Late(window, cycles.clone())));
    load_cells(case, engine.machine(), model);
    engine.run(&mut Host::default(), LIMIT);
    drop(engine);
    cycles.0.take()
}

/// What the pictures of a window show that is drawn from the cycles they listen to.
pub(crate) fn draw_window(case: &Case, model: &Model, window: CycleWindow) -> [String; 2] {
    let kanata = Rc::new(RefCell::new(KanataWriter::new(Vec::new(), model, window)));
    let diagram = Rc::new(RefCell::new(Diagram::new(model, window)));
    for sink in
        [Box::new(Shared(Rc::clone(&kanata))) as Box<dyn TraceSink>, Box::new(Shared(Rc::clone(&diagram)))]
    {
        let mut engine = ReferenceEngine::new(model).with_trace(sink);
        load_cells(case, engine.machine(), model);
        engine.run(&mut Host::default(), LIMIT);
    }
    let kanata = Rc::into_inner(kanata).expect("the engine is gone").into_inner();
    let bytes = kanata.finish().expect("memory takes everything");
    let text = diagram.borrow().text();
    [String::from_utf8(bytes).expect("the format is text"), text]
}

/// Somebody who listens, and can be asked afterwards.
struct Shared<S>(Rc<RefCell<S>>);

impl<S: TraceSink> TraceSink for Shared<S> {
    fn cycle(&mut self, cycle: &CycleTrace) {
        self.0.borrow_mut().cycle(cycle);
    }

    fn listens_to(&self, cycle: u64) -> bool {
        self.0.borrow().listens_to(cycle)
    }
}

/// Runs a case until it ends by itself.
pub(crate) fn trace<'m>(case: &Case, model: &'m Model) -> Run<'m> {
    let cycles = Cycles::default();
    let mut engine = ReferenceEngine::new(model).with_profile().with_trace(Box::new(cycles.clone()));
    load_cells(case, engine.machine(), model);
    let stop = engine.run(&mut Host::default(), LIMIT);
    let measurement = engine.measurement().expect("the engine profiles");
    Run { cycles: cycles.0.take(), stop, measurement, engine: RefCell::new(engine) }
}

impl Run<'_> {
    /// All cycles, the account, and where cycles went.
    pub(crate) fn text(&self, model: &Model) -> String {
        let cycles: String = self.cycles.iter().map(|cycle| print_cycle(cycle, model)).collect();
        format!("{cycles}{}\n{}", Account::of(&self.cycles), print_profile(&self.measurement))
    }

    fn read(&self, place: Place, model: &Model) -> u128 {
        let mut engine = self.engine.borrow_mut();
        let machine = engine.machine();
        match place {
            Place::Register { register, element } => machine.read_register(register, element),
            Place::Alias(alias) => machine.read_place(&model.aliases[alias]),
            Place::Memory { map, address, cells } => {
                let cell_bytes = u64::from(model.maps[map].cell_bits.div_ceil(8));
                let mut bytes = vec![0; (cells * cell_bytes) as usize];
                machine.read_bytes(map, address * cell_bytes, &mut bytes).expect("the cell is in memory");
                if !model.target.big_endian {
                    bytes.reverse();
                }
                bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
            }
        }
    }
}

/// Every place of a case that has not the value that it should have.
pub(crate) fn state_differences(case: &Case, run: &Run<'_>, model: &Model) -> Vec<String> {
    let mut differences = Vec::new();
    if case.state.is_empty() {
        differences.push("state: expected at least one place".to_owned());
    }
    for (text, expected) in &case.state {
        match Place::parse(text, model).map(|place| run.read(place, model)) {
            None => differences.push(format!("state: `{text}` is no place of the model")),
            Some(found) if found == *expected => {}
            Some(found) => differences.push(format!("state: {text} is {found:#x}, expected {expected:#x}")),
        }
    }
    if matches!(run.stop, Stop::Budget | Stop::Paused { .. }) {
        differences.push(format!("the run does not end within {LIMIT} cycles"));
    }
    differences
}
