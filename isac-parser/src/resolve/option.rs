//! Words with arguments: options of a memory, fields of TARGET.

use super::code;
use super::names::Table;
use super::report::{error, help_if};
use super::suggestion::did_you_mean;
use super::typing;
use crate::ast::{Expr, ExprKind, Name};
use crate::diagnostic::Diagnostics;
use crate::source::Span;

/// One option, to be read.
pub(crate) struct OptionReader<'a> {
    pub(crate) name: &'a Name,
    pub(crate) arguments: &'a [Expr],
    pub(crate) span: Span,
    pub(crate) table: &'a Table,
}

impl<'a> OptionReader<'a> {
    /// The single argument; reports another count.
    pub(crate) fn single(&self, diagnostics: &mut Diagnostics) -> Option<&'a Expr> {
        if let [argument] = self.arguments {
            return Some(argument);
        }
        self.wrong("takes one argument", diagnostics);
        None
    }

    /// Two arguments; reports another count.
    pub(crate) fn pair(&self, diagnostics: &mut Diagnostics) -> Option<(&'a Expr, &'a Expr)> {
        if let [first, second] = self.arguments {
            return Some((first, second));
        }
        self.wrong("takes two arguments", diagnostics);
        None
    }

    /// The single argument as a number within limits.
    pub(crate) fn number(
        &self,
        limits: std::ops::RangeInclusive<u128>,
        diagnostics: &mut Diagnostics,
    ) -> Option<u128> {
        let argument = self.single(diagnostics)?;
        typing::number_within(self.table, argument, &self.name.text, limits, diagnostics)
    }

    /// The single argument as a number of cycles that an `int` holds.
    pub(crate) fn cycles(&self, diagnostics: &mut Diagnostics) -> Option<u32> {
        let cycles = self.number(0..=i32::MAX as u128, diagnostics)?;
        u32::try_from(cycles).ok()
    }

    /// The single argument as a text.
    pub(crate) fn text(&self, diagnostics: &mut Diagnostics) -> Option<String> {
        let argument = self.single(diagnostics)?;
        if let ExprKind::Text(text) = &argument.kind {
            return Some(text.value.clone());
        }
        self.wrong("takes a text in quotes", diagnostics);
        None
    }

    /// The argument as one of the words that the option knows.
    pub(crate) fn word(
        &self,
        argument: &'a Expr,
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<&'a str> {
        if let ExprKind::Name(word) = &argument.kind {
            if known.contains(&word.text.as_str()) {
                return Some(&word.text);
            }
            let message = format!("{} does not know the word `{}`", self.name.text, word.text);
            let diagnostic = error(code::BAD_OPTION, word.span, message, "unknown")
                .help(format!("it knows {}", known.join(", ")));
            let near = did_you_mean(&word.text, known.iter().copied());
            diagnostics.push(help_if(diagnostic, near));
            return None;
        }
        self.wrong(&format!("takes a word: {}", known.join(", ")), diagnostics);
        None
    }

    /// The argument as a name.
    pub(crate) fn name_of(&self, argument: &'a Expr, diagnostics: &mut Diagnostics) -> Option<&'a Name> {
        if let ExprKind::Name(name) = &argument.kind {
            return Some(name);
        }
        self.wrong("takes a name", diagnostics);
        None
    }

    /// Reports arguments of another shape than the option has.
    pub(crate) fn wrong(&self, takes: &str, diagnostics: &mut Diagnostics) {
        let message = format!("{} {takes}", self.name.text);
        diagnostics.push(error(code::BAD_OPTION, self.span, message, "not as expected"));
    }

    /// Reports an option that does not exist.
    pub(crate) fn unknown(&self, of: &str, known: &[&str], diagnostics: &mut Diagnostics) {
        let message = format!("{of} has no option `{}`", self.name.text);
        let diagnostic = error(code::BAD_OPTION, self.name.span, message, "unknown")
            .help(format!("the options are {}", known.join(", ")));
        let near = did_you_mean(&self.name.text, known.iter().copied());
        diagnostics.push(help_if(diagnostic, near));
    }
}

/// Options that were met, to report one that stands twice.
#[derive(Default)]
pub(crate) struct Once<'a> {
    met: Vec<(&'a str, Span)>,
}

impl<'a> Once<'a> {
    /// Notes an option; reports a second one of its name.
    pub(crate) fn note(&mut self, name: &'a Name, diagnostics: &mut Diagnostics) {
        if let Some((_, first)) = self.met.iter().find(|(met, _)| *met == name.text) {
            let message = format!("{} stands twice", name.text);
            let diagnostic = error(code::REPEATED_SECTION, name.span, message, "again here");
            diagnostics.push(diagnostic.secondary(*first, "first here"));
            return;
        }
        self.met.push((&name.text, name.span));
    }
}
