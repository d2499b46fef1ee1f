//! One instruction decodes once: operations with a CODINGROOT exclude each other.
//!
//! Name, address and size of an instruction are what its CODINGROOT decodes; after a second one it
//! would be another. Whether two exclude each other is seen in the text: they stand in the arms of
//! one IF, in CASEs of one SWITCH, or are members of one group.

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostics;
use crate::model::{Activation, InstanceRole, Model, Operation, OperationOrGroup, root_decodes};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports operations by which one instruction would come to two CODINGROOTs.
pub(super) fn check_single_decoding(model: &Model, diagnostics: &mut Diagnostics) {
    let order = dependency_order(&needs(model));
    if !order.cycles.is_empty() {
        // What leads to itself was reported.
        return;
    }
    let nodes = model.operations.len() + model.groups.len();
    let mut walk = Walk { model, roots: vec![None; nodes], diagnostics };
    for node in order.sorted {
        walk.roots[node] = match model.operations.get(node) {
            Some(operation) => walk.operation(operation),
            None => {
                let members = &model.groups[node - model.operations.len()].members;
                members.iter().find_map(|member| walk.roots[node_of(model, *member)])
            }
        };
    }
}

fn node_of(model: &Model, target: OperationOrGroup) -> usize {
    match target {
        OperationOrGroup::Operation(id) => id.index(),
        OperationOrGroup::Group(id) => model.operations.len() + id.index(),
    }
}

fn needs(model: &Model) -> Vec<Vec<usize>> {
    let operations = model.operations.iter().map(|operation| {
        operation.instances.iter().map(|instance| node_of(model, instance.target)).collect()
    });
    let groups = model.groups.iter();
    let groups = groups.map(|group| group.members.iter().map(|member| node_of(model, *member)).collect());
    operations.chain(groups).collect()
}

/// A way to a CODINGROOT.
#[derive(Clone, Copy)]
struct Found {
    /// What leads there.
    step: Span,
    /// Its first element.
    root: Span,
}

struct Walk<'a, 'd> {
    model: &'a Model,
    /// The CODINGROOT that each operation, then each group, leads to; those below are known first.
    roots: Vec<Option<Span>>,
    diagnostics: &'d mut Diagnostics,
}

impl Walk<'_, '_> {
    /// The first CODINGROOT that executing an operation leads to.
    fn operation(&mut self, operation: &Operation) -> Option<Span> {
        let own = root_decodes(&operation.coding_root).first().map(|decode| decode.span);
        let mut found = own.map(|span| Found { step: span, root: span });
        let mut activated = BTreeSet::new();
        activated_instances(&operation.activation, &mut activated);
        for (index, instance) in operation.instances.iter().enumerate() {
            let is_decoded = matches!(instance.role, InstanceRole::Coded | InstanceRole::Root);
            if is_decoded && !activated.contains(&index) {
                found = self.then(found, instance.target, instance.span);
            }
        }
        self.activations(operation, &operation.activation, found).map(|found| found.root)
    }

    /// What follows a CODINGROOT, if one was found: a second one is reported.
    fn then(&mut self, found: Option<Found>, target: OperationOrGroup, step: Span) -> Option<Found> {
        let next = self.roots[node_of(self.model, target)].map(|root| Found { step, root });
        if let (Some(first), Some(second)) = (found, next) {
            self.report(first, second);
        }
        found.or(next)
    }

    fn activations(
        &mut self,
        operation: &Operation,
        items: &[Activation],
        before: Option<Found>,
    ) -> Option<Found> {
        items.iter().fold(before, |found, item| match item {
            Activation::Activate { instance, span, .. } => {
                let instance = &operation.instances[instance.index()];
                match instance.role {
                    // It was met where it is decoded.
                    InstanceRole::Below => found,
                    _ => self.then(found, instance.target, *span),
                }
            }
            Activation::If { then, otherwise, .. } => {
                let arms = [then, otherwise].map(|arm| self.activations(operation, arm, found));
                arms.into_iter().flatten().next()
            }
            Activation::Switch { cases, default, .. } => {
                let arms = cases.iter().map(|(_, items)| items).chain([default]);
                let arms: Vec<_> = arms.map(|arm| self.activations(operation, arm, found)).collect();
                arms.into_iter().flatten().next()
            }
        })
    }

    fn report(&mut self, first: Found, second: Found) {
        let message = "one instruction would decode twice";
        let mut diagnostic =
            error(code::SECOND_DECODING, second.step, message, "leads to a second CODINGROOT")
                .secondary(second.root, "the second");
        if first.step != first.root {
            diagnostic = diagnostic.secondary(first.step, "after this, which leads to the first");
        }
        if first.root != second.root {
            diagnostic = diagnostic.secondary(first.root, "the first");
        }
        let help =
            "one CODINGROOT decodes several words; of several one is chosen by IF and ELSE or by SWITCH";
        self.diagnostics.push(diagnostic.help(help));
    }
}

fn activated_instances(items: &[Activation], found: &mut BTreeSet<usize>) {
    for item in items {
        match item {
            Activation::Activate { instance, .. } => {
                found.insert(instance.index());
            }
            Activation::If { then, otherwise, .. } => {
                activated_instances(then, found);
                activated_instances(otherwise, found);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| activated_instances(items, found));
                activated_instances(default, found);
            }
        }
    }
}
