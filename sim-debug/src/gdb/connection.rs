//! The connection: a thread that waits for bytes, and answers that can be sent again.

use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use gdbstub::conn::Connection;

/// Pieces of input that wait until somebody looks; a debugger that sends more waits itself.
const MOST_WAITING: usize = 64;

/// What the thread tells.
pub(super) enum Incoming {
    /// A debugger has connected: the way back to it.
    Connected(TcpStream),
    /// It has sent this.
    Bytes(Vec<u8>),
    /// It is gone, or nobody can connect.
    Gone,
}

/// Waits for one connection and then for what it brings.
pub(super) fn listen(listener: TcpListener) -> io::Result<Receiver<Incoming>> {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    thread::Builder::new().name("gdb".to_owned()).spawn(move || {
        let _ = read_all(&listener, &sender);
        let _ = sender.send(Incoming::Gone);
    })?;
    Ok(receiver)
}

fn read_all(listener: &TcpListener, sender: &SyncSender<Incoming>) -> io::Result<()> {
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    sender.send(Incoming::Connected(stream.try_clone()?)).map_err(gone)?;
    let mut bytes = [0; 4096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => sender.send(Incoming::Bytes(bytes[..count].to_vec())).map_err(gone)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The way to the debugger.
pub(super) struct Wire {
    /// `None` when it is lost.
    stream: Option<Rc<TcpStream>>,
    /// What is to be sent with the next flush.
    gathered: Vec<u8>,
    /// The last answer.
    last: Vec<u8>,
    /// What is said goes nowhere.
    pub(super) is_mute: bool,
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Wire {
        Wire { stream: Some(Rc::new(stream)), gathered: Vec::new(), last: Vec::new(), is_mute: false }
    }

    /// Sends bytes at once. A debugger that is gone is noticed where its bytes are read.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        if self.is_mute {
            return;
        }
        if let Some(stream) = &self.stream
            && io::Write::write_all(&mut &**stream, bytes).is_err()
        {
            self.stream = None;
        }
    }

    /// Sends the last answer again.
    pub(super) fn repeat(&mut self) {
        let last = std::mem::take(&mut self.last);
        self.send(&last);
        self.last = last;
    }

    /// The same connection for another session.
    pub(super) fn share(&self) -> Wire {
        let (stream, last) = (self.stream.clone(), self.last.clone());
        Wire { stream, gathered: Vec::new(), last, is_mute: self.is_mute }
    }
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> Result<(), io::Error> {
        self.gathered.push(byte);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), io::Error> {
        self.gathered.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), io::Error> {
        let gathered = std::mem::take(&mut self.gathered);
        self.send(&gathered);
        let begin = gathered.iter().position(|byte| *byte == b'$').unwrap_or(gathered.len());
        self.last = gathered[begin..].to_vec();
        Ok(())
    }
}
