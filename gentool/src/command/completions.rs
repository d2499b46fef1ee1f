//! `gentool completions`

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use super::{CommandLine, Failure, print_by};

/// Print what lets a shell complete commands, options and their values.
///
/// Example: gentool completions bash > ~/.local/share/bash-completion/completions/gentool
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The shell that is to complete
    shell: Shell,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let mut script = Vec::new();
    generate(options.shell, &mut CommandLine::command(), "gentool", &mut script);
    print_by(|output| output.write_all(&script))
}
