//! The command line: describe a processor, check it, generate its simulator, run programs on it.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
