//! Names of a model, the one thing that a measurement shares with the model it came from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digits::hexadecimal;

/// Everything the profile needs to know of a model: names, no behaviour.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ModelTables {
    /// Name of the model.
    pub model: String,
    /// Names of registers and maps, by resource number.
    pub resources: Vec<String>,
    /// How many of the resources are maps: the last ones.
    #[serde(default)]
    pub maps: u32,
    /// Of these, the ones that reach no memory and no device, but registers and functions of the model. Older
    /// profiles do not tell.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub register_maps: BTreeSet<u32>,
    /// Where program files have the cells that instructions are fetched from.
    #[serde(default)]
    pub code: CodeCells,
    /// Names of the schedulable instances (one queue each), by instance number; `main`, which
    /// is never scheduled, is not one of them.
    pub instances: Vec<String>,
    /// Names of the caches, by cache number.
    pub caches: Vec<String>,
    /// Names of the operations that may keep a stage from going on, by number; none where
    /// instructions do not overlap.
    pub operations: Vec<String>,
    /// Names of the stages, with their pipelines: `pipe.EX`. All of one pipeline in its order, then
    /// those of the next.
    pub stages: Vec<String>,
    /// Every instruction of the set in the model's order, as decode path cut at operands:
    /// `decode(instr(add()))`. See [`crate::instruction_of`].
    pub instructions: Vec<String>,
    /// Operation name to its child positions in a decode path: true if that child, and all
    /// below it, is an operand. What is not listed is no operand.
    pub operands: BTreeMap<String, Vec<bool>>,
    /// Width of an instruction address, in bits.
    pub address_bits: u32,
}

/// How bytes of program files become cells that instructions are fetched from.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CodeCells {
    /// Byte address, in files, of cell 0.
    pub low: u64,
    /// Bytes in a cell, at least 1.
    pub cell_bytes: u64,
}

impl Default for CodeCells {
    /// Cells are bytes and stand where the files say.
    fn default() -> CodeCells {
        CodeCells { low: 0, cell_bytes: 1 }
    }
}

impl ModelTables {
    /// Name of resource number `resource`; `resource_7` where the table ends before it.
    pub fn resource_name(&self, resource: u32) -> String {
        match usize::try_from(resource).ok().and_then(|index| self.resources.get(index)) {
            Some(name) => name.clone(),
            None => format!("resource_{resource}"),
        }
    }

    /// Whether a resource is a memory map.
    pub fn is_map(&self, resource: u32) -> bool {
        let resources = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
        resource < resources && resource >= resources.saturating_sub(self.maps)
    }

    /// Whether a resource is a memory map that reaches memory or devices: what it has are loads, stores and
    /// fetches of the program.
    pub fn reaches_memory(&self, resource: u32) -> bool {
        self.is_map(resource) && !self.register_maps.contains(&resource)
    }

    /// The memory maps by their names, in the order of their numbers.
    pub fn map_names(&self) -> impl Iterator<Item = (u32, &str)> {
        let names = (0..).zip(&self.resources).map(|(number, name)| (number, name.as_str()));
        names.filter(|(number, _)| self.is_map(*number))
    }

    /// Name of cache number `cache`; `cache_7` where the table ends before it.
    pub fn cache_name(&self, cache: u32) -> String {
        match usize::try_from(cache).ok().and_then(|index| self.caches.get(index)) {
            Some(name) => name.clone(),
            None => format!("cache_{cache}"),
        }
    }

    /// Name of operation number `operation`; `operation_7` where the table ends before it.
    pub fn operation_name(&self, operation: u32) -> String {
        match usize::try_from(operation).ok().and_then(|index| self.operations.get(index)) {
            Some(name) => name.clone(),
            None => format!("operation_{operation}"),
        }
    }

    /// Name of stage number `stage`; `stage_7` where the table ends before it.
    pub fn stage_name(&self, stage: u32) -> String {
        match usize::try_from(stage).ok().and_then(|index| self.stages.get(index)) {
            Some(name) => name.clone(),
            None => format!("stage_{stage}"),
        }
    }

    /// The address behind an instruction: `address + size_cells`, within the address width.
    pub fn successor(&self, address: u64, size_cells: u32) -> u64 {
        let next = address.wrapping_add(u64::from(size_cells));
        match self.address_bits {
            bits @ 1..=63 => next & ((1 << bits) - 1),
            _ => next,
        }
    }

    /// `address` in hexadecimal with `0x`, padded with zeros to the address width.
    pub fn format_address(&self, address: u64) -> String {
        let digits = usize::try_from(self.address_bits.min(64).div_ceil(4)).unwrap_or(16);
        hexadecimal(address, digits)
    }
}

#[cfg(test)]
mod tests {
    use super::ModelTables;

    fn with_bits(address_bits: u32) -> ModelTables {
        ModelTables { address_bits, ..ModelTables::default() }
    }

    #[test]
    fn addresses_are_padded_to_the_address_width() {
        assert_eq!(with_bits(32).format_address(0x80), "0x00000080");
        assert_eq!(with_bits(10).format_address(0x80), "0x080");
        assert_eq!(with_bits(0).format_address(0x80), "0x80");
        assert_eq!(with_bits(u32::MAX).format_address(1), "0x0000000000000001");
    }

    #[test]
    fn a_successor_wraps_within_the_address_width() {
        assert_eq!(with_bits(8).successor(0xff, 1), 0);
        assert_eq!(with_bits(64).successor(u64::MAX, 4), 3);
    }
}
