//! Choices of many: the chain of comparisons that a `switch` has become.
//!
//! No file says which branches belong together. But the branches of a condition lead to two places
//! outside of their line, however many there are, while those of a choice lead to a place for each
//! case: branches of one line that lead to each other, and to three places or more elsewhere, are one.

use std::collections::{BTreeMap, BTreeSet};

use super::ProgramProfile;
use super::line::{Branch, LineKey, Steps, branches};
use crate::measurement::count;

/// Most instructions from a branch to the next one of its line.
const LONGEST_WAY: usize = 64;

/// The branches, as [`branches`] has them, but for those that are one choice of
/// many: these are one, at the address of the first, with a side for each place that they lead to.
pub fn decisions(profile: &ProgramProfile<'_>, steps: &Steps) -> Vec<Branch> {
    let mut by_line: BTreeMap<LineKey, Vec<Branch>> = BTreeMap::new();
    let mut found = Vec::new();
    for branch in branches(profile) {
        match line_of(profile, branch.address) {
            Some(line) => by_line.entry(line).or_default().push(branch),
            None => found.push(branch),
        }
    }
    for (line, branches) in by_line {
        let next_of = |address: u64| {
            let mut next = steps.steps.range((address, 0)..=(address, u64::MAX)).map(|(&(_, to), _)| to);
            let step = next.next().filter(|_| next.next().is_none());
            step.or_else(|| successor_of_unused(profile, address))
        };
        let is_inside = |address: u64| line_of(profile, address) == Some(line);
        found.extend(join(branches, is_inside, next_of));
    }
    found.sort_by_key(|branch| branch.address);
    found
}

/// What stands behind an instruction that never ran and only goes on there.
fn successor_of_unused(profile: &ProgramProfile<'_>, address: u64) -> Option<u64> {
    let size_cells = profile.code.get(&address).filter(|_| !profile.control.contains_key(&address))?;
    Some(profile.measurement.tables.successor(address, *size_cells))
}

fn line_of(profile: &ProgramProfile<'_>, address: u64) -> Option<LineKey> {
    profile.program.row_at(address).map(|row| (row.source, row.line))
}

/// Joins those branches of one line that lead to each other and to three places elsewhere.
fn join(
    branches: Vec<Branch>,
    is_inside: impl Fn(u64) -> bool,
    next_of: impl Fn(u64) -> Option<u64>,
) -> Vec<Branch> {
    let numbers: BTreeMap<u64, usize> = branches.iter().map(|branch| branch.address).zip(0..).collect();
    // Where a side leads to: a branch of the line, or a place elsewhere.
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
    let mut joined = Vec::new();
    for members in groups.into_values() {
        let places: BTreeSet<u64> = members
            .iter()
            .flat_map(|member| exits[*member].keys().copied())
            .filter(|at| !is_inside(*at))
            .collect();
        if members.len() == 1 || places.len() < 3 {
            joined.extend(members.iter().filter_map(|member| branches[*member].take()));
            continue;
        }
        let mut sides: BTreeMap<u64, u64> = BTreeMap::new();
        for (&exit, &times) in members.iter().flat_map(|member| &exits[*member]) {
            count(sides.entry(exit).or_default(), times);
        }
        let first = members.first().and_then(|member| branches[*member].take());
        joined.extend(first.map(|first| Branch { sides: sides.into_iter().collect(), ..first }));
    }
    joined
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
        join(branches.to_vec(), |address| address < 10, |address| Some(address + 1))
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
