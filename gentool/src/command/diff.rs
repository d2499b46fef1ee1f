//! `gentool diff`

use std::path::PathBuf;

use sim_profile::{Difference, render_difference};

use super::flow_report::Flow;
use super::program_report::ImageOptions;
use super::reachable_code::ModelOptions;
use super::{Failure, print, profile_file};

/// Tell in what two stored profiles differ.
///
/// Of the whole runs, and of every instruction of the set, function, line and address that differ, there
/// are the executed instructions and the cycles of both; where calls were followed in both, also who called
/// whom and what functions cost with their calls. The two may be of two versions of a description, or of a
/// program. Functions and lines are those of the files named by --image, for the second profile by
/// --image-after where that ran another program.
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

    #[command(flatten)]
    files: ImageOptions,

    /// A file that the second profile's run was of, where that was another one; as --image.
    #[arg(long = "image-after", value_name = "FILE[@ADDRESS]")]
    images_after: Vec<String>,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let profiles = [profile_file::read(&options.before)?, profile_file::read(&options.after)?];
    let profiles = profiles.each_ref();
    let after = match options.images_after.is_empty() {
        true => options.files.clone(),
        false => options.files.with(options.images_after.clone()),
    };
    let what_ran = ModelOptions::default();
    let flows =
        [Flow::of(profiles[0], &options.files, &what_ran)?, Flow::of(profiles[1], &after, &what_ran)?];
    let places = [flows[0].places_with(&flows[1]), flows[1].places_with(&flows[0])];
    let difference = Difference::between(profiles, places.each_ref());
    print(&render_difference(&difference, profiles))
}
