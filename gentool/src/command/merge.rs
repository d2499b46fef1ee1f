//! `gentool merge`

use std::path::PathBuf;

use sim_profile::write_profile;

use super::Failure;
use super::profile_file;

/// Add up the stored profiles of several runs on one model.
///
/// In any order and grouping they give the same profile. Its number of runs, engines and time on the
/// host are those of all. Runs of one program give a profile like any other; of several programs, as a test
/// suite is, what of the model they used adds up, and nothing is known by address any more.
///
/// Example: gentool merge first.profile second.profile -o both.profile
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` or `gentool merge` has written.
    #[arg(value_name = "PROFILE", required = true)]
    profiles: Vec<PathBuf>,

    /// Where to store the sum.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    profile_file::check_out("profile", Some(&options.out), &options.profiles)?;
    let profile = profile_file::read_merged(&options.profiles)?;
    let mut bytes = Vec::new();
    write_profile(&mut bytes, &profile)
        .map_err(|error| Failure::other(format!("the profile could not be stored: {error}")))?;
    profile_file::write(Some(&options.out), &bytes)
}
