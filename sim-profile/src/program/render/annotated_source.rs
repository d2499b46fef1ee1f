//! The sources with what each line cost beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::program::line::{LineCount, StatementRows, Steps, line_counts};
use crate::program::{Note, ProgramProfile};
use crate::spending_of;
use crate::spent::format_cpi;

/// All sources that have code that was executed, by name, with count, instructions, cycles and
/// cycles per instruction at each line; of one that is gone, the lines that have code. What the
/// program's files do not tell stands at the end.
pub fn render_annotated_source(profile: &ProgramProfile<'_>) -> String {
    let mut sources: BTreeMap<&str, BTreeMap<u32, LineCount>> = BTreeMap::new();
    let steps = Steps::of(profile);
    let rows = StatementRows::of(profile, &steps);
    let idle = profile.cost_by_address().get(&None).map_or(0, |cost| cost.cycles);
    let mut others = spending_of(profile.measurement).cycles.saturating_sub(idle);
    for ((source, line), counted) in line_counts(profile, &steps, &rows) {
        others = others.saturating_sub(counted.cost.cycles);
        sources.entry(profile.program.source(source)).or_default().insert(line, counted);
    }
    sources.retain(|_, lines| lines.values().any(|line| line.cost.executed > 0));
    let mut out = String::new();
    for (name, lines) in &sources {
        write_source(&mut out, name, lines, profile.texts.get(*name));
    }
    write_idle(&mut out, idle);
    if others > 0 {
        let _ = writeln!(out, "note: {others} cycles are those of code that no line is known of");
    }
    write_notes(&mut out, profile.program.notes());
    let gone: Vec<&str> = sources.keys().copied().filter(|name| !profile.texts.contains_key(*name)).collect();
    if let [first, others @ ..] = &gone[..] {
        let (sources, are) = match others.len() {
            0 => ("source".to_owned(), "is"),
            others => (format!("source and {others} others"), "are"),
        };
        let _ = writeln!(
            out,
            "note: {first}: this {sources} cannot be read, and {are} shown by the lines that have code; where they \
             stand elsewhere, name the folder that their names begin at by --sources DIR"
        );
    }
    out
}

fn write_source(out: &mut String, name: &str, lines: &BTreeMap<u32, LineCount>, text: Option<&String>) {
    let _ = writeln!(out, "{name}");
    if text.is_none() {
        let _ = writeln!(out, "  (the source cannot be read; lines with code alone)");
    }
    let _ = writeln!(
        out,
        "{:>12} {:>14} {:>14} {:>8} {:>6}  source",
        "count", "instructions", "cycles", "CPI", "line"
    );
    match text {
        None => lines.iter().for_each(|(number, line)| write_line(out, *number, Some(line), "")),
        Some(text) => {
            let beyond = (1..).zip(text.lines()).fold(0, |_, (number, text)| {
                write_line(out, number, lines.get(&number), text);
                number
            });
            let missing = lines.range(beyond + 1..);
            missing.for_each(|(number, line)| write_line(out, *number, Some(line), "(no such line)"));
        }
    }
    out.push('\n');
}

fn write_line(out: &mut String, number: u32, line: Option<&LineCount>, text: &str) {
    let row = match line {
        None => format!("{:>12} {:>14} {:>14} {:>8} {number:>6}  {text}", "-", "-", "-", "-"),
        Some(LineCount { count, cost }) => {
            let cpi = format_cpi(cost.cycles, cost.executed);
            format!("{count:>12} {:>14} {:>14} {cpi:>8} {number:>6}  {text}", cost.executed, cost.cycles)
        }
    };
    let _ = writeln!(out, "{}", row.trim_end());
}

/// Cycles that no row has.
pub(super) fn write_idle(out: &mut String, cycles: u64) {
    if cycles > 0 {
        let _ = writeln!(
            out,
            "note: {cycles} cycles are those of no instruction: none began, or one that was flushed before it was \
             decoded"
        );
    }
}

/// What the program's files do not tell.
pub(super) fn write_notes(out: &mut String, notes: &[Note]) {
    for note in notes {
        let _ = writeln!(out, "note: {note}");
    }
}
