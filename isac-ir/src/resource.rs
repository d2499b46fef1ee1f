//! Resources: what holds the processor's state, and what the program sees through.

use serde::{Deserialize, Serialize};

/// A register or a file of registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width of an element in bits, 1 to 128.
    pub width_bits: u32,
    /// Number of elements of a file; `None` for a single register.
    pub count: Option<u32>,
    /// Value of each element after reset.
    pub reset: u128,
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

    /// What element `index` always reads, if it is HARDWIRED.
    pub fn hardwired_value(&self, index: u32) -> Option<u128> {
        self.hardwired.iter().find(|(element, _)| *element == index).map(|(_, value)| *value)
    }
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ram {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Width of a cell in bits, 1 to 64.
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
    /// The ranges by ascending address, disjoint.
    pub ranges: Vec<Range>,
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
    /// Register, element (0 for a single register) and initial value of the stack pointer.
    pub stack: Option<(u32, u32, u128)>,
    /// The map that loader, host calls and debugger use.
    pub host_map: Option<u32>,
    /// Image bytes `low..=high` go to this map from byte 0 on.
    pub loads: Vec<(u64, u64, u32)>,
}
