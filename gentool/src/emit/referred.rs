//! REFERENCEs in blocks: what they stand for is known when an instruction is decoded, and travels with its
//! step as a parameter of the sections that use it.

use isac_ir::Model;
use isac_ir::behavior::{Expr, ReferenceId};
use isac_ir::decoder::Node;
use isac_ir::operand::MentionKind;
use isac_ir::operation::{Operation, Referred, Role, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use super::Shape;
use super::body::BodyEmitter;
use super::expression::{cast, extended};
use super::form::{Call, Form, find_root};
use super::mention::{Mentioned, findings, function_of};
use super::name::identifier;
use super::parameter::{Source, referred_coded_name};

/// What a reference stands for, whichever operation is around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// A field.
    Field { width_bits: u32 },
    /// An instance without EXPRESSION: its coded bits.
    Coded { width_bits: u32 },
    /// An operand.
    Operand(Target),
    /// A LOCAL.
    Variable { width_bits: u32 },
}

/// An operation as it runs in a form: what was decoded by its node in the variant, all else by its node in
/// the time graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seat {
    Decoded(u32),
    Activated(u32),
}

/// What a reference stands for; `None` where that is not of one type.
pub(super) fn carried(model: &Model, operation: &Operation, reference: ReferenceId) -> Option<Carried> {
    let of_finding = |(parent, what)| carried_from(model, model.operation(parent), what);
    let mut found = findings(model, operation, reference).into_iter().map(of_finding);
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

fn carried_from(model: &Model, parent: &Operation, what: Referred) -> Option<Carried> {
    match what {
        Referred::Field(field) => {
            Some(Carried::Field { width_bits: parent.fields[field as usize].width_bits })
        }
        Referred::Instance(instance) => {
            let instance = &parent.instances[instance as usize];
            if instance.role != Role::Coded {
                return None;
            }
            let leaves = model.leaf_operations(instance.target);
            let with = leaves.iter().filter(|leaf| model.operation(**leaf).expression.is_some()).count();
            match with {
                0 => Some(Carried::Coded { width_bits: instance.width_bits }),
                _ if with == leaves.len() => Some(Carried::Operand(instance.target)),
                _ => None,
            }
        }
        Referred::Variable(variable) => {
            Some(Carried::Variable { width_bits: parent.variables[variable as usize].width })
        }
        Referred::Reference(_) => None,
    }
}

/// Width of the coded bits of the instance that a reference stands for; `None` where it is not always the
/// same.
pub(super) fn carried_coded(model: &Model, operation: &Operation, reference: ReferenceId) -> Option<u32> {
    let mut found = findings(model, operation, reference).into_iter().map(|(parent, what)| match what {
        Referred::Instance(instance) => {
            let instance = &model.operation(parent).instances[instance as usize];
            (instance.role == Role::Coded).then_some(instance.width_bits)
        }
        _ => None,
    });
    let first = found.next()??;
    found.all(|other| other == Some(first)).then_some(first)
}

/// What a reference of a call's operation stands for in a form: where the operation runs that has it, that
/// operation, and what it is there.
pub(super) fn place_of(
    model: &Model,
    form: &Form,
    call: &Call,
    mut reference: ReferenceId,
) -> Option<(Seat, u32, Referred)> {
    let (mut seat, mut operation) = (seat_of(call), call.operation);
    loop {
        let (above, parent) = parent_of(model, form, seat)?;
        match model.operation(operation).referred(reference, parent)? {
            Referred::Reference(outer) => (seat, operation, reference) = (above, parent, outer),
            what => return Some((above, parent, what)),
        }
    }
}

/// Where a call's operation runs.
pub(super) fn seat_of(call: &Call) -> Seat {
    call.node.map_or(Seat::Activated(call.time_node), Seat::Decoded)
}

/// The operation that decoded what runs there, or activated it.
fn parent_of(model: &Model, form: &Form, seat: Seat) -> Option<(Seat, u32)> {
    let time_nodes = &model.time.nodes;
    let seat_at = |time_node: u32| {
        let node = form.nodes.get(&time_node).copied().flatten();
        node.map_or(Seat::Activated(time_node), Seat::Decoded)
    };
    match seat {
        Seat::Decoded(node) => {
            let (root, _, decoder) = find_root(model)?;
            let nodes = &model.decoders[decoder as usize].variants[form.variant as usize].nodes;
            let mut above = nodes[node as usize].parent;
            while let Some(node) = above {
                if let Target::Operation(operation) = nodes[node as usize].target {
                    return Some((Seat::Decoded(node), operation));
                }
                above = nodes[node as usize].parent;
            }
            let is_root =
                |time_node: &&u32| time_nodes[**time_node as usize].target == Target::Operation(root);
            Some((Seat::Activated(*form.nodes.keys().find(is_root)?), root))
        }
        Seat::Activated(time_node) => {
            let mut above = time_nodes[time_node as usize].parent;
            while let Some(time_node) = above {
                if let Target::Operation(operation) = time_nodes[time_node as usize].target {
                    return Some((seat_at(time_node), operation));
                }
                above = time_nodes[time_node as usize].parent;
            }
            None
        }
    }
}

/// The parameter that says where it is counted that something is done with what a reference stands for.
pub(super) fn counter_name(operation: &Operation, reference: ReferenceId, kind: MentionKind) -> Ident {
    let (name, kind) = (&operation.references[reference as usize].name, function_of(kind));
    identifier(&format!("{name}_{kind}_counter"))
}

impl Emitter<'_> {
    /// What a reference stands for, where it travels.
    pub(super) fn carried(&self, operation: &Operation, reference: ReferenceId) -> Option<Carried> {
        (self.shape == Shape::Blocks).then(|| carried(self.model, operation, reference))?
    }

    /// Width of the coded bits of what a reference stands for, where they travel.
    pub(super) fn carried_coded(&self, operation: &Operation, reference: ReferenceId) -> Option<u32> {
        (self.shape == Shape::Blocks).then(|| carried_coded(self.model, operation, reference))?
    }

    /// The operand that a reference stands for, where it travels.
    pub(super) fn carried_operand(&self, operation: &Operation, reference: ReferenceId) -> Option<Target> {
        match self.carried(operation, reference)? {
            Carried::Operand(target) => Some(target),
            Carried::Field { .. } | Carried::Coded { .. } | Carried::Variable { .. } => None,
        }
    }

    /// What a call's parameter is in the decoded instruction: the operation that has it, its node, and what
    /// it is there. `None` for what is known of the form alone.
    pub(super) fn origin(
        &self,
        form: &Form,
        call: &Call,
        source: Source,
    ) -> Option<(u32, Option<u32>, Source)> {
        let (reference, is_coded) = match source {
            Source::Referred(reference) => (reference, false),
            Source::ReferredCoded(reference) => (reference, true),
            Source::Counter(..) | Source::Variable(_) => return None,
            _ => return Some((call.operation, call.node, source)),
        };
        let (Seat::Decoded(node), parent, what) = place_of(self.model, form, call, reference)? else {
            return None;
        };
        let source = match what {
            Referred::Field(field) => Source::PlainField(field),
            Referred::Instance(instance) => {
                let operation = self.model.operation(call.operation);
                match self.carried_operand(operation, reference).filter(|_| !is_coded) {
                    Some(_) => Source::Operand(instance),
                    None => Source::Coded(instance),
                }
            }
            Referred::Variable(_) | Referred::Reference(_) => return None,
        };
        Some((parent, Some(node), source))
    }

    /// The LOCAL that a call's parameter is, and the operation that has it.
    pub(super) fn variable_of(&self, form: &Form, call: &Call, source: Source) -> Option<(Seat, u32, u32)> {
        match source {
            Source::Variable(variable) => Some((seat_of(call), call.operation, variable)),
            Source::Referred(reference) => match place_of(self.model, form, call, reference)? {
                (seat, operation, Referred::Variable(variable)) => Some((seat, operation, variable)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a form counts what a call does with what a reference stands for; behind all of its counters
    /// where nothing has to be counted.
    pub(super) fn counter_of(
        &self,
        form: &Form,
        call: &Call,
        (reference, kind): (ReferenceId, MentionKind),
    ) -> u32 {
        let nodes = &self.variant_of(form).nodes;
        let found = place_of(self.model, form, call, reference).and_then(|(seat, _, what)| {
            let is_it = |child: &Node| {
                child.parent.map(Seat::Decoded) == Some(seat)
                    && child.instance.map(Referred::Instance) == Some(what)
            };
            form.operand_counters.get(&(nodes.iter().position(is_it)? as u32, kind)).copied()
        });
        found.unwrap_or(form.counters)
    }
}

impl BodyEmitter<'_> {
    /// The value of what a reference stands for, or of the place that was found for it.
    pub(super) fn read_carried(
        &self,
        reference: ReferenceId,
        mention: Mentioned<'_>,
        width: u32,
    ) -> TokenStream {
        let name = identifier(&self.operation.references[reference as usize].name);
        let target = match self.emitter.carried(self.operation, reference) {
            None => return quote!(0),
            Some(Carried::Field { width_bits } | Carried::Coded { width_bits }) => {
                return cast(quote!(#name), width_bits, width);
            }
            Some(Carried::Variable { width_bits }) => return cast(quote!((*#name)), width_bits, width),
            Some(Carried::Operand(target)) => target,
        };
        let (function, bound) = (function_of(mention.kind), mention.argument());
        let mark = Self::try_mark(self.emitter.operand_is_fallible(target, mention.kind));
        let count = self.count_carried(reference, mention.kind);
        let value = quote!({ #count #name.#function(p, step #bound)#mark });
        let own = self.emitter.operand_width(target);
        let is_signed = match target {
            Target::Operation(operation) => {
                let expression = self.emitter.model.operation(operation).expression.as_ref();
                expression.is_some_and(|expression| expression.signed)
            }
            Target::Group(_) | Target::Label(_) => false,
        };
        if is_signed && own < width { extended(value, own, width) } else { cast(value, own, width) }
    }

    /// Assigns to what a reference stands for, or to the place that was found for it.
    pub(super) fn write_carried(
        &self,
        reference: ReferenceId,
        mention: Mentioned<'_>,
        value: &Expr,
    ) -> TokenStream {
        let name = identifier(&self.operation.references[reference as usize].name);
        if let Some(Carried::Variable { width_bits }) = self.emitter.carried(self.operation, reference) {
            let value = cast(self.value(value), value.width, width_bits);
            return quote!(*#name = #value;);
        }
        let Some(target) = self.emitter.carried_operand(self.operation, reference) else {
            return TokenStream::new();
        };
        let (function, bound) = (function_of(mention.kind), mention.argument());
        let mark = Self::try_mark(self.emitter.operand_is_fallible(target, mention.kind));
        let count = self.count_carried(reference, mention.kind);
        let value = cast(self.value(value), value.width, self.emitter.operand_width(target));
        let new = &self.value;
        quote!(let #new = #value; #count #name.#function(p, step #bound, #new)#mark;)
    }

    /// Finds the place of what a reference stands for.
    pub(super) fn find_carried(&self, reference: ReferenceId, bound: &Ident) -> TokenStream {
        let Some(target) = self.emitter.carried_operand(self.operation, reference) else {
            return TokenStream::new();
        };
        let name = identifier(&self.operation.references[reference as usize].name);
        let mark = Self::try_mark(self.emitter.operand_is_fallible(target, MentionKind::Bind));
        let count = self.count_carried(reference, MentionKind::Bind);
        quote!(#count #bound = #name.bind(p, step)#mark;)
    }

    /// The coded bits of what a reference stands for.
    pub(super) fn carried_bits(&self, reference: ReferenceId, width: u32) -> TokenStream {
        let name = referred_coded_name(self.operation, reference);
        match self.emitter.carried_coded(self.operation, reference) {
            Some(own) => cast(quote!(#name), own, width),
            None => quote!(0),
        }
    }

    /// What is done here with what a reference stands for is counted there, and not with the section.
    fn count_carried(&self, reference: ReferenceId, kind: MentionKind) -> TokenStream {
        let counter = counter_name(self.operation, reference, kind);
        quote!(step.count(#counter);)
    }
}
