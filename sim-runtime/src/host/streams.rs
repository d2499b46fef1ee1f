//! The three standard streams, to be the process's own or a test's.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Where standard input comes from and standard output and error go.
pub struct Streams {
    /// Standard input. A read that fails with [`io::ErrorKind::Interrupted`] is not repeated:
    /// the guest sees `-EINTR`.
    pub input: Box<dyn Read + Send>,
    /// Standard output.
    pub output: Box<dyn Write + Send>,
    /// Standard error.
    pub errors: Box<dyn Write + Send>,
}

impl Streams {
    /// The streams of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self { input: Box::new(io::stdin()), output: Box::new(io::stdout()), errors: Box::new(io::stderr()) }
    }

    /// Input from a constant; what comes out is kept in the two buffers: output and errors.
    #[must_use]
    pub fn captured(input: &[u8]) -> (Self, Capture, Capture) {
        let (output, errors) = (Capture::default(), Capture::default());
        let streams = Self {
            input: Box::new(io::Cursor::new(input.to_vec())),
            output: Box::new(output.clone()),
            errors: Box::new(errors.clone()),
        };
        (streams, output, errors)
    }
}

impl Default for Streams {
    /// No input, and output that is dropped.
    fn default() -> Self {
        Self { input: Box::new(io::empty()), output: Box::new(io::sink()), errors: Box::new(io::sink()) }
    }
}

/// Bytes written so far, shared between the writer and who looks at them.
#[derive(Debug, Clone, Default)]
pub struct Capture(Arc<Mutex<Vec<u8>>>);

impl Capture {
    /// Everything written so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everything written so far as text; what is no UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
