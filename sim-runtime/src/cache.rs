//! Caches, and what an access to a map costs in cycles.
//!
//! A cache keeps tags and never data, so that nothing which a program computes can depend on it
//! but through `.latency`. A set is a row of tags. Where the oldest line has to go the row is in
//! order of age, the youngest first: a line that is brought in or used comes to the front, and the
//! last one goes; there are no stamps that could overflow, and empty entries are behind all others.
//!
//! Almost every access hits the line that its set was asked for last, which under LRU stands first:
//! [`Cache::access_cycles`] looks there, and leaves all else to code out of its way. Most reads, of
//! instructions above all, are of the line that was asked for last: it is there, and reading it changes
//! nothing, whatever goes when a set is full.

use isac_ir::Model;
use isac_ir::resource::{self, Replacement};
use sim_profile::CacheLines;

use crate::host::Random;
use crate::kernel::Profiling;

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
    entries: Box<[u64]>,
    set_mask: u64,
    way_shift: u32,
    line_shift: u32,
    replacement: Replacement,
    /// What a write leaves in an entry: [`DIRTY`] where written lines are written back.
    written: u64,
    /// At most [`MOST_CYCLES`].
    hit_cycles: u32,
    miss_cycles: u32,
    random: Random,
    /// The first cell of the line that was touched last; [`NO_CELL`] before the first.
    latest: u64,
    /// Number of lines touched up to the last miss, the lines of its access included.
    missed_at: u64,
    /// Lines touched in accesses but those that `hits` tells.
    touched: CacheLines,
    /// Accesses that have hit one line and touched nothing else.
    hits: u64,
    /// The same since the turn at hand began, where there is a profile; [`OTHERS`] is added where there
    /// were other accesses.
    in_turn: u64,
    /// Lines touched in those other accesses.
    others: CacheLines,
}

/// The bit of [`Cache::in_turn`] that there were other accesses.
const OTHERS: u64 = 1 << 63;

/// No line is near it: memories are smaller.
const NO_CELL: u64 = 1 << 63;

/// What almost every access touches.
const ONE_HIT: CacheLines = CacheLines { hits: 1, misses: 0, write_backs: 0 };

impl Cache {
    /// An empty cache; `seed` decides what REPLACEMENT (RANDOM) replaces.
    pub fn new(table: &resource::Cache, seed: u64) -> Cache {
        let lines = table.size_cells / table.line_cells;
        Cache {
            entries: vec![0; lines as usize].into_boxed_slice(),
            set_mask: lines / table.ways - 1,
            way_shift: table.ways.trailing_zeros(),
            line_shift: table.line_cells.trailing_zeros(),
            replacement: table.replacement,
            written: if table.write_back { DIRTY } else { 0 },
            hit_cycles: table.hit_cycles.min(MOST_CYCLES as u32),
            miss_cycles: table.miss_cycles,
            random: Random::new(seed),
            latest: NO_CELL,
            missed_at: 0,
            touched: CacheLines::default(),
            hits: 0,
            in_turn: 0,
            others: CacheLines::default(),
        }
    }

    /// The caches of a model, all empty. Each has random numbers of its own, so that what one
    /// replaces depends on nothing but the seed and its own accesses.
    ///
    /// # Panics
    /// If the model has not `N`.
    pub fn of_model<const N: usize>(model: &Model, seed: u64) -> [Cache; N] {
        assert_eq!(model.caches.len(), N, "every cache of {} has its place", model.name);
        let mut seeds = Random::new(seed);
        std::array::from_fn(|number| Cache::new(&model.caches[number], seeds.next()))
    }

    /// Touches every line that has one of `cells` cells of the memory from `cell` on, at least one,
    /// by ascending address.
    pub fn access(&mut self, cell: u64, cells: u64, writes: bool) -> CacheLines {
        let mut touched = CacheLines::default();
        for line in self.line_of(cell)..=self.last_line_of(cell, cells) {
            self.touch(line, writes, &mut touched);
        }
        if touched == ONE_HIT {
            (self.hits, self.in_turn) = (self.hits + 1, self.in_turn.wrapping_add(1));
            return touched;
        }
        self.touched.add(touched);
        self.others.add(touched);
        self.in_turn |= OTHERS;
        if touched.misses > 0 {
            self.missed_at = self.lines_touched();
        }
        touched
    }

    /// True if a line of the last access was absent.
    pub fn has_missed(&self) -> bool {
        self.missed_at > 0 && self.missed_at == self.lines_touched()
    }

    /// The last access to the map that the cache is of went elsewhere: no line of it was absent.
    pub fn pass_by(&mut self) {
        self.missed_at = 0;
    }

    fn lines_touched(&self) -> u64 {
        let CacheLines { hits, misses, .. } = self.touched();
        hits.saturating_add(misses)
    }

    /// The same, and what it costs: HIT for each line touched, MISS for each that was absent, and MISS
    /// again for each that was written back. The sizes of the cache are known when the simulator is
    /// emitted: of a line and a set as powers of two, and the number of sets less one; and what a hit costs.
    #[inline(always)]
    pub fn access_cycles<P: Profiling, const LINE: u32, const SETS: u64, const WAYS: u32, const HIT: u32>(
        &mut self,
        cell: u64,
        cells: u64,
        writes: bool,
    ) -> u32 {
        if !writes && cells <= 1 << LINE && cell.wrapping_sub(self.latest) <= (1 << LINE) - cells {
            self.count_hit::<P>();
            return HIT;
        }
        let line = cell >> LINE;
        let first = ((line & SETS) << WAYS) as usize;
        if (cell & ((1 << LINE) - 1)) + cells <= 1 << LINE
            && let Some(entry) = self.entries.get_mut(first)
            && *entry & !DIRTY == tag_of(line)
        {
            if writes {
                *entry |= self.written;
            }
            self.latest = line << LINE;
            self.count_hit::<P>();
            return HIT;
        }
        self.access_further(cell, cells, writes)
    }

    #[inline(always)]
    fn count_hit<P: Profiling>(&mut self) {
        self.hits += 1;
        if P::ON {
            self.in_turn = self.in_turn.wrapping_add(1);
        }
    }

    /// An access that is not to the first entry of a set alone.
    #[inline(never)]
    fn access_further(&mut self, cell: u64, cells: u64, writes: bool) -> u32 {
        let touched = self.access(cell, cells, writes);
        self.cycles(touched)
    }

    /// What touching lines costs, as [`Cache::access_cycles`] says.
    pub fn cycles(&self, touched: CacheLines) -> u32 {
        let CacheLines { hits, misses, write_backs } = touched;
        let hit_cycles = u64::from(self.hit_cycles).saturating_mul(hits.saturating_add(misses));
        let miss_cycles = u64::from(self.miss_cycles).saturating_mul(misses.saturating_add(write_backs));
        hit_cycles.saturating_add(miss_cycles).min(MOST_CYCLES) as u32
    }

    /// Everything touched so far.
    pub fn touched(&self) -> CacheLines {
        let hits = self.touched.hits.saturating_add(self.hits);
        CacheLines { hits, ..self.touched }
    }

    /// A turn begins, in which lines may be touched.
    #[inline(always)]
    pub fn begin_turn(&mut self) {
        self.in_turn = 0;
    }

    /// What the turn at hand has touched, if that is one hit or nothing: true if it is a hit, `None` if it is
    /// anything else. Told with a profile alone.
    #[inline(always)]
    pub fn hit_in_turn(&self) -> Option<bool> {
        match self.in_turn {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Takes what the turn at hand has touched.
    pub fn take_touched(&mut self) -> CacheLines {
        let hits = std::mem::take(&mut self.in_turn) & !OTHERS;
        let mut taken = std::mem::take(&mut self.others);
        taken.hits = taken.hits.saturating_add(hits);
        taken
    }

    #[inline(always)]
    fn line_of(&self, cell: u64) -> u64 {
        cell >> self.line_shift
    }

    #[inline(always)]
    fn last_line_of(&self, cell: u64, cells: u64) -> u64 {
        self.line_of(cell.saturating_add(cells.saturating_sub(1)))
    }

    /// Where the set of a line begins.
    #[inline(always)]
    fn first_entry(&self, line: u64) -> usize {
        ((line & self.set_mask) << self.way_shift) as usize
    }

    fn touch(&mut self, line: u64, writes: bool, touched: &mut CacheLines) {
        self.latest = line << self.line_shift;
        let written = if writes { self.written } else { 0 };
        let first = self.first_entry(line);
        let ways = 1 << self.way_shift;
        let set = &mut self.entries[first..first + ways];
        let tag = tag_of(line);
        if let Some(way) = set.iter().position(|entry| entry & !DIRTY == tag) {
            set[way] |= written;
            if self.replacement == Replacement::LeastRecentlyUsed {
                bring_to_front(set, way);
            }
            touched.hits += 1;
            return;
        }
        let way = match (set.iter().position(|entry| *entry == 0), self.replacement) {
            (Some(empty), _) => empty,
            (None, Replacement::Random) => self.random.next() as usize & (ways - 1),
            (None, Replacement::LeastRecentlyUsed | Replacement::FirstInFirstOut) => ways - 1,
        };
        touched.misses += 1;
        touched.write_backs += u64::from(set[way] & DIRTY != 0);
        set[way] = tag | written;
        if self.replacement != Replacement::Random {
            bring_to_front(set, way);
        }
    }
}

/// The entry of a line that is not dirty.
#[inline(always)]
fn tag_of(line: u64) -> u64 {
    line << NUMBER_SHIFT | VALID
}

/// Makes an entry the youngest of its set; the order of the others stays.
fn bring_to_front(set: &mut [u64], way: usize) {
    for older in (1..=way).rev() {
        set.swap(older, older - 1);
    }
}

/// The caches of a model, and what the last access to each map cost, as the reference engine keeps
/// them: generated simulators know where an access lands without looking it up.
#[derive(Debug, Clone)]
pub struct AccessCosts {
    caches: Vec<Cache>,
    latencies: Vec<u32>,
}

impl AccessCosts {
    /// Empty caches; every latency is 1.
    pub fn new(model: &Model, seed: u64) -> AccessCosts {
        let mut seeds = Random::new(seed);
        let caches = model.caches.iter().map(|table| Cache::new(table, seeds.next())).collect();
        AccessCosts { caches, latencies: vec![1; model.maps.len()] }
    }

    /// Cycles of the last access to a map; 1 before the first.
    pub fn latency(&self, map: u32) -> u32 {
        self.latencies[map as usize]
    }

    /// True if a line of the last access to a cache was absent.
    pub fn has_missed(&self, cache: u32) -> bool {
        self.caches[cache as usize].has_missed()
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
