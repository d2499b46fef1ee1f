//! The sums of a run as text, for people.

use super::element::{Cause, Stage};
use super::line::line;
use super::time::{lost_of, stages_of};
use crate::coverage::{Coverage, Exclusions, format_percent};
use crate::spent::{format_cpi, spent_by_instruction};
use crate::summary::{Summary, cache_totals, resource_totals};
use crate::{Measurement, ModelTables, Profile, ProgramRuns, Provenance};

use crate::text::sanitize;

/// How many kinds of instructions are listed.
const LISTED: usize = 10;

/// The summary of a measurement: totals, resources, caches, lost cycles, stages, coverage, and the
/// instructions that took the most cycles. Tables with one line an entry; ends with a line break.
pub fn render_text(measurement: &Measurement) -> String {
    render(measurement, &Provenance::default(), &Exclusions::new())
}

/// The same of a profile, with the programs, where it is of several, and with instructions that need not be
/// covered.
pub fn render_profile_text(profile: &Profile, exclusions: &Exclusions) -> String {
    render(&profile.measurement, &profile.provenance, exclusions)
}

fn render(measurement: &Measurement, provenance: &Provenance, exclusions: &Exclusions) -> String {
    let tables = &measurement.tables;
    let mut out = format!("model {}\n\n", sanitize(&tables.model));
    if let Some(parts) = provenance.describe_parts() {
        line(&mut out, format_args!("{parts}\n"));
    }
    write_programs(&mut out, &provenance.programs);
    write_totals(&mut out, &Summary::of(measurement));
    write_resources(&mut out, measurement, tables);
    write_caches(&mut out, measurement, tables);
    write_lost(&mut out, measurement);
    write_stages(&mut out, measurement);
    let coverage = Coverage::without(measurement, exclusions);
    let (used, total, percent) = (coverage.used, coverage.total, coverage.percent());
    line(&mut out, format_args!("\n{used} of {total} instructions of the set were executed ({percent} %)"));
    write_exclusions(&mut out, &coverage.excluded);
    write_costliest(&mut out, measurement);
    out
}

fn write_programs(out: &mut String, programs: &[ProgramRuns]) {
    if programs.is_empty() {
        return;
    }
    line(out, format_args!("{:>20} {:>20} {:>20}  program", "runs", "executed", "cycles"));
    for program in programs {
        let ProgramRuns { runs, executed, cycles, .. } = program;
        line(out, format_args!("{runs:>20} {executed:>20} {cycles:>20}  {}", sanitize(&program.names())));
    }
    out.push('\n');
}

fn write_exclusions(out: &mut String, excluded: &[(String, String)]) {
    if excluded.is_empty() {
        return;
    }
    let count = excluded.len();
    line(out, format_args!("{count} more {} excluded:", if count == 1 { "is" } else { "are" }));
    for (name, reason) in excluded {
        line(out, format_args!("    {}: {}", sanitize(name), sanitize(reason)));
    }
}

fn write_totals(out: &mut String, summary: &Summary) {
    let figures = [
        ("executed", summary.executed),
        ("cancelled", summary.cancelled),
        ("faulted", summary.faulted),
        ("unfinished", summary.unfinished),
        ("undecoded", summary.undecoded),
        ("idle cycles", summary.idle_cycles),
        ("cycles", summary.cycles),
        ("extra cycles", summary.extra_cycles),
        ("total cycles", summary.total_cycles),
    ];
    for (name, figure) in figures {
        line(out, format_args!("{name:<12} {figure:>20}"));
    }
    line(out, format_args!("{:<12} {:>20}", "cpi", format_cpi(summary.total_cycles, summary.executed)));
}

fn write_resources(out: &mut String, measurement: &Measurement, tables: &ModelTables) {
    line(out, format_args!("\n{:>20} {:>20} {:>20}  resource", "reads", "writes", "executes"));
    for (resource, accesses) in resource_totals(measurement) {
        let name = sanitize(&tables.resource_name(resource));
        let (reads, writes, executes) = accesses.into();
        line(out, format_args!("{reads:>20} {writes:>20} {executes:>20}  {name}"));
    }
}

fn write_caches(out: &mut String, measurement: &Measurement, tables: &ModelTables) {
    let totals = cache_totals(measurement);
    if totals.is_empty() {
        return;
    }
    line(out, format_args!("\n{:>20} {:>20} {:>20}  cache", "hits", "misses", "write backs"));
    for (cache, lines) in totals {
        let name = sanitize(&tables.cache_name(cache));
        let (hits, misses, write_backs) = (lines.hits, lines.misses, lines.write_backs);
        line(out, format_args!("{hits:>20} {misses:>20} {write_backs:>20}  {name}"));
    }
}

/// Why no instruction began, what lost most first.
fn write_lost(out: &mut String, measurement: &Measurement) {
    let mut causes: Vec<Cause> = lost_of(&measurement.lost(), &measurement.tables).cause;
    if causes.is_empty() {
        return;
    }
    // The sort keeps their order where cycles are equal.
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.cycles));
    line(out, format_args!("\n{:>20} {:>9}  reason", "lost cycles", "percent"));
    for Cause { reason, cache, operation, stage, cycles } in causes {
        let percent = format_percent(cycles, measurement.cycles);
        let reason = match &cache[..] {
            "" => reason.to_owned(),
            cache => format!("{cache} miss"),
        };
        line(out, format_args!("{cycles:>20} {percent:>9}  {reason}: {operation} in {stage}"));
    }
}

fn write_stages(out: &mut String, measurement: &Measurement) {
    let stages = stages_of(measurement).stage;
    if stages.is_empty() {
        return;
    }
    line(out, format_args!("\n{:>20} {:>20} {:>9}  stage", "occupied", "standing", "percent"));
    for Stage { name, occupied, standing, percent } in stages {
        line(out, format_args!("{occupied:>20} {standing:>20} {percent:>9}  {name}"));
    }
}

fn write_costliest(out: &mut String, measurement: &Measurement) {
    let mut kinds: Vec<_> = spent_by_instruction(measurement).into_iter().collect();
    // The sort keeps the order of names where cycles are equal.
    kinds.sort_by_key(|(_, spent)| std::cmp::Reverse(spent.cycles()));
    line(out, format_args!("\n{:>20} {:>20} {:>9}  instruction", "cycles", "executed", "cpi"));
    for (name, spent) in kinds.iter().take(LISTED) {
        let (cycles, executed, cpi) = (spent.cycles(), spent.executed, spent.cpi());
        line(out, format_args!("{cycles:>20} {executed:>20} {cpi:>9}  {}", sanitize(name)));
    }
}
