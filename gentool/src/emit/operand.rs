//! Operands as types: a struct for an operation with an EXPRESSION, an enum for a group of them.

use std::collections::BTreeSet;

use isac_ir::behavior::{Body, ExprKind, walk_expressions};
use isac_ir::operation::{Operation, Referred, Target};
use proc_macro2::TokenStream;
use quote::quote;

use super::Emitter;
use super::body::BodyEmitter;
use super::expression::{cast, extended, masked, unsigned};
use super::usage::Usage;

impl Emitter<'_> {
    /// The file of operand types.
    pub(super) fn emit_operands(&self) -> TokenStream {
        let types = self.operand_targets().into_iter().map(|target| match target {
            Target::Operation(operation) => self.emit_operand_struct(operation),
            Target::Group(group) => self.emit_operand_enum(group),
            Target::Label(_) => TokenStream::new(),
        });
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::kernel::prelude::*;

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
        for (_, target) in self.referred_instances() {
            self.add_operand(target, &mut found);
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
        let read = self.emit_read(index, operation, &expression.read, expression.width);
        let write =
            expression.write.as_ref().map(|body| self.emit_write(index, operation, body, expression.width));
        quote! {
            #[doc = #docs]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct #name { #(#members)* }

            impl #name {
                #read
                #write
            }
        }
    }

    fn emit_read(&self, index: u32, operation: &Operation, body: &Body, width: u32) -> TokenStream {
        let ty = unsigned(width);
        let (bind, statements) = self.emit_operand_body(index, operation, body);
        let fallible = self.body_is_fallible(operation, body);
        let (result, value) = match fallible {
            true => (quote!(Result<#ty, Trap>), quote!(Ok(value))),
            false => (quote!(#ty), quote!(value)),
        };
        quote! {
            /// Its value.
            #[inline(always)]
            pub fn read<const R: usize>(self, p: &mut Processor, step: &mut Step<R>) -> #result {
                #bind
                let value: #ty;
                #statements
                #value
            }
        }
    }

    fn emit_write(&self, index: u32, operation: &Operation, body: &Body, width: u32) -> TokenStream {
        let ty = unsigned(width);
        let (bind, statements) = self.emit_operand_body(index, operation, body);
        let fallible = self.body_is_fallible(operation, body);
        let (result, end) = match fallible {
            true => (quote!(-> Result<(), Trap>), quote!(Ok(()))),
            false => (TokenStream::new(), TokenStream::new()),
        };
        quote! {
            /// Assigns to it.
            #[inline(always)]
            pub fn write<const R: usize>(self, p: &mut Processor, step: &mut Step<R>, value: #ty) #result {
                #bind
                #statements
                #end
            }
        }
    }

    fn emit_operand_body(
        &self,
        index: u32,
        operation: &Operation,
        body: &Body,
    ) -> (TokenStream, TokenStream) {
        let name = self.names.type_of(Target::Operation(index));
        let usage = self.operand_usage(index);
        let members: Vec<_> =
            self.parameters(operation, &usage).into_iter().map(|member| member.name).collect();
        let bind = match members.is_empty() {
            true => TokenStream::new(),
            false => quote!(let #name { #(#members),* } = self;),
        };
        (bind, BodyEmitter::new(self, operation, body).statements().tokens)
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
        let read = self.emit_enum_read(target, &group.members);
        let write = self.is_writable(target).then(|| self.emit_enum_write(target, &group.members));
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

            impl #name {
                #read
                #write
            }
        }
    }

    fn emit_enum_read(&self, target: Target, members: &[Target]) -> TokenStream {
        let name = self.names.type_of(target);
        let width = self.operand_width(target);
        let ty = unsigned(width);
        let fallible = self.operand_is_fallible(target, false);
        let arms = members.iter().map(|member| {
            let variant = self.names.type_of(*member);
            let mark = self.operand_is_fallible(*member, false).then(|| quote!(?));
            let value = self.widened(quote!(operand.read(p, step)#mark), *member, width);
            quote!(#name::#variant(operand) => #value,)
        });
        let (result, open, close) = match fallible {
            true => (quote!(Result<#ty, Trap>), quote!(Ok), quote!()),
            false => (quote!(#ty), quote!(), quote!()),
        };
        quote! {
            /// Its value.
            #[inline(always)]
            pub fn read<const R: usize>(self, p: &mut Processor, step: &mut Step<R>) -> #result {
                #open (match self { #(#arms)* }) #close
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

    fn emit_enum_write(&self, target: Target, members: &[Target]) -> TokenStream {
        let name = self.names.type_of(target);
        let width = self.operand_width(target);
        let ty = unsigned(width);
        let fallible = self.operand_is_fallible(target, true);
        let arms = members.iter().map(|member| {
            let variant = self.names.type_of(*member);
            let own = self.operand_width(*member);
            let narrow = match own < width {
                true => masked(cast(quote!(value), width, own), own),
                false => cast(quote!(value), width, own),
            };
            let mark = self.operand_is_fallible(*member, true).then(|| quote!(?));
            quote!(#name::#variant(operand) => operand.write(p, step, #narrow)#mark,)
        });
        let (result, end) = match fallible {
            true => (quote!(-> Result<(), Trap>), quote!(Ok(()))),
            false => (TokenStream::new(), TokenStream::new()),
        };
        quote! {
            /// Assigns to it.
            #[inline(always)]
            pub fn write<const R: usize>(self, p: &mut Processor, step: &mut Step<R>, value: #ty) #result {
                match self { #(#arms)* }
                #end
            }
        }
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

    fn mentioned_width(&self, target: Target) -> Option<u32> {
        let referred = self.referred_instances().filter(|(_, referred)| *referred == target);
        let mut found = referred.map(|(width, _)| width).max();
        for operation in &self.model.operations {
            let parts = isac_ir::account::PARTS.iter().filter_map(|part| operation.body(*part));
            let expression = operation.expression.iter().map(|expression| &expression.read);
            for body in parts.chain(expression) {
                walk_expressions(&body.statements, &mut |expr| {
                    if let ExprKind::Operand { instance, .. } = expr.kind
                        && operation.instances[instance as usize].target == target
                    {
                        found = found.max(Some(expr.width));
                    }
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

    fn is_writable(&self, target: Target) -> bool {
        self.model.leaf_operations(target).into_iter().all(|leaf| {
            let expression = self.model.operation(leaf).expression.as_ref();
            expression.is_some_and(|expression| expression.write.is_some())
        })
    }

    /// True if reading or writing an operand may end the instruction early.
    pub(super) fn operand_is_fallible(&self, target: Target, write: bool) -> bool {
        self.model.leaf_operations(target).into_iter().any(|leaf| {
            let operation = self.model.operation(leaf);
            let body = operation.expression.as_ref().and_then(|expression| match write {
                true => expression.write.as_ref(),
                false => Some(&expression.read),
            });
            body.is_some_and(|body| self.body_is_fallible(operation, body))
        })
    }
}
