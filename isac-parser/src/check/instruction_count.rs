//! How many instructions a CODINGROOT's element decodes.
//!
//! An instruction is a way of choosing members down to operands, and coverage lists each by its
//! name. Layers of operations that all hold the next layer double them with each layer, so their
//! number is found here before anyone lists them: each operation and group is counted once, from
//! the innermost up.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    AssemblerItem, InstanceId, InstanceRole, Model, Operation, OperationOrGroup, RootDecode, TailItem,
    root_decodes,
};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Most instructions of one element: some times what the largest instruction sets have.
const MOST_INSTRUCTIONS: u64 = 10_000;

/// Reports elements of CODINGROOTs that decode more instructions than can be listed; true if there
/// is none.
pub(super) fn check_instruction_counts(model: &Model, diagnostics: &mut Diagnostics) -> bool {
    let contents = contents(model);
    let order = dependency_order(&contents);
    if !order.cycles.is_empty() {
        // What is a part of itself was reported.
        return true;
    }
    let mut counts = vec![0u64; contents.len()];
    for node in &order.sorted {
        let inside = contents[*node].iter().fold(0u64, |sum, inner| sum.saturating_add(counts[*inner]));
        // An operation is an instruction itself where nothing in it tells several apart.
        counts[*node] = if *node < model.operations.len() { inside.max(1) } else { inside };
    }
    let mut reported = BTreeSet::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            let top = node_of(model, target);
            if counts[top] > MOST_INSTRUCTIONS && reported.insert(target) {
                let first = first_beyond(&contents, &counts, top);
                diagnostics.push(too_many(model, decode, (top, counts[top]), (first, counts[first])));
            }
        }
    }
    reported.is_empty()
}

fn node_of(model: &Model, target: OperationOrGroup) -> usize {
    match target {
        OperationOrGroup::Operation(id) => id.index(),
        OperationOrGroup::Group(id) => model.operations.len() + id.index(),
    }
}

/// What tells instructions apart inside of each operation, then of each group.
fn contents(model: &Model) -> Vec<Vec<usize>> {
    let operands = operands(model);
    let operations = model.operations.iter().map(|operation| {
        let instances = (0..).map(InstanceId).zip(&operation.instances);
        let choosing = instances.filter(|(id, instance)| {
            let is_coded = instance.role == InstanceRole::Coded && !is_in_tail(operation, *id);
            let is_operand = operands[node_of(model, instance.target)] && !is_in_mnemonic(operation, *id);
            is_coded && !is_operand
        });
        choosing.map(|(_, instance)| node_of(model, instance.target)).collect()
    });
    operations.chain(members(model)).collect()
}

fn members(model: &Model) -> impl Iterator<Item = Vec<usize>> {
    let groups = model.groups.iter();
    groups.map(|group| group.members.iter().map(|member| node_of(model, *member)).collect())
}

/// By operation, then group: true if all that it may be have an EXPRESSION.
fn operands(model: &Model) -> Vec<bool> {
    let mut found: Vec<bool> = model.operations.iter().map(|operation| operation.is_operand).collect();
    let needs: Vec<Vec<usize>> = model.operations.iter().map(|_| Vec::new()).chain(members(model)).collect();
    found.resize(needs.len(), false);
    for node in dependency_order(&needs).sorted {
        if node >= model.operations.len() {
            found[node] = !needs[node].is_empty() && needs[node].iter().all(|member| found[*member]);
        }
    }
    found
}

fn is_in_tail(operation: &Operation, id: InstanceId) -> bool {
    let decodes = |item: &TailItem| matches!(item, TailItem::Decode { instance, .. } if *instance == id);
    operation.tail.iter().any(decodes)
}

/// True if an alias begins a text or is joined to what begins it: it is no operand there.
fn is_in_mnemonic(operation: &Operation, id: InstanceId) -> bool {
    operation.assembler.iter().any(|text| {
        let joined = text.get(1..).unwrap_or_default().chunks(2).map_while(|pair| match pair {
            [AssemblerItem::Join, item] => Some(item),
            _ => None,
        });
        let mut items = text.first().into_iter().chain(joined);
        items.any(|item| matches!(item, AssemblerItem::Instance(found) if *found == id))
    })
}

/// The innermost operation or group below one that is too many already.
fn first_beyond(contents: &[Vec<usize>], counts: &[u64], top: usize) -> usize {
    let beyond = |node: &&usize| counts[**node] > MOST_INSTRUCTIONS;
    let below = |node: &usize| contents[*node].iter().find(beyond).copied();
    std::iter::successors(Some(top), below).last().unwrap_or(top)
}

fn too_many(
    model: &Model,
    decode: &RootDecode,
    (top, all): (usize, u64),
    (first, some): (usize, u64),
) -> Diagnostic {
    let (name, _) = named(model, top);
    let (inner, span) = named(model, first);
    let number = |count: u64| match count {
        u64::MAX => format!("at least {count}"),
        _ => count.to_string(),
    };
    let message = format!("`{name}` is {} instructions", number(all));
    let label = match first == top {
        true => format!("more than {MOST_INSTRUCTIONS} ways to choose members"),
        false => format!("`{inner}` alone is {}", number(some)),
    };
    error(code::TOO_MANY_INSTRUCTIONS, span, message, label)
        .secondary(decode.span, format!("decoded here; {MOST_INSTRUCTIONS} can be listed"))
        .help("give an EXPRESSION to what is an operand: its members do not count as instructions")
}

fn named(model: &Model, node: usize) -> (&str, Span) {
    match model.operations.get(node) {
        Some(operation) => (&operation.name, operation.span),
        None => {
            let group = &model.groups[node - model.operations.len()];
            (&group.name, group.span)
        }
    }
}
