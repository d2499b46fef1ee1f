//! Sequences worked out by hand, and a plain model of a cache to compare with.

use isac_ir::resource::{self, Replacement};
use proptest::prelude::*;
use sim_profile::CacheLines;

use super::Cache;
use crate::kernel::Profiled;

/// Lines of 4 cells; an absent line costs 10 cycles more.
fn table(lines: u64, ways: u64, replacement: Replacement) -> resource::Cache {
    resource::Cache {
        name: "cache".to_owned(),
        location: "test:1".to_owned(),
        size_cells: lines * 4,
        line_cells: 4,
        ways,
        replacement,
        write_back: true,
        hit_cycles: HIT,
        miss_cycles: 10,
        ram: 0,
    }
}

/// What each of these does to the cache: `h` hit, `m` miss, `M` miss with a line written back.
/// A line is read, or written if a `!` stands before it.
fn outcomes(cache: &mut Cache, lines: &str) -> String {
    let touch = |text: &str| {
        let (line, writes) = text.strip_prefix('!').map_or((text, false), |line| (line, true));
        let line: u64 = line.parse().expect("a line's number");
        match <(u64, u64, u64)>::from(cache.access(line * 4 + 1, 1, writes)) {
            (1, 0, 0) => 'h',
            (0, 1, 0) => 'm',
            (0, 1, 1) => 'M',
            other => panic!("one line was touched: {other:?}"),
        }
    };
    lines.split(' ').map(touch).collect()
}

#[test]
fn lru_replaces_what_was_not_used_for_longest() {
    let mut cache = Cache::new(&table(2, 2, Replacement::LeastRecentlyUsed), 0);
    // 0 and 1 fill the set; 0 is used again, so 2 takes the place of 1, then 1 that of 0.
    assert_eq!(outcomes(&mut cache, "0 1 0 2 0 2 1 0 2"), "mmhmhhmmm");
}

#[test]
fn fifo_replaces_what_came_first() {
    let mut cache = Cache::new(&table(2, 2, Replacement::FirstInFirstOut), 0);
    // That 0 is used again does not help it: 2 takes its place, then 0 that of 1, 1 that of 2.
    assert_eq!(outcomes(&mut cache, "0 1 0 2 1 0 2 1"), "mmhmhmhm");
}

#[test]
fn random_fills_what_is_empty_first_and_depends_on_the_seed_alone() {
    let table = table(8, 8, Replacement::Random);
    let lines = "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7";
    assert_eq!(outcomes(&mut Cache::new(&table, 1), lines), "mmmmmmmmhhhhhhhh");
    let run = |seed| outcomes(&mut Cache::new(&table, seed), "0 1 2 3 4 5 6 7 8 0 1 2 3 4 5 6 7 8 9 0 1 2 3");
    assert_eq!(run(1), run(1));
    let runs: std::collections::BTreeSet<String> = (0..20).map(run).collect();
    assert!(runs.len() > 5, "{runs:?}");
    assert!(runs.iter().all(|outcomes| outcomes.starts_with("mmmmmmmmm")), "{runs:?}");
}

#[test]
fn sets_do_not_share_their_ways() {
    let mut direct = Cache::new(&table(4, 1, Replacement::LeastRecentlyUsed), 0);
    // 0 and 4 lie in set 0, 1 and 5 in set 1.
    assert_eq!(outcomes(&mut direct, "0 1 2 3 4 1 0 5 2 3"), "mmmmmhmmhh");
    let mut pairs = Cache::new(&table(4, 2, Replacement::LeastRecentlyUsed), 0);
    // 0, 2, 4 lie in set 0, 1 and 3 in set 1.
    assert_eq!(outcomes(&mut pairs, "0 1 2 3 4 1 3 2 0"), "mmmmmhhhm");
}

#[test]
fn a_written_line_is_written_back_once_when_it_goes() {
    let mut cache = Cache::new(&table(1, 1, Replacement::LeastRecentlyUsed), 0);
    assert_eq!(outcomes(&mut cache, "!0 !0 0 1 0 !0 2 0"), "mhhMmhMm");
    let mut cache = Cache::new(&table(2, 2, Replacement::LeastRecentlyUsed), 0);
    // Of the set 0 and 1, written and read, 0 goes last, and keeps that it was written.
    assert_eq!(outcomes(&mut cache, "!0 1 0 2 0 3 4"), "mmhmhmM");
}

#[test]
fn what_is_written_through_is_brought_in_and_never_written_back() {
    let through = resource::Cache { write_back: false, ..table(1, 1, Replacement::LeastRecentlyUsed) };
    assert_eq!(outcomes(&mut Cache::new(&through, 0), "!0 0 !1 !1 0"), "mhmhm");
}

#[test]
fn an_access_touches_every_line_that_it_has_cells_of() {
    let mut cache = Cache::new(&table(4, 1, Replacement::LeastRecentlyUsed), 0);
    let mut costs = |cell, cells, writes| {
        let touched = cache.access(cell, cells, writes);
        (<(u64, u64, u64)>::from(touched), cache.cycles(touched))
    };
    assert_eq!(costs(0, 4, false), ((0, 1, 0), 12), "a whole line");
    assert_eq!(costs(3, 2, true), ((1, 1, 0), 14), "the last cell of line 0 and the first of line 1");
    assert_eq!(costs(3, 6, false), ((2, 1, 0), 16), "lines 0 to 2");
    assert_eq!(costs(15, 6, false), ((0, 3, 2), 56), "3, then 4 and 5 for 0 and 1, which are written");
    assert_eq!(<(u64, u64, u64)>::from(cache.touched()), (3, 6, 2));
}

#[test]
fn costs_stay_at_what_a_latency_can_be() {
    let table = resource::Cache {
        hit_cycles: u32::MAX,
        miss_cycles: u32::MAX,
        ..table(1, 1, Replacement::LeastRecentlyUsed)
    };
    let cache = Cache::new(&table, 0);
    assert_eq!(cache.cycles(CacheLines { hits: 1, misses: 0, write_backs: 0 }), i32::MAX as u32);
    let most = CacheLines { hits: u64::MAX, misses: u64::MAX, write_backs: u64::MAX };
    assert_eq!(cache.cycles(most), i32::MAX as u32);
}

/// A cache as a list of lines with stamps: when each was brought in, and used last.
struct Plain {
    table: resource::Cache,
    /// Line, stamp of coming, stamp of use, written.
    lines: Vec<(u64, u64, u64, bool)>,
    time: u64,
}

impl Plain {
    fn access(&mut self, cell: u64, cells: u64, writes: bool) -> CacheLines {
        let mut lines: Vec<u64> = (cell..cell + cells).map(|cell| cell / self.table.line_cells).collect();
        lines.dedup();
        let mut touched = CacheLines::default();
        lines.into_iter().for_each(|line| touched.add(self.touch(line, writes)));
        touched
    }

    fn touch(&mut self, line: u64, writes: bool) -> CacheLines {
        self.time += 1;
        let written = writes && self.table.write_back;
        if let Some(entry) = self.lines.iter_mut().find(|entry| entry.0 == line) {
            *entry = (line, entry.1, self.time, entry.3 || written);
            return CacheLines { hits: 1, ..CacheLines::default() };
        }
        let sets = self.table.size_cells / self.table.line_cells / self.table.ways;
        let in_set = |entry: &&(u64, u64, u64, bool)| entry.0 % sets == line % sets;
        let mut write_backs = 0;
        if self.lines.iter().filter(in_set).count() as u64 == self.table.ways {
            let age = |entry: &&(u64, u64, u64, bool)| match self.table.replacement {
                Replacement::LeastRecentlyUsed => entry.2,
                Replacement::FirstInFirstOut | Replacement::Random => entry.1,
            };
            let victim = *self.lines.iter().filter(in_set).min_by_key(age).expect("the set is full");
            self.lines.retain(|entry| entry.0 != victim.0);
            write_backs = victim.3.into();
        }
        self.lines.push((line, self.time, self.time, written));
        CacheLines { hits: 0, misses: 1, write_backs }
    }
}

type AccessCycles = fn(&mut Cache, u64, u64, bool) -> u32;

/// What a hit costs in [`table`].
const HIT: u32 = 2;

/// Sizes of a line, of all sets and of a set, as powers of two, with the access for them.
const SIZES: &[((u32, u32, u32), AccessCycles)] = &[
    ((0, 0, 0), Cache::access_cycles::<Profiled, 0, 0, 0, HIT>),
    ((0, 0, 3), Cache::access_cycles::<Profiled, 0, 0, 3, HIT>),
    ((0, 2, 1), Cache::access_cycles::<Profiled, 0, 3, 1, HIT>),
    ((1, 1, 0), Cache::access_cycles::<Profiled, 1, 1, 0, HIT>),
    ((1, 2, 2), Cache::access_cycles::<Profiled, 1, 3, 2, HIT>),
    ((2, 0, 1), Cache::access_cycles::<Profiled, 2, 0, 1, HIT>),
    ((2, 2, 0), Cache::access_cycles::<Profiled, 2, 3, 0, HIT>),
    ((3, 1, 1), Cache::access_cycles::<Profiled, 3, 1, 1, HIT>),
    ((3, 2, 3), Cache::access_cycles::<Profiled, 3, 3, 3, HIT>),
];

proptest! {
    #[test]
    fn a_cache_is_a_list_of_lines(
        ((line_bits, set_bits, way_bits), access_cycles) in prop::sample::select(SIZES),
        (is_lru, write_back) in any::<(bool, bool)>(),
        accesses in prop::collection::vec((0..200_u64, 1..20_u64, any::<bool>()), 0..300),
    ) {
        let table = resource::Cache {
            size_cells: 1 << (line_bits + set_bits + way_bits),
            line_cells: 1 << line_bits,
            ways: 1 << way_bits,
            replacement: if is_lru { Replacement::LeastRecentlyUsed } else { Replacement::FirstInFirstOut },
            write_back,
            ..table(1, 1, Replacement::LeastRecentlyUsed)
        };
        let mut cache = Cache::new(&table, 0);
        let mut quick = cache.clone();
        let mut plain = Plain { table, lines: Vec::new(), time: 0 };
        for (cell, cells, writes) in accesses {
            let touched = cache.access(cell, cells, writes);
            prop_assert_eq!(touched, plain.access(cell, cells, writes));
            prop_assert_eq!(access_cycles(&mut quick, cell, cells, writes), cache.cycles(touched));
            prop_assert_eq!(quick.touched(), cache.touched());
        }
    }

    /// With one way there is nothing to choose.
    #[test]
    fn policies_differ_by_the_line_that_goes_alone(
        accesses in prop::collection::vec((0..100_u64, 1..8_u64, any::<bool>()), 0..100),
    ) {
        let of = |replacement| Cache::new(&table(8, 1, replacement), 7);
        let mut caches = [Replacement::LeastRecentlyUsed, Replacement::FirstInFirstOut, Replacement::Random].map(of);
        for (cell, cells, writes) in accesses {
            let [lru, fifo, random] = caches.each_mut().map(|cache| cache.access(cell, cells, writes));
            prop_assert_eq!(lru, fifo);
            prop_assert_eq!(lru, random);
        }
    }
}
