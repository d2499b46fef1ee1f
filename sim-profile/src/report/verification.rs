//! What the verifier says of each function, as text.

use std::collections::BTreeMap;

use super::line::line;
use crate::Places;
use crate::flow::{Finding, ProgramFlow, RoutineFlow};

/// A table of the functions with a word on each, the findings of each below it with their lines, and
/// those that are about the whole; `is_error` says which of them are more than a note.
pub fn render_verification(
    flow: &ProgramFlow,
    routines: &[RoutineFlow],
    findings: &[Finding],
    is_error: impl Fn(&Finding) -> bool,
    places: &Places<'_>,
) -> String {
    let mut sorted = Sorted::of(flow, routines, findings, &is_error);
    let mut out = String::new();
    line(&mut out, format_args!("{:>8} {:>8} {:>20}  function", "blocks", "edges", "executed"));
    for (number, routine) in routines.iter().enumerate() {
        let own = sorted.of_routines.remove(&number).unwrap_or_default();
        let word = if own.is_empty() { "consistent" } else { "inconsistent" };
        let first = routine.blocks.first().map(|&block| flow.blocks[block as usize].first);
        let name = first.map_or_else(String::new, |first| (places.function_of)(first));
        let (blocks, edges, executed) = (routine.blocks.len(), routine.counts.len(), executed(flow, routine));
        line(&mut out, format_args!("{blocks:>8} {edges:>8} {executed:>20}  {name}: {word}"));
        for finding in own {
            let source = finding.address().and_then(|address| (places.line_of)(address));
            let source = source.map_or_else(String::new, |source| format!("{source}: "));
            line(&mut out, format_args!("{:>40}{source}{finding}", ""));
        }
    }
    for finding in sorted.others {
        let word = if is_error(finding) { "inconsistent" } else { "note" };
        line(&mut out, format_args!("{word}: {}{finding}", place_of(finding, places)));
    }
    match findings.iter().filter(|finding| is_error(finding)).count() {
        0 => line(&mut out, format_args!("consistent")),
        1 => line(&mut out, format_args!("inconsistent in one point")),
        errors => line(&mut out, format_args!("inconsistent in {errors} points")),
    }
    out
}

/// Findings by where they are told.
struct Sorted<'a> {
    /// By position of the routine that they lie in.
    of_routines: BTreeMap<usize, Vec<&'a Finding>>,
    /// Notes, and what lies where nothing ran.
    others: Vec<&'a Finding>,
}

impl<'a> Sorted<'a> {
    fn of(
        flow: &ProgramFlow,
        routines: &[RoutineFlow],
        findings: &'a [Finding],
        is_error: impl Fn(&Finding) -> bool,
    ) -> Sorted<'a> {
        let blocks = routines
            .iter()
            .enumerate()
            .flat_map(|(number, routine)| routine.blocks.iter().map(move |&block| (block, number)));
        let routine_of: BTreeMap<u32, usize> = blocks.collect();
        let mut sorted = Sorted { of_routines: BTreeMap::new(), others: Vec::new() };
        for finding in findings {
            let block = finding.address().filter(|_| is_error(finding)).and_then(|at| flow.block_at(at));
            match block.and_then(|block| routine_of.get(&block)) {
                Some(&number) => sorted.of_routines.entry(number).or_default().push(finding),
                None => sorted.others.push(finding),
            }
        }
        sorted
    }
}

fn executed(flow: &ProgramFlow, routine: &RoutineFlow) -> u64 {
    let blocks = routine.blocks.iter().map(|&block| &flow.blocks[block as usize]);
    let executed = blocks.map(|block| block.executed.saturating_mul(u64::from(block.instructions)));
    executed.fold(0, u64::saturating_add)
}

/// Function and line of a finding, if it is at one place.
fn place_of(finding: &Finding, places: &Places<'_>) -> String {
    let Some(address) = finding.address() else { return String::new() };
    let function = (places.function_of)(address);
    match (places.line_of)(address) {
        Some(source) => format!("in {function}, {source}: "),
        None => format!("in {function}: "),
    }
}
