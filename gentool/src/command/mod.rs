//! The commands, one a file.

/// Says something on standard error, as `println` does; if nobody listens, the work goes on.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod advise;
mod asm;
mod cache;
mod check;
mod completions;
mod counters;
mod debug;
mod description;
mod description_point;
mod diff;
mod disasm;
mod dump;
mod exclusion;
mod explain;
mod export;
mod flow_report;
mod fmt;
mod followed_statement;
mod gdb;
mod generate;
mod html_description;
mod html_report;
mod lsp;
mod man;
mod merge;
mod mistaken_file;
mod new;
mod pipeline;
mod profile_file;
mod program;
mod program_report;
mod progress;
mod reachable_code;
mod report;
mod requirement;
mod run;
mod verify;

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use isac_parser::diagnostic::short_words;
use sim_runtime::launcher::{
    color_choice, exit_status, survive_file_limits, take_negative_numbers, with_remedy,
};

/// Simulators from processor descriptions in ISAC.
///
/// Describe a processor; get a simulator that runs real programs and tells exactly what the
/// program did to the processor and what the processor did to the program.
#[derive(Debug, Parser)]
#[command(name = "gentool", version, color = color_choice(), after_help = AFTER_HELP)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
First steps:
  gentool new mycpu
  gentool check models/tiny8/tiny8.isac
  gentool run models/rv32im/rv32im.isac models/rv32im/programs/crc32.elf --report crc32.xml

Exit status: of `run` that of the simulated program, or
  124  a limit was reached, or the run was ended by Ctrl-C
  125  something could not be read, written, built or understood
  126  the description has errors
  127  the program is at fault";

/// What each says of itself stands at its options: a line here would replace all of it.
#[derive(Debug, Subcommand)]
enum Command {
    New(new::Options),
    Check(check::Options),
    Fmt(fmt::Options),
    Lsp(lsp::Options),
    Generate(generate::Options),
    Run(Box<run::Options>),
    Debug(Box<debug::Options>),
    Asm(asm::Options),
    Disasm(disasm::Options),
    Dump(dump::Options),
    Explain(explain::Options),
    Export(export::Options),
    Report(report::Options),
    Counters(counters::Options),
    Advise(advise::Options),
    Merge(merge::Options),
    Verify(verify::Options),
    Diff(diff::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// Parses the command line and runs the command.
pub(crate) fn main() -> ExitCode {
    survive_file_limits();
    let command = CommandLine::command().mut_subcommands(take_negative_numbers);
    let line = command.try_get_matches().and_then(|matches| CommandLine::from_arg_matches(&matches));
    let line = match line {
        Ok(line) => line,
        Err(error) => {
            let asked = !error.use_stderr();
            let error = with_remedy(error);
            // If the message cannot be printed, the status still tells.
            let _ = match short_words(&error.to_string()) {
                Some(message) => write!(io::stderr(), "{message}"),
                None => error.print(),
            };
            return status_code(if asked { 0 } else { exit_status::FAILURE });
        }
    };
    let result = match line.command {
        Command::New(options) => new::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Fmt(options) => fmt::run(&options),
        Command::Lsp(options) => lsp::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Debug(options) => debug::run(&options),
        Command::Asm(options) => asm::run(&options),
        Command::Disasm(options) => disasm::run(&options),
        Command::Dump(options) => dump::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Counters(options) => counters::run(&options),
        Command::Advise(options) => advise::run(&options),
        Command::Merge(options) => merge::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::Diff(options) => diff::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    };
    match result {
        Ok(status) => status_code(status),
        Err(failure) => {
            if !failure.message.is_empty() {
                // If nobody listens, the status still tells.
                let message = short_words(&failure.message).unwrap_or(failure.message);
                say!("error: {message}");
            }
            status_code(failure.status)
        }
    }
}

/// Why a command ended without doing what it was asked.
#[derive(Debug)]
struct Failure {
    /// Nothing if it has been said already.
    message: String,
    status: i32,
}

impl Failure {
    /// Something of ours or of the computer's.
    fn other(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), status: exit_status::FAILURE }
    }

    /// The description is wrong, which has been said already.
    fn model() -> Failure {
        Failure { message: String::new(), status: exit_status::MODEL }
    }
}

/// Writes a command's result to standard output.
///
/// A reader that has seen enough and closes a pipe is no failure.
fn print(text: &str) -> Result<i32, Failure> {
    print_by(|output| output.write_all(text.as_bytes()))
}

/// As [`print`], of what is written piece by piece.
fn print_by(write: impl FnOnce(&mut io::Stdout) -> io::Result<()>) -> Result<i32, Failure> {
    let mut output = io::stdout();
    match write(&mut output).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::other(format!(
            "cannot write to standard output: {error}; make room or send it elsewhere"
        ))),
        _ => Ok(0),
    }
}

fn status_code(status: i32) -> ExitCode {
    ExitCode::from(u8::try_from(status & 0xff).unwrap_or(u8::MAX))
}
