//! In what two profiles differ: the whole runs, instructions of the set, functions, calls, addresses.
//!
//! The two may be of two versions of a description, and then of two instruction sets: what one of them
//! does not have counts 0 there.

use std::collections::BTreeMap;

use crate::measurement::count;
use crate::spent::{Spent, spent_by_address, spent_by_instruction};
use crate::summary::Summary;
use crate::{CallKind, Calls, ImageDifference, Measurement, Profile};

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
    /// By function, as the caller names them.
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
        for (side, profile) in profiles.into_iter().enumerate() {
            let measurement = &profile.measurement;
            difference.add_totals(side, measurement);
            for (name, spent) in spent_by_instruction(measurement) {
                difference.instructions.entry(name).or_default().add(side, &spent);
            }
            for (address, spent) in spent_by_address(measurement).into_iter().filter(|_| has_addresses) {
                difference.addresses.entry(address).or_default().add(side, &spent);
                let function = address.map_or_else(|| "other".to_owned(), &places[side].function_of);
                difference.functions.entry(function).or_default().add(side, &spent);
                if let Some(line) = address.and_then(&places[side].line_of) {
                    difference.lines.entry(line).or_default().add(side, &spent);
                }
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
