//! Lines of reports that are text.

use std::fmt::{Arguments, Write as _};

/// Adds a line.
pub(super) fn line(out: &mut String, text: Arguments<'_>) {
    // A `String` takes every write.
    let _ = writeln!(out, "{text}");
}
