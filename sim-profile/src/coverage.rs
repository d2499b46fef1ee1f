//! How much of the instruction set a program used.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::path::{PathTree, instruction_of};
use crate::{Measurement, ModelTables};

/// Instructions that need not be covered, by name in the set, with the reasons.
pub type Exclusions = BTreeMap<String, String>;

/// Coverage of the instruction set: an instruction is a decode path cut at operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Number of instructions of the set that were executed at least once.
    pub used: u64,
    /// Number of instructions in the set, [`ModelTables::instructions`], without those that are excluded.
    pub total: u64,
    /// Those never executed, in the model's order.
    pub unused: Vec<String>,
    /// Those that are excluded, in the model's order, with the reason: never executed, and in none of the
    /// figures above.
    pub excluded: Vec<(String, String)>,
}

impl Coverage {
    /// What was executed of a model's instruction set. Cancelled and faulting runs use nothing;
    /// an instruction that the set does not list counts nowhere.
    pub fn of(measurement: &Measurement) -> Coverage {
        Coverage::without(measurement, &Exclusions::new())
    }

    /// The same, where some instructions need not be covered; one of these that was executed counts as any
    /// other.
    pub fn without(measurement: &Measurement, exclusions: &Exclusions) -> Coverage {
        let executed = used_instructions(measurement);
        let ModelTables { instructions, .. } = &measurement.tables;
        let mut coverage = Coverage::default();
        for name in instructions {
            match exclusions.get(name) {
                _ if executed.contains(name) => coverage.used += 1,
                Some(reason) => coverage.excluded.push((name.clone(), reason.clone())),
                None => coverage.unused.push(name.clone()),
            }
        }
        coverage.total = coverage.used + as_count(coverage.unused.len());
        coverage
    }

    /// Used instructions in percent of all: as [`format_percent`] writes it.
    pub fn percent(&self) -> String {
        format_percent(self.used, self.total)
    }
}

fn used_instructions(measurement: &Measurement) -> BTreeSet<String> {
    let names: HashSet<&str> = measurement
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

/// `part` of `whole` in percent with two decimals, computed in integers and rounded down, so that `100.00`
/// is all of it; `0.00` where `whole` is 0.
pub fn format_percent(part: u64, whole: u64) -> String {
    let hundredths = share_in(part, whole, 10_000);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// `part` of `whole` in so many `parts` of it, rounded down; 0 where `whole` is 0.
pub(crate) fn share_in(part: u64, whole: u64, parts: u64) -> u128 {
    (u128::from(part) * u128::from(parts)).checked_div(u128::from(whole)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Coverage, format_percent};
    use crate::{InstructionKey, InstructionRecord, Measurement, ModelTables, Word};

    #[test]
    fn percent_is_rounded_down() {
        let cases = [
            (0, 0, "0.00"),
            (0, 3, "0.00"),
            (1, 3, "33.33"),
            (2, 3, "66.66"),
            (3, 3, "100.00"),
            (1, 800, "0.12"),
            (1, 10_000, "0.01"),
            (1, 10_001, "0.00"),
            (25_599, 25_600, "99.99"),
            (u64::MAX, u64::MAX, "100.00"),
            (u64::MAX - 1, u64::MAX, "99.99"),
            (u64::MAX, 1, "1844674407370955161500.00"),
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
        assert_eq!(coverage, Coverage { used: 1, total: 3, unused, excluded: Vec::new() });
        assert_eq!(coverage.percent(), "33.33");
    }

    #[test]
    fn what_is_excluded_counts_nowhere_unless_it_was_executed() {
        let exclusions = [("decode(sub())", "a"), ("decode(add())", "b"), ("decode(none())", "c")];
        let exclusions = exclusions.map(|(name, why)| (name.to_owned(), why.to_owned())).into();
        let coverage = Coverage::without(&measurement(&[("decode(add(ax()bx()))", 1, 0)]), &exclusions);
        let unused = vec!["decode(inc())".to_owned()];
        let excluded = vec![("decode(sub())".to_owned(), "a".to_owned())];
        assert_eq!(coverage, Coverage { used: 1, total: 2, unused, excluded });
        assert_eq!(coverage.percent(), "50.00");
    }

    #[test]
    fn only_executed_instructions_of_the_set_are_used() {
        let runs = [("decode(inc(ax()))", 0, 4), ("decode(unlisted())", 1, 0), ("no path", 1, 0)];
        let coverage = Coverage::of(&measurement(&runs));
        assert_eq!((coverage.used, coverage.total), (0, 3));
    }
}
