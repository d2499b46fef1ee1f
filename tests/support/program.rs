//! A program as bytes and registers, run on an engine without any launcher.

use isac_ir::Model;
use isac_ir::bits::Bits;
use sim_profile::render_xml;
use sim_runtime::host::{Host, Streams};
use sim_runtime::{Engine, Stop};

/// What stands in the machine before the first instruction, all else being 0 or as after reset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    /// Byte address in the first map, and bytes.
    pub(crate) memory: Vec<(u64, Vec<u8>)>,
    /// Register, element, value.
    pub(crate) registers: Vec<(usize, usize, u128)>,
    pub(crate) pc: u64,
    /// Pieces of memory that are looked at in the end: byte address and length.
    pub(crate) watched: Vec<(u64, usize)>,
    /// After so many instructions the run ends.
    pub(crate) budget: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stop: Stop,
    /// Everything but the report, one thing a line.
    pub(crate) state: String,
    pub(crate) report: Option<String>,
}

impl Program {
    pub(crate) fn run(&self, engine: &mut dyn Engine, model: &Model) -> Outcome {
        let machine = engine.machine();
        for (address, bytes) in &self.memory {
            machine.write_bytes(0, *address, bytes).expect("the program lies in memory");
        }
        for (register, element, value) in &self.registers {
            machine.write_register(*register, *element, *value);
        }
        machine.write_place(&model.pc, self.pc.into());

        let (streams, output, errors) = Streams::captured(b"some input");
        let mut host = Host::new(streams);
        let stop = engine.run(&mut host, self.budget);
        host.flush().expect("buffers take everything");
        let state = [
            format!("{stop:?}"),
            format!("instructions {}, cycles {}", engine.instructions(), engine.cycles()),
            format!("output {:?}, errors {:?}", output.bytes(), errors.bytes()),
            registers_text(engine, model),
            self.memory_text(engine),
        ];
        let report = engine.measurement().map(|measurement| render_xml(&measurement));
        Outcome { stop, state: state.join("\n"), report }
    }

    fn memory_text(&self, engine: &mut dyn Engine) -> String {
        let mut text = String::new();
        for &(address, length) in &self.watched {
            let mut bytes = vec![0; length];
            engine.machine().read_bytes(0, address, &mut bytes).expect("watched memory exists");
            for (index, piece) in
                bytes.chunks(16).enumerate().filter(|(_, piece)| piece.iter().any(|byte| *byte != 0))
            {
                text += &format!("{:#x}: {piece:02x?}\n", address + 16 * index as u64);
            }
        }
        text
    }
}

/// Where the program counter is after reset.
pub(crate) fn reset_pc(model: &Model) -> u64 {
    let element =
        |register: u32, element| Bits::from_u128(model.registers[register as usize].reset_value(element));
    model.pc.read(element).to_u128() as u64
}

/// All registers, one a line.
pub(crate) fn registers_text(engine: &mut dyn Engine, model: &Model) -> String {
    let machine = engine.machine();
    let mut text = String::new();
    for (index, register) in model.registers.iter().enumerate() {
        for element in 0..register.elements() as usize {
            let value = machine.read_register(index, element);
            text += &format!("{}[{element}] = {value:#x}\n", register.name);
            if register.width_bits > 128 {
                let upper = machine.read_register_bits(index, element).extract(128, 128);
                text += &format!("    above 128 bits {upper:#x}\n");
            }
        }
    }
    text
}
