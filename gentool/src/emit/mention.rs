//! What mentions do with operands, as functions: their names, parameters and results.
//!
//! A place that is found is an array of the parts that it needs, as many as the largest of what
//! the operand may be has; what was chosen is known without them.

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::behavior::{Body, Expr, ReferenceId, Stmt};
use isac_ir::operand::{Binding, MentionKind, Place};
use isac_ir::operation::{Operation, Referred, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use super::body::BodyEmitter;
use super::expression::{number, unsigned};
use super::name::identifier_of;

/// What a reference may stand for in the end: the operation that has it, and what it is there.
pub(super) type Finding = (u32, Referred);

/// Everything that an operation's reference may stand for.
pub(super) fn findings(model: &Model, operation: &Operation, reference: ReferenceId) -> Vec<Finding> {
    let mut found = Vec::new();
    add_findings(model, operation, reference, (&mut BTreeSet::new(), &mut found));
    found
}

fn add_findings(
    model: &Model,
    operation: &Operation,
    reference: ReferenceId,
    (seen, found): (&mut BTreeSet<(u32, ReferenceId)>, &mut Vec<Finding>),
) {
    for binding in &operation.references[reference as usize].bindings {
        match binding.what {
            Referred::Reference(outer) if seen.insert((binding.parent, outer)) => {
                add_findings(model, model.operation(binding.parent), outer, (seen, found));
            }
            Referred::Reference(_) => {}
            what if !found.contains(&(binding.parent, what)) => found.push((binding.parent, what)),
            _ => {}
        }
    }
}

/// The function of a kind of mention.
pub(super) fn function_of(kind: MentionKind) -> Ident {
    identifier_of(match kind {
        MentionKind::Read => "read",
        MentionKind::Write => "write",
        MentionKind::Bind => "bind",
        MentionKind::ReadBound => "read_bound",
        MentionKind::KeepBound => "keep_bound",
        MentionKind::WriteBound => "write_bound",
    })
}

/// What the function does, in words.
pub(super) fn docs_of(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Read => "Its value.",
        MentionKind::Write => "Assigns to it.",
        MentionKind::Bind => "Finds its place: what that needs is evaluated here alone.",
        MentionKind::ReadBound => "The value of the place that was found.",
        MentionKind::KeepBound => "The value of the place that was found, for a write that keeps some of it.",
        MentionKind::WriteBound => "Assigns to the place that was found.",
    }
}

/// A mention on its way: what it does, and with which found place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mentioned<'a> {
    pub kind: MentionKind,
    /// `None` where the operand is evaluated.
    pub bound: Option<&'a Ident>,
}

impl Mentioned<'_> {
    /// The found place as an argument behind others.
    pub(super) fn argument(self) -> TokenStream {
        self.bound.map_or(TokenStream::new(), |bound| quote!(, #bound))
    }
}

/// The mention that reads a found place.
pub(super) fn read_of(keeps: bool) -> MentionKind {
    if keeps { MentionKind::KeepBound } else { MentionKind::ReadBound }
}

/// Parameters behind processor and step, and the result without its error.
pub(super) struct Signature {
    /// Each begins with a comma.
    pub parameters: TokenStream,
    /// `None` for assignments.
    pub result: Option<TokenStream>,
}

/// The functions of an operand whose value has a width.
pub(super) fn signature_of(kind: MentionKind, width: u32, parts: u32) -> Signature {
    let ty = unsigned(width);
    let parts = number(parts.into());
    let bound = kind.is_bound().then(|| quote!(, bound: [u128; #parts]));
    let value = kind.is_write().then(|| quote!(, value: #ty));
    let result = match kind {
        MentionKind::Bind => Some(quote!([u128; #parts])),
        MentionKind::Read | MentionKind::ReadBound | MentionKind::KeepBound => Some(quote!(#ty)),
        MentionKind::Write | MentionKind::WriteBound => None,
    };
    Signature { parameters: quote!(#bound #value), result }
}

/// A found place as an array of another size: of what was chosen in that of all, or back.
pub(super) fn resized(bound: &Ident, from: u32, to: u32) -> TokenStream {
    if from == to {
        return quote!(#bound);
    }
    let parts = (0..to).map(|part| match part < from {
        true => {
            let part = number(part.into());
            quote!(#bound[#part])
        }
        false => quote!(0),
    });
    quote!([#(#parts),*])
}

impl Emitter<'_> {
    /// The place in steps of an operation's EXPRESSION, where mentions need it.
    fn place_of(&self, operation: u32) -> Option<&Place> {
        self.model.operation(operation).expression.as_ref()?.place.as_ref()
    }

    /// True if an operand can be mentioned in this way, whatever it is.
    pub(super) fn can_be(&self, target: Target, kind: MentionKind) -> bool {
        self.model.leaf_operations(target).into_iter().all(|leaf| {
            let expression = self.model.operation(leaf).expression.as_ref();
            expression.is_some_and(|expression| expression.body(kind).is_some())
        })
    }

    /// Number of parts of an operand's place.
    pub(super) fn parts_of(&self, target: Target) -> u32 {
        self.count_parts([target], &mut BTreeMap::new())
    }

    /// Number of parts of what an operation's body finds.
    pub(super) fn parts_of_binding(&self, operation: &Operation, binding: Binding) -> u32 {
        self.count_parts(self.targets_of_binding(operation, binding), &mut BTreeMap::new())
    }

    /// Number of parts of the largest place that targets may have; `known` has those of operations
    /// that were counted, which many may share.
    fn count_parts(&self, targets: impl IntoIterator<Item = Target>, known: &mut BTreeMap<u32, u32>) -> u32 {
        let leaves = targets.into_iter().flat_map(|target| self.model.leaf_operations(target));
        leaves.map(|leaf| self.count_parts_of_leaf(leaf, known)).max().unwrap_or(0)
    }

    fn count_parts_of_leaf(&self, leaf: u32, known: &mut BTreeMap<u32, u32>) -> u32 {
        let Some(place) = self.place_of(leaf) else { return 0 };
        if let Some(known) = known.get(&leaf) {
            return *known;
        }
        let operation = self.model.operation(leaf);
        let inner = place.bind.bindings.iter();
        let inner =
            inner.map(|binding| self.count_parts(self.targets_of_binding(operation, *binding), known));
        let parts = place.parts.len() as u32 + inner.sum::<u32>();
        known.insert(leaf, parts);
        parts
    }

    /// True if nothing happens where something is found.
    pub(super) fn finds_nothing(&self, operation: &Operation, binding: Binding) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = Vec::from_iter(self.targets_of_binding(operation, binding));
        while let Some(target) = waiting.pop() {
            for leaf in self.model.leaf_operations(target) {
                let Some(place) = self.place_of(leaf).filter(|_| seen.insert(leaf)) else { continue };
                let mut statements = place.bind.statements.iter();
                if !place.parts.is_empty() || !statements.all(|inner| matches!(inner, Stmt::Bind { .. })) {
                    return false;
                }
                let operation = self.model.operation(leaf);
                let bindings = place.bind.bindings.iter();
                waiting.extend(bindings.flat_map(|binding| self.targets_of_binding(operation, *binding)));
            }
        }
        true
    }

    fn targets_of_binding(&self, operation: &Operation, binding: Binding) -> BTreeSet<Target> {
        match binding {
            Binding::Instance(instance) => [operation.instances[instance as usize].target].into(),
            Binding::Reference(reference) => self.referred_targets(operation, reference),
        }
    }

    /// What a reference stands for where that is an alias.
    fn referred_targets(&self, operation: &Operation, reference: ReferenceId) -> BTreeSet<Target> {
        let findings = findings(self.model, operation, reference).into_iter();
        let targets = findings.filter_map(|(parent, what)| match what {
            Referred::Instance(instance) => {
                Some(self.model.operation(parent).instances[instance as usize].target)
            }
            Referred::Field(_) | Referred::Variable(_) | Referred::Reference(_) => None,
        });
        targets.collect()
    }
}

impl BodyEmitter<'_> {
    /// The operation's place in steps, of which this body is one, and which.
    pub(super) fn step_of_place(&self) -> Option<(&Place, MentionKind)> {
        let expression = self.operation.expression.as_ref()?;
        let kind = expression.kind_of(self.body)?;
        let is_step = kind == MentionKind::Bind || kind.is_bound();
        Some((expression.place.as_ref().filter(|_| is_step)?, kind))
    }

    /// What the body has of places that are found: from those who found them, or for what it will
    /// find.
    pub(super) fn open_places(&self) -> TokenStream {
        // A FUNCTION has what it needs of a place as its arguments.
        if self.call.is_some() {
            return TokenStream::new();
        }
        let given = self.step_of_place().filter(|(_, kind)| kind.is_bound());
        let mut next = 0;
        let mut take = |count: u32| {
            let taken = (next..next + count).map(|part| {
                let part = number(part.into());
                quote!(bound[#part])
            });
            next += count;
            taken.collect::<Vec<TokenStream>>()
        };
        let parts = given.iter().flat_map(|(place, _)| &place.parts).map(|local| {
            let (name, part) = (&self.locals[*local as usize], take(1));
            let ty = unsigned(self.body.locals[*local as usize].width);
            quote!(let #name = #(#part)* as #ty;)
        });
        let parts: Vec<TokenStream> = parts.collect();
        let bindings = self.body.bindings.iter().zip(&self.bindings).map(|(binding, name)| {
            let count = self.emitter.parts_of_binding(self.operation, *binding);
            let size = number(count.into());
            match given {
                Some(_) => {
                    let inner = take(count);
                    quote!(let #name: [u128; #size] = [#(#inner),*];)
                }
                None => quote!(let mut #name: [u128; #size] = [0; #size];),
            }
        });
        let bindings: Vec<TokenStream> = bindings.collect();
        quote!(#(#parts)* #(#bindings)*)
    }

    /// Finds a place.
    pub(super) fn find_place(&self, binding: u32) -> TokenStream {
        let (what, name) = (self.body.bindings[binding as usize], &self.bindings[binding as usize]);
        match what {
            _ if self.emitter.finds_nothing(self.operation, what) => TokenStream::new(),
            Binding::Instance(instance) => self.find_operand(instance, name),
            Binding::Reference(reference) => self.find_reference(reference, name),
        }
    }

    /// The value of a place that was found.
    pub(super) fn read_bound(&self, binding: u32, keeps: bool, width: u32) -> TokenStream {
        let bound = Some(&self.bindings[binding as usize]);
        let mention = Mentioned { kind: read_of(keeps), bound };
        match self.body.bindings[binding as usize] {
            Binding::Instance(instance) => self.read_operand(instance, mention, width),
            Binding::Reference(reference) => self.read_reference(reference, mention, width),
        }
    }

    /// Assigns to a place that was found.
    pub(super) fn write_bound(&self, binding: u32, value: &Expr) -> TokenStream {
        let bound = Some(&self.bindings[binding as usize]);
        let mention = Mentioned { kind: MentionKind::WriteBound, bound };
        match self.body.bindings[binding as usize] {
            Binding::Instance(instance) => self.write_operand(instance, mention, value),
            Binding::Reference(reference) => self.write_reference(reference, mention, value),
        }
    }

    /// What the body has found, as an array.
    pub(super) fn found_parts(&self, place: &Place) -> TokenStream {
        let parts = place.parts.iter().map(|local| {
            let name = &self.locals[*local as usize];
            quote!(#name as u128)
        });
        let inner = self.body.bindings.iter().zip(&self.bindings).flat_map(|(binding, name)| {
            (0..self.emitter.parts_of_binding(self.operation, *binding)).map(move |part| {
                let part = number(part.into());
                quote!(#name[#part])
            })
        });
        let parts: Vec<TokenStream> = parts.chain(inner).collect();
        quote!([#(#parts),*])
    }
}

/// The body of a mention, where the EXPRESSION has it.
pub(super) fn body_of(operation: &Operation, kind: MentionKind) -> Option<&Body> {
    operation.expression.as_ref()?.body(kind)
}
