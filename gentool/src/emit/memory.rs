//! Memory maps as methods of the processor: one for each map, width and kind of access in use.

use std::collections::BTreeSet;

use isac_ir::account::PARTS;
use isac_ir::behavior::{AccessKind, Body, ExprKind, Stmt, UNCOUNTED, walk_expressions, walk_statements};
use isac_ir::bits::mask;
use isac_ir::operand::Expression;
use isac_ir::resource::{Map, Ram, Range};
use isac_ir::root::WordSource;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expression::{is_wide, number, storage_bits, unsigned};
use super::form::find_root;
use super::name::{identifier, joined};
use super::{Emitter, Shape};

/// What is done to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verb {
    Read,
    Write,
    Fetch,
    /// Reads what a partial write keeps; needs the write's flag.
    Keep,
    /// The same for bits of a cell that is wider than what is computed with.
    ReadPart,
    WritePart,
    FetchPart,
    /// Of several parts of one access but one.
    ReadFurtherPart,
    WriteFurtherPart,
}

impl Verb {
    /// True for what counts as an access and may cost something.
    fn is_access(self) -> bool {
        !matches!(self, Verb::Keep | Verb::ReadFurtherPart | Verb::WriteFurtherPart)
    }

    /// True for bits of one cell.
    fn is_part(self) -> bool {
        use Verb::{FetchPart, ReadFurtherPart, ReadPart, WriteFurtherPart, WritePart};
        matches!(self, ReadPart | WritePart | FetchPart | ReadFurtherPart | WriteFurtherPart)
    }
}

impl Emitter<'_> {
    /// The file of memory maps.
    pub(super) fn emit_memory(&self) -> TokenStream {
        let methods =
            self.memory_accesses().into_iter().map(|(map, cells, verb)| self.emit_access(map, cells, verb));
        let fetches = self.emit_fetch_costs();
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::kernel::prelude::*;

            use super::processor::Processor;

            impl Processor { #(#methods)* #fetches }
        }
    }

    /// Map, number of cells and kind of every access, the decoder's fetches included.
    fn memory_accesses(&self) -> BTreeSet<(u32, u32, Verb)> {
        let mut found = BTreeSet::new();
        for operation in &self.model.operations {
            let expression = operation.expression.iter();
            let expressions = expression.flat_map(Expression::bodies);
            let parts = PARTS.iter().filter_map(|part| operation.body(*part));
            for body in expressions.chain(parts) {
                add_accesses(body, &mut found);
            }
        }
        self.model.memory_fault.iter().for_each(|body| add_accesses(body, &mut found));
        // A step without order fetches in the runtime.
        if let (Shape::Blocks | Shape::Timed, Some((operation, _, decoder))) =
            (self.shape, find_root(self.model))
        {
            let width = self.model.decoders[decoder as usize].width_bits;
            let root = self.model.operation(operation).root.iter();
            for statement in root.flat_map(|body| &body.statements) {
                if let Stmt::Decode { source: WordSource::Map { map, .. }, .. } = statement {
                    let cells = width / self.model.maps[*map as usize].cell_bits;
                    found.insert((*map, cells, Verb::Fetch));
                }
            }
        }
        found
    }

    /// The skeleton: a test for each range that allows the access, then the fault.
    fn emit_access(&self, index: u32, cells: u32, verb: Verb) -> TokenStream {
        let map = &self.model.maps[index as usize];
        if verb.is_part() {
            return self.emit_part_access(index, verb);
        }
        let (word, kind, docs) = match verb {
            Verb::Read => ("read", quote!(Trap::Read), "Reads"),
            Verb::Write => ("write", quote!(Trap::Write), "Writes"),
            Verb::Fetch => ("fetch", quote!(Trap::Fetch), "Fetches"),
            _ => ("keep", quote!(Trap::Write), "Reads, as part of a write,"),
        };
        let name = joined(&map.name, &format!("{word}{cells}"));
        let allowed = self.allowed_ranges(map, verb);
        let tests = allowed.map(|range| self.emit_range(index, range, cells, verb));
        let plural = if cells == 1 { "cell" } else { "cells" };
        let docs = format!(" {docs} {cells} {plural} of `{}` ({}).", map.name, map.location);
        let width = map.cell_bits * cells;
        let ty = unsigned(width);
        let has_devices = !map.devices.is_empty() && verb != Verb::Fetch;
        let pays = verb.is_access() && self.map_has_costs(index);
        let generics = pays.then(|| quote!(<P: Profiling>));
        let (this, value, result) = match verb {
            Verb::Write => (quote!(&mut self), quote!(, value: #ty), quote!(())),
            _ if has_devices => (quote!(&mut self), quote!(, left: u64), quote!(#ty)),
            _ if pays => (quote!(&mut self), TokenStream::new(), quote!(#ty)),
            _ => (quote!(&self), TokenStream::new(), quote!(#ty)),
        };
        let device = has_devices.then(|| self.emit_device(index, cells, verb, &ty));
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// A memory fault where no range allows it.
            #[inline(always)]
            pub fn #name #generics(#this, address: u64 #value) -> Result<#result, Trap> {
                #(#tests)*
                #device
                Err(#kind)
            }
        }
    }

    /// The ranges whose memory has the flag.
    fn allowed_ranges<'a>(&'a self, map: &'a Map, verb: Verb) -> impl Iterator<Item = &'a Range> {
        map.ranges.iter().filter(move |range| {
            let ram = &self.model.rams[range.ram as usize];
            match verb {
                Verb::Read | Verb::ReadPart | Verb::ReadFurtherPart => ram.readable,
                Verb::Write | Verb::Keep | Verb::WritePart | Verb::WriteFurtherPart => ram.writable,
                Verb::Fetch | Verb::FetchPart => ram.executable,
            }
        })
    }

    /// The same skeleton for bits of one cell; no device has such cells.
    fn emit_part_access(&self, index: u32, verb: Verb) -> TokenStream {
        let map = &self.model.maps[index as usize];
        let (word, kind, docs) = match verb {
            Verb::WritePart => ("write_part", quote!(Trap::Write), "Writes"),
            Verb::WriteFurtherPart => ("write_further_part", quote!(Trap::Write), "Writes further"),
            Verb::ReadFurtherPart => ("read_further_part", quote!(Trap::Read), "Reads further"),
            Verb::FetchPart => ("fetch_part", quote!(Trap::Fetch), "Fetches"),
            _ => ("read_part", quote!(Trap::Read), "Reads"),
        };
        let name = joined(&map.name, word);
        let docs = format!(" {docs} bits `low..low + width` of a cell of `{}` ({}).", map.name, map.location);
        let tests = self.allowed_ranges(map, verb).map(|range| self.emit_part_range(index, range, verb));
        let pays = verb.is_access() && self.map_has_costs(index);
        let generics = pays.then(|| quote!(<P: Profiling>));
        let (this, value, result) = match verb {
            Verb::WritePart | Verb::WriteFurtherPart => {
                (quote!(&mut self), quote!(, value: u128), quote!(()))
            }
            _ if pays => (quote!(&mut self), TokenStream::new(), quote!(u128)),
            _ => (quote!(&self), TokenStream::new(), quote!(u128)),
        };
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// A memory fault where no range allows it.
            pub fn #name #generics(#this, address: u64, low: u32, width: u32 #value) -> Result<#result, Trap> {
                #(#tests)*
                Err(#kind)
            }
        }
    }

    /// What an access to a range costs, if it is one.
    fn pay(&self, map: u32, range: &Range, cells: u32, verb: Verb) -> TokenStream {
        let writes = matches!(verb, Verb::Write | Verb::WritePart);
        match verb.is_access() && self.map_has_costs(map) {
            true => self.pay_range(map, range, &number(cells.into()), writes),
            false => TokenStream::new(),
        }
    }

    fn emit_part_range(&self, map: u32, range: &Range, verb: Verb) -> TokenStream {
        let pay = self.pay(map, range, 1, verb);
        let ram = &self.model.rams[range.ram as usize];
        let name = identifier(&ram.name);
        let size = range.high - range.low + 1;
        let (offset, last) = (offset(range), number((size - 1).into()));
        let bound = (size != ram.size_cells).then(|| quote!(#offset <= #last &&));
        let low = match range.low_bit {
            0 => quote!(low),
            first => {
                let first = number(first.into());
                quote!(#first + low)
            }
        };
        match verb {
            Verb::WritePart | Verb::WriteFurtherPart => quote! {
                if #bound let Some([old]) = self.memories.#name.get::<1>(#offset) {
                    let new = old.with(#low, width, value);
                    if self.memories.#name.set::<1>(#offset, [new]) == Some(true) {
                        self.kernel.code_written = true;
                    }
                    #pay
                    return Ok(());
                }
            },
            _ => quote! {
                if #bound let Some([cell]) = self.memories.#name.get::<1>(#offset) {
                    #pay
                    return Ok(cell.extract(#low, width));
                }
            },
        }
    }

    fn emit_range(&self, index: u32, range: &Range, cells: u32, verb: Verb) -> TokenStream {
        let map = &self.model.maps[index as usize];
        let pay = self.pay(index, range, cells, verb);
        let ram = &self.model.rams[range.ram as usize];
        let name = identifier(&ram.name);
        let size = range.high - range.low + 1;
        if u64::from(cells) > size {
            return TokenStream::new();
        }
        let offset = offset(range);
        let count = number(cells.into());
        let last = number((size - u64::from(cells)).into());
        let bound = (size != ram.size_cells).then(|| quote!(#offset <= #last &&));
        match verb {
            Verb::Write if ram.cell_bits != map.cell_bits => {
                let (old, split) = (number(cells.into()), self.replace_cells(map, ram, range, cells));
                quote! {
                    if #bound let Some(old) = self.memories.#name.get::<#old>(#offset) {
                        if self.memories.#name.set::<#count>(#offset, #split) == Some(true) {
                            self.kernel.code_written = true;
                        }
                        #pay
                        return Ok(());
                    }
                }
            }
            Verb::Write => {
                let split = self.split_cells(map, ram, cells);
                quote! {
                    if #bound let Some(hit) = self.memories.#name.set::<#count>(#offset, #split) {
                        if hit {
                            self.kernel.code_written = true;
                        }
                        #pay
                        return Ok(());
                    }
                }
            }
            _ => {
                let joined = self.join_cells(map, ram, range, cells);
                quote! {
                    if #bound let Some(cells) = self.memories.#name.get::<#count>(#offset) {
                        #pay
                        return Ok(#joined);
                    }
                }
            }
        }
    }

    /// `cells` as one value, in the target's order.
    fn join_cells(&self, map: &Map, ram: &Ram, range: &Range, cells: u32) -> TokenStream {
        let width = map.cell_bits * cells;
        let ty = unsigned(width);
        let is_part = ram.cell_bits != map.cell_bits;
        if ram.cell_bits == 8 && storage_bits(width) == width && !is_part {
            return match self.model.target.big_endian {
                true => quote!(#ty::from_be_bytes(cells)),
                false => quote!(#ty::from_le_bytes(cells)),
            };
        }
        let parts = (0..cells).map(|index| {
            let shift = number(self.cell_shift(map, cells, index).into());
            let index = number(index.into());
            match is_part {
                true if is_wide(ram.cell_bits) => {
                    let (low, bits) = (number(range.low_bit.into()), number(map.cell_bits.into()));
                    quote!((cells[#index].extract(#low, #bits) as #ty) << #shift)
                }
                true => {
                    let (low, mask) = (number(range.low_bit.into()), number(mask(map.cell_bits)));
                    quote!(((cells[#index] >> #low & #mask) as #ty) << #shift)
                }
                false => quote!((cells[#index] as #ty) << #shift),
            }
        });
        quote!(#(#parts)|*)
    }

    /// `old` cells with the bits of `value` put into each, in the target's order.
    fn replace_cells(&self, map: &Map, ram: &Ram, range: &Range, cells: u32) -> TokenStream {
        if is_wide(ram.cell_bits) {
            let (low, bits) = (number(range.low_bit.into()), number(map.cell_bits.into()));
            let parts = (0..cells).map(|index| {
                let shift = number(self.cell_shift(map, cells, index).into());
                let index = number(index.into());
                quote!(old[#index].with(#low, #bits, (value >> #shift) as u128))
            });
            return quote!([#(#parts),*]);
        }
        let cell = unsigned(ram.cell_bits);
        let (low, bits) = (number(range.low_bit.into()), number(mask(map.cell_bits)));
        let others = number(mask(ram.cell_bits) & !(mask(map.cell_bits) << range.low_bit));
        let parts = (0..cells).map(|index| {
            let shift = number(self.cell_shift(map, cells, index).into());
            let index = number(index.into());
            quote!(old[#index] & #others | ((value >> #shift) as #cell & #bits) << #low)
        });
        quote!([#(#parts),*])
    }

    /// `value` as an array of cells, in the target's order.
    fn split_cells(&self, map: &Map, ram: &Ram, cells: u32) -> TokenStream {
        let width = map.cell_bits * cells;
        if ram.cell_bits == 8 && storage_bits(width) == width {
            return match self.model.target.big_endian {
                true => quote!(value.to_be_bytes()),
                false => quote!(value.to_le_bytes()),
            };
        }
        let cell = unsigned(map.cell_bits);
        let mask = number(mask(map.cell_bits));
        let parts = (0..cells).map(|index| {
            let shift = number(self.cell_shift(map, cells, index).into());
            quote!((value >> #shift) as #cell & #mask)
        });
        quote!([#(#parts),*])
    }

    /// The test for a device, which is rarely what is meant.
    fn emit_device(&self, map: u32, cells: u32, verb: Verb, ty: &Ident) -> TokenStream {
        let pay = match verb.is_access() {
            true => self.pay_other(&quote!(self), map),
            false => TokenStream::new(),
        };
        let (map, cells) = (number(map.into()), number(cells.into()));
        let act = match verb {
            Verb::Write => quote! {
                self.kernel.write_device(model, cells, value as u128);
                return Ok(());
            },
            Verb::Keep => quote!(return Ok(self.kernel.keep_device(model, left, cells) as #ty);),
            _ => quote!(return Ok(self.kernel.read_device(model, left, cells) as #ty);),
        };
        quote! {
            let model = super::model();
            if let Some(cells) = find_device(model, #map, address, #cells) {
                #pay
                #act
            }
        }
    }

    fn cell_shift(&self, map: &Map, cells: u32, index: u32) -> u32 {
        let rank = if self.model.target.big_endian { cells - 1 - index } else { index };
        rank * map.cell_bits
    }
}

/// The cell that an address means.
pub(super) fn offset(range: &Range) -> TokenStream {
    match range.low {
        0 => quote!(address),
        low => {
            let low = number(low.into());
            quote!(address.wrapping_sub(#low))
        }
    }
}

fn add_accesses(body: &Body, found: &mut BTreeSet<(u32, u32, Verb)>) {
    walk_expressions(&body.statements, &mut |expr| {
        if let ExprKind::Memory { map, cells, access, .. } = expr.kind {
            let verb = match access {
                UNCOUNTED => Verb::Keep,
                access => match body.accesses[access as usize].kind {
                    AccessKind::Execute => Verb::Fetch,
                    AccessKind::Read | AccessKind::Write => Verb::Read,
                },
            };
            found.insert((map, cells, verb));
        }
        if let ExprKind::CellPart { map, access, .. } = expr.kind {
            let is_fetch = access != UNCOUNTED && body.accesses[access as usize].kind == AccessKind::Execute;
            let verb = match access {
                UNCOUNTED => Verb::ReadFurtherPart,
                _ if is_fetch => Verb::FetchPart,
                _ => Verb::ReadPart,
            };
            found.insert((map, 1, verb));
        }
    });
    walk_statements(&body.statements, &mut |statement| {
        if let Stmt::SetMemory { map, cells, .. } = statement {
            found.insert((*map, *cells, Verb::Write));
        }
        if let Stmt::SetCellPart { map, access, .. } = statement {
            let is_further = *access == UNCOUNTED;
            found.insert((*map, 1, if is_further { Verb::WriteFurtherPart } else { Verb::WritePart }));
        }
    });
}
