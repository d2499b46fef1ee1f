//! Exit statuses of a run that are not the guest's own.

/// A limit was reached, or the user ended the run by Ctrl-C or a signal: a limit set by hand.
pub const LIMIT: i32 = 124;
/// Our own failure: a file that cannot be read or written, an argument that makes no sense.
pub const FAILURE: i32 = 125;
/// The model has errors.
pub const MODEL: i32 = 126;
/// The guest is at fault.
pub const FAULT: i32 = 127;
