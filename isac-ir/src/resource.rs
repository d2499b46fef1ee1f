//! Resources: what holds the processor's state, and what the program sees through.

use serde::{Deserialize, Serialize};

use crate::bits::Bits;

/// A register or a file of registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width of an element in bits, 1 to 256.
    pub width_bits: u32,
    /// Number of elements of a file; `None` for a single register.
    pub count: Option<u32>,
    /// Value of each element after reset.
    pub reset: u128,
    /// Elements that have another value after reset, by ascending element: RESET of a PC ALIAS.
    pub element_resets: Vec<(u32, u128)>,
    /// Elements that always read a value and ignore writes.
    pub hardwired: Vec<(u32, u128)>,
    /// Names of the elements of a file with their synonyms; empty for a single register.
    pub element_names: Vec<Vec<String>>,
}

impl Register {
    /// Number of elements, 1 for a single register.
    pub fn elements(&self) -> u32 {
        self.count.unwrap_or(1)
    }

    /// What element `index` holds after reset.
    pub fn reset_value(&self, index: u32) -> u128 {
        let own = self.element_resets.iter().find(|(element, _)| *element == index);
        self.hardwired_value(index).or(own.map(|(_, value)| *value)).unwrap_or(self.reset)
    }

    /// What element `index` always reads, if it is HARDWIRED.
    pub fn hardwired_value(&self, index: u32) -> Option<u128> {
        self.hardwired.iter().find(|(element, _)| *element == index).map(|(_, value)| *value)
    }
}

/// Bits of registers under one name: the program counter, an ALIAS, the stack pointer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RegisterPlace {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width in bits, the sum of its parts'.
    pub width_bits: u32,
    /// Its parts, the most significant first.
    pub parts: Vec<RegisterPart>,
}

/// Bits of an element of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterPart {
    /// The register's index.
    pub register: u32,
    /// The element; 0 for a single register.
    pub element: u32,
    /// Least significant bit taken.
    pub low: u32,
    /// Number of bits taken, 1 to 128.
    pub width_bits: u32,
}

impl RegisterPlace {
    /// An element as a whole, under a name.
    pub fn of_element(name: &str, register: u32, element: u32, width_bits: u32) -> RegisterPlace {
        let mut place = RegisterPlace { name: name.to_string(), width_bits, ..RegisterPlace::default() };
        place.add_part(RegisterPart { register, element, low: 0, width_bits });
        place
    }

    /// Adds bits below those that are there, in parts of at most 128.
    pub fn add_part(&mut self, part: RegisterPart) {
        let upper = part.width_bits.saturating_sub(128);
        if upper > 0 {
            self.parts.push(RegisterPart { low: part.low + 128, width_bits: upper, ..part });
        }
        self.parts.push(RegisterPart { width_bits: part.width_bits - upper, ..part });
    }

    /// The place's value, the registers being read through `element`, which is given the index of
    /// a register and an element of it.
    pub fn read(&self, element: impl Fn(u32, u32) -> Bits) -> Bits {
        let (mut value, mut low) = (Bits::ZERO, self.width_bits);
        for part in &self.parts {
            low = low.saturating_sub(part.width_bits);
            let bits = element(part.register, part.element).extract(part.low, part.width_bits);
            value = value.with(low, part.width_bits, bits);
        }
        value
    }

    /// Sets the place: `write` is given each part with its new bits, the most significant first,
    /// as in a BEHAVIOR.
    pub fn write(&self, value: Bits, mut write: impl FnMut(RegisterPart, u128)) {
        let mut low = self.width_bits;
        for part in &self.parts {
            low = low.saturating_sub(part.width_bits);
            write(*part, value.extract(low, part.width_bits));
        }
    }
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ram {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width of a cell in bits, 1 to 256.
    pub cell_bits: u32,
    /// Number of cells.
    pub size_cells: u64,
    /// Flag R.
    pub readable: bool,
    /// Flag W.
    pub writable: bool,
    /// Flag X.
    pub executable: bool,
    /// Cycles of an access.
    pub latency: u32,
    /// What every cell is before the program is loaded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fill: u128,
}

fn is_zero(value: &u128) -> bool {
    *value == 0
}

/// A memory map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Map {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width of an address in bits; addresses count cells.
    pub address_bits: u32,
    /// Width of a cell in bits.
    pub cell_bits: u32,
    /// The ranges onto memories by ascending address, disjoint. Ranges onto registers and
    /// functions are part of the bodies that reach them.
    pub ranges: Vec<Range>,
    /// The ranges onto devices by ascending address, disjoint from those.
    pub devices: Vec<DeviceRange>,
}

/// A range of a map onto a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRange {
    /// First address.
    pub low: u64,
    /// Last address.
    pub high: u64,
    /// Index of the device; its cell 0 is at `low`.
    pub device: u32,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// What it does.
    pub kind: DeviceKind,
}

/// What a device does; it takes the width of the map's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// Cell 0: a byte out, a byte in (all ones if there is none). Other cells are 0.
    Console,
    /// The time in cycles in the first cells that hold 64 bits, which writes leave alone; in the
    /// next the value to compare it with, all ones after reset.
    Timer,
    /// A write ends the run with its value as status, when the instruction is complete.
    Exit,
}

/// A cache: it keeps tags, never data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Number of cells, a power of two.
    pub size_cells: u64,
    /// Cells of a line, a power of two.
    pub line_cells: u64,
    /// Lines of a set, a power of two.
    pub ways: u64,
    /// Which line of a set makes room.
    pub replacement: Replacement,
    /// True if a written line is dirty until it goes; false if writes go through.
    pub write_back: bool,
    /// Cycles of each line touched.
    pub hit_cycles: u32,
    /// Further cycles of a line that was absent, and again of a dirty victim.
    pub miss_cycles: u32,
    /// Index of the memory behind it.
    pub ram: u32,
}

/// Which line of a set makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replacement {
    /// The one not touched for longest.
    LeastRecentlyUsed,
    /// The one that came first.
    FirstInFirstOut,
    /// Any, by the run's seed.
    Random,
}

/// A pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Its stages in order, at least one.
    pub stages: Vec<Stage>,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Indices of the registers that are set in it.
    pub registers: Vec<u32>,
}

/// One range of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// First address.
    pub low: u64,
    /// Last address.
    pub high: u64,
    /// Index of the memory behind it; its cell 0 is at `low`.
    pub ram: u32,
    /// Least significant bit of the map's cell in the memory's cell, which may be wider.
    pub low_bit: u32,
    /// Index of the cache that stands before the memory.
    pub cache: Option<u32>,
}

/// Whose numbers, flags and errors a guest's system calls of Linux have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Syscalls {
    /// Those of asm-generic.
    #[default]
    Generic,
    /// Those of 32-bit MIPS, o32.
    O32,
    /// Those of 32-bit Arm, EABI.
    Eabi,
}

impl Syscalls {
    /// True for those of asm-generic, which is what a model that says nothing has.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        *self == Syscalls::Generic
    }
}

/// What the model runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// True if the first cell of a value is its most significant.
    pub big_endian: bool,
    /// The `e_machine` that the loader accepts; `None` accepts any.
    pub elf_machine: Option<u16>,
    /// 32 or 64; `None` accepts any.
    pub elf_class: Option<u32>,
    /// True if segments of an ELF file are loaded where they are stored, at their physical
    /// addresses, and not where the running program finds them.
    pub physical_addresses: bool,
    /// The stack pointer and its initial value.
    pub stack: Option<(RegisterPlace, u128)>,
    /// The map that loader, host calls and debugger use.
    pub host_map: Option<u32>,
    /// What `linux_call` is asked in.
    #[serde(default, skip_serializing_if = "Syscalls::is_generic")]
    pub syscalls: Syscalls,
    /// Image bytes `low..=high` go to this map from byte 0 on.
    pub loads: Vec<(u64, u64, u32)>,
    /// What begins a comment in assembler text.
    pub comment: Option<String>,
    /// Prefix of a hexadecimal number in assembler text, beside `0x`.
    pub hexadecimal: Option<String>,
    /// Prefix of a binary number in assembler text, beside `0b`.
    pub binary: Option<String>,
}
