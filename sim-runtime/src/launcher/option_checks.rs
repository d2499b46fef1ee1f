//! What is refused of a run's options before anything else is done: nothing is written over what a run needs,
//! and what excludes each other is said.

use std::path::{Path, PathBuf};

use super::launch_info::LaunchInfo;
use super::options::{ProgramFormat, RunOptions};
use super::output_file::{OutputFile, check_writable, is_same_file, is_same_place};
use super::profile_outputs;
use super::symbol_files::{check_image_files, parse_image_argument};

/// Checks before anything else is done that all results of a run can be written, and over nothing
/// that it needs, and that the files of `--image` can be read.
///
/// # Errors
/// Which file cannot, why, and what to do.
pub fn check_results(options: &RunOptions) -> Result<(), String> {
    check_outputs(options, &profile_outputs(options))?;
    check_values(options)?;
    check_image_files(options)
}

/// What is counted of a part of a run is no part of the values.
pub(super) fn check_values(options: &RunOptions) -> Result<(), String> {
    match options.values.is_some() && options.is_counted_in_parts() {
        true => Err(NO_VALUES_OF_PARTS.to_owned()),
        false => Ok(()),
    }
}

/// Why values are not those of parts of a run, and what to do.
const NO_VALUES_OF_PARTS: &str = "--values counts those of the whole run, and --count-from and --count-until parts \
                                  of it; leave out --values, or name instructions by --values-at in place of \
                                  --count-from and --count-until";

pub(super) fn check_outputs(options: &RunOptions, outputs: &[OutputFile<'_>]) -> Result<(), String> {
    let mut paths: Vec<(&str, &Path)> =
        outputs.iter().map(|output| (output.what, output.path.as_path())).collect();
    paths.extend(options.events.iter().map(|path| ("events", path.as_path())));
    paths.extend(options.pipeline_trace.iter().map(|path| ("pipeline trace", path.as_path())));
    paths.extend(options.dump_state.iter().map(|path| ("final state", path.as_path())));
    let images = options.images.iter().map(|image| Ok(parse_image_argument(image)?.0));
    let images: Vec<PathBuf> = images.collect::<Result<_, String>>()?;
    for (index, (what, path)) in paths.iter().enumerate() {
        if let Some((other, _)) = paths[..index].iter().find(|(_, earlier)| is_same_file(earlier, path)) {
            return Err(format!(
                "{other} and {what} are both to be written to {}; name two files",
                path.display()
            ));
        }
        if is_same_file(&options.program, path) {
            return Err(format!(
                "the {what} would be written over the program {}; name another file",
                path.display()
            ));
        }
        if let Some(image) = images.iter().find(|image| is_same_file(image, path)) {
            return Err(format!(
                "the {what} would be written over the file {} of --image; name another file",
                image.display()
            ));
        }
        check_writable(what, path)?;
    }
    let others = paths.iter().map(|(_, path)| *path).chain([options.program.as_path()]);
    let others = others.chain(images.iter().map(PathBuf::as_path));
    match options.profile.as_deref().and_then(|profile| find_snapshot(profile, others)) {
        Some(path) => Err(format!(
            "the file {} is called as a snapshot is, and could be written over; name another --profile",
            path.display()
        )),
        None => Ok(()),
    }
}

/// The first of some files that is called as snapshots are: as the profile, with a dot and a number behind.
#[must_use]
pub fn find_snapshot<'a>(profile: &Path, files: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
    let is_snapshot = |file: &Path| {
        let name = file.file_name()?.to_str()?;
        let (before, number) = name.rsplit_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && is_same_place(profile, &file.with_file_name(before))).then_some(())
    };
    files.into_iter().find(|file| is_snapshot(file).is_some())
}

/// What the options say about the start has to be possible.
pub(super) fn check_start(info: &LaunchInfo, options: &RunOptions) -> Result<(), String> {
    let width_bits = info.pc.width_bits;
    match (options.pc, options.raw, options.format) {
        (Some(pc), ..) if width_bits < u64::BITS && pc >> width_bits != 0 => Err(format!(
            "--pc {pc:#x} does not fit into the {width_bits} bits of the program counter; give an \
             address that it can hold"
        )),
        (_, Some(_), ProgramFormat::Elf | ProgramFormat::Ihex | ProgramFormat::Srec) => {
            Err("--raw and another --format exclude each other; leave one of them out".to_owned())
        }
        _ => Ok(()),
    }
}
