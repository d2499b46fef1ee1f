//! How large and how deep a text is with everything that it mentions in its place.
//!
//! A FUNCTION stands for its text at each call, an operand for its EXPRESSION at each mention, a
//! RANGE for its FUNCTIONs. Where each of forty texts mentions the next one twice, the first stands
//! for 2^40 of the last. So size and depth are found here, each text once and in numbers alone,
//! before anyone writes the texts out or runs them.

use std::collections::BTreeSet;

use super::walk::{Met, walk_nested_expr, walk_nested_statements};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Activation, ExprKind, FunctionId, InstanceId, MapId, Model, Operation, OperationOrGroup, PlaceKind,
    RangeTarget, ReferenceId, Referred, RootElement, root_decodes,
};
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

/// Reads one text.
struct Reader<'a> {
    model: &'a Model,
    scope: Option<&'a Operation>,
    own: Extent,
    mentions: Vec<Mention>,
}

impl<'a> Reader<'a> {
    fn statements(&mut self, statements: &'a [crate::model::Stmt]) {
        walk_nested_statements(statements, 0, &mut |met, depth| self.meet(&met, depth));
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a crate::model::Expr>) {
        for expr in exprs {
            walk_nested_expr(expr, 0, &mut |met, depth| self.meet(&met, depth));
        }
    }

    fn run(&mut self, operation: &'a Operation) {
        self.statements(operation.behavior.as_ref().map_or(&[], |body| &body.statements));
        self.activations(&operation.activation, 0);
        for decode in root_decodes(&operation.coding_root) {
            self.exprs(decode.source.expressions());
        }
        self.conditions(&operation.coding_root, 0);
    }

    fn activations(&mut self, items: &'a [Activation], depth: usize) {
        for item in items {
            self.own.depth = self.own.depth.max(depth);
            match item {
                Activation::Activate { .. } => {}
                Activation::If { condition, then, otherwise } => {
                    self.exprs([condition]);
                    self.activations(then, depth + 1);
                    self.activations(otherwise, depth + 1);
                }
                Activation::Switch { value, cases, default } => {
                    self.exprs([value]);
                    // A case is asked for where all before it did not fit.
                    let within = (depth + 1..).zip(cases);
                    within.for_each(|(depth, (_, items))| self.activations(items, depth));
                    self.own.depth = self.own.depth.max(depth + cases.len());
                    self.activations(default, depth + cases.len());
                }
            }
        }
    }

    fn conditions(&mut self, elements: &'a [RootElement], depth: usize) {
        for element in elements {
            self.own.depth = self.own.depth.max(depth);
            match element {
                RootElement::Decode(_) => {}
                RootElement::Switch { cases, .. } => {
                    self.own.depth = self.own.depth.max(depth + cases.len());
                    let within = (depth + 1..).zip(cases);
                    within.for_each(|(depth, case)| self.conditions(&case.elements, depth));
                }
                RootElement::If { condition, then, otherwise } => {
                    self.exprs([condition]);
                    self.conditions(then, depth + 1);
                    self.conditions(otherwise, depth + 1);
                }
            }
        }
    }

    /// The FUNCTIONs of a map: an access may lead to those of any range.
    fn ranges(&mut self, map: MapId) {
        for range in &self.model.maps[map.index()].ranges {
            if let RangeTarget::Functions { read, write } = range.target {
                for function in BTreeSet::from([read, write]) {
                    self.mention(Name::Function(function), range.span, 0, 1);
                }
            }
        }
    }

    fn meet(&mut self, met: &Met<'a>, depth: usize) {
        self.own.size += 1;
        self.own.written += 1;
        self.own.depth = self.own.depth.max(depth);
        match met {
            Met::Expr(expr) => {
                if let ExprKind::Call { function, .. } = &expr.kind {
                    self.mention(Name::Function(*function), expr.span, depth + 1, 1);
                }
            }
            Met::Place(place) => match &place.kind {
                PlaceKind::Operand(instance) => self.operand(self.scope, *instance, place.span, depth),
                PlaceKind::Reference(reference) => self.reference(*reference, place.span, depth),
                PlaceKind::Memory { map, cells, fetch: false, .. } => {
                    self.mention(Name::Map(*map), place.span, depth + 1, u64::from(*cells));
                }
                _ => {}
            },
        }
    }

    fn mention(&mut self, of: Name, span: Span, depth: usize, times: u64) {
        self.mentions.push(Mention { of, span, depth, times });
    }

    fn operand(&mut self, scope: Option<&Operation>, instance: InstanceId, span: Span, depth: usize) {
        if let Some(instance) = scope.and_then(|scope| scope.instances.get(instance.index())) {
            self.mention(Name::Operand(instance.target), span, depth + 1, 1);
        }
    }

    /// What a REFERENCE names in each operation above; it is one of these.
    fn reference(&mut self, reference: ReferenceId, span: Span, depth: usize) {
        let (model, mut walked) = (self.model, BTreeSet::new());
        let Some(scope) = self.scope else { return };
        let mut waiting: Vec<(&Operation, ReferenceId)> = vec![(scope, reference)];
        while let Some((operation, reference)) = waiting.pop() {
            let Some(reference) = operation.references.get(reference.index()) else { continue };
            for binding in &reference.bindings {
                let parent = &model.operations[binding.parent.index()];
                match binding.what {
                    Referred::Instance(instance) => {
                        let target = parent.instances.get(instance.index()).map(|it| it.target);
                        if target.is_some_and(|target| walked.insert((None, target))) {
                            self.operand(Some(parent), instance, span, depth);
                        }
                    }
                    Referred::Reference(next) => {
                        let target = OperationOrGroup::Operation(binding.parent);
                        if walked.insert((Some(next), target)) {
                            waiting.push((parent, next));
                        }
                    }
                    Referred::Field(_) | Referred::Variable(_) => {}
                }
            }
        }
    }
}
