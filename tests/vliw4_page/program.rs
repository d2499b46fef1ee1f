//! Random programs, put together by the tables of the machine's manual page.

use super::super::differential::random::Random;

/// Registers that hold a value from the beginning on: those below are any operation's results.
const LINK: u32 = 28;
const FIRST_BASE: u32 = 29;

/// Where the base registers point; what a load or store adds stays in data memory.
const BASES: [u32; 3] = [0x2000, 0x8000, 0xe010];

/// How far the console is from the last of them.
const CONSOLE: u32 = 0x1ff0;

/// Bundles that give every register a value, and bundles in all.
const PROLOGUE: usize = 16;
const BUNDLES: usize = 64;

/// One slot in so many is any word, and one address in so many is any.
const WILD_WORD: usize = 3_000;
const WILD_ADDRESS: usize = 200;
const HALT: usize = 60;

/// A program: its bundles from 0 on. It jumps about in itself until it ends or is left.
pub(crate) fn random_program(random: &mut Random) -> Vec<u128> {
    let mut bundles = prologue(random);
    while bundles.len() < BUNDLES - 2 {
        bundles.push(bundle([0, 1, 2, 3].map(|number| slot(number, random))));
    }
    bundles.push(bundle([jump(random), 0, 0, 0]));
    bundles.push(bundle([0, slot(1, random), slot(2, random), slot(3, random)]));
    bundles
}

fn bundle(slots: [u32; 4]) -> u128 {
    slots.iter().rev().fold(0, |bundle, slot| bundle << 32 | u128::from(*slot))
}

/// Section 5: `li` and `lih` of every register.
fn prologue(random: &mut Random) -> Vec<u128> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for register in 1..LINK {
        low.push(22 << 24 | register << 19 | random.value(19));
        high.push(23 << 24 | register << 19 | random.value(16));
    }
    low.push(22 << 24 | LINK << 19 | target(random));
    low.extend((FIRST_BASE..).zip(BASES).map(|(register, base)| 22 << 24 | register << 19 | base));
    let words: Vec<u32> = low.into_iter().chain(high).collect();
    let mut bundles: Vec<u128> = words
        .chunks(4)
        .map(|words| bundle([0, 1, 2, 3].map(|index| words.get(index).copied().unwrap_or(0))))
        .collect();
    bundles.resize(PROLOGUE, 0);
    bundles
}

/// A bundle behind the prologue.
fn target(random: &mut Random) -> u32 {
    (PROLOGUE + random.below(BUNDLES - PROLOGUE)) as u32
}

/// Section 3: an operation of the slot, most of them without a condition.
fn slot(number: usize, random: &mut Random) -> u32 {
    if random.once_in(WILD_WORD) {
        return random.next() as u32;
    }
    let when = if random.once_in(3) { random.below(4) as u32 } else { 0 };
    let word = match (number, random.below(10)) {
        (_, 0) => return 0,
        (_, 1..=5) => integer(random),
        (0, _) => control(random),
        (1, _) => {
            let op = 24 + random.below(3) as u32;
            op << 24 | result(random) << 19 | any(random) << 14 | any(random)
        }
        _ => memory(random),
    };
    when << 30 | word
}

/// A register that may be written; r0 among them.
fn result(random: &mut Random) -> u32 {
    random.below(LINK as usize) as u32
}

/// A register that is read.
fn any(random: &mut Random) -> u32 {
    random.below(32) as u32
}

/// Section 5
fn integer(random: &mut Random) -> u32 {
    let op = 1 + random.below(18) as u32;
    let second = if random.once_in(2) { 1 << 29 | random.value(14) } else { any(random) };
    match op {
        1..=10 => op << 24 | result(random) << 19 | any(random) << 14 | second,
        11..=16 => (op + 5) << 24 | (random.below(4) as u32) << 19 | any(random) << 14 | second,
        17 => 22 << 24 | result(random) << 19 | random.value(19),
        _ => 23 << 24 | result(random) << 19 | random.value(16),
    }
}

/// Section 7
fn memory(random: &mut Random) -> u32 {
    let is_console = random.once_in(20);
    // Of bytes, nearly always: all else is a fault there.
    let op = match is_console && !random.once_in(50) {
        true => *random.choose(&[27, 28, 31]),
        false => 24 + random.below(8) as u32,
    };
    let data = if op < 29 { result(random) } else { any(random) };
    let (base, offset) = match random.below(WILD_ADDRESS) {
        _ if is_console => (FIRST_BASE + 2, CONSOLE),
        0 => (any(random), random.value(14)),
        // Near the end of memory, and at its beginning.
        1..70 => (FIRST_BASE + 2, random.below(CONSOLE as usize) as u32),
        70..110 => (0, random.below(0x2000) as u32),
        _ => (FIRST_BASE + random.below(2) as u32, random.value(14)),
    };
    op << 24 | data << 19 | base << 14 | offset
}

/// Section 8
fn control(random: &mut Random) -> u32 {
    match random.below(HALT) {
        0 => 27 << 24 | any(random) << 14,
        1..20 => 25 << 24 | LINK << 19 | target(random),
        20..28 => 26 << 24 | LINK << 14,
        _ => jump(random),
    }
}

fn jump(random: &mut Random) -> u32 {
    24 << 24 | target(random)
}
