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
use crate::control::{is_mere_jump, is_telling};
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::{Control, Transfers};

/// Addresses at which blocks begin.
pub(super) struct Leaders {
    /// What was come to other than from the instruction before it, and what instructions name that ran. What
    /// else is known of the program's code has no part in what was counted.
    ran: BTreeSet<u64>,
    /// Of code that never ran nothing that ran tells them, so all that is known of the program's code does.
    unused: BTreeSet<u64>,
}

impl Leaders {
    /// Finds them for a profile.
    pub(super) fn of(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>, steps: &Steps) -> Leaders {
        let tables = &profile.measurement.tables;
        let ends = |address: u64| profile.control.get(&address).is_some_and(is_end);
        let begins = |&(from, to): &(u64, u64)| transfers.successor(from) != Some(to) || ends(from);
        let reached = steps.steps.keys().filter(|step| begins(step)).map(|(_, to)| *to);
        // Where an instruction has led elsewhere, by itself or as the last one of a loop in hardware.
        let left =
            steps.steps.keys().filter_map(|&(from, to)| transfers.successor(from).filter(|next| *next != to));
        let ran = steps.entries.keys().copied().chain(reached).chain(left).collect();
        let mut leaders = Leaders { ran, unused: BTreeSet::new() };
        for (address, control) in profile.control {
            leaders.unused.extend(&control.targets);
            if steps.executed.contains_key(address) {
                leaders.ran.extend(&control.targets);
            }
            if let Some(size_cells) = profile.code.get(address).filter(|_| is_end(control)) {
                leaders.unused.insert(tables.successor(*address, *size_cells));
            }
        }
        leaders
    }

    /// Whether a block begins at an address, which ran or did not.
    pub(super) fn contains(&self, address: u64, has_run: bool) -> bool {
        if has_run { self.ran.contains(&address) } else { self.unused.contains(&address) }
    }
}

/// Whether a block ends behind an instruction.
fn is_end(control: &Control) -> bool {
    let goes_on = control.falls_through && control.targets.is_empty() && control.keeps.is_none();
    is_telling(control) && !goes_on
}

/// Where the rows of returns begin: a compiler's blocks end with the last statement before.
fn epilogues(profile: &ProgramProfile<'_>, rows: &StatementRows<'_>, steps: &Steps) -> BTreeSet<u64> {
    let returns = |control: &Control| {
        control.computed && !control.falls_through && control.targets.is_empty() && control.keeps.is_none()
    };
    let ran = steps.executed.keys().copied();
    let returns = ran.filter(|address| profile.control.get(address).is_some_and(returns));
    returns.filter_map(|address| rows.row_at(address)).map(|row| row.start).collect()
}

/// Instructions that run one behind the other.
struct Block {
    start: u64,
    /// Its lines, each once, in the order in which they begin, with how often control came there.
    lines: Vec<(LineKey, u64)>,
    /// It is a jump alone.
    is_jump: bool,
}

impl Block {
    /// The line at which it ends.
    fn last(&self) -> Option<LineKey> {
        self.lines.last().map(|(line, _)| *line)
    }
}

/// How often each line was executed that has code which ran.
pub(super) fn executed_lines(
    profile: &ProgramProfile<'_>,
    rows: &StatementRows<'_>,
    steps: &Steps,
) -> BTreeMap<LineKey, u64> {
    let (mut blocks, of_address) = blocks(profile, rows, steps);
    leave_out_jumps(&mut blocks);
    let mut sums: BTreeMap<LineKey, u64> = BTreeMap::new();
    let mut ending: BTreeSet<LineKey> = BTreeSet::new();
    for block in &blocks {
        for (line, times) in &block.lines {
            count(sums.entry(*line).or_default(), *times);
        }
        ending.extend(block.last());
    }
    let mut entered: BTreeMap<LineKey, u64> = BTreeMap::new();
    for (&to, &times) in &steps.entries {
        if let Some(line) = of_address.get(&to).and_then(|number| blocks[*number].last()) {
            count(entered.entry(line).or_default(), times);
        }
    }
    // By line: steps between the blocks that end there.
    let mut within: BTreeMap<LineKey, BTreeMap<(u64, u64), u64>> = BTreeMap::new();
    for (&(from, to), &times) in &steps.steps {
        let Some(to_block) = of_address.get(&to).map(|number| &blocks[*number]) else { continue };
        let Some(line) = to_block.last().filter(|_| to_block.start == to) else { continue };
        let from_block = of_address.get(&from).map(|number| &blocks[*number]);
        match from_block.filter(|from| from.last() == Some(line)) {
            Some(from) => count(within.entry(line).or_default().entry((from.start, to)).or_default(), times),
            None => count(entered.entry(line).or_default(), times),
        }
    }
    for line in ending {
        let entries = entered.get(&line).copied().unwrap_or(0);
        let steps: Vec<((u64, u64), u64)> = within.remove(&line).into_iter().flatten().collect();
        sums.insert(line, entries.saturating_add(turns(&steps)));
    }
    sums
}

/// The jump behind an arm, if it is a block by itself, is the compiler's: it has no part in its line if that has
/// other code.
fn leave_out_jumps(blocks: &mut [Block]) {
    let others = blocks.iter().filter(|block| !block.is_jump).flat_map(|block| &block.lines);
    let others: BTreeSet<LineKey> = others.map(|(line, _)| *line).collect();
    for block in blocks.iter_mut().filter(|block| block.is_jump) {
        block.lines.retain(|(line, _)| !others.contains(line));
    }
}

/// The blocks, ascending, and which of them each address that ran is in.
fn blocks(
    profile: &ProgramProfile<'_>,
    rows: &StatementRows<'_>,
    steps: &Steps,
) -> (Vec<Block>, BTreeMap<u64, usize>) {
    let transfers = profile.transfers();
    let epilogues = epilogues(profile, rows, steps);
    let begins = |address: u64| rows.leaders().contains(address, true) || epilogues.contains(&address);
    let arrivals = steps.arrivals();
    let mut of_address = BTreeMap::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut next = None;
    for &address in steps.executed.keys() {
        let control = profile.control.get(&address);
        let goes_on = next == Some(address) && !begins(address);
        match blocks.last_mut().filter(|_| goes_on) {
            Some(block) => block.is_jump = false,
            None => {
                let is_jump = control.is_some_and(is_mere_jump);
                blocks.push(Block { start: address, lines: Vec::new(), is_jump });
            }
        }
        of_address.insert(address, blocks.len() - 1);
        // Words that are issued together may have a line each.
        let words = transfers.successor(address).map_or(&[][..], |behind| rows.rows_within(address, behind));
        let lines = rows.line_at(address).into_iter().chain(words.iter().map(|row| (row.source, row.line)));
        for line in lines {
            if let Some(block) = blocks.last_mut()
                && block.lines.iter().all(|(known, _)| *known != line)
            {
                block.lines.push((line, arrivals.get(&address).copied().unwrap_or(0)));
            }
        }
        next = transfers.successor(address).filter(|_| !control.is_some_and(is_end));
    }
    (blocks, of_address)
}
