//! `gentool man`

use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use clap_mangen::Man;

use super::{CommandLine, Failure, profile_file};

/// Write a manual page for gentool and one for each of its commands.
///
/// They are gentool.1, gentool-run.1 and so on. Example: gentool man ~/.local/share/man/man1
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The folder for the pages; it is made if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder).map_err(|error| refuse(folder, &error))?;
    let mut gentool = CommandLine::command().disable_help_subcommand(true);
    gentool.build();
    write_page(folder, gentool.clone())?;
    for command in gentool.get_subcommands() {
        write_page(folder, command.clone())?;
    }
    Ok(0)
}

fn write_page(folder: &Path, command: Command) -> Result<(), Failure> {
    // Built commands have been given the names of their pages: gentool-run.
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    let synopsis = synopsis_of(&command);
    let command = command.override_usage(synopsis);
    let source = concat!("gentool ", env!("CARGO_PKG_VERSION"));
    Man::new(command)
        .source(source)
        .manual("gentool")
        .render(&mut page)
        .map_err(|error| refuse(&path, &error))?;
    // The library has no better name for what stands behind the commands.
    let page = String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH NOTES\n");
    profile_file::write(Some(&path), page.as_bytes()).map(drop)
}

/// How a command is written: its options with their values, then what has no option, by `...` what may come
/// several times.
fn synopsis_of(command: &Command) -> String {
    let mut parts = vec![command.get_bin_name().unwrap_or(command.get_name()).to_owned()];
    let shown = |argument: &&Arg| !argument.is_hide_set();
    let (positionals, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(shown).partition(|argument| argument.is_positional());
    parts.extend(options.into_iter().chain(positionals).map(part_of));
    parts.extend(command.has_subcommands().then(|| "COMMAND".to_owned()));
    parts.join(" ")
}

fn part_of(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let values = values.join(" ");
    let range = argument.get_num_args().unwrap_or_default();
    let takes_values = range.takes_values() && argument.get_action().takes_values();
    let value = match takes_values {
        false => String::new(),
        true if range.min_values() == 0 && !argument.is_positional() => format!(" [{values}]"),
        true if argument.is_positional() => values,
        true => format!(" {values}"),
    };
    let name = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}|--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => String::new(),
    };
    let written = name + &value;
    let written = if argument.is_required_set() { written } else { format!("[{written}]") };
    let is_several = matches!(argument.get_action(), ArgAction::Append) && takes_values;
    if is_several || range.max_values() > names.len().max(1) { written + "..." } else { written }
}

fn refuse(path: &Path, error: &io::Error) -> Failure {
    let message = match path.is_file() {
        true => "it is a file; name a folder".to_owned(),
        false => format!("{error}; name a folder that you may write to"),
    };
    Failure::other(format!("cannot write {}: {message}", path.display()))
}
