//! Calls between functions, and stacks of calls.

use std::collections::BTreeMap;

use serde::Serialize;

use super::function::FunctionTable;
use super::number::{Count, hexadecimal, index_or_none};
use crate::program::ProgramProfile;
use crate::{CallContext, CallKey, CallKind, Spending, Transfer};

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
        (kind_name(kind), caller, callee, Count(times), Count(inclusive.cycles))
    });
    let sites = calls.arcs.iter().map(|(key, arc)| {
        let CallKey { caller, site, callee, .. } = *key;
        (index(caller), hexadecimal(site), index(callee), Count(arc.calls), Count(arc.inclusive.cycles))
    });
    let stacks = stacks_of(&calls.contexts, |start| profile.program.function_at(start));
    let mut inclusive: Vec<u64> = stacks.iter().map(|stack| stack.own).collect();
    // Each stack stands behind the one that it goes on from.
    for number in (0..inclusive.len()).rev() {
        if let Some(parent) = stacks[number].parent {
            inclusive[parent] = inclusive[parent].saturating_add(inclusive[number]);
        }
    }
    let stacks = stacks.iter().zip(inclusive).map(|(stack, inclusive)| {
        let parent = index_or_none(stack.parent);
        (parent, functions.index(stack.function), Count(stack.own), Count(inclusive))
    });
    Calls {
        are_followed: true,
        arcs: arcs.collect(),
        sites: sites.collect(),
        stacks: stacks.collect(),
        forgotten: Count(calls.forgotten),
    }
}

/// A stack of functions of the program.
struct Stack {
    /// The one without its innermost function, which stands before it.
    parent: Option<usize>,
    /// Its number.
    function: u32,
    /// Cycles.
    own: u64,
}

/// Stacks by the numbers of functions: where several beginnings are one function, as in code without
/// symbols, it stands on a stack once, as one that calls itself does.
fn stacks_of(contexts: &[CallContext], number_at: impl Fn(u64) -> u32) -> Vec<Stack> {
    let mut stacks: Vec<Stack> = Vec::new();
    let mut known: BTreeMap<(Option<usize>, u32), usize> = BTreeMap::new();
    let mut places: Vec<usize> = Vec::with_capacity(contexts.len());
    for context in contexts {
        let function = number_at(context.function);
        let parent = context.parent.map(|parent| places[parent as usize]);
        let around = std::iter::successors(parent, |stack| stacks[*stack].parent);
        let same = around.into_iter().find(|stack| stacks[*stack].function == function);
        let place = same.or_else(|| known.get(&(parent, function)).copied()).unwrap_or(stacks.len());
        if place == stacks.len() {
            stacks.push(Stack { parent, function, own: 0 });
            known.insert((parent, function), place);
        }
        stacks[place].own = stacks[place].own.saturating_add(context.own.cycles);
        places.push(place);
    }
    stacks
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

fn kind_name(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Call => "call",
        CallKind::Tail => "tail",
        CallKind::Interrupt => "interrupt",
    }
}
