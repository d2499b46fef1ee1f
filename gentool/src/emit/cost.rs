//! What accesses cost: the caches that they touch, and what `.latency` says of them.
//!
//! An access that landed knows its range when the simulator is emitted, so what it costs is part of
//! the test for that range. Nothing is emitted that nobody can notice, as [`CostUse`] says, and
//! nothing at all in blocks, which have no turn for the fetches.

use std::collections::BTreeSet;

use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::bits::mask;
use isac_ir::resource::{Map, Range};
use isac_ir::root::WordSource;
use proc_macro2::TokenStream;
use quote::quote;

use super::expression::number;
use super::memory::offset;
use super::name::joined;
use super::{Emitter, Shape};

/// Most cycles of one access, as `sim_runtime::cache` has it.
const MOST_CYCLES: u32 = i32::MAX as u32;

impl Emitter<'_> {
    /// True if there is anything to simulate of what accesses cost.
    pub(super) fn has_costs(&self) -> bool {
        self.shape != Shape::Blocks && self.costs.is_any()
    }

    /// True if caches and latencies are simulated if a run asks for it: there is something to
    /// simulate, which instructions in flight always do.
    pub(super) fn asks_for_caches(&self) -> bool {
        self.costs.is_any() && !self.model.overlaps()
    }

    /// True if accesses to a map touch caches, or are asked for their latency.
    pub(super) fn map_has_costs(&self, map: u32) -> bool {
        let ranges = &self.model.maps[map as usize].ranges;
        let has_caches = ranges.iter().any(|range| range.cache.is_some());
        self.has_costs() && (has_caches || self.costs.asked[map as usize])
    }

    /// The type argument of methods that access a map with costs, where they are called.
    pub(super) fn access_argument(&self, map: u32) -> Option<TokenStream> {
        self.map_has_costs(map).then(|| quote!(::<P>))
    }

    /// What comes before an access that may touch a cache, where turns are asked what they have touched.
    pub(super) fn emit_touch(&self, map: u32) -> Option<TokenStream> {
        let touches = caches_of(&self.model.maps[map as usize]).into_iter().map(|cache| {
            let cache = number(cache.into());
            quote!(step.touch(p, #cache);)
        });
        (self.shape == Shape::Timed && self.has_costs()).then(|| quote!(#(#touches)*))
    }

    /// `.latency` of a map.
    pub(super) fn emit_latency(&self, map: u32) -> TokenStream {
        if !self.has_costs() {
            return quote!(1u32);
        }
        let map = number(map.into());
        match self.model.overlaps() {
            true => quote!(p.latencies[#map]),
            false => quote!(if P::COSTS { p.latencies[#map] } else { 1 }),
        }
    }

    /// Where costs are simulated if a run asks for them alone, a test for that.
    fn where_simulated(&self, pay: TokenStream) -> TokenStream {
        match self.model.overlaps() || pay.is_empty() {
            true => pay,
            false => quote!(if P::COSTS { #pay }),
        }
    }

    /// What an access costs that lands in a range, `address` being there.
    pub(super) fn pay_range(
        &self,
        map: u32,
        range: &Range,
        cells: &TokenStream,
        writes: bool,
    ) -> TokenStream {
        let cycles = self.cycles_of(range, cells, writes);
        let place = number(map.into());
        let reach = self.reach(map, range.cache);
        let pay = match (self.costs.asked[map as usize], range.cache) {
            (true, _) => quote!(self.latencies[#place] = #cycles; #reach),
            (false, Some(cache)) if self.costs.timed[cache as usize] => quote!(#cycles;),
            (false, Some(_)) => quote!(if P::ON { #cycles; }),
            (false, None) => TokenStream::new(),
        };
        self.where_simulated(pay)
    }

    /// True if stalls may ask which cache the last access to a map went through.
    fn knows_reached(&self, map: u32) -> bool {
        let has_caches = self.model.maps[map as usize].ranges.iter().any(|range| range.cache.is_some());
        has_caches && self.costs.asked[map as usize] && self.model.overlaps()
    }

    /// The cache that all accesses to a map go through which go through one, if no others do: it then knows
    /// itself what the last access to the map was.
    fn sole_cache(&self, map: u32) -> Option<u32> {
        let caches = caches_of(&self.model.maps[map as usize]);
        let sole = caches.first().filter(|_| caches.len() == 1)?;
        let users = self.model.maps.iter().filter(|map| caches_of(map).contains(sole));
        (users.count() == 1).then_some(*sole)
    }

    /// Remembers which cache an access went through: profiles ask what stalls have waited for.
    fn reach(&self, map: u32, cache: Option<u32>) -> TokenStream {
        let noted = self.note_reached(&quote!(self), map, cache);
        if noted.is_empty() { noted } else { quote!(if P::ON { #noted }) }
    }

    fn note_reached(&self, owner: &TokenStream, map: u32, cache: Option<u32>) -> TokenStream {
        if !self.knows_reached(map) {
            return TokenStream::new();
        }
        let place = number(map.into());
        match (self.sole_cache(map), cache) {
            (Some(_), Some(_)) => TokenStream::new(),
            (Some(sole), None) => {
                let sole = number(sole.into());
                quote!(#owner.caches[#sole].pass_by();)
            }
            (None, Some(cache)) => {
                let cache = number(cache.into());
                quote!(#owner.reached[#place] = Some(#cache);)
            }
            (None, None) => quote!(#owner.reached[#place] = None;),
        }
    }

    /// The cache that the last access to a map went through, if a line of it was absent then.
    fn emit_missed_cache(&self) -> TokenStream {
        let known = (0..self.model.maps.len() as u32).filter(|map| self.knows_reached(*map));
        let arms = known.map(|map| {
            let cache = match self.sole_cache(map) {
                Some(sole) => number(sole.into()),
                None => {
                    let place = number(map.into());
                    quote!(self.reached[#place]?)
                }
            };
            let map = number(map.into());
            quote!(#map => #cache,)
        });
        let arms: Vec<TokenStream> = arms.collect();
        if arms.is_empty() {
            return quote! {
                fn missed_cache(&self, _: u32) -> Option<u32> {
                    None
                }
            };
        }
        quote! {
            fn missed_cache(&self, map: u32) -> Option<u32> {
                let cache: u32 = match map {
                    #(#arms)*
                    _ => return None,
                };
                self.caches[cache as usize].has_missed().then_some(cache)
            }
        }
    }

    /// The cycles of an access to a range; a cache is touched.
    fn cycles_of(&self, range: &Range, cells: &TokenStream, writes: bool) -> TokenStream {
        match range.cache {
            Some(cache) => {
                let table = &self.model.caches[cache as usize];
                let (cache, offset) = (number(cache.into()), offset(range));
                let line = number(table.line_cells.trailing_zeros().into());
                let sets = number((table.size_cells / table.line_cells / table.ways - 1).into());
                let ways = number(table.ways.trailing_zeros().into());
                let hit = number(table.hit_cycles.min(MOST_CYCLES).into());
                let sizes = quote!(P, #line, #sets, #ways, #hit);
                quote!(self.caches[#cache].access_cycles::<#sizes>(#offset, #cells, #writes))
            }
            None => number(self.model.rams[range.ram as usize].latency.min(MOST_CYCLES).into()),
        }
    }

    /// What an access costs that reaches no memory.
    pub(super) fn pay_other(&self, owner: &TokenStream, map: u32) -> TokenStream {
        if !self.has_costs() || !self.costs.asked[map as usize] {
            return TokenStream::new();
        }
        let place = number(map.into());
        let reached = self.note_reached(owner, map, None);
        self.where_simulated(quote!(#owner.latencies[#place] = 1; #reached))
    }

    /// The fields of the processor: types, and what they are after reset.
    pub(super) fn emit_cost_fields(&self) -> (TokenStream, TokenStream) {
        if !self.has_costs() {
            return Default::default();
        }
        let caches = number(self.model.caches.len() as u128);
        let maps = number(self.model.maps.len() as u128);
        let names = |names: Vec<&str>| names.join(", ");
        let cache_docs = names(self.model.caches.iter().map(|cache| cache.name.as_str()).collect());
        let map_docs = names(self.model.maps.iter().map(|map| map.name.as_str()).collect());
        let cache_docs = format!(" Caches: {cache_docs}.");
        let map_docs = format!(" Cycles of the last access to each map: {map_docs}.");
        let fields = quote! {
            #[doc = #cache_docs]
            pub caches: [Cache; #caches],
            #[doc = #map_docs]
            pub latencies: [u32; #maps],
            /// The cache that the last access to each map went through, where there is a profile and the caches do not
            /// know it themselves.
            pub reached: [Option<u32>; #maps],
        };
        let values = quote! {
            caches: Cache::of_model(super::model(), 0),
            latencies: [1; #maps],
            reached: [None; #maps],
        };
        (fields, values)
    }

    /// What the engine asks of caches.
    pub(super) fn emit_cost_methods(&self) -> TokenStream {
        if !self.has_costs() {
            return TokenStream::new();
        }
        let missed_cache = self.emit_missed_cache();
        let arms = self.fetched_maps().into_iter().map(|map| {
            let name = fetched_name(&self.model.maps[map as usize]);
            let map = number(map.into());
            quote!(#map => self.#name::<P>(address, cells.into()),)
        });
        let arms: Vec<TokenStream> = arms.collect();
        let fetch = (!arms.is_empty()).then(|| {
            quote! {
                #[inline(always)]
                fn pay_fetch<P: Profiling>(&mut self, map: u32, address: u64, cells: u32) {
                    match map {
                        #(#arms)*
                        _ => {}
                    }
                }
            }
        });
        quote! {
            fn caches(&self) -> &[Cache] {
                &self.caches
            }

            fn caches_mut(&mut self) -> &mut [Cache] {
                &mut self.caches
            }

            #missed_cache

            fn empty_caches(&mut self, seed: u64) {
                self.caches = Cache::of_model(super::model(), seed);
            }

            #fetch
        }
    }

    /// The maps with costs that a CODINGROOT fetches from.
    pub(super) fn fetched_maps(&self) -> Vec<u32> {
        let mut maps = Vec::new();
        for root in self.model.operations.iter().filter_map(|operation| operation.root.as_ref()) {
            walk_statements(&root.statements, &mut |statement| {
                if let Stmt::Decode { source: WordSource::Map { map, .. }, .. } = statement
                    && self.map_has_costs(*map)
                    && !maps.contains(map)
                {
                    maps.push(*map);
                }
            });
        }
        maps
    }

    /// The methods for what a CODINGROOT fetches, a pair for each map.
    pub(super) fn emit_fetch_costs(&self) -> TokenStream {
        let maps = if self.has_costs() { self.fetched_maps() } else { Vec::new() };
        let methods = maps.into_iter().map(|map| self.emit_fetch_cost(map));
        quote!(#(#methods)*)
    }

    /// The skeleton: cells are on both sides of where addresses wrap, or are not.
    fn emit_fetch_cost(&self, index: u32) -> TokenStream {
        let map = &self.model.maps[index as usize];
        let (name, part) = (fetched_name(map), joined(&map.name, "fetched_part"));
        let docs = format!(" A CODINGROOT has fetched `cells` cells of `{}` ({}).", map.name, map.location);
        let part_docs = format!(
            " What that costs of cells of `{}` that lie one behind the other, all of them there.",
            map.name
        );
        let last = number(mask(map.address_bits));
        let asked = self.costs.asked[index as usize];
        let place = number(index.into());
        let (whole, wrapped) = match asked {
            true => (
                quote!(self.latencies[#place] = self.#part::<P>(address, cells);),
                quote! {
                    let cycles = self.#part::<P>(address, before) + self.#part::<P>(0, cells - before);
                    self.latencies[#place] = cycles.min(i32::MAX as u32);
                },
            ),
            false => (
                quote!(self.#part::<P>(address, cells);),
                quote! {
                    self.#part::<P>(address, before);
                    self.#part::<P>(0, cells - before);
                },
            ),
        };
        let body = self.where_simulated(quote! {
            let address = address & #last;
            let before = (#last - address).saturating_add(1);
            if before < cells {
                #wrapped
            } else {
                #whole
            }
        });
        let tests = self.emit_part_costs(index);
        quote! {
            #[doc = #docs]
            #[inline(always)]
            pub fn #name<P: Profiling>(&mut self, address: u64, cells: u64) {
                #body
            }

            #[doc = #part_docs]
            #[inline(always)]
            fn #part<P: Profiling>(&mut self, address: u64, cells: u64) -> u32 {
                #tests
            }
        }
    }

    /// The range that has the cells: the last that holds code needs no test.
    fn emit_part_costs(&self, index: u32) -> TokenStream {
        let map = &self.model.maps[index as usize];
        let holds_code = |range: &&Range| self.model.rams[range.ram as usize].executable;
        let ranges: Vec<&Range> = map.ranges.iter().filter(holds_code).collect();
        let Some((last, others)) = ranges.split_last() else { return quote!(0) };
        let cost = |range: &Range| {
            let cycles = self.cycles_of(range, &quote!(cells), false);
            let reach = self.reach(index, range.cache);
            let cycles = if reach.is_empty() { cycles } else { quote!({ #reach #cycles }) };
            match range.cache {
                Some(cache) if !self.costs.timed[cache as usize] => quote!(if P::ON { #cycles } else { 0 }),
                _ => cycles,
            }
        };
        let tests = others.iter().map(|range| {
            let (offset, size, cost) = (offset(range), number((range.high - range.low).into()), cost(range));
            quote!(if #offset <= #size { return #cost; })
        });
        let cost = cost(last);
        quote!(#(#tests)* #cost)
    }
}

/// The caches that accesses to a map may go through.
fn caches_of(map: &Map) -> BTreeSet<u32> {
    map.ranges.iter().filter_map(|range| range.cache).collect()
}

fn fetched_name(map: &Map) -> proc_macro2::Ident {
    joined(&map.name, "fetched")
}
