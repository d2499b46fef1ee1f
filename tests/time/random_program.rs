//! Random programs of the five stages, in which everything that can happen to time happens often.

use proptest::prelude::*;

use super::case::Case;
use crate::support::random::Random;

/// Where data lie.
const DATA: u64 = 0x80;
/// The registers that programs use: few, so that one often waits for the other.
const REGISTERS: u64 = 4;

/// The instructions of `stages.isac`, and what is none.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Nop,
    Number,
    Jump,
    Stop,
    Sync,
    Pause,
    Add,
    Divide,
    Load,
    Store,
    Branch,
    Return,
    /// Any word.
    Noise,
}

/// A program of `five.isac`, as the cells of a case.
pub(crate) fn program() -> impl Strategy<Value = Case> {
    let kind = prop_oneof![
        2 => Just(Kind::Nop),
        12 => Just(Kind::Number),
        5 => Just(Kind::Jump),
        1 => Just(Kind::Stop),
        6 => Just(Kind::Sync),
        5 => Just(Kind::Pause),
        8 => Just(Kind::Add),
        8 => Just(Kind::Divide),
        12 => Just(Kind::Load),
        8 => Just(Kind::Store),
        8 => Just(Kind::Branch),
        3 => Just(Kind::Return),
        1 => Just(Kind::Noise),
    ];
    let items = prop::collection::vec((kind, any::<u64>()), 4..64);
    (items, any::<u64>()).prop_map(|(items, seed)| {
        let length = items.len() as u64;
        let words = items.iter().map(|(kind, seed)| word(*kind, length, &mut Random::new(*seed)));
        let mut cells: Vec<(u64, u128)> = (0..).zip(words.map(u128::from)).collect();
        let mut random = Random::new(seed);
        cells.extend((DATA..DATA + 16).map(|address| (address, u128::from(value(length, &mut random)))));
        Case { model: "tests/time/five.isac".to_owned(), cells, ..Case::default() }
    })
}

fn word(kind: Kind, length: u64, random: &mut Random) -> u64 {
    let mut register = || random.below_u64(REGISTERS);
    let (d, a, b) = (register(), register(), register());
    match kind {
        Kind::Nop => 0,
        Kind::Number => 0x1000 | (d.max(1)) << 8 | value(length, random),
        // Sometimes to the last cell, behind which there is nothing to fetch.
        Kind::Jump if random.below_u64(16) == 0 => 0x20ff,
        Kind::Jump => 0x2000 | random.below_u64(length + 2),
        Kind::Stop => 0x3000 | random.below_u64(16),
        Kind::Sync => 0x4000,
        Kind::Pause => 0x5000,
        Kind::Add => 0x8000 | d << 8 | a << 4 | b,
        Kind::Divide => 0x9000 | d << 8 | a << 4 | b.max(1),
        Kind::Load => 0xa000 | d << 8 | a << 4,
        Kind::Store => 0xb000 | a << 4 | b,
        Kind::Branch => 0xc000 | random.below_u64(16) << 8 | a << 4,
        Kind::Return => 0xd000 | a << 4,
        Kind::Noise => random.below_u64(1 << 16),
    }
}

/// A number of eight bits: small, an address of the program, or one of data.
fn value(length: u64, random: &mut Random) -> u64 {
    match random.below_u64(3) {
        0 => random.below_u64(4),
        1 => random.below_u64(length),
        _ => DATA + random.below_u64(16),
    }
}
