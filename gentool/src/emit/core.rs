//! What the kernel asks of a processor: the program counter, code that was written, fetching.

use isac_ir::account::{Part, scheduled_operations};
use isac_ir::bits::mask;
use isac_ir::root::WordSource;
use proc_macro2::TokenStream;
use quote::quote;

use super::Emitter;
use super::expression::{is_wide, masked, number, storage_bits, unsigned};
use super::form::{calls_before_decoding, find_root};
use super::name::{identifier, joined};
use super::operation::section_name;

impl Emitter<'_> {
    /// The core that engines run: the program counter, and what they know of code.
    pub(super) fn emit_core(&self) -> TokenStream {
        let (read_pc, write_pc) = self.emit_pc();
        let costs = self.emit_cost_methods();
        let marks = (0u128..).zip(&self.model.rams).map(|(index, ram)| {
            let (index, name) = (number(index), identifier(&ram.name));
            quote!(#index => self.memories.#name.code.mark(cell as usize, cells as usize),)
        });
        let clears = self.model.rams.iter().map(|ram| {
            let name = identifier(&ram.name);
            quote!(self.memories.#name.code.clear();)
        });
        let takes = self.model.rams.iter().map(|ram| {
            let name = identifier(&ram.name);
            quote!(self.memories.#name.code.take_written())
        });
        quote! {
            impl Core for Processor {
                fn model(&self) -> &'static isac_ir::Model {
                    super::model()
                }

                fn kernel(&mut self) -> &mut Kernel {
                    &mut self.kernel
                }

                fn kernel_ref(&self) -> &Kernel {
                    &self.kernel
                }

                fn pc(&self) -> u64 {
                    #read_pc
                }

                fn set_pc(&mut self, pc: u64) {
                    #write_pc
                }

                fn mark_cells(&mut self, ram: usize, cell: u64, cells: u64) {
                    match ram {
                        #(#marks)*
                        _ => {}
                    }
                }

                fn unmark_code(&mut self) { #(#clears)* }

                fn take_code_written(&mut self) -> bool {
                    let written = [#(#takes),*];
                    written.contains(&true)
                }

                #costs
            }
        }
    }

    /// Reading and writing the program counter.
    fn emit_pc(&self) -> (TokenStream, TokenStream) {
        let place = &self.model.pc;
        if let Some(register) = self.model.pc_register() {
            let name = identifier(&self.model.registers[register as usize].name);
            let ty = unsigned(place.width_bits);
            let new = masked(quote!(pc as #ty), place.width_bits);
            return (quote!(self.registers.#name as u64), quote!(self.registers.#name = #new;));
        }
        let mut shift = place.width_bits;
        let parts = place.parts.iter().map(|part| {
            shift -= part.width_bits;
            let register = &self.model.registers[part.register as usize];
            let name = identifier(&register.name);
            let element = number(part.element.into());
            let value = match register.count {
                Some(_) => quote!(self.registers.#name[#element]),
                None => quote!(self.registers.#name),
            };
            let (low, mask) = (number(part.low.into()), number(mask(part.width_bits)));
            let shift = number(shift.into());
            match is_wide(register.width_bits) {
                true => {
                    let bits = number(part.width_bits.into());
                    quote!(((#value.extract(#low, #bits) as u64) << #shift))
                }
                false => quote!((((#value >> #low) as u64 & #mask) << #shift)),
            }
        });
        let parts: Vec<TokenStream> = parts.collect();
        (quote!(#(#parts)|*), quote!(self.write_place(&super::model().pc, pc as u128);))
    }

    pub(super) fn emit_block_core(&self) -> TokenStream {
        let reset = self.emit_reset_operation();
        let before = self.emit_before_decoding();
        let handler = self.emit_call_of_handler();
        let decode = self.emit_fetch();
        let root_map = number(self.root_map().into());
        let last = number(mask(self.model.maps[self.root_map() as usize].address_bits));
        quote! {
            impl BlockCore for Processor {
                type Args = super::steps::Args;

                #reset

                #before

                #handler

                #decode

                fn mark_code(&mut self, address: u64, cells: u64) {
                    let map = &super::model().maps[#root_map];
                    for cell in 0..cells {
                        let address = address.wrapping_add(cell) & #last;
                        if let Some(landing) = find_range(map, address, 1) {
                            self.mark_cells(landing.ram, landing.cell, 1);
                        }
                    }
                }
            }
        }
    }

    /// What an instruction that cannot be decoded has done all the same.
    fn emit_before_decoding(&self) -> TokenStream {
        let (_, regions) = scheduled_operations(self.model, self.model.main, 0, false);
        let calls = calls_before_decoding(self.model);
        let runs = calls.iter().map(|call| {
            let operation = self.model.operation(call.operation);
            let body = operation.body(call.part);
            let name = section_name(operation, call.part);
            let first = number((call.base + u32::from(call.conditional)).into());
            let base = body.is_some_and(|body| body.regions > 1).then(|| quote!(, #first));
            let fallible = body.is_some_and(|body| self.body_is_fallible(operation, body));
            let mark = fallible.then(|| quote!(?));
            let run = quote!(super::operations::#name(self, &mut step #base)#mark;);
            match call.guard {
                Some(guard) => {
                    let bit = number(1 << guard);
                    quote!(if step.due & #bit != 0 { #run })
                }
                None => run,
            }
        });
        let runs: Vec<TokenStream> = runs.collect();
        let regions = number(regions.into());
        let step = (!runs.is_empty()).then(|| quote!(let mut step = Step::<#regions>::new(self.pc(), 0, 1);));
        quote! {
            fn before_decoding(&mut self) -> Result<(), Trap> {
                #step
                #(#runs)*
                Ok(())
            }
        }
    }

    fn emit_call_of_handler(&self) -> Option<TokenStream> {
        let regions = number((self.model.memory_fault.as_ref()?.regions - 1).into());
        Some(quote! {
            fn memory_fault(&mut self, address: u64) -> Option<Result<(), Trap>> {
                let mut step = Step::<#regions>::new(address, 0, self.kernel.budget);
                step.pc = self.pc();
                let outcome = super::memory_fault::memory_fault(self, &mut step, 0);
                self.set_pc(step.pc);
                Some(outcome)
            }
        })
    }

    fn emit_reset_operation(&self) -> TokenStream {
        let operation = self.model.reset.map(|reset| self.model.operation(reset));
        let call = operation.and_then(|operation| {
            let body = operation.behavior.as_ref()?;
            let name = section_name(operation, Part::Behavior);
            let regions = number((body.regions - 1).into());
            let base = (body.regions > 1).then(|| quote!(, 0));
            let leave = self.body_is_fallible(operation, body).then(|| quote!(outcome?;));
            Some(quote! {
                let mut step = Step::<#regions>::new(self.pc(), 0, 0);
                let outcome = super::operations::#name(self, &mut step #base);
                self.set_pc(step.pc);
                #leave
            })
        });
        quote! {
            fn reset(&mut self) -> Result<(), Trap> {
                #call
                Ok(())
            }
        }
    }

    fn root_map(&self) -> u32 {
        let root = self.model.operations.iter().find_map(|operation| operation.root.as_ref());
        let mut statements = root.iter().flat_map(|body| &body.statements);
        statements
            .find_map(|statement| match statement {
                isac_ir::behavior::Stmt::Decode { source: WordSource::Map { map, .. }, .. } => Some(*map),
                _ => None,
            })
            .unwrap_or(0)
    }

    /// Bits of a cell of the map that instructions are fetched from.
    pub(super) fn root_cell_bits(&self) -> u32 {
        self.model.maps[self.root_map() as usize].cell_bits
    }

    fn emit_fetch(&self) -> TokenStream {
        let Some((_, _, index)) = find_root(self.model) else { return TokenStream::new() };
        let decoder = &self.model.decoders[index as usize];
        let width = decoder.width_bits;
        let map = &self.model.maps[self.root_map() as usize];
        let fetch = joined(&map.name, &format!("fetch{}", width / map.cell_bits));
        let bits = number(width.into());
        let root_map = number(self.root_map().into());
        let ty = unsigned(width);
        let word = if storage_bits(width) == 128 { quote!(word) } else { quote!(u128::from(word)) };
        let (rest, words) = match decoder.first_bits == width {
            true => (
                quote! {
                    // It may lie on both sides of where addresses wrap.
                    Err(_) => fetch_cells(super::model(), self, #root_map, address, 0, #bits)?.to_u128() as #ty,
                },
                quote!((Bits::from_u128(#word), #bits)),
            ),
            false => {
                let index = number(index.into());
                let cell = number(map.cell_bits.into());
                let low = self.model.target.big_endian.then(|| quote!(.shifted_down(#bits - width)));
                (
                    quote! {
                        // A shorter one may be at the end of memory, or where addresses wrap.
                        Err(_) => fetch_asked(super::model(), self, #root_map, #index, address)?.to_u128() as #ty,
                    },
                    quote!({
                        let width = decoded.size_cells * #cell;
                        (Bits::from_u128(#word)#low & Bits::ones(width), width)
                    }),
                )
            }
        };
        quote! {
            fn decode<P: Profiling>(&self, address: u64) -> Result<Decoded<Self, P>, FaultKind> {
                let word = match self.#fetch(address) {
                    Ok(word) => word,
                    #rest
                };
                let mut decoded = super::decoder::decode::<P>(word).ok_or(FaultKind::IllegalInstruction)?;
                decoded.words = [#words];
                Ok(decoded)
            }
        }
    }
}
