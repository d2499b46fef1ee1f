//! EXPRESSIONs as functions: one that reads and one that writes for each operation, and one for
//! each group that calls what was chosen.

use isac_ir::behavior::Body;
use isac_ir::operand::MentionKind;
use isac_ir::operation::{Operation, Role, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::emit::body::BodyEmitter;
use crate::emit::expression::{cast, extended, masked, number, unsigned};
use crate::emit::mention::{Mentioned, Signature, body_of, docs_of, function_of, resized, signature_of};
use crate::emit::name::{identifier, identifier_of};
use crate::emit::{Emitter, Shape};

/// True for the body of a CODINGROOT.
fn is_root(operation: &Operation, body: &Body) -> bool {
    operation.root.as_ref().is_some_and(|root| std::ptr::eq(root, body))
}

impl Emitter<'_> {
    /// The file of operands.
    pub(in crate::emit) fn emit_stepwise_operands(&self) -> TokenStream {
        let modules = MentionKind::ALL.into_iter().filter_map(|kind| self.emit_mention_module(kind));
        let modules: Vec<TokenStream> = modules.collect();
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            #(#modules)*
        }
    }

    /// The functions of one kind of mention; reading and writing are always there.
    fn emit_mention_module(&self, kind: MentionKind) -> Option<TokenStream> {
        let targets = self.operand_targets();
        let functions = targets.iter().filter_map(|target| match target {
            Target::Operation(operation) => {
                self.emit_operation_mention(*operation, self.model.operation(*operation), kind)
            }
            Target::Group(_) => {
                let exists = matches!(kind, MentionKind::Read | MentionKind::Write);
                (exists || self.can_be(*target, kind)).then(|| self.emit_group_mention(*target, kind))
            }
            Target::Label(_) => None,
        });
        let functions: Vec<TokenStream> = functions.collect();
        if functions.is_empty() && !matches!(kind, MentionKind::Read | MentionKind::Write) {
            return None;
        }
        let (name, docs) = (function_of(kind), format!(" {}", title_of(kind)));
        let imports = self.import_functions(quote!(super::super::));
        Some(quote! {
            #[doc = #docs]
            pub mod #name {
                use sim_runtime::stepwise::prelude::*;

                #imports
                use super::super::operands;
                use super::super::processor::Processor;

                #(#functions)*
            }
        })
    }

    fn emit_operation_mention(
        &self,
        index: u32,
        operation: &Operation,
        kind: MentionKind,
    ) -> Option<TokenStream> {
        let body = body_of(operation, kind)?;
        let target = Target::Operation(index);
        let name = identifier(&operation.name);
        let emitter = BodyEmitter::new(self, operation, body);
        let open = self.emit_opening(operation, body);
        let statements = emitter.statements().tokens;
        let Signature { parameters, result } =
            signature_of(kind, self.operand_width(target), self.parts_of(target));
        let (before, value) = match (kind, emitter.step_of_place()) {
            (MentionKind::Bind, Some((place, _))) => (TokenStream::new(), emitter.found_parts(place)),
            (_, _) if kind.is_write() => (TokenStream::new(), quote!(())),
            _ => (quote!(let value: #result;), quote!(value)),
        };
        let result = result.unwrap_or_else(|| quote!(()));
        let docs = match kind {
            MentionKind::Read => format!(" EXPRESSION of `{}` ({}).", operation.name, body.location),
            MentionKind::Write => format!(" Assigns to `{}` ({}).", operation.name, body.location),
            _ => format!(" `{}` ({}): {}", operation.name, body.location, in_sentence(docs_of(kind))),
        };
        Some(quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize #parameters
            ) -> Result<#result, Trap> {
                #before
                #open
                #statements
                Ok(#value)
            }
        })
    }

    /// What was chosen, at the group's width by its own sign.
    fn emit_group_mention(&self, target: Target, kind: MentionKind) -> TokenStream {
        let (name, width) = (identifier(self.model.target_name(target)), self.operand_width(target));
        let parts = self.parts_of(target);
        let leaves = self.model.leaf_operations(target).into_iter();
        let arms = leaves.filter_map(|leaf| {
            let value = self.emit_leaf_mention(leaf, kind, width, parts)?;
            let index = number(leaf.into());
            Some(quote!(#index => #value,))
        });
        let arms: Vec<TokenStream> = arms.collect();
        let Signature { parameters, result } = signature_of(kind, width, parts);
        let (result, nothing) = match (result, kind) {
            (None, _) => (quote!(()), quote!({})),
            (Some(ty), MentionKind::Bind) => {
                let parts = number(parts.into());
                (ty, quote!([0; #parts]))
            }
            (Some(ty), _) => (ty, quote!(0)),
        };
        let chosen = quote!(match step.operation(at) {
            #(#arms)*
            _ => #nothing,
        });
        let chosen = if kind.is_write() { quote!(#chosen Ok(())) } else { quote!(Ok(#chosen)) };
        let group = self.model.target_name(target);
        let docs = match kind {
            MentionKind::Read => format!(" What was chosen of group `{group}`."),
            MentionKind::Write => format!(" Assigns to what was chosen of group `{group}`."),
            _ => format!(" What was chosen of group `{group}`: {}", in_sentence(docs_of(kind))),
        };
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize #parameters
            ) -> Result<#result, Trap> {
                #chosen
            }
        }
    }

    /// What a group's function does if an operation was chosen; `None` if it cannot be mentioned
    /// in this way.
    fn emit_leaf_mention(&self, leaf: u32, kind: MentionKind, width: u32, parts: u32) -> Option<TokenStream> {
        let operation = self.model.operation(leaf);
        let (name, function) = (identifier(&operation.name), function_of(kind));
        let Some(expression) = &operation.expression else {
            let ty = unsigned(width);
            return (kind == MentionKind::Read).then(|| quote!(step.value(at, 0) as #ty));
        };
        expression.body(kind)?;
        let own_parts = self.parts_of(Target::Operation(leaf));
        let bound = identifier_of("bound");
        let given = kind.is_bound().then(|| resized(&bound, parts, own_parts));
        let given = given.map(|bound| quote!(, #bound));
        Some(match kind {
            MentionKind::Bind => {
                let all = resized(&bound, own_parts, parts);
                quote!({ let bound = operands::bind::#name(p, step, at)?; #all })
            }
            MentionKind::Read | MentionKind::ReadBound | MentionKind::KeepBound => {
                let value = quote!(operands::#function::#name(p, step, at #given)?);
                match expression.signed && expression.width < width {
                    true => extended(value, expression.width, width),
                    false => cast(value, expression.width, width),
                }
            }
            MentionKind::Write | MentionKind::WriteBound => {
                let value = match expression.signed && width < expression.width {
                    true => extended(quote!(value), width, expression.width),
                    false => masked(cast(quote!(value), width, expression.width), expression.width),
                };
                quote!(operands::#function::#name(p, step, at #given, #value)?)
            }
        })
    }
}

/// A field of what an instance of a context has chosen.
pub(super) fn member_field(context: &Ident, instance: u32, fields: &[(u32, u32)], width: u32) -> TokenStream {
    let (instance, ty) = (number(instance.into()), unsigned(width));
    let arms = fields.iter().map(|(operation, field)| {
        let (operation, place) = (number((*operation).into()), number((1 + *field).into()));
        quote!(#operation => step.value(step.link(#context, #instance), #place) as #ty,)
    });
    quote!(match step.chosen(#context, #instance) {
        #(#arms)*
        _ => 0,
    })
}

/// What a module of functions holds.
fn title_of(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Read => "Values of operands.",
        MentionKind::Write => "Assigning to operands.",
        MentionKind::Bind => "Finding the places of operands, for mentions that read and write them.",
        MentionKind::ReadBound => "Values of places that were found.",
        MentionKind::KeepBound => "Values of places that were found, of which a write keeps some bits.",
        MentionKind::WriteBound => "Assigning to places that were found.",
    }
}

/// A sentence behind a colon.
fn in_sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

impl BodyEmitter<'_> {
    /// True for a CODINGROOT: what it decodes is there only from then on.
    pub(in crate::emit) fn is_stepwise_root(&self) -> bool {
        self.emitter.shape == Shape::Stepwise && is_root(self.operation, self.body)
    }

    /// The coded bits of an instance, looked up where they stand.
    pub(in crate::emit) fn stepwise_coded(&self, instance: u32, width: u32) -> TokenStream {
        let ty = unsigned(width);
        let place = number((1 + self.operation.fields.len() as u32 + instance).into());
        quote!((step.value(at, #place) as #ty))
    }

    /// 1 if an instance has chosen a member.
    pub(in crate::emit) fn stepwise_chosen(&self, instance: u32, member: Target) -> TokenStream {
        let instance = number(instance.into());
        let leaves = self.emitter.model.leaf_operations(member).into_iter();
        let leaves: Vec<TokenStream> = leaves.map(|leaf| number(leaf.into())).collect();
        match leaves.is_empty() {
            true => quote!(0u8),
            false => quote!(u8::from(matches!(step.chosen(at, #instance), #(#leaves)|*))),
        }
    }

    /// A field of what an instance has chosen.
    pub(in crate::emit) fn stepwise_member_field(
        &self,
        instance: u32,
        fields: &[(u32, u32)],
        width: u32,
    ) -> TokenStream {
        member_field(&identifier_of("at"), instance, fields, width)
    }

    /// The context of what an instance has chosen.
    fn operand_context(&self, instance: u32) -> TokenStream {
        if self.is_stepwise_root() {
            let instance = number(instance.into());
            return quote!(step.link(at, #instance));
        }
        let alias = identifier(&self.operation.instances[instance as usize].alias);
        quote!(#alias)
    }

    /// The condition on which an instance was decoded, where there may be one.
    fn is_there(&self, instance: u32) -> Option<TokenStream> {
        let is_root = self.operation.instances[instance as usize].role == Role::Root;
        is_root.then(|| {
            let instance = number(instance.into());
            quote!(step.is_there(at, #instance))
        })
    }

    /// The value of what an instance has chosen, at the mention's width.
    pub(in crate::emit) fn stepwise_read(
        &self,
        instance: u32,
        mention: Mentioned<'_>,
        width: u32,
    ) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let (context, bound) = (self.operand_context(instance), mention.argument());
        let target = identifier(self.emitter.model.target_name(entry.target));
        let function = function_of(mention.kind);
        let value = quote!(operands::#function::#target(p, step, #context #bound)?);
        let value = match self.is_there(instance) {
            Some(condition) => quote!((if #condition { #value } else { 0 })),
            None => value,
        };
        let own = self.emitter.operand_width(entry.target);
        let single = match entry.target {
            Target::Operation(operation) => self.emitter.model.operation(operation).expression.as_ref(),
            Target::Group(_) | Target::Label(_) => None,
        };
        match single.filter(|expression| expression.signed && own < width) {
            Some(_) => extended(value, own, width),
            None => cast(value, own, width),
        }
    }

    /// Assigns to what an instance has chosen.
    pub(in crate::emit) fn stepwise_write(
        &self,
        instance: u32,
        mention: Mentioned<'_>,
        value: TokenStream,
        width: u32,
    ) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let (context, bound) = (self.operand_context(instance), mention.argument());
        let target = identifier(self.emitter.model.target_name(entry.target));
        let own = self.emitter.operand_width(entry.target);
        let value = masked(cast(value, width, own), own);
        let (name, function) = (&self.value, function_of(mention.kind));
        let write = quote!(operands::#function::#target(p, step, #context #bound, #name)?;);
        let write = match self.is_there(instance) {
            Some(condition) => quote!(if #condition { #write }),
            None => write,
        };
        quote!({ let #name = #value; #write })
    }

    /// Finds the place of what an instance has chosen.
    pub(in crate::emit) fn stepwise_find(&self, instance: u32, bound: &Ident) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let context = self.operand_context(instance);
        let target = identifier(self.emitter.model.target_name(entry.target));
        let find = quote!(#bound = operands::bind::#target(p, step, #context)?;);
        match self.is_there(instance) {
            Some(condition) => quote!(if #condition { #find }),
            None => find,
        }
    }
}
