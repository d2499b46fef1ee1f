//! Error numbers of asm-generic, which every guest of [`super::Host::linux_call`] is told.
//!
//! The host's own numbers differ between systems, so they never reach a guest unmapped.

use std::io;

/// A reason why a system call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(i64);

impl Errno {
    pub(crate) const NOENT: Self = Self(2);
    pub(crate) const INTR: Self = Self(4);
    pub(crate) const IO: Self = Self(5);
    pub(crate) const BADF: Self = Self(9);
    pub(crate) const AGAIN: Self = Self(11);
    pub(crate) const ACCES: Self = Self(13);
    pub(crate) const FAULT: Self = Self(14);
    pub(crate) const EXIST: Self = Self(17);
    pub(crate) const NOTDIR: Self = Self(20);
    pub(crate) const ISDIR: Self = Self(21);
    pub(crate) const INVAL: Self = Self(22);
    pub(crate) const MFILE: Self = Self(24);
    pub(crate) const FBIG: Self = Self(27);
    pub(crate) const NOSPC: Self = Self(28);
    pub(crate) const SPIPE: Self = Self(29);
    pub(crate) const ROFS: Self = Self(30);
    pub(crate) const PIPE: Self = Self(32);
    pub(crate) const NAMETOOLONG: Self = Self(36);
    pub(crate) const NOSYS: Self = Self(38);
    pub(crate) const LOOP: Self = Self(40);
    pub(crate) const OVERFLOW: Self = Self(75);

    /// The result that the guest sees: `-errno`.
    pub(crate) fn result(self) -> i64 {
        -self.0
    }

    /// The number that stands for an error of the host.
    pub(crate) fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NOENT,
            io::ErrorKind::Interrupted => Self::INTR,
            io::ErrorKind::WouldBlock => Self::AGAIN,
            io::ErrorKind::PermissionDenied => Self::ACCES,
            io::ErrorKind::AlreadyExists => Self::EXIST,
            io::ErrorKind::NotADirectory => Self::NOTDIR,
            io::ErrorKind::IsADirectory => Self::ISDIR,
            io::ErrorKind::InvalidInput => Self::INVAL,
            io::ErrorKind::FileTooLarge => Self::FBIG,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NOSPC,
            io::ErrorKind::NotSeekable => Self::SPIPE,
            io::ErrorKind::ReadOnlyFilesystem => Self::ROFS,
            io::ErrorKind::BrokenPipe => Self::PIPE,
            io::ErrorKind::InvalidFilename => Self::NAMETOOLONG,
            _ => Self::of_unnamed(error),
        }
    }

    /// Errors that the standard library has no stable kind for; Linux's numbers for them are
    /// those of asm-generic on every host that matters here.
    fn of_unnamed(error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(40) if cfg!(target_os = "linux") => Self::LOOP,
            Some(24) if cfg!(unix) => Self::MFILE,
            _ => Self::IO,
        }
    }
}
