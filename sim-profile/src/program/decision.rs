//! Choices of many: the chain of comparisons that a `switch` has become.
//!
//! No file says which branches belong together. But the branches of a condition lead to two places
//! outside of their line, however many there are, while those of a choice lead to a place for each
//! case: branches of one line that lead to each other, and to three places or more elsewhere, are one.
//! Where the cases stand on the line, too, the column tells: all comparisons have that of the `switch`. Parts of
//! a condition may have one column as well, but go on to further parts of it.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{Branch, LineKey, StatementRows, Steps, branches};
use super::{ProgramProfile, Row};
use crate::control::{Control, is_mere_jump, is_telling};
use crate::measurement::count;

/// Most instructions from a branch to the next one of its part.
const LONGEST_WAY: usize = 64;

/// Tells parts of the source from each other: a line, or a column of one.
type Part = (LineKey, u32);

/// The branches, as [`branches`] has them, but for those that are one choice of
/// many: these are one, at the address of the first, with a side for each place that they lead to.
pub fn decisions(profile: &ProgramProfile<'_>, steps: &Steps, rows: &StatementRows<'_>) -> Vec<Branch> {
    let by_line = |row: &Row| Some(((row.source, row.line), 0));
    let by_column = |row: &Row| (row.column > 0).then_some(((row.source, row.line), row.column));
    let (mut found, apart) = join_parts((profile, rows), steps, branches(profile), by_line, |_| false);
    let conditions: BTreeSet<u64> = apart.iter().map(|branch| branch.address).collect();
    let goes_on = |place: u64| leads_to_condition((profile, rows), steps, &conditions, place);
    let (of_columns, apart) = join_parts((profile, rows), steps, apart, by_column, goes_on);
    found.extend(of_columns);
    found.extend(apart);
    found.sort_by_key(|branch| branch.address);
    found
}

/// The choices that branches of one part of the source are together, and all other branches.
fn join_parts(
    (profile, rows): (&ProgramProfile<'_>, &StatementRows<'_>),
    steps: &Steps,
    all: Vec<Branch>,
    part_of: impl Fn(&Row) -> Option<Part>,
    goes_on: impl Fn(u64) -> bool,
) -> (Vec<Branch>, Vec<Branch>) {
    let part_at = |address: u64| rows.row_at(address).and_then(&part_of);
    let column_at = |address: u64| rows.row_at(address).map_or(0, |row| row.column);
    // All comparisons of a choice have its column, those of a condition have their own.
    let mut by_part: BTreeMap<(Part, u32), Vec<Branch>> = BTreeMap::new();
    let (mut choices, mut apart) = (Vec::new(), Vec::new());
    for branch in all {
        match part_at(branch.address) {
            Some(part) => by_part.entry((part, column_at(branch.address))).or_default().push(branch),
            None => apart.push(branch),
        }
    }
    for ((part, _), branches) in by_part {
        let is_inside = |address: u64| part_at(address) == Some(part);
        let (joined, left) = join(
            branches,
            is_inside,
            |address| next_of(profile, steps, address),
            (&goes_on, |place| behind_jumps(profile, place)),
        );
        choices.extend(joined);
        apart.extend(left);
    }
    (choices, apart)
}

/// Where an instruction went on, or would have, if there is one such place.
fn next_of(profile: &ProgramProfile<'_>, steps: &Steps, address: u64) -> Option<u64> {
    let mut next = steps.steps.range((address, 0)..=(address, u64::MAX)).map(|(&(_, to), _)| to);
    let step = next.next().filter(|_| next.next().is_none());
    step.or_else(|| next_of_unused(profile, address))
}

/// Where one comes to from a place by jumps that do nothing else.
fn behind_jumps(profile: &ProgramProfile<'_>, place: u64) -> u64 {
    let mut address = place;
    for _ in 0..LONGEST_WAY {
        match profile.control.get(&address) {
            Some(control) if is_mere_jump(control) => address = control.targets[0],
            _ => break,
        }
    }
    address
}

/// Whether one comes straight from a place to one of these branches of the place's line, without a jump.
fn leads_to_condition(
    (profile, rows): (&ProgramProfile<'_>, &StatementRows<'_>),
    steps: &Steps,
    conditions: &BTreeSet<u64>,
    place: u64,
) -> bool {
    let line_at = |address: u64| rows.line_at(address);
    let mut address = place;
    for _ in 0..LONGEST_WAY {
        if line_at(address) != line_at(place) {
            return false;
        }
        if conditions.contains(&address) {
            return true;
        }
        let jumps = profile.control.get(&address).is_some_and(is_telling);
        match next_of(profile, steps, address).filter(|_| !jumps) {
            Some(next) => address = next,
            None => return false,
        }
    }
    false
}

/// Where an instruction that never ran goes on, if there is one such place: behind it, or where it jumps to.
fn next_of_unused(profile: &ProgramProfile<'_>, address: u64) -> Option<u64> {
    let size_cells = profile.code.get(&address)?;
    let successor = profile.measurement.tables.successor(address, *size_cells);
    match profile.control.get(&address).filter(|control| is_telling(control)) {
        None => Some(successor),
        // Where an interrupt may come between, every instruction may go to where the run says.
        Some(Control { falls_through: false, keeps: None, targets, .. }) => match targets[..] {
            [target] => Some(target),
            _ => None,
        },
        Some(_) => None,
    }
}

/// Joins those branches of one part that lead to each other and to three places elsewhere; those that are
/// joined, and those that are not.
fn join(
    branches: Vec<Branch>,
    is_inside: impl Fn(u64) -> bool,
    next_of: impl Fn(u64) -> Option<u64>,
    (goes_on, behind_jumps): (impl Fn(u64) -> bool, impl Fn(u64) -> u64),
) -> (Vec<Branch>, Vec<Branch>) {
    let numbers: BTreeMap<u64, usize> = branches.iter().map(|branch| branch.address).zip(0..).collect();
    // Where a side leads to: a branch of the part, or a place elsewhere.
    let resolve = |to: u64| {
        let mut address = to;
        for _ in 0..LONGEST_WAY {
            if !is_inside(address) {
                return Err(address);
            }
            if let Some(number) = numbers.get(&address) {
                return Ok(*number);
            }
            match next_of(address) {
                Some(next) => address = next,
                None => break,
            }
        }
        Err(address)
    };
    let mut group: Vec<usize> = (0..branches.len()).collect();
    let mut exits: Vec<BTreeMap<u64, u64>> = vec![BTreeMap::new(); branches.len()];
    for (number, branch) in branches.iter().enumerate() {
        for &(to, times) in &branch.sides {
            match resolve(to) {
                // A way back is a loop, no chain.
                Ok(next) if next > number => unite(&mut group, number, next),
                Ok(next) => count(exits[number].entry(branches[next].address).or_default(), times),
                Err(exit) => count(exits[number].entry(exit).or_default(), times),
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..branches.len()).for_each(|number| groups.entry(group[number]).or_default().push(number));
    let mut branches: Vec<Option<Branch>> = branches.into_iter().map(Some).collect();
    let (mut joined, mut apart) = (Vec::new(), Vec::new());
    for members in groups.into_values() {
        let places: BTreeSet<u64> = members
            .iter()
            .flat_map(|member| exits[*member].keys().copied())
            .filter(|at| !is_inside(*at))
            .collect();
        // Both sides of a condition may leave it by jumps to one place.
        let settled: BTreeSet<u64> = places.iter().map(|place| behind_jumps(*place)).collect();
        if members.len() == 1 || settled.len() < 3 || places.iter().any(|place| goes_on(*place)) {
            apart.extend(members.iter().filter_map(|member| branches[*member].take()));
            continue;
        }
        let mut sides: BTreeMap<u64, u64> = BTreeMap::new();
        for (&exit, &times) in members.iter().flat_map(|member| &exits[*member]) {
            count(sides.entry(exit).or_default(), times);
        }
        let first = members.first().and_then(|member| branches[*member].take());
        joined.extend(first.map(|first| Branch { sides: sides.into_iter().collect(), ..first }));
    }
    (joined, apart)
}

fn unite(group: &mut [usize], one: usize, other: usize) {
    let (from, to) = (group[other], group[one]);
    group.iter_mut().filter(|number| **number == from).for_each(|number| *number = to);
}

#[cfg(test)]
mod tests {
    use super::{Branch, join};

    fn branch(address: u64, sides: &[(u64, u64)]) -> Branch {
        Branch { address, sides: sides.to_vec() }
    }

    /// The line has the addresses from 0 to 9; everything but a branch goes on with the next.
    fn joined(branches: &[Branch]) -> Vec<Branch> {
        let (joined, apart) = join(
            branches.to_vec(),
            |address| address < 10,
            |address| Some(address + 1),
            (|_| false, |place| place),
        );
        joined.into_iter().chain(apart).collect()
    }

    #[test]
    fn comparisons_that_lead_to_three_cases_are_one_choice() {
        let chain = [branch(1, &[(2, 7), (20, 3)]), branch(4, &[(5, 5), (30, 2)])];
        assert_eq!(joined(&chain), [branch(1, &[(10, 5), (20, 3), (30, 2)])]);
    }

    #[test]
    fn a_condition_with_two_ways_out_keeps_its_branches() {
        let both = [branch(1, &[(2, 7), (20, 3)]), branch(4, &[(11, 5), (20, 2)])];
        assert_eq!(joined(&both), both);
    }

    #[test]
    fn branches_that_do_not_lead_to_each_other_stay_by_themselves() {
        let apart = [branch(1, &[(20, 7), (30, 3)]), branch(4, &[(40, 5), (50, 2)])];
        assert_eq!(joined(&apart), apart);
    }
}
