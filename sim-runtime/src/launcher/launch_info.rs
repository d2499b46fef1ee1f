//! What a launcher needs to know of a model, as plain data.

use isac_ir::Model;
use isac_ir::resource::RegisterPlace;

use crate::image::{Expected, Load, Placement};

/// A model as the launcher sees it. Registers and maps are in the order of the model's tables,
/// which is that of [`crate::engine::Machine`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchInfo {
    /// Name of the model.
    pub model: String,
    /// Digest of the model's description, as whoever generated the simulator computes it.
    pub model_digest: String,
    /// Name of the engine that runs the program.
    pub engine: String,
    /// Registers and register files.
    pub registers: Vec<LaunchRegister>,
    /// Memory maps.
    pub maps: Vec<LaunchMap>,
    /// Names for parts of registers.
    pub aliases: Vec<RegisterPlace>,
    /// The program counter.
    pub pc: RegisterPlace,
    /// Index of the map that loader and host calls use.
    pub host_map: usize,
    /// Byte order of the target.
    pub big_endian: bool,
    /// ELF's number of the machine; `None` accepts any.
    pub elf_machine: Option<u16>,
    /// 32 or 64: ELF's class; `None` accepts any.
    pub elf_class: Option<u32>,
    /// True if an ELF file is loaded at its physical addresses.
    pub physical_addresses: bool,
    /// Where a program's stack begins.
    pub stack: Option<LaunchStack>,
    /// Image addresses that go to other maps.
    pub loads: Vec<Load>,
}

/// A register or a file of registers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchRegister {
    /// Its name.
    pub name: String,
    /// Width of an element in bits, 1 to 256.
    pub width_bits: u32,
    /// Number of elements of a file; `None` for a single register.
    pub count: Option<usize>,
    /// Names of the elements of a file, each with its synonyms, the first being the usual one.
    pub element_names: Vec<Vec<String>>,
}

/// A memory map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchMap {
    /// Its name.
    pub name: String,
    /// Width of an address in bits; addresses count cells.
    pub address_bits: u32,
    /// Width of a cell in bits.
    pub cell_bits: u32,
    /// First and last address of each piece of memory, in cells, ascending and disjoint;
    /// devices left out.
    pub ranges: Vec<(u64, u64)>,
}

/// The stack pointer's register and what it holds at the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchStack {
    /// The stack pointer.
    pub pointer: RegisterPlace,
    /// First address above the stack, in cells of the host map.
    pub top: u64,
}

impl LaunchInfo {
    /// What a lowered model says of itself; `engine` and the digest come from the caller.
    #[must_use]
    pub fn of_model(model: &Model, engine: &str, model_digest: &str) -> Self {
        let target = &model.target;
        Self {
            model: model.name.clone(),
            model_digest: model_digest.to_owned(),
            engine: engine.to_owned(),
            registers: model.registers.iter().map(LaunchRegister::of_model).collect(),
            maps: model.maps.iter().map(LaunchMap::of_model).collect(),
            aliases: model.aliases.clone(),
            pc: model.pc.clone(),
            host_map: target.host_map.unwrap_or(0) as usize,
            big_endian: target.big_endian,
            elf_machine: target.elf_machine,
            elf_class: target.elf_class,
            physical_addresses: target.physical_addresses,
            stack: target.stack.as_ref().map(|(pointer, value)| LaunchStack {
                pointer: pointer.clone(),
                top: u64::try_from(*value).unwrap_or(u64::MAX),
            }),
            loads: (target.loads.iter())
                .map(|&(low, high, map)| Load { low, high, map: map as usize })
                .collect(),
        }
    }

    /// What an ELF file must be to run on this model.
    #[must_use]
    pub fn expected(&self) -> Expected {
        Expected {
            machine: self.elf_machine,
            class: self.elf_class,
            big_endian: Some(self.big_endian),
            physical_addresses: self.physical_addresses,
        }
    }

    /// Which maps the parts of an image go to.
    #[must_use]
    pub fn placement(&self) -> Placement<'_> {
        Placement { default_map: self.host_map, loads: &self.loads }
    }

    /// An address as the program counter holds it: hexadecimal, padded to its width.
    #[must_use]
    pub fn format_address(&self, address: u64) -> String {
        let bits = if self.pc.parts.is_empty() { 64 } else { self.pc.width_bits.min(64) };
        let digits = bits.div_ceil(4) as usize;
        format!("0x{address:0digits$x}")
    }

    /// Bytes in a cell of a map: byte address = cell address times this.
    #[must_use]
    pub fn cell_bytes(&self, map: usize) -> u64 {
        let cell_bits = self.maps.get(map).map_or(8, |map| map.cell_bits);
        u64::from(cell_bits.div_ceil(8).max(1))
    }

    /// Width of the guest's words on its first stack, 32 or 64, by the rule that the engines
    /// follow for system calls: ELF's class, else the width of the program counter.
    pub(crate) fn word_bits(&self) -> u32 {
        let pc_bits = if self.pc.parts.is_empty() { 32 } else { self.pc.width_bits };
        if self.elf_class.unwrap_or(pc_bits) > 32 { 64 } else { 32 }
    }
}

impl LaunchRegister {
    fn of_model(register: &isac_ir::resource::Register) -> Self {
        Self {
            name: register.name.clone(),
            width_bits: register.width_bits,
            count: register.count.map(|count| count as usize),
            element_names: register.element_names.clone(),
        }
    }
}

impl LaunchMap {
    fn of_model(map: &isac_ir::resource::Map) -> Self {
        Self {
            name: map.name.clone(),
            address_bits: map.address_bits,
            cell_bits: map.cell_bits,
            ranges: map.ranges.iter().map(|range| (range.low, range.high)).collect(),
        }
    }
}
