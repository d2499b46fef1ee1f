//! Resources and the target section.

use isac_ir::resource::{
    Cache, Device, DeviceKind, DeviceRange, Map, Ram, Range, Register, RegisterPart, RegisterPlace,
    Replacement, Syscalls, Target,
};
use isac_parser::model::{self as source, ElfAddress, Endian, RangeTarget};

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn lower_target(&self) -> Target {
        let target = &self.model.target;
        Target {
            big_endian: target.endian == Endian::Big,
            elf_machine: target.elf_machine,
            elf_class: target.elf_class,
            physical_addresses: target.elf_address == ElfAddress::Physical,
            stack: target.stack.as_ref().map(|(place, value)| (self.lower_place(place), *value)),
            syscalls: match target.syscalls {
                source::Syscalls::LinuxGeneric => Syscalls::Generic,
                source::Syscalls::LinuxO32 => Syscalls::O32,
                source::Syscalls::LinuxEabi => Syscalls::Eabi,
            },
            host_map: target.host.map(|map| map.0),
            comment: target.comment.clone(),
            hexadecimal: target.hex.clone(),
            binary: target.binary.clone(),
            loads: target.loads.iter().map(|(low, high, map)| (*low, *high, map.0)).collect(),
        }
    }

    pub(super) fn lower_place(&self, place: &isac_parser::model::RegisterPlace) -> RegisterPlace {
        let mut lowered = RegisterPlace {
            name: place.name.clone(),
            location: self.location(place.span),
            width_bits: place.width_bits,
            parts: Vec::new(),
        };
        for part in &place.parts {
            lowered.add_part(RegisterPart {
                register: part.register.0,
                element: part.element,
                low: part.low,
                width_bits: part.width_bits,
            });
        }
        lowered
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
            fill: ram.fill,
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
            ranges: map.ranges.iter().filter_map(|range| self.lower_range(range)).collect(),
            devices: map.ranges.iter().filter_map(lower_device_range).collect(),
        })
        .collect()
    }

    /// A range onto a memory, or onto the memory behind a cache.
    fn lower_range(&self, range: &source::Range) -> Option<Range> {
        let (ram, cache) = match range.target {
            RangeTarget::Ram(ram) => (ram, None),
            RangeTarget::Cache(cache) => (self.model.caches[cache.index()].over, Some(cache.0)),
            RangeTarget::Device(_) | RangeTarget::Register(_) | RangeTarget::Functions { .. } => return None,
        };
        Some(Range { low: range.low, high: range.high, ram: ram.0, low_bit: range.low_bit, cache })
    }

    pub(super) fn lower_devices(&self) -> Vec<Device> {
        let devices = self.model.devices.iter();
        devices
            .map(|device| Device {
                name: device.name.clone(),
                location: self.location(device.span),
                kind: match device.kind {
                    source::DeviceKind::Console => DeviceKind::Console,
                    source::DeviceKind::Timer => DeviceKind::Timer,
                    source::DeviceKind::Exit => DeviceKind::Exit,
                },
            })
            .collect()
    }

    pub(super) fn lower_caches(&self) -> Vec<Cache> {
        let caches = self.model.caches.iter();
        caches
            .map(|cache| Cache {
                name: cache.name.clone(),
                location: self.location(cache.span),
                size_cells: cache.size_cells,
                line_cells: cache.line_cells,
                ways: cache.ways,
                replacement: match cache.replacement {
                    source::Replacement::LeastRecentlyUsed => Replacement::LeastRecentlyUsed,
                    source::Replacement::FirstInFirstOut => Replacement::FirstInFirstOut,
                    source::Replacement::Random => Replacement::Random,
                },
                write_back: cache.write == source::WritePolicy::Back,
                hit_cycles: cache.hit_cycles,
                miss_cycles: cache.miss_cycles,
                ram: cache.over.0,
            })
            .collect()
    }
}

fn lower_device_range(range: &source::Range) -> Option<DeviceRange> {
    match range.target {
        RangeTarget::Device(device) => {
            Some(DeviceRange { low: range.low, high: range.high, device: device.0 })
        }
        _ => None,
    }
}
