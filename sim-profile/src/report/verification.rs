//! What the verifier says of each function, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::flow::{Finding, ProgramFlow, RoutineFlow};

/// A table of the functions with a word on each, the findings of each below it, and those that are
/// about the whole; `is_error` says which of them are more than a note. `name_of` names a function by
/// its number, `part_of` says in which one an address is.
pub fn render_verification(
    flow: &ProgramFlow,
    routines: &[RoutineFlow],
    findings: &[Finding],
    is_error: impl Fn(&Finding) -> bool,
    name_of: impl Fn(u32) -> String,
    part_of: impl Fn(u64) -> u32,
) -> String {
    let mut of_parts: BTreeMap<u32, Vec<&Finding>> = BTreeMap::new();
    let mut of_all = Vec::new();
    for finding in findings {
        match finding.address() {
            Some(address) if is_error(finding) => of_parts.entry(part_of(address)).or_default().push(finding),
            _ => of_all.push(finding),
        }
    }
    let mut out = String::new();
    line(&mut out, format_args!("{:>8} {:>8} {:>20}  function", "blocks", "edges", "executed"));
    for routine in routines {
        let own = of_parts.remove(&routine.part).unwrap_or_default();
        let word = if own.is_empty() { "consistent" } else { "inconsistent" };
        let executed =
            routine.blocks.iter().map(|&block| &flow.blocks[block as usize]).fold(0, |sum: u64, block| {
                sum.saturating_add(block.executed.saturating_mul(u64::from(block.instructions)))
            });
        let name = name_of(routine.part);
        let (blocks, edges) = (routine.blocks.len(), routine.counts.len());
        line(&mut out, format_args!("{blocks:>8} {edges:>8} {executed:>20}  {name}: {word}"));
        own.iter().for_each(|finding| line(&mut out, format_args!("{:>40}{finding}", "")));
    }
    // Where nothing ran there are findings all the same.
    for finding in of_parts.into_values().flatten().chain(of_all) {
        let word = if is_error(finding) { "inconsistent" } else { "note" };
        line(&mut out, format_args!("{word}: {finding}"));
    }
    let errors = findings.iter().filter(|finding| is_error(finding)).count();
    match errors {
        0 => line(&mut out, format_args!("consistent")),
        1 => line(&mut out, format_args!("inconsistent in one point")),
        _ => line(&mut out, format_args!("inconsistent in {errors} points")),
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A `String` takes every write.
    let _ = writeln!(out, "{text}");
}
