//! The sums of the run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::instruction_set::InstructionSet;
use super::number::Count;
use crate::spent::format_cpi;
use crate::{Measurement, Profile, ProgramRuns, coverage, coverage::Exclusions, summary::Summary};

/// One of the sums, by its name in the XML report.
#[derive(Serialize)]
pub(super) struct Figure {
    name: &'static str,
    value: Value,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Count(Count),
    Text(String),
}

/// How much of the instruction set ran.
#[derive(Serialize)]
pub(super) struct Coverage {
    used: Count,
    total: Count,
    unused: usize,
    percent: String,
    /// Number of the instruction, reason.
    excluded: Vec<(usize, String)>,
}

/// One of several programs: name, runs, instructions, cycles.
pub(super) type ProgramRow = (String, Count, Count, Count);

/// As the element `programs` has them.
pub(super) fn programs_of(profile: &Profile) -> Vec<ProgramRow> {
    let programs = profile.provenance.programs.iter();
    let row = |program: &ProgramRuns| {
        (program.names(), Count(program.runs), Count(program.executed), Count(program.cycles))
    };
    programs.map(row).collect()
}

/// As the element `summary` has them.
pub(super) fn figures_of(measurement: &Measurement) -> Vec<Figure> {
    let summary = Summary::of(measurement);
    let count = |name, value| Figure { name, value: Value::Count(Count(value)) };
    let cpi = format_cpi(summary.total_cycles, summary.executed);
    vec![
        count("executed", summary.executed),
        count("total_cycles", summary.total_cycles),
        Figure { name: "cpi", value: Value::Text(cpi) },
        count("cycles", summary.cycles),
        count("extra_cycles", summary.extra_cycles),
        count("idle_cycles", summary.idle_cycles),
        count("cancelled", summary.cancelled),
        count("faulted", summary.faulted),
        count("unfinished", summary.unfinished),
        count("undecoded", summary.undecoded),
        count("reads", summary.accesses.reads),
        count("writes", summary.accesses.writes),
        count("executes", summary.accesses.executes),
    ]
}

/// As the element `coverage` has it.
pub(super) fn coverage_of(
    measurement: &Measurement,
    exclusions: &Exclusions,
    set: &InstructionSet,
) -> Coverage {
    let coverage = coverage::Coverage::without(measurement, exclusions);
    let numbers: BTreeMap<&str, usize> = set.names().iter().map(String::as_str).zip(0..).collect();
    let excluded = coverage.excluded.iter();
    Coverage {
        excluded: excluded
            .filter_map(|(name, reason)| Some((*numbers.get(name.as_str())?, reason.clone())))
            .collect(),
        used: Count(coverage.used),
        total: Count(coverage.total),
        unused: coverage.unused.len(),
        percent: coverage.percent(),
    }
}
