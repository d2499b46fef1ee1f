//! What a run of a program costs: processor time and memory, read from Linux's `/proc`.
//!
//! A child is looked at while it runs and once more between its end and the moment it is waited
//! for, when the kernel still knows what it used. Elsewhere time is wall time, and memory unknown.

use std::fs;
use std::io::{self, Read};
use std::process::{ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a child is looked at.
const PERIOD: Duration = Duration::from_millis(2);

/// What a finished run used.
#[derive(Debug, Clone)]
pub(crate) struct Usage {
    /// Processor seconds of its main thread, where the kernel tells, else seconds.
    pub(crate) seconds: f64,
    /// Most memory ever resident, in KiB; what was taken in the last [`PERIOD`] may be missing.
    pub(crate) peak_kib: Option<u64>,
    pub(crate) status: Option<i32>,
    /// Standard error.
    pub(crate) errors: String,
}

/// Runs a command to its end; its output is dropped.
pub(crate) fn run(command: &mut Command) -> Result<Usage, String> {
    run_heard(command, |_| Ok(()))
}

/// The same; `hear` is given what the command says before it is looked at, and what comes of that is kept
/// until its end.
pub(crate) fn run_heard<T>(
    command: &mut Command,
    hear: impl FnOnce(&mut ChildStderr) -> io::Result<T>,
) -> Result<Usage, String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let begun = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let id = child.id();
    let heard = child.stderr.as_mut().map(hear).transpose();
    let heard = heard.map_err(|error| format!("cannot speak with {command:?}: {error}"))?;
    let mut peak_kib = None;
    while is_running(id) {
        peak_kib = field(&format!("/proc/{id}/status"), "VmHWM:").or(peak_kib);
        sleep(PERIOD);
    }
    let processor = processor_seconds(id);
    drop(heard);
    let mut errors = String::new();
    let pipe = child.stderr.take();
    pipe.and_then(|mut pipe| pipe.read_to_string(&mut errors).ok());
    let status = child.wait().map_err(|error| format!("cannot wait for {command:?}: {error}"))?;
    let seconds = processor.unwrap_or_else(|| begun.elapsed().as_secs_f64());
    Ok(Usage { seconds, peak_kib, status: status.code(), errors })
}

/// False when the process has ended, or cannot be looked at.
fn is_running(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

/// Time on a processor; the first number of `schedstat`, in nanoseconds.
fn processor_seconds(id: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// The number behind a name in a file of lines.
fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
