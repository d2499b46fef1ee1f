//! Standard output of a guest: buffered, and honest about a reader that has gone.

use std::io::Write;

use crate::host::errno::Errno;

/// Bytes gathered before they go out.
const BUFFER_BYTES: usize = 64 * 1024;

/// A stream of bytes out of the simulation.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
    buffer: Vec<u8>,
    /// The first failure of `sink`. Bytes may be lost with it, so every later write fails too.
    failure: Option<Errno>,
}

impl Output {
    pub(crate) fn new(sink: Box<dyn Write + Send>) -> Self {
        Self { sink, buffer: Vec::new(), failure: None }
    }

    /// Takes all bytes over, or fails as the stream did at this or an earlier write.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Sends out what is gathered.
    pub(crate) fn flush(&mut self) -> Result<(), Errno> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.buffer.is_empty() {
            return Ok(());
        }
        let sent = self.sink.write_all(&self.buffer);
        self.buffer.clear();
        sent.and_then(|()| self.sink.flush()).map_err(|error| {
            let failure = Errno::of(&error);
            self.failure = Some(failure);
            failure
        })
    }

    /// Why bytes were lost, if any were.
    pub(crate) fn failure(&self) -> Option<Errno> {
        self.failure
    }
}
