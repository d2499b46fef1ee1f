//! A simulator that is a process of its own, which ends where this one is asked to end.

use std::io;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use sim_runtime::launcher::EndRequests;

/// Longest time between two looks at whether the simulator has ended, or is to end.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// Runs a simulator to its end; what asks this process to end is passed on, once each time.
///
/// It stays in this process group, since what a terminal's other groups read stops them. Ctrl-C there
/// reaches it twice, therefore, which [`EndRequests`] tell from two requests.
///
/// # Errors
/// It cannot be started.
pub(in crate::command) fn run_to_end(
    command: &mut Command,
    requests: &EndRequests,
) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    let mut passed_on = 0;
    let mut wait = Duration::from_millis(1);
    loop {
        // Until its status is taken the number of the process is its own.
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if passed_on < requests.count() {
            passed_on += 1;
            ask_to_end(&child);
        }
        sleep(wait);
        wait = (2 * wait).min(LONGEST_WAIT);
    }
}

#[cfg(unix)]
fn ask_to_end(child: &std::process::Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    if let Ok(id) = i32::try_from(child.id()) {
        // One that has just ended needs no signal.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}

/// Elsewhere whoever ends this process by its console has asked the simulator, too.
#[cfg(not(unix))]
fn ask_to_end(_: &std::process::Child) {}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::Duration;

    use sim_runtime::launcher::EndRequests;

    use super::run_to_end;

    /// A process that ends by the number of requests that it is given. It writes a line to a file where it
    /// begins to listen, and with each request.
    const COUNTS: &str = "count=0; trap 'count=$((count + 1)); echo >> \"$1\"' TERM; echo >> \"$1\"; \
                          while [ $count -lt $0 ]; do sleep 0.01; done; exit $count";

    /// Its status, where each request comes when the one before was heard.
    fn status_after(asked: u32) -> Option<i32> {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let log = folder.path().join("log");
        let requests = EndRequests::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                for heard in 1..=asked {
                    await_lines(&log, heard as usize);
                    requests.add();
                }
            });
            let mut command = Command::new("sh");
            command.args(["-c", COUNTS, &asked.to_string()]).arg(&log).stdin(Stdio::null());
            run_to_end(&mut command, &requests).expect("sh runs").code()
        })
    }

    fn await_lines(log: &Path, lines: usize) {
        while std::fs::read(log).map_or(0, |text| text.len()) < lines {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_asks_this_process_to_end_is_passed_on_each_time() {
        assert_eq!([0, 1, 2].map(status_after), [Some(0), Some(1), Some(2)]);
    }
}
