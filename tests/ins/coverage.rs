//! What the cases of a model leave out: instructions, operations, registers and corner values.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::decode::{Element, decode_word};
use isac_ir::operation::Target;

use super::case::{Case, End};
use crate::encoder::{Encoder, Instruction, Word};

/// Places of an instruction that name registers; all others are numbers.
const REGISTERS: [&str; 11] = ["rd", "rs1", "rs2", "rs", "rt", "rr", "base", "rn", "rm", "rdn", "rdm"];

/// Those that an access begins at.
const BASES: [&str; 2] = ["rs1", "base"];

/// What no case has, each as one line: instructions that none executes, operations that none
/// decodes, registers that never stand in an operand, numbers whose corner values never occur.
/// `trapping` are instructions that are abandoned by their nature.
///
/// A value that makes the word another instruction, or none, is not missed, nor is the register that
/// is always zero as the base of an access: there is no memory near 0.
pub(crate) fn missing(model: &Model, cases: &[Case], trapping: &[&str]) -> Vec<String> {
    let encoder = Encoder::new(model);
    let mut seen = Seen::default();
    // A fetch that fails has no word.
    for case in cases.iter().filter(|case| !case.bytes.is_empty()) {
        let word = word_of(case, model.target.big_endian);
        let Some(instruction) = encoder.find(word) else { continue };
        let runs = matches!(case.end, End::Ran | End::Halted(_));
        if runs || case.end == End::Abandoned && trapping.contains(&instruction.name.as_str()) {
            seen.add(model, &encoder, instruction, word);
        }
        seen.add_values(&encoder, instruction, word, runs);
    }
    let mut missing = seen.missing_operations(model);
    for instruction in encoder.instructions() {
        if !seen.executed.contains(&instruction.path) {
            missing.push(format!("{} is never executed", instruction.path));
        }
        for (place, highest) in encoder.places(instruction) {
            missing.extend(seen.missing_values(&encoder, instruction, place, highest));
        }
    }
    missing.sort();
    missing.dedup();
    missing
}

fn word_of(case: &Case, big_endian: bool) -> Word {
    let mut bytes = [0; 4];
    bytes[..case.bytes.len()].copy_from_slice(&case.bytes);
    let bits = if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    Word { bits, bytes: case.bytes.len() as u32 }
}

/// What cases have.
#[derive(Default)]
struct Seen {
    /// Instructions, by their ways through the decoder.
    executed: BTreeSet<String>,
    operations: BTreeSet<u32>,
    /// By name of instruction and place.
    values: BTreeMap<(String, String), BTreeSet<u32>>,
    /// A word of each instruction, by its way.
    samples: BTreeMap<String, Word>,
}

impl Seen {
    fn add(&mut self, model: &Model, encoder: &Encoder<'_>, instruction: &Instruction, word: Word) {
        self.executed.insert(instruction.path.clone());
        self.samples.insert(instruction.path.clone(), word);
        let element = Element {
            instance: 0,
            element: 0,
            decoder: encoder.decoder_index(model),
            word: isac_ir::bits::Bits::from_u128(word.bits.into()),
            width_bits: word.bytes * 8,
        };
        let decoded = decode_word(model, &element).expect("it was found");
        self.operations.extend(decoded.nodes.iter().filter_map(|node| match node.target {
            Target::Operation(operation) => Some(operation),
            Target::Group(_) | Target::Label(_) => None,
        }));
    }

    /// Numbers count also where the instruction is at fault, as a jump to some of them is.
    fn add_values(&mut self, encoder: &Encoder<'_>, instruction: &Instruction, word: Word, runs: bool) {
        for (place, _) in encoder.places(instruction) {
            if runs || !REGISTERS.contains(&place) {
                let values = self.values.entry((instruction.name.clone(), place.to_owned())).or_default();
                values.insert(encoder.value(instruction, word, place));
            }
        }
    }

    fn missing_operations(&self, model: &Model) -> Vec<String> {
        let root = model.decoders[Encoder::new(model).decoder_index(model) as usize].target;
        let below = model.operations_below(root, |_| true);
        let missed = below.into_iter().filter(|operation| !self.operations.contains(operation));
        missed.map(|operation| format!("{} is never decoded", model.operation(operation).name)).collect()
    }

    fn missing_values(
        &self,
        encoder: &Encoder<'_>,
        instruction: &Instruction,
        place: &str,
        highest: u32,
    ) -> Vec<String> {
        let Some(sample) = self.samples.get(&instruction.path) else { return Vec::new() };
        let sign = ((highest >> 1) + 1) & highest;
        let wanted: Vec<u32> = match REGISTERS.contains(&place) {
            true => (0..=highest).collect(),
            false => vec![0, highest, sign, highest & !sign],
        };
        let touches = instruction.touches_memory;
        let seen = self.values.get(&(instruction.name.clone(), place.to_owned()));
        let missed = wanted.into_iter().filter(|value| {
            let is_base = touches && BASES.contains(&place) && *value == 0 && instruction.width(place) > 3;
            !seen.is_some_and(|seen| seen.contains(value))
                && !is_base
                && encoder.try_set(instruction, *sample, place, *value).is_some()
        });
        missed.map(|value| format!("{}: {place} is never {value:#x}", instruction.name)).collect()
    }
}
