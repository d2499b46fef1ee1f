//! What needs what among operations and groups, and circles of it.

use std::collections::BTreeSet;

use super::Builder;
use crate::ast::CodingItem;
use crate::model::OperationOrGroup;
use crate::resolve::code;
use crate::resolve::expression_names::visit_names;
use crate::resolve::operation::AliasValue;
use crate::resolve::operation_value::break_fields;
use crate::resolve::report::error;
use crate::source::Span;

impl Builder<'_, '_> {
    /// What the type of each node's value needs: the operands below, and the aliases that its
    /// EXPRESSION mentions by REFERENCE.
    pub(super) fn value_needs(&self) -> Vec<Vec<usize>> {
        let mut needs = self.needs();
        for (index, draft) in self.tree.drafts.iter().enumerate() {
            if self.cut.contains(&index) {
                needs[index].clear();
                continue;
            }
            if let Some(section) = draft.sections.expression {
                let mut mentioned = BTreeSet::new();
                let arguments = section.writer.iter().flat_map(|writer| &writer.arguments);
                for expr in std::iter::once(&section.value).chain(arguments) {
                    visit_names(expr, &mut |name| {
                        mentioned.insert(name.text.as_str());
                    });
                }
                let targets = self.references.needs(index, &mentioned, &self.tree.drafts);
                needs[index].extend(targets.into_iter().map(|target| self.node(target)));
            }
        }
        needs
    }

    pub(super) fn report_value_cycle(&mut self, cycle: &[usize]) {
        let drafts = &self.tree.drafts;
        let mut expressions = cycle
            .iter()
            .filter_map(|node| Some((drafts.get(*node)?, drafts.get(*node)?.sections.expression?)));
        let Some((first, section)) = expressions.next() else { return };
        let message = format!("the EXPRESSION of `{}` needs its own value", first.ast.name.text);
        let label = "refers to an alias that this operation may be";
        let mut diagnostic = error(code::CYCLIC_VALUE, section.value.span, message, label)
            .help("refer to a field or LOCAL, or to an alias of other operations");
        for name in &first.reference_names {
            diagnostic = diagnostic.secondary(name.span, "by this REFERENCE");
        }
        for (draft, _) in expressions {
            let label = format!("through `{}`", draft.ast.name.text);
            diagnostic = diagnostic.secondary(draft.ast.name.span, label);
        }
        self.diagnostics.push(diagnostic);
    }

    /// What each node needs.
    pub(super) fn needs(&self) -> Vec<Vec<usize>> {
        let nodes = 0..self.tree.drafts.len() + self.tree.groups.len();
        nodes.map(|node| self.needs_of(node)).collect()
    }

    /// What a node needs: an operation its coded instances, a group its members.
    pub(super) fn needs_of(&self, node: usize) -> Vec<usize> {
        let Some(draft) = self.tree.drafts.get(node) else {
            let group = &self.tree.groups[node - self.tree.drafts.len()];
            return group.members.iter().map(|member| self.node(*member)).collect();
        };
        let names = draft.sections.coding_items().filter_map(|item| match item {
            CodingItem::Name { name, .. } => draft.scope.alias(&name.text),
            _ => None,
        });
        names.map(|id| self.node(draft.scope.instances[id.index()].target)).collect()
    }

    pub(super) fn name_of(&self, node: usize) -> (&str, Span) {
        match self.tree.drafts.get(node) {
            Some(draft) => (&draft.ast.name.text, draft.ast.name.span),
            None => {
                let group = &self.tree.groups[node - self.tree.drafts.len()];
                (&group.name, group.span)
            }
        }
    }

    pub(super) fn report_cycle(&mut self, cycle: &[usize]) {
        let Some((&first, rest)) = cycle.split_first() else {
            return;
        };
        let only_groups = cycle.iter().all(|&node| node >= self.tree.drafts.len());
        let (name, span) = self.name_of(first);
        let mut diagnostic = if only_groups {
            let message = format!("the group `{name}` contains itself");
            error(code::CYCLIC_GROUP, span, message, "a member of itself")
        } else {
            let message = format!("the CODING of `{name}` contains itself");
            error(code::CYCLIC_INSTANCE, span, message, "part of itself")
        };
        for &node in rest {
            let (name, span) = self.name_of(node);
            diagnostic = diagnostic.secondary(span, format!("through `{name}`"));
        }
        self.diagnostics.push(diagnostic);
    }

    /// Takes a node of a circle out of it, so that no later stage meets one; needs all nodes in circles.
    pub(super) fn cut(&mut self, node: usize, circled: &BTreeSet<usize>) {
        let operations = self.tree.drafts.len();
        if let Some(draft) = self.tree.drafts.get_mut(node) {
            draft.scope.values.fill(AliasValue::Broken);
            break_fields(draft);
            return;
        }
        let in_circle = |target: &OperationOrGroup| {
            let node = match target {
                OperationOrGroup::Operation(id) => id.index(),
                OperationOrGroup::Group(id) => operations + id.index(),
            };
            circled.contains(&node)
        };
        self.tree.groups[node - operations].members.retain(|member| !in_circle(member));
    }
}
