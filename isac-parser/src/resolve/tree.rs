//! Groups and operations from the leaves up: widths, types and EXPRESSIONs need those below.

mod below;
mod cycle;
mod depth;
pub(crate) mod inner_name;
mod instance;
mod width;

use std::collections::{BTreeMap, BTreeSet};

use super::assembler::check_mentioned_aliases;
use super::code;
use super::coding::resolve_coding;
use super::collect::Definitions;
use super::names::Table;
use super::operation::{AliasValue, Draft, OperationScope};
use super::operation_value::{set_signs, set_values};
use super::order::{Order, dependency_order};
use super::reference::{Parents, References};
use super::report::error;
use super::section::sort_sections;
use super::shape::{Shape, UNKNOWN, Width, join};
use super::typing::{Typer, bits};
use super::when::{resolve_when, with_copies};
use crate::ast::{self, CodingItem};
use crate::diagnostic::Diagnostics;
use crate::model::{
    ExprKind, Group, GroupId, Instance, InstanceRole, OperationOrGroup, Place, PlaceKind, Reference,
};
use crate::source::Span;

/// The operations and groups of a description.
pub(crate) struct Tree<'a> {
    /// By operation id.
    pub(crate) drafts: Vec<Draft<'a>>,
    /// By group id.
    pub(crate) groups: Vec<Group>,
    /// By operation id.
    pub(crate) references: Vec<Vec<Reference>>,
    /// Who may decode or activate whom.
    parents: Parents,
}

/// Resolves groups, and the CODING and EXPRESSION of operations.
pub(crate) fn resolve_tree<'a>(
    definitions: &Definitions<'a>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Tree<'a> {
    let groups = definitions.groups.iter().map(|group| resolve_group(group, table, diagnostics));
    let groups = groups.collect();
    let drafts = definitions.operations.iter().enumerate().map(|(index, operation)| {
        let sections = sort_sections(operation, diagnostics);
        let mut draft = Draft::new(operation, sections, table, diagnostics);
        draft.scope.index = index;
        draft
    });
    let drafts: Vec<Draft<'_>> = drafts.collect();
    let tree = Tree { drafts, groups, references: Vec::new(), parents: Parents::default() };
    let shapes = vec![UNKNOWN; tree.drafts.len() + tree.groups.len()];
    let mut builder = Builder {
        first_members: (0..tree.drafts.len()).map(Some).chain(tree.groups.iter().map(|_| None)).collect(),
        shapes,
        table,
        diagnostics,
        reported_groups: BTreeMap::new(),
        cut: BTreeSet::new(),
        references: References::default(),
        tree,
    };
    builder.build();
    Tree { parents: builder.references.into_parents(), ..builder.tree }
}

fn resolve_group(group: &ast::Group, table: &Table, diagnostics: &mut Diagnostics) -> Group {
    let mut members: Vec<OperationOrGroup> = Vec::new();
    let mut mentions: BTreeMap<OperationOrGroup, Span> = BTreeMap::new();
    for name in &group.members {
        let Some(member) = table.names.operation(name, diagnostics) else {
            continue;
        };
        if let Some(first) = mentions.get(&member) {
            let message = format!("`{}` is twice a member of `{}`", name.text, group.name.text);
            let diagnostic = error(code::DOUBLE_MEMBER, name.span, message, "again here");
            diagnostics.push(diagnostic.secondary(*first, "first here"));
            continue;
        }
        mentions.insert(member, name.span);
        members.push(member);
    }
    Group { name: group.name.text.clone(), span: group.name.span, members, width_bits: None }
}

/// What an alias that a CODINGROOT decodes is worth.
fn root_value(shape: Shape) -> AliasValue {
    match (shape.width, shape.value, shape.has_expression) {
        (Width::Broken | Width::Uncoded, ..) | (_, None, _) => AliasValue::Broken,
        (_, Some(ty), true) => AliasValue::Operand { ty, is_place: shape.is_place, no_place: shape.no_place },
        (Width::Differs, _, false) => AliasValue::Decoded,
        (Width::Bits(_), Some(ty), false) => AliasValue::Coded(ty),
    }
}

struct Builder<'a, 'd> {
    tree: Tree<'a>,
    /// Operations first, then groups.
    shapes: Vec<Shape>,
    /// The first operation that each node may turn out to be; nodes as in `shapes`.
    first_members: Vec<Option<usize>>,
    table: &'d Table,
    diagnostics: &'d mut Diagnostics,
    /// Groups of differing widths that were reported.
    reported_groups: BTreeMap<GroupId, ()>,
    /// Nodes that were taken out of circles, or nest too deep: they have no value.
    cut: BTreeSet<usize>,
    references: References,
}

impl<'a> Builder<'a, '_> {
    fn build(&mut self) {
        let Order { sorted, cycles, circular: in_circle, .. } = dependency_order(&self.needs());
        for cycle in &cycles {
            self.report_cycle(cycle);
        }
        let operations = self.tree.drafts.len();
        for node in sorted {
            if in_circle.contains(&node) {
                self.cut.insert(node);
                self.cut(node, &in_circle);
            } else if node < operations {
                self.coding(node);
            } else {
                self.group(node - operations);
            }
        }
        self.find_taken();
        self.share_choices();
        self.references = References::collect(&self.tree.drafts, &self.tree.groups);
        self.widen_roots();
        self.build_values();
        self.finish_instances();
        self.finish_references();
    }

    /// Gives what CODINGROOTs decode its width: an EXPRESSION may mention its coded bits.
    fn widen_roots(&mut self) {
        for index in 0..self.tree.drafts.len() {
            for instance in 0..self.tree.drafts[index].scope.instances.len() {
                let Instance { role, target, .. } = self.tree.drafts[index].scope.instances[instance];
                if let (InstanceRole::Root, Width::Bits(width)) = (role, self.shapes[self.node(target)].width)
                {
                    self.tree.drafts[index].scope.instances[instance].width_bits = Some(width);
                }
            }
        }
    }

    /// Gives values their types, from the leaves up: a second walk, because what a REFERENCE means
    /// stands above.
    fn build_values(&mut self) {
        let Order { sorted, cycles, circular: in_circle, .. } = dependency_order(&self.value_needs());
        let operations = self.tree.drafts.len();
        for node in sorted {
            if self.cut.contains(&node) {
                continue;
            }
            if node >= operations {
                self.group_value(node - operations);
                continue;
            }
            self.value(node, !in_circle.contains(&node));
        }
        for cycle in &cycles {
            self.report_value_cycle(cycle);
        }
    }

    /// Reports references without a meaning, and gives the others to the model.
    fn finish_references(&mut self) {
        let starts: Vec<usize> = ["main", "reset"]
            .into_iter()
            .filter_map(|name| match self.table.names.operations.get(name)?.what {
                OperationOrGroup::Operation(id) => Some(id.index()),
                OperationOrGroup::Group(_) => None,
            })
            .collect();
        let drafts = &self.tree.drafts;
        let alias = |operation: usize, instance: usize| self.alias_value(operation, instance);
        let findings = self.references.check(drafts, &starts, &alias);
        let finished = (0..drafts.len()).map(|index| self.references.finish(index, drafts, &alias));
        let values = (0..drafts.len()).map(|index| self.references.values(index, drafts, &alias));
        let (finished, values): (Vec<_>, Vec<_>) = (finished.collect(), values.collect());
        self.diagnostics.extend(findings);
        let choices: Vec<_> = (0..drafts.len()).map(|index| self.referred_choices(index)).collect();
        self.tree.references = finished;
        for (draft, (values, choices)) in self.tree.drafts.iter_mut().zip(values.into_iter().zip(choices)) {
            draft.scope.references = values;
            draft.scope.referred_choices = choices;
        }
    }

    fn node(&self, target: OperationOrGroup) -> usize {
        match target {
            OperationOrGroup::Operation(id) => id.index(),
            OperationOrGroup::Group(id) => self.tree.drafts.len() + id.index(),
        }
    }

    /// Resolves an operation's CODING.
    fn coding(&mut self, index: usize) {
        let depth = self.take_children(index);
        let first_members = self.first_of_instances(index);
        let (table, draft) = (self.table, &mut self.tree.drafts[index]);
        let is_sound = resolve_coding(draft, &first_members, table, self.diagnostics);
        set_signs(draft);
        draft.when = resolve_when(draft, table, self.diagnostics);
        draft.is_exact = is_sound && (draft.when.is_some() || draft.sections.when.is_none());
        let when = draft.when.take();
        draft.when = with_copies(draft, when);
        let mut shape = Shape { depth, ..UNKNOWN };
        shape.width = match (&draft.coding, draft.sections.coding) {
            (Some(bits), _) => u32::try_from(bits.len()).map_or(Width::Broken, Width::Bits),
            (None, Some(_)) => Width::Broken,
            (None, None) => Width::Uncoded,
        };
        self.shapes[index] = match self.is_too_deep(index, depth) {
            true => self.refuse_depth(index, depth),
            false => shape,
        };
    }

    /// Gives an operation's aliases and its EXPRESSION their types; `is_typed` is false in a circle
    /// of values.
    fn value(&mut self, index: usize, is_typed: bool) {
        let references = {
            let alias = |operation: usize, instance: usize| self.alias_value(operation, instance);
            self.references.values(index, &self.tree.drafts, &alias)
        };
        for instance in 0..self.tree.drafts[index].scope.instances.len() {
            if self.tree.drafts[index].scope.instances[instance].role == InstanceRole::Coded {
                self.tree.drafts[index].scope.values[instance] = self.alias_value(index, instance);
            }
        }
        let referred_choices = self.referred_choices(index);
        let (table, draft) = (self.table, &mut self.tree.drafts[index]);
        draft.scope.references = references;
        draft.scope.referred_choices = referred_choices;
        if draft.coding.is_none() && draft.sections.coding.is_some() {
            // Whatever depends on the width of a part of it would be wrong.
            for value in &mut draft.scope.values {
                if *value == AliasValue::NotCoded {
                    *value = AliasValue::Broken;
                }
            }
        }
        set_values(draft);
        check_mentioned_aliases(draft, self.diagnostics);
        let mut shape = self.shapes[index];
        if let Some(section) = draft.sections.expression {
            shape.has_expression = true;
            if is_typed {
                let typer = Typer::new(table, Some(&draft.scope), self.diagnostics);
                draft.expression = typer.meaning(section);
            }
            if let Some(expression) = &draft.expression {
                shape.value = expression.ty;
                shape.is_place = match &expression.kind {
                    ExprKind::Read(place) => is_assignable(place, &draft.scope),
                    _ => false,
                };
                shape.no_place = (!shape.is_place).then_some(expression.span);
            }
        } else if let Width::Bits(width) = shape.width {
            shape.value = Some(bits(width));
            shape.no_place = Some(draft.ast.name.span);
        }
        if !draft.is_exact {
            // The set of words is not what CODING says.
            draft.coding = None;
        }
        self.shapes[index] = shape;
    }

    /// Gives an operation's instances the widths of their targets; its depth.
    fn take_children(&mut self, index: usize) -> usize {
        let coded = self.coded_instances(index);
        let mut depth = 0;
        for (instance, mention) in coded {
            let target = self.tree.drafts[index].scope.instances[instance].target;
            let node = self.node(target);
            let shape = self.shapes[node];
            depth = depth.max(shape.depth + 1);
            let width = self.needed_width(target, shape.width, mention);
            let scope = &mut self.tree.drafts[index].scope;
            scope.instances[instance].width_bits = width;
        }
        depth
    }

    /// By instance: the name of the first operation that it may choose.
    fn first_of_instances(&self, index: usize) -> Vec<Option<&'a ast::Name>> {
        let instances = self.tree.drafts[index].scope.instances.iter();
        let first = instances.map(|instance| self.first_members[self.node(instance.target)]);
        first.map(|first| first.map(|first| &self.tree.drafts[first].ast.name)).collect()
    }

    /// The instances that CODING and TAIL name, each with its first mention.
    fn coded_instances(&self, index: usize) -> BTreeMap<usize, Span> {
        let draft = &self.tree.drafts[index];
        let items = draft.sections.coding_items();
        let mut coded = BTreeMap::new();
        for item in items {
            if let CodingItem::Name { name, span, .. } = item
                && let Some(id) = draft.scope.alias(&name.text)
            {
                coded.entry(id.index()).or_insert(*span);
            }
        }
        coded
    }

    fn group(&mut self, index: usize) {
        let group = &self.tree.groups[index];
        let shapes = group.members.iter().map(|member| self.shapes[self.node(*member)]);
        let shape = shapes.reduce(join).unwrap_or(UNKNOWN);
        let node = self.tree.drafts.len() + index;
        let depth = shape.depth + 1;
        let mut members = group.members.iter();
        self.first_members[node] = members.find_map(|member| self.first_members[self.node(*member)]);
        if self.is_too_deep(node, depth) {
            self.shapes[node] = self.refuse_depth(node, depth);
            return;
        }
        self.shapes[node] = Shape { depth, ..shape };
        if let Width::Bits(width) = shape.width {
            self.tree.groups[index].width_bits = Some(width);
        }
    }

    /// Gives a group the value that its members have in common.
    fn group_value(&mut self, index: usize) {
        let members = self.tree.groups[index].members.iter();
        let shapes = members.map(|member| self.shapes[self.node(*member)]);
        let joined = shapes.reduce(join).unwrap_or(UNKNOWN);
        let node = self.tree.drafts.len() + index;
        let Shape { value, is_place, no_place, has_expression, .. } = joined;
        self.shapes[node] = Shape { value, is_place, no_place, has_expression, ..self.shapes[node] };
    }
}

/// True for what the operation itself decodes.
fn is_decoded(role: InstanceRole) -> bool {
    matches!(role, InstanceRole::Coded | InstanceRole::Root)
}

/// True if everything that a place may be can be assigned to.
fn is_assignable(place: &Place, scope: &OperationScope) -> bool {
    match &place.kind {
        PlaceKind::Local(_)
        | PlaceKind::Variable(_)
        | PlaceKind::Register { .. }
        | PlaceKind::Written { .. } => true,
        PlaceKind::Memory { fetch, .. } => !fetch,
        PlaceKind::Operand(instance) => {
            matches!(scope.value(*instance), AliasValue::Operand { is_place: true, .. })
        }
        PlaceKind::Reference(reference) => {
            let value = scope.references.get(reference.index()).copied().flatten();
            value.is_some_and(|value| value.is_place)
        }
        PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => is_assignable(base, scope),
        PlaceKind::Concat(parts) => parts.iter().all(|part| is_assignable(part, scope)),
        PlaceKind::Conditional(_, then, otherwise) => {
            is_assignable(then, scope) && is_assignable(otherwise, scope)
        }
    }
}
