//! The one directory below which a guest may open files.
//!
//! The paths are the guest's, so they are hostile: `..`, absolute paths and links must not lead
//! out. cap-std resolves each path component below the directory's handle and refuses what
//! leaves it (docs/decisions/0001-files-below-a-root.md).

use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::host::errno::Errno;

/// A directory that a guest sees as its working directory, and nothing above it.
pub struct RootDirectory(Dir);

impl RootDirectory {
    /// Opens the directory; later renames of it do not matter.
    ///
    /// # Errors
    /// If `path` is no directory or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Dir::open_ambient_dir(path, ambient_authority()).map(Self)
    }

    /// Opens what `path` names.
    pub(crate) fn open_path(&self, path: &[u8], how: OpenFlags) -> Result<Opened, Errno> {
        let path = guest_path(path)?;
        if how.no_follow && self.0.symlink_metadata(path).is_ok_and(|m| m.is_symlink()) {
            return Err(Errno::LOOP);
        }
        match self.0.metadata(path) {
            Ok(_) if how.create && how.exclusive => Err(Errno::EXIST),
            Ok(found) if found.is_dir() => self.open_directory(path, how),
            // A FIFO or a device could hold the run up or change the host. The guest can make
            // neither, so nothing can step between this look and the opening.
            Ok(found) if !found.is_file() => Err(Errno::ACCES),
            Ok(_) if how.directory => Err(Errno::NOTDIR),
            Ok(_) => self.open_file(path, how),
            Err(error) if error.kind() == io::ErrorKind::NotFound && how.create => self.open_file(path, how),
            Err(error) => Err(Errno::of(&error)),
        }
    }

    /// Removes a file, or a link itself; no directory.
    pub(crate) fn remove_file(&self, path: &[u8]) -> Result<(), Errno> {
        let path = guest_path(path)?;
        self.0.remove_file(path).map_err(|error| Errno::of(&error))
    }

    /// Gives a file another name; a file that has that name goes.
    pub(crate) fn rename(&self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let (from, to) = (guest_path(from)?, guest_path(to)?);
        self.0.rename(from, &self.0, to).map_err(|error| Errno::of(&error))
    }

    fn open_directory(&self, path: &Path, how: OpenFlags) -> Result<Opened, Errno> {
        if how.write || how.create {
            return Err(Errno::ISDIR);
        }
        let directory = self.0.open_dir(path).map_err(|error| Errno::of(&error))?;
        Ok(Opened::Directory(Self(directory)))
    }

    fn open_file(&self, path: &Path, how: OpenFlags) -> Result<Opened, Errno> {
        if how.create && !how.write {
            self.create_empty(path, how)?;
        }
        let mut options = OpenOptions::new();
        options.read(how.read);
        if how.write {
            options.write(!how.append).append(how.append);
            // The standard library knows no appending that also empties the file: see below.
            options.truncate(how.truncate && !how.append);
            options.create(how.create);
            options.create_new(how.create && how.exclusive);
            set_mode(&mut options, how.mode);
        }
        let opened = self.0.open_with(path, &options);
        let file = opened.map_err(|error| Errno::of(&error))?.into_std();
        if how.write && how.truncate && how.append {
            file.set_len(0).map_err(|error| Errno::of(&error))?;
        }
        Ok(Opened::File(file))
    }

    /// Creates a file that is then opened for reading alone, which the standard library cannot
    /// do in one step.
    fn create_empty(&self, path: &Path, how: OpenFlags) -> Result<(), Errno> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        set_mode(&mut options, how.mode);
        match self.0.open_with(path, &options) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !how.exclusive => Ok(()),
            Err(error) => Err(Errno::of(&error)),
        }
    }
}

/// What an open turned out to be.
pub(crate) enum Opened {
    File(File),
    Directory(RootDirectory),
}

/// The flags of `openat` that matter here (asm-generic/fcntl.h).
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenFlags {
    pub(crate) read: bool,
    pub(crate) write: bool,
    create: bool,
    exclusive: bool,
    truncate: bool,
    append: bool,
    directory: bool,
    no_follow: bool,
    /// Permission bits of a file that is made.
    mode: u32,
}

impl OpenFlags {
    /// Takes the flags apart; flags of no consequence below a root are ignored.
    pub(crate) fn decode(flags: u64, mode: u64) -> Result<Self, Errno> {
        let (read, write) = match flags & 3 {
            0 => (true, false),
            1 => (false, true),
            2 => (true, true),
            _ => return Err(Errno::INVAL),
        };
        Ok(Self {
            read,
            write,
            create: flags & 0o100 != 0,
            exclusive: flags & 0o200 != 0,
            truncate: flags & 0o1000 != 0,
            append: flags & 0o2000 != 0,
            directory: flags & 0o200_000 != 0,
            no_follow: flags & 0o400_000 != 0,
            mode: u32::try_from(mode & 0o777).unwrap_or(0),
        })
    }

    /// The file may be made.
    pub(crate) fn creates(self) -> bool {
        self.create
    }
}

/// Whether a path starts at the root of a file system.
pub(crate) fn is_absolute(path: &[u8]) -> bool {
    path.first() == Some(&b'/')
}

#[cfg(unix)]
fn guest_path(path: &[u8]) -> Result<&Path, Errno> {
    use std::os::unix::ffi::OsStrExt;
    Ok(Path::new(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn guest_path(path: &[u8]) -> Result<&Path, Errno> {
    std::str::from_utf8(path).map(Path::new).map_err(|_| Errno::NOENT)
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, mode: u32) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_options: &mut OpenOptions, _mode: u32) {}
