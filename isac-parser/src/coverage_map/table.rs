//! The same as plain data, for programs that draw it.

use std::collections::BTreeSet;

use super::usage::Usage;
use super::{MAX_OPCODE_BITS, Map, encoding, named_bits, pattern};
use crate::amount::Amount;
use crate::model::{CheckedModel, OperationOrGroup, root_decodes};

/// How the words of a target of a CODINGROOT are used. Numbers of words are exact, and may be greater
/// than any integer: they are texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageMap {
    /// What is chosen.
    pub name: String,
    /// The operation that decodes it.
    pub decoder: String,
    /// Width of its words in bits.
    pub width_bits: u32,
    /// How many words are used, and in percent.
    pub used: (String, String),
    /// The bits that tell opcodes apart, as `bits 6..2`; empty if there are none, or too many.
    pub opcode: String,
    /// Their numbers, the highest first, in a word of the map's width: what is fetched first stands in its
    /// lowest bits in a little-endian model, in its highest in a big-endian one.
    pub opcode_bits: Vec<u32>,
    /// For each value of these bits its digits, and how many of its words are used, in percent.
    pub opcodes: Vec<(String, String)>,
    /// One for each way of choosing, in the order of the description.
    pub rows: Vec<CoverageRow>,
    /// The largest patterns that nothing has.
    pub free: Vec<FreeWords>,
}

/// A way of choosing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageRow {
    /// Groups and operations from the target on.
    pub path: Vec<String>,
    /// The word as manuals draw it.
    pub encoding: String,
    /// How many words it has, and in percent.
    pub words: (String, String),
    /// The values of the opcode's bits that its words have, ascending.
    pub opcodes: Vec<usize>,
}

/// Words that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeWords {
    /// As `0b01xx`.
    pub pattern: String,
    /// How many they are.
    pub words: String,
    /// One of them.
    pub example: String,
}

/// The maps of all targets of CODINGROOTs, but for those whose words are too many patterns to be
/// counted.
pub fn coverage_maps(model: &CheckedModel) -> Vec<CoverageMap> {
    let mut seen = BTreeSet::new();
    let mut maps = Vec::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            if let Some(decoding) = model.decoding(target).filter(|_| seen.insert(target)) {
                maps.extend(Map { model, decoding, target }.table(&operation.name));
            }
        }
    }
    maps
}

impl Map<'_> {
    fn table(&self, decoder: &str) -> Option<CoverageMap> {
        let width_bits = self.decoding.width_bits;
        let mut usage = Usage::of(self.decoding).ok()?;
        let mut used = Amount::default();
        usage.won.iter().for_each(|won| used += *won);
        let bits = Some(self.opcode_bits().1).filter(|bits| (1..=MAX_OPCODE_BITS).contains(&bits.len()));
        let bits = bits.unwrap_or_default();
        let opcodes = self.opcode_table(&mut usage, &bits).unwrap_or_default();
        let rows = (0..self.decoding.paths.len()).zip(&usage.won).map(|(path, won)| CoverageRow {
            path: self.decoding.paths[path].steps.iter().map(|step| self.target_name(step.target)).collect(),
            encoding: {
                let path = &self.decoding.paths[path];
                encoding(&self.labels(&path.steps, path.width_bits))
            },
            words: (won.to_string(), won.percent(width_bits)),
            opcodes: if opcodes.is_empty() { Vec::new() } else { self.opcodes_of(path, &bits) },
        });
        let free = usage.patterns.cubes.iter().map(|cube| FreeWords {
            pattern: pattern(*cube, width_bits),
            words: Amount::power_of_two(width_bits - cube.fixed_bits()).to_string(),
            example: cube.example().display(width_bits).to_string(),
        });
        Some(CoverageMap {
            name: self.name().to_owned(),
            decoder: decoder.to_owned(),
            width_bits,
            used: (used.to_string(), used.percent(width_bits)),
            opcode: if opcodes.is_empty() { String::new() } else { named_bits(&bits) },
            rows: rows.collect(),
            free: free.collect(),
            opcode_bits: if opcodes.is_empty() { Vec::new() } else { bits },
            opcodes,
        })
    }

    /// Digits and use of each value of the opcode's bits.
    fn opcode_table(&self, usage: &mut Usage, bits: &[u32]) -> Option<Vec<(String, String)>> {
        if bits.is_empty() {
            return None;
        }
        let used = usage.used_by_value(bits).ok()?;
        let rest = usage.width_bits - bits.len() as u32;
        let row = |value: u32| {
            let words = used.get(&value).copied().unwrap_or_default();
            (format!("{value:0length$b}", length = bits.len()), words.percent(rest))
        };
        Some((0..1 << bits.len()).map(row).collect())
    }

    /// The values of the opcode's bits in the patterns of a path, each of which fixes all of them.
    fn opcodes_of(&self, path: usize, bits: &[u32]) -> Vec<usize> {
        let entries = self.decoding.entries.iter().filter(|entry| entry.path == path);
        let value = |cube: &crate::cube::Cube| {
            bits.iter().fold(0, |value, bit| value << 1 | usize::from(cube.bit(*bit) == Some(true)))
        };
        let values: BTreeSet<usize> = entries.flat_map(|entry| entry.patterns.iter().map(value)).collect();
        values.into_iter().collect()
    }

    fn target_name(&self, target: OperationOrGroup) -> String {
        match target {
            OperationOrGroup::Operation(id) => self.model.operations[id.index()].name.clone(),
            OperationOrGroup::Group(id) => self.model.groups[id.index()].name.clone(),
        }
    }
}
