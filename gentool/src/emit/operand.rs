//! Operands as types: a struct for an operation with an EXPRESSION, an enum for a group of them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use isac_ir::behavior::{Body, ExprKind, walk_expressions};
use isac_ir::operand::{Binding, MentionKind};
use isac_ir::operation::{Operation, Referred, Target};
use proc_macro2::TokenStream;
use quote::quote;

use super::body::BodyEmitter;
use super::expression::{cast, extended, masked};
use super::mention::{Signature, docs_of, function_of, resized, signature_of};
use super::name::identifier_of;
use super::usage::Usage;
use super::{Emitter, Shape};

/// The width at which each operand is mentioned, once somebody has asked.
pub(super) type Widths = OnceCell<BTreeMap<Target, u32>>;

impl Emitter<'_> {
    /// The file of operand types.
    pub(super) fn emit_operands(&self) -> TokenStream {
        let types = self.operand_targets().into_iter().map(|target| match target {
            Target::Operation(operation) => self.emit_operand_struct(operation),
            Target::Group(group) => self.emit_operand_enum(group),
            Target::Label(_) => TokenStream::new(),
        });
        let types: Vec<TokenStream> = types.collect();
        let imports = self.import_functions(quote!(super::));
        let kernel = self.kernel();
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::#kernel::prelude::*;

            #imports
            use super::processor::Processor;

            #(#types)*
        }
    }

    /// Every operand that a section uses, and what those use in turn.
    pub(super) fn operand_targets(&self) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        for (index, operation) in (0u32..).zip(&self.model.operations) {
            let own = Usage::of_operation(operation).operands;
            let inner = Usage::of_expression(self.model, index).operands;
            for instance in own.into_iter().chain(inner) {
                self.add_operand(operation.instances[instance as usize].target, &mut found);
            }
        }
        let has_value = |leaf: u32| self.model.operation(leaf).expression.is_some();
        for (_, target) in self.referred_instances() {
            // In blocks, coded bits travel as such.
            if self.shape != Shape::Blocks || self.model.leaf_operations(target).into_iter().all(has_value) {
                self.add_operand(target, &mut found);
            }
        }
        found
    }

    /// What REFERENCEs stand for instances, with the width of their value.
    fn referred_instances(&self) -> impl Iterator<Item = (u32, Target)> {
        let references = self.model.operations.iter().flat_map(|operation| &operation.references);
        references.flat_map(|reference| {
            reference.bindings.iter().filter_map(|binding| match binding.what {
                Referred::Instance(instance) => {
                    let parent = self.model.operation(binding.parent);
                    Some((reference.width_bits, parent.instances[instance as usize].target))
                }
                _ => None,
            })
        })
    }

    fn add_operand(&self, target: Target, found: &mut BTreeSet<Target>) {
        if found.insert(target)
            && let Target::Group(group) = target
        {
            for member in &self.model.groups[group as usize].members {
                self.add_operand(*member, found);
            }
        }
    }

    /// Everything that an operand's struct holds.
    pub(super) fn operand_usage(&self, operation: u32) -> Usage {
        Usage::of_expression(self.model, operation)
    }

    fn emit_operand_struct(&self, index: u32) -> TokenStream {
        let operation = self.model.operation(index);
        let Some(expression) = &operation.expression else { return TokenStream::new() };
        let name = self.names.type_of(Target::Operation(index));
        let docs = format!(" Operand `{}` ({}).", operation.name, operation.location);
        let usage = self.operand_usage(index);
        let members = self.parameters(operation, &usage).into_iter().map(|parameter| {
            let docs = format!(" `{}`.", parameter.name);
            let (name, ty) = (parameter.name, parameter.ty);
            quote!(#[doc = #docs] pub #name: #ty,)
        });
        let functions = MentionKind::ALL.into_iter().filter_map(|kind| {
            let body = expression.body(kind)?;
            Some(self.emit_mention(index, operation, body, kind))
        });
        let functions: Vec<TokenStream> = functions.collect();
        quote! {
            #[doc = #docs]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct #name { #(#members)* }

            impl #name { #(#functions)* }
        }
    }

    fn emit_mention(&self, index: u32, operation: &Operation, body: &Body, kind: MentionKind) -> TokenStream {
        let target = Target::Operation(index);
        let width = self.operand_width(target);
        let emitter = BodyEmitter::new(self, operation, body);
        let bind = self.emit_members(index, operation);
        let statements = emitter.statements().tokens;
        let Signature { parameters, result } = signature_of(kind, width, self.parts_of(target));
        let (open, value) = match (kind, emitter.step_of_place()) {
            (MentionKind::Bind, Some((place, _))) => (TokenStream::new(), Some(emitter.found_parts(place))),
            (_, _) if kind.is_write() => (TokenStream::new(), None),
            _ => (quote!(let value: #result;), Some(quote!(value))),
        };
        let fallible = self.body_is_fallible(operation, body);
        let (result, end) = with_error(fallible, result, value);
        let (name, docs) = (function_of(kind), format!(" {}", docs_of(kind)));
        let (generics, step) = self.step_types();
        let counters = self.takes_counters(target, kind).then(|| quote!(, counters: usize));
        quote! {
            #[doc = #docs]
            #[inline(always)]
            pub fn #name<#generics>(self, p: &mut Processor, step: &mut #step #counters #parameters) #result {
                #bind
                #open
                #statements
                #end
            }
        }
    }

    /// Gives names to what the struct holds.
    fn emit_members(&self, index: u32, operation: &Operation) -> TokenStream {
        let name = self.names.type_of(Target::Operation(index));
        let usage = self.operand_usage(index);
        let members: Vec<_> =
            self.parameters(operation, &usage).into_iter().map(|member| member.name).collect();
        match members.is_empty() {
            true => TokenStream::new(),
            false => quote!(let #name { #(#members),* } = self;),
        }
    }

    fn emit_operand_enum(&self, index: u32) -> TokenStream {
        let group = &self.model.groups[index as usize];
        let target = Target::Group(index);
        let name = self.names.type_of(target);
        let docs = format!(" Operand: one of group `{}` ({}).", group.name, group.location);
        let first = group.members.first().map(|member| self.names.type_of(*member));
        let members: Vec<_> = group.members.iter().map(|member| self.names.type_of(*member)).collect();
        let variants = members.iter().map(|member| {
            let docs = format!(" `{member}`.");
            quote!(#[doc = #docs] #member(#member),)
        });
        let functions = MentionKind::ALL.into_iter().filter(|kind| self.can_be(target, *kind));
        let functions: Vec<TokenStream> =
            functions.map(|kind| self.emit_enum_mention(target, &group.members, kind)).collect();
        let default = first.map(|first| {
            quote! {
                impl Default for #name {
                    fn default() -> Self {
                        #name::#first(#first::default())
                    }
                }
            }
        });
        quote! {
            #[doc = #docs]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum #name { #(#variants)* }

            #default

            impl #name { #(#functions)* }
        }
    }

    fn emit_enum_mention(&self, target: Target, members: &[Target], kind: MentionKind) -> TokenStream {
        let name = self.names.type_of(target);
        let (width, parts) = (self.operand_width(target), self.parts_of(target));
        let arms = members.iter().map(|member| {
            let variant = self.names.type_of(*member);
            let call = self.emit_member_mention(*member, kind, width, parts);
            quote!(#name::#variant(operand) => #call,)
        });
        let arms: Vec<TokenStream> = arms.collect();
        let chosen = quote!(match self { #(#arms)* });
        let Signature { parameters, result } = signature_of(kind, width, parts);
        let (statement, value) = match result {
            Some(_) => (TokenStream::new(), Some(chosen)),
            None => (chosen, None),
        };
        let (result, end) = with_error(self.operand_is_fallible(target, kind), result, value);
        let (name, docs) = (function_of(kind), format!(" {}", docs_of(kind)));
        let (generics, step) = self.step_types();
        let counters = self.takes_counters(target, kind).then(|| quote!(, counters: usize));
        quote! {
            #[doc = #docs]
            #[inline(always)]
            pub fn #name<#generics>(self, p: &mut Processor, step: &mut #step #counters #parameters) #result {
                #statement
                #end
            }
        }
    }

    /// What a group's function does if a member was chosen.
    fn emit_member_mention(&self, member: Target, kind: MentionKind, width: u32, parts: u32) -> TokenStream {
        let own_parts = self.parts_of(member);
        let mark = self.operand_is_fallible(member, kind).then(|| quote!(?));
        let name = function_of(kind);
        let bound = identifier_of("bound");
        let given = kind.is_bound().then(|| resized(&bound, parts, own_parts));
        let given = given.map(|bound| quote!(, #bound));
        let counters = self.takes_counters(member, kind).then(|| quote!(, counters));
        match kind {
            MentionKind::Bind if parts == own_parts => quote!(operand.bind(p, step #counters)#mark),
            MentionKind::Bind => {
                let all = resized(&bound, own_parts, parts);
                quote!({ let bound = operand.bind(p, step #counters)#mark; #all })
            }
            MentionKind::Read | MentionKind::ReadBound | MentionKind::KeepBound => {
                self.widened(quote!(operand.#name(p, step #counters #given)#mark), member, width)
            }
            MentionKind::Write | MentionKind::WriteBound => {
                let own = self.operand_width(member);
                let narrow = match own < width {
                    true => masked(cast(quote!(value), width, own), own),
                    false => cast(quote!(value), width, own),
                };
                quote!(operand.#name(p, step #counters #given, #narrow)#mark)
            }
        }
    }

    /// A member's value at the width of the group's, by its own sign.
    fn widened(&self, value: TokenStream, member: Target, width: u32) -> TokenStream {
        let own = self.operand_width(member);
        if !self.is_signed(member) || own >= width {
            return cast(value, own, width);
        }
        extended(value, own, width)
    }

    /// Width of an operand's value: its EXPRESSION's, or that at which the model mentions it.
    pub(super) fn operand_width(&self, target: Target) -> u32 {
        match target {
            Target::Operation(operation) => {
                self.model.operation(operation).expression.as_ref().map_or(8, |value| value.width)
            }
            Target::Group(_) | Target::Label(_) => self.mentioned_width(target).unwrap_or_else(|| {
                let leaves = self.model.leaf_operations(target).into_iter();
                leaves.map(|leaf| self.operand_width(Target::Operation(leaf))).max().unwrap_or(8)
            }),
        }
    }

    /// The width at which the model mentions an operand, the largest if there are several.
    fn mentioned_width(&self, target: Target) -> Option<u32> {
        self.widths.get_or_init(|| self.find_mentioned_widths()).get(&target).copied()
    }

    fn find_mentioned_widths(&self) -> BTreeMap<Target, u32> {
        let mut found: BTreeMap<Target, u32> = BTreeMap::new();
        let mut mention = |target: Target, width: u32| {
            let known = found.entry(target).or_insert(width);
            *known = width.max(*known);
        };
        self.referred_instances().for_each(|(width, target)| mention(target, width));
        for operation in &self.model.operations {
            for body in operation.counted_bodies() {
                walk_expressions(&body.statements, &mut |expr| {
                    let instance = match expr.kind {
                        ExprKind::Operand { instance, .. } => instance,
                        ExprKind::Bound { binding, .. } => match body.bindings[binding as usize] {
                            Binding::Instance(instance) => instance,
                            Binding::Reference(_) => return,
                        },
                        _ => return,
                    };
                    mention(operation.instances[instance as usize].target, expr.width);
                });
            }
        }
        found
    }

    fn is_signed(&self, target: Target) -> bool {
        let leaves = self.model.leaf_operations(target).into_iter();
        let mut expressions = leaves.filter_map(|leaf| self.model.operation(leaf).expression.as_ref());
        expressions.any(|expression| expression.signed)
    }

    /// True if a mention of an operand may end the instruction early.
    pub(super) fn operand_is_fallible(&self, target: Target, kind: MentionKind) -> bool {
        self.mention_effect(target, kind).is_fallible
    }
}

/// A function's result and last expression, where it may end the instruction and where it cannot.
fn with_error(
    fallible: bool,
    result: Option<TokenStream>,
    value: Option<TokenStream>,
) -> (TokenStream, TokenStream) {
    match (fallible, result) {
        (true, Some(ty)) => (quote!(-> Result<#ty, Trap>), quote!(Ok(#value))),
        (true, None) => (quote!(-> Result<(), Trap>), quote!(Ok(()))),
        (false, Some(ty)) => (quote!(-> #ty), quote!(#value)),
        (false, None) => (TokenStream::new(), TokenStream::new()),
    }
}
