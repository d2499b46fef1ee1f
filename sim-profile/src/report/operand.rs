//! Which values of operands, and which pairs of values, were executed: as elements, and as text.

use std::fmt::Write as _;

use serde::Serialize;

use crate::coverage::format_percent;
use crate::html::{OperandTable, PlaceCoverage};
use crate::text::sanitize;

#[derive(Serialize)]
pub(super) struct Operands {
    values: Share,
    pairs: Share,
    instruction: Vec<Instruction>,
}

#[derive(Serialize)]
struct Share {
    used: u64,
    total: u64,
    percent: String,
}

#[derive(Serialize)]
struct Instruction {
    name: String,
    operand: Vec<Operand>,
    pair: Vec<Pair>,
}

#[derive(Serialize)]
struct Operand {
    name: String,
    used: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    value: Vec<Value>,
}

#[derive(Serialize)]
struct Value {
    text: String,
    executed: u64,
}

#[derive(Serialize)]
struct Pair {
    first: String,
    second: String,
    used: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    both: Vec<Both>,
}

#[derive(Serialize)]
struct Both {
    first: String,
    second: String,
    executed: u64,
}

pub(super) fn operands_of(table: &OperandTable) -> Operands {
    let share = |(used, total)| Share { used, total, percent: format_percent(used, total) };
    let instructions = table.instructions.iter().map(|instruction| {
        let places = &instruction.places;
        Instruction {
            name: sanitize(&instruction.name),
            operand: places.iter().map(operand_of).collect(),
            pair: instruction
                .pairs
                .iter()
                .map(|pair| {
                    let [one, other] = [&places[pair.first], &places[pair.second]];
                    Pair {
                        first: sanitize(&one.name),
                        second: sanitize(&other.name),
                        used: pair.executed.len() as u64,
                        total: pair.total,
                        both: pair
                            .executed
                            .iter()
                            .map(|(a, b, executed)| Both {
                                first: sanitize(&one.values[*a].0),
                                second: sanitize(&other.values[*b].0),
                                executed: *executed,
                            })
                            .collect(),
                    }
                })
                .collect(),
        }
    });
    Operands {
        values: share(table.coverage.values),
        pairs: share(table.coverage.pairs),
        instruction: instructions.collect(),
    }
}

fn operand_of(place: &PlaceCoverage) -> Operand {
    let values = place.values.iter();
    Operand {
        name: sanitize(&place.name),
        used: place.used(),
        total: place.total(),
        value: values.map(|(text, executed)| Value { text: sanitize(text), executed: *executed }).collect(),
    }
}

/// The same for people: the sums, then a line for each operand and each pair of operands, in the order
/// of the set. Where values cannot be listed there is no total.
pub fn render_operands_text(table: &OperandTable) -> String {
    let mut out = String::new();
    let (values, pairs) = (table.coverage.values, table.coverage.pairs);
    for ((used, total), what) in [(values, "values of operands"), (pairs, "pairs of values of operands")] {
        let percent = format_percent(used, total);
        // A `String` takes every write.
        let _ = writeln!(out, "\n{used} of {total} {what} were executed ({percent} %)");
    }
    let _ = writeln!(out, "\n{:>12} {:>12} {:>8}  operand", "used", "of", "%");
    for instruction in &table.instructions {
        let mut line = |used: u64, total: Option<u64>, what: &str| {
            let percent = total.map_or("-".to_owned(), |total| format_percent(used, total));
            let total = total.map_or("-".to_owned(), |total| total.to_string());
            let _ =
                writeln!(out, "{used:>12} {total:>12} {percent:>8}  {} {what}", sanitize(&instruction.name));
        };
        for place in &instruction.places {
            line(place.used(), place.total(), &sanitize(&place.name));
        }
        for pair in &instruction.pairs {
            let [one, other] = [&instruction.places[pair.first], &instruction.places[pair.second]];
            let what = format!("{} {}", sanitize(&one.name), sanitize(&other.name));
            line(pair.executed.len() as u64, pair.total, &what);
        }
    }
    out
}
