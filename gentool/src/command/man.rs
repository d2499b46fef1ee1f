//! `gentool man`

use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
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
    let mut gentool = CommandLine::command();
    gentool.build();
    write_page(folder, gentool.clone())?;
    for command in gentool.get_subcommands().filter(|command| command.get_name() != "help") {
        write_page(folder, command.clone())?;
    }
    Ok(0)
}

fn write_page(folder: &Path, command: clap::Command) -> Result<(), Failure> {
    // Built commands have been given the names of their pages: gentool-run.
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    let source = concat!("gentool ", env!("CARGO_PKG_VERSION"));
    Man::new(command)
        .source(source)
        .manual("gentool")
        .render(&mut page)
        .map_err(|error| refuse(&path, &error))?;
    profile_file::write(Some(&path), &page).map(drop)
}

fn refuse(path: &Path, error: &io::Error) -> Failure {
    Failure::other(format!("cannot write {}: {error}; name a folder that you may write to", path.display()))
}
