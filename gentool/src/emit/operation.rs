//! Operations as functions: one for BEHAVIOR, one for ACTIVATION where there is one.

use isac_ir::account::{PARTS, Part};
use isac_ir::behavior::Body;
use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::body::BodyEmitter;
use super::form::queue_bit;
use super::name::identifier;
use super::usage::Usage;
use super::{Emitter, Shape};

impl Emitter<'_> {
    /// The file of operations.
    pub(super) fn emit_operations(&self) -> TokenStream {
        let parts: &[Part] = match self.shape {
            Shape::Timed => &PARTS,
            _ => &[Part::Behavior, Part::Activation],
        };
        let functions = self.model.operations.iter().flat_map(|operation| {
            parts
                .iter()
                .copied()
                .filter_map(|part| Some(self.emit_operation(operation, part, operation.body(part)?)))
        });
        let functions: Vec<TokenStream> = functions.collect();
        let imports = self.import_functions(quote!(super::));
        let kernel = self.kernel();
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::#kernel::prelude::*;

            #imports
            use super::operands::*;
            use super::processor::Processor;

            #(#functions)*
        }
    }

    /// The module of the runtime that holds the form's kernel.
    pub(super) fn kernel(&self) -> Ident {
        identifier(if self.shape == Shape::Timed { "timed" } else { "kernel" })
    }

    /// What the functions of sections and operands are generic in, and what sections share.
    pub(super) fn step_types(&self) -> (TokenStream, TokenStream) {
        match self.shape {
            Shape::Timed => (quote!(P: Profiling), quote!(Turn<'_, Processor, P>)),
            _ => (quote!(const R: usize), quote!(Step<R>)),
        }
    }

    /// True if a section's function takes its first counter.
    pub(super) fn counts(&self, body: &Body) -> bool {
        self.shape == Shape::Timed || body.regions > 1
    }

    /// The skeleton: `fn add(p, step, rd: Reg, ...) -> Result<(), Trap>`; without result where
    /// nothing can end the instruction, with `base` where it counts regions.
    fn emit_operation(&self, operation: &Operation, part: Part, body: &Body) -> TokenStream {
        let emitter = BodyEmitter::new(self, operation, body);
        let name = section_name(operation, part);
        let parameters = emitter.parameters(&Usage::of_body(body));
        let base = self.counts(body).then(|| quote!(base: usize,));
        let parameters = parameters.into_iter().chain(self.counting_parameters(operation, body));
        let emitted = emitter.statements();
        let statements = emitted.tokens;
        let (result, end) = match (self.body_is_fallible(operation, body), emitted.diverges) {
            (true, false) => (quote!(-> Result<(), Trap>), quote!(Ok(()))),
            (true, true) => (quote!(-> Result<(), Trap>), TokenStream::new()),
            (false, _) => (TokenStream::new(), TokenStream::new()),
        };
        let begin = (self.shape == Shape::Timed).then(|| quote!(step.count(base);));
        let (generics, step) = self.step_types();
        let section = format!("{part:?}").to_uppercase();
        let docs = format!(" {section} of `{}` ({}).", operation.name, body.location);
        quote! {
            #[doc = #docs]
            #[inline(always)]
            pub fn #name<#generics>(p: &mut Processor, step: &mut #step, #base #(#parameters),*) #result {
                #begin
                #statements
                #end
            }
        }
    }

    /// The bit of an instance that an operation schedules.
    pub(super) fn queue_bit(&self, operation: &Operation, instance: u32) -> u32 {
        let index = self.model.operations.iter().position(|candidate| std::ptr::eq(candidate, operation));
        index.and_then(|index| queue_bit(self.model, index as u32, instance)).unwrap_or(0)
    }
}

/// The function of a section.
pub(super) fn section_name(operation: &Operation, part: Part) -> Ident {
    match part {
        Part::Root if operation.behavior.is_some() => identifier(&format!("{}_coding_root", operation.name)),
        Part::Activation => identifier(&format!("{}_activation", operation.name)),
        // Not the name of another operation's ACTIVATION or CODINGROOT.
        Part::Behavior | Part::Root
            if operation.name.ends_with("_activation") || operation.name.ends_with("_coding_root") =>
        {
            identifier(&format!("{}_", operation.name))
        }
        Part::Behavior | Part::Root => identifier(&operation.name),
    }
}
