//! One space of byte addresses for all of a model's memory, as debuggers know them.
//!
//! The program counter counts cells of the map that instructions are fetched from; a debugger counts
//! bytes. Where a processor has several memories, program files and debuggers have agreed on offsets:
//! TARGET's LOAD names them, and for an AVR data memory begins at 0x800000.

use isac_ir::Model;
use isac_ir::root::{WordSource, root_elements};
use sim_runtime::launcher::LaunchInfo;

/// ELF's number of the AVR.
const AVR: u16 = 83;
/// Where gdb and the linker put an AVR's data memory.
const AVR_DATA: u64 = 0x80_0000;

/// Byte addresses of a model.
#[derive(Debug, Clone)]
pub struct AddressSpace {
    info: LaunchInfo,
    code_map: usize,
    code_cell_bytes: u64,
    /// First address of a further map, its number of addresses, the map.
    further: Option<(u64, u64, usize)>,
}

impl AddressSpace {
    /// That of a model.
    #[must_use]
    pub fn new(model: &Model, info: &LaunchInfo) -> AddressSpace {
        let code_map = code_map(model).unwrap_or(info.host_map);
        let cell_bits = model.maps.get(code_map).map_or(8, |map| map.cell_bits);
        let data = model.maps.iter().position(|map| map.name == "data");
        let further = data.filter(|_| model.target.elf_machine == Some(AVR));
        AddressSpace {
            info: info.clone(),
            code_map,
            code_cell_bytes: u64::from(cell_bits.div_ceil(8).max(1)),
            further: further.map(|map| (AVR_DATA, 0x1_0000, map)),
        }
    }

    /// The map and the byte in it that an address means.
    #[must_use]
    pub fn locate(&self, address: u64) -> (usize, u64) {
        match self.further {
            Some((first, count, map)) if address >= first && address - first < count => {
                (map, address - first)
            }
            _ => self.info.placement().locate(address),
        }
    }

    /// The address of a cell that the program counter points to.
    #[must_use]
    pub fn of_code(&self, pc: u64) -> u64 {
        pc.wrapping_mul(self.code_cell_bytes)
    }

    /// What the program counter holds for an address.
    #[must_use]
    pub fn to_pc(&self, address: u64) -> u64 {
        address / self.code_cell_bytes
    }

    /// Bytes that one cell of code takes.
    #[must_use]
    pub fn code_cell_bytes(&self) -> u64 {
        self.code_cell_bytes
    }

    /// The map that instructions are fetched from.
    #[must_use]
    pub fn code_map(&self) -> usize {
        self.code_map
    }
}

/// The map that the first CODINGROOT fetches from.
fn code_map(model: &Model) -> Option<usize> {
    let operations = 0..model.operations.len() as u32;
    operations.flat_map(|operation| root_elements(model, operation)).find_map(|element| {
        match element.source {
            WordSource::Map { map, .. } => Some(*map as usize),
            WordSource::Value { .. } => None,
        }
    })
}
