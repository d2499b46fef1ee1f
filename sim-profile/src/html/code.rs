//! The instructions that were decoded, as a table by address.

use std::collections::BTreeMap;

use serde::Serialize;

use super::function::FunctionTable;
use super::instruction_set::InstructionSet;
use super::number::{Count, Counts, hexadecimal, index_or_none};
use super::source::LineTable;
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::spent::Spent;

/// By address, then word.
#[derive(Serialize, Default)]
pub(super) struct Code {
    address: Vec<String>,
    word: Vec<String>,
    /// Empty where the description has none.
    text: Vec<String>,
    /// Numbers of its instructions of the set; several where it is some side by side.
    instruction: Vec<Vec<usize>>,
    function: Vec<i64>,
    line: Vec<i64>,
    executed: Counts,
    cycles: Counts,
    /// Lost cycles; no row where none was lost.
    lost: Counts,
    /// How often it jumped; at the first of several at one address.
    taken: Counts,
    /// Cancelled, at fault, unfinished, by row; none of the others.
    ended: BTreeMap<usize, (Count, Count, Count)>,
}

/// Those of a run.
pub(super) fn code_of(
    profile: &ProgramProfile<'_>,
    set: &InstructionSet,
    functions: &FunctionTable,
    lines: &LineTable,
) -> Code {
    let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
    for (&(from, _), &times) in &profile.measurement.transfers {
        count(taken.entry(from).or_default(), times);
    }
    let mut code = Code::default();
    let mut has_lost = false;
    for (row, (key, record)) in profile.measurement.instructions.iter().enumerate() {
        let spent = Spent::of(record);
        let text = profile.statics.get(key).and_then(|facts| facts.text.clone());
        code.address.push(hexadecimal(key.address));
        code.word.push(key.word.to_string());
        code.text.push(text.unwrap_or_default());
        code.instruction.push(set.numbers_of(&record.name).to_vec());
        code.function.push(functions.index(profile.program.function_at(key.address)));
        code.line.push(index_or_none(lines.index_at(profile.program, key.address)));
        code.executed.push(Count(spent.executed));
        code.cycles.push(Count(spent.cycles()));
        code.lost.push(Count(spent.overhead.lost_cycles()));
        code.taken.push(Count(taken.remove(&key.address).unwrap_or(0)));
        has_lost |= spent.overhead.lost_cycles() > 0;
        if (record.cancelled, record.faulted, record.unfinished) != (0, 0, 0) {
            let ended = (Count(record.cancelled), Count(record.faulted), Count(record.unfinished));
            code.ended.insert(row, ended);
        }
    }
    if !has_lost {
        code.lost.clear();
    }
    code
}
