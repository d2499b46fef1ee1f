//! Branches and how often each of their sides was taken.

use serde::Serialize;

use super::function::FunctionTable;
use super::number::{Count, hexadecimal, index_or_none};
use super::source::LineTable;
use crate::program::ProgramProfile;
use crate::program::line::branches;

/// A branch that was executed.
#[derive(Serialize)]
pub(super) struct Branch {
    address: String,
    /// Number of its function and of its line.
    function: i64,
    line: i64,
    /// Where it went, and how often; to its successor first.
    sides: Vec<(String, Count)>,
    /// How many sides were never taken.
    untaken: usize,
}

/// By address.
pub(super) fn branches_of(
    profile: &ProgramProfile<'_>,
    functions: &FunctionTable,
    lines: &LineTable,
) -> Vec<Branch> {
    let branch_of = |branch: crate::program::line::Branch| Branch {
        address: hexadecimal(branch.address),
        function: functions.index(profile.program.function_at(branch.address)),
        line: index_or_none(lines.index_at(profile.program, branch.address)),
        untaken: branch.sides.iter().filter(|(_, times)| *times == 0).count(),
        sides: branch.sides.into_iter().map(|(to, times)| (hexadecimal(to), Count(times))).collect(),
    };
    branches(profile).into_iter().map(branch_of).collect()
}
