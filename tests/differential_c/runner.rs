//! Runs the operations of a batch on an engine, one after the other, and tells the state after
//! each. A copy of this file goes into the programs around emitted simulators.

use std::fmt::Write as _;

use isac_ir::Model;
use sim_runtime::host::{Host, Streams};
use sim_runtime::{Engine, FaultKind, Machine, Stop};

/// Where the instruction stands that is run.
const CODE: u64 = 0x100;
/// The bytes that the operations use.
const DATA: u64 = 0x8000;

/// Everything that can be seen: after each word a fault or none, the registers, the memory, and
/// before that what was printed.
///
/// A fault ends an engine's run for good: the next operation gets a new one from `start`.
pub(crate) fn run<'m>(start: &dyn Fn() -> Box<dyn Engine + 'm>, model: &Model, words: &[u32]) -> String {
    let (streams, output, _) = Streams::captured(b"");
    let mut host = Host::new(streams);
    let mut text = String::new();
    let mut printed = 0;
    let mut engine = start();
    for (index, word) in words.iter().enumerate() {
        let machine = engine.machine();
        machine.write_bytes(0, CODE, &word.to_le_bytes()).expect("there is memory");
        reset(machine, model, word & 0xf_ffff);
        machine.write_register(pc(model), 0, CODE.into());
        let stop = engine.run(&mut host, 1);
        host.flush().expect("buffers take everything");
        let all = output.bytes();
        let _ = write!(text, "\nc{index}\n{}\n{}:", String::from_utf8_lossy(&all[printed..]), describe(stop));
        printed = all.len();
        write_state(engine.as_mut(), model, &mut text);
        if stop != Stop::Budget {
            engine = start();
        }
    }
    text + "\n"
}

/// The program counter's register.
fn pc(model: &Model) -> usize {
    model.registers.iter().position(|register| register.name == "pc").expect("there is a PC")
}

/// Gives registers and memory what they have before an operation whose fields are `salt`.
fn reset(machine: &mut dyn Machine, model: &Model, salt: u32) {
    let mut place = 0;
    for (index, register) in model.registers.iter().enumerate() {
        if index != pc(model) {
            for element in 0..register.elements() as usize {
                machine.write_register(index, element, start_value(salt, place));
                place += 1;
            }
        }
    }
    for byte in 0..256 {
        let value = [start_value(salt, 1000 + byte) as u8];
        machine.write_bytes(0, DATA + u64::from(byte), &value).expect("there is memory");
    }
}

/// What stands in a place: as often a corner as any; `prelude.c` has the same.
fn start_value(salt: u32, place: u32) -> u128 {
    let mut mixed = (u64::from(salt) << 12 | u64::from(place)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^= mixed >> 32;
    match mixed & 7 {
        0 => 0,
        1 => u128::MAX,
        2 => 1,
        3 => u128::from(mixed >> 56),
        _ => u128::from(mixed) << 64 | u128::from(mixed.wrapping_mul(0xd6e8_feb8_6659_fd93)),
    }
}

fn describe(stop: Stop) -> String {
    match stop {
        Stop::Budget | Stop::Paused { .. } => "ended".to_owned(),
        Stop::Fault(fault) => match fault.kind {
            FaultKind::DivisionByZero => "division by zero".to_owned(),
            FaultKind::RegisterIndex { .. } => "no such element".to_owned(),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

fn write_state(engine: &mut dyn Engine, model: &Model, text: &mut String) {
    let machine = engine.machine();
    for (index, register) in model.registers.iter().enumerate() {
        if index == pc(model) {
            continue;
        }
        for element in 0..register.elements() as usize {
            let _ = write!(text, " {:x}", machine.read_register(index, element));
        }
    }
    let mut bytes = [0; 256];
    machine.read_bytes(0, DATA, &mut bytes).expect("there is memory");
    text.push_str("\nmemory:");
    for byte in bytes {
        let _ = write!(text, " {byte:x}");
    }
}
