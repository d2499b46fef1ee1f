//! EXPRESSIONs as functions: one that reads and one that writes for each operation, and one for
//! each group that calls what was chosen.

use isac_ir::behavior::Body;
use isac_ir::operation::{Operation, Role, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::emit::body::BodyEmitter;
use crate::emit::expression::{cast, extended, masked, number, unsigned};
use crate::emit::name::identifier;
use crate::emit::{Emitter, Shape};

/// True for the body of a CODINGROOT.
fn is_root(operation: &Operation, body: &Body) -> bool {
    operation.root.as_ref().is_some_and(|root| std::ptr::eq(root, body))
}

impl Emitter<'_> {
    /// The file of operands.
    pub(in crate::emit) fn emit_stepwise_operands(&self) -> TokenStream {
        let targets = self.operand_targets();
        let reads = targets.iter().filter_map(|target| match target {
            Target::Operation(operation) => self.emit_operation_read(self.model.operation(*operation)),
            Target::Group(_) => Some(self.emit_group_read(*target)),
            Target::Label(_) => None,
        });
        let writes = targets.iter().filter_map(|target| match target {
            Target::Operation(operation) => self.emit_operation_write(self.model.operation(*operation)),
            Target::Group(_) => Some(self.emit_group_write(*target)),
            Target::Label(_) => None,
        });
        let (reads, writes): (Vec<TokenStream>, Vec<TokenStream>) = (reads.collect(), writes.collect());
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            /// Values of operands.
            pub mod read {
                use sim_runtime::stepwise::prelude::*;

                use super::super::operands;
                use super::super::processor::Processor;

                #(#reads)*
            }

            /// Assigning to operands.
            pub mod write {
                use sim_runtime::stepwise::prelude::*;

                use super::super::operands;
                use super::super::processor::Processor;

                #(#writes)*
            }
        }
    }

    fn emit_operation_read(&self, operation: &Operation) -> Option<TokenStream> {
        let expression = operation.expression.as_ref()?;
        let (name, ty) = (identifier(&operation.name), unsigned(expression.width));
        let statements = self.emit_operand_statements(operation, &expression.read);
        let docs = format!(" EXPRESSION of `{}` ({}).", operation.name, expression.read.location);
        Some(quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize,
            ) -> Result<#ty, Trap> {
                let value: #ty;
                #statements
                Ok(value)
            }
        })
    }

    fn emit_operation_write(&self, operation: &Operation) -> Option<TokenStream> {
        let expression = operation.expression.as_ref()?;
        let body = expression.write.as_ref()?;
        let (name, ty) = (identifier(&operation.name), unsigned(expression.width));
        let statements = self.emit_operand_statements(operation, body);
        let docs = format!(" Assigns to `{}` ({}).", operation.name, body.location);
        Some(quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize,
                mut value: #ty,
            ) -> Result<(), Trap> {
                #statements
                Ok(())
            }
        })
    }

    fn emit_operand_statements(&self, operation: &Operation, body: &Body) -> TokenStream {
        let open = self.emit_opening(operation, body);
        let statements = BodyEmitter::new(self, operation, body).statements().tokens;
        quote!(#open #statements)
    }

    /// What was chosen, at the group's width by its own sign.
    fn emit_group_read(&self, target: Target) -> TokenStream {
        let (name, width) = (identifier(self.model.target_name(target)), self.operand_width(target));
        let ty = unsigned(width);
        let arms = self.model.leaf_operations(target).into_iter().map(|leaf| {
            let operation = self.model.operation(leaf);
            let (index, leaf) = (number(leaf.into()), identifier(&operation.name));
            match &operation.expression {
                Some(expression) => {
                    let value = quote!(operands::read::#leaf(p, step, at)?);
                    let value = match expression.signed && expression.width < width {
                        true => extended(value, expression.width, width),
                        false => cast(value, expression.width, width),
                    };
                    quote!(#index => #value,)
                }
                None => quote!(#index => step.value(at, 0) as #ty,),
            }
        });
        let docs = format!(" What was chosen of group `{}`.", self.model.target_name(target));
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize,
            ) -> Result<#ty, Trap> {
                Ok(match step.operation(at) {
                    #(#arms)*
                    _ => 0,
                })
            }
        }
    }

    fn emit_group_write(&self, target: Target) -> TokenStream {
        let (name, width) = (identifier(self.model.target_name(target)), self.operand_width(target));
        let ty = unsigned(width);
        let arms = self.model.leaf_operations(target).into_iter().filter_map(|leaf| {
            let operation = self.model.operation(leaf);
            let expression = operation.expression.as_ref().filter(|value| value.write.is_some())?;
            let (index, leaf) = (number(leaf.into()), identifier(&operation.name));
            let value = match expression.signed && width < expression.width {
                true => extended(quote!(value), width, expression.width),
                false => masked(cast(quote!(value), width, expression.width), expression.width),
            };
            Some(quote!(#index => operands::write::#leaf(p, step, at, #value)?,))
        });
        let docs = format!(" Assigns to what was chosen of group `{}`.", self.model.target_name(target));
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize,
                value: #ty,
            ) -> Result<(), Trap> {
                match step.operation(at) {
                    #(#arms)*
                    _ => {}
                }
                Ok(())
            }
        }
    }
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
        let (instance, ty) = (number(instance.into()), unsigned(width));
        let arms = fields.iter().map(|(operation, field)| {
            let (operation, place) = (number((*operation).into()), number((1 + *field).into()));
            quote!(#operation => step.value(step.link(at, #instance), #place) as #ty,)
        });
        quote!(match step.chosen(at, #instance) {
            #(#arms)*
            _ => 0,
        })
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
    pub(in crate::emit) fn stepwise_read(&self, instance: u32, width: u32, is_counted: bool) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let context = self.operand_context(instance);
        let target = identifier(self.emitter.model.target_name(entry.target));
        let value = quote!(operands::read::#target(p, step, #context)?);
        let value = match self.is_there(instance) {
            Some(condition) => quote!((if #condition { #value } else { 0 })),
            None => value,
        };
        let own = self.emitter.operand_width(entry.target);
        let value = if is_counted { value } else { uncounted(value, &unsigned(own)) };
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
        value: TokenStream,
        width: u32,
    ) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let context = self.operand_context(instance);
        let target = identifier(self.emitter.model.target_name(entry.target));
        let own = self.emitter.operand_width(entry.target);
        let value = masked(cast(value, width, own), own);
        let name = &self.value;
        let write = quote!(operands::write::#target(p, step, #context, #name)?;);
        let write = match self.is_there(instance) {
            Some(condition) => quote!(if #condition { #write }),
            None => write,
        };
        quote!({ let #name = #value; #write })
    }
}

/// A value whose regions do not count.
pub(super) fn uncounted(value: TokenStream, ty: &Ident) -> TokenStream {
    quote!({
        let counted = step.counted();
        let value: #ty = #value;
        step.forget(counted);
        value
    })
}
