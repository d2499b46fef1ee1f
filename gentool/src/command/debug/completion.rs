//! Words that the command line completes.

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

/// All words that may stand somewhere in a line.
pub(super) struct Words {
    /// Commands, which stand first.
    pub(super) commands: Vec<String>,
    /// Symbols, registers, operations.
    pub(super) others: Vec<String>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or_default();
        let begin = before.rfind([' ', '+']).map_or(0, |place| place + 1);
        let words = if begin == 0 { &self.commands } else { &self.others };
        let word = &before[begin..];
        Ok((begin, words.iter().filter(|candidate| candidate.starts_with(word)).cloned().collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}
