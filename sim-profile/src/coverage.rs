//! How much of the instruction set a program used.

use std::collections::BTreeSet;

use crate::path::{PathTree, instruction_of};
use crate::{Measurement, ModelTables};

/// Coverage of the instruction set: an instruction is a decode path cut at operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Number of instructions of the set that were executed at least once.
    pub used: u64,
    /// Number of instructions in the set, [`ModelTables::instructions`].
    pub total: u64,
    /// Those never executed, in the model's order.
    pub unused: Vec<String>,
}

impl Coverage {
    /// What was executed of a model's instruction set. Cancelled and faulting runs use nothing;
    /// an instruction that the set does not list counts nowhere.
    pub fn of(measurement: &Measurement) -> Coverage {
        let used = used_instructions(measurement);
        let ModelTables { instructions, .. } = &measurement.tables;
        let unused: Vec<String> = instructions.iter().filter(|name| !used.contains(*name)).cloned().collect();
        Coverage {
            used: as_count(instructions.len() - unused.len()),
            total: as_count(instructions.len()),
            unused,
        }
    }

    /// Used instructions in percent of all: two decimals, rounded half up; `0.00` of nothing.
    pub fn percent(&self) -> String {
        format_percent(self.used, self.total)
    }
}

fn used_instructions(measurement: &Measurement) -> BTreeSet<String> {
    let names: BTreeSet<&str> = measurement
        .instructions
        .values()
        .filter(|record| record.executed > 0)
        .map(|record| record.name.as_str())
        .collect();
    names
        .into_iter()
        .filter_map(|name| PathTree::parse(name).ok())
        .flat_map(|path| instruction_of(&path, &measurement.tables.operands))
        .collect()
}

fn as_count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// `part` of `whole` in percent with two decimals, computed in integers and rounded half up;
/// `0.00` where `whole` is 0.
pub fn format_percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0.00".to_owned();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let hundredths = (part * 20_000 + whole) / (2 * whole);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::{Coverage, format_percent};
    use crate::{InstructionKey, InstructionRecord, Measurement, ModelTables, Word};

    #[test]
    fn percent_is_rounded_exactly() {
        let cases = [
            (0, 0, "0.00"),
            (0, 3, "0.00"),
            (1, 3, "33.33"),
            (2, 3, "66.67"),
            (3, 3, "100.00"),
            (1, 800, "0.13"),
            (1, 20_000, "0.01"),
            (1, 20_001, "0.00"),
            (u64::MAX, u64::MAX, "100.00"),
            (u64::MAX - 1, u64::MAX, "100.00"),
        ];
        for (part, whole, text) in cases {
            assert_eq!(format_percent(part, whole), text, "{part} of {whole}");
        }
    }

    fn measurement(runs: &[(&str, u64, u64)]) -> Measurement {
        let mut measurement = Measurement::new(ModelTables {
            instructions: ["decode(sub())", "decode(add())", "decode(inc())"].map(str::to_owned).into(),
            operands: [("add", vec![true, true]), ("inc", vec![true])]
                .map(|(name, marks)| (name.to_owned(), marks))
                .into(),
            ..ModelTables::default()
        });
        for (address, &(name, executed, cancelled)) in (0..).zip(runs) {
            let key = InstructionKey { address, word: Word::new(&[0]).unwrap() };
            let name = name.to_owned();
            let record = InstructionRecord { name, executed, cancelled, ..Default::default() };
            measurement.instructions.insert(key, record);
        }
        measurement
    }

    #[test]
    fn operands_do_not_make_instructions() {
        let runs = [("decode(add(ax()bx()))", 3, 0), ("decode(add(bx()bx()))", 1, 0)];
        let coverage = Coverage::of(&measurement(&runs));
        let unused = ["decode(sub())", "decode(inc())"].map(str::to_owned).into();
        assert_eq!(coverage, Coverage { used: 1, total: 3, unused });
        assert_eq!(coverage.percent(), "33.33");
    }

    #[test]
    fn only_executed_instructions_of_the_set_are_used() {
        let runs = [("decode(inc(ax()))", 0, 4), ("decode(unlisted())", 1, 0), ("no path", 1, 0)];
        let coverage = Coverage::of(&measurement(&runs));
        assert_eq!((coverage.used, coverage.total), (0, 3));
    }
}
