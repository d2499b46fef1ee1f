//! Ctrl-C stops whatever goes on, and the run stands where it is.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A session of a program that runs for ever.
struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Running {
    fn new() -> Running {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, program) = (folder.path().join("loop.s"), folder.path().join("loop.bin"));
        std::fs::write(&source, "        nib ax, 1\nhere:   jmp here\n").expect("a text");
        let tiny8 = super::root().join("models/tiny8/tiny8.isac");
        let gentool = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
            command.stderr(Stdio::null());
            command
        };
        let mut assemble = gentool();
        assemble.arg("asm").arg(&tiny8).arg(&source).args(["--format", "raw", "-o"]).arg(&program);
        assert!(assemble.status().expect("gentool runs").success(), "the program is assembled");
        let mut command = gentool();
        command.arg("debug").arg(&tiny8).arg(&program).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("gentool runs");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Running { child, input, output, _folder: folder }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the session listens");
    }

    /// Reads up to a line that contains a text.
    fn read_to(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let count = self.output.read_line(&mut line).expect("text");
            assert!(count > 0, "the session is over before it says `{text}`");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Says a command and stops what it does.
    fn interrupt(&mut self, command: &str) {
        self.say(command);
        self.read_to(&format!("(isac) {command}"));
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
        self.read_to("interrupted");
    }

    fn end(mut self) {
        self.say("quit");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        assert_eq!(self.child.wait().expect("gentool ends").code(), Some(0), "{rest}");
    }
}

#[test]
fn what_goes_on_is_stopped() {
    let mut running = Running::new();
    for command in ["step 1000000000", "statement 1000000000", "over 1000000000", "goto 1000000000"] {
        running.interrupt(command);
    }
    running.say("break 1 if ax == 0");
    running.interrupt("continue");
    running.end();
}

#[test]
fn a_way_back_that_is_stopped_ends_where_it_began() {
    let mut running = Running::new();
    running.say("goto 50000");
    running.interrupt("reverse-continue");
    running.say("where");
    running.read_to("50000 instructions have ended");
    running.interrupt("back 49999");
    running.say("where");
    running.read_to("50000 instructions have ended");
    running.end();
}
