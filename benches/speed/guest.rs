//! The guests: every ELF file of the model's programs, made long by its repeat count.

use std::fs;
use std::path::{Path, PathBuf};

use super::process::Usage;
use super::workshop::{PROGRAMS, Workshop};

/// A guest with arguments that make it run long enough to be measured.
pub(crate) struct Guest {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) instructions: u64,
}

impl Guest {
    /// The arguments that make it run so many times as long; `None` if it takes no repeat count.
    pub(crate) fn prolonged(&self, times: u64) -> Option<Vec<String>> {
        let [repeats] = self.arguments.as_slice() else { return None };
        repeats.parse::<u64>().ok().map(|repeats| vec![repeats.saturating_mul(times).to_string()])
    }
}

/// All guests by name, each to execute about `instructions`.
pub(crate) fn find_guests(workshop: &Workshop, instructions: u64) -> Result<Vec<Guest>, String> {
    let entries = fs::read_dir(PROGRAMS).map_err(|error| format!("{PROGRAMS}: {error}"))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "elf"));
    files.sort();
    files.into_iter().map(|file| lengthen(workshop, file, instructions)).collect()
}

/// Of the longer of two short runs; repeats of a guest may differ with a period of eight.
const MORE_REPEATS: u64 = 9;

/// Finds the repeat count from two short runs; a guest that takes none runs as it is.
fn lengthen(workshop: &Workshop, file: PathBuf, wanted: u64) -> Result<Guest, String> {
    let count = |repeats: u64| measure_length(workshop, &file, &[repeats.to_string()]);
    let (one, more) = (count(1)?, count(MORE_REPEATS)?);
    let each = (more.saturating_sub(one) / (MORE_REPEATS - 1)).max(1);
    let arguments = match one < more {
        true => vec![(wanted.saturating_sub(one) / each + 1).to_string()],
        false => Vec::new(),
    };
    let instructions = measure_length(workshop, &file, &arguments)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Guest { name, file, arguments, instructions })
}

fn measure_length(workshop: &Workshop, file: &Path, arguments: &[String]) -> Result<u64, String> {
    let usage = workshop.simulate(file, arguments, false, None)?;
    match usage.status {
        Some(0) => {
            executed(&usage).ok_or_else(|| format!("{}: no count in {}", file.display(), usage.errors))
        }
        status => Err(format!("{} ends with {status:?}: {}", file.display(), usage.errors)),
    }
}

/// The number of instructions in what `--stats` prints.
fn executed(usage: &Usage) -> Option<u64> {
    let line = usage.errors.lines().find(|line| line.contains(" instructions, "))?;
    line.split_whitespace().next()?.parse().ok()
}
