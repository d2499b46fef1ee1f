//! Runs of gentool that wait for gdb.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

/// A program on a model.
pub(crate) struct Session {
    pub(crate) model: &'static str,
    /// Its file, without `.elf` if it has that.
    pub(crate) program: &'static str,
    /// The model in whose folder the program is.
    pub(crate) model_of_program: &'static str,
    pub(crate) options: &'static [&'static str],
    pub(crate) arguments: &'static [&'static str],
}

/// What a session has left.
pub(crate) struct Shown {
    /// What gdb has said, then the program, then gentool.
    pub(crate) text: String,
    /// The report without what it says of the engine.
    pub(crate) report: String,
}

/// A run that waits for gdb.
pub(crate) struct Waiting {
    pub(crate) child: Child,
    pub(crate) port: u16,
    messages: thread::JoinHandle<String>,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Session {
    fn command(&self, report: &Path, further: &[&str]) -> Command {
        let Session { model, program, model_of_program, options, arguments } = self;
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.current_dir(root()).arg("run").arg(format!("models/{model}/{model}.isac"));
        let ending = if program.contains('.') { "" } else { ".elf" };
        command.arg(format!("models/{model_of_program}/programs/{program}{ending}"));
        command.args(further).args(*options).arg("--report").arg(report).arg("--").args(*arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the run and reads where it listens.
    pub(crate) fn wait(&self, report: &Path, further: &[&str]) -> Waiting {
        let options: Vec<&str> = ["--gdb", "0"].iter().chain(further).copied().collect();
        let mut child = self.command(report, &options).spawn().expect("gentool runs");
        let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        messages.read_line(&mut line).expect("gentool says something");
        let port = line.split("127.0.0.1:").nth(1).and_then(|rest| rest.split(';').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {line:?}"));
        let messages = thread::spawn(move || {
            let mut rest = String::new();
            messages.read_to_string(&mut rest).expect("messages are text");
            rest
        });
        Waiting { child, port, messages }
    }

    /// Lets gdb run a script; `None` where there is no such gdb.
    pub(crate) fn drive(&self, gdb: &str, script: &str) -> Option<Shown> {
        if Command::new(gdb).arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("left out: {gdb} cannot be run");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let report = folder.path().join("report.xml");
        let waiting = self.wait(&report, &[]);
        let mut command = Command::new(gdb);
        command.current_dir(root()).args([
            "-nx",
            "-batch",
            "-ex",
            "set pagination off",
            "-ex",
            "set width 0",
        ]);
        command.arg("-ex").arg(format!("target remote :{}", waiting.port));
        command.arg("-x").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gdb").join(script));
        command.arg(format!("models/{}/programs/{}.elf", self.model_of_program, self.program));
        let output = command.stdin(Stdio::null()).output().expect("gdb runs");
        let said = [&output.stdout[..], b"--- errors of gdb\n", &output.stderr[..]].concat();
        let (status, printed, messages) = waiting.end();
        let said = String::from_utf8_lossy(&said);
        let text = format!("{said}--- status {status}\n{printed}--- messages\n{messages}");
        Some(Shown { text, report: measured(&report) })
    }
}

impl Waiting {
    /// The status, what the program wrote, and what gentool said.
    pub(crate) fn end(self) -> (i32, String, String) {
        let output = self.child.wait_with_output().expect("gentool ends");
        let status = output.status.code().expect("gentool ends by itself");
        let messages = self.messages.join().expect("messages can be read");
        (status, String::from_utf8(output.stdout).expect("the program writes text"), messages)
    }
}

/// The report of a run without debugger.
pub(crate) fn run_plainly(session: &Session) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.xml");
    let engine: &[&str] =
        if session.options.contains(&"--engine") { &[] } else { &["--engine", "reference"] };
    let status = session.command(&report, engine).output().expect("gentool runs").status;
    // A limit may be reached.
    assert!(status.success() || status.code() == Some(124), "{status}");
    measured(&report)
}

/// A report without the line that tells the host's time.
pub(crate) fn measured(report: &Path) -> String {
    let text = std::fs::read_to_string(report).expect("the report");
    let lines =
        text.lines().filter(|line| !line.contains("host_nanoseconds") && !line.contains("<provenance"));
    lines.collect::<Vec<_>>().join("\n")
}
