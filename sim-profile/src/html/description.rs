//! What the description alone tells: its lines, what operands there are, how words are used.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::encoding::{Encoding, EncodingMap, encodings_of};
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
    pub operands: BTreeMap<String, OperandSpace>,
    /// What the instructions of the profile have there: for each instruction of the set that one is,
    /// the value of each operand.
    pub chosen: BTreeMap<InstructionKey, Vec<(String, Vec<OperandValue>)>>,
    /// How words are used.
    pub encodings: Vec<EncodingMap>,
    /// For each instruction of the profile the words that it is made of: index of the map, and index of the
    /// value that the opcode's bits have.
    pub opcodes: BTreeMap<InstructionKey, Vec<(usize, usize)>>,
    /// What was used of the description itself, if the run counted it.
    pub coverage: Option<DescriptionCoverage>,
    /// The texts of its files, by the paths that the coverage has.
    pub texts: BTreeMap<String, String>,
}

/// What the operands of an instruction can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandSpace {
    /// Where they stand.
    pub places: Vec<OperandPlace>,
    /// Index of a place, of a later one, and indices of values at both that no word has together;
    /// ascending, none twice.
    pub impossible: Vec<ImpossiblePairs>,
}

/// Index of a place, of a later one, and of their values those that no word has together.
pub type ImpossiblePairs = (usize, usize, Vec<(usize, usize)>);

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
    /// Those that no word has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    impossible: Vec<ImpossiblePairs>,
}

impl Operands {
    /// How many pairs of values two places can have, if their values are listed.
    fn pairs_of(&self, one: usize, other: usize) -> Option<u64> {
        let [first, second] = [&self.places[one], &self.places[other]];
        let all = (first.values.len() as u64).saturating_mul(second.values.len() as u64);
        let is_of = |pairs: &&ImpossiblePairs| (pairs.0, pairs.1) == (one, other);
        let none = self.impossible.iter().find(is_of).map_or(0, |pairs| pairs.2.len() as u64);
        (first.is_complete && second.is_complete).then_some(all - none)
    }
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
        for operands in operands.values() {
            let places = &operands.places;
            for place in places.iter().filter(|place| place.is_complete) {
                values.0 += place.used as u64;
                values.1 += place.values.len() as u64;
            }
            for one in 0..places.len() {
                let later = one + 1..places.len();
                pairs.1 += later.filter_map(|other| operands.pairs_of(one, other)).sum::<u64>();
            }
            for (one, other, cells) in &operands.pairs {
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
    /// How many pairs there are, if that is known.
    pub total: Option<u64>,
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
            let mut pairs: BTreeMap<(usize, usize), (Option<u64>, Vec<Pair>)> = BTreeMap::new();
            for one in 0..operands.places.len() {
                for other in one + 1..operands.places.len() {
                    pairs.insert((one, other), (operands.pairs_of(one, other), Vec::new()));
                }
            }
            let Operands { places, pairs: executed, .. } = operands;
            for (one, other, cells) in executed {
                pairs.entry((one, other)).or_default().1 = cells;
            }
            let places = places.into_iter().map(|place| PlaceCoverage {
                name: place.name,
                values: place.values.into_iter().zip(place.executed.iter().map(|count| count.0)).collect(),
                is_complete: place.is_complete,
            });
            let pairs = pairs.into_iter().map(|((first, second), (total, cells))| PairCoverage {
                first,
                second,
                total,
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
    View {
        locations: facts.locations.clone(),
        operand_values: sum(values),
        operand_pairs: sum(pairs),
        operands,
        encodings: encodings_of(facts, measurement, set),
        sources: facts.coverage.as_ref().map(|coverage| sources_of(coverage, &facts.texts)),
    }
}

/// Values by place, as they are counted: index of the value by its text, counts by index.
struct Counted {
    places: Vec<OperandPlace>,
    impossible: Vec<ImpossiblePairs>,
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
    for (name, space) in &facts.operands {
        if let Some(number) = numbers.get(name.as_str()).filter(|_| !space.places.is_empty()) {
            all.insert(*number, Counted::of(space));
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
    fn of(space: &OperandSpace) -> Counted {
        let places = &space.places;
        Counted {
            places: places.to_vec(),
            impossible: space.impossible.clone(),
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
        Operands { places, pairs: pairs.collect(), impossible: self.impossible }
    }
}
