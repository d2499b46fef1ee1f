//! Programs on the engines of the model.

use isac_ir::Model;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Machine, Stop};

use super::program::{Program, SHOWN};

/// More than any program takes to its end.
const PATIENCE: u64 = 1_000_000;

/// Data memory as a program leaves it, with the registers that it has written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State(pub(crate) Vec<u8>);

impl State {
    /// The first bytes that differ; nothing if none does.
    pub(crate) fn difference(&self, found: &State) -> Option<String> {
        if self.0.len() != found.0.len() {
            return Some(format!("{} bytes, expected {}", found.0.len(), self.0.len()));
        }
        let pairs = (SHOWN.start..).zip(self.0.iter().zip(&found.0));
        let differing = pairs.filter(|(_, (expected, found))| expected != found);
        let said: Vec<String> = differing
            .map(|(address, (expected, found))| {
                format!("[{address:#x}] is {found:#04x}, expected {expected:#04x}")
            })
            .take(8)
            .collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// Where things are in the model.
pub(crate) struct Bench {
    model: &'static Model,
    code: usize,
    data: usize,
}

impl Bench {
    pub(crate) fn new(model: &'static Model) -> Bench {
        let map = |name: &str| model.maps.iter().position(|map| map.name == name).expect("the model has it");
        Bench { model, code: map("code"), data: map("data") }
    }

    fn load(&self, machine: &mut dyn Machine, program: &Program) {
        machine.write_bytes(self.code, 0, &program.flash).expect("there is program memory");
    }

    /// Runs until everything is written down; how many instructions that took from the first random
    /// one on.
    pub(crate) fn run_to_end(&self, program: &Program) -> (State, u64) {
        self.run_counting(&mut ReferenceEngine::new(self.model), program)
    }

    /// The same on an engine that has not run yet; the instructions are all that it executed.
    pub(crate) fn run_counting(&self, engine: &mut dyn Engine, program: &Program) -> (State, u64) {
        self.load(engine.machine(), program);
        let mut host = Host::default();
        while self.pc(engine.machine()) != program.end {
            assert_eq!(engine.run(&mut host, 1), Stop::Budget, "a random program ends at its end");
            assert!(engine.instructions() < PATIENCE, "a random program ends");
        }
        (self.state(engine.machine()), engine.instructions())
    }

    /// Runs so many instructions.
    pub(crate) fn run_for(&self, engine: &mut dyn Engine, program: &Program, instructions: u64) -> State {
        self.load(engine.machine(), program);
        engine.run(&mut Host::default(), instructions);
        assert_eq!(self.pc(engine.machine()), program.end, "the program is at its end");
        self.state(engine.machine())
    }

    fn pc(&self, machine: &dyn Machine) -> u64 {
        let pc = self.model.pc_register().expect("the PC is a register");
        machine.read_register(pc as usize, 0) as u64
    }

    fn state(&self, machine: &dyn Machine) -> State {
        let mut bytes = vec![0; SHOWN.len()];
        machine.read_bytes(self.data, SHOWN.start.into(), &mut bytes).expect("there is data memory");
        State(bytes)
    }
}
