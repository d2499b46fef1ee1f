//! What samples say of a whole run: functions, calls, accesses to memory, misses, each with its interval.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::annotated_source::write_notes;
use super::function_names::FunctionNames;
use crate::coverage::format_percent;
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::{Accesses, CacheLines, CheckPlaces, Counted, Duplication, Instrumented, Samples, Sampling};

/// Tables of what follows from samples, the largest figures first. Each such figure is marked by `~`
/// and followed by its 95 % interval; those of the whole run are exact. `parts` is how many parts of runs the
/// samples are of, `None` if they are of a whole one.
pub fn render_sampled(
    profile: &ProgramProfile<'_>,
    sampling: Sampling,
    samples: Samples,
    parts: Option<u64>,
) -> String {
    let Figures { instructions, calls, accesses, misses, counted } = Figures::of(profile);
    let mut out = String::new();
    let _ = writeln!(out, "{}", sampling.describe(samples));
    if let Some(counted) = sampling.duplication.instrumented() {
        let _ = writeln!(out, "{counted} alone were counted");
    }
    let sampling = sampling.observed(samples);
    let all = match parts {
        None => "the run",
        Some(0) => "no part of the run",
        Some(1) => "the part of the run",
        Some(_) => "the parts of the run",
    };
    let of_checks = match sampling.duplication {
        Duplication::Full | Duplication::Partial(_) => match sampling.places {
            CheckPlaces::Both => "",
            CheckPlaces::Calls => ", calls alone",
            CheckPlaces::BackEdges => ", jumps back alone",
        },
        Duplication::None(Instrumented::Calls) => ", each an instruction that may call",
        Duplication::None(Instrumented::Accesses) => ", each an instruction that accesses memory",
    };
    for (figure, name) in [
        (samples.instructions, format!("instructions in {all}")),
        (samples.cycles, format!("cycles in {all}")),
        (samples.checks, format!("checks in {all}{of_checks}")),
        (samples.samples, "samples".to_owned()),
        (counted, "instructions in the samples".to_owned()),
    ] {
        let _ = writeln!(out, "{figure:>14}  {name}");
    }
    let is_random = sampling.timer_microseconds.is_none();
    out.push_str(match is_random {
        true => "~ marks what follows from samples, with the 95 % interval\n",
        false => "~ marks what follows from samples\n",
    });
    out.push_str(match (sampling.timer_microseconds, sampling.seed) {
        (Some(_), _) => {
            "samples that time chooses come more often where checks are rare: no interval is known\n"
        }
        (None, None) if sampling.share() < 1.0 => {
            "samples at equal distances: intervals hold if nothing in the program keeps their time\n"
        }
        _ => "",
    });
    if samples.checks == 0 && calls_are_checks(sampling) {
        out.push_str(
            "no check was passed: a jump is a call where its instruction keeps the address behind itself\n",
        );
    }
    if !sampling.bounds_stretches() {
        out.push_str(
            "between two calls a loop runs as often as it likes: for calls alone there is an interval\n",
        );
    }
    if sampling.share() < 1.0 && has_unended(profile) {
        out.push_str(
            "instructions were cancelled, or at fault: where they lead back an address runs more than once between two \
             checks, and its interval is too narrow\n",
        );
    }
    let names = FunctionNames::of(profile.program);
    let functions = |figures: BTreeMap<u32, Counted>| -> Vec<(Counted, String)> {
        figures.into_iter().map(|(function, counted)| (counted, names.number(function))).collect()
    };
    let is_known = is_random && sampling.bounds_stretches();
    let mut table = Table { sampling, out: &mut out };
    let counted = sampling.duplication.instrumented();
    if counted.is_none() {
        let rows = functions(instructions);
        let most = Some(samples.instructions);
        table = table.write(["instructions", "function"], Known { most, has_share: true, is_known }, rows);
    }
    let arcs = calls.into_iter().map(|((caller, callee), counted)| {
        (counted, format!("{} -> {}", names.number(caller), names.number(callee)))
    });
    if counted != Some(Instrumented::Accesses) {
        let checks = Some(samples.checks).filter(|_| calls_are_checks(sampling));
        let most = Some(samples.instructions.min(checks.unwrap_or(u64::MAX)));
        let known = Known { most, has_share: false, is_known: is_random };
        table = table.write(["calls", "caller -> called"], known, arcs.collect());
    }
    if counted != Some(Instrumented::Calls) {
        let accesses = functions(accesses);
        let known = || Known { most: None, has_share: false, is_known };
        table = table.write(["accesses", "function that reads or writes memory"], known(), accesses);
        for (cache, misses) in misses {
            let of = format!("function, in cache {}", profile.measurement.tables.cache_name(cache));
            table = table.write(["misses", &of], known(), functions(misses));
        }
    }
    write_notes(&mut out, profile.program.notes());
    out
}

/// Whether instructions have not run to their end, which are no checks wherever they lead.
fn has_unended(profile: &ProgramProfile<'_>) -> bool {
    let measurement = profile.measurement;
    let mut records = measurement.instructions.values();
    records.any(|record| record.cancelled > 0 || record.faulted > 0)
        || !measurement.undecoded_faults.is_empty()
}

/// Whether each call is a check: calls are no more than checks, then.
fn calls_are_checks(sampling: Sampling) -> bool {
    match sampling.duplication {
        Duplication::Full | Duplication::Partial(_) => sampling.places.includes_calls(),
        Duplication::None(instrumented) => instrumented == Instrumented::Calls,
    }
}

/// What was counted, by number of the function.
#[derive(Default)]
struct Figures {
    instructions: BTreeMap<u32, Counted>,
    calls: BTreeMap<(u32, u32), Counted>,
    /// Reads and writes of memory.
    accesses: BTreeMap<u32, Counted>,
    /// Lines that were absent, by number of the cache that was simulated.
    misses: BTreeMap<u32, BTreeMap<u32, Counted>>,
    /// Instructions altogether.
    counted: u64,
}

impl Figures {
    fn of(profile: &ProgramProfile<'_>) -> Figures {
        let mut figures = Figures::default();
        if !profile.measurement.lines.is_empty() {
            figures.misses = misses(profile);
        }
        for (address, cost) in profile.cost_by_address() {
            let function = profile.function_of(address);
            if cost.executed == 0 {
                continue;
            }
            figures.counted = figures.counted.saturating_add(cost.executed);
            figures.instructions.entry(function).or_default().add(cost.executed, 1);
            let Accesses { reads, writes, .. } = cost.accesses;
            let accesses = reads.saturating_add(writes);
            let (each, rest) = (accesses / cost.executed, accesses % cost.executed);
            let counted = figures.accesses.entry(function).or_default();
            if each > 0 {
                counted.add(cost.executed, each);
            }
            // What not every execution does.
            if rest > 0 {
                counted.add(rest, 1);
            }
        }
        figures.accesses.retain(|_, counted| counted.sum() > 0.0);
        for ((from, to), times) in calls(profile) {
            let arc = (profile.function_of(Some(from)), profile.function_of(Some(to)));
            figures.calls.entry(arc).or_default().add(times, 1);
        }
        figures
    }
}

/// How often each instruction that keeps the address behind itself has called what. One that leads to one place by
/// itself has called that, even if it went on with the handler of an interrupt that came behind it: where there are
/// interrupts any instruction can go anywhere.
fn calls(profile: &ProgramProfile<'_>) -> BTreeMap<(u64, u64), u64> {
    let mut calls: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (&(from, to), &times) in profile.measurement.transfers.iter().filter(|(_, times)| **times > 0) {
        let Some(control) = profile.control.get(&from).filter(|control| control.keeps.is_some()) else {
            continue;
        };
        let called = match control.targets[..] {
            [only] if !control.falls_through => only,
            _ => to,
        };
        count(calls.entry((from, called)).or_default(), times);
    }
    calls
}

/// Misses by function, for each cache of the model.
fn misses(profile: &ProgramProfile<'_>) -> BTreeMap<u32, BTreeMap<u32, Counted>> {
    let measurement = profile.measurement;
    let mut begun: BTreeMap<Option<u64>, u64> = BTreeMap::new();
    for (key, record) in &measurement.instructions {
        let begun = begun.entry(Some(key.address)).or_default();
        *begun = begun.saturating_add(record.executed).saturating_add(record.cancelled);
    }
    let caches = (0u32..).zip(&measurement.tables.caches);
    let mut misses: BTreeMap<u32, BTreeMap<u32, Counted>> =
        caches.map(|(cache, _)| (cache, BTreeMap::new())).collect();
    for (&(address, cache), lines) in measurement.lines.iter().filter(|(_, lines)| lines.misses > 0) {
        let by_function = misses.entry(cache).or_default();
        let counted = by_function.entry(profile.function_of(address)).or_default();
        add_misses(counted, lines, begun.get(&address).copied().unwrap_or(0));
    }
    misses
}

/// Adds the misses of an address where an instruction has begun so often. As many lines as it touches on
/// average may have been absent together, so that its misses are as many figures that all have their own
/// interval.
fn add_misses(counted: &mut Counted, lines: &CacheLines, begun: u64) {
    let touched = lines.hits.saturating_add(lines.misses);
    let together = touched.div_ceil(begun.max(1)).clamp(1, lines.misses);
    let (each, rest) = (lines.misses / together, lines.misses % together);
    counted.add(each, together - rest);
    if rest > 0 {
        counted.add(each + 1, rest);
    }
}

/// What is known of a table's figures.
struct Known {
    /// What none of them is above: it is of the whole run, and exact.
    most: Option<u64>,
    /// Their share of that is told.
    has_share: bool,
    /// The intervals hold.
    is_known: bool,
}

/// Writes tables of estimates.
struct Table<'o> {
    sampling: Sampling,
    out: &'o mut String,
}

impl Table<'_> {
    /// A table, the largest figures first.
    fn write(
        self,
        [what, of]: [&str; 2],
        Known { most, has_share, is_known }: Known,
        figures: Vec<(Counted, String)>,
    ) -> Self {
        let share = if has_share { format!("{:>7}", "%") } else { String::new() };
        let _ = writeln!(self.out, "\n{what:>15} {:>31}{share}  {of}", "95 % interval");
        if figures.is_empty() {
            let _ = writeln!(self.out, "{:>15} in the samples", "none");
        }
        let mut rows: Vec<_> = figures
            .into_iter()
            .map(|(counted, name)| (self.sampling.estimate(&counted), name))
            .map(|(estimate, name)| {
                let bounded = |end: f64| (end as u64).min(most.unwrap_or(u64::MAX));
                let ends = [bounded(estimate.low.floor()), bounded(estimate.high.ceil())];
                ((Reverse(bounded(estimate.value.round())), name), ends)
            })
            .collect();
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        for ((Reverse(value), name), [low, high]) in rows {
            let whole = most.filter(|_| has_share);
            let share =
                whole.map_or_else(String::new, |whole| format!("{:>7}", format_percent(value, whole)));
            let interval = match is_known {
                true => format!("{low:>14} - {high:>14}"),
                false => format!("{:>14} - {:>14}", "?", "?"),
            };
            let _ = writeln!(self.out, "~{value:>14} {interval}{share}  {name}");
        }
        self
    }
}
