//! Snapshots that an earlier run has left: those of two runs beside each other would be taken for those of one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// What a stored profile begins with, of whatever version.
const BEGINNING: &[u8] = b"{\"format\":\"isac-profile\"";

/// Where the snapshot of a number is stored; the first is 1.
pub(super) fn snapshot_path(profile: &Path, number: u64) -> PathBuf {
    let mut name = OsString::from(profile);
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// Removes the snapshots of an earlier run to the same profile: from the first up to the last that follows without
/// a gap, as a run leaves them.
///
/// # Errors
/// One of these files is no stored profile, or cannot be removed; then none is removed that comes behind it, and in
/// the first case none at all.
pub(super) fn remove_earlier_snapshots(profile: &Path) -> Result<(), String> {
    let mut earlier = Vec::new();
    for path in (1..).map(|number| snapshot_path(profile, number)) {
        match is_replaceable(&path)? {
            true => earlier.push(path),
            false => break,
        }
    }
    earlier.iter().try_for_each(|path| remove(path))
}

fn remove(path: &Path) -> Result<(), String> {
    fs::remove_file(path).or_else(|error| match error.kind() {
        // Somebody else has.
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(format!(
            "the snapshot {} of an earlier run cannot be removed: {error}; remove it, or name another --profile",
            path.display()
        )),
    })
}

/// True if a snapshot is there already, false if nothing is.
///
/// # Errors
/// Something else is.
pub(super) fn is_replaceable(path: &Path) -> Result<bool, String> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(false) };
    // A pipe, say, would never be read to its end.
    if found.is_file() && begins_as_profile(path) {
        return Ok(true);
    }
    Err(format!(
        "{} is called as a snapshot is, and is no stored profile; move it away, or name another --profile",
        path.display()
    ))
}

fn begins_as_profile(path: &Path) -> bool {
    let mut beginning = [0; BEGINNING.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning == *BEGINNING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshots_of_one_run_go_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = folder.path().join("p");
        let stored = [BEGINNING, b",\"version\":4}\n"].concat();
        for name in ["p", "p.1", "p.2", "p.3", "p.5", "p.2026", "p.x", "q.1"] {
            fs::write(folder.path().join(name), &stored).expect("a file");
        }
        remove_earlier_snapshots(&profile).expect("all can go");
        let entries = fs::read_dir(folder.path()).expect("the folder can be read");
        let mut left: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        left.sort();
        assert_eq!(left, ["p", "p.2026", "p.5", "p.x", "q.1"]);
        remove_earlier_snapshots(&profile).expect("nothing is there");
    }

    #[test]
    fn what_is_no_profile_stays_and_so_does_all_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let profile = folder.path().join("p");
        fs::write(snapshot_path(&profile, 1), BEGINNING).expect("a file");
        let second = snapshot_path(&profile, 2);
        let beginnings = [&b""[..], b"{", b"{\"format\":\"isac-profiles\"", b"dear diary"];
        for contents in beginnings {
            fs::write(&second, contents).expect("a file");
            let why = remove_earlier_snapshots(&profile).expect_err("it is no profile");
            assert!(why.contains("p.2 is called as a snapshot is, and is no stored profile"), "{why}");
            assert_eq!(fs::read(&second).expect("it is there"), contents);
            assert!(snapshot_path(&profile, 1).exists());
        }
        fs::remove_file(&second).expect("it can go");
        fs::create_dir(&second).expect("a folder");
        remove_earlier_snapshots(&profile).expect_err("it is a folder");
    }
}
