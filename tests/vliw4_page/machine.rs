//! What programs leave, on engines of the model and on the checker.

use isac_ir::Model;
use sim_runtime::host::{Host, Streams};
use sim_runtime::{Engine, Machine, Stop};

use super::checker::{Checker, End, MEMORY_BYTES};
use super::program::Program;

/// What the console has to give; most programs that read it read more.
pub(crate) const INPUT: &[u8] = b"\x00A\x7f\x80\xff\xfe";

/// Bytes of a bundle.
const BUNDLE_BYTES: u64 = 16;

/// What can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) end: End,
    pc: u16,
    registers: Vec<u32>,
    predicates: Vec<bool>,
    memory: Vec<u8>,
    /// What was sent to the console.
    output: Vec<u8>,
}

impl State {
    pub(crate) fn of_checker(checker: &Checker) -> State {
        State {
            end: checker.end,
            pc: checker.pc,
            registers: (0..32).map(|number| checker.register(number)).collect(),
            predicates: (0..4).map(|number| checker.predicate(number)).collect(),
            memory: checker.memory.clone(),
            output: checker.output.clone(),
        }
    }

    /// What another state has otherwise; nothing if it is the same.
    pub(crate) fn difference(&self, found: &State) -> Option<String> {
        let mut said = Vec::new();
        if (self.end, self.pc) != (found.end, found.pc) {
            let (end, pc) = (self.end, self.pc);
            said.push(format!("{:?} at {:#x}, expected {end:?} at {pc:#x}", found.end, found.pc));
        }
        for (number, (expected, found)) in self.registers.iter().zip(&found.registers).enumerate() {
            if expected != found {
                said.push(format!("r{number} is {found:#x}, expected {expected:#x}"));
            }
        }
        if self.predicates != found.predicates {
            said.push(format!("predicates are {:?}, expected {:?}", found.predicates, self.predicates));
        }
        let bytes = self.memory.iter().zip(&found.memory).enumerate();
        for (address, (expected, found)) in bytes.filter(|(_, (expected, found))| expected != found).take(8) {
            said.push(format!("[{address:#x}] is {found:#x}, expected {expected:#x}"));
        }
        if self.output != found.output {
            said.push(format!("the output is {:x?}, expected {:x?}", found.output, self.output));
        }
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// Where things are in the model.
pub(crate) struct Bench {
    code: usize,
    data: usize,
    registers: usize,
    predicates: usize,
    pc: usize,
}

impl Bench {
    pub(crate) fn new(model: &Model) -> Bench {
        let map = |name: &str| model.maps.iter().position(|map| map.name == name).expect("the model has it");
        let register = |name: &str| {
            let found = model.registers.iter().position(|register| register.name == name);
            found.expect("the model has it")
        };
        Bench {
            code: map("code"),
            data: map("data"),
            registers: register("r"),
            predicates: register("p"),
            pc: register("pc"),
        }
    }

    /// Runs a program on a new engine for so many cycles.
    pub(crate) fn run(&self, engine: &mut dyn Engine, program: &Program, cycles: u64) -> State {
        let machine = engine.machine();
        let behind = program.bundles.len().min(0x10000 - usize::from(program.origin));
        for (address, bundles) in
            [(program.origin, &program.bundles[..behind]), (0, &program.bundles[behind..])]
        {
            let bytes: Vec<u8> = bundles.iter().flat_map(|bundle| bundle.to_le_bytes()).collect();
            machine
                .write_bytes(self.code, BUNDLE_BYTES * u64::from(address), &bytes)
                .expect("there is program memory");
        }
        machine.write_register(self.pc, 0, program.origin.into());
        let (streams, output, _) = Streams::captured(INPUT);
        let mut host = Host::new(streams);
        let end = match engine.run(&mut host, cycles) {
            Stop::Budget | Stop::Paused { .. } => End::Running,
            Stop::Halted(status) => End::Halted(status.cast_unsigned()),
            Stop::Fault(_) => End::Fault,
            Stop::Interrupted => unreachable!("nobody interrupts a program"),
        };
        host.flush().expect("a buffer takes everything");
        self.state(engine.machine(), end, output.bytes())
    }

    fn state(&self, machine: &dyn Machine, end: End, output: Vec<u8>) -> State {
        let mut memory = vec![0; MEMORY_BYTES];
        machine.read_bytes(self.data, 0, &mut memory).expect("there is data memory");
        State {
            end,
            pc: machine.read_register(self.pc, 0) as u16,
            registers: (0..32).map(|number| machine.read_register(self.registers, number) as u32).collect(),
            predicates: (0..4).map(|number| machine.read_register(self.predicates, number) != 0).collect(),
            memory,
            output,
        }
    }
}
