//! Cases on the engines of the model.

use std::collections::BTreeMap;
use std::fmt;

use isac_ir::Model;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, FaultKind, Machine, Stop};

use super::case::{Base, Case, LIMIT};
use super::obstacle::{Before, simh_has_device};

/// Bytes of memory that the processor has.
pub(crate) const MEMORY_BYTES: usize = 0o160000;

/// What a case leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) registers: [u16; 8],
    pub(crate) status: u8,
    /// Words of memory that differ from those before the case, by address.
    pub(crate) changed: BTreeMap<u16, u16>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} PSW {:03o}", octal(&self.registers), self.status)?;
        self.changed.iter().try_for_each(|(address, word)| write!(f, " [{address:06o}]={word:06o}"))
    }
}

/// Words as the handbook writes them.
pub(crate) fn octal(words: &[u16]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:06o}")).collect();
    words.join(" ")
}

/// A case that was run, and how far.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Cycles that the engine was given.
    pub(crate) cycles: u64,
    /// Instructions among them, in the way simh counts: without traps between instructions.
    pub(crate) instructions: u64,
    pub(crate) outcome: Outcome,
}

/// The model's registers by what they are.
struct Layout {
    general: usize,
    /// From bit 0 of the processor status on, with their widths.
    status: Vec<(usize, u32)>,
    /// Set when the next cycle executes no instruction.
    pending: Vec<usize>,
    waiting: usize,
    /// Set by programs that use the console.
    console: Vec<usize>,
}

impl Layout {
    fn of_model(model: &Model) -> Layout {
        let register = |name: &str| {
            let found = model.registers.iter().position(|register| register.name == name);
            found.unwrap_or_else(|| panic!("the model has no register `{name}`"))
        };
        let status = ["c", "v", "z", "n", "t", "priority"].map(register);
        Layout {
            general: register("r"),
            status: status.map(|index| (index, model.registers[index].width_bits)).to_vec(),
            pending: ["overflow", "traced"].map(register).to_vec(),
            waiting: register("waiting"),
            console: ["key_enable", "print_enable"].map(register).to_vec(),
        }
    }

    fn registers(&self, machine: &dyn Machine) -> [u16; 8] {
        std::array::from_fn(|element| machine.read_register(self.general, element) as u16)
    }

    fn status(&self, machine: &dyn Machine) -> u8 {
        let mut status = 0;
        let mut shift = 0;
        for &(register, width) in &self.status {
            status |= (machine.read_register(register, 0) as u8) << shift;
            shift += width;
        }
        status
    }

    /// True if the next cycle executes an instruction, as far as it can be fetched.
    fn is_instruction(&self, machine: &dyn Machine) -> bool {
        let pc = self.registers(machine)[7];
        let is_trap = self.pending.iter().any(|register| machine.read_register(*register, 0) != 0);
        !is_trap && pc.is_multiple_of(2) && usize::from(pc) < MEMORY_BYTES
    }

    /// Puts a case into a new machine.
    fn prepare(&self, machine: &mut dyn Machine, base: &Base, case: &Case) {
        let filled: Vec<u8> = base.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        machine.write_bytes(0, 0, &filled).expect("there is memory");
        let code: Vec<u8> = case.code.iter().flat_map(|word| word.to_le_bytes()).collect();
        machine.write_bytes(0, case.registers[7].into(), &code).expect("there is memory");
        for (element, value) in case.registers.into_iter().enumerate() {
            machine.write_register(self.general, element, value.into());
        }
        let mut rest = case.status;
        for &(register, width) in &self.status {
            machine.write_register(register, 0, rest.into());
            rest = rest.checked_shr(width).unwrap_or(0);
        }
    }

    fn outcome(&self, machine: &dyn Machine, base: &Base, case: &Case) -> Outcome {
        let mut bytes = vec![0; MEMORY_BYTES];
        machine.read_bytes(0, 0, &mut bytes).expect("there is memory");
        let mut before = base.0.clone();
        let start = usize::from(case.registers[7]) / 2;
        before[start..start + case.code.len()].copy_from_slice(&case.code);
        before.resize(MEMORY_BYTES / 2, 0);
        let words = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let changed = words.zip(before).enumerate().filter(|(_, (now, before))| now != before);
        Outcome {
            registers: self.registers(machine),
            status: self.status(machine),
            changed: changed.map(|(index, (now, _))| (2 * index as u16, now)).collect(),
        }
    }
}

/// The reference engine, and what is needed to see how far it can be compared.
pub(crate) struct Bench {
    layout: Layout,
    model: &'static Model,
    /// The model without `memory_fault`: its engine stops at a fault and tells the address.
    telling: Model,
}

impl Bench {
    pub(crate) fn new(model: &'static Model) -> Bench {
        let telling = Model { memory_fault: None, ..model.clone() };
        Bench { layout: Layout::of_model(model), model, telling }
    }

    /// Runs a case to a HALT, or as far as [`LIMIT`] allows to an instruction that did not trap:
    /// simh stops between an instruction and its trap, the model behind the trap.
    ///
    /// `None` for a case that cannot be compared.
    pub(crate) fn run(&self, base: &Base, case: &Case) -> Option<Run> {
        let layout = &self.layout;
        let mut engine = ReferenceEngine::new(self.model);
        layout.prepare(engine.machine(), base, case);
        let mut host = Host::default();
        let mut instructions = 0;
        let mut end = None;
        for cycle in 1..=LIMIT {
            let machine = engine.machine();
            if machine.read_register(layout.waiting, 0) != 0 {
                break;
            }
            instructions += u64::from(layout.is_instruction(machine));
            let before = Before::of_machine(&layout.registers(machine), machine);
            let ended = engine.instructions();
            let stop = engine.run(&mut host, 1);
            let is_abandoned = stop == Stop::Budget && engine.instructions() == ended;
            if is_abandoned && self.fault_address(base, case, cycle - 1).is_some_and(simh_has_device) {
                return None;
            }
            let machine = engine.machine();
            let uses_console = layout.console.iter().any(|register| machine.read_register(*register, 0) != 0);
            let has_trapped = before.has_trapped(layout.registers(machine)[7]);
            if uses_console || before.is_obstacle(is_abandoned, has_trapped) {
                return None;
            }
            match stop {
                Stop::Budget if has_trapped => {}
                Stop::Budget => end = Some((cycle, instructions)),
                Stop::Halted(_) if host.explanation().is_none() => {
                    end = Some((cycle, instructions));
                    break;
                }
                // There is no stack for a trap, as the end tells where the stack pointer is odd.
                Stop::Paused { .. } | Stop::Halted(_) | Stop::Fault(_) | Stop::Interrupted => return None,
            }
        }
        let (cycles, instructions) = end.filter(|(_, instructions)| *instructions > 0)?;
        let outcome = self.repeat(&mut ReferenceEngine::new(self.model), base, case, cycles);
        Some(Run { cycles, instructions, outcome })
    }

    /// Runs a case on a new engine for as many cycles as a run before it took.
    pub(crate) fn repeat(&self, engine: &mut dyn Engine, base: &Base, case: &Case, cycles: u64) -> Outcome {
        self.layout.prepare(engine.machine(), base, case);
        engine.run(&mut Host::default(), cycles);
        self.layout.outcome(engine.machine(), base, case)
    }

    /// The address of the memory fault in the cycle behind the first so many, if there is one.
    fn fault_address(&self, base: &Base, case: &Case, cycles: u64) -> Option<u64> {
        let mut engine = ReferenceEngine::new(self.model);
        self.layout.prepare(engine.machine(), base, case);
        engine.run(&mut Host::default(), cycles);
        let mut telling = ReferenceEngine::new(&self.telling);
        copy_state(self.model, engine.machine(), telling.machine());
        match telling.run(&mut Host::default(), 1) {
            Stop::Fault(fault) => match fault.kind {
                FaultKind::Memory { address, .. } => Some(address),
                _ => None,
            },
            Stop::Budget | Stop::Paused { .. } | Stop::Halted(_) | Stop::Interrupted => None,
        }
    }
}

fn copy_state(model: &Model, from: &dyn Machine, to: &mut dyn Machine) {
    for (register, table) in model.registers.iter().enumerate() {
        for element in 0..table.elements() as usize {
            to.write_register(register, element, from.read_register(register, element));
        }
    }
    let mut bytes = vec![0; MEMORY_BYTES];
    from.read_bytes(0, 0, &mut bytes).expect("there is memory");
    to.write_bytes(0, 0, &bytes).expect("there is memory");
}
