//! `gentool diff`

use std::path::PathBuf;

use sim_profile::{Difference, render_difference};

use super::flow_report::Flow;
use super::{Failure, print, profile_file};

/// Tell in what two stored profiles differ.
///
/// Of the whole runs, and of every instruction of the set, function and address that differ, there are
/// the executed instructions and the cycles of both. The two may be of two versions of a description,
/// or of a program.
///
/// Example: gentool diff before.profile after.profile
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` or `gentool merge` has written.
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// Another one.
    #[arg(value_name = "AFTER")]
    after: PathBuf,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let profiles = [profile_file::read(&options.before)?, profile_file::read(&options.after)?];
    let profiles = profiles.each_ref();
    let flows = profiles.map(Flow::of);
    let named = flows.each_ref().map(|flow| |address: u64| flow.name_of(flow.part_of(address)));
    let difference = Difference::between(profiles, [&named[0], &named[1]]);
    print(&render_difference(&difference, profiles))
}
