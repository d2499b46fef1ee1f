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
    /// Bytes taken over so far, in the run as it stands.
    position: u64,
    /// The most of them that there ever were: a run that was taken back writes them again.
    furthest: u64,
}

impl Output {
    pub(crate) fn new(sink: Box<dyn Write + Send>) -> Self {
        Self { sink, buffer: Vec::new(), failure: None, position: 0, furthest: 0 }
    }

    /// Takes all bytes over, or fails as the stream did at this or an earlier write.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let repeated = (self.furthest - self.position).min(bytes.len() as u64);
        self.position += repeated;
        let bytes = &bytes[repeated as usize..];
        if bytes.is_empty() && repeated > 0 {
            return Ok(());
        }
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.buffer.extend_from_slice(bytes);
        self.position += bytes.len() as u64;
        self.furthest = self.position;
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

    /// Bytes taken over so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// What is written from here on was written before, as far as it has come.
    pub(crate) fn go_back(&mut self, position: u64) {
        self.position = position.min(self.furthest);
    }

    /// What is written from here on is new.
    pub(crate) fn forget_future(&mut self) {
        self.furthest = self.position;
    }

    /// Why bytes were lost, if any were.
    pub(crate) fn failure(&self) -> Option<Errno> {
        self.failure
    }
}
