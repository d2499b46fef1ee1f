//! Pairs of the grammar to the syntax tree.
//!
//! The grammar has decided what is what, so building fails only where a rule of the language is
//! beyond a grammar: values too large, words out of place, nesting without brackets. Such a
//! finding is noted, and a placeholder stands in the tree.

mod expression;
mod item;
mod operation;
mod resource;
mod statement;
mod word;

use pest::iterators::{Pair, Pairs};

use super::code;
use super::grammar::Rule;
use super::scan::Scan;
use crate::ast::{Name, Text};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Expressions and statements may be this high, counted from the leaves.
pub(super) const MAX_HEIGHT: usize = 256;

/// Builds the tree of one piece of a file.
pub(super) struct Builder<'a> {
    scan: &'a Scan<'a>,
    /// Where the piece begins in the file.
    base: usize,
    /// How many statements are open.
    depth: usize,
    /// True inside BEHAVIOR and FUNCTION, where C's words are reserved and places are assigned to.
    in_behavior: bool,
    /// What was found while building.
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    /// A builder for the piece that begins at a byte of the file.
    pub(super) fn new(scan: &'a Scan<'a>, base: usize) -> Self {
        Self { scan, base, depth: 0, in_behavior: false, problems: Vec::new() }
    }

    /// Where a pair stands, without the blanks that an absent optional part leaves at its end.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let (start, end) = (self.base + span.start(), self.base + span.end());
        let behind = self.scan.tokens.partition_point(|token| token.end as usize <= end);
        let last = behind.checked_sub(1).map_or(end, |last| self.scan.tokens[last].end as usize);
        Span::new(self.scan.file, start, last.max(start))
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    /// Notes, once for a piece, that something nests too deep.
    fn too_deep(&mut self, span: Span, what: &str) {
        if self.problems.iter().any(|problem| problem.code == code::TOO_DEEP) {
            return;
        }
        self.problem(
            Diagnostic::error(code::TOO_DEEP, span, format!("{what} nest too deep"))
                .label(format!("more than {MAX_HEIGHT} levels"))
                .help("name parts of it by variables or FUNCTIONs of their own"),
        );
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Name { text: pair.as_str().to_owned(), span: self.span(pair) }
    }

    fn names(&self, children: &mut Children<'_>) -> Vec<Name> {
        std::iter::from_fn(|| children.accept(Rule::name)).map(|pair| self.name(&pair)).collect()
    }

    fn text(&mut self, pair: &Pair<'_, Rule>) -> Text {
        let span = self.span(pair);
        let quoted = pair.as_str();
        let value = self.unescape(&quoted[1..quoted.len() - 1], span);
        Text { value, span }
    }
}

/// The children of a pair, without those that are only words of the grammar.
struct Children<'i> {
    pairs: std::iter::Peekable<Pairs<'i, Rule>>,
}

impl<'i> Children<'i> {
    fn of(pair: Pair<'i, Rule>) -> Self {
        Self { pairs: pair.into_inner().peekable() }
    }

    /// The next child that means something.
    fn next(&mut self) -> Option<Pair<'i, Rule>> {
        self.peek()?;
        self.pairs.next()
    }

    /// The rule of the next child that means something.
    fn peek(&mut self) -> Option<Rule> {
        loop {
            let rule = self.pairs.peek()?.as_rule();
            if !rule.is_silent_word() {
                return Some(rule);
            }
            self.pairs.next();
        }
    }

    /// The next child, which the grammar guarantees.
    fn expect(&mut self) -> Pair<'i, Rule> {
        self.next().expect("the grammar gives this rule one more child")
    }

    /// The next child if it is of a rule.
    fn accept(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        (self.peek()? == rule).then(|| self.expect())
    }
}

impl<'i> Iterator for Children<'i> {
    type Item = Pair<'i, Rule>;

    fn next(&mut self) -> Option<Self::Item> {
        Children::next(self)
    }
}
