//! Caches, and what an access to a map costs in cycles.
//!
//! A cache keeps tags and never data, so that nothing which a program computes can depend on it
//! but through `.latency`. A set is a row of tags. Where the oldest line has to go the row is in
//! order of age, the youngest first: a line that is brought in or used comes to the front, and the
//! last one goes; there are no stamps that could overflow.

use isac_ir::Model;
use isac_ir::resource::{self, Replacement};
use sim_profile::CacheLines;

use crate::host::Random;

/// Most cycles of one access: what a signed value of 32 bits holds, as `.latency` is one.
const MOST_CYCLES: u64 = i32::MAX as u64;

/// A tag is the line's number above these two bits; an entry of 0 is empty.
const VALID: u64 = 1;
const DIRTY: u64 = 2;
const NUMBER_SHIFT: u32 = 2;

/// The tags of one cache.
#[derive(Debug, Clone)]
pub struct Cache {
    /// Entries, set by set.
    entries: Vec<u64>,
    ways: usize,
    set_mask: u64,
    line_shift: u32,
    replacement: Replacement,
    is_write_back: bool,
    hit_cycles: u32,
    miss_cycles: u32,
    random: Random,
    touched: CacheLines,
}

impl Cache {
    /// An empty cache; `seed` decides what REPLACEMENT (RANDOM) replaces.
    pub fn new(table: &resource::Cache, seed: u64) -> Cache {
        let lines = table.size_cells / table.line_cells;
        Cache {
            entries: vec![0; lines as usize],
            ways: table.ways as usize,
            set_mask: lines / table.ways - 1,
            line_shift: table.line_cells.trailing_zeros(),
            replacement: table.replacement,
            is_write_back: table.write_back,
            hit_cycles: table.hit_cycles,
            miss_cycles: table.miss_cycles,
            random: Random::new(seed),
            touched: CacheLines::default(),
        }
    }

    /// Touches every line that has one of `cells` cells of the memory from `cell` on, at least one,
    /// by ascending address.
    pub fn access(&mut self, cell: u64, cells: u64, writes: bool) -> CacheLines {
        let last = cell.saturating_add(cells.saturating_sub(1));
        let mut touched = CacheLines::default();
        for line in cell >> self.line_shift..=last >> self.line_shift {
            self.touch(line, writes, &mut touched);
        }
        self.touched.add(touched);
        touched
    }

    /// What touching lines costs: HIT for each, MISS for each that was absent, and MISS again for
    /// each that was written back.
    pub fn cycles(&self, touched: CacheLines) -> u32 {
        let CacheLines { hits, misses, write_backs } = touched;
        let hit_cycles = u64::from(self.hit_cycles).saturating_mul(hits.saturating_add(misses));
        let miss_cycles = u64::from(self.miss_cycles).saturating_mul(misses.saturating_add(write_backs));
        hit_cycles.saturating_add(miss_cycles).min(MOST_CYCLES) as u32
    }

    /// Everything touched so far.
    pub fn touched(&self) -> CacheLines {
        self.touched
    }

    fn touch(&mut self, line: u64, writes: bool, touched: &mut CacheLines) {
        let first = (line & self.set_mask) as usize * self.ways;
        let set = &mut self.entries[first..first + self.ways];
        let tag = line << NUMBER_SHIFT | VALID;
        let dirty = if writes && self.is_write_back { DIRTY } else { 0 };
        if let Some(way) = set.iter().position(|entry| entry & !DIRTY == tag) {
            set[way] |= dirty;
            if self.replacement == Replacement::LeastRecentlyUsed {
                set[..=way].rotate_right(1);
            }
            touched.hits += 1;
            return;
        }
        let way = match (set.iter().position(|entry| *entry == 0), self.replacement) {
            (Some(empty), _) => empty,
            (None, Replacement::Random) => self.random.next() as usize & (self.ways - 1),
            (None, Replacement::LeastRecentlyUsed | Replacement::FirstInFirstOut) => self.ways - 1,
        };
        touched.misses += 1;
        touched.write_backs += u64::from(set[way] & DIRTY != 0);
        set[way] = tag | dirty;
        if self.replacement != Replacement::Random {
            set[..=way].rotate_right(1);
        }
    }
}

/// The caches of a model, and what the last access to each map cost.
#[derive(Debug, Clone)]
pub struct AccessCosts {
    caches: Vec<Cache>,
    latencies: Vec<u32>,
}

impl AccessCosts {
    /// Empty caches; every latency is 1. Each cache has random numbers of its own, so that what one
    /// replaces depends on nothing but the seed and its own accesses.
    pub fn new(model: &Model, seed: u64) -> AccessCosts {
        let mut seeds = Random::new(seed);
        let caches = model.caches.iter().map(|table| Cache::new(table, seeds.next())).collect();
        AccessCosts { caches, latencies: vec![1; model.maps.len()] }
    }

    /// Cycles of the last access to a map; 1 before the first.
    pub fn latency(&self, map: u32) -> u32 {
        self.latencies[map as usize]
    }

    /// An access to a map begins, which costs nothing so far.
    pub fn begin_access(&mut self, map: u32) {
        self.latencies[map as usize] = 0;
    }

    /// Adds what the access costs that begun last: it reaches `cells` cells of memory from `address`
    /// on, at least one. What it touches of a cache, by number.
    ///
    /// # Panics
    /// If no range has these cells: such an access is a fault.
    pub fn reach_memory(
        &mut self,
        model: &Model,
        map: u32,
        (address, cells): (u64, u64),
        writes: bool,
    ) -> Option<(u32, CacheLines)> {
        let ranges = &model.maps[map as usize].ranges;
        let range = &ranges[ranges.partition_point(|range| range.low <= address) - 1];
        let Some(number) = range.cache else {
            self.add(map, model.rams[range.ram as usize].latency);
            return None;
        };
        let cache = &mut self.caches[number as usize];
        let touched = cache.access(address - range.low, cells, writes);
        let cycles = cache.cycles(touched);
        self.add(map, cycles);
        Some((number, touched))
    }

    /// Adds the cycle of an access that reaches no memory: a device, a register, a FUNCTION.
    pub fn reach_other(&mut self, map: u32) {
        self.add(map, 1);
    }

    /// Everything touched so far, by cache.
    pub fn touched(&self) -> impl Iterator<Item = CacheLines> + '_ {
        self.caches.iter().map(Cache::touched)
    }

    fn add(&mut self, map: u32, cycles: u32) {
        let latency = &mut self.latencies[map as usize];
        *latency = u64::from(*latency).saturating_add(cycles.into()).min(MOST_CYCLES) as u32;
    }
}

#[cfg(test)]
mod tests;
