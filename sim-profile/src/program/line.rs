//! How often the lines of the sources were executed.
//!
//! A line counts as often as control comes to it from elsewhere, and as often as it goes round within it: a loop
//! on one line counts its turns, and neither a call in the middle of a line nor a statement over several lines
//! counts a line twice. That is what an instrumenting compiler counts for it.

mod blocks;
mod handlers;
mod interrupts;
mod statement_rows;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;

use self::blocks::executed_lines;
use self::interrupts::Interrupts;
pub use self::statement_rows::StatementRows;
use super::{Cost, Program, ProgramProfile};
use crate::measurement::count;
use crate::spent::spent_by_address;
use crate::{Measurement, Transfer, Transfers, delay_slots};

/// How often, by address.
type Counts = BTreeMap<u64, u64>;

/// A line: the source's number in [`super::Program::sources`], and the line from 1.
pub type LineKey = (u32, u32);

/// What is known of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCount {
    /// How often it was executed.
    pub count: u64,
    /// What its instructions cost together.
    pub cost: Cost,
}

/// Steps of the run between instructions of one function, and how control came to it otherwise.
///
/// A call that comes back is a step to the instruction behind it, and an interrupt that comes back is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// From, to, how often; also those to the successor.
    pub steps: BTreeMap<(u64, u64), u64>,
    /// How often an instruction was come to otherwise: by calls, by jumps from other functions, at the
    /// beginning of the run.
    pub entries: BTreeMap<u64, u64>,
    /// How often each instruction was executed: [`crate::executions`].
    pub executed: BTreeMap<u64, u64>,
}

impl Steps {
    /// Derives them from what was executed and from the transfers.
    pub fn of(profile: &ProgramProfile<'_>) -> Steps {
        let transfers = profile.transfers();
        let executed = crate::executions::executions(profile.measurement);
        let begun = come_to(profile.measurement, &executed);
        let mut steps = Steps { executed, ..Steps::default() };
        let mut left: BTreeMap<u64, u64> = BTreeMap::new();
        for ((from, to), kind, times) in transfers.iter() {
            count(left.entry(from).or_default(), times);
            steps.add_transfer(profile, &transfers, (from, to), kind, times);
        }
        let interrupts = Interrupts::of(profile, &transfers);
        steps.join(&transfers, &interrupts);
        // Where instructions overlap, no transfer is from or to what did not run.
        if profile.measurement.tables.stages.is_empty() {
            steps.leave_out_handlers(&transfers, (&begun, &left, &interrupts.cancelled));
        }
        let arrived = steps.arrivals();
        for (&address, &times) in &steps.executed {
            let Some(next) = transfers.successor(address) else { continue };
            // What ended the run went nowhere: no more come to an instruction than that shows.
            let begun = begun.get(&next).copied().unwrap_or(0);
            let room = begun.saturating_sub(arrived.get(&next).copied().unwrap_or(0));
            let fallen = times.saturating_sub(left.get(&address).copied().unwrap_or(0)).min(room);
            if fallen > 0 {
                count(steps.steps.entry((address, next)).or_default(), fallen);
            }
        }
        steps.add_beginnings();
        steps
    }

    fn add_transfer(
        &mut self,
        profile: &ProgramProfile<'_>,
        transfers: &Transfers<'_>,
        (from, to): (u64, u64),
        kind: Transfer,
        times: u64,
    ) {
        let program = profile.program;
        match (kind, transfers.call_before(to)) {
            (Transfer::Return, Some(call)) => count(self.steps.entry((call, to)).or_default(), times),
            (Transfer::Jump, _) if program.function_at(from) == program.function_at(to) => {
                count(self.steps.entry((from, to)).or_default(), times);
            }
            _ => count(self.entries.entry(to).or_default(), times),
        }
    }

    /// What was interrupted goes on where it would have.
    fn join(&mut self, transfers: &Transfers<'_>, interrupts: &Interrupts) {
        for (to, times) in &interrupts.arrivals {
            let call = transfers.call_before(*to).and_then(|call| self.steps.get_mut(&(call, *to)));
            let mut times = *times;
            for arrived in self.entries.get_mut(to).into_iter().chain(call) {
                let taken = times.min(*arrived);
                *arrived -= taken;
                times -= taken;
            }
        }
        self.entries.retain(|_, entries| *entries > 0);
        self.steps.retain(|_, times| *times > 0);
        for (step, times) in &interrupts.steps {
            count(self.steps.entry(*step).or_default(), *times);
        }
    }

    /// A handler comes back to what it has struck before that has begun, or has cancelled: to where control had come
    /// before. What was come to more often than that allows has been come to by handlers.
    fn leave_out_handlers(
        &mut self,
        transfers: &Transfers<'_>,
        (begun, left, cancelled): (&Counts, &Counts, &Counts),
    ) {
        let mut arrivals = self.arrivals();
        for (&address, &times) in &self.executed {
            let next = transfers.successor(address).filter(|next| cancelled.contains_key(next));
            if let Some(next) = next {
                let fallen = times.saturating_sub(left.get(&address).copied().unwrap_or(0));
                count(arrivals.entry(next).or_default(), fallen);
            }
        }
        for (to, arrived) in arrivals {
            let cancelled = cancelled.get(&to).copied().unwrap_or(0);
            let allowed = begun.get(&to).copied().unwrap_or(0).saturating_sub(cancelled);
            let mut surplus = arrived.saturating_sub(allowed);
            let call = transfers.call_before(to).and_then(|call| self.steps.get_mut(&(call, to)));
            for times in self.entries.get_mut(&to).into_iter().chain(call) {
                let taken = surplus.min(*times);
                *times -= taken;
                surplus -= taken;
            }
        }
        self.entries.retain(|_, entries| *entries > 0);
        self.steps.retain(|_, times| *times > 0);
    }

    /// How often control came to each instruction.
    fn arrivals(&self) -> BTreeMap<u64, u64> {
        let mut arrived = self.entries.clone();
        for (&(_, to), &times) in &self.steps {
            count(arrived.entry(to).or_default(), times);
        }
        arrived
    }

    /// How often control came to the beginning of each function from elsewhere, by the function's
    /// number: by calls, jumps, from the code before it, and by calls of its own. What never was is
    /// left out.
    pub fn function_entries(&self, program: &Program) -> BTreeMap<u32, u64> {
        let mut all = BTreeMap::new();
        let mut add = |to: u64, times: u64| {
            let number = program.function_at(to);
            if program.function(number).start == to {
                count(all.entry(number).or_default(), times);
            }
        };
        self.entries.iter().for_each(|(&to, &times)| add(to, times));
        for (&(from, to), &times) in &self.steps {
            if program.function_at(from) != program.function_at(to) {
                add(to, times);
            }
        }
        all
    }

    /// What was executed more often than it was come to is where the run began, or was resumed.
    fn add_beginnings(&mut self) {
        let arrived = self.arrivals();
        for (&address, &times) in &self.executed {
            let missing = times.saturating_sub(arrived.get(&address).copied().unwrap_or(0));
            if missing > 0 {
                count(self.entries.entry(address).or_default(), missing);
            }
        }
    }
}

/// How often the program came to each instruction at most: as often as one has begun there. Where instructions
/// overlap many begin to which it never comes, and are flushed, or are in flight when the run is over.
fn come_to(measurement: &Measurement, executed: &BTreeMap<u64, u64>) -> BTreeMap<u64, u64> {
    if measurement.tables.stages.is_empty() {
        let spent = spent_by_address(measurement).into_iter();
        return spent.filter_map(|(address, spent)| Some((address?, spent.begun))).collect();
    }
    let mut found = executed.clone();
    for (key, record) in measurement.instructions.iter().filter(|(_, record)| record.faulted > 0) {
        count(found.entry(key.address).or_default(), record.faulted);
    }
    found
}

/// Every line that has code, executed or not.
pub fn line_counts(
    profile: &ProgramProfile<'_>,
    steps: &Steps,
    statements: &StatementRows<'_>,
) -> BTreeMap<LineKey, LineCount> {
    let rows = profile.program.rows().iter();
    let mut lines: BTreeMap<LineKey, LineCount> =
        rows.map(|row| ((row.source, row.line), LineCount::default())).collect();
    for (line, times) in executed_lines(profile, statements, steps) {
        lines.entry(line).or_default().count = times;
    }
    for (address, cost) in profile.cost_by_address() {
        let row = address.and_then(|address| profile.program.row_at(address));
        if let Some(line) = row.and_then(|row| lines.get_mut(&(row.source, row.line))) {
            line.cost.add(&cost);
        }
    }
    lines
}

/// How often each side of a branch was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Address of the instruction; where that has a delay slot, the sides are those of the one there.
    pub address: u64,
    /// Where it went, and how often: to its successor first, then by address.
    pub sides: Vec<(u64, u64)>,
}

/// The branches that were executed, ascending: instructions that can go on in at least two places
/// of their function, or of another that they name. Where the description was asked, those that were not, too,
/// with counts of 0. Where an interrupt takes them is no place of theirs.
pub fn branches(profile: &ProgramProfile<'_>) -> Vec<Branch> {
    let transfers = profile.transfers();
    let mut taken: BTreeMap<u64, BTreeMap<u64, u64>> = BTreeMap::new();
    let mut others: BTreeMap<u64, u64> = BTreeMap::new();
    let mut away: BTreeMap<u64, u64> = BTreeMap::new();
    let interrupts = Interrupts::of(profile, &transfers);
    for ((from, to), kind, times) in transfers.iter() {
        match kind {
            Transfer::Jump if is_side(profile, from, to) => {
                count(taken.entry(from).or_default().entry(to).or_default(), times);
            }
            Transfer::Jump => count(away.entry(from).or_default(), times),
            Transfer::Call | Transfer::Return => count(others.entry(from).or_default(), times),
        }
    }
    let mut found = Vec::new();
    let slots = delay_slots(profile.statics);
    let executions = crate::executions::executions(profile.measurement);
    let unused = unused_branches(profile, &executions);
    for (address, executed) in executions {
        let control = profile.control.get(&address);
        let mut targets = taken.remove(&address).unwrap_or_default();
        let targets_known = control.map_or(&[][..], |control| &control.targets);
        targets_known.iter().for_each(|target| {
            targets.entry(*target).or_default();
        });
        let elsewhere = [&others, &away].map(|left| left.get(&address).copied().unwrap_or(0));
        let left = targets.values().copied().chain(elsewhere).fold(0, u64::saturating_add);
        let mut fallen = executed.saturating_sub(left);
        for (target, times) in &mut targets {
            count(times, interrupts.step(address, *target));
        }
        if let Some(next) = transfers.successor(address) {
            count(&mut fallen, interrupts.step(address, next));
        }
        // A computed jump may lead to what is behind it, as a table of cases does.
        let falls =
            control.map_or(fallen > 0, |control| control.falls_through || control.computed && fallen > 0);
        let next = transfers.successor(address).filter(|next| falls && !targets.contains_key(next));
        let sides: Vec<(u64, u64)> = next.map(|next| (next, fallen)).into_iter().chain(targets).collect();
        let is_call = others.contains_key(&address) || control.is_some_and(|control| control.keeps.is_some());
        if sides.len() > 1 && !is_call {
            let address = slots.get(&address).copied().unwrap_or(address);
            found.push(Branch { address, sides });
        }
    }
    found.extend(unused.into_iter().map(|branch| Branch {
        address: slots.get(&branch.address).copied().unwrap_or(branch.address),
        ..branch
    }));
    found.sort_by_key(|branch| branch.address);
    found
}

/// Whether a jump leads to a place of the function, or to one that the instruction names.
fn is_side(profile: &ProgramProfile<'_>, from: u64, to: u64) -> bool {
    let is_named = |control: &crate::Control| control.targets.binary_search(&to).is_ok();
    profile.program.function_at(from) == profile.program.function_at(to)
        || profile.control.get(&from).is_some_and(is_named)
}

/// The branches of code that could have run and did not; a call is none.
fn unused_branches(profile: &ProgramProfile<'_>, executions: &BTreeMap<u64, u64>) -> Vec<Branch> {
    let tables = &profile.measurement.tables;
    let unused = profile.code.iter().filter(|(address, _)| !executions.contains_key(address));
    let sides_of = |address: u64, size_cells: u32| {
        let control = profile.control.get(&address).filter(|control| control.keeps.is_none())?;
        let next = Some(tables.successor(address, size_cells)).filter(|_| control.falls_through);
        let targets = control.targets.iter().copied().filter(|target| Some(*target) != next);
        let sides: Vec<(u64, u64)> = next.into_iter().chain(targets).map(|to| (to, 0)).collect();
        (sides.len() > 1).then_some(Branch { address, sides })
    };
    unused.filter_map(|(&address, &size_cells)| sides_of(address, size_cells)).collect()
}
