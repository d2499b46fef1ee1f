//! Runs one case on an engine and tells every difference.
//!
//! All registers are compared. Of memory, everything near is: a few kilobytes around every
//! address that the case names or that a register of it holds, which is farther than any
//! instruction of the models reaches. Whole memories are compared in the runs of programs.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::bits::{Bits, mask};
use isac_ir::resource::{Range, RegisterPlace};
use sim_runtime::host::Host;
use sim_runtime::{AccessKind, Engine, FaultKind, Machine, Stop};

use super::case::{Case, End};
use super::place::{Place, cell_bytes};

/// How far from an address an instruction may write, in bytes; more than a 12-bit displacement.
const REACH: u64 = 0x810;

/// Bytes of a map from a byte address on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) map: usize,
    address: u64,
    bytes: Vec<u8>,
}

/// Registers by register and element, and the memory near; pieces may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) registers: BTreeMap<(usize, usize), u128>,
    memory: Vec<Piece>,
}

/// What is not as the case says, each as one line: of a model whose instructions overlap after the
/// case's cycles, of any other after its instruction.
pub(crate) fn compare(case: &Case, engine: &mut dyn Engine, model: &Model) -> Vec<String> {
    if let Err(error) = prepare(case, engine.machine(), model) {
        return vec![error];
    }
    let near = near(case, model);
    let mut expected = read_state(engine.machine(), model, &near);
    expected.set_parts(&model.pc, case.behind(model));
    for (place, value) in &case.after {
        expected.set(*place, *value, model);
    }

    let stop = run(case, engine, model);
    let mut differences = match model.overlaps() {
        true => compare_cycles(case, stop, engine),
        false => compare_end(case, stop, engine),
    };
    let found = read_state(engine.machine(), model, &near);
    differences.extend(compare_states(&expected, &found, model));
    differences
}

/// Runs a case that has been prepared.
pub(super) fn run(case: &Case, engine: &mut dyn Engine, model: &Model) -> Stop {
    let budget = if model.overlaps() { case.cycles } else { 1 };
    engine.run(&mut Host::default(), budget)
}

/// Everything 0, then the bytes, the cells, the PC and the registers, in this order.
pub(super) fn prepare(case: &Case, machine: &mut dyn Machine, model: &Model) -> Result<(), String> {
    for (register, table) in model.registers.iter().enumerate() {
        for element in 0..table.elements() as usize {
            machine.write_register(register, element, 0);
        }
    }
    let map = model.target.host_map.unwrap_or(0) as usize;
    let outside = |address| format!("there is no memory at {address:#x} for the bytes");
    let first = case.address.wrapping_mul(cell_bytes(model, map));
    machine.write_bytes(map, first, &case.bytes).map_err(outside)?;
    let is_memory = |place: &Place| matches!(place, Place::Memory { .. });
    for (place, value) in case.before.iter().filter(|(place, _)| is_memory(place)) {
        place.write(*value, machine, model)?;
    }
    machine.write_place(&model.pc, case.address.into());
    for (place, value) in case.before.iter().filter(|(place, _)| !is_memory(place)) {
        place.write(*value, machine, model)?;
    }
    Ok(())
}

/// The pieces of memory that are looked at.
pub(super) fn near(case: &Case, model: &Model) -> Vec<Piece> {
    // With whether it is this map that is meant, or any behind which the memory stands.
    let mut centres = vec![(model.target.host_map.unwrap_or(0) as usize, case.address, true)];
    for (place, value) in case.before.iter().chain(&case.after) {
        match *place {
            Place::Memory { map, address, .. } => centres.push((map, address, true)),
            Place::Register { .. } | Place::Alias(_) => {
                let maps = 0..model.maps.len();
                centres.extend(maps.map(|map| (map, *value as u64, false)));
            }
        }
    }
    let mut pieces = Vec::new();
    for (map, centre, is_meant) in centres {
        let table = &model.maps[map];
        let end = mask(table.address_bits) as u64;
        // Where the window wraps at the address width, all of the memory at both ends is near.
        let reach = REACH / cell_bytes(model, map);
        let (low, high) = (centre.wrapping_sub(reach) & end, centre.wrapping_add(reach) & end);
        let windows = if low <= high { vec![(low, high)] } else { vec![(0, high), (low, end)] };
        for (low, high) in windows {
            let is_near = |range: &&Range| range.low <= high && low <= range.high;
            let ranges = table.ranges.iter().filter(is_near);
            for range in ranges.filter(|range| is_meant || !is_seen_before(model, map, range)) {
                let (low, high) = (low.max(range.low), high.min(range.high));
                let size = cell_bytes(model, map);
                let bytes = vec![0; ((high - low + 1) * size) as usize];
                let piece = Piece { map, address: low * size, bytes };
                if !pieces.contains(&piece) {
                    pieces.push(piece);
                }
            }
        }
    }
    pieces
}

/// Whether a memory stands behind a map before this one, and no other cache before it.
fn is_seen_before(model: &Model, map: usize, range: &Range) -> bool {
    let mut before = model.maps[..map].iter().flat_map(|map| &map.ranges);
    before.any(|other| (other.ram, other.cache) == (range.ram, range.cache))
}

pub(super) fn read_state(machine: &dyn Machine, model: &Model, near: &[Piece]) -> State {
    let mut registers = BTreeMap::new();
    for (register, table) in model.registers.iter().enumerate() {
        for element in 0..table.elements() as usize {
            registers.insert((register, element), machine.read_register(register, element));
        }
    }
    let mut memory = near.to_vec();
    for piece in &mut memory {
        machine.read_bytes(piece.map, piece.address, &mut piece.bytes).expect("the piece is in a range");
    }
    State { registers, memory }
}

impl State {
    pub(super) fn set(&mut self, place: Place, value: u128, model: &Model) {
        match place {
            Place::Register { register, element } => {
                self.registers.insert((register, element), value);
            }
            Place::Alias(alias) => self.set_parts(&model.aliases[alias], value),
            Place::Memory { map, address, .. } => {
                let first = address.wrapping_mul(cell_bytes(model, map));
                for (byte, offset) in place.bytes(value, model).into_iter().zip(0..) {
                    self.set_byte(map, first.wrapping_add(offset), byte);
                }
            }
        }
    }

    /// Sets bits of registers; their other bits stay.
    pub(super) fn set_parts(&mut self, place: &RegisterPlace, value: u128) {
        place.write(Bits::from_u128(value), |part, bits| {
            let element = (part.register as usize, part.element as usize);
            let register = self.registers.entry(element).or_default();
            *register = *register & !(mask(part.width_bits) << part.low) | bits << part.low;
        });
    }

    fn set_byte(&mut self, map: usize, address: u64, value: u8) {
        for piece in self.memory.iter_mut().filter(|piece| piece.map == map) {
            let index = address.wrapping_sub(piece.address) as usize;
            if let Some(byte) = piece.bytes.get_mut(index) {
                *byte = value;
            }
        }
    }
}

/// What a stop after one instruction says of it.
pub(super) fn end_of(stop: Stop, engine: &dyn Engine) -> End {
    match stop {
        Stop::Budget | Stop::Paused { .. } if engine.instructions() == 0 => End::Abandoned,
        Stop::Budget | Stop::Paused { .. } => End::Ran,
        Stop::Halted(status) => End::Halted(status),
        Stop::Interrupted => unreachable!("nobody interrupts a case"),
        Stop::Fault(fault) => match fault.kind {
            FaultKind::IllegalInstruction => End::Illegal,
            FaultKind::Memory { access: AccessKind::Read, .. } => End::Read,
            FaultKind::Memory { access: AccessKind::Write, .. } => End::Write,
            FaultKind::Memory { access: AccessKind::Fetch, .. } => End::Fetch,
            FaultKind::DivisionByZero | FaultKind::RegisterIndex { .. } => End::OtherFault,
        },
    }
}

/// After so many cycles the run goes on, unless the case says otherwise.
fn compare_cycles(case: &Case, stop: Stop, engine: &dyn Engine) -> Vec<String> {
    let end = match stop {
        Stop::Budget | Stop::Paused { .. } => End::Ran,
        other => end_of(other, engine),
    };
    match (end, engine.cycles()) == (case.end, case.cycles) {
        true => Vec::new(),
        false => {
            let (cycles, expected) = (engine.cycles(), (case.end, case.cycles));
            vec![format!("the end is {end:?} after {cycles} cycles, expected {expected:?}")]
        }
    }
}

fn compare_end(case: &Case, stop: Stop, engine: &dyn Engine) -> Vec<String> {
    let mut differences = Vec::new();
    let end = end_of(stop, engine);
    if end != case.end {
        differences.push(format!("the end is {end:?}, expected {:?}", case.end));
    }
    if let Stop::Fault(fault) = stop
        && (fault.instruction_address, fault.cycle) != (case.address, 0)
    {
        differences.push(format!("the fault is in another place or cycle: {fault:?}"));
    }
    let ended = u64::from(!matches!(stop, Stop::Fault(_)) && end != End::Abandoned);
    if (engine.instructions(), engine.cycles()) != (ended, case.cycles) {
        let (instructions, cycles) = (engine.instructions(), engine.cycles());
        let expected = case.cycles;
        differences
            .push(format!("{instructions} instructions in {cycles} cycles, expected {ended} in {expected}"));
    }
    differences
}

pub(super) fn compare_states(expected: &State, found: &State, model: &Model) -> Vec<String> {
    let mut differences = Vec::new();
    for ((register, element), expected) in &expected.registers {
        let found = found.registers[&(*register, *element)];
        if found != *expected {
            let table = &model.registers[*register];
            let names = table.element_names.get(*element).and_then(|names| names.first());
            let name = names.unwrap_or(&table.name);
            differences.push(format!("{name} is {found:#x}, expected {expected:#x}"));
        }
    }
    let mut bytes = BTreeSet::new();
    for (expected, found) in expected.memory.iter().zip(&found.memory) {
        let pairs = expected.bytes.iter().zip(&found.bytes).zip(expected.address..);
        for ((expected_byte, found), address) in pairs.filter(|((expected, found), _)| expected != found) {
            let name = &model.maps[expected.map].name;
            bytes.insert(format!("byte {address:#x} of {name} is {found:#x}, expected {expected_byte:#x}"));
        }
    }
    differences.extend(bytes);
    differences
}
