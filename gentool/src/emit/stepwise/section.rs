//! CODINGROOT, BEHAVIOR and ACTIVATION as functions of a core, a step and a context.

use isac_ir::account::Part;
use isac_ir::behavior::Body;
use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::counter_offset;
use crate::emit::body::BodyEmitter;
use crate::emit::expression::{extended, number, unsigned};
use crate::emit::name::{identifier, identifier_of};
use crate::emit::parameter::Source;
use crate::emit::usage::{Usage, extended_width};
use crate::emit::{Emitter, Shape, SourceFile};

impl Emitter<'_> {
    /// The file of one kind of section.
    pub(in crate::emit) fn emit_sections(&self, part: Part) -> TokenStream {
        let functions = self.model.operations.iter().filter_map(|operation| {
            let body = operation.body(part)?;
            Some(self.emit_section(operation, part, body))
        });
        let functions: Vec<TokenStream> = functions.collect();
        let imports = self.import_functions(quote!(super::));
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::stepwise::prelude::*;

            #imports
            use super::operands;
            use super::processor::Processor;

            #(#functions)*
        }
    }

    /// The file of `memory_fault`, where the model has it.
    pub(in crate::emit) fn emit_handler(
        &self,
        file: impl Fn(&str, &str, TokenStream) -> SourceFile,
    ) -> Option<SourceFile> {
        let body = self.model.memory_fault.as_ref()?;
        Some(file("memory_fault.rs", "What a memory fault brings about,", self.emit_memory_fault(body)))
    }

    fn emit_memory_fault(&self, body: &Body) -> TokenStream {
        // The function mentions nothing of an operation; `main` stands for one.
        let operation = self.model.operation(self.model.main);
        let emitted = BodyEmitter::new(self, operation, body).statements();
        let statements = emitted.tokens;
        let end = (!emitted.diverges).then(|| quote!(Ok(())));
        let docs = format!(" FUNCTION `memory_fault` ({}).", body.location);
        let imports = self.import_functions(quote!(super::));
        let (kernel, generics, step) = match self.shape {
            Shape::Stepwise => (quote!(stepwise), quote!(P: Profiling), quote!(Step<Processor, P>)),
            Shape::Blocks | Shape::Timed => (quote!(kernel), quote!(const R: usize), quote!(Step<R>)),
        };
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::#kernel::prelude::*;

            #imports
            use super::processor::Processor;

            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn memory_fault<#generics>(
                p: &mut Processor,
                step: &mut #step,
                at: usize,
            ) -> Result<(), Trap> {
                // What it counts belongs to an instruction that is not counted.
                let base = 0;
                #statements
                #end
            }
        }
    }

    fn emit_section(&self, operation: &Operation, part: Part, body: &Body) -> TokenStream {
        let name = identifier(&operation.name);
        let emitted = BodyEmitter::new(self, operation, body).statements();
        let open = self.emit_opening(operation, body);
        let statements = emitted.tokens;
        let (begin, end) = match part {
            Part::Root => (quote!(step.begin_decoding(p, at);), quote!(step.finish_decoding(p, at))),
            Part::Behavior | Part::Activation if emitted.diverges => (TokenStream::new(), TokenStream::new()),
            Part::Behavior | Part::Activation => (TokenStream::new(), quote!(Ok(()))),
        };
        let docs = format!(" {} of `{}` ({}).", keyword_of(part), operation.name, body.location);
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                step: &mut Step<Processor, P>,
                at: usize,
            ) -> Result<(), Trap> {
                #begin
                #open
                #statements
                #end
            }
        }
    }

    /// Counts the body and gives names to what it uses of the decoded instruction.
    pub(super) fn emit_opening(&self, operation: &Operation, body: &Body) -> TokenStream {
        let offset = match counter_offset(operation, body) {
            0 => TokenStream::new(),
            offset => {
                let offset = number(offset.into());
                quote!(+ #offset)
            }
        };
        let fields = operation.fields.len() as u32;
        // Before a CODINGROOT has come to its end there is nothing to give names to.
        let usage = match operation.root.as_ref().is_some_and(|root| std::ptr::eq(root, body)) {
            true => Usage::default(),
            false => Usage::of_body(body),
        };
        let parameters = self.parameters(operation, &usage).into_iter().filter_map(|parameter| {
            let name = parameter.name;
            Some(match parameter.source {
                Source::Field(field) => {
                    let value = self.emit_field(operation, field);
                    quote!(let #name = #value;)
                }
                Source::Operand(instance) => {
                    let instance = number(instance.into());
                    quote!(let #name = step.link(at, #instance);)
                }
                Source::Coded(instance) => {
                    let ty = unsigned(operation.instances[instance as usize].width_bits);
                    let place = number((1 + fields + instance).into());
                    quote!(let #name = step.value(at, #place) as #ty;)
                }
                // What a REFERENCE stands for is asked where it is needed.
                Source::Variable(_)
                | Source::PlainField(_)
                | Source::Referred(_)
                | Source::ReferredCoded(_)
                | Source::Counter(..) => return None,
            })
        });
        quote! {
            let base = step.counter(at) #offset;
            step.count(base);
            #(#parameters)*
        }
    }

    /// A field, extended as its body expects it.
    fn emit_field(&self, operation: &Operation, field: u32) -> TokenStream {
        let own = operation.fields[field as usize].width_bits;
        let ty = unsigned(own);
        let place = number((1 + field).into());
        let value = quote!(step.value(at, #place) as #ty);
        match extended_width(operation, field) {
            Some(width) => extended(quote!((#value)), own, width),
            None => value,
        }
    }
}

/// The module of a kind of section.
pub(super) fn module_of(part: Part) -> Ident {
    identifier_of(match part {
        Part::Root => "coding_roots",
        Part::Behavior => "behaviors",
        Part::Activation => "activations",
    })
}

/// The kind of section as the runtime names it.
pub(super) fn variant_of(part: Part) -> Ident {
    identifier_of(match part {
        Part::Root => "Root",
        Part::Behavior => "Behavior",
        Part::Activation => "Activation",
    })
}

fn keyword_of(part: Part) -> &'static str {
    match part {
        Part::Root => "CODINGROOT",
        Part::Behavior => "BEHAVIOR",
        Part::Activation => "ACTIVATION",
    }
}
