//! How large and how deep a text is with everything that it mentions in its place.
//!
//! A FUNCTION stands for its text at each call, an operand for its EXPRESSION at each mention, a
//! RANGE for its FUNCTIONs. Where each of forty texts mentions the next one twice, the first stands
//! for 2^40 of the last. So size and depth are found here, each text once and in numbers alone,
//! before anyone writes the texts out or runs them.

mod reader;

use std::collections::BTreeSet;

use reader::Reader;

use crate::diagnostic::Diagnostics;
use crate::model::{FunctionId, MapId, Model, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;
use crate::source::Span;

/// Most expressions and places of one text.
const MOST_IN_ONE: u64 = 100_000;

/// Most of all operations together.
const MOST_IN_ALL: u64 = 1_000_000;

/// How deep a text may nest; what works on it recursively relies on that.
const MOST_DEEP: usize = 1_000;

/// Reports texts that are too large or too deep with all that they mention.
pub(super) fn check_expansions(model: &Model, diagnostics: &mut Diagnostics) {
    let texts = Texts { model };
    let entries: Vec<Entry> = texts.names().map(|name| texts.entry(name)).collect();
    let needs: Vec<Vec<usize>> = entries
        .iter()
        .map(|entry| {
            let needed: BTreeSet<usize> =
                entry.mentions.iter().map(|mention| texts.index(mention.of)).collect();
            needed.into_iter().collect()
        })
        .collect();
    // What closes a circle counts as nothing: a circle that is real is an error of its own.
    let order = dependency_order(&needs);
    let mut extents = vec![Extent::default(); entries.len()];
    // Nothing is said of what mentions a text that is refused.
    let mut is_refused = vec![false; entries.len()];
    for index in order.sorted {
        extents[index] = texts.extent(&entries[index], &extents);
        is_refused[index] = needs[index].iter().any(|needed| is_refused[*needed])
            || !texts.check(&entries[index], extents[index], &extents, diagnostics);
    }
    if !is_refused.contains(&true) {
        texts.check_sum(&entries, &extents, diagnostics);
    }
}

/// Size and depth of a text.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    /// Expressions and places.
    size: u64,
    /// The same without those of operands, which are called where they are mentioned.
    written: u64,
    depth: usize,
}

/// What has a text, or chooses or joins those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Function(FunctionId),
    /// The EXPRESSION of an operation, or of any member of a group.
    Operand(OperationOrGroup),
    /// The FUNCTIONs behind a map.
    Map(MapId),
    /// What running an operation runs.
    Run(usize),
}

/// A text by itself.
struct Entry {
    name: Name,
    own: Extent,
    mentions: Vec<Mention>,
}

/// A place in a text where another one stands.
#[derive(Debug, Clone, Copy)]
struct Mention {
    of: Name,
    span: Span,
    depth: usize,
    /// How often it stands there.
    times: u64,
}

struct Texts<'a> {
    model: &'a Model,
}

impl<'a> Texts<'a> {
    /// All names, in the order of their index.
    fn names(&self) -> impl Iterator<Item = Name> + use<> {
        let count = |length: usize| 0..length as u32;
        let operations = count(self.model.operations.len()).map(crate::model::OperationId);
        let groups = count(self.model.groups.len()).map(crate::model::GroupId);
        let functions = count(self.model.functions.len()).map(FunctionId).map(Name::Function);
        functions
            .chain(operations.map(OperationOrGroup::Operation).map(Name::Operand))
            .chain(groups.map(OperationOrGroup::Group).map(Name::Operand))
            .chain(count(self.model.maps.len()).map(MapId).map(Name::Map))
            .chain((0..self.model.operations.len()).map(Name::Run))
    }

    fn index(&self, name: Name) -> usize {
        let operands = self.model.functions.len();
        let groups = operands + self.model.operations.len();
        let maps = groups + self.model.groups.len();
        match name {
            Name::Function(function) => function.index(),
            Name::Operand(OperationOrGroup::Operation(operation)) => operands + operation.index(),
            Name::Operand(OperationOrGroup::Group(group)) => groups + group.index(),
            Name::Map(map) => maps + map.index(),
            Name::Run(operation) => maps + self.model.maps.len() + operation,
        }
    }

    fn entry(&self, name: Name) -> Entry {
        let model = self.model;
        let mut reader = Reader { model, scope: None, own: Extent::default(), mentions: Vec::new() };
        match name {
            Name::Function(function) => reader.statements(&model.functions[function.index()].body.statements),
            Name::Operand(OperationOrGroup::Operation(operation)) => {
                let operation = &model.operations[operation.index()];
                reader.scope = Some(operation);
                reader.exprs(&operation.expression);
            }
            Name::Operand(OperationOrGroup::Group(group)) => {
                let group = &model.groups[group.index()];
                let mention = |member: &OperationOrGroup| Mention {
                    of: Name::Operand(*member),
                    span: group.span,
                    depth: 0,
                    times: 1,
                };
                reader.mentions.extend(group.members.iter().map(mention));
            }
            Name::Map(map) => reader.ranges(map),
            Name::Run(operation) => {
                let operation = &model.operations[operation];
                reader.scope = Some(operation);
                reader.run(operation);
            }
        }
        Entry { name, own: reader.own, mentions: reader.mentions }
    }

    /// The extent of a text with what it mentions; of a group that of its largest member.
    fn extent(&self, entry: &Entry, extents: &[Extent]) -> Extent {
        let is_choice = matches!(entry.name, Name::Operand(OperationOrGroup::Group(_)));
        let mut sum = entry.own;
        for mention in &entry.mentions {
            let of = extents[self.index(mention.of)];
            let size = of.size.saturating_mul(mention.times);
            sum.size = if is_choice { sum.size.max(size) } else { sum.size.saturating_add(size) };
            if !matches!(mention.of, Name::Operand(_)) {
                sum.written = sum.written.saturating_add(of.written.saturating_mul(mention.times));
            }
            sum.depth = sum.depth.max(mention.depth + of.depth);
        }
        sum
    }

    /// Reports a text that is too large or too deep; true if it is neither.
    fn check(&self, entry: &Entry, found: Extent, extents: &[Extent], diagnostics: &mut Diagnostics) -> bool {
        let extent = |mention: &&Mention| extents[self.index(mention.of)];
        let (text, span) = self.describe(entry.name);
        let (code, message, mention, help) = if found.depth > MOST_DEEP {
            (
                code::TEXTS_TOO_DEEP,
                format!("{text} nests {} deep, written out", found.depth),
                entry.mentions.iter().max_by_key(|mention| mention.depth + extent(mention).depth),
                match entry.mentions.is_empty() {
                    true => format!(
                        "{MOST_DEEP} is the most, and each case of a `switch` or SWITCH is a level: choose by a part of the value first, and below that by the rest"
                    ),
                    false => {
                        format!(
                            "{MOST_DEEP} is the most: let the last of the chain be mentioned more directly"
                        )
                    }
                },
            )
        } else if found.size > MOST_IN_ONE {
            (
                code::TEXTS_TOO_LARGE,
                format!("{text} has {} expressions, written out", found.size),
                entry
                    .mentions
                    .iter()
                    .max_by_key(|mention| extent(mention).size.saturating_mul(mention.times)),
                format!(
                    "{MOST_IN_ONE} are the most: put into a variable or LOCAL what is mentioned again and again"
                ),
            )
        } else {
            return true;
        };
        let diagnostic = match mention {
            Some(mention) => {
                let Extent { size, depth, .. } = extent(&mention);
                let label = match code == code::TEXTS_TOO_DEEP {
                    true => format!("stands for a text that nests {depth} deep"),
                    false => format!("stands for {} of them", size.saturating_mul(mention.times)),
                };
                let (what, defined) = self.describe(mention.of);
                error(code, mention.span, message, label)
                    .secondary(defined, format!("{what}, mentioned there"))
            }
            None => error(code, span, message, "this text"),
        };
        diagnostics.push(diagnostic.help(help));
        false
    }

    /// Reports the largest operation where all of them are too large together.
    fn check_sum(&self, entries: &[Entry], extents: &[Extent], diagnostics: &mut Diagnostics) {
        let texts = entries.iter().zip(extents).filter(|(entry, _)| {
            matches!(entry.name, Name::Run(_) | Name::Operand(OperationOrGroup::Operation(_)))
        });
        let sum = texts.clone().map(|(_, extent)| extent.written).fold(0, u64::saturating_add);
        let largest = texts.rev().max_by_key(|(_, extent)| extent.written);
        let Some((entry, extent)) = largest.filter(|_| sum > MOST_IN_ALL) else { return };
        let (text, span) = self.describe(entry.name);
        let message = format!("the operations of the description have {sum} expressions, written out");
        let label = format!("{text} has {} of them, the most", extent.written);
        let help = format!("{MOST_IN_ALL} are the most: put into one operation what several have in common");
        diagnostics.push(error(code::TEXTS_TOO_LARGE, span, message, label).help(help));
    }

    fn describe(&self, name: Name) -> (String, Span) {
        let model = self.model;
        match name {
            Name::Function(function) => {
                let function = &model.functions[function.index()];
                (format!("the FUNCTION `{}`", function.name), function.span)
            }
            Name::Operand(OperationOrGroup::Operation(operation)) => {
                let operation = &model.operations[operation.index()];
                let span = operation.expression.as_ref().map_or(operation.span, |expr| expr.span);
                (format!("the EXPRESSION of `{}`", operation.name), span)
            }
            Name::Operand(OperationOrGroup::Group(group)) => {
                let group = &model.groups[group.index()];
                (format!("the operand `{}`", group.name), group.span)
            }
            Name::Map(map) => {
                let map = &model.maps[map.index()];
                (format!("the MEMORY_MAP `{}`", map.name), map.span)
            }
            Name::Run(operation) => {
                let operation = &model.operations[operation];
                (format!("the operation `{}`", operation.name), operation.span)
            }
        }
    }
}
