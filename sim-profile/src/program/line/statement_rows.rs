//! Rows of the line table as statements have them.
//!
//! A condition that goes over several lines is decided where its operator stands: GCC gives the branch that
//! ends a part of it a row of its own, with the line of an `||` or `&&` before that part. Nobody comes to that
//! line anew, so the branch belongs to the row before it.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::Leaders;
use super::{LineKey, Steps};
use crate::program::{Program, ProgramProfile, Row};
use crate::{Transfers, delay_slots};

/// Rows by address, those of mere branches apart.
pub struct StatementRows<'a> {
    program: &'a Program,
    /// The row that counts, by the beginning of one that does not.
    moved: BTreeMap<u64, &'a Row>,
    leaders: Leaders,
}

impl<'a> StatementRows<'a> {
    /// Finds them for a profile.
    pub fn of(profile: &ProgramProfile<'a>, steps: &Steps) -> StatementRows<'a> {
        let transfers = profile.transfers();
        let leaders = Leaders::of(profile, &transfers, steps);
        let has_run = |start: u64| steps.executed.contains_key(&start);
        let program = profile.program;
        let rows = program.rows();
        let slots = delay_slots(profile.statics);
        let is_end = |pair: &[Row]| {
            let [before, row] = pair else { return false };
            before.end == row.start
                && before.source == row.source
                && before.line != row.line
                && !leaders.contains(row.start, has_run(row.start))
                && is_mere_branch(profile, (&transfers, &slots), row)
        };
        let ends = rows.windows(2).filter(|pair| is_end(pair));
        let mut moved: BTreeMap<u64, &Row> = ends.map(|pair| (pair[1].start, &pair[0])).collect();
        // A line that has nothing else keeps what it has. What never ran is something to lines of what did: they
        // are the same whether its control is known or not.
        let lines_of = |is_kept: &dyn Fn(u64) -> bool| -> BTreeSet<LineKey> {
            rows.iter().filter(|row| is_kept(row.start)).map(|row| (row.source, row.line)).collect()
        };
        let unmoved = lines_of(&|start| !moved.contains_key(&start));
        let not_taken = lines_of(&|start| !moved.contains_key(&start) || !has_run(start));
        let line = |start: &u64| program.row_at(*start).map(|row| (row.source, row.line));
        moved.retain(|start, _| {
            let others = if has_run(*start) { &not_taken } else { &unmoved };
            line(start).is_some_and(|line| others.contains(&line))
        });
        // One behind another goes where that goes: ascending, so that it is known by then.
        let starts: Vec<u64> = moved.keys().copied().collect();
        for start in starts {
            if let Some(further) = moved.get(&start).and_then(|before| moved.get(&before.start)).copied() {
                moved.insert(start, further);
            }
        }
        StatementRows { program, moved, leaders }
    }

    /// Where blocks begin.
    pub(super) fn leaders(&self) -> &Leaders {
        &self.leaders
    }

    /// The row at an address.
    pub fn row_at(&self, address: u64) -> Option<&'a Row> {
        let row = self.program.row_at(address)?;
        Some(self.moved.get(&row.start).copied().unwrap_or(row))
    }

    /// The rows that begin behind an address and before another.
    pub fn rows_within(&self, address: u64, end: u64) -> &'a [Row] {
        let rows = self.program.rows();
        let first = rows.partition_point(|row| row.start <= address);
        let behind = rows.partition_point(|row| row.start < end);
        rows.get(first..behind).unwrap_or_default()
    }

    /// The line at an address.
    pub fn line_at(&self, address: u64) -> Option<LineKey> {
        self.row_at(address).map(|row| (row.source, row.line))
    }
}

/// Whether a row has a branch of two sides and what is in its delay slot, and nothing else.
fn is_mere_branch(
    profile: &ProgramProfile<'_>,
    (transfers, slots): (&Transfers<'_>, &BTreeMap<u64, u64>),
    row: &Row,
) -> bool {
    let is_branch = |address: u64| {
        profile.control.get(&address).is_some_and(|control| {
            control.falls_through && control.targets.len() == 1 && control.keeps.is_none()
        })
    };
    let behind = |address: u64| {
        let unused = || Some(profile.measurement.tables.successor(address, *profile.code.get(&address)?));
        transfers.successor(address).or_else(unused)
    };
    let Some(slot) = behind(row.start) else { return false };
    let has_slot = slots.get(&slot) == Some(&row.start);
    match has_slot {
        true => is_branch(slot) && behind(slot) == Some(row.end),
        false => is_branch(row.start) && row.end == slot,
    }
}
