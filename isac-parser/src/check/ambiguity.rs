//! Every word has one meaning.
//!
//! Of two paths that share a word, the words of one have to be a proper subset of the other's:
//! then it is the more specific one and wins. Any other overlap is an error that shows a word.
//! A path all of whose words are won by more specific ones is never reached, which is worth a
//! warning.

use std::collections::BTreeSet;

use super::word_set::{Path, WordSets, align};
use crate::cube::{Budget, Cube, CubeSet, MAX_CUBES, TooManyCubes};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Model, Operation, OperationOrGroup, root_decodes};
use crate::resolve::code;
use crate::resolve::report::{error, warning};
use crate::source::Span;

/// After so many findings in one choice the rest is more of the same.
const MAX_FINDINGS: usize = 50;

/// Compares the members of all choices that a CODINGROOT leads to.
pub(super) fn check_ambiguity(model: &Model, diagnostics: &mut Diagnostics) {
    let mut sets = WordSets::new(model);
    let mut waiting: Vec<(OperationOrGroup, Span)> = Vec::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            waiting.push((target, decode.span));
        }
    }
    waiting.reverse();
    let mut checked = BTreeSet::new();
    while let Some((target, span)) = waiting.pop() {
        if !checked.insert(target) {
            continue;
        }
        let choice = Choice { model, target, span };
        match choice.check(&mut sets, diagnostics) {
            Ok(merged) => waiting.extend(merged.into_iter().map(|target| (target, span))),
            Err(TooManyCubes) => diagnostics.push(choice.too_many()),
        }
    }
}

/// One choice: a CODINGROOT's target, or a group of operands.
struct Choice<'a> {
    model: &'a Model,
    target: OperationOrGroup,
    /// The CODINGROOT element that leads here.
    span: Span,
}

impl<'a> Choice<'a> {
    /// Compares all paths; returns the choices inside that are compared by themselves.
    fn check(
        &self,
        sets: &mut WordSets<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<BTreeSet<OperationOrGroup>, TooManyCubes> {
        let mut paths = sets.paths(self.target)?;
        let mut merged = BTreeSet::new();
        let operations: BTreeSet<_> = paths.iter().flat_map(|path| &path.chain).copied().collect();
        for operation in operations {
            merged.extend(sets.merged_targets(operation));
        }
        align(&mut paths, self.model.target.endian);
        self.compare(&paths, diagnostics)?;
        Ok(merged)
    }

    fn compare(&self, paths: &[Path], diagnostics: &mut Diagnostics) -> Result<(), TooManyCubes> {
        let mut budget = Budget::new();
        // For each path, those whose words are a proper part of its own.
        let mut winners: Vec<Vec<usize>> = vec![Vec::new(); paths.len()];
        let mut findings = 0;
        for (later, path) in paths.iter().enumerate() {
            for (earlier, other) in paths[..later].iter().enumerate() {
                let Some(both) = path.words.overlap(&other.words, &mut budget)? else {
                    continue;
                };
                let within = path.words.is_within(&other.words, &mut budget)?;
                let around = other.words.is_within(&path.words, &mut budget)?;
                match (within, around) {
                    (true, false) => winners[earlier].push(later),
                    (false, true) => winners[later].push(earlier),
                    _ if findings < MAX_FINDINGS => {
                        findings += 1;
                        diagnostics.push(self.ambiguous(other, path, both, within));
                    }
                    _ => {}
                }
            }
        }
        if findings > 0 {
            return Ok(());
        }
        for (path, winners) in paths.iter().zip(&winners) {
            let cubes = winners.iter().flat_map(|winner| paths[*winner].words.cubes());
            let won = CubeSet::new(cubes.copied().collect(), &mut budget)?;
            if !winners.is_empty() && path.words.without(&won, &mut budget)?.is_empty() {
                diagnostics.push(self.unreachable(path, paths, winners));
            }
        }
        Ok(())
    }

    fn ambiguous(&self, first: &Path, second: &Path, both: Cube, equal: bool) -> Diagnostic {
        let word = both.example().display(first.width_bits);
        let Some((one, other)) = self.first_difference(first, second) else {
            let leaf = self.leaf(first);
            let message = format!("`{}` is reached in two ways, both by {word}", leaf.name);
            return error(code::AMBIGUOUS, coding_span(leaf), message, "one word, two paths")
                .secondary(self.span, "decoded here")
                .help("let it be a member of one of the groups only");
        };
        let message = format!("`{}` and `{}` both match {word}", one.name, other.name);
        let (label, help) = if equal {
            ("matches the same words", "let the two differ in a fixed bit")
        } else {
            (
                "matches it, too",
                "let the two differ in a fixed bit, or one match a part of what the other matches",
            )
        };
        error(code::AMBIGUOUS, coding_span(other), message, format!("`{}` {label}", other.name))
            .secondary(coding_span(one), format!("`{}` matches {word}", one.name))
            .help(help)
    }

    /// The innermost operations in which two paths differ.
    fn first_difference(&self, first: &Path, second: &Path) -> Option<(&'a Operation, &'a Operation)> {
        let pairs = first.chain.iter().rev().zip(second.chain.iter().rev());
        let (one, other) = pairs.into_iter().find(|(one, other)| one != other)?;
        let operations = &self.model.operations;
        Some((&operations[one.index()], &operations[other.index()]))
    }

    fn leaf(&self, path: &Path) -> &'a Operation {
        &self.model.operations[path.chain[path.chain.len() - 1].index()]
    }

    fn unreachable(&self, path: &Path, paths: &[Path], winners: &[usize]) -> Diagnostic {
        let leaf = self.leaf(path);
        let message = format!("no word reaches `{}`", leaf.name);
        let label = "every word of it belongs to a more specific one";
        let mut diagnostic = warning(code::UNREACHABLE_MEMBER, coding_span(leaf), message, label);
        for winner in winners.iter().take(3) {
            let winner = self.leaf(&paths[*winner]);
            let label = format!("`{}` matches some of them", winner.name);
            diagnostic = diagnostic.secondary(coding_span(winner), label);
        }
        diagnostic
    }

    fn too_many(&self) -> Diagnostic {
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
        let message = format!("the codings of `{name}` are too many to compare");
        let label = format!("a set of words needs more than {MAX_CUBES} patterns");
        error(code::TOO_MANY_CODINGS, span, message, label)
            .secondary(self.span, "decoded here")
            .help("split the group, or give its members codings that share fixed bits")
    }
}

fn coding_span(operation: &Operation) -> Span {
    operation.coding_span.unwrap_or(operation.span)
}
