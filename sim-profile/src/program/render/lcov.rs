//! Coverage of the sources in the format of lcov's tracefiles (geninfo(1)).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::program::decision::decisions;
use crate::program::line::{Branch, LineCount, LineKey, StatementRows, Steps, line_counts};
use crate::program::{OUTSIDE, ProgramProfile};
use crate::text::one_line;

/// What is known of one source.
#[derive(Default)]
struct Source<'a> {
    /// Name, line and calls of functions.
    functions: BTreeMap<(u32, &'a str), u64>,
    /// By line.
    lines: BTreeMap<u32, LineCount>,
    /// By line.
    branches: BTreeMap<u32, Vec<Branch>>,
}

/// Functions, lines and branches of all sources, by name.
///
/// The branches of a line are numbered by the addresses of their instructions; side 0 goes on behind
/// the instruction where it can do that. A choice of many, as a `switch` is, is one
/// branch with a side for each place that it leads to, by address. A branch that was never executed is
/// known where the description was asked: what its sides did is `-`.
pub fn render_lcov(profile: &ProgramProfile<'_>) -> String {
    let steps = Steps::of(profile);
    let rows = StatementRows::of(profile, &steps);
    let calls = steps.function_entries(profile.program);
    let mut sources: BTreeMap<&str, Source<'_>> = BTreeMap::new();
    let source = |(number, line): LineKey| (profile.program.source(number), line);
    for (key, counted) in line_counts(profile, &steps, &rows) {
        let (name, line) = source(key);
        sources.entry(name).or_default().lines.insert(line, counted);
    }
    for (number, function) in (0u32..).zip(profile.program.functions()).filter(|(n, _)| *n != OUTSIDE) {
        let Some(row) = profile.program.row_at(function.start).filter(|_| function.has_symbol) else {
            continue;
        };
        let calls = calls.get(&number).copied().unwrap_or(0);
        let source = sources.entry(profile.program.source(row.source)).or_default();
        // What a header has is there once for each unit that includes it.
        let sum = source.functions.entry((row.line, &function.name)).or_default();
        *sum = sum.saturating_add(calls);
    }
    for branch in decisions(profile, &steps, &rows) {
        let Some(row) = rows.row_at(branch.address) else { continue };
        let source = sources.entry(profile.program.source(row.source)).or_default();
        source.branches.entry(row.line).or_default().push(branch);
    }
    let mut out = String::from("TN:\n");
    for (name, source) in &sources {
        let path = profile.folder.map(|folder| folder.join(name).to_string_lossy().into_owned());
        write_source(&mut out, path.as_deref().unwrap_or(name), source);
    }
    out
}

fn write_source(out: &mut String, name: &str, source: &Source<'_>) {
    let hit = |count: u64| u64::from(count > 0);
    let _ = writeln!(out, "SF:{}", one_line(name));
    for (line, function) in source.functions.keys() {
        let _ = writeln!(out, "FN:{line},{}", without_commas(function));
    }
    for ((_, function), calls) in &source.functions {
        let _ = writeln!(out, "FNDA:{calls},{}", without_commas(function));
    }
    let functions_hit: u64 = source.functions.values().map(|calls| hit(*calls)).sum();
    let _ = writeln!(out, "FNF:{}\nFNH:{functions_hit}", source.functions.len());
    let (mut sides, mut sides_hit) = (0, 0);
    for (line, branches) in &source.branches {
        for (number, branch) in branches.iter().enumerate() {
            let was_executed = branch.sides.iter().any(|(_, times)| *times > 0);
            for (side, (_, times)) in branch.sides.iter().enumerate() {
                let taken = if was_executed { times.to_string() } else { "-".to_owned() };
                let _ = writeln!(out, "BRDA:{line},{number},{side},{taken}");
                sides += 1;
                sides_hit += hit(*times);
            }
        }
    }
    let _ = writeln!(out, "BRF:{sides}\nBRH:{sides_hit}");
    for (line, counted) in &source.lines {
        let _ = writeln!(out, "DA:{line},{}", counted.count);
    }
    let lines_hit: u64 = source.lines.values().map(|counted| hit(counted.count)).sum();
    let _ = writeln!(out, "LF:{}\nLH:{lines_hit}\nend_of_record", source.lines.len());
}

/// The name of a function as it is read as a whole: `genhtml` 1.16 ends it at the first comma.
fn without_commas(name: &str) -> String {
    one_line(name).replace(',', ";")
}
