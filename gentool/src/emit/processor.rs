//! The processor: registers, memories, and what runtime and kernel ask of it.

use proc_macro2::TokenStream;
use quote::quote;

use super::expression::{is_wide, masked, number, storage, stored, unsigned};
use super::name::identifier;
use super::{Emitter, Shape};

impl Emitter<'_> {
    /// `lib.rs`: the modules, the model, the engine.
    pub(super) fn emit_root(&self) -> TokenStream {
        let (model, functions) = (self.emit_model(), self.declare_functions());
        let with_caches = self.asks_for_caches().then(|| {
            quote!(
                pub mod with_caches;
            )
        });
        let handler = self.model.memory_fault.is_some().then(|| {
            quote!(
                pub mod memory_fault;
            )
        });
        let engine_with_caches = self.asks_for_caches().then(|| {
            quote!(
                pub use with_caches::engine_with_caches;
            )
        });
        quote! {
            #![allow(non_snake_case, non_camel_case_types)]

            pub mod decoder;
            #functions
            pub mod memory;
            #handler
            pub mod operands;
            pub mod operations;
            pub mod processor;
            pub mod steps;
            #with_caches

            use std::sync::LazyLock;

            use sim_runtime::Engine;
            use sim_runtime::kernel::{EmittedEngine, Profiled, Unprofiled};

            #engine_with_caches

            #model

            /// A processor after reset in an engine, with or without the exact profile.
            pub fn engine(profile: bool) -> Box<dyn Engine> {
                let processor = processor::Processor::new();
                match profile {
                    true => Box::new(EmittedEngine::<_, Profiled>::new(processor)),
                    false => Box::new(EmittedEngine::<_, Unprofiled>::new(processor)),
                }
            }
        }
    }

    /// The description that the simulator carries.
    pub(super) fn emit_model(&self) -> TokenStream {
        quote! {
            /// The description as isac-ir: names and accesses for the profile.
            pub const MODEL_TEXT: &str = include_str!("model.json");

            static MODEL: LazyLock<isac_ir::Model> = LazyLock::new(|| sim_runtime::record::read_model(MODEL_TEXT));

            /// The description that the simulator was generated from.
            pub fn model() -> &'static isac_ir::Model {
                &MODEL
            }
        }
    }

    /// The file of registers and memories.
    pub(super) fn emit_processor(&self) -> TokenStream {
        let types = self.emit_state_types();
        let machine = self.emit_machine();
        let cells = self.emit_cells();
        let core = self.emit_core();
        let (prelude, engine_core) = match self.shape {
            Shape::Blocks => (quote!(kernel), self.emit_block_core()),
            Shape::Stepwise => (quote!(stepwise), self.emit_step_core()),
            Shape::Timed => (quote!(timed), self.emit_timed_core()),
        };
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::#prelude::prelude::*;
            use sim_runtime::memory::{CellStore, fetch_asked, fetch_cells, find_range, read_map_bytes, write_map_bytes};
            use sim_runtime::Machine;

            #types
            #machine
            #cells
            #core
            #engine_core
        }
    }

    fn emit_state_types(&self) -> TokenStream {
        let registers = self.model.registers.iter().map(|register| {
            let name = identifier(&register.name);
            let ty = storage(register.width_bits);
            let docs = format!(" {} bits ({}).", register.width_bits, register.location);
            let ty = match register.count {
                Some(count) => {
                    let count = number(count.into());
                    quote!([#ty; #count])
                }
                None => quote!(#ty),
            };
            quote!(#[doc = #docs] pub #name: #ty,)
        });
        let resets = self.model.registers.iter().map(|register| self.emit_reset(register));
        let memories = self.model.rams.iter().map(|ram| {
            let name = identifier(&ram.name);
            let ty = storage(ram.cell_bits);
            let size = number(ram.size_cells.into());
            let docs = format!(" Cells of {} bits ({}).", ram.cell_bits, ram.location);
            quote!(#[doc = #docs] pub #name: CellRam<#ty, #size>,)
        });
        let fills = self.model.rams.iter().filter(|ram| ram.fill != 0).map(|ram| {
            let (name, value) = (identifier(&ram.name), stored(ram.fill, ram.cell_bits));
            quote!(#name: CellRam::filled(#value),)
        });
        let fills: Vec<TokenStream> = fills.collect();
        let memories_at_reset = match (fills.is_empty(), fills.len() == self.model.rams.len()) {
            (true, _) => quote!(Memories::default()),
            (_, true) => quote!(Memories { #(#fills)* }),
            _ => quote!(Memories { #(#fills)* ..Memories::default() }),
        };
        let kernel = match self.model.devices.is_empty() {
            true => quote!(Kernel::default()),
            false => quote!(Kernel { devices: Devices::new(super::model()), ..Kernel::default() }),
        };
        let (cost_fields, costs) = self.emit_cost_fields();
        quote! {
            /// The registers.
            #[derive(Clone, Debug)]
            pub struct Registers { #(#registers)* }

            /// The memories.
            #[derive(Clone, Debug, Default)]
            pub struct Memories { #(#memories)* }

            /// The processor's state.
            pub struct Processor {
                /// Registers; the program counter is up to date whenever the engine is left.
                pub registers: Registers,
                /// Memories.
                pub memories: Memories,
                /// What the kernel keeps.
                pub kernel: Kernel,
                #cost_fields
            }

            impl Default for Processor {
                fn default() -> Self {
                    Self::new()
                }
            }

            impl Processor {
                /// After reset.
                pub fn new() -> Self {
                    let mut registers = Registers { #(#resets),* };
                    registers.keep_hardwired();
                    Processor { registers, memories: #memories_at_reset, kernel: #kernel, #costs }
                }
            }
        }
    }

    fn emit_reset(&self, register: &isac_ir::resource::Register) -> TokenStream {
        let name = identifier(&register.name);
        let width = register.width_bits;
        let value = stored(register.reset_value(0), width);
        match register.count {
            Some(count) if !register.element_resets.is_empty() => {
                let values = (0..count).map(|element| stored(register.reset_value(element), width));
                quote!(#name: [#(#values),*])
            }
            Some(count) => {
                let value = stored(register.reset, width);
                let count = number(count.into());
                quote!(#name: [#value; #count])
            }
            None => quote!(#name: #value),
        }
    }

    fn emit_machine(&self) -> TokenStream {
        let hardwired = self.model.registers.iter().flat_map(|register| {
            let name = identifier(&register.name);
            register.hardwired.iter().map(move |(element, value)| {
                let element = number((*element).into());
                let value = stored(*value, register.width_bits);
                match register.count {
                    Some(_) => quote!(self.#name[#element] = #value;),
                    None => quote!(self.#name = #value;),
                }
            })
        });
        let reads = (0u128..).zip(&self.model.registers).map(|(index, register)| {
            let (index, name) = (number(index), identifier(&register.name));
            match (register.count, is_wide(register.width_bits)) {
                (Some(_), false) => {
                    quote!(#index => self.registers.#name.get(element).map_or(0, |value| *value as u128),)
                }
                (Some(_), true) => {
                    quote!(#index => self.registers.#name.get(element).map_or(0, |value| value.to_u128()),)
                }
                (None, false) => quote!(#index => self.registers.#name as u128,),
                (None, true) => quote!(#index => self.registers.#name.to_u128(),),
            }
        });
        let writes = (0u128..).zip(&self.model.registers).map(|(index, register)| {
            let (index, name) = (number(index), identifier(&register.name));
            let ty = unsigned(register.width_bits);
            let value = match is_wide(register.width_bits) {
                true => quote!(Bits::from_u128(value)),
                false => masked(quote!(value as #ty), register.width_bits),
            };
            match register.count {
                Some(_) => quote! {
                    #index => if let Some(place) = self.registers.#name.get_mut(element) {
                        *place = #value;
                    }
                },
                None => quote!(#index => self.registers.#name = #value,),
            }
        });
        let all_bits = self.emit_all_bits();
        quote! {
            impl Registers {
                /// Gives HARDWIRED elements their value.
                pub fn keep_hardwired(&mut self) { #(#hardwired)* }
            }

            impl Machine for Processor {
                fn read_register(&self, register: usize, element: usize) -> u128 {
                    match register {
                        #(#reads)*
                        _ => 0,
                    }
                }

                fn write_register(&mut self, register: usize, element: usize, value: u128) {
                    match register {
                        #(#writes)*
                        _ => {}
                    }
                    self.registers.keep_hardwired();
                }

                #all_bits

                fn read_bytes(&self, map: usize, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
                    read_map_bytes(super::model(), self, map, address, bytes)
                }

                fn write_bytes(&mut self, map: usize, address: u64, bytes: &[u8]) -> Result<(), u64> {
                    write_map_bytes(super::model(), self, map, address, bytes)
                }
            }
        }
    }

    /// Reading and writing all of registers of more than 128 bits, where the model has some.
    fn emit_all_bits(&self) -> Option<TokenStream> {
        let registers = (0u128..).zip(&self.model.registers);
        let wide: Vec<_> = registers.filter(|(_, register)| is_wide(register.width_bits)).collect();
        let reads = wide.iter().map(|(index, register)| {
            let (index, name) = (number(*index), identifier(&register.name));
            match register.count {
                Some(_) => {
                    quote!(#index => self.registers.#name.get(element).copied().unwrap_or_default(),)
                }
                None => quote!(#index => self.registers.#name,),
            }
        });
        let writes = wide.iter().map(|(index, register)| {
            let (index, name) = (number(*index), identifier(&register.name));
            let width = number(register.width_bits.into());
            match register.count {
                Some(_) => quote! {
                    #index => if let Some(place) = self.registers.#name.get_mut(element) {
                        *place = value & Bits::ones(#width);
                    }
                },
                None => quote!(#index => self.registers.#name = value & Bits::ones(#width),),
            }
        });
        (!wide.is_empty()).then(|| {
            quote! {
                fn read_register_bits(&self, register: usize, element: usize) -> Bits {
                    match register {
                        #(#reads)*
                        _ => Bits::from_u128(self.read_register(register, element)),
                    }
                }

                fn write_register_bits(&mut self, register: usize, element: usize, value: Bits) {
                    match register {
                        #(#writes)*
                        _ => self.write_register(register, element, value.to_u128()),
                    }
                    self.registers.keep_hardwired();
                }
            }
        })
    }

    fn emit_cells(&self) -> TokenStream {
        let reads = (0u128..).zip(&self.model.rams).map(|(index, ram)| {
            let (index, name) = (number(index), identifier(&ram.name));
            let value = if is_wide(ram.cell_bits) { quote!(value.to_u128()) } else { quote!(value) };
            quote!(#index => self.memories.#name.get::<1>(cell).map_or(0, |[value]| #value as u64),)
        });
        let writes = (0u128..).zip(&self.model.rams).map(|(index, ram)| {
            let (index, name) = (number(index), identifier(&ram.name));
            let ty = unsigned(ram.cell_bits);
            let value = match is_wide(ram.cell_bits) {
                true => quote!(Bits::from_u128(value.into())),
                false => masked(quote!(value as #ty), ram.cell_bits),
            };
            quote!(#index => self.memories.#name.set::<1>(cell, [#value]),)
        });
        let wide = self.emit_wide_cells();
        quote! {
            impl CellStore for Processor {
                fn get_cell(&self, ram: usize, cell: u64) -> u64 {
                    match ram {
                        #(#reads)*
                        _ => 0,
                    }
                }

                fn set_cell(&mut self, ram: usize, cell: u64, value: u64) {
                    let hit = match ram {
                        #(#writes)*
                        _ => None,
                    };
                    if hit == Some(true) {
                        self.kernel.code_written = true;
                    }
                }

                #wide
            }
        }
    }

    /// All of cells of more than 64 bits, where the model has some.
    fn emit_wide_cells(&self) -> Option<TokenStream> {
        let rams = (0u128..).zip(&self.model.rams);
        let wide: Vec<_> = rams.filter(|(_, ram)| ram.cell_bits > 64).collect();
        let reads = wide.iter().map(|(index, ram)| {
            let (index, name) = (number(*index), identifier(&ram.name));
            let value = match is_wide(ram.cell_bits) {
                true => quote!(value),
                false => quote!(Bits::from_u128(value)),
            };
            quote!(#index => self.memories.#name.get::<1>(cell).map_or(Bits::ZERO, |[value]| #value),)
        });
        let writes = wide.iter().map(|(index, ram)| {
            let (index, name) = (number(*index), identifier(&ram.name));
            let value = if is_wide(ram.cell_bits) { quote!(new) } else { quote!(new.to_u128()) };
            quote!(#index => self.memories.#name.set::<1>(cell, [#value]),)
        });
        (!wide.is_empty()).then(|| {
            quote! {
                fn get_wide_cell(&self, ram: usize, cell: u64) -> Bits {
                    match ram {
                        #(#reads)*
                        _ => Bits::from_u128(self.get_cell(ram, cell).into()),
                    }
                }

                fn set_cell_byte(&mut self, ram: usize, cell: u64, low: u32, byte: u8) {
                    let width = super::model().rams[ram].cell_bits.saturating_sub(low).min(8);
                    let new = self.get_wide_cell(ram, cell).with(low, width, byte.into());
                    let hit = match ram {
                        #(#writes)*
                        _ => None,
                    };
                    if hit == Some(true) {
                        self.kernel.code_written = true;
                    }
                }
            }
        })
    }
}
