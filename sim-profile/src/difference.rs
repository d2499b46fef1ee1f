//! In what two profiles differ: the whole runs, instructions of the set, functions, calls, addresses.
//!
//! The two may be of two versions of a description, and then of two instruction sets: what one of them
//! does not have counts 0 there.

use std::collections::BTreeMap;

use crate::measurement::count;
use crate::spent::{Spent, spent_by_address, spent_by_instruction};
use crate::summary::Summary;
use crate::{CallKind, Calls, ImageDifference, Measurement, Profile, Spending};

/// What something cost in one profile and in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Executed instructions.
    pub executed: [u64; 2],
    /// Cycles that they took.
    pub cycles: [u64; 2],
}

impl Pair {
    /// Whether there is nothing to tell.
    pub fn is_equal(&self) -> bool {
        self.executed[0] == self.executed[1] && self.cycles[0] == self.cycles[1]
    }

    fn add(&mut self, side: usize, spent: &Spent) {
        self.executed[side] = self.executed[side].saturating_add(spent.executed);
        self.cycles[side] = self.cycles[side].saturating_add(spent.cycles());
    }
}

/// Calls from one function to another, as the caller names them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedArc {
    /// The function that calls.
    pub caller: String,
    /// The function that is called.
    pub callee: String,
    /// How.
    pub kind: CallKind,
}

/// How often a function called another in one profile and in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallPair {
    /// From all sites.
    pub calls: [u64; 2],
    /// Inclusive cycles of those calls.
    pub cycles: [u64; 2],
}

impl CallPair {
    /// Whether there is nothing to tell.
    pub fn is_equal(&self) -> bool {
        self.calls[0] == self.calls[1] && self.cycles[0] == self.cycles[1]
    }
}

/// In what the calls of two profiles differ. No list has a pair that is equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallDifference {
    /// In which of them calls were followed; where they were in one alone, nothing is compared.
    pub are_followed: [bool; 2],
    /// What functions cost with all that they called.
    pub functions: BTreeMap<String, Pair>,
    /// Who called whom.
    pub arcs: BTreeMap<NamedArc, CallPair>,
    /// Calls that were forgotten, since the stack was full.
    pub forgotten: [u64; 2],
}

impl CallDifference {
    fn between(calls: [Option<&Calls>; 2], places: [&Places<'_>; 2]) -> CallDifference {
        let are_followed = calls.map(|calls| calls.is_some());
        let mut difference = CallDifference { are_followed, ..CallDifference::default() };
        let [Some(before), Some(after)] = calls else { return difference };
        for (side, calls) in [before, after].into_iter().enumerate() {
            difference.add(side, calls, &places[side].function_of);
        }
        difference.functions.retain(|_, pair| !pair.is_equal());
        difference.arcs.retain(|_, pair| !pair.is_equal());
        difference
    }

    fn add(&mut self, side: usize, calls: &Calls, name_of: &dyn Fn(u64) -> String) {
        for (function, inclusive) in calls.inclusive_by(name_of) {
            let pair = self.functions.entry(function).or_default();
            (pair.executed[side], pair.cycles[side]) = (inclusive.instructions, inclusive.cycles);
        }
        for (key, arc) in &calls.arcs {
            let (caller, callee) = (name_of(key.caller), name_of(key.callee));
            let pair = self.arcs.entry(NamedArc { caller, callee, kind: key.kind }).or_default();
            count(&mut pair.calls[side], arc.calls);
            count(&mut pair.cycles[side], arc.inclusive.cycles);
        }
        self.forgotten[side] = calls.forgotten;
    }

    /// Whether nothing that was compared differs.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.arcs.is_empty() && self.forgotten[0] == self.forgotten[1]
    }
}

/// What names the places of a program, by address.
pub struct Places<'a> {
    /// The function.
    pub function_of: Box<dyn Fn(u64) -> String + 'a>,
    /// The line of a source; `None` if it is not known.
    pub line_of: Box<dyn Fn(u64) -> Option<String> + 'a>,
}

/// In what two profiles differ. No list has a pair that is equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The whole runs.
    pub all: Pair,
    /// By instruction of the set, see [`spent_by_instruction`].
    pub instructions: BTreeMap<String, Pair>,
    /// By function, as the caller names them. If calls were followed in both, cycles that were begun in vain
    /// are those of the function that pays for them, as in other tables by function.
    pub functions: BTreeMap<String, Pair>,
    /// Calls.
    pub calls: CallDifference,
    /// By line of a source, as the caller names them; what has no line is left out.
    pub lines: BTreeMap<String, Pair>,
    /// By address; `None` is what has none.
    pub addresses: BTreeMap<Option<u64>, Pair>,
    /// The two are of two programs, so that their addresses say little.
    pub programs: Option<ImageDifference>,
    /// Of how many programs each is, if that is not one: then there are no functions, lines and addresses.
    pub several: Option<[usize; 2]>,
    /// Digests of the descriptions, if they differ.
    pub models: Option<[String; 2]>,
}

impl Difference {
    /// Compares two profiles; `places` name the functions and lines of each of them.
    pub fn between(profiles: [&Profile; 2], places: [&Places<'_>; 2]) -> Difference {
        let mut difference = Difference::default();
        let programs = profiles.map(|profile| profile.provenance.programs.len().max(1));
        let has_addresses = !profiles.iter().any(|profile| profile.is_of_several_programs());
        // Where calls were followed in one alone, who pays is known of that one alone: nothing to compare with.
        let are_followed = profiles.iter().all(|profile| profile.calls.is_some());
        for (side, profile) in profiles.into_iter().enumerate() {
            let measurement = &profile.measurement;
            difference.add_totals(side, measurement);
            for (name, spent) in spent_by_instruction(measurement) {
                difference.instructions.entry(name).or_default().add(side, &spent);
            }
            if has_addresses {
                let calls = profile.calls.as_ref().filter(|_| are_followed);
                difference.add_places(side, measurement, calls, places[side]);
            }
        }
        difference.instructions.retain(|_, pair| !pair.is_equal());
        difference.functions.retain(|_, pair| !pair.is_equal());
        difference.lines.retain(|_, pair| !pair.is_equal());
        difference.addresses.retain(|_, pair| !pair.is_equal());
        difference.calls = CallDifference::between(profiles.map(|profile| profile.calls.as_ref()), places);
        let [one, other] = profiles.map(|profile| &profile.provenance);
        match has_addresses {
            true => difference.programs = ImageDifference::between(&one.images, &other.images),
            false => difference.several = Some(programs),
        }
        let digests = [one, other].map(|provenance| provenance.model_digest.clone());
        difference.models = (digests[0] != digests[1]).then_some(digests);
        difference
    }

    /// Costs by address and by line where they were spent, and by function where `calls` say who pays.
    fn add_places(
        &mut self,
        side: usize,
        measurement: &Measurement,
        calls: Option<&Calls>,
        places: &Places<'_>,
    ) {
        let mut costs = BTreeMap::new();
        for (address, spent) in spent_by_address(measurement) {
            self.addresses.entry(address).or_default().add(side, &spent);
            if let Some(line) = address.and_then(&places.line_of) {
                self.lines.entry(line).or_default().add(side, &spent);
            }
            costs.insert(address, Spending { instructions: spent.executed, cycles: spent.cycles() });
        }
        if let Some(calls) = calls {
            calls.pay_in_vain(&mut costs);
        }
        for (address, cost) in costs {
            let function = address.map_or_else(|| "other".to_owned(), &places.function_of);
            let pair = self.functions.entry(function).or_default();
            count(&mut pair.executed[side], cost.instructions);
            count(&mut pair.cycles[side], cost.cycles);
        }
    }

    fn add_totals(&mut self, side: usize, measurement: &Measurement) {
        let summary = Summary::of(measurement);
        self.all.executed[side] = summary.executed;
        self.all.cycles[side] = summary.total_cycles;
    }

    /// Whether both count the same everywhere.
    pub fn is_empty(&self) -> bool {
        let all_equal = self.all.is_equal() && self.instructions.is_empty() && self.addresses.is_empty();
        all_equal && self.calls.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Difference, Places};
    use crate::{Calls, InstructionKey, InstructionRecord, Measurement, ModelTables, Profile, Word};

    /// A run of one instruction at 4, behind which `flushed` were begun at 16 in vain.
    fn run(flushed: u64, calls: Option<Calls>) -> Profile {
        let mut measurement = Measurement::new(ModelTables { address_bits: 8, ..ModelTables::default() });
        let mut add = |address, executed, cancelled| {
            let key = InstructionKey { address, word: Word::new(&[1]).expect("a word") };
            let record = InstructionRecord { executed, cancelled, size_cells: 1, ..Default::default() };
            measurement.instructions.insert(key, record);
        };
        add(4, 1, 0);
        add(16, 0, flushed);
        Profile { measurement, calls, ..Profile::default() }
    }

    /// Cycles by function and by line, of runs without and with such an instruction.
    fn cycles(are_followed: [bool; 2]) -> [Vec<(String, [u64; 2])>; 2] {
        let calls = |is_followed: bool, flushed: u64| {
            is_followed.then(|| Calls { in_vain: [((Some(16), 4), flushed)].into(), ..Calls::default() })
        };
        let places = Places {
            function_of: Box::new(|address| format!("function {}", address / 16)),
            line_of: Box::new(|address| Some(format!("line {}", address / 16))),
        };
        let profiles = [run(1, calls(are_followed[0], 1)), run(3, calls(are_followed[1], 3))];
        let difference = Difference::between(profiles.each_ref(), [&places, &places]);
        [difference.functions, difference.lines]
            .map(|table| table.into_iter().map(|(name, pair)| (name, pair.cycles)).collect())
    }

    #[test]
    fn functions_pay_for_what_they_have_begun_in_vain() {
        let flushed = |name: &str| vec![(format!("{name} 1"), [1, 3])];
        let paid = vec![("function 0".to_owned(), [2, 4])];
        assert_eq!(cycles([true, true]), [paid, flushed("line")]);
        for are_followed in [[false, false], [true, false], [false, true]] {
            assert_eq!(cycles(are_followed), [flushed("function"), flushed("line")], "{are_followed:?}");
        }
    }
}
