//! What the cases of a model leave out, by the report of their runs: instructions of the set, and
//! values of their operands, which are every register and every corner value of a number.

use gentool::operands::OperandSpaces;
use isac_ir::Model;
use sim_profile::Measurement;
use sim_profile::coverage::Coverage;
use sim_profile::html::{Description, OperandPlace, OperandSpace, OperandTable, OperandValue};
use sim_runtime::record::KeyDecoder;
use sim_runtime::{Engine, Stop};

use super::case::Case;
use super::compare::{prepare, run};
use super::place::parse_number;

/// What a report of some runs lists as not executed, each as one line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Instructions of the set.
    pub(crate) instructions: Vec<String>,
    /// Values of operands that no case has.
    pub(crate) values: Vec<String>,
    /// Those that only cases have which end in a trap or a fault, as `zero` where an access begins:
    /// there is no memory near 0.
    pub(crate) at_fault: Vec<String>,
    /// How many there are of each, as a sentence.
    pub(crate) reached: String,
}

/// Runs a case without a look at what it does.
pub(crate) fn execute(case: &Case, engine: &mut dyn Engine, model: &Model) -> Result<Stop, String> {
    prepare(case, engine.machine(), model)?;
    Ok(run(case, engine, model))
}

/// What is missing in the sum of the runs of all cases.
pub(crate) fn missing(model: &Model, runs: &Measurement) -> Missing {
    let mut tried = runs.clone();
    for record in tried.instructions.values_mut() {
        record.executed += record.cancelled + record.faulted;
    }
    let described = describe(model, runs);
    let ((values, _), (not_executed, all)) = (unused(&described, &tried), unused(&described, runs));
    let coverage = Coverage::of(runs);
    let reached = format!(
        "The cases execute {} of {} instructions, and {} of {} values of their operands.",
        coverage.used,
        coverage.total,
        all - not_executed.len(),
        all,
    );
    let at_fault = not_executed.into_iter().filter(|value| !values.contains(value)).collect();
    Missing { instructions: coverage.unused, values, at_fault, reached }
}

/// Values of operands that a report lists with no execution, and how many it lists.
fn unused(described: &Description, runs: &Measurement) -> (Vec<String>, usize) {
    let (mut unused, mut all) = (Vec::new(), 0);
    for instruction in OperandTable::of(described, runs).instructions {
        let name = instruction.name;
        for place in instruction.places {
            assert!(place.is_complete, "{name}: the values of {} are not listed", place.name);
            let numbers: Vec<i128> = place.values.iter().filter_map(|(value, _)| number(value)).collect();
            let is_inside = |value: &str| number(value).is_some_and(|value| !is_corner(value, &numbers));
            let values = place.values.iter().filter(|(value, _)| !is_inside(value));
            all += values.clone().count();
            let values = values.filter(|(_, executed)| *executed == 0);
            unused.extend(values.map(|(value, _)| format!("{name}: {} is never {value}", place.name)));
        }
    }
    (unused, all)
}

/// Of a narrow number the report lists every value; of a wide one its corners.
fn is_corner(value: i128, numbers: &[i128]) -> bool {
    let ends = [numbers.iter().min(), numbers.iter().max()];
    [0, -1].contains(&value) || ends.contains(&Some(&value))
}

/// A value that is a number and no register, without the mark that its assembler puts before it.
fn number(value: &str) -> Option<i128> {
    parse_number(value.strip_prefix('#').unwrap_or(value))
}

/// What the report has to know of the description.
fn describe(model: &Model, runs: &Measurement) -> Description {
    let spaces = OperandSpaces::of(model);
    let mut described = Description::default();
    for name in &runs.tables.instructions {
        let places = spaces.instruction(name).into_iter().flat_map(|space| &space.places);
        let places =
            places.map(|place| OperandPlace { name: place.name.clone(), values: place.values.clone() });
        let space = OperandSpace { places: places.collect(), impossible: Vec::new() };
        described.operands.insert(name.clone(), space);
    }
    let decoder = KeyDecoder::new(model);
    for (key, record) in &runs.instructions {
        let Some(root) = decoder.decode(key, &record.name) else { continue };
        let value = |value: Result<usize, String>| match value {
            Ok(number) => OperandValue::Listed(number),
            Err(text) => OperandValue::Other(text),
        };
        let chosen = spaces.values(&root.decoded).into_iter();
        let chosen = chosen.map(|(name, values)| (name, values.into_iter().map(value).collect()));
        described.chosen.insert(*key, chosen.collect());
    }
    described
}
