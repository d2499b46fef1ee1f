//! Stored profiles as files: read, and what is made of them written.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use sim_profile::{Profile, read_profile};
use sim_runtime::launcher::{AtomicFile, is_same_file};

use super::{Failure, print_bytes};

/// Reads what `gentool run --profile FILE` has written.
pub(super) fn read(path: &Path) -> Result<Profile, Failure> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| {
        Failure::other(format!("cannot read the profile {shown}: {error}; name a file that exists"))
    })?;
    read_profile(BufReader::new(file)).map_err(|error| Failure::other(format!("{shown}: {error}")))
}

/// No result may take the place of what it is made from; found before anything is read.
pub(super) fn check_out(what: &str, out: Option<&Path>, sources: &[PathBuf]) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    match sources.iter().find(|source| is_same_file(source, out)) {
        None => Ok(()),
        Some(source) => Err(Failure::other(format!(
            "the {what} would be written over {}, which it is made from; name another file",
            source.display()
        ))),
    }
}

/// Writes a result to a file, or to standard output.
pub(super) fn write(out: Option<&Path>, bytes: &[u8]) -> Result<i32, Failure> {
    let Some(out) = out else { return print_bytes(bytes) };
    let unwritable = |error: std::io::Error| {
        Failure::other(format!("cannot write {}: {error}; name a file that you may write to", out.display()))
    };
    let mut file = AtomicFile::create(out).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.finish().map_err(unwritable)?;
    Ok(0)
}

/// Reads several profiles and adds them up.
pub(super) fn read_merged(paths: &[PathBuf]) -> Result<Profile, Failure> {
    let mut sum: Option<Profile> = None;
    for path in paths {
        let profile = read(path)?;
        match &mut sum {
            None => sum = Some(profile),
            Some(sum) => {
                sum.merge(&profile).map_err(|error| Failure::other(format!("{}: {error}", path.display())))?
            }
        }
    }
    Ok(sum.unwrap_or_default())
}
