//! Where commands come from: a terminal, with history and completion, or lines of standard input.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::completion::Words;
use crate::command::Failure;

const PROMPT: &str = "(isac) ";

/// Reads commands.
pub(super) enum Lines {
    Terminal(Box<Editor<Words, MemHistory>>),
    Input,
}

impl Lines {
    pub(super) fn new(words: Words) -> Result<Lines, Failure> {
        if !io::stdin().is_terminal() {
            return Ok(Lines::Input);
        }
        let failed = |error: ReadlineError| Failure::other(format!("cannot use the terminal: {error}"));
        let config = Config::builder().auto_add_history(true).build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).map_err(failed)?;
        editor.set_helper(Some(words));
        Ok(Lines::Terminal(Box::new(editor)))
    }

    /// The next line; `None` when there are no more. Lines that come from a file are shown.
    pub(super) fn next(&mut self) -> Option<String> {
        match self {
            Lines::Terminal(editor) => loop {
                match editor.readline(PROMPT) {
                    Ok(line) => return Some(line),
                    // Ctrl-C leaves the line, not the debugger.
                    Err(ReadlineError::Interrupted) => {}
                    Err(_) => return None,
                }
            },
            Lines::Input => {
                let mut bytes = Vec::new();
                let count = io::stdin().lock().read_until(b'\n', &mut bytes).unwrap_or(0);
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                (count > 0).then_some(line)
            }
        }
    }

    /// What stands before a command that was not typed.
    pub(super) fn echo(&self, line: &str) -> Option<String> {
        matches!(self, Lines::Input).then(|| format!("{PROMPT}{line}\n"))
    }
}
