//! The processor's state as the reference engine keeps it: one number an element.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::bits::{Bits, mask};
use isac_ir::control::{fetching_operations, striking_operations};

use crate::cache::AccessCosts;
use crate::device::Devices;
use crate::engine::Machine;
use crate::inspection::TouchedCells;
use crate::memory::{Memory, read_map_bytes, write_map_bytes};

/// Registers and memory.
pub(super) struct State<'m> {
    pub(super) model: &'m Model,
    /// Operations that may send the run elsewhere than an instruction does.
    pub(super) striking: BTreeSet<u32>,
    /// Operations that fetch, where that has to be known.
    pub(super) fetching: BTreeSet<u32>,
    pub(super) registers: Vec<Vec<Bits>>,
    pub(super) memory: Memory,
    pub(super) devices: Devices,
    /// What accesses cost, where that is simulated.
    pub(super) costs: Option<AccessCosts>,
    /// The cache that the last access to each map went through.
    pub(super) reached: Vec<Option<u32>>,
    /// Which data the program reads and writes, where somebody watches.
    pub(super) touched: Option<Vec<TouchedCells>>,
}

impl<'m> State<'m> {
    /// Registers at their RESET values, memory 0.
    pub(super) fn new(model: &'m Model) -> State<'m> {
        let registers = model.registers.iter().map(|register| {
            let elements = 0..register.elements();
            elements.map(|element| Bits::from_u128(register.reset_value(element))).collect()
        });
        State {
            model,
            striking: striking_operations(model),
            fetching: fetching_operations(model),
            registers: registers.collect(),
            memory: Memory::new(model),
            devices: Devices::new(model),
            costs: None,
            reached: vec![None; model.maps.len()],
            touched: None,
        }
    }

    /// The program counter.
    pub(super) fn pc(&self) -> u64 {
        let element = |register: u32, element: u32| self.registers[register as usize][element as usize];
        self.model.pc.read(element).to_u128() as u64
    }

    /// Writes bits `low..low + width` of an element.
    pub(super) fn write_bits(&mut self, register: u32, element: u32, low: u32, width: u32, value: u128) {
        let table = &self.model.registers[register as usize];
        if table.hardwired_value(element).is_some() {
            return;
        }
        if let Some(place) = self.registers[register as usize].get_mut(element as usize) {
            let width = width.min(table.width_bits - low);
            *place = place.with(low, width, value);
        }
    }
}

impl Machine for State<'_> {
    fn read_register(&self, register: usize, element: usize) -> u128 {
        self.registers[register][element].to_u128()
    }

    fn read_register_bits(&self, register: usize, element: usize) -> Bits {
        self.registers[register][element]
    }

    fn write_register_bits(&mut self, register: usize, element: usize, value: Bits) {
        let width = self.model.registers[register].width_bits;
        for low in (0..width).step_by(128) {
            let part = (width - low).min(128);
            self.write_bits(register as u32, element as u32, low, part, value.extract(low, part));
        }
    }

    fn write_register(&mut self, register: usize, element: usize, value: u128) {
        let width = self.model.registers[register].width_bits;
        self.write_register_bits(register, element, Bits::from_u128(value & mask(width)));
    }

    fn read_bytes(&self, map: usize, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
        read_map_bytes(self.model, &self.memory, map, address, bytes)
    }

    fn write_bytes(&mut self, map: usize, address: u64, bytes: &[u8]) -> Result<(), u64> {
        write_map_bytes(self.model, &mut self.memory, map, address, bytes)
    }
}
