//! Sets of counters and descents, for people, for programs, and for `dot`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{CountedEvent, CounterSet, Descent, MetricGraph, Region};
use crate::coverage::format_percent;

/// A table: regions below each other, events and metrics beside each other. What was not counted, and
/// what cannot be computed, is a hyphen.
pub fn render_counters(set: &CounterSet, graph: &MetricGraph, metrics: &[String]) -> String {
    let events = events_of(set);
    let mut rows = vec![Vec::from(["region".to_owned()])];
    rows[0].extend(events.iter().map(|event| one_line(&event.to_string())).chain(metrics.iter().cloned()));
    for region in regions_of(set) {
        let mut row = vec![one_line(&region.to_string())];
        let counts = events.iter().map(|event| set.count(&region, event));
        let missing = || "-".to_owned();
        row.extend(counts.map(|count| count.map_or_else(missing, |count| count.to_string())));
        let values = set.metric_values(graph, &region);
        let values = metrics.iter().map(|metric| values.get(metric.as_str()));
        row.extend(values.map(|value| value.map_or_else(missing, |value| number(*value))));
        rows.push(row);
    }
    let mut out = String::new();
    write_table(&mut out, &rows);
    let counters = counted(set.counts.len() as u64, "counter", "counters");
    let _ = writeln!(out, "\n{counters}, {}", counted(set.passes, "pass", "passes"));
    out
}

fn counted(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// Three digits behind the point; what is larger than numbers are exact for has an exponent, and as many.
fn number(value: f64) -> String {
    if value.abs() < LARGE { format!("{value:.3}") } else { format!("{value:.3e}") }
}

/// Above, the digits before the point are not known any more.
const LARGE: f64 = 1e15;

/// Columns are as wide as what they hold; the first is a name, the others are numbers.
fn write_table(out: &mut String, rows: &[Vec<String>]) {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let name = &row[0];
        let _ = write!(out, "{name:<width$}", width = if columns == 1 { 0 } else { widths[0] });
        for (text, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(out, "  {text:>width$}");
        }
        out.push('\n');
    }
}

/// One count a line: region, event, number, with tabulators between; metrics behind them.
pub fn render_raw_counters(set: &CounterSet, graph: &MetricGraph, metrics: &[String]) -> String {
    let mut out = String::new();
    for ((region, event), count) in &set.counts {
        let (region, event) = (one_line(&region.to_string()), one_line(&event.to_string()));
        let _ = writeln!(out, "{region}\t{event}\t{count}");
    }
    for region in regions_of(set) {
        let values = set.metric_values(graph, &region);
        for (metric, value) in metrics.iter().filter_map(|name| Some((name, values.get(name.as_str())?))) {
            let _ = writeln!(out, "{}\t{metric}\t{}", one_line(&region.to_string()), number(*value));
        }
    }
    out
}

/// The call graph of the functions that were counted, with their counts and metrics; other regions
/// stand by themselves.
pub fn render_counters_dot(set: &CounterSet, graph: &MetricGraph, metrics: &[String]) -> String {
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for region in regions_of(set) {
        let (name, prefix) = match &region {
            Region::Own(name) => (name.clone(), "self "),
            Region::Inclusive(name) => (name.clone(), "inclusive "),
            Region::Run | Region::Addresses { .. } => (region.to_string(), ""),
        };
        let lines = nodes.entry(name).or_default();
        for event in events_of(set) {
            let count = set.count(&region, &event);
            lines.extend(count.map(|count| format!("{prefix}{event} {count}")));
        }
        let values = set.metric_values(graph, &region);
        for (metric, value) in metrics.iter().filter_map(|name| Some((name, values.get(name.as_str())?))) {
            lines.push(format!("{prefix}{metric} {}", number(*value)));
        }
    }
    let mut out = String::from("digraph counters {\n    node [shape=box];\n");
    let numbers: BTreeMap<&String, usize> = nodes.keys().zip(0..).collect();
    for ((name, lines), number) in nodes.iter().zip(0..) {
        let label: Vec<String> = std::iter::once(name).chain(lines).map(|line| escape(line)).collect();
        let _ = writeln!(out, "    n{number} [label=\"{}\"];", label.join("\\n"));
    }
    for ((caller, callee), times) in &set.calls {
        if let (Some(from), Some(to)) = (numbers.get(caller), numbers.get(callee)) {
            let _ = writeln!(out, "    n{from} -> n{to} [label=\"{times} x\"];");
        }
    }
    out.push_str("}\n");
    out
}

/// What was measured in each pass, and what was left out. `name` says which function begins at an
/// address, `total` is what the whole run spent.
pub fn render_descent(
    descent: &Descent,
    event: &CountedEvent,
    counters: usize,
    total: u64,
    name: impl Fn(u64) -> String,
) -> String {
    let mut out = String::new();
    let share = |spent: u64| format_percent(spent, total);
    let threshold = descent.threshold;
    let _ = writeln!(
        out,
        "functions that take {threshold} {event} and more ({} % of {total}), with what they call; {} at a time\n",
        share(threshold),
        counted(counters as u64, "counter", "counters")
    );
    let _ = writeln!(out, "{:>5} {:>16} {:>7}  function", "pass", event.to_string(), "%");
    for (pass, measured) in (1..).zip(&descent.passes) {
        for (function, spent) in measured {
            let mark = if *spent >= threshold { "" } else { "  (less)" };
            let _ = writeln!(out, "{pass:>5} {spent:>16} {:>7}  {}{mark}", share(*spent), name(*function));
        }
    }
    for (function, bound) in &descent.left_out {
        let _ = writeln!(
            out,
            "{:>5} {:>16} {:>7}  {}",
            "-",
            format!("<= {bound}"),
            share(*bound),
            name(*function)
        );
    }
    for function in &descent.unknown {
        let _ = writeln!(out, "{:>5} {:>16} {:>7}  {}", "-", "not known", "", name(*function));
    }
    let (measured, left_out, unknown) = (descent.measured(), descent.left_out.len(), descent.unknown.len());
    let all = (measured + left_out + unknown).div_ceil(counters.max(1));
    let passes = |count: usize| counted(count as u64, "pass", "passes");
    let _ = writeln!(
        out,
        "\n{} found in {}: {measured} measured, {left_out} left out{}; all one by one: {}",
        descent.found().count(),
        passes(descent.passes.len()),
        if unknown > 0 { format!(", {unknown} not known") } else { String::new() },
        passes(all)
    );
    out
}

fn events_of(set: &CounterSet) -> BTreeSet<CountedEvent> {
    set.counts.keys().map(|(_, event)| event.clone()).collect()
}

fn regions_of(set: &CounterSet) -> BTreeSet<Region> {
    set.counts.keys().map(|(region, _)| region.clone()).collect()
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], "\u{fffd}")
}

fn escape(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::{number, render_descent};
    use crate::counters::{CountedEvent, Descent};

    #[test]
    fn large_numbers_have_an_exponent() {
        assert_eq!(number(1.5), "1.500");
        assert_eq!(number(-999_999_999_999_999.0), "-999999999999999.000");
        assert_eq!(number(1.234_567e15), "1.235e15");
        assert_eq!(number(-1e300), "-1.000e300");
    }

    #[test]
    fn a_single_pass_is_one() {
        let passes = vec![vec![(1, 9)]];
        let descent = Descent { passes, unknown: [2].into(), threshold: 5, ..Descent::default() };
        let text = render_descent(&descent, &CountedEvent::Cycles, 2, 10, |start| format!("f{start}"));
        let (_, end) = text.split_once("function\n").expect("a table");
        assert_eq!(
            end,
            "    1                9   90.00  f1\n    -        not known          f2\n\n\
             1 found in 1 pass: 1 measured, 0 left out, 1 not known; all one by one: 1 pass\n"
        );
    }
}
