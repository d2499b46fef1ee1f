//! The sums of the run.

use serde::Serialize;

use super::number::Count;
use crate::spent::format_cpi;
use crate::{Measurement, coverage, summary::Summary};

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
pub(super) fn coverage_of(measurement: &Measurement) -> Coverage {
    let coverage = coverage::Coverage::of(measurement);
    Coverage {
        used: Count(coverage.used),
        total: Count(coverage.total),
        unused: coverage.unused.len(),
        percent: coverage.percent(),
    }
}
