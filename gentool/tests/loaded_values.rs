//! `li` and `la`, which are several instructions: run, they leave what the line says in the register.

mod cases;

use std::path::PathBuf;

use gentool::assembler::{Assembled, Assembler, Bases};
use isac_ir::Model;
use isac_ir::bits::mask;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::Engine;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;

/// Models with these spellings, and where the register `a0` is.
const MODELS: [(&str, (&str, usize)); 4] = [
    ("models/rv32im/rv32im.isac", ("x", 10)),
    ("models/rv32imc/rv32imc.isac", ("x", 10)),
    ("models/rv64imac/rv64imac.isac", ("x", 10)),
    ("models/mips32/mips32.isac", ("r", 4)),
];

/// Most instructions of one line.
const MOST_INSTRUCTIONS: usize = 8;

/// A model with what runs its lines.
struct Machine<'m> {
    model: &'m Model,
    assembler: Assembler<'m>,
    engine: ReferenceEngine<'m>,
    /// `a0`: the register file and the element.
    register: (usize, usize),
}

impl<'m> Machine<'m> {
    fn new(model: &'m Model, (name, element): (&str, usize)) -> Machine<'m> {
        let file = model.registers.iter().position(|register| register.name == name);
        Machine {
            model,
            assembler: Assembler::new(model).expect("the model's instructions have texts"),
            engine: ReferenceEngine::new(model),
            register: (file.expect("the register file"), element),
        }
    }

    /// The program of a text, or what is wrong with it.
    fn assemble(&self, text: &str) -> Result<Assembled, String> {
        let loader = InMemory::new([("line.s", text)]);
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let files = [PathBuf::from("line.s")];
        let program = self
            .assembler
            .assemble(&files, Bases::default(), &loader, &mut sources, &mut findings)
            .expect("the file is there");
        program.ok_or_else(|| findings.render(&sources, Style::Plain))
    }

    /// What a text leaves in `a0`.
    fn run(&mut self, text: &str) -> Result<u64, String> {
        let program = self.assemble(text)?;
        let piece = &program.pieces[0];
        let map = self.model.target.host_map.unwrap_or(0) as usize;
        let machine = self.engine.machine();
        machine.write_bytes(map, piece.address, &piece.bytes).expect("the line lies in memory");
        machine.write_place(&self.model.pc, program.entry.into());
        machine.write_register(self.register.0, self.register.1, 0x0123_4567_89ab_cdef);
        let end = u128::from(program.entry + piece.size_cells);
        for _ in 0..MOST_INSTRUCTIONS {
            if self.engine.machine().read_place(&self.model.pc) == end {
                break;
            }
            self.engine.run(&mut Host::default(), 1);
        }
        let machine = self.engine.machine();
        assert_eq!(machine.read_place(&self.model.pc), end, "{text} has run to its end");
        Ok(machine.read_register(self.register.0, self.register.1) as u64)
    }
}

/// Numbers with one, two and all bits from some bit on, and those beside them.
fn corner_values() -> Vec<i128> {
    let mut found = Vec::new();
    for bit in 0..=64 {
        for lower in [0, 1i128 << (bit / 2), 0x800, 0x7ff, 0x8000] {
            for value in [(1i128 << bit) + lower, (1i128 << bit) - lower] {
                found.extend([value - 1, value, value + 1, -value - 1, -value, -value + 1]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// True for a number that a register of so many bits holds, with a sign or without one.
fn fits(value: i128, width_bits: u32) -> bool {
    (-(1i128 << (width_bits - 1))..1i128 << width_bits).contains(&value)
}

#[test]
fn li_loads_every_number_that_a_register_holds_and_no_other() {
    for (path, register) in MODELS {
        let model = cases::model(path);
        let width = model.address_bits();
        let mut machine = Machine::new(&model, register);
        let (mut loaded, mut refused) = (0, 0);
        for value in corner_values() {
            let sign = if value < 0 { "-" } else { "" };
            let text = format!("li a0, {sign}{:#x}\n", value.unsigned_abs());
            match (fits(value, width), machine.run(&text)) {
                (true, found) => {
                    assert_eq!(found, Ok(value as u64 & mask(width) as u64), "{path}: {text}");
                    loaded += 1;
                }
                (false, Ok(found)) => panic!("{path}: {text} loads {found:#x}"),
                (false, Err(message)) => {
                    assert!(message.starts_with("error[A0304]"), "{path}: {message}");
                    refused += 1;
                }
            }
        }
        assert!(loaded > 900 && refused > 40, "{path}: {loaded} loaded, {refused} refused");
    }
}

/// RV64 reaches two gigabytes from where `la` stands, the others every address.
#[test]
fn la_loads_addresses_as_far_as_it_reaches() {
    for (path, register) in MODELS {
        let model = cases::model(path);
        let mut machine = Machine::new(&model, register);
        let here = machine.assemble("nop\n").expect("a line").entry;
        let (mut loaded, mut refused) = (0, 0);
        for value in corner_values() {
            let address = i128::from(here) + value;
            if !(0..1 << model.address_bits()).contains(&address) {
                continue;
            }
            let text = format!("la a0, target\n.equ target, {address:#x}\n");
            let reaches = model.address_bits() == 32 || (-0x8000_0800..0x7fff_f800).contains(&value);
            match (reaches, machine.run(&text)) {
                (true, found) => {
                    assert_eq!(found, Ok(address as u64), "{path}: {text}");
                    loaded += 1;
                }
                (false, Ok(found)) => panic!("{path}: {text} loads {found:#x}"),
                (false, Err(message)) => {
                    assert!(message.starts_with("error[A0304]"), "{path}: {message}");
                    refused += 1;
                }
            }
        }
        assert!(loaded > 200, "{path}: {loaded} loaded");
        assert!(model.address_bits() == 32 || refused > 200, "{path}: {refused} refused");
    }
}
