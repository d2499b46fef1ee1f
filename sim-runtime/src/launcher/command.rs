//! The command line of a generated simulator.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, FromArgMatches};

use crate::engine::Engine;
use crate::launcher::{
    LaunchInfo, RunOptions, Stdio, color_choice, exit_status, launch, survive_file_limits,
};

/// Whatever a generated simulator is: parses the command line, makes the engine, runs.
///
/// `make_engine` is told the options, above all whether a measurement is wanted, and may refuse
/// them with a message.
pub fn main<F>(info: &LaunchInfo, make_engine: F) -> ExitCode
where
    F: FnOnce(&RunOptions) -> Result<Box<dyn Engine>, String>,
{
    survive_file_limits();
    let status = match parse(info, std::env::args_os()) {
        Ok(options) => match make_engine(&options) {
            Ok(mut engine) => launch(engine.as_mut(), info, &options, Stdio::of_process()),
            Err(error) => {
                // If nobody listens, the status still tells.
                let _ = writeln!(std::io::stderr(), "error: {error}");
                exit_status::FAILURE
            }
        },
        Err(error) => {
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            // If the message cannot be printed, the status still tells.
            let _ = with_remedy(error).print();
            if asked { 0 } else { exit_status::FAILURE }
        }
    };
    ExitCode::from(u8::try_from(status & 0xff).unwrap_or(u8::MAX))
}

fn parse(info: &LaunchInfo, arguments: impl Iterator<Item = OsString>) -> Result<RunOptions, clap::Error> {
    let about = format!("Simulates programs on the processor {}", info.model);
    let command = RunOptions::augment_args(Command::new("simulator"))
        .bin_name(info.model.clone())
        .color(color_choice())
        .about(about)
        .long_about(None)
        .after_help(EXIT_STATUSES);
    let matches = take_negative_numbers(command).try_get_matches_from(arguments)?;
    RunOptions::from_arg_matches(&matches)
}

/// The same where options are told that -1 is not what they take, instead of that it is no option.
#[must_use]
pub fn take_negative_numbers(command: Command) -> Command {
    command.mut_args(|argument| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    })
}

/// The same error, which says what to do where options do not go together, and where a value looks like an option.
#[must_use]
pub fn with_remedy(mut error: clap::Error) -> clap::Error {
    let remedy = match error.kind() {
        ErrorKind::ArgumentConflict => "leave out one of them",
        ErrorKind::MissingRequiredArgument => "add what is missing, or leave out what it is for",
        ErrorKind::UnknownArgument if may_be_value(error.get(ContextKind::InvalidArg)) => {
            "a value that begins with a hyphen stands behind an equals sign, as in --option=-1, or behind --"
        }
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(remedy)]));
    error
}

/// Whether something was read as options that may be meant as a value: it has one hyphen.
fn may_be_value(found: Option<&ContextValue>) -> bool {
    matches!(found, Some(ContextValue::String(found)) if !found.starts_with("--"))
}

const EXIT_STATUSES: &str = "\
Exit status: the program's own, or
  124  a limit was reached, or the run was ended by Ctrl-C
  125  something could not be read, written or understood
  127  the program is at fault";

#[cfg(test)]
mod tests {
    use super::{parse, with_remedy};
    use crate::launcher::LaunchInfo;

    fn info() -> LaunchInfo {
        LaunchInfo { model: "tiny8".to_owned(), ..LaunchInfo::default() }
    }

    fn arguments(line: &str) -> impl Iterator<Item = std::ffi::OsString> {
        line.split(' ').map(std::ffi::OsString::from).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn options_and_guest_arguments_are_told_apart() {
        let line = "tiny8 --raw --limit-instructions 10M --set ax=-1 p.bin -- -v in.txt";
        let options = parse(&info(), arguments(line)).expect("the line is right");
        assert_eq!(options.program.to_str(), Some("p.bin"));
        assert_eq!(options.raw, Some(None));
        assert_eq!(options.limit_instructions, Some(10_000_000));
        assert_eq!(options.set, ["ax=-1"]);
        assert_eq!(options.arguments, ["-v", "in.txt"]);
    }

    #[test]
    fn a_raw_address_follows_an_equals_sign() {
        let options = parse(&info(), arguments("tiny8 --raw=0x80 p.bin"));
        assert_eq!(options.expect("the line is right").raw, Some(Some(0x80)));
    }

    #[test]
    fn a_wrong_count_is_told_with_an_example() {
        let error = parse(&info(), arguments("tiny8 p.bin --limit-cycles 1e6"));
        assert!(error.expect_err("1e6 is no count").to_string().contains("10M"));
        let error = parse(&info(), arguments("tiny8 p.bin --limit-cycles -1")).expect_err("it is below 0");
        assert!(error.to_string().contains("invalid value '-1' for '--limit-cycles"), "{error}");
        let error = parse(&info(), arguments("tiny8 p.bin --limit-cycles -1M")).expect_err("it is below 0");
        let told = with_remedy(error).to_string();
        assert!(told.contains("stands behind an equals sign") && told.contains("or behind --"), "{told}");
    }
}
