//! What is wrong with REFERENCEs: names that a parent lacks, that have no value there, or that differ
//! in type.

use std::collections::BTreeSet;

use super::parent::Way;
use super::{Entry, Found, MOST_STEPS, References, owned_value};
use crate::diagnostic::Diagnostic;
use crate::model::Type;
use crate::resolve::code;
use crate::resolve::operation::{AliasValue, Draft, Meaning};
use crate::resolve::report::{error, help_if};
use crate::resolve::suggestion::did_you_mean;
use crate::resolve::typing::describe;
use crate::source::Span;

impl References {
    /// What is wrong with references.
    pub(crate) fn check(
        &self,
        drafts: &[Draft<'_>],
        starts: &[usize],
        alias: &dyn Fn(usize, usize) -> AliasValue,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if let Some((name, span)) = &self.refused {
            diagnostics.push(leads_too_far(name, *span));
            return diagnostics;
        }
        let mut search = Search::default();
        for (index, entry) in self.entries.iter().enumerate() {
            let Some(span) = entry.span else { continue };
            let check = EntryCheck { references: self, drafts, starts, entry, span };
            if let Some(missing) = check.missing(index, &mut search) {
                diagnostics.push(check.lacks(&missing));
                if search.steps > MOST_STEPS {
                    // So many of the same say enough.
                    break;
                }
                continue;
            }
            diagnostics.extend(check.without_value(index, alias));
            let owned = self.owned[index].iter();
            let mut typed = owned.filter_map(|owned| Some((owned.2, owned_value(*owned, drafts, alias)?.ty)));
            if let Some((first, ty)) = typed.next()
                && let Some((other, other_ty)) = typed.find(|(_, other)| *other != ty)
            {
                diagnostics.push(check.differs((first, ty), (other, other_ty)));
            }
        }
        diagnostics
    }
}

fn leads_too_far(name: &str, span: Span) -> Diagnostic {
    let message = format!("the REFERENCEs to `{name}` lead through too many operations");
    let label = format!("all REFERENCEs together take more than {MOST_STEPS} steps");
    error(code::TOO_DEEP, span, message, label)
        .help("refer to what stands in an operation nearer by, or keep it in a register")
}

/// What the searches of all REFERENCEs have in common.
#[derive(Default)]
struct Search {
    /// Entries in between above which nothing lacks the name.
    sound: BTreeSet<usize>,
    /// Entries that were looked at.
    steps: usize,
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
    fn missing(&self, index: usize, search: &mut Search) -> Option<Vec<usize>> {
        let entries = &self.references.entries;
        let mut seen = BTreeSet::from([index]);
        // Each with the number of its bindings that were followed.
        let mut path = vec![(index, 0)];
        while let Some((at, taken)) = path.last_mut() {
            let entry = &entries[*at];
            // An operation that is only begun, or an unused one in between, has nothing above it.
            let is_start = self.starts.contains(&entry.operation);
            if is_start || entry.bindings.is_empty() && entry.span.is_none() {
                return Some(path.iter().map(|(entry, _)| entries[*entry].operation).collect());
            }
            let Some((_, found)) = entry.bindings.get(*taken) else {
                path.pop();
                continue;
            };
            *taken += 1;
            if let Found::Entry(next) = *found
                // The parent's own REFERENCE is answered there.
                && entries[next].span.is_none()
                && !search.sound.contains(&next)
                && seen.insert(next)
            {
                search.steps += 1;
                path.push((next, 0));
            }
        }
        search.sound.append(&mut seen);
        None
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
                let way = match self.references.parents.way(self.entry.operation, parent) {
                    Some(Way::Activates) => "activates",
                    _ => "decodes",
                };
                format!("`{}`, which {way} `{operation}`, has no `{name}`", text(parent))
            }
            _ => format!("`{}`, above `{operation}`, has no `{name}`", text(parent)),
        };
        let label = "has to be in every operation that decodes or activates this one";
        // All that refer to it lack it for the same reason.
        let mut diagnostic = error(code::LACKING_PARENT, self.span, message, label)
            .cause(format!("{name} of {}", text(parent)));
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
        for (parent, meaning, _) in self.references.owned[index].iter().copied() {
            if let Meaning::Instance(id) = meaning
                && self.drafts[parent].scope.value(id) != AliasValue::Broken
                && matches!(alias(parent, id.index()), AliasValue::NotCoded | AliasValue::Decoded)
            {
                found = found.or(Some((parent, id, alias(parent, id.index()))));
            }
        }
        let (parent, id, value) = found?;
        let draft = &self.drafts[parent];
        let message = format!("the alias `{}` has no value in `{}`", self.entry.name, draft.ast.name.text);
        let label = match value {
            AliasValue::Decoded => "its members differ in width",
            _ => "is not part of that operation's CODING or CODINGROOT",
        };
        let diagnostic = error(code::NO_VALUE, self.span, message, label)
            .secondary(draft.scope.instances[id.index()].span, "the alias")
            .help("refer to a field, a LOCAL, or an alias of one width that is decoded there")
            .cause(format!("{} of {}", self.entry.name, draft.ast.name.text));
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
