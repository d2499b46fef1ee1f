//! REFERENCE: what a name means in each operation that may decode or activate this one.
//!
//! A name is searched outwards. An operation between the one that refers and the one that has the
//! name gets an entry of its own, so that every step leads to the operation right above, and an
//! engine that knows which operation that is needs no search.

mod check;
mod parent;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) use parent::Parents;

use super::operation::{AliasValue, Draft, Meaning};
use super::order::dependency_order;
use crate::model::{Binding, Group, OperationId, OperationOrGroup, Reference, ReferenceId, Referred, Type};
use crate::source::Span;

/// Most entries, what they are in each parent, and what these have in the end, counted together, long
/// names more than once. The largest instruction sets have a third of it.
const MOST_STEPS: usize = 1_000_000;

/// A name counts once more for each so many bytes.
const LONG_NAME: usize = 64;

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
    index: BTreeMap<(usize, Rc<str>), usize>,
    /// By operation: the entries in the order of their ids.
    by_operation: Vec<Vec<usize>>,
    parents: Parents,
    /// By entry: all that it may stand for in the end.
    owned: Vec<Vec<Owned>>,
    /// The REFERENCE that leads through too many operations; then none has a meaning.
    refused: Option<(String, Span)>,
}

/// What an operation has under the name of a REFERENCE, and where.
type Owned = (usize, Meaning, Span);

/// A name that an operation takes from those above it.
struct Entry {
    operation: usize,
    /// Which of its operation's entries it is.
    position: usize,
    name: Rc<str>,
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

impl References {
    /// Finds what every REFERENCE means in every parent.
    pub(crate) fn collect(drafts: &[Draft<'_>], groups: &[Group]) -> References {
        let mut references = References {
            by_operation: vec![Vec::new(); drafts.len()],
            parents: Parents::new(drafts, groups),
            ..References::default()
        };
        for (operation, draft) in drafts.iter().enumerate() {
            for name in &draft.reference_names {
                references.enter(operation, &Rc::from(name.text.as_str()), Some(name.span));
            }
        }
        let written = references.entries.len();
        if let Err(entry) = references.bind_all(drafts).and_then(|()| references.find_owned()) {
            references.refuse(entry, written);
        }
        references
    }

    /// Binds all entries, those included that this makes; an entry at which they are too many.
    fn bind_all(&mut self, drafts: &[Draft<'_>]) -> Result<(), usize> {
        let (mut next, mut steps) = (0, 0);
        while next < self.entries.len() {
            self.bind(next, drafts);
            let Entry { bindings, name, .. } = &self.entries[next];
            // The model has the name in every entry, and each binding compares it with others.
            steps += (1 + bindings.len()) * (1 + name.len() / LONG_NAME);
            if steps.max(self.parents.steps) > MOST_STEPS {
                return Err(next);
            }
            next += 1;
        }
        Ok(())
    }

    /// Finds what all entries stand for in the end: those above first, those in a circle together.
    fn find_owned(&mut self) -> Result<(), usize> {
        let above = |entry: &Entry| {
            let above = entry.bindings.iter().filter_map(|(_, found)| match found {
                Found::Entry(next) => Some(*next),
                Found::Own(..) => None,
            });
            above.collect()
        };
        let needs: Vec<Vec<usize>> = self.entries.iter().map(above).collect();
        self.owned = vec![Vec::new(); self.entries.len()];
        let mut steps = 0;
        for component in dependency_order(&needs).components {
            let (mut all, mut seen): (Vec<Owned>, BTreeSet<usize>) = Default::default();
            for entry in &component {
                for (parent, found) in &self.entries[*entry].bindings {
                    let direct = match found {
                        Found::Own(meaning, span) => Some((*parent, *meaning, *span)),
                        Found::Entry(_) => None,
                    };
                    let above = match found {
                        Found::Entry(next) => self.owned[*next].as_slice(),
                        Found::Own(..) => &[],
                    };
                    steps += above.len();
                    all.extend(direct.iter().chain(above).filter(|(parent, ..)| seen.insert(*parent)));
                    if steps > MOST_STEPS {
                        return Err(*entry);
                    }
                }
            }
            steps += all.len() * component.len();
            if steps > MOST_STEPS {
                return Err(component[0]);
            }
            for entry in component {
                self.owned[entry] = all.clone();
            }
        }
        Ok(())
    }

    /// Takes all REFERENCEs their meaning, because those of an entry's name lead too far.
    fn refuse(&mut self, entry: usize, written: usize) {
        let name = self.entries[entry].name.clone();
        self.entries.truncate(written);
        self.index.retain(|_, entry| *entry < written);
        self.by_operation.iter_mut().for_each(|entries| entries.retain(|entry| *entry < written));
        self.entries.iter_mut().for_each(|entry| entry.bindings.clear());
        self.owned = vec![Vec::new(); written];
        let span = self.entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.span);
        self.refused = span.map(|span| (name.to_string(), span));
    }

    /// What is known of who may decode or activate whom.
    pub(crate) fn into_parents(self) -> Parents {
        self.parents
    }

    fn enter(&mut self, operation: usize, name: &Rc<str>, span: Option<Span>) -> usize {
        let entry = self.entries.len();
        let (name, position) = (Rc::clone(name), self.by_operation[operation].len());
        self.index.insert((operation, Rc::clone(&name)), entry);
        self.by_operation[operation].push(entry);
        self.entries.push(Entry { operation, position, name, span, bindings: Vec::new() });
        entry
    }

    /// Looks an entry's name up in the operations right above.
    fn bind(&mut self, entry: usize, drafts: &[Draft<'_>]) {
        let (operation, name) = (self.entries[entry].operation, Rc::clone(&self.entries[entry].name));
        let parents: Vec<usize> = self.parents.of(operation).keys().copied().collect();
        for parent in parents {
            let found = match own_meaning(&drafts[parent], &name) {
                Some((Meaning::Reference(_), _)) | None => {
                    let known = self.index.get(&(parent, Rc::clone(&name))).copied();
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
            if mentioned.contains(&*self.entries[entry].name) {
                for (parent, meaning, _) in &self.owned[entry] {
                    if let Meaning::Instance(id) = meaning {
                        needs.push(drafts[*parent].scope.instances[id.index()].target);
                    }
                }
            }
        }
        needs
    }

    /// Everything that each of an operation's references may stand for: what the operation that
    /// has it has under the name, and where.
    pub(crate) fn owned(&self, operation: usize) -> Vec<&[Owned]> {
        self.by_operation[operation].iter().map(|entry| self.owned[*entry].as_slice()).collect()
    }

    /// What an operation's references are worth; `None` for one that cannot be told, or not yet.
    pub(crate) fn values(
        &self,
        operation: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Vec<Option<ReferenceValue>> {
        let entries = self.by_operation[operation].iter();
        entries.map(|entry| self.value(*entry, drafts, alias)).collect()
    }

    fn value(
        &self,
        entry: usize,
        drafts: &[Draft<'_>],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Option<ReferenceValue> {
        let mut values = self.owned[entry].iter().map(|owned| owned_value(*owned, drafts, alias));
        let first = values.next()??;
        values.try_fold(first, |joined, value| {
            let value = value.filter(|value| value.ty == joined.ty)?;
            let coded_bits = joined.coded_bits.filter(|bits| Some(*bits) == value.coded_bits);
            let (is_place, no_place) =
                (joined.is_place && value.is_place, joined.no_place.or(value.no_place));
            Some(ReferenceValue { is_place, no_place, coded_bits, ..joined })
        })
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
                    name: entry.name.to_string(),
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
                let position = self.entries[entry].position;
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

/// What is worth what an operation has under the name of a REFERENCE.
fn owned_value(
    (parent, meaning, span): Owned,
    drafts: &[Draft<'_>],
    alias: &dyn Fn(usize, usize) -> AliasValue,
) -> Option<ReferenceValue> {
    let scope = &drafts[parent].scope;
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
