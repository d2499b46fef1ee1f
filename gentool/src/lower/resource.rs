//! Resources and the target section.

use isac_ir::resource::{Map, Ram, Range, Register, RegisterPart, RegisterPlace, Target};
use isac_parser::model::Endian;

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn lower_target(&self) -> Target {
        let target = &self.model.target;
        Target {
            big_endian: target.endian == Endian::Big,
            elf_machine: target.elf_machine,
            elf_class: target.elf_class,
            stack: target.stack.as_ref().map(|(place, value)| (self.lower_place(place), *value)),
            host_map: target.host.map(|map| map.0),
            loads: target.loads.iter().map(|(low, high, map)| (*low, *high, map.0)).collect(),
        }
    }

    pub(super) fn lower_place(&self, place: &isac_parser::model::RegisterPlace) -> RegisterPlace {
        let parts = place.parts.iter().map(|part| RegisterPart {
            register: part.register.0,
            element: part.element,
            low: part.low,
            width_bits: part.width_bits,
        });
        RegisterPlace {
            name: place.name.clone(),
            location: self.location(place.span),
            width_bits: place.width_bits,
            parts: parts.collect(),
        }
    }

    pub(super) fn lower_registers(&self) -> Vec<Register> {
        let registers = self.model.registers.iter();
        registers
            .map(|register| Register {
                name: register.name.clone(),
                location: self.location(register.span),
                width_bits: register.width_bits,
                count: register.count,
                reset: register.reset,
                element_resets: register.element_resets.clone(),
                hardwired: register.hardwired.clone(),
                element_names: register.element_names.clone(),
            })
            .collect()
    }

    pub(super) fn lower_rams(&self) -> Vec<Ram> {
        let rams = self.model.rams.iter();
        rams.map(|ram| Ram {
            name: ram.name.clone(),
            location: self.location(ram.span),
            cell_bits: ram.cell_bits,
            size_cells: ram.size_cells,
            readable: ram.readable,
            writable: ram.writable,
            executable: ram.executable,
            latency: ram.latency,
        })
        .collect()
    }

    pub(super) fn lower_maps(&self) -> Vec<Map> {
        let maps = self.model.maps.iter();
        maps.map(|map| Map {
            name: map.name.clone(),
            location: self.location(map.span),
            address_bits: map.address_bits,
            cell_bits: map.cell_bits,
            ranges: map
                .ranges
                .iter()
                .map(|range| Range { low: range.low, high: range.high, ram: range.ram.0 })
                .collect(),
        })
        .collect()
    }
}
