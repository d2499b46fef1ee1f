//! What the description alone tells: its lines, what operands there are, how words are used.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::instruction_set::InstructionSet;
use super::model_source::{ModelSources, sources_of};
use super::number::Count;
use crate::coverage::format_percent;
use crate::description::DescriptionCoverage;
use crate::measurement::count;
use crate::{InstructionKey, Measurement};

/// What somebody who knows the description says of a model, and of the instructions of a profile.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Where operations and groups are declared, as `file:line`, by name.
    pub locations: BTreeMap<String, String>,
    /// The operands of instructions of the set, by name.
    pub operands: BTreeMap<String, Vec<OperandPlace>>,
    /// What the instructions of the profile have there: for each instruction of the set that one is,
    /// the value of each operand.
    pub chosen: BTreeMap<InstructionKey, Vec<(String, Vec<OperandValue>)>>,
    /// How words are used.
    pub encodings: Vec<EncodingMap>,
    /// What was used of the description itself, if the run counted it.
    pub coverage: Option<DescriptionCoverage>,
    /// The texts of its files, by the paths that the coverage has.
    pub texts: BTreeMap<String, String>,
}

/// A place of an instruction where an operand stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandPlace {
    /// Its name in the description.
    pub name: String,
    /// All values, or classes of values, that it can have; none if they are too many to be listed.
    pub values: Vec<String>,
}

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// One of [`OperandPlace::values`], by index.
    Listed(usize),
    /// Something else, as it is written.
    Other(String),
}

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

/// What the page shows of it.
#[derive(Serialize)]
pub(super) struct View {
    locations: BTreeMap<String, String>,
    /// Values of operands that were executed, those that there are, in percent: of places that list
    /// them.
    operand_values: (Count, Count, String),
    /// The same of pairs of places of one instruction.
    operand_pairs: (Count, Count, String),
    /// By number of the instruction.
    operands: BTreeMap<usize, Operands>,
    encodings: Vec<Encoding>,
    sources: Option<ModelSources>,
}

/// The operands of an instruction.
#[derive(Serialize)]
struct Operands {
    places: Vec<Place>,
    /// Index of a place, of a later one; the pairs of values that they had.
    pairs: Vec<(usize, usize, Vec<Pair>)>,
}

/// Indices of two values, and how often they were executed together.
type Pair = (usize, usize, Count);

#[derive(Serialize)]
struct Place {
    name: String,
    values: Vec<String>,
    executed: Vec<Count>,
    /// Whether there are no others.
    is_complete: bool,
    used: usize,
    percent: String,
}

#[derive(Serialize)]
struct Encoding {
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

/// How many values of operands, and pairs of values in one instruction, were executed, and how many
/// there are; of those places alone that list their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandCoverage {
    /// Values used, and all.
    pub values: (u64, u64),
    /// Pairs used, and all.
    pub pairs: (u64, u64),
}

impl OperandCoverage {
    /// That of a measurement.
    pub fn of(facts: &Description, measurement: &Measurement) -> OperandCoverage {
        let set = InstructionSet::of(measurement);
        OperandCoverage::of_operands(&operands_of(facts, measurement, &set))
    }

    fn of_operands(operands: &BTreeMap<usize, Operands>) -> OperandCoverage {
        let mut coverage = OperandCoverage::default();
        let OperandCoverage { values, pairs } = &mut coverage;
        for Operands { places, pairs: of_instruction } in operands.values() {
            for place in places.iter().filter(|place| place.is_complete) {
                values.0 += place.used as u64;
                values.1 += place.values.len() as u64;
            }
            for (number, one) in places.iter().enumerate().filter(|(_, place)| place.is_complete) {
                let others = places[number + 1..].iter().filter(|other| other.is_complete);
                pairs.1 += others.map(|other| (one.values.len() * other.values.len()) as u64).sum::<u64>();
            }
            for (one, other, cells) in of_instruction {
                if places[*one].is_complete && places[*other].is_complete {
                    pairs.0 += cells.len() as u64;
                }
            }
        }
        coverage
    }
}

/// Which values of operands were executed, and which pairs of them, how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandTable {
    /// The sums.
    pub coverage: OperandCoverage,
    /// The instructions of the set that have operands, in its order.
    pub instructions: Vec<InstructionOperands>,
}

/// The operands of an instruction of the set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionOperands {
    /// Its name.
    pub name: String,
    /// Where they stand.
    pub places: Vec<PlaceCoverage>,
    /// Each two places: those pairs that were executed, and those two of which nothing was.
    pub pairs: Vec<PairCoverage>,
}

/// The values at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceCoverage {
    /// Its name.
    pub name: String,
    /// The values with how often they were executed; of a place that lists its values those, too, that
    /// never were.
    pub values: Vec<(String, u64)>,
    /// Whether there are no others.
    pub is_complete: bool,
}

impl PlaceCoverage {
    /// How many values were executed.
    pub fn used(&self) -> u64 {
        self.values.iter().filter(|(_, executed)| *executed > 0).count() as u64
    }

    /// How many there are, if that is known.
    pub fn total(&self) -> Option<u64> {
        self.is_complete.then_some(self.values.len() as u64)
    }
}

/// The pairs of values of two places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCoverage {
    /// Index of a place.
    pub first: usize,
    /// Index of a later one.
    pub second: usize,
    /// Indices of values, how often they were executed together.
    pub executed: Vec<(usize, usize, u64)>,
}

impl OperandTable {
    /// That of a measurement.
    pub fn of(facts: &Description, measurement: &Measurement) -> OperandTable {
        let set = InstructionSet::of(measurement);
        let operands = operands_of(facts, measurement, &set);
        let coverage = OperandCoverage::of_operands(&operands);
        let instructions = operands.into_iter().map(|(number, operands)| {
            let Operands { places, pairs } = operands;
            let mut pairs: BTreeMap<(usize, usize), Vec<Pair>> =
                pairs.into_iter().map(|(one, other, cells)| ((one, other), cells)).collect();
            for one in 0..places.len() {
                for other in one + 1..places.len() {
                    pairs.entry((one, other)).or_default();
                }
            }
            let places = places.into_iter().map(|place| PlaceCoverage {
                name: place.name,
                values: place.values.into_iter().zip(place.executed.iter().map(|count| count.0)).collect(),
                is_complete: place.is_complete,
            });
            let pairs = pairs.into_iter().map(|((first, second), cells)| PairCoverage {
                first,
                second,
                executed: cells.into_iter().map(|(a, b, times)| (a, b, times.0)).collect(),
            });
            InstructionOperands {
                name: set.names()[number].clone(),
                places: places.collect(),
                pairs: pairs.collect(),
            }
        });
        OperandTable { coverage, instructions: instructions.collect() }
    }
}

/// What is shown of a description.
pub(super) fn view_of(facts: &Description, measurement: &Measurement, set: &InstructionSet) -> View {
    let operands = operands_of(facts, measurement, set);
    let OperandCoverage { values, pairs } = OperandCoverage::of_operands(&operands);
    let sum = |(used, total): (u64, u64)| (Count(used), Count(total), format_percent(used, total));
    let executed = executed_by_instruction(measurement, set);
    View {
        locations: facts.locations.clone(),
        operand_values: sum(values),
        operand_pairs: sum(pairs),
        operands,
        encodings: facts.encodings.iter().map(|map| encoding_of(map, set, &executed)).collect(),
        sources: facts.coverage.as_ref().map(|coverage| sources_of(coverage, &facts.texts)),
    }
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

/// Values by place, as they are counted: index of the value by its text, counts by index.
struct Counted {
    places: Vec<OperandPlace>,
    others: Vec<HashMap<String, usize>>,
    executed: Vec<Vec<u64>>,
    pairs: BTreeMap<(usize, usize), BTreeMap<(usize, usize), u64>>,
}

fn operands_of(
    facts: &Description,
    measurement: &Measurement,
    set: &InstructionSet,
) -> BTreeMap<usize, Operands> {
    let numbers: HashMap<&str, usize> = set.names().iter().map(String::as_str).zip(0..).collect();
    let mut all: BTreeMap<usize, Counted> = BTreeMap::new();
    for (name, places) in &facts.operands {
        if let Some(number) = numbers.get(name.as_str()).filter(|_| !places.is_empty()) {
            all.insert(*number, Counted::of(places));
        }
    }
    for (key, record) in measurement.instructions.iter().filter(|(_, record)| record.executed > 0) {
        for (name, values) in facts.chosen.get(key).into_iter().flatten() {
            let counted = numbers.get(name.as_str()).and_then(|number| all.get_mut(number));
            if let Some(counted) = counted.filter(|counted| counted.places.len() == values.len()) {
                counted.add(values, record.executed);
            }
        }
    }
    all.into_iter().map(|(number, counted)| (number, counted.finish())).collect()
}

impl Counted {
    fn of(places: &[OperandPlace]) -> Counted {
        Counted {
            places: places.to_vec(),
            others: vec![HashMap::new(); places.len()],
            executed: places.iter().map(|place| vec![0; place.values.len()]).collect(),
            pairs: BTreeMap::new(),
        }
    }

    fn add(&mut self, values: &[OperandValue], executed: u64) {
        let indices: Vec<usize> =
            values.iter().enumerate().map(|(place, value)| self.index_of(place, value)).collect();
        for (place, &index) in indices.iter().enumerate() {
            count(&mut self.executed[place][index], executed);
            for (later, &other) in indices.iter().enumerate().skip(place + 1) {
                let cells = self.pairs.entry((place, later)).or_default();
                count(cells.entry((index, other)).or_default(), executed);
            }
        }
    }

    fn index_of(&mut self, place: usize, value: &OperandValue) -> usize {
        let listed = self.places[place].values.len();
        match value {
            OperandValue::Listed(index) if *index < listed => *index,
            OperandValue::Listed(index) => self.other(place, &index.to_string()),
            OperandValue::Other(text) => self.other(place, text),
        }
    }

    fn other(&mut self, place: usize, text: &str) -> usize {
        let next = self.executed[place].len();
        let index = *self.others[place].entry(text.to_owned()).or_insert(next);
        if index == next {
            self.executed[place].push(0);
        }
        index
    }

    fn finish(self) -> Operands {
        let mut places = Vec::new();
        for ((place, others), executed) in self.places.into_iter().zip(self.others).zip(self.executed) {
            let mut others: Vec<(String, usize)> = others.into_iter().collect();
            others.sort_by_key(|(_, index)| *index);
            let is_complete = !place.values.is_empty() && others.is_empty();
            let used = executed.iter().filter(|times| **times > 0).count();
            places.push(Place {
                name: place.name,
                percent: format_percent(used as u64, executed.len() as u64),
                values: place.values.into_iter().chain(others.into_iter().map(|(text, _)| text)).collect(),
                executed: executed.into_iter().map(Count).collect(),
                is_complete,
                used,
            });
        }
        let pairs = self.pairs.into_iter().map(|((one, other), cells)| {
            (one, other, cells.into_iter().map(|((a, b), times)| (a, b, Count(times))).collect())
        });
        Operands { places, pairs: pairs.collect() }
    }
}

fn encoding_of(map: &EncodingMap, set: &InstructionSet, executed: &[u64]) -> Encoding {
    let chains: Vec<Vec<&str>> = set
        .names()
        .iter()
        .map(|name| name.split(['(', ')']).filter(|part| !part.is_empty()).collect())
        .collect();
    let mut by_opcode = vec![0_u64; map.opcodes.len()];
    let rows = map.rows.iter().map(|row| {
        let number = instruction_at(&row.path, &chains);
        let times = number.map_or(0, |number| executed[number]);
        for &opcode in &row.opcodes {
            count(&mut by_opcode[opcode], times);
        }
        let (words, percent) = row.words.clone();
        let label = row.path.last().cloned().unwrap_or_default();
        let number = super::number::index_or_none(number);
        (number, row.encoding.clone(), words, percent, row.opcodes.clone(), Count(times), label)
    });
    let rows = rows.collect();
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
        rows,
        free: map.free.clone(),
    }
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
