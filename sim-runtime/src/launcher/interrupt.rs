//! Ways to end a run from outside: Ctrl-C, signals, a timeout.

use std::io::{self, Read, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::launcher::exit_status;

/// Most bytes that are read ahead of the guest.
const BUFFER_BYTES: usize = 64 * 1024;

/// How often a guest that waits for input looks whether the run is over.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Signals that follow one sooner than this are the same request: whoever ends all processes of a terminal, or a
/// process and its group, sends some of them more than one.
const SAME_REQUEST: Duration = Duration::from_millis(200);

/// Why a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Ctrl-C, or another signal that asks to end.
    Signal,
    /// The time is over.
    Timeout,
    /// The processor time that the process may take is over.
    ProcessorTime,
}

/// Tells a run, from another thread, that it is to end.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    signalled: Arc<AtomicBool>,
    used_up: Arc<AtomicBool>,
    input_cut: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// An interrupt that Ctrl-C raises, and SIGTERM, SIGHUP, SIGQUIT, SIGALRM and SIGXCPU, by which a limit of
    /// processor time tells of itself. A second one of all but the last ends the process at once.
    #[must_use]
    pub fn of_process() -> Self {
        let interrupt = Self::default();
        let raised = interrupt.signalled.clone();
        // If the signal cannot be had, the limit ends the process.
        #[cfg(unix)]
        if signal_hook::flag::register(signal_hook::consts::SIGXCPU, interrupt.used_up.clone()).is_ok() {
            leave_time_to_write();
        }
        on_requests(move || {
            if raised.swap(true, Ordering::Relaxed) {
                // If it cannot be told, the status still tells.
                let _ = writeln!(
                    io::stderr(),
                    "error: interrupted once more, before the run had ended; nothing of it is stored"
                );
                std::process::exit(exit_status::LIMIT);
            }
        });
        interrupt
    }

    /// An interrupt for a run that somebody debugs: Ctrl-C sets `asked`, for them to stop the run by; a
    /// second one before they have cleared it ends the run, a third the process.
    #[must_use]
    pub fn asking(asked: Arc<AtomicBool>) -> Self {
        let interrupt = Self::default();
        let raised = interrupt.signalled.clone();
        let _ = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) && raised.swap(true, Ordering::Relaxed) {
                std::process::exit(exit_status::LIMIT);
            }
        });
        interrupt
    }

    /// Ends the run.
    pub fn raise(&self) {
        self.signalled.store(true, Ordering::Relaxed);
    }

    /// Ends the run at that time; the first call counts.
    pub(super) fn set_deadline(&self, deadline: Instant) {
        let _ = self.deadline.set(deadline);
    }

    /// The guest was waiting for input when the run was to end, and got none. What it does then,
    /// be it an exit in good order, says nothing about the program.
    pub(super) fn has_cut_input(&self) -> bool {
        self.input_cut.load(Ordering::Relaxed)
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        if self.signalled.load(Ordering::Relaxed) {
            return Some(Reason::Signal);
        }
        if self.used_up.load(Ordering::Relaxed) {
            return Some(Reason::ProcessorTime);
        }
        match self.deadline.get() {
            Some(deadline) if Instant::now() >= *deadline => Some(Reason::Timeout),
            _ => None,
        }
    }
}

/// How often this process was asked to end, for one that has it passed on to a process that it waits for, and goes on
/// when that has ended.
#[derive(Debug, Clone, Default)]
pub struct EndRequests {
    count: Arc<AtomicU32>,
    ends_process: Arc<AtomicBool>,
}

impl EndRequests {
    /// Requests by Ctrl-C, SIGTERM, SIGHUP, SIGQUIT and SIGALRM, none of which ends this process for now.
    #[must_use]
    pub fn of_process() -> Self {
        let requests = Self::default();
        let counted = requests.clone();
        on_requests(move || match counted.ends_process.load(Ordering::Relaxed) {
            true => std::process::exit(exit_status::LIMIT),
            false => counted.add(),
        });
        requests
    }

    /// Nobody is left to pass requests on to: one that comes from now on ends this process at once.
    pub fn end_process(&self) {
        self.ends_process.store(true, Ordering::Relaxed);
    }

    /// One more.
    pub fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }
}

/// Has a limit of the size of files tell of itself where a file is written, as a full disk does; its signal would
/// end the process there.
pub fn survive_file_limits() {
    // If the signal cannot be had, it ends the process as ever.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Most seconds of processor time that are left to write what was measured; of short limits a twentieth, and one at
/// least.
#[cfg(unix)]
const MOST_WRITING_SECONDS: nix::sys::resource::rlim_t = 10;

/// Where processor time is limited by what kills, as by `ulimit -t`, has the limit tell of itself before.
#[cfg(unix)]
fn leave_time_to_write() {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};

    // If the limit cannot be had, it ends the process as ever.
    if let Ok((told, kills)) = getrlimit(Resource::RLIMIT_CPU)
        && told == kills
        && kills != RLIM_INFINITY
        && kills > 1
    {
        let writing = (kills / 20).clamp(1, MOST_WRITING_SECONDS);
        let _ = setrlimit(Resource::RLIMIT_CPU, kills - writing, kills);
    }
}

/// Does something with each request to end this process. If somebody else listens already, signals are theirs; nothing
/// is lost but comfort.
fn on_requests(mut act: impl FnMut() + Send + 'static) {
    let mut last = None;
    on_signals(move || {
        if is_another(&mut last, Instant::now()) {
            act();
        }
    });
}

/// Does something with each signal that asks this process to end, but for those that it was told to ignore, as `nohup`
/// and shells do that start it in the background.
#[cfg(unix)]
fn on_signals(mut act: impl FnMut() + Send + 'static) {
    use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    let ignored = ignored_signals(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    let is_heard = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM].into_iter().filter(is_heard);
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) {
        // If there is no thread, they are not answered.
        let _ = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || signals.forever().for_each(|_| act()));
    }
}

/// The signals that a process ignores, the first one in the lowest bit, as Linux tells them (proc(5), `SigIgn`); none
/// elsewhere.
#[cfg(unix)]
fn ignored_signals(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn on_signals(act: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(act);
}

/// True for a signal that is a request of its own, by the time of the last one.
fn is_another(last: &mut Option<Instant>, now: Instant) -> bool {
    let is_same = last.is_some_and(|last| now.duration_since(last) < SAME_REQUEST);
    if !is_same {
        *last = Some(now);
    }
    !is_same
}

/// Input that stops waiting when the run is to end.
///
/// A blocking read cannot be called back, so a thread does it, one read at a time and only when
/// the guest asks; at the end of the process it may still stand there.
pub(super) struct InterruptibleInput {
    source: Option<Box<dyn Read + Send>>,
    reader: Option<Reader>,
    /// What is read; its position is behind what is taken.
    buffer: io::Cursor<Vec<u8>>,
    interrupt: Interrupt,
}

struct Reader {
    requests: Sender<()>,
    answers: Receiver<io::Result<Vec<u8>>>,
    /// A request has not been answered.
    waiting: bool,
}

impl InterruptibleInput {
    pub(super) fn new(source: Box<dyn Read + Send>, interrupt: Interrupt) -> Self {
        Self { source: Some(source), reader: None, buffer: io::Cursor::default(), interrupt }
    }
}

impl Read for InterruptibleInput {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let taken = self.buffer.position() >= self.buffer.get_ref().len() as u64;
        if taken && !bytes.is_empty() {
            if let Some(source) = self.source.take() {
                self.reader = Some(Reader::start(source)?);
            }
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let reader = self.reader.as_mut().ok_or_else(gone)?;
            self.buffer = io::Cursor::new(reader.next(&self.interrupt)?);
        }
        self.buffer.read(bytes)
    }
}

impl Reader {
    fn start(mut source: Box<dyn Read + Send>) -> io::Result<Self> {
        let (requests, asked) = channel();
        let (answer, answers) = channel();
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            let mut bytes = vec![0; BUFFER_BYTES];
            while asked.recv().is_ok() {
                let result = read_once(source.as_mut(), &mut bytes);
                if answer.send(result).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { requests, answers, waiting: false })
    }

    fn next(&mut self, interrupt: &Interrupt) -> io::Result<Vec<u8>> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        if !self.waiting {
            self.requests.send(()).map_err(|_| gone())?;
            self.waiting = true;
        }
        // Whoever asks again and again what has come in is not to wait each time, once the run is to end.
        let wait = if interrupt.has_cut_input() { Duration::ZERO } else { LOOK_INTERVAL };
        loop {
            match self.answers.recv_timeout(wait) {
                Ok(answer) => {
                    self.waiting = false;
                    return answer;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) if interrupt.reason().is_some() => {
                    interrupt.input_cut.store(true, Ordering::Relaxed);
                    return Err(io::ErrorKind::Interrupted.into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn read_once(source: &mut dyn Read, bytes: &mut [u8]) -> io::Result<Vec<u8>> {
    loop {
        match source.read(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(count) => return Ok(bytes[..count].to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{SAME_REQUEST, is_another};

    #[cfg(unix)]
    #[test]
    fn what_was_ignored_before_is_known() {
        let status = "Name:\tgentool\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        assert_eq!((super::ignored_signals(status), super::ignored_signals("")), (0x1001, 0));
    }

    #[test]
    fn signals_one_behind_the_other_are_one_request() {
        let begin = Instant::now();
        let mut last = None;
        let times = [0, 1, 150, 199, 200, 201, 401].map(|time| begin + Duration::from_millis(time));
        let others = times.map(|time| is_another(&mut last, time));
        assert_eq!(others, [true, false, false, false, true, false, true]);
        assert_eq!(SAME_REQUEST, Duration::from_millis(200));
    }
}
