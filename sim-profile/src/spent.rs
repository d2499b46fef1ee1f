//! Where the cycles of a run went: by address, and by instruction of the set.
//!
//! An instruction takes the cycle in which it begins, and besides those in which it keeps the next
//! one from beginning, and its extra cycles. So the cycles of all addresses, and those that have
//! none, are together those of the run.

use std::collections::BTreeMap;

use crate::ascending::sum_ascending;
use crate::calls::Payable;
use crate::measurement::count;
use crate::path::{PathTree, instruction_of};
use crate::{InstructionRecord, Measurement, Overhead};

/// Cycles that some instructions took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many of the instructions ran to their end.
    pub executed: u64,
    /// Cycles in which they began, whatever became of them.
    pub begun: u64,
    /// Cycles besides.
    pub overhead: Overhead,
}

impl Spent {
    /// Those of a record.
    pub fn of(record: &InstructionRecord) -> Spent {
        let mut spent = Spent { executed: record.executed, ..Spent::default() };
        for begun in [record.executed, record.cancelled, record.faulted, record.unfinished] {
            count(&mut spent.begun, begun);
        }
        spent.overhead = record.overhead.clone();
        spent
    }

    /// Adds the cycles of `other`.
    pub fn add(&mut self, other: &Spent) {
        count(&mut self.executed, other.executed);
        count(&mut self.begun, other.begun);
        self.overhead.add(&other.overhead);
    }

    /// All together.
    pub fn cycles(&self) -> u64 {
        self.begun.saturating_add(self.overhead.lost_cycles()).saturating_add(self.overhead.extra_cycles)
    }

    /// Cycles per executed instruction, as [`format_cpi`] writes it.
    pub fn cpi(&self) -> String {
        format_cpi(self.cycles(), self.executed)
    }
}

impl Payable for Spent {
    /// Which of the cycles of a place were in vain is not known: those in which something began are taken
    /// first, and what was lost last, in the order of causes.
    fn take(&mut self, cycles: u64) -> Spent {
        let mut rest = cycles;
        let mut moved = Spent { begun: take_up_to(&mut self.begun, &mut rest), ..Spent::default() };
        moved.overhead.extra_cycles = take_up_to(&mut self.overhead.extra_cycles, &mut rest);
        for (cause, lost) in &mut self.overhead.lost {
            let taken = take_up_to(lost, &mut rest);
            if taken > 0 {
                moved.overhead.add_lost(*cause, taken);
            }
        }
        self.overhead.lost.retain(|_, lost| *lost > 0);
        moved
    }

    fn pay(&mut self, paid: &Spent) {
        self.add(paid);
    }
}

/// Takes from a counter what is still to be taken, if it has as much.
fn take_up_to(counter: &mut u64, rest: &mut u64) -> u64 {
    let taken = (*counter).min(*rest);
    *counter -= taken;
    *rest -= taken;
    taken
}

/// Cycles by address, ascending: over all words that were decoded there, and what could not be
/// decoded. What was never decoded otherwise, and operation `reset`, have no address; of several programs
/// nothing has.
pub fn spent_by_address(measurement: &Measurement) -> BTreeMap<Option<u64>, Spent> {
    let has_addresses = !measurement.is_of_several_programs;
    let known = |address: u64| has_addresses.then_some(address);
    let decoded =
        measurement.instructions.iter().map(|(key, record)| (known(key.address), Spent::of(record)));
    let mut all = sum_ascending(decoded, |sum, spent| sum.add(&spent));
    for (&address, &faults) in &measurement.undecoded_faults {
        count(&mut all.entry(known(address)).or_default().begun, faults);
    }
    if measurement.undecoded > 0 {
        count(&mut all.entry(None).or_default().begun, measurement.undecoded);
    }
    for (&address, overhead) in &measurement.overheads {
        all.entry(address).or_default().overhead.add(overhead);
    }
    all
}

/// Cycles by instruction of the set, by name: a decode path cut at operands. One that is several
/// instructions side by side counts at each of them.
pub fn spent_by_instruction(measurement: &Measurement) -> BTreeMap<String, Spent> {
    let mut by_name: BTreeMap<&str, Spent> = BTreeMap::new();
    for record in measurement.instructions.values() {
        by_name.entry(&record.name).or_default().add(&Spent::of(record));
    }
    let mut all: BTreeMap<String, Spent> = BTreeMap::new();
    for (name, spent) in by_name {
        let Ok(path) = PathTree::parse(name) else { continue };
        for instruction in instruction_of(&path, &measurement.tables.operands) {
            all.entry(instruction).or_default().add(&spent);
        }
    }
    all
}

/// `cycles` per executed instruction with three decimals, computed in integers and rounded half up;
/// `0.000` where nothing was executed.
pub fn format_cpi(cycles: u64, executed: u64) -> String {
    if executed == 0 {
        return "0.000".to_owned();
    }
    if cycles == executed {
        return "1.000".to_owned();
    }
    let (cycles, executed) = (u128::from(cycles), u128::from(executed));
    let thousandths = (cycles * 2_000 + executed) / (2 * executed);
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

#[cfg(test)]
mod tests {
    use super::{format_cpi, spent_by_address, spent_by_instruction};
    use crate::calls::Payable as _;
    use crate::{
        InstructionKey, InstructionRecord, LostCause, LostReason, Measurement, ModelTables, Overhead, Word,
    };

    #[test]
    fn cycles_per_instruction_are_rounded_exactly() {
        let cases = [
            (0, 0, "0.000"),
            (7, 0, "0.000"),
            (0, 3, "0.000"),
            (4, 3, "1.333"),
            (5, 3, "1.667"),
            (1, 2_000, "0.001"),
            (1, 2_001, "0.000"),
            (u64::MAX, 1, "18446744073709551615.000"),
            (u64::MAX, u64::MAX, "1.000"),
        ];
        for (cycles, executed, expected) in cases {
            assert_eq!(format_cpi(cycles, executed), expected, "{cycles} / {executed}");
        }
    }

    fn overhead(extra_cycles: u64, lost: u64) -> Overhead {
        let mut overhead = Overhead { extra_cycles, ..Overhead::default() };
        overhead.add_lost(LostCause { reason: LostReason::Stall, operation: 0, stage: 0 }, lost);
        overhead
    }

    fn measurement() -> Measurement {
        let tables = ModelTables {
            operations: vec!["op".to_owned()],
            stages: vec!["pipe.FE".to_owned()],
            operands: [("inc".to_owned(), vec![true])].into(),
            ..ModelTables::default()
        };
        let mut measurement = Measurement::new(tables);
        for (address, byte, name, overhead) in [
            (4, 1, "decode(inc(ax()))", overhead(0, 2)),
            (4, 2, "decode(inc(bx()))", overhead(5, 0)),
            (8, 3, "decode(nop())", overhead(0, 0)),
        ] {
            let key = InstructionKey { address, word: Word::new(&[byte]).unwrap() };
            let (name, executed, cancelled) = (name.to_owned(), 2, 1);
            let record = InstructionRecord { name, executed, cancelled, overhead, ..Default::default() };
            measurement.instructions.insert(key, record);
        }
        measurement.undecoded = 3;
        measurement.undecoded_faults.insert(8, 1);
        measurement.add_overhead(None, &overhead(1, 1));
        measurement.add_overhead(Some(12), &overhead(0, 4));
        measurement
    }

    #[test]
    fn every_cycle_is_at_one_address_or_at_none() {
        let spent = spent_by_address(&measurement());
        let cycles: Vec<_> = spent.iter().map(|(address, spent)| (*address, spent.cycles())).collect();
        assert_eq!(cycles, [(None, 5), (Some(4), 13), (Some(8), 4), (Some(12), 4)]);
        assert_eq!(spent[&Some(4)].cpi(), "3.250");
    }

    #[test]
    fn what_is_paid_for_elsewhere_is_lost_last() {
        let mut spent = spent_by_address(&measurement())[&Some(4)].clone();
        let before = spent.clone();
        let mut payer = spent.take(12);
        assert_eq!((payer.begun, payer.overhead.extra_cycles, payer.overhead.lost_cycles()), (6, 5, 1));
        assert_eq!((spent.executed, spent.cycles(), spent.overhead.lost_cycles()), (4, 1, 1));
        payer.pay(&spent);
        assert_eq!(payer, before);
    }

    #[test]
    fn operands_do_not_make_another_instruction() {
        let spent = spent_by_instruction(&measurement());
        let cycles: Vec<_> = spent.iter().map(|(name, spent)| (name.as_str(), spent.cycles())).collect();
        assert_eq!(cycles, [("decode(inc())", 13), ("decode(nop())", 3)]);
    }
}
