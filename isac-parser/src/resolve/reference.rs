//! REFERENCE: what a name means in each operation that may decode or activate this one.
//!
//! A name is searched outwards. An operation between the one that refers and the one that has the
//! name gets an entry of its own, so that every step leads to the operation right above, and an
//! engine that knows which operation that is needs no search.

use std::collections::{BTreeMap, BTreeSet};

use super::code;
use super::operation::{AliasValue, Draft, Meaning, OperationScope};
use super::report::{error, help_if};
use super::suggestion::did_you_mean;
use super::typing::describe;
use crate::diagnostic::Diagnostic;
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
            Some(ReferenceValue { is_place: joined.is_place && value.is_place, coded_bits, ..joined })
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
                    let value = own_value(*parent, &drafts[*parent].scope, *meaning, alias);
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

    /// What is wrong with references: names that a parent lacks, that have no value there, or that differ in type.
    pub(crate) fn check(
        &self,
        drafts: &[Draft<'_>],
        starts: &[usize],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let Some(span) = entry.span else { continue };
            let check = EntryCheck { references: self, drafts, starts, entry, span };
            if let Some(missing) = check.missing(index) {
                diagnostics.push(check.lacks(&missing));
                continue;
            }
            let mut bases = Vec::new();
            self.bases(index, drafts, alias, &mut BTreeSet::new(), &mut bases);
            diagnostics.extend(check.without_value(index, alias));
            let mut typed = bases.iter().filter_map(|base| Some((base.span, base.value?.ty)));
            if let Some((first, ty)) = typed.next()
                && let Some((other, other_ty)) = typed.find(|(_, other)| *other != ty)
            {
                diagnostics.push(check.differs((first, ty), (other, other_ty)));
            }
        }
        diagnostics
    }
}

/// What is to be said of one REFERENCE.
struct EntryCheck<'a> {
    references: &'a References,
    drafts: &'a [Draft<'a>],
    /// `main` and `reset`, which nothing has to decode or activate.
    starts: &'a [usize],
    entry: &'a Entry,
    span: Span,
}

impl EntryCheck<'_> {
    /// The operations along which a name is searched in vain, innermost first, if there are some.
    fn missing(&self, index: usize) -> Option<Vec<usize>> {
        let mut seen = BTreeSet::from([index]);
        let mut path = Vec::new();
        self.search(index, &mut seen, &mut path).then_some(path)
    }

    fn search(&self, index: usize, seen: &mut BTreeSet<usize>, path: &mut Vec<usize>) -> bool {
        let entry = &self.references.entries[index];
        path.push(entry.operation);
        // An operation that is only begun, or an unused one in between, has nothing above it.
        let is_start = self.starts.contains(&entry.operation);
        if is_start || entry.bindings.is_empty() && entry.span.is_none() {
            return true;
        }
        for (_, found) in &entry.bindings {
            if let Found::Entry(next) = found
                // The parent's own REFERENCE is answered there.
                && self.references.entries[*next].span.is_none()
                && seen.insert(*next)
                && self.search(*next, seen, path)
            {
                return true;
            }
        }
        path.pop();
        false
    }

    fn lacks(&self, missing: &[usize]) -> Diagnostic {
        let (name, text) = (&self.entry.name, |index: usize| &self.drafts[index].ast.name.text);
        let operation = text(self.entry.operation);
        // The name is looked for in vain from where some operations have it and others do not.
        let steps = 0..missing.len().saturating_sub(1);
        let step = steps.into_iter().find(|step| self.owner_beside(missing[*step]).is_some()).unwrap_or(0);
        let Some(parent) = missing.get(step + 1).copied() else {
            let message = format!("nothing above `{operation}` can have `{name}`");
            let label = "searched in what decodes or activates this operation";
            return error(code::LACKING_PARENT, self.span, message, label)
                .secondary(self.drafts[self.entry.operation].ast.name.span, "begins by itself")
                .help("take the name out of the REFERENCE");
        };
        let message = match step {
            0 => {
                let way = match self.references.parents[self.entry.operation].get(&parent) {
                    Some(Way::Activates) => "activates",
                    _ => "decodes",
                };
                format!("`{}`, which {way} `{operation}`, has no `{name}`", text(parent))
            }
            _ => format!("`{}`, above `{operation}`, has no `{name}`", text(parent)),
        };
        let label = "has to be in every operation that decodes or activates this one";
        let mut diagnostic = error(code::LACKING_PARENT, self.span, message, label);
        let label = match missing.len() - step {
            2 => format!("lacks `{name}`"),
            _ => format!("lacks `{name}`, as does what is above it"),
        };
        diagnostic = diagnostic.secondary(self.drafts[parent].ast.name.span, label);
        if let Some((other, span)) = self.owner_beside(missing[step]) {
            diagnostic = diagnostic.secondary(span, format!("`{}` has it", text(other)));
        }
        let known = self.drafts[parent].scope.names.keys().map(String::as_str);
        let help = format!("give `{}` a field, alias or LOCAL of this name", text(parent));
        help_if(diagnostic.help(help), did_you_mean(name, known))
    }

    /// An operation right above another that has the name itself.
    fn owner_beside(&self, operation: usize) -> Option<(usize, Span)> {
        let entry = *self.references.index.get(&(operation, self.entry.name.clone()))?;
        let bindings = &self.references.entries[entry].bindings;
        bindings.iter().find_map(|(parent, found)| match found {
            Found::Own(_, span) => Some((*parent, *span)),
            Found::Entry(_) => None,
        })
    }

    /// Aliases that have no value in their operation.
    fn without_value(&self, index: usize, alias: &dyn Fn(usize, usize) -> AliasValue) -> Option<Diagnostic> {
        let mut found = None;
        self.references.visit_owned(index, &mut BTreeSet::new(), &mut |parent, meaning, _| {
            if let Meaning::Instance(id) = meaning
                && matches!(alias(parent, id.index()), AliasValue::NotCoded | AliasValue::Decoded)
            {
                found = found.or(Some((parent, id, alias(parent, id.index()))));
            }
        });
        let (parent, id, value) = found?;
        let draft = &self.drafts[parent];
        let message = format!("the alias `{}` has no value in `{}`", self.entry.name, draft.ast.name.text);
        let label = match value {
            AliasValue::Decoded => "its members differ in width",
            _ => "is not part of that operation's CODING or CODINGROOT",
        };
        let diagnostic = error(code::NO_VALUE, self.span, message, label)
            .secondary(draft.scope.instances[id.index()].span, "the alias")
            .help("refer to a field, a LOCAL, or an alias of one width that is decoded there");
        Some(diagnostic)
    }

    fn differs(&self, first: (Span, Type), second: (Span, Type)) -> Diagnostic {
        let name = &self.entry.name;
        let operation = &self.drafts[self.entry.operation].ast.name.text;
        let message = format!("`{name}` has several types above `{operation}`");
        let label = "has to have one type in every operation that decodes or activates this one";
        error(code::REFERENCE_TYPES, self.span, message, label)
            .secondary(first.0, format!("{} here", describe(first.1)))
            .secondary(second.0, format!("{} here", describe(second.1)))
            .help("give it the same width and sign everywhere, or another name")
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
    meaning: Meaning,
    alias: &dyn Fn(usize, usize) -> AliasValue,
) -> Option<ReferenceValue> {
    match meaning {
        Meaning::Field(id) => {
            let field = scope.fields.get(id.index())?;
            let ty = Type { width_bits: field.width_bits, signed: field.signed };
            Some(ReferenceValue { ty, is_place: false, coded_bits: None })
        }
        Meaning::Variable(id) => {
            let ty = scope.variables.get(id.index())?.ty;
            Some(ReferenceValue { ty, is_place: true, coded_bits: None })
        }
        Meaning::Instance(id) => {
            let coded_bits = scope.coded_width(id);
            match alias(parent, id.index()) {
                AliasValue::Coded(ty) => Some(ReferenceValue { ty, is_place: false, coded_bits }),
                AliasValue::Operand { ty, is_place, .. } => Some(ReferenceValue { ty, is_place, coded_bits }),
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
