//! Which options mean something beside the others.

use sim_runtime::launcher::is_same_file;

use super::super::Failure;
use super::Options;

/// Refuses options that would have no meaning beside the others.
pub(super) fn check_options(options: &Options) -> Result<(), Failure> {
    let has_regions = !options.regions.is_empty();
    let unused = |unused: &[(&'static str, bool)]| unused.iter().find(|(_, is_given)| *is_given).copied();
    if options.profiles.is_empty() {
        let asked = [
            ("--event", !options.events.is_empty()),
            ("--region", has_regions),
            ("--counters", options.counters.is_some()),
            ("--image", !options.files.is_empty()),
        ];
        if let Some((option, _)) = unused(&asked) {
            return Err(Failure::other(format!(
                "{option} is for what is counted of a PROFILE, and sets of --load are shown as they were counted; \
                 leave it out, or name the profile"
            )));
        }
    }
    if options.descend.is_some() && !has_regions {
        let asked = [("--event", !options.events.is_empty()), ("--metric", !options.metrics.is_empty())];
        if let Some((option, _)) = unused(&asked) {
            return Err(Failure::other(format!(
                "{option} is for regions, and --descend counts its own event in functions; leave it out, name \
                 regions by --region, or give the event as in --descend instructions"
            )));
        }
    }
    match (&options.out, &options.save) {
        (Some(out), Some(save)) if is_same_file(out, save) => Err(Failure::other(format!(
            "result and set of counters are both to be at {}; name two files",
            save.display()
        ))),
        _ => Ok(()),
    }
}
