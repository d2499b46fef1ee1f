//! Every word has one meaning.
//!
//! Of two paths that share a word, the words of one have to be a proper subset of the other's:
//! then it is the more specific one and wins. Any other overlap is an error that shows a word.
//! A path all of whose words are won by more specific ones is never reached, which is worth a
//! warning.

use std::collections::{BTreeMap, BTreeSet};

use super::contest::Contest;
use super::finding::Choice;
use super::member::operations_of;
use super::word_set::WordSets;
use crate::diagnostic::Diagnostics;
use crate::model::{Decoding, Model, OperationId, OperationOrGroup, TailItem, root_decodes};
use crate::proof::{Prover, Undecided, Words};
use crate::source::Span;

/// After so many choices whose sets of words were too large the rest is not compared: each may
/// have taken a second.
const MAX_GIVEN_UP: usize = 5;

/// Compares the members of all choices that a CODINGROOT leads to; how each tells its words apart.
///
/// Of the misfits, a word of which has a wrong width, only the choices inside are compared: where
/// a bit is missing, the words that two have in common say nothing.
pub(super) fn check_ambiguity(
    model: &Model,
    misfits: &BTreeSet<OperationOrGroup>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<OperationOrGroup, Decoding> {
    compare_choices(WordSets::new(model, Prover::new()), misfits, diagnostics)
}

fn compare_choices(
    mut sets: WordSets<'_>,
    misfits: &BTreeSet<OperationOrGroup>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<OperationOrGroup, Decoding> {
    let model = sets.model;
    let mut waiting = root_choices(model);
    let roots: BTreeSet<OperationOrGroup> = waiting.iter().map(|(target, _)| *target).collect();
    waiting.reverse();
    let mut checked = BTreeSet::new();
    let mut decodings = BTreeMap::new();
    let mut given_up = 0;
    while let Some((target, span)) = waiting.pop() {
        if !checked.insert(target) {
            continue;
        }
        let choice = Choice { model, target, span };
        let result = inner_choices(&mut sets, target).and_then(|inner| {
            waiting.extend(inner.into_iter().map(|target| (target, span)));
            if misfits.contains(&target) {
                return Ok(None);
            }
            Contest::new(choice, &roots, &mut sets)?.decide(diagnostics).map(Some)
        });
        match result {
            Ok(decoding) => decodings.extend(decoding.map(|decoding| (target, decoding))),
            Err(undecided) => {
                diagnostics.push(choice.undecided(undecided));
                given_up += 1;
                if given_up == MAX_GIVEN_UP {
                    break;
                }
            }
        }
    }
    decodings
}

/// What is decoded from words of its own: the targets of CODINGROOTs and of aliases in a TAIL.
pub(super) fn root_choices(model: &Model) -> Vec<(OperationOrGroup, Span)> {
    let mut found = Vec::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            found.push((operation.instances[decode.instance.index()].target, decode.span));
        }
    }
    for operation in &model.operations {
        for item in &operation.tail {
            if let TailItem::Decode { instance, span } = item {
                found.push((operation.instances[instance.index()].target, *span));
            }
        }
    }
    found
}

/// The choices inside that are compared by themselves.
fn inner_choices(
    sets: &mut WordSets<'_>,
    target: OperationOrGroup,
) -> Result<BTreeSet<OperationOrGroup>, Undecided> {
    let paths = sets.paths(target)?;
    let operations: BTreeSet<OperationId> = paths.iter().flat_map(|path| &path.chain).copied().collect();
    Ok(operations.into_iter().flat_map(|operation| sets.merged_targets(operation)).collect())
}

/// True if a choice is ever asked about one of these words, which the WHENs around may prevent.
pub(super) fn occurs(
    sets: &mut WordSets<'_>,
    roots: &BTreeSet<OperationOrGroup>,
    target: OperationOrGroup,
    words: &Words,
) -> Result<bool, Undecided> {
    let model = sets.model;
    if sets.prover.is_empty(words)? {
        return Ok(false);
    }
    if roots.contains(&target) || model.operations.iter().all(|operation| operation.when.is_none()) {
        return Ok(true);
    }
    for id in (0..model.operations.len() as u32).map(OperationId) {
        // Along an instance that a path follows, it is the path's choice that is asked.
        let followed = sets.chosen_along(id);
        for (instance, inner) in sets.coded(id) {
            if inner == target && Some(instance) != followed {
                let around = sets.compose(id, &[(instance, words)], true)?;
                if is_reached(sets, roots, id, &around)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// True if an operation is ever asked about one of these words of it.
fn is_reached(
    sets: &mut WordSets<'_>,
    roots: &BTreeSet<OperationOrGroup>,
    operation: OperationId,
    words: &Words,
) -> Result<bool, Undecided> {
    if sets.prover.is_empty(words)? {
        return Ok(false);
    }
    let choices = choices_with(sets.model, roots, operation);
    if choices.iter().any(|choice| roots.contains(choice)) {
        return Ok(true);
    }
    for id in (0..sets.model.operations.len() as u32).map(OperationId) {
        for (instance, inner) in sets.coded(id) {
            if choices.contains(&inner) {
                let around = sets.compose(id, &[(instance, words)], true)?;
                if is_reached(sets, roots, id, &around)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The targets of instances that may turn out to be an operation.
fn choices_with(
    model: &Model,
    roots: &BTreeSet<OperationOrGroup>,
    id: OperationId,
) -> BTreeSet<OperationOrGroup> {
    let instances = model.operations.iter().flat_map(|operation| &operation.instances);
    let targets: BTreeSet<OperationOrGroup> = instances.map(|instance| instance.target).collect();
    let targets = targets.into_iter().chain(roots.iter().copied());
    targets.filter(|target| operations_of(model, *target).contains(&id)).collect()
}

#[cfg(test)]
mod tests;
