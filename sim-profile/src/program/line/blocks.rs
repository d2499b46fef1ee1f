//! Basic blocks of what ran, and what they tell of lines.
//!
//! gcov counts blocks and gives each the lines of its statements. A line at which a block ends was executed as
//! often as control came to the blocks that end there from others, and went round among them; any other line as
//! often as the blocks that it is a part of. Here the blocks are those of the machine's code: they end with
//! branches, jumps and calls, and before what is jumped to.

use std::collections::{BTreeMap, BTreeSet};

use super::statement_rows::StatementRows;
use super::turns::turns;
use super::{LineKey, Steps};
use crate::control::is_telling;
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::{Control, Transfers};

/// Addresses at which a block begins that ran, as far as a step tells it.
pub(super) fn leaders(
    profile: &ProgramProfile<'_>,
    transfers: &Transfers<'_>,
    steps: &Steps,
) -> BTreeSet<u64> {
    let ends = |address: u64| profile.control.get(&address).is_some_and(is_end);
    let begins = |&(from, to): &(u64, u64)| transfers.successor(from) != Some(to) || ends(from);
    let reached = steps.steps.keys().filter(|step| begins(step)).map(|(_, to)| *to);
    steps.entries.keys().copied().chain(reached).collect()
}

/// Whether a block ends behind an instruction.
fn is_end(control: &Control) -> bool {
    is_telling(control)
        && !(control.falls_through
            && !control.computed
            && control.targets.is_empty()
            && control.keeps.is_none())
}

/// Where the rows of returns begin: a compiler's blocks end with the last statement before.
fn epilogues<'a>(
    profile: &'a ProgramProfile<'_>,
    rows: &'a StatementRows<'_>,
) -> impl Iterator<Item = u64> + 'a {
    let returns = |control: &Control| {
        control.computed && !control.falls_through && control.targets.is_empty() && control.keeps.is_none()
    };
    let returns = profile.control.iter().filter(move |(_, control)| returns(control));
    returns.filter_map(|(address, _)| rows.row_at(*address)).map(|row| row.start)
}

/// Instructions that run one behind the other.
struct Block {
    start: u64,
    /// How often control came to it.
    times: u64,
    /// Its lines, each once, in the order in which they begin.
    lines: Vec<LineKey>,
}

/// How often each line was executed that has code which ran.
pub(super) fn executed_lines(
    profile: &ProgramProfile<'_>,
    rows: &StatementRows<'_>,
    steps: &Steps,
) -> BTreeMap<LineKey, u64> {
    let (blocks, of_address) = blocks(profile, rows, steps);
    let mut sums: BTreeMap<LineKey, u64> = BTreeMap::new();
    let mut ending: BTreeMap<LineKey, BTreeSet<usize>> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        for line in &block.lines {
            count(sums.entry(*line).or_default(), block.times);
        }
        if let Some(last) = block.lines.last() {
            ending.entry(*last).or_default().insert(number);
        }
    }
    let mut within: BTreeMap<LineKey, Vec<((u64, u64), u64)>> = BTreeMap::new();
    let last = |number: usize| blocks[number].lines.last().copied();
    let mut entered: BTreeMap<LineKey, u64> = BTreeMap::new();
    for (&to, &times) in &steps.entries {
        if let Some(line) = of_address.get(&to).and_then(|number| last(*number)) {
            count(entered.entry(line).or_default(), times);
        }
    }
    for (&(from, to), &times) in &steps.steps {
        let Some(&to_block) = of_address.get(&to).filter(|number| blocks[**number].start == to) else {
            continue;
        };
        let Some(line) = last(to_block) else { continue };
        match of_address.get(&from).filter(|from| last(**from) == Some(line)) {
            Some(from) => within.entry(line).or_default().push(((blocks[*from].start, to), times)),
            None => count(entered.entry(line).or_default(), times),
        }
    }
    for line in ending.keys() {
        let entries = entered.get(line).copied().unwrap_or(0);
        let turns = within.get(line).map_or(0, |steps| turns(steps));
        sums.insert(*line, entries.saturating_add(turns));
    }
    sums
}

/// The blocks, ascending, and which of them each address that ran is in.
fn blocks(
    profile: &ProgramProfile<'_>,
    rows: &StatementRows<'_>,
    steps: &Steps,
) -> (Vec<Block>, BTreeMap<u64, usize>) {
    let transfers = profile.transfers();
    let mut leaders = leaders(profile, &transfers, steps);
    leaders.extend(epilogues(profile, rows));
    let arrivals = steps.arrivals();
    let mut of_address = BTreeMap::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut next = None;
    for &address in crate::executions::executions(profile.measurement).keys() {
        let goes_on = next == Some(address) && !leaders.contains(&address);
        match blocks.last_mut().filter(|_| goes_on) {
            Some(_) => {}
            None => {
                let times = arrivals.get(&address).copied().unwrap_or(0);
                blocks.push(Block { start: address, times, lines: Vec::new() });
            }
        }
        let number = blocks.len() - 1;
        of_address.insert(address, number);
        if let Some(line) = rows.line_at(address)
            && let Some(block) = blocks.last_mut()
            && !block.lines.contains(&line)
        {
            block.lines.push(line);
        }
        let ends = profile.control.get(&address).is_some_and(is_end);
        next = transfers.successor(address).filter(|_| !ends);
    }
    (blocks, of_address)
}
