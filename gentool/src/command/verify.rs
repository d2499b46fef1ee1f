//! `gentool verify`

use std::path::PathBuf;

use sim_profile::flow::{Finding, verify, verify_calls};
use sim_profile::render_verification;
use sim_runtime::launcher::exit_status;

use super::flow_report::Flow;
use super::program_report::ImageOptions;
use super::reachable_code::ModelOptions;
use super::{Failure, print, profile_file};

/// Check whether a stored profile can be what a run did.
///
/// Control has to come to every block as often as it leaves it, and only to where instructions lead; cycles
/// have to add up to those of the run, the instruction tree to the instructions, and calls to what functions
/// cost and to how often control went there. Every function gets a word; where something is wrong, the exit
/// status is 125.
///
/// Example: gentool verify run.profile
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// What `gentool run --profile FILE` or `gentool merge` has written.
    #[arg(value_name = "PROFILE")]
    profile: PathBuf,

    #[command(flatten)]
    files: ImageOptions,

    #[command(flatten)]
    model: ModelOptions,

    /// Take it for an error, too, if control goes on where no instruction has led: for models whose
    /// processors know no interrupts.
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    options.model.check(&options.files)?;
    let profile = profile_file::read(&options.profile)?;
    let flow = Flow::of(&profile, &options.files, &options.model)?;
    // Each part of a run begins somewhere, too.
    let runs = profile.provenance.runs.saturating_add(profile.provenance.parts);
    let mut findings = verify(&profile.measurement, runs, &flow.program, &flow.routines);
    findings.extend(verify_calls(&profile, &|address, function| flow.may_be_of(address, function)));
    findings.sort_by_key(Finding::address);
    let is_error = |finding: &Finding| options.strict || finding.is_error();
    let text = render_verification(&flow.program, &flow.routines, &findings, is_error, &flow.places());
    let status = print(&text)?;
    match findings.iter().any(is_error) {
        true => Ok(exit_status::FAILURE),
        false => Ok(status),
    }
}
