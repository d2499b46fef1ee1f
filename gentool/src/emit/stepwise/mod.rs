//! The general form: a function for each section, called as the decoding tree says.
//!
//! Nothing is put in an order when the simulator is emitted, so nothing stands in the way; see
//! `sim_runtime::stepwise`, which calls the functions.

mod operand;
mod reference;
mod section;
mod value;

use isac_ir::account::PARTS;
use isac_ir::behavior::Body;
use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use super::expression::number;
use super::name::{identifier, identifier_of};

impl Emitter<'_> {
    /// `lib.rs`: the modules, the model, the engine.
    pub(super) fn emit_stepwise_root(&self) -> TokenStream {
        let (model, modules) = (self.emit_model(), self.emit_stepwise_modules());
        let engine = self.engine_name();
        let with_caches = self.asks_for_caches().then(emit_engine_with_caches);
        let with_costs = with_caches.is_some().then(|| quote!(, WithCosts));
        quote! {
            #![allow(non_snake_case, non_camel_case_types)]

            #modules

            use std::sync::LazyLock;

            use sim_runtime::Engine;
            use sim_runtime::kernel::{Profiled, Unprofiled #with_costs};
            use sim_runtime::stepwise::#engine;

            #model

            /// A processor after reset in an engine, with or without the exact profile.
            pub fn engine(profile: bool) -> Box<dyn Engine> {
                let processor = processor::Processor::new();
                match profile {
                    true => Box::new(#engine::<_, Profiled>::new(processor)),
                    false => Box::new(#engine::<_, Unprofiled>::new(processor)),
                }
            }

            #with_caches
        }
    }

    /// The same beside a simulator in blocks: for runs that ask for caches.
    pub(super) fn emit_costs_root(&self) -> TokenStream {
        let (modules, engine) = (self.emit_stepwise_modules(), emit_engine_with_caches());
        quote! {
            #modules

            use sim_runtime::Engine;
            use sim_runtime::kernel::{Profiled, Unprofiled, WithCosts};
            use sim_runtime::stepwise::StepwiseEngine;

            use super::model;

            #engine
        }
    }

    /// The same for runs that ask for values, beside the simulator that all others take: a module of the
    /// program, which knows that simulator by `library`.
    pub(super) fn emit_values_root(&self, library: &str) -> TokenStream {
        let (modules, library) = (self.emit_stepwise_modules(), identifier_of(library));
        let engine = self.engine_name();
        let (parameter, engines) = match self.asks_for_caches() {
            true => (
                quote!(caches: bool),
                quote! {
                    match caches {
                        true => Box::new(#engine::<_, WithCosts<Profiled>>::new(processor)),
                        false => Box::new(#engine::<_, Profiled>::new(processor)),
                    }
                },
            ),
            false => (quote!(), quote!(Box::new(#engine::<_, Profiled>::new(processor)))),
        };
        let with_costs = self.asks_for_caches().then(|| quote!(, WithCosts));
        quote! {
            #modules

            use sim_runtime::Engine;
            use sim_runtime::kernel::{Profiled #with_costs};
            use sim_runtime::stepwise::#engine;

            use #library::model;

            /// A processor after reset in an engine with the exact profile that can tell values.
            pub fn engine_with_values(#parameter) -> Box<dyn Engine> {
                let processor = processor::Processor::new();
                #engines
            }
        }
    }

    /// The engine of the general form.
    fn engine_name(&self) -> Ident {
        identifier_of(match self.model.overlaps() {
            true => "PipelinedEngine",
            false => "StepwiseEngine",
        })
    }

    fn emit_stepwise_modules(&self) -> TokenStream {
        let handler = self.model.memory_fault.is_some().then(|| {
            quote!(
                pub mod memory_fault;
            )
        });
        let functions = self.declare_functions();
        quote! {
            pub mod activations;
            pub mod behaviors;
            pub mod coding_roots;
            #functions
            pub mod memory;
            #handler
            pub mod operands;
            pub mod processor;
        }
    }

    /// Which function runs a section.
    pub(super) fn emit_step_core(&self) -> TokenStream {
        let arms = (0u128..).zip(&self.model.operations).flat_map(|(index, operation)| {
            PARTS.iter().filter(|part| operation.body(**part).is_some()).map(move |part| {
                let (index, name) = (number(index), identifier(&operation.name));
                let (module, section) = (section::module_of(*part), section::variant_of(*part));
                quote!((#index, Part::#section) => Some(super::#module::#name::<P>),)
            })
        });
        let handler = match self.model.memory_fault {
            Some(_) => quote!(Some(super::memory_fault::memory_fault::<P>)),
            None => quote!(None),
        };
        let tells_values = self.tells_values.then(|| {
            quote!(
                const TELLS_VALUES: bool = true;
            )
        });
        quote! {
            impl StepCore for Processor {
                #tells_values

                fn section<P: Profiling>(operation: u32, part: Part) -> Option<BodyFn<Self, P>> {
                    match (operation, part) {
                        #(#arms)*
                        _ => None,
                    }
                }

                fn memory_fault<P: Profiling>() -> Option<BodyFn<Self, P>> {
                    #handler
                }
            }
        }
    }
}

/// The engine that simulates caches where a run has to ask for them.
fn emit_engine_with_caches() -> TokenStream {
    quote! {
        /// The same with caches and latencies.
        pub fn engine_with_caches(profile: bool) -> Box<dyn Engine> {
            let processor = processor::Processor::new();
            match profile {
                true => Box::new(StepwiseEngine::<_, WithCosts<Profiled>>::new(processor)),
                false => Box::new(StepwiseEngine::<_, WithCosts<Unprofiled>>::new(processor)),
            }
        }
    }
}

/// What a body's first counter is behind that of its operation.
fn counter_offset(operation: &Operation, body: &Body) -> u32 {
    let before = operation.counted_bodies().take_while(|candidate| !std::ptr::eq(*candidate, body));
    before.map(|body| body.regions).sum()
}
