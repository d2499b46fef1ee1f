//! EXPRESSIONs as functions: one that reads and one that writes for each operation, and one for
//! each group that calls what was chosen.

use isac_ir::behavior::Body;
use isac_ir::operation::{Operation, Target};
use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::Emitter;
use crate::emit::body::BodyEmitter;
use crate::emit::expression::{cast, extended, masked, number, unsigned};
use crate::emit::name::identifier;

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
        let allowed = quote! {
            #![allow(
                unused_imports,
                unused_variables,
                unused_assignments,
                unused_mut,
                unused_labels,
                unused_parens,
                unreachable_code,
                clippy::all
            )]
        };
        quote! {
            #allowed

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
    /// The value of what an instance has chosen, at the mention's width.
    pub(in crate::emit) fn stepwise_read(&self, instance: u32, width: u32, is_counted: bool) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let alias = identifier(&entry.alias);
        let target = identifier(self.emitter.model.target_name(entry.target));
        let value = quote!(operands::read::#target(p, step, #alias)?);
        let value = match is_counted {
            true => value,
            false => quote!({
                let counted = step.counted();
                let value = #value;
                step.forget(counted);
                value
            }),
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
        value: TokenStream,
        width: u32,
    ) -> TokenStream {
        let entry = &self.operation.instances[instance as usize];
        let alias = identifier(&entry.alias);
        let target = identifier(self.emitter.model.target_name(entry.target));
        let own = self.emitter.operand_width(entry.target);
        let value = masked(cast(value, width, own), own);
        let name = &self.value;
        quote!({ let #name = #value; operands::write::#target(p, step, #alias, #name)?; })
    }
}
