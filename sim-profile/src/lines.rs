//! Lines of a text file, numbered for error messages.

use std::io::{self, BufRead, Read as _};

/// A line that is longer is none: a model's tables take megabytes at most.
const MAX_LINE_BYTES: u64 = 1 << 28;
/// The first line names the format.
const MAX_FIRST_BYTES: u64 = 1 << 12;

/// Reads lines one by one.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Number of the line read last, from 1.
    pub(crate) number: u64,
}

/// Why there is no next line.
pub(crate) enum LineError {
    Io(io::Error),
    /// The file ends, or ends without a line break: its writer did not get to its end.
    Truncated,
    NotUtf8,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), number: 0 }
    }

    /// The next line, without its line break.
    pub(crate) fn next_line(&mut self) -> Result<&str, LineError> {
        self.number += 1;
        self.buffer.clear();
        let mut limited =
            self.reader.by_ref().take(if self.number == 1 { MAX_FIRST_BYTES } else { MAX_LINE_BYTES });
        limited.read_until(b'\n', &mut self.buffer).map_err(LineError::Io)?;
        let line = self.buffer.strip_suffix(b"\n").ok_or(LineError::Truncated)?;
        std::str::from_utf8(line).map_err(|_| LineError::NotUtf8)
    }

    /// Whether anything is left; that is then the line that is numbered.
    pub(crate) fn has_more(&mut self) -> Result<bool, LineError> {
        let more = self.reader.fill_buf().map(|rest| !rest.is_empty()).map_err(LineError::Io)?;
        self.number += u64::from(more);
        Ok(more)
    }
}
