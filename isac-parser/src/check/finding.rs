//! What is said of words that two paths match, and of paths that no word reaches.

use std::collections::BTreeSet;

use super::contest::MAX_QUESTIONS;
use super::member::operations_of;
use super::when::when_cubes;
use crate::cube::{Budget, MAX_CUBES};
use crate::diagnostic::Diagnostic;
use crate::model::{Model, Operation, OperationId, OperationOrGroup};
use crate::proof::{MAX_EFFORT, Undecided};
use crate::resolve::code;
use crate::resolve::report::{error, warning};
use crate::source::Span;

/// One choice: a CODINGROOT's target, or a group of operands.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) model: &'a Model,
    pub(super) target: OperationOrGroup,
    /// The CODINGROOT element that leads here.
    pub(super) span: Span,
}

/// A path, or one member of its operands.
#[derive(Clone)]
pub(super) struct Claim<'p> {
    pub(super) chain: &'p [OperationId],
    pub(super) member: Option<OperationId>,
    /// What the word that both claim is written as.
    pub(super) text: Option<String>,
}

impl Claim<'_> {
    /// " as `add 1`"; nothing without a text.
    fn written(&self) -> String {
        self.text.as_ref().map(|text| format!(" as `{text}`")).unwrap_or_default()
    }
}

impl<'a> Choice<'a> {
    /// Two claims to one word, of which neither is the more specific.
    pub(super) fn ambiguous(
        &self,
        first: Claim<'_>,
        second: Claim<'_>,
        word: &str,
        equal: bool,
    ) -> Diagnostic {
        if first.member.is_some() || second.member.is_some() {
            return self.ambiguous_member(&first, &second, word);
        }
        let Some((one, other)) = self.first_difference(first.chain, second.chain) else {
            let leaf = self.leaf(first.chain);
            let message = format!("{} is reached in two ways, both by {word}", self.named(first.chain));
            return error(code::AMBIGUOUS, coding_span(leaf), message, "one word, two paths")
                .secondary(self.span, "decoded here")
                .help("let it be a member of one of the groups only");
        };
        let message =
            format!("{} and {} both match {word}", self.named(first.chain), self.named(second.chain));
        let help = match equal {
            true => "let the two differ in a fixed bit",
            false => "let the two differ in a fixed bit, or one match a part of what the other matches",
        };
        let label = |name: &str| match (&second.text, equal) {
            (None, true) => format!("`{name}` matches the same words"),
            (None, false) => format!("`{name}` matches it, too"),
            (Some(text), true) => format!("`{name}` matches the same words, this one as `{text}`"),
            (Some(text), false) => format!("`{name}` matches it, too, as `{text}`"),
        };
        let mut diagnostic = error(code::AMBIGUOUS, condition_span(other), message, label(&other.name))
            .secondary(condition_span(one), format!("`{}` matches {word}{}", one.name, first.written()));
        let around: BTreeSet<OperationId> = first.chain.iter().chain(second.chain).copied().collect();
        for operation in around.into_iter().map(|id| &self.model.operations[id.index()]) {
            if operation.span != one.span && operation.span != other.span {
                let label = format!("`{}` is part of the word", operation.name);
                diagnostic = diagnostic.secondary(condition_span(operation), label);
            }
        }
        match self.first_outer_difference(first.chain, second.chain) {
            Some((one, other)) => {
                let names = BTreeSet::from([one.name.as_str(), other.name.as_str()]);
                diagnostic.help(help).cause(names.into_iter().collect::<Vec<&str>>().join(" and "))
            }
            None => diagnostic.help(help),
        }
    }

    /// A path, the outermost operation first: a format with the operation that is its opcode.
    fn named(&self, chain: &[OperationId]) -> String {
        let names = chain.iter().map(|id| format!("`{}`", self.model.operations[id.index()].name));
        names.collect::<Vec<String>>().join(" with ")
    }

    /// The same where a member of an operand is one side.
    fn ambiguous_member(&self, first: &Claim<'_>, second: &Claim<'_>, word: &str) -> Diagnostic {
        let name = |claim: &Claim<'_>| match claim.member {
            Some(member) => {
                let member = &self.model.operations[member.index()];
                format!("{} with `{}`", self.named(claim.chain), member.name)
            }
            None => self.named(claim.chain),
        };
        let inner = |claim: &Claim<'_>| match claim.member {
            Some(member) => &self.model.operations[member.index()],
            None => self.leaf(claim.chain),
        };
        let message = format!("{} and {} both match {word}", name(first), name(second));
        let (one, other) = (inner(first), inner(second));
        error(
            code::AMBIGUOUS,
            condition_span(other),
            message,
            format!("`{}` is one special case{}", other.name, second.written()),
        )
        .secondary(condition_span(one), format!("`{}` is the other{}", one.name, first.written()))
        .secondary(self.span, "decoded here")
        .help("let one of the two match a part of what the other matches")
    }

    /// The innermost operations in which two paths differ.
    fn first_difference(
        &self,
        first: &[OperationId],
        second: &[OperationId],
    ) -> Option<(&'a Operation, &'a Operation)> {
        self.different(first.iter().rev().zip(second.iter().rev()))
    }

    /// The outermost operations in which two paths differ: if formats cannot be told apart, their
    /// opcodes meet in every combination.
    fn first_outer_difference(
        &self,
        first: &[OperationId],
        second: &[OperationId],
    ) -> Option<(&'a Operation, &'a Operation)> {
        self.different(first.iter().zip(second))
    }

    fn different<'i>(
        &self,
        mut pairs: impl Iterator<Item = (&'i OperationId, &'i OperationId)>,
    ) -> Option<(&'a Operation, &'a Operation)> {
        let (one, other) = pairs.find(|(one, other)| one != other)?;
        let operations = &self.model.operations;
        Some((&operations[one.index()], &operations[other.index()]))
    }

    fn leaf(&self, chain: &[OperationId]) -> &'a Operation {
        &self.model.operations[chain[chain.len() - 1].index()]
    }

    /// A path all of whose words others win.
    pub(super) fn unreachable(&self, path: &[OperationId], winners: &[&[OperationId]]) -> Diagnostic {
        let leaf = self.leaf(path);
        let message = format!("no word reaches `{}`", leaf.name);
        let label = match winners {
            [] if leaf.when.is_some() => "its WHEN leaves it no word",
            [] => "the WHENs of what it belongs to or consists of leave it no word",
            _ => "every word of it belongs to a more specific one",
        };
        let mut diagnostic = warning(code::UNREACHABLE_MEMBER, condition_span(leaf), message, label);
        for winner in winners.iter().take(3) {
            let winner = self.leaf(winner);
            let label = format!("`{}` matches some of them", winner.name);
            diagnostic = diagnostic.secondary(coding_span(winner), label);
        }
        diagnostic
    }

    /// A question about sets of words that is too hard.
    pub(super) fn undecided(&self, why: Undecided) -> Diagnostic {
        let (name, span) = match self.target {
            OperationOrGroup::Operation(id) => {
                let operation = &self.model.operations[id.index()];
                (&operation.name, operation.span)
            }
            OperationOrGroup::Group(id) => {
                let group = &self.model.groups[id.index()];
                (&group.name, group.span)
            }
        };
        let (message, label, help) = match why {
            Undecided::Patterns => (
                format!("the codings of `{name}` are too many to compare"),
                format!("more than {MAX_CUBES} patterns or special cases are to be compared"),
                "split the group, or give its members codings that share fixed bits",
            ),
            Undecided::Work => (
                format!("whether every word of `{name}` has one meaning takes too long to prove"),
                format!("not decided after {MAX_EFFORT} steps"),
                "let WHENs compare fewer bits, or members differ in fixed bits",
            ),
            Undecided::Questions => (
                format!("the words of `{name}` take too many tests to be told apart"),
                format!("more than {MAX_QUESTIONS} tests of one bit"),
                "let WHENs compare fewer bits, or each bit with one other",
            ),
        };
        let mut diagnostic =
            error(code::TOO_MANY_CODINGS, span, message, label).secondary(self.span, "decoded here");
        let whens = operations_of(self.model, self.target).into_iter();
        let whens = whens.filter_map(|id| {
            let operation = &self.model.operations[id.index()];
            Some((operation, operation.when.as_ref()?))
        });
        let hard = |(operation, _): &(&Operation, _)| when_cubes(operation, &mut Budget::new()).is_err();
        for (operation, when) in whens.filter(hard).take(3) {
            let label = format!("the WHEN of `{}` allows words in many patterns", operation.name);
            diagnostic = diagnostic.secondary(when.span, label);
        }
        diagnostic.help(help)
    }
}

fn coding_span(operation: &Operation) -> Span {
    operation.coding_span.unwrap_or(operation.span)
}

/// The CODING, with the WHEN where one follows it.
fn condition_span(operation: &Operation) -> Span {
    let coding = coding_span(operation);
    match &operation.when {
        Some(when) if when.span.start >= coding.end => coding.to(when.span),
        _ => coding,
    }
}
