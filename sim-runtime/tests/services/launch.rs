//! How a run ends: limits, interrupts, faults, messages, exit statuses.

use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch};
use sim_runtime::{AccessKind, Engine, Fault, FaultKind, Stop};
use tempfile::TempDir;

use crate::elf_file::ElfFile;
use crate::fake::{FakeEngine, fake_info};

/// A folder with the program `prog.elf`.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) info: LaunchInfo,
}

/// What a run left.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: i32,
    pub(crate) output: String,
    pub(crate) messages: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bench = Self { folder, info: fake_info() };
        fs::write(bench.path("prog.elf"), ElfFile::program().bytes()).expect("a file");
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The options of a command line; `@` stands for the folder, and the program follows.
    pub(crate) fn options(&self, line: &str) -> RunOptions {
        let folder = format!("{}/", self.folder.path().display());
        let mut words = vec!["run".to_owned(), format!("{folder}prog.elf")];
        words.extend(line.split_whitespace().map(|word| word.replace('@', &folder)));
        let command = RunOptions::augment_args(Command::new("run"));
        let matches = command.try_get_matches_from(words).expect("the test's line is right");
        RunOptions::from_arg_matches(&matches).expect("the test's line is right")
    }

    pub(crate) fn run(&self, engine: &mut FakeEngine, line: &str) -> Outcome {
        let (stdio, output, messages) = Stdio::captured(b"input");
        let status = launch(engine, &self.info, &self.options(line), stdio);
        let folder = format!("{}/", self.folder.path().display());
        let messages = messages.text().replace(&folder, "@");
        Outcome { status, output: output.text(), messages }
    }
}

pub(crate) fn halting(status: i32) -> FakeEngine {
    FakeEngine::new(Some(100), Stop::Halted(status))
}

#[test]
fn the_status_is_the_guests() {
    for (guest, status) in [(0, 0), (55, 55), (256, 0), (-1, 255), (0x1_7f, 0x7f)] {
        let outcome = Bench::new().run(&mut halting(guest), "");
        assert_eq!((outcome.status, outcome.messages.as_str()), (status, ""));
    }
}

#[test]
fn a_limit_of_instructions_is_exact() {
    let mut engine = FakeEngine::new(None, Stop::Budget);
    let outcome = Bench::new().run(&mut engine, "--limit-instructions 123_457");
    assert_eq!((outcome.status, engine.ended), (124, 123_457));
    assert_eq!(
        outcome.messages,
        "error: limit reached: 123457 instructions (--limit-instructions)\n\
         note: 123457 instructions in 246914 cycles have ended, pc is 0x00010004\n"
    );
}

#[test]
fn a_limit_of_cycles_ends_with_the_instruction_that_reaches_it() {
    for (cycles_each, limit, ended) in [(1, 100_000, 100_000), (3, 100_000, 33_334), (40, 7, 1)] {
        let mut engine = FakeEngine { cycles_each, ..FakeEngine::new(None, Stop::Budget) };
        let outcome = Bench::new().run(&mut engine, &format!("--limit-cycles {limit}"));
        assert_eq!((outcome.status, engine.ended), (124, ended));
        let told = format!("error: limit reached: {limit} cycles (--limit-cycles)\n");
        assert!(outcome.messages.starts_with(&told), "{}", outcome.messages);
    }
}

#[test]
fn a_guest_that_ends_with_the_limit_has_ended() {
    let outcome = Bench::new().run(&mut halting(9), "--limit-instructions 100");
    assert_eq!(outcome.status, 9);
    let outcome = Bench::new().run(&mut halting(9), "--limit-instructions 99");
    assert_eq!(outcome.status, 124);
}

#[test]
fn time_runs_out() {
    let mut engine = FakeEngine::new(None, Stop::Budget);
    let outcome = Bench::new().run(&mut engine, "--timeout 1e-9 --report @r.xml");
    assert_eq!(outcome.status, 124);
    let told = "error: limit reached: 0.000000001 seconds (--timeout)\n";
    assert!(outcome.messages.starts_with(told), "{}", outcome.messages);
}

/// Input that never comes.
struct Silence;

impl Read for Silence {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        loop {
            std::thread::park();
        }
    }
}

#[test]
fn an_interrupted_run_leaves_its_report_even_when_it_waits_for_input() {
    let bench = Bench::new();
    let (mut stdio, _, messages) = Stdio::captured(b"");
    stdio.streams.input = Box::new(Silence);
    let interrupt = stdio.interrupt.clone();
    let mut engine = FakeEngine::new(None, Stop::Budget).with_action(move |host, _| {
        interrupt.raise();
        assert_eq!(host.console_read(), None);
    });
    let status = launch(&mut engine, &bench.info, &bench.options("--report @r.xml"), stdio);
    assert_eq!(status, 124);
    assert_eq!(
        messages.text(),
        "error: interrupted\n\
         note: 10000 instructions in 20000 cycles have ended, pc is 0x00010004\n"
    );
    assert!(bench.path("r.xml").exists());
}

#[test]
fn an_exit_for_lack_of_input_that_an_interrupt_cut_is_no_success() {
    let bench = Bench::new();
    let (mut stdio, _, _) = Stdio::captured(b"");
    stdio.streams.input = Box::new(Silence);
    let interrupt = stdio.interrupt.clone();
    let mut engine = FakeEngine::new(Some(1), Stop::Halted(0)).with_action(move |host, _| {
        interrupt.raise();
        assert_eq!(host.console_read(), None);
    });
    let options = bench.options("");
    assert_eq!(launch(&mut engine, &bench.info, &options, stdio), 124);
}

#[test]
fn input_reaches_the_guest() {
    let mut engine = halting(0).with_action(|host, _| {
        let bytes: Vec<u8> = std::iter::from_fn(|| host.console_read()).collect();
        host.print(&bytes);
    });
    let outcome = Bench::new().run(&mut engine, "");
    assert_eq!(outcome.output, "input");
}

fn fault_message(kind: FaultKind) -> String {
    let fault = Fault { kind, instruction_address: 0x1_0010, cycle: 41 };
    let mut engine = FakeEngine::new(Some(5), Stop::Fault(fault));
    let outcome = Bench::new().run(&mut engine, "");
    assert_eq!(outcome.status, 127);
    outcome.messages
}

#[test]
fn a_fault_says_what_where_and_where_to_look() {
    assert_eq!(
        fault_message(FaultKind::Memory { access: AccessKind::Write, address: 0x4000_0000 }),
        "error: guest fault: write to address 0x40000000, by the instruction at 0x00010010 in \
         cycle 42\n\
         help: map defaultmap has no memory there; a wild pointer, a stack or heap that is too \
         large, or a missing RANGE\n"
    );
    assert_eq!(
        fault_message(FaultKind::Memory { access: AccessKind::Fetch, address: 0x1_0100 }),
        "error: guest fault: fetch from address 0x00010100, by the instruction at 0x00010010 in \
         cycle 42\n\
         help: the memory there lacks flag X, or the access runs across the end of its RANGE of \
         map defaultmap\n"
    );
    let told = fault_message(FaultKind::IllegalInstruction);
    assert!(told.starts_with("error: guest fault: illegal instruction, by the instruction at "));
    assert!(fault_message(FaultKind::DivisionByZero).contains("division by zero"));
    assert_eq!(
        fault_message(FaultKind::RegisterIndex { register: 1, index: 77 }),
        "error: guest fault: register index 77 in `r`, by the instruction at 0x00010010 in cycle 42\n\
         help: `r` has 4 elements, counted from 0; the description computes the index; let it exclude \
         such words by WHEN, or check it\n"
    );
}

#[test]
fn statistics_are_printed_where_output_is_not() {
    let outcome = Bench::new().run(&mut halting(0), "--stats");
    assert!(outcome.messages.starts_with("100 instructions, 200 cycles, "));
    assert!(outcome.messages.ends_with(" MIPS\n"));
    assert_eq!(outcome.output, "");
}

/// A disk that is full.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lost_output_is_no_success() {
    let bench = Bench::new();
    let (mut stdio, _, messages) = Stdio::captured(b"");
    stdio.streams.output = Box::new(Full);
    let mut engine = halting(0).with_action(|host, _| host.print(b"lost"));
    assert_eq!(launch(&mut engine, &bench.info, &bench.options(""), stdio), 125);
    assert_eq!(
        messages.text(),
        "error: the program's output could not be written (error 28); make room, or send it elsewhere\n"
    );
    assert_eq!(engine.instructions(), 100);
}
