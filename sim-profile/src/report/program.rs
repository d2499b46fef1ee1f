//! Functions, calls and lines as elements of the report.

use serde::Serialize;

use super::each::Each;
use crate::Calls;
use crate::program::ProgramProfile;
use crate::program::line::{LineCount, LineKey, StatementRows, Steps, line_counts};
use crate::text::sanitize;

#[derive(Serialize)]
pub(super) struct Program<'a> {
    image: Vec<String>,
    function: Vec<Function>,
    call: Each<'a, Call>,
    line: Each<'a, Line>,
    note: Vec<String>,
}

#[derive(Serialize)]
struct Function {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@image")]
    image: String,
    #[serde(rename = "@address")]
    address: String,
    #[serde(rename = "@entered")]
    entered: u64,
    #[serde(rename = "@executed")]
    executed: u64,
    #[serde(rename = "@cycles")]
    cycles: u64,
    #[serde(rename = "@lost_cycles")]
    lost_cycles: u64,
    #[serde(rename = "@reads")]
    reads: u64,
    #[serde(rename = "@writes")]
    writes: u64,
    #[serde(rename = "@inclusive_executed")]
    inclusive_executed: u64,
    #[serde(rename = "@inclusive_cycles")]
    inclusive_cycles: u64,
}

#[derive(Serialize)]
struct Call {
    #[serde(rename = "@kind")]
    kind: &'static str,
    #[serde(rename = "@caller")]
    caller: String,
    #[serde(rename = "@site")]
    site: String,
    #[serde(rename = "@callee")]
    callee: String,
    #[serde(rename = "@calls")]
    calls: u64,
    #[serde(rename = "@inclusive_executed")]
    inclusive_executed: u64,
    #[serde(rename = "@inclusive_cycles")]
    inclusive_cycles: u64,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "@source")]
    source: String,
    #[serde(rename = "@number")]
    number: u32,
    #[serde(rename = "@count")]
    count: u64,
    #[serde(rename = "@executed")]
    executed: u64,
    #[serde(rename = "@cycles")]
    cycles: u64,
}

/// All that the report says of the program.
pub(super) fn program_of<'a>(profile: &'a ProgramProfile<'a>) -> Program<'a> {
    let steps = Steps::of(profile);
    Program {
        image: profile.program.images().iter().map(|image| sanitize(image)).collect(),
        function: functions_of(profile, &steps),
        call: Each::of(profile.calls.into_iter().flat_map(|calls| calls_of(profile, calls))),
        line: lines_of(profile, &steps),
        note: profile.program.notes().iter().map(|note| sanitize(&note.to_string())).collect(),
    }
}

/// Functions that were executed, or that were on the stack of calls.
fn functions_of(profile: &ProgramProfile<'_>, steps: &Steps) -> Vec<Function> {
    let entered = steps.function_entries(profile.program);
    let image_of = |image: Option<u32>| image.and_then(|image| profile.program.images().get(image as usize));
    let functions = profile.functions().into_iter();
    functions
        .map(|(number, cost, inclusive)| {
            let function = profile.program.function(number);
            Function {
                name: sanitize(&function.name),
                image: image_of(function.image).map_or_else(String::new, |image| sanitize(image)),
                address: profile.measurement.tables.format_address(function.start),
                entered: entered.get(&number).copied().unwrap_or(0),
                executed: cost.executed,
                cycles: cost.cycles,
                lost_cycles: cost.lost,
                reads: cost.accesses.reads,
                writes: cost.accesses.writes,
                inclusive_executed: inclusive.instructions,
                inclusive_cycles: inclusive.cycles,
            }
        })
        .collect()
}

fn calls_of<'a>(profile: &'a ProgramProfile<'_>, calls: &'a Calls) -> impl Iterator<Item = Call> + 'a {
    let address = |address| profile.measurement.tables.format_address(address);
    calls.arcs.iter().map(move |(key, arc)| Call {
        kind: key.kind.name(),
        caller: address(key.caller),
        site: address(key.site),
        callee: address(key.callee),
        calls: arc.calls,
        inclusive_executed: arc.inclusive.instructions,
        inclusive_cycles: arc.inclusive.cycles,
    })
}

fn lines_of<'a>(profile: &'a ProgramProfile<'_>, steps: &Steps) -> Each<'a, Line> {
    let line_of = |((source, number), line): (LineKey, LineCount)| Line {
        source: sanitize(profile.program.source(source)),
        number,
        count: line.count,
        executed: line.cost.executed,
        cycles: line.cost.cycles,
    };
    Each::of(line_counts(profile, steps, &StatementRows::of(profile, steps)).into_iter().map(line_of))
}
