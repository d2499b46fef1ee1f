//! What is known where a block begins, because every way to it has passed another block: which
//! registers hold there what they held, and which of them anybody still asks for.
//!
//! Dominators as in Cooper, Harvey and Kennedy, *A Simple, Fast Dominance Algorithm* (2001). A
//! register needs a new value only where ways meet that bring different ones.

use isac_ir::Model;

use crate::region::{Block, Region};

use super::shape::Shape;

/// Most rounds in which values are followed around loops.
const MOST_ROUNDS: usize = 16;

/// Most registers that a block takes over of which some are asked for by ways out alone.
const MOST_HELD: u32 = 12;

/// A set of registers that live in variables, by their numbers.
pub(super) type Registers = u64;

/// For each block of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dominance {
    /// The last block that every way to it passes; the entry's is itself.
    pub(super) above: Vec<usize>,
    /// Registers of which ways bring different values.
    pub(super) joined: Vec<Registers>,
    /// Registers that it may write.
    pub(super) written: Vec<Registers>,
    /// Registers that are read behind its beginning before they are written.
    pub(super) live: Vec<Registers>,
    /// Registers that may differ from what is stored: all that may have changed since the region was entered,
    /// but for those that are stored on the way to the block.
    pub(super) dirty: Vec<Registers>,
}

/// What a block does with registers.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    read: Registers,
    written: Registers,
    /// Written whatever happens in it.
    replaced: Registers,
}

impl Dominance {
    /// Of a region; `number` is that of a register element that lives in a variable, and `elements` are all of a
    /// register that do.
    pub(super) fn of(
        (region, model): (&Region, &Model),
        shape: &Shape,
        number: &impl Fn((u32, u32)) -> Option<u32>,
        elements: &impl Fn(u32) -> Registers,
    ) -> Dominance {
        let of_block = |block| Use::of((block, model), number, elements);
        let uses: Vec<Use> = region.blocks.iter().map(of_block).collect();
        let before = region.predecessors();
        let live = live(region, shape, &uses);
        let held = held(region, shape, &uses, &live);
        Dominance {
            above: dominators(shape, &before),
            joined: joined(shape, &before, &uses),
            dirty: dirty(region, shape, &uses, &held),
            live,
            written: uses.iter().map(|uses| uses.written).collect(),
        }
    }
}

impl Use {
    fn of(
        (block, model): (&Block, &Model),
        number: &impl Fn((u32, u32)) -> Option<u32>,
        elements: &impl Fn(u32) -> Registers,
    ) -> Use {
        let mut uses = Use::default();
        for step in &block.steps {
            let found = step.step.register_uses(model);
            let mut replaced = 0;
            for element in &found.elements {
                let Some(number) = number(element.key) else { continue };
                let if_set = |is_set: bool| Registers::from(is_set) << number;
                uses.read |= if_set(element.is_read) & !uses.replaced;
                uses.written |= if_set(element.is_written);
                replaced |= if_set(element.is_replaced);
            }
            // Whichever it is, all are taken from memory behind it.
            uses.written |= found.indexed.iter().fold(0, |all, register| all | elements(*register));
            uses.replaced |= replaced;
        }
        uses
    }
}

/// The block above each.
fn dominators(shape: &Shape, before: &[Vec<usize>]) -> Vec<usize> {
    let mut above = vec![usize::MAX; before.len()];
    above[0] = 0;
    let mut changes = true;
    while changes {
        changes = false;
        for block in shape.order.iter().copied().filter(|block| *block != 0) {
            let mut found = usize::MAX;
            for other in before[block].iter().copied().filter(|other| above[*other] != usize::MAX) {
                found = if found == usize::MAX { other } else { meet(shape, &above, found, other) };
            }
            changes |= above[block] != found;
            above[block] = found;
        }
    }
    above
}

fn meet(shape: &Shape, above: &[usize], mut first: usize, mut second: usize) -> usize {
    while first != second {
        while shape.position[first] > shape.position[second] {
            first = above[first];
        }
        while shape.position[second] > shape.position[first] {
            second = above[second];
        }
    }
    first
}

/// Values are numbered by where they come from: 0 is not known yet, 1 the region's entry, then each
/// block has one for what it writes and one for what meets in it.
fn joined(shape: &Shape, before: &[Vec<usize>], uses: &[Use]) -> Vec<Registers> {
    let mut joined: Vec<Registers> = vec![0; before.len()];
    let all = uses.iter().fold(0, |all, uses| all | uses.written);
    let mut values = vec![0usize; before.len()];
    for number in (0..Registers::BITS).filter(|number| all >> number & 1 == 1) {
        values.fill(0);
        let behind = |values: &[usize], block: usize| match uses[block].written >> number & 1 {
            1 => 2 + 2 * block,
            _ => values[block],
        };
        let mut rounds = 0;
        let mut changes = true;
        while changes && rounds < MOST_ROUNDS {
            (changes, rounds) = (false, rounds + 1);
            for block in shape.order.iter().copied() {
                let mut found = usize::from(block == 0);
                for other in before[block].iter().map(|other| behind(&values, *other)) {
                    found = match (found, other) {
                        (found, 0) => found,
                        (0, other) => other,
                        (found, other) if found == other => found,
                        _ => 3 + 2 * block,
                    };
                }
                changes |= values[block] != found;
                values[block] = found;
            }
        }
        for (block, value) in values.iter().enumerate() {
            if changes || *value == 3 + 2 * block {
                joined[block] |= 1 << number;
            }
        }
    }
    joined
}

fn live(region: &Region, shape: &Shape, uses: &[Use]) -> Vec<Registers> {
    let mut live: Vec<Registers> = vec![0; uses.len()];
    let mut changes = true;
    while changes {
        changes = false;
        for block in shape.order.iter().rev().copied() {
            let behind =
                region.blocks[block].successors.iter().fold(0, |live_in, next| live_in | live[*next]);
            let found = uses[block].read | behind & !uses[block].replaced;
            changes |= live[block] != found;
            live[block] = found;
        }
    }
    live
}

/// Registers that each block takes over in variables, if they are dirty; others are stored on the way to it.
///
/// What has changed and is not live is asked for by ways out alone. In a variable it takes one of the host's
/// registers, or, where many others do so, goes to the stack and comes back; to store it costs no more then. In
/// an innermost loop that would be in each turn, so what a loop uses itself stays.
fn held(region: &Region, shape: &Shape, uses: &[Use], live: &[Registers]) -> Vec<Registers> {
    let changed = dirty(region, shape, uses, &vec![Registers::MAX; uses.len()]);
    let mut used: Vec<Registers> = vec![0; uses.len()];
    for (uses, header) in uses.iter().zip(&shape.innermost) {
        header.iter().for_each(|header| used[*header] |= uses.read | uses.written);
    }
    let of_block = |block: usize| match (live[block] | changed[block]).count_ones() {
        0..=MOST_HELD => Registers::MAX,
        _ => live[block] | shape.innermost[block].map_or(0, |header| used[header]),
    };
    (0..uses.len()).map(of_block).collect()
}

fn dirty(region: &Region, shape: &Shape, uses: &[Use], held: &[Registers]) -> Vec<Registers> {
    let mut dirty: Vec<Registers> = vec![0; uses.len()];
    let mut changes = true;
    while changes {
        changes = false;
        for block in shape.order.iter().copied() {
            for next in &region.blocks[block].successors {
                let behind = (dirty[block] | uses[block].written) & held[*next];
                changes |= behind & !dirty[*next] != 0;
                dirty[*next] |= behind;
            }
        }
    }
    dirty
}
