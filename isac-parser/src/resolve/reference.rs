//! REFERENCE: what a name means in each operation that may decode or activate this one.
//!
//! A name is searched outwards. An operation between the one that refers and the one that has the
//! name gets an entry of its own, so that every step leads to the operation right above, and an
//! engine that knows which operation that is needs no search.

mod check;

use std::collections::{BTreeMap, BTreeSet};

use super::operation::{AliasValue, Draft, Meaning, OperationScope};
use crate::model::{
    Binding, Group, InstanceRole, OperationId, OperationOrGroup, Reference, ReferenceId, Referred, Type,
};
use crate::source::Span;

/// What a REFERENCE is worth where it is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReferenceValue {
    /// Type of its value.
    pub(crate) ty: Type,
    /// True if it can be assigned to in every parent.
    pub(crate) is_place: bool,
    /// What cannot be assigned to, where something cannot.
    pub(crate) no_place: Option<Span>,
    /// Width of its coded bits, if it is a coded alias in every parent.
    pub(crate) coded_bits: Option<u32>,
}

/// All references of a description, those of operations in between included.
#[derive(Default)]
pub(crate) struct References {
    entries: Vec<Entry>,
    index: BTreeMap<(usize, String), usize>,
    /// By operation: the entries in the order of their ids.
    by_operation: Vec<Vec<usize>>,
    /// By operation: those that may decode it, or activate it without its having been decoded, and
    /// whether one may decode it.
    parents: Vec<BTreeMap<usize, Way>>,
}

/// A name that an operation takes from those above it.
struct Entry {
    operation: usize,
    name: String,
    /// Where the operation's own REFERENCE names it; `None` in an operation in between.
    span: Option<Span>,
    /// What it is in each parent; nothing if there is no parent.
    bindings: Vec<(usize, Found)>,
}

/// What a parent has under a name.
#[derive(Clone, Copy)]
enum Found {
    /// An alias, field or LOCAL.
    Own(Meaning, Span),
    /// What it takes from its own parents in turn.
    Entry(usize),
}

/// How a parent brings an operation about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Decodes,
    Activates,
}

/// Something that has the name of a REFERENCE: its place, and what it is worth.
struct Base {
    span: Span,
    value: Option<ReferenceValue>,
}

impl References {
    /// Finds what every REFERENCE means in every parent.
    pub(crate) fn collect(drafts: &[Draft<'_>], groups: &[Group]) -> References {
        let mut references = References {
            by_operation: vec![Vec::new(); drafts.len()],
            parents: parents(drafts, groups),
            ..References::default()
        };
        for (operation, draft) in drafts.iter().enumerate() {
            for name in &draft.reference_names {
                references.enter(operation, &name.text, Some(name.span));
            }
        }
        let mut next = 0;
        while next < references.entries.len() {
            references.bind(next, drafts);
            next += 1;
        }
        references
    }

    fn enter(&mut self, operation: usize, name: &str, span: Option<Span>) -> usize {
        let entry = self.entries.len();
        let name = name.to_owned();
        self.index.insert((operation, name.clone()), entry);
        self.by_operation[operation].push(entry);
        self.entries.push(Entry { operation, name, span, bindings: Vec::new() });
        entry
    }

    /// Looks an entry's name up in the operations right above.
    fn bind(&mut self, entry: usize, drafts: &[Draft<'_>]) {
        let (operation, name) = (self.entries[entry].operation, self.entries[entry].name.clone());
        let parents: Vec<usize> = self.parents[operation].keys().copied().collect();
        for parent in parents {
            let found = match own_meaning(&drafts[parent], &name) {
                Some((Meaning::Reference(_), _)) | None => {
                    let known = self.index.get(&(parent, name.clone())).copied();
                    Found::Entry(known.unwrap_or_else(|| self.enter(parent, &name, None)))
                }
                Some((meaning, span)) => Found::Own(meaning, span),
            };
            self.entries[entry].bindings.push((parent, found));
        }
    }

    /// The operations whose values an operation's EXPRESSION needs through its references: those
    /// that the aliases stand for.
    pub(crate) fn needs(
        &self,
        operation: usize,
        mentioned: &BTreeSet<&str>,
        drafts: &[Draft<'_>],
    ) -> Vec<OperationOrGroup> {
        let mut needs = Vec::new();
        for entry in self.by_operation[operation].iter().copied() {
            if mentioned.contains(self.entries[entry].name.as_str()) {
                self.visit_owned(entry, &mut BTreeSet::new(), &mut |parent, meaning, _| {
                    if let Meaning::Instance(id) = meaning {
                        needs.push(drafts[parent].scope.instances[id.index()].target);
                    }
                });
            }
        }
        needs
    }

    /// Everything that each of an operation's references may stand for: what the operation that
    /// has it has under the name, and where.
    pub(crate) fn owned(&self, operation: usize) -> Vec<Vec<(usize, Meaning, Span)>> {
        let entries = self.by_operation[operation].iter();
        entries
            .map(|entry| {
                let mut owned = Vec::new();
                self.visit_owned(*entry, &mut BTreeSet::new(), &mut |parent, meaning, span| {
                    owned.push((parent, meaning, span));
                });
                owned
            })
            .collect()
    }

    fn visit_owned(
        &self,
        entry: usize,
        seen: &mut BTreeSet<usize>,
        visit: &mut impl FnMut(usize, Meaning, Span),
    ) {
        if !seen.insert(entry) {
            return;
        }
        for (parent, found) in &self.entries[entry].bindings {
            match found {
                Found::Own(meaning, span) => visit(*parent, *meaning, *span),
                Found::Entry(next) => self.visit_owned(*next, seen, visit),
            }
        }
    }

    /// What an operation's references are worth; `None` for one that cannot be told, or not yet.
    pub(crate) fn values(
        &self,
        operation: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Vec<Option<ReferenceValue>> {
        let entries = self.by_operation[operation].iter();
        entries.map(|entry| self.value(*entry, drafts, alias, &mut BTreeSet::new())).collect()
    }

    fn value(
        &self,
        entry: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
        seen: &mut BTreeSet<usize>,
    ) -> Option<ReferenceValue> {
        let mut bases = Vec::new();
        self.bases(entry, drafts, alias, seen, &mut bases);
        let mut values = bases.into_iter().map(|base| base.value);
        let first = values.next()??;
        values.try_fold(first, |joined, value| {
            let value = value.filter(|value| value.ty == joined.ty)?;
            let coded_bits = joined.coded_bits.filter(|bits| Some(*bits) == value.coded_bits);
            let (is_place, no_place) =
                (joined.is_place && value.is_place, joined.no_place.or(value.no_place));
            Some(ReferenceValue { is_place, no_place, coded_bits, ..joined })
        })
    }

    /// Everything that an entry may stand for.
    fn bases(
        &self,
        entry: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
        seen: &mut BTreeSet<usize>,
        bases: &mut Vec<Base>,
    ) {
        if !seen.insert(entry) {
            return;
        }
        for (parent, found) in &self.entries[entry].bindings {
            match found {
                Found::Own(meaning, span) => {
                    let value = own_value(*parent, &drafts[*parent].scope, (*meaning, *span), alias);
                    bases.push(Base { span: *span, value });
                }
                Found::Entry(next) => self.bases(*next, drafts, alias, seen, bases),
            }
        }
    }

    /// The references as the model has them, by operation.
    pub(crate) fn finish(
        &self,
        operation: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Vec<Reference> {
        let values = self.values(operation, drafts, alias);
        let entries = self.by_operation[operation].iter().zip(values);
        entries
            .map(|(entry, value)| {
                let entry = &self.entries[*entry];
                Reference {
                    name: entry.name.clone(),
                    span: entry.span,
                    ty: value.map(|value| value.ty),
                    is_place: value.is_some_and(|value| value.is_place),
                    bindings: entry
                        .bindings
                        .iter()
                        .filter_map(|(parent, found)| {
                            let parent_id = OperationId(u32::try_from(*parent).unwrap_or(u32::MAX));
                            Some(Binding { parent: parent_id, what: self.referred(*found)? })
                        })
                        .collect(),
                }
            })
            .collect()
    }

    fn referred(&self, found: Found) -> Option<Referred> {
        match found {
            Found::Own(Meaning::Field(id), _) => Some(Referred::Field(id)),
            Found::Own(Meaning::Instance(id), _) => Some(Referred::Instance(id)),
            Found::Own(Meaning::Variable(id), _) => Some(Referred::Variable(id)),
            Found::Own(Meaning::Reference(_) | Meaning::Broken, _) => None,
            Found::Entry(entry) => {
                let operation = self.entries[entry].operation;
                let position = self.by_operation[operation].iter().position(|other| *other == entry)?;
                Some(Referred::Reference(ReferenceId(u32::try_from(position).unwrap_or(u32::MAX))))
            }
        }
    }
}

/// What an operation itself has under a name.
fn own_meaning(draft: &Draft<'_>, name: &str) -> Option<(Meaning, Span)> {
    let own_alias = draft.own_aliases.get(name);
    draft.scope.names.get(name).copied().or_else(|| {
        let id = *own_alias?;
        Some((Meaning::Instance(id), draft.scope.instances[id.index()].span))
    })
}

fn own_value(
    parent: usize,
    scope: &OperationScope,
    (meaning, span): (Meaning, Span),
    alias: &dyn Fn(usize, usize) -> AliasValue,
) -> Option<ReferenceValue> {
    match meaning {
        Meaning::Field(id) => {
            let field = scope.fields.get(id.index())?;
            let ty = Type { width_bits: field.width_bits, signed: field.signed };
            Some(ReferenceValue { ty, is_place: false, no_place: Some(span), coded_bits: None })
        }
        Meaning::Variable(id) => {
            let ty = scope.variables.get(id.index())?.ty;
            Some(ReferenceValue { ty, is_place: true, no_place: None, coded_bits: None })
        }
        Meaning::Instance(id) => {
            let coded_bits = scope.coded_width(id);
            match alias(parent, id.index()) {
                AliasValue::Coded(ty) => {
                    Some(ReferenceValue { ty, is_place: false, no_place: Some(span), coded_bits })
                }
                AliasValue::Operand { ty, is_place, no_place } => {
                    Some(ReferenceValue { ty, is_place, no_place, coded_bits })
                }
                AliasValue::Decoded | AliasValue::NotCoded | AliasValue::Broken => None,
            }
        }
        Meaning::Reference(_) | Meaning::Broken => None,
    }
}

/// Who may decode each operation, or activate it without its having been decoded.
fn parents(drafts: &[Draft<'_>], groups: &[Group]) -> Vec<BTreeMap<usize, Way>> {
    let mut parents: Vec<BTreeMap<usize, Way>> = vec![BTreeMap::new(); drafts.len()];
    for (parent, draft) in drafts.iter().enumerate() {
        for instance in &draft.scope.instances {
            let way = match instance.role {
                InstanceRole::Coded | InstanceRole::Root => Way::Decodes,
                InstanceRole::Activated => Way::Activates,
                // What is decoded has what decoded it above it, whoever takes it from there.
                InstanceRole::Below | InstanceRole::Unused => continue,
            };
            for operation in members(instance.target, groups) {
                let entry = parents[operation].entry(parent).or_insert(way);
                if way == Way::Decodes {
                    *entry = way;
                }
            }
        }
    }
    parents
}

/// All operations that a target may turn out to be.
fn members(target: OperationOrGroup, groups: &[Group]) -> BTreeSet<usize> {
    let (mut found, mut walked, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![target]);
    while let Some(next) = waiting.pop() {
        match next {
            OperationOrGroup::Operation(id) => {
                found.insert(id.index());
            }
            OperationOrGroup::Group(id) => {
                if walked.insert(id) {
                    waiting.extend(&groups[id.index()].members);
                }
            }
        }
    }
    found
}
