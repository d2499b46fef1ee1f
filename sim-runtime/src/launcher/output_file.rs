//! Files that a run leaves behind: whole or not at all, and never lost for a wrong path.
//!
//! A run may take hours, so a path that cannot be written is found out before it; and if it
//! fails only afterwards, the contents go to another file that is named to the user.

use std::fs::{self, File};
use std::io::{self, Stderr, Stdout, Write};
use std::path::{Path, PathBuf};

use isac_ir::Model;
use sim_profile::{Profile, ValueTable};
use tempfile::{Builder, NamedTempFile};

/// What a run that has ended leaves files to be made of.
pub struct Results<'a> {
    /// Its profile.
    pub profile: &'a Profile,
    /// The values that its instructions have read and written, if they were counted.
    pub values: Option<&'a ValueTable>,
    /// The description, if the engine knows it.
    pub model: Option<&'a Model>,
}

/// Makes a file's contents.
pub type Render<'a> = Box<dyn Fn(&Results<'_>) -> io::Result<Vec<u8>> + 'a>;

/// A file that is made from the results of a run when it has ended.
pub struct OutputFile<'a> {
    /// Where it goes.
    pub path: PathBuf,
    /// What it is, for messages: `report`.
    pub what: &'static str,
    /// Its contents.
    pub render: Render<'a>,
}

/// A file under construction that takes its place as a whole.
pub struct AtomicFile {
    target: PathBuf,
    file: Construction,
}

enum Construction {
    /// Beside the target, to be renamed.
    Temporary(NamedTempFile),
    /// The target itself: a terminal, a pipe or another device, which cannot be replaced.
    Direct(File),
    /// What this program's own output goes to, by whatever name.
    Output(Stdout),
    /// What its messages go to.
    Messages(Stderr),
}

impl AtomicFile {
    /// Begins a file; nothing is seen at `path` before [`AtomicFile::finish`].
    ///
    /// # Errors
    /// The folder does not exist or cannot be written to, or `path` is a folder.
    pub fn create(path: &Path) -> io::Result<Self> {
        // Where a link leads, the file is replaced and the link stays.
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            // A pipe behind a link, as behind `/dev/stdout`, has no path.
            Err(_) if fs::metadata(path).is_ok() => path.to_owned(),
            Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
                return Err(io::Error::other("it is a link that leads nowhere"));
            }
            Err(_) => path.to_owned(),
        };
        if let Some(file) = own_stream(&target) {
            return Ok(Self { target, file });
        }
        let file = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => Construction::Direct(File::options().write(true).open(&target)?),
            Ok(found) if found.permissions().readonly() => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            _ => Construction::Temporary(temporary_file(folder_of(&target), ".isac-")?),
        };
        Ok(Self { target, file })
    }

    /// Puts the file in its place, instead of any that is there.
    ///
    /// # Errors
    /// The file cannot be completed or renamed; what was there before stays.
    pub fn finish(self) -> io::Result<()> {
        match self.file {
            Construction::Direct(mut file) => file.flush(),
            Construction::Output(mut output) => output.flush(),
            Construction::Messages(mut messages) => messages.flush(),
            Construction::Temporary(file) => match file.persist(&self.target) {
                Ok(_) => Ok(()),
                Err(error) => Err(error.error),
            },
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            // By itself: errors would be told with the temporary file's name.
            Construction::Temporary(file) => file.as_file_mut().write(bytes),
            Construction::Direct(file) => file.write(bytes),
            Construction::Output(output) => output.write(bytes),
            Construction::Messages(messages) => messages.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Construction::Temporary(file) => file.as_file_mut().flush(),
            Construction::Direct(file) => file.flush(),
            Construction::Output(output) => output.flush(),
            Construction::Messages(messages) => messages.flush(),
        }
    }
}

/// The stream of this program that goes to a file: were the file replaced, what the stream has
/// written would be lost.
#[cfg(unix)]
fn own_stream(target: &Path) -> Option<Construction> {
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;

    let wanted = fs::metadata(target).ok()?;
    let goes_there = |stream: BorrowedFd<'_>| {
        let found = stream.try_clone_to_owned().and_then(|stream| File::from(stream).metadata());
        found.is_ok_and(|found| (found.dev(), found.ino()) == (wanted.dev(), wanted.ino()))
    };
    if goes_there(io::stdout().as_fd()) {
        return Some(Construction::Output(io::stdout()));
    }
    goes_there(io::stderr().as_fd()).then(|| Construction::Messages(io::stderr()))
}

#[cfg(not(unix))]
fn own_stream(_: &Path) -> Option<Construction> {
    None
}

/// What to do where a file could not be written.
#[must_use]
pub fn write_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded => {
            "make room, or name a file elsewhere"
        }
        _ => "name a file that you may write to",
    }
}

/// Whether two paths lead to one file, through links and by whatever names, be it there already or not;
/// devices and pipes, which keep nothing, are never the same.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other && one.is_file(),
        (Err(_), Err(_)) => place_of(one) == place_of(other),
        _ => false,
    }
}

/// Whether two paths are of one place, whatever there is.
pub(super) fn is_same_place(one: &Path, other: &Path) -> bool {
    place_of(one) == place_of(other)
}

/// Where a file would be made.
fn place_of(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(folder).map_or_else(|_| path.to_owned(), |folder| folder.join(name))
}

/// True for a named pipe: whoever reads it would be told that this is all, were it opened only to see whether it can
/// be.
#[cfg(unix)]
fn is_named_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_named_pipe(_: &Path) -> bool {
    false
}

/// Checks before a run that a file can be written after it.
pub(super) fn check_writable(what: &str, path: &Path) -> Result<(), String> {
    if is_named_pipe(path) {
        return Ok(());
    }
    AtomicFile::create(path).map(drop).map_err(|error| {
        format!(
            "the {what} cannot be written to {}: {error}; name a file in a folder that exists and \
             that you may write to",
            path.display()
        )
    })
}

/// Writes a file, or if that fails another one in the current directory or in that for temporary files.
pub(super) fn write_or_rescue(what: &str, path: &Path, bytes: &[u8]) -> Result<(), String> {
    let Err(error) = write_atomically(path, bytes) else {
        return Ok(());
    };
    let failed = format!("the {what} could not be written to {}: {error}", path.display());
    match rescue(path, bytes) {
        Ok(rescued) => Err(format!("{failed}; it is in {} instead", rescued.display())),
        Err(error) => Err(format!("{failed}; {error}; it is lost, make room and run again")),
    }
}

/// Writes a file that takes its place as a whole.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Keeps contents that found no place under a new name, in the current directory or in that for temporary files.
fn rescue(path: &Path, bytes: &[u8]) -> Result<PathBuf, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    rescue_in(Path::new("."), &name, bytes).or_else(|error| {
        let temporary = std::env::temp_dir();
        rescue_in(&temporary, &name, bytes).map_err(|other| {
            format!(
                "nor could it be written to the current directory: {error}, nor to {}: {other}",
                temporary.display()
            )
        })
    })
}

fn rescue_in(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut file = temporary_file(folder, &format!("rescued-{name}-"))?;
    // By itself: errors would be told with the temporary file's name.
    file.as_file_mut().write_all(bytes)?;
    let (_, kept) = file.keep().map_err(|error| error.error)?;
    // Without a `.` in its middle.
    Ok(kept.components().collect())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file with the permissions of any other new file.
fn temporary_file(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The folder is asked first, and errors are told without the temporary file's name, which
    // means nothing to a user.
    fs::metadata(folder)?;
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn who_reads_a_named_pipe_gets_what_is_written_after_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let reader = {
            let pipe = pipe.clone();
            thread::spawn(move || fs::read(pipe).expect("the pipe can be read"))
        };
        check_writable("report", &pipe).expect("the pipe can be written");
        write_or_rescue("report", &pipe, b"all of it").expect("the pipe is written");
        assert_eq!(reader.join().expect("the reader ends"), b"all of it");
    }
}
