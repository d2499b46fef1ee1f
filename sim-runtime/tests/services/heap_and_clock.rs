//! `brk`, `clock_gettime`, `getrandom`.

use crate::fake::{BIG32, BIG64, Caller, LITTLE32, LITTLE64, MEMORY, NOWHERE};

const BRK: u64 = 214;
const CLOCK: u64 = 113;
const CLOCK64: u64 = 403;
const RANDOM: u64 = 278;

const START: i64 = 0x2000;
const LIMIT: i64 = 0x1_8000;

fn guest_with_heap() -> Caller {
    let mut guest = Caller::new(LITTLE32, b"");
    guest.host.set_heap(START.cast_unsigned(), LIMIT.cast_unsigned());
    guest
}

#[test]
fn the_break_moves_within_its_bounds_and_nowhere_else() {
    let mut guest = guest_with_heap();
    let mut brk = |end: i64| guest.call(BRK, &[end.cast_unsigned()]);
    assert_eq!(brk(0), START);
    assert_eq!(brk(START + 5000), START + 5000);
    assert_eq!(brk(START - 1), START + 5000);
    assert_eq!(brk(LIMIT + 1), START + 5000);
    assert_eq!(brk(-1), START + 5000);
    assert_eq!(brk(LIMIT), LIMIT);
    assert_eq!(brk(START), START);
}

#[test]
fn new_memory_is_zero_even_when_it_is_old() {
    let mut guest = guest_with_heap();
    guest.put(0x2000, &[0xaa; 0x2000]);
    guest.call(BRK, &[0x3000]);
    assert_eq!(guest.bytes(0x2000, 0x1000), vec![0; 0x1000]);
    assert_eq!(guest.bytes(0x3000, 1), [0xaa], "beyond the break nothing changes");
    guest.put(0x2800, &[0xbb]);
    guest.call(BRK, &[0x2800]);
    guest.call(BRK, &[0x2900]);
    assert_eq!(guest.bytes(0x2800, 1), [0]);
}

#[test]
fn a_heap_where_memory_ends_does_not_grow() {
    let mut guest = Caller::new(LITTLE64, b"");
    guest.host.set_heap(0x2000, 1 << 60);
    assert_eq!(guest.call(BRK, &[1 << 59]), 0x2000);
    assert_eq!(guest.call(BRK, &[0x3000]), 0x3000);
}

#[test]
fn without_a_heap_the_break_stays() {
    let mut guest = Caller::new(LITTLE32, b"");
    assert_eq!(guest.call(BRK, &[0x2000]), 0);
}

#[test]
fn time_is_cycles_at_the_clocks_frequency() {
    let at = MEMORY + 8;
    for (abi, word) in [(LITTLE32, 4), (BIG32, 4), (LITTLE64, 8), (BIG64, 8)] {
        let mut guest = Caller::new(abi, b"");
        guest.host = std::mem::take(&mut guest.host).with_clock_hz(16_000_000);
        guest.cycles = 3 * 16_000_000 + 4;
        for clock in [0, 1, 7] {
            assert_eq!(guest.call(CLOCK, &[clock, at]), 0);
            assert_eq!(guest.number(at, word), 3);
            assert_eq!(guest.number(at + word as u64, word), 250);
        }
        assert_eq!(guest.call(CLOCK, &[8, at]), -22);
        assert_eq!(guest.call(CLOCK, &[99, NOWHERE]), -22);
        assert_eq!(guest.call(CLOCK, &[0, NOWHERE]), -14);
    }
}

#[test]
fn the_call_with_64_bits_of_time_is_for_32_bit_guests() {
    let at = MEMORY + 8;
    let mut guest = Caller::new(LITTLE32, b"");
    guest.cycles = u64::MAX;
    assert_eq!(guest.call(CLOCK64, &[1, at]), 0);
    assert_eq!(guest.number(at, 8), 18_446_744_073);
    assert_eq!(guest.number(at + 8, 8), 709_551_615);
    assert_eq!(guest.call(CLOCK, &[1, at]), -75, "32 bits cannot hold it");
    assert_eq!(Caller::new(LITTLE64, b"").call(CLOCK64, &[1, at]), -38);
}

#[test]
fn random_numbers_come_from_the_seed() {
    let draw = |seed| {
        let mut guest = Caller::new(LITTLE32, b"");
        guest.host = std::mem::take(&mut guest.host).with_seed(seed);
        assert_eq!(guest.call(RANDOM, &[MEMORY, 20, 0]), 20);
        guest.bytes(MEMORY, 24)
    };
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
    assert_eq!(draw(7)[20..], [0; 4]);
    let mut guest = Caller::new(LITTLE64, b"");
    assert_eq!(guest.call(RANDOM, &[NOWHERE, 1, 0]), -14);
    assert_eq!(guest.call(RANDOM, &[NOWHERE, 0, 0]), 0);
    assert_eq!(guest.call(RANDOM, &[MEMORY, 1, 8]), -22);
    assert_eq!(guest.call(RANDOM, &[MEMORY, u64::MAX, 0]), 0x1_0000);
}
