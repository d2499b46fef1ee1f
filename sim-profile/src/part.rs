//! What a run did between two moments: the counts of the later one without those of the earlier.

use std::collections::BTreeMap;

use crate::calls::{CallCount, FunctionCount, Spending};
use crate::context_tree::ContextTree;
use crate::measurement::InstructionRecord;
use crate::{Accesses, CacheLines, Calls, Measurement, Overhead, Profile, Samples, StageCycles};

impl Profile {
    /// What was counted since `earlier`, which was taken of the same run, between two instructions. It has
    /// the provenance of the later one, and is one part of a run.
    ///
    /// `None` if it is no earlier state of this run, if instructions were in flight then, or if a sum has
    /// reached its largest value, so that what was added to it is not known.
    #[must_use]
    pub fn since(&self, earlier: &Profile) -> Option<Profile> {
        let mut part = Profile {
            measurement: self.measurement.since(&earlier.measurement)?,
            provenance: self.provenance.clone(),
            statics: self.statics.clone(),
            calls: each(&self.calls, &earlier.calls, Calls::since)?,
            samples: each(&self.samples, &earlier.samples, Samples::since)?,
            visits: each(&self.visits, &earlier.visits, |ours, theirs| {
                ours.iter().zip(theirs).map(|(ours, theirs)| less(*ours, *theirs)).collect()
            })?,
            pipeline: self.pipeline.clone(),
        };
        part.statics.retain(|key, _| part.measurement.instructions.contains_key(key));
        let before = earlier.provenance.host_nanoseconds;
        part.provenance.host_nanoseconds = part.provenance.host_nanoseconds.saturating_sub(before);
        part.provenance.parts = Some(1);
        Some(part)
    }
}

/// What is left of something that both have, or none.
fn each<T>(
    ours: &Option<T>,
    theirs: &Option<T>,
    less: impl FnOnce(&T, &T) -> Option<T>,
) -> Option<Option<T>> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => less(ours, theirs).map(Some),
        (None, None) => Some(None),
        _ => None,
    }
}

/// A sum without what was in it before; one that has reached its largest value tells no more.
fn less(sum: u64, before: u64) -> Option<u64> {
    sum.checked_sub(before).filter(|_| sum < u64::MAX)
}

/// Entries without what was in them before, those that are left.
fn each_less<K: Ord + Clone, V: Clone>(
    ours: &BTreeMap<K, V>,
    theirs: &BTreeMap<K, V>,
    less: impl Fn(&V, Option<&V>) -> Option<V>,
    is_zero: impl Fn(&V) -> bool,
) -> Option<BTreeMap<K, V>> {
    if !theirs.keys().all(|key| ours.contains_key(key)) {
        return None;
    }
    let mut left = BTreeMap::new();
    for (key, value) in ours {
        let value = less(value, theirs.get(key))?;
        if !is_zero(&value) {
            left.insert(key.clone(), value);
        }
    }
    Some(left)
}

/// The same of counts.
fn counts_less<K: Ord + Clone>(
    ours: &BTreeMap<K, u64>,
    theirs: &BTreeMap<K, u64>,
) -> Option<BTreeMap<K, u64>> {
    let count = |ours: &u64, theirs: Option<&u64>| less(*ours, theirs.copied().unwrap_or(0));
    each_less(ours, theirs, count, |count| *count == 0)
}

impl Measurement {
    /// What was counted since `earlier`, see [`Profile::since`].
    #[must_use]
    pub fn since(&self, earlier: &Measurement) -> Option<Measurement> {
        let is_alike = self.tables == earlier.tables
            && self.is_of_several_programs == earlier.is_of_several_programs
            && earlier.instructions.values().all(|record| record.unfinished == 0);
        if !is_alike {
            return None;
        }
        let record = |ours: &InstructionRecord, theirs: Option<&InstructionRecord>| match theirs {
            Some(theirs) => ours.since(theirs),
            None => Some(ours.clone()),
        };
        let lines = |ours: &CacheLines, theirs: Option<&CacheLines>| {
            let theirs = theirs.copied().unwrap_or_default();
            Some(CacheLines {
                hits: less(ours.hits, theirs.hits)?,
                misses: less(ours.misses, theirs.misses)?,
                write_backs: less(ours.write_backs, theirs.write_backs)?,
            })
        };
        let overhead = |ours: &Overhead, theirs: Option<&Overhead>| match theirs {
            Some(theirs) => ours.since(theirs),
            None => Some(ours.clone()),
        };
        let occupied = self.occupancy.iter().zip(&earlier.occupancy).map(|(ours, theirs)| {
            let occupied = less(ours.occupied, theirs.occupied)?;
            Some(StageCycles { occupied, standing: less(ours.standing, theirs.standing)? })
        });
        Some(Measurement {
            tables: self.tables.clone(),
            instructions: each_less(
                &self.instructions,
                &earlier.instructions,
                record,
                InstructionRecord::is_zero,
            )?,
            transfers: counts_less(&self.transfers, &earlier.transfers)?,
            cycles: less(self.cycles, earlier.cycles)?,
            extra_cycles: less(self.extra_cycles, earlier.extra_cycles)?,
            undecoded_faults: counts_less(&self.undecoded_faults, &earlier.undecoded_faults)?,
            undecoded: less(self.undecoded, earlier.undecoded)?,
            events: counts_less(&self.events, &earlier.events)?,
            lines: each_less(&self.lines, &earlier.lines, lines, CacheLines::is_zero)?,
            overheads: each_less(&self.overheads, &earlier.overheads, overhead, Overhead::is_zero)?,
            occupancy: occupied.collect::<Option<_>>()?,
            is_of_several_programs: self.is_of_several_programs,
        })
    }
}

impl InstructionRecord {
    fn since(&self, earlier: &InstructionRecord) -> Option<InstructionRecord> {
        let accesses = |ours: &Accesses, theirs: Option<&Accesses>| {
            let theirs = theirs.copied().unwrap_or_default();
            Some(Accesses {
                reads: less(ours.reads, theirs.reads)?,
                writes: less(ours.writes, theirs.writes)?,
                executes: less(ours.executes, theirs.executes)?,
            })
        };
        let is_alike = self.name == earlier.name && self.size_cells == earlier.size_cells;
        is_alike.then_some(())?;
        Some(InstructionRecord {
            name: self.name.clone(),
            size_cells: self.size_cells,
            executed: less(self.executed, earlier.executed)?,
            cancelled: less(self.cancelled, earlier.cancelled)?,
            faulted: less(self.faulted, earlier.faulted)?,
            unfinished: less(self.unfinished, earlier.unfinished)?,
            accesses: each_less(&self.accesses, &earlier.accesses, accesses, Accesses::is_zero)?,
            overhead: self.overhead.since(&earlier.overhead)?,
        })
    }

    /// Whether it was never decoded and cost nothing.
    fn is_zero(&self) -> bool {
        let Self { executed, cancelled, faulted, unfinished, .. } = self;
        [executed, cancelled, faulted, unfinished].into_iter().all(|count| *count == 0)
            && self.overhead.is_zero()
    }
}

impl Overhead {
    fn since(&self, earlier: &Overhead) -> Option<Overhead> {
        Some(Overhead {
            extra_cycles: less(self.extra_cycles, earlier.extra_cycles)?,
            lost: counts_less(&self.lost, &earlier.lost)?,
        })
    }
}

impl Samples {
    fn since(&self, earlier: &Samples) -> Option<Samples> {
        Some(Samples {
            checks: less(self.checks, earlier.checks)?,
            samples: less(self.samples, earlier.samples)?,
            instructions: less(self.instructions, earlier.instructions)?,
            cycles: less(self.cycles, earlier.cycles)?,
        })
    }
}

impl Calls {
    /// What was called and spent since; what was on the stack then has cost something without a call.
    fn since(&self, earlier: &Calls) -> Option<Calls> {
        let arc = |ours: &CallCount, theirs: Option<&CallCount>| {
            let theirs = theirs.copied().unwrap_or_default();
            let inclusive = ours.inclusive.without(theirs.inclusive)?;
            Some(CallCount { calls: less(ours.calls, theirs.calls)?, inclusive })
        };
        let function = |ours: &FunctionCount, theirs: Option<&FunctionCount>| {
            let theirs = theirs.copied().unwrap_or_default();
            let inclusive = ours.inclusive.without(theirs.inclusive)?;
            Some(FunctionCount { own: ours.own.without(theirs.own)?, inclusive })
        };
        let mut contexts = ContextTree::default();
        contexts.add(&self.contexts);
        contexts.take(&earlier.contexts)?;
        Some(Calls {
            arcs: each_less(&self.arcs, &earlier.arcs, arc, |arc| *arc == CallCount::default())?,
            functions: each_less(&self.functions, &earlier.functions, function, |function| {
                *function == FunctionCount::default()
            })?,
            contexts: contexts.into_list(),
            forgotten: less(self.forgotten, earlier.forgotten)?,
            in_vain: counts_less(&self.in_vain, &earlier.in_vain)?,
            known_functions: self.known_functions.clone(),
        })
    }
}

impl Spending {
    pub(crate) fn without(self, earlier: Spending) -> Option<Spending> {
        Some(Spending {
            instructions: less(self.instructions, earlier.instructions)?,
            cycles: less(self.cycles, earlier.cycles)?,
        })
    }
}
