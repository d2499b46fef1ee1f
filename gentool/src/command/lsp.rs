//! `gentool lsp`

mod study;

use std::io::{self, BufReader};
use std::sync::Arc;

use isac_lsp::{End, serve};

use super::Failure;
use study::Generator;

/// Status where the editor has gone without a word.
const GONE: i32 = 1;

/// Answer an editor's questions about descriptions, by the language server protocol.
///
/// Editors start it and talk to it over standard input and output; nothing is to be typed here.
/// docs/editors.md tells how to set up Visual Studio Code, Neovim, Helix and Emacs. Exit status 0 if the
/// editor ends the session as it should, 1 if it goes away.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// Talk over standard input and output, as always: for editors that say so.
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_: &Options) -> Result<i32, Failure> {
    // Another thread reads, so that the lock of standard input cannot be held here.
    let input = BufReader::new(io::stdin());
    match serve(input, &mut io::stdout(), Arc::new(Generator)) {
        Ok(End::Orderly) => Ok(0),
        Ok(End::Abrupt) => Ok(GONE),
        Err(error) => Err(Failure::other(format!("cannot write to the editor: {error}; start it anew"))),
    }
}
