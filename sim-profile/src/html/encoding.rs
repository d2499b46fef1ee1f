//! How the words of a description's choices are used, and how often each was executed.

use std::collections::HashMap;

use serde::Serialize;

use super::description::Description;
use super::instruction_set::InstructionSet;
use super::number::Count;
use crate::Measurement;
use crate::measurement::count;
use crate::path::PathTree;

/// How the words of a choice are used.
#[derive(Clone, Debug, Default)]
pub struct EncodingMap {
    /// What is chosen, and the operation that decodes it.
    pub name: String,
    /// The operation that decodes it.
    pub decoder: String,
    /// Width of its words in bits.
    pub width_bits: u32,
    /// How many words something has, and what part of all that is, in percent.
    pub used: (String, String),
    /// The bits that tell opcodes apart: `bits 6..2`; empty if they are too many for a table.
    pub opcode: String,
    /// By value of these bits: its digits, how many of its words are used, in percent.
    pub opcodes: Vec<(String, String)>,
    /// One for each instruction.
    pub rows: Vec<EncodingRow>,
    /// The largest patterns of words that nothing has.
    pub free: Vec<FreePattern>,
}

/// The words of an instruction.
#[derive(Clone, Debug, Default)]
pub struct EncodingRow {
    /// Groups and operations on the way to it.
    pub path: Vec<String>,
    /// Fixed bits and fields as manuals draw them.
    pub encoding: String,
    /// How many words it has, and what part of all that is, in percent.
    pub words: (String, String),
    /// Those values of the opcode's bits that its words have, by index.
    pub opcodes: Vec<usize>,
}

/// Words that nothing has.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FreePattern {
    /// As `0b01xx`.
    pub pattern: String,
    /// How many they are.
    pub words: String,
    /// One of them.
    pub example: String,
}

#[derive(Serialize)]
pub(super) struct Encoding {
    name: String,
    decoder: String,
    width_bits: u32,
    used: (String, String),
    opcode: String,
    /// Digits, words used in percent, executed.
    opcodes: Vec<(String, String, Count)>,
    rows: Vec<Row>,
    free: Vec<FreePattern>,
}

/// Number of the instruction or -1, encoding, words, share in percent, opcodes, executed, label.
type Row = (i64, String, String, String, Vec<usize>, Count, String);

/// All maps of a description.
pub(super) fn encodings_of(
    facts: &Description,
    measurement: &Measurement,
    set: &InstructionSet,
) -> Vec<Encoding> {
    let executed = executed_by_instruction(measurement, set);
    let maps = facts.encodings.iter().zip(executed_by_opcode(facts, measurement));
    maps.map(|(map, by_opcode)| encoding_of(map, set, (measurement, &executed), by_opcode)).collect()
}

fn executed_by_instruction(measurement: &Measurement, set: &InstructionSet) -> Vec<u64> {
    let mut executed = vec![0; set.names().len()];
    for record in measurement.instructions.values() {
        for &number in set.numbers_of(&record.name) {
            count(&mut executed[number], record.executed);
        }
    }
    executed
}

/// How often words were executed, by map and by the value of the opcode's bits.
fn executed_by_opcode(facts: &Description, measurement: &Measurement) -> Vec<Vec<u64>> {
    let mut executed: Vec<Vec<u64>> = facts.encodings.iter().map(|map| vec![0; map.opcodes.len()]).collect();
    for (key, record) in &measurement.instructions {
        for &(map, opcode) in facts.opcodes.get(key).into_iter().flatten() {
            if let Some(times) = executed.get_mut(map).and_then(|of_map| of_map.get_mut(opcode)) {
                count(times, record.executed);
            }
        }
    }
    executed
}

fn encoding_of(
    map: &EncodingMap,
    set: &InstructionSet,
    (measurement, executed): (&Measurement, &[u64]),
    by_opcode: Vec<u64>,
) -> Encoding {
    let chains: Vec<Vec<&str>> = set
        .names()
        .iter()
        .map(|name| name.split(['(', ')']).filter(|part| !part.is_empty()).collect())
        .collect();
    let rows = map.rows.iter().map(|row| {
        let number = instruction_at(&row.path, &chains);
        let times = number.map_or_else(|| executed_through(measurement, &row.path), |n| executed[n]);
        let (words, percent) = row.words.clone();
        let label = row.path.last().cloned().unwrap_or_default();
        let number = super::number::index_or_none(number);
        (number, row.encoding.clone(), words, percent, row.opcodes.clone(), Count(times), label)
    });
    let opcodes = map.opcodes.iter().zip(by_opcode);
    Encoding {
        name: map.name.clone(),
        decoder: map.decoder.clone(),
        width_bits: map.width_bits,
        used: map.used.clone(),
        opcode: map.opcode.clone(),
        opcodes: opcodes
            .map(|((digits, used), times)| (digits.clone(), used.clone(), Count(times)))
            .collect(),
        rows: rows.collect(),
        free: map.free.clone(),
    }
}

/// How often anything was executed whose decode path, without the outermost name, passes this one.
fn executed_through(measurement: &Measurement, path: &[String]) -> u64 {
    let passes = |name: &str| {
        PathTree::parse(name).is_ok_and(|tree| {
            let below = |at: usize, name: &String| {
                tree.children(at).iter().copied().filter(|child| tree.nodes()[*child].name == *name).collect()
            };
            let mut here = vec![0];
            for name in path {
                here = here.into_iter().flat_map(|at| -> Vec<usize> { below(at, name) }).collect();
            }
            !here.is_empty()
        })
    };
    let mut times = 0;
    let mut known: HashMap<&str, bool> = HashMap::new();
    for record in measurement.instructions.values().filter(|record| record.executed > 0) {
        if *known.entry(&record.name).or_insert_with(|| passes(&record.name)) {
            count(&mut times, record.executed);
        }
    }
    times
}

/// The instruction whose names, without the outermost, the path begins with; the longest of several.
fn instruction_at(path: &[String], chains: &[Vec<&str>]) -> Option<usize> {
    let begins = |chain: &&[&str]| {
        !chain.is_empty() && chain.len() <= path.len() && chain.iter().zip(path).all(|(a, b)| a == b)
    };
    let fitting = chains.iter().enumerate().filter_map(|(number, chain)| {
        let chain = chain.get(1..).filter(begins)?;
        Some((chain.len(), number))
    });
    fitting.max_by_key(|(length, number)| (*length, std::cmp::Reverse(*number))).map(|(_, number)| number)
}
