//! Branches and how often each of their sides was taken.

use std::collections::BTreeMap;

use serde::Serialize;

use super::function::FunctionTable;
use super::number::{Count, hexadecimal, index_or_none};
use super::source::LineTable;
use crate::program::ProgramProfile;
use crate::program::line::branches;

/// A branch.
#[derive(Serialize)]
pub(super) struct Branch {
    address: String,
    /// The instruction's text, of one that never ran and so is nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Number of its function and of its line.
    function: i64,
    line: i64,
    /// Where it went, and how often; to its successor first.
    sides: Vec<(String, Count)>,
    /// How many sides were never taken.
    untaken: usize,
}

/// By address; those that never ran, too, where the description tells which code there is.
pub(super) fn branches_of(
    profile: &ProgramProfile<'_>,
    functions: &FunctionTable,
    lines: &LineTable,
) -> Vec<Branch> {
    let mut texts: BTreeMap<u64, &str> = BTreeMap::new();
    for (key, facts) in profile.statics.iter().filter(|(key, _)| profile.code.contains_key(&key.address)) {
        texts.extend(facts.text.as_deref().map(|text| (key.address, text)));
    }
    let branch_of = |branch: crate::program::line::Branch| Branch {
        address: hexadecimal(branch.address),
        text: texts.get(&branch.address).map(|text| (*text).to_owned()),
        function: functions.index(profile.program.function_at(branch.address)),
        line: index_or_none(lines.index_at(profile.program, branch.address)),
        untaken: branch.sides.iter().filter(|(_, times)| *times == 0).count(),
        sides: branch.sides.into_iter().map(|(to, times)| (hexadecimal(to), Count(times))).collect(),
    };
    branches(profile).into_iter().map(branch_of).collect()
}
