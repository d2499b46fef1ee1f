//! Calls between functions, and stacks of calls.

use std::collections::BTreeMap;

use serde::Serialize;

use super::function::FunctionTable;
use super::number::{Count, hexadecimal, index_or_none};
use crate::program::ProgramProfile;
use crate::{CallContext, CallKey, CallKind, ContextTree, Spending, Transfer};

/// The call graph; what calls cost is known if they were followed.
#[derive(Serialize)]
pub(super) struct Calls {
    are_followed: bool,
    /// Kind, function that calls, function that is called, calls, inclusive cycles.
    arcs: Vec<(&'static str, i64, i64, Count, Count)>,
    /// Function that calls, address of the call, function that is called, calls, inclusive cycles.
    sites: Vec<(i64, String, i64, Count, Count)>,
    /// Stacks: index of the stack without its innermost function or -1, that function, its own cycles
    /// there, and those of all stacks that go on from it.
    stacks: Vec<(i64, i64, Count, Count)>,
    /// Calls that were forgotten, since the stack was full.
    forgotten: Count,
}

/// Those of a run.
pub(super) fn calls_of(profile: &ProgramProfile<'_>, functions: &FunctionTable) -> Calls {
    let index = |start: u64| functions.index(profile.program.function_at(start));
    let Some(calls) = profile.calls else { return transfers_of(profile, index) };
    let mut arcs: BTreeMap<(i64, i64, CallKind), (u64, Spending)> = BTreeMap::new();
    for (key, arc) in &calls.arcs {
        let (times, inclusive) = arcs.entry((index(key.caller), index(key.callee), key.kind)).or_default();
        *times = times.saturating_add(arc.calls);
        inclusive.add(arc.inclusive);
    }
    let arcs = arcs.into_iter().map(|((caller, callee, kind), (times, inclusive))| {
        (kind.name(), caller, callee, Count(times), Count(inclusive.cycles))
    });
    let sites = calls.arcs.iter().map(|(key, arc)| {
        let CallKey { caller, site, callee, .. } = *key;
        (index(caller), hexadecimal(site), index(callee), Count(arc.calls), Count(arc.inclusive.cycles))
    });
    let stacks = stacks_of(&calls.contexts, |start| profile.program.function_at(start));
    let mut inclusive: Vec<u64> = stacks.iter().map(|stack| stack.own.cycles).collect();
    for number in (0..inclusive.len()).rev() {
        if let Some(parent) = stacks[number].parent.map(|parent| parent as usize) {
            inclusive[parent] = inclusive[parent].saturating_add(inclusive[number]);
        }
    }
    let stacks = stacks.iter().zip(inclusive).map(|(stack, inclusive)| {
        let parent = index_or_none(stack.parent.map(|parent| parent as usize));
        let function = functions.index(stack.function as u32);
        (parent, function, Count(stack.own.cycles), Count(inclusive))
    });
    Calls {
        are_followed: true,
        arcs: arcs.collect(),
        sites: sites.collect(),
        stacks: stacks.collect(),
        forgotten: Count(calls.forgotten),
    }
}

/// Stacks by the numbers of functions, each behind the one that it goes on from: where several beginnings
/// are one function, as in code without symbols, it stands on a stack once, as one that calls itself does.
fn stacks_of(contexts: &[CallContext], number_at: impl Fn(u64) -> u32) -> Vec<CallContext> {
    let mut tree = ContextTree::default();
    let mut places: Vec<u32> = Vec::with_capacity(contexts.len());
    for context in contexts {
        let parent = context.parent.map(|parent| places[parent as usize]);
        let place = tree.call(parent, number_at(context.function).into());
        tree.spend(place, context.own);
        places.push(place);
    }
    tree.into_contexts()
}

/// What the transfers alone tell: who called whom, how often.
fn transfers_of(profile: &ProgramProfile<'_>, index: impl Fn(u64) -> i64) -> Calls {
    let transfers = profile.transfers();
    let called = transfers.iter().filter(|(_, kind, _)| *kind == Transfer::Call);
    let mut arcs: BTreeMap<(i64, i64), u64> = BTreeMap::new();
    let mut sites = Vec::new();
    for ((from, to), _, times) in called {
        let (caller, callee) = (index(from), index(to));
        let sum = arcs.entry((caller, callee)).or_default();
        *sum = sum.saturating_add(times);
        sites.push((caller, hexadecimal(from), callee, Count(times), Count(0)));
    }
    let arcs = arcs.into_iter().map(|((caller, callee), n)| ("call", caller, callee, Count(n), Count(0)));
    Calls { are_followed: false, arcs: arcs.collect(), sites, stacks: Vec::new(), forgotten: Count(0) }
}
