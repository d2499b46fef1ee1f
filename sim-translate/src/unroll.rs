//! Short loops, repeated.
//!
//! What a loop does at its head and at its end, asking for the budget, counting a turn and handing values to
//! the next one, is for a short one as much as its own work. So its blocks are there several times, and each
//! leads to the next: the end comes once for all of them. They are the same steps, so that nothing else has to
//! know.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use crate::loops::{Loop, Loops};
use crate::region::{Block, Region};

/// Most steps of a loop that is repeated.
const MOST_STEPS: usize = 100;
/// Most statements and values in it.
const MOST_PARTS: usize = 1500;
/// A loop is there twice, or more often as long as all of it has no more steps than this.
const MOST_TOGETHER: usize = 64;
/// Most times that a loop is there.
const MOST_TIMES: usize = 4;
/// Most statements and values that a region grows by.
const MOST_ADDED: usize = 10_000;
/// So often a loop has to be gone around for each time that it is entered.
const LEAST_TURNS: u64 = 6;
/// So many turns have to fit for each time that a loop is there before something is due: its head asks for all
/// of these times at once.
const LEAST_DUE: u64 = 16;

/// Which loops are gone around often, by the addresses of their heads. What is found when a loop has run for
/// some turns is kept: once it is compiled by itself its turns are not counted any more, while its ends are.
#[derive(Debug, Clone, Default)]
pub(crate) struct LongLoops(HashMap<u64, bool>);

impl LongLoops {
    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a loop of a region is one.
    fn includes(&mut self, region: &Region, found: &Loop) -> bool {
        let header = &region.blocks[found.header];
        if let Some(known) = self.0.get(&header.place.address) {
            return *known;
        }
        let is_long = is_long(region, found);
        if header.runs() >= LEAST_TURNS {
            self.0.insert(header.place.address, is_long);
        }
        is_long
    }
}

/// What ends compiled code before its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    /// In so many instructions a device asks for something.
    pub(crate) instructions: u64,
    /// After so many checks there is a sample.
    pub(crate) checks: u64,
}

/// Repeats the short loops of a region that are gone around often, and within which there are no others.
pub(crate) fn unroll(region: &mut Region, long: &mut LongLoops, due: Due) {
    let mut repeated = Vec::new();
    let mut added = 0;
    for found in Loops::of(region).loops.into_iter().filter(|found| found.is_innermost) {
        let steps = found.blocks.iter().flat_map(|block| &region.blocks[*block].steps);
        let (steps, parts) = steps.fold((0, 0), |(steps, parts), step| (steps + 1, parts + step.step.parts));
        if steps > MOST_STEPS || parts > MOST_PARTS || !long.includes(region, &found) {
            continue;
        }
        let times = (MOST_TOGETHER / steps).clamp(2, MOST_TIMES);
        let turns = due.checks.min(due.instructions / steps as u64);
        let more = parts * (times - 1);
        if added + more <= MOST_ADDED && turns >= LEAST_DUE * times as u64 {
            added += more;
            repeated.push((found, times));
        }
    }
    for (found, times) in repeated {
        repeat(region, &found, times);
    }
}

/// True if a loop was gone around often for each time that it was entered or left, as far as that is known.
fn is_long(region: &Region, Loop { header, blocks, .. }: &Loop) -> bool {
    let is_outside = |block: &usize| !blocks.contains(block);
    let enters = |block: &usize| is_outside(block) && region.blocks[*block].successors.contains(header);
    let entering = (0..region.blocks.len()).filter(enters);
    let entered: u64 = entering.map(|block| region.blocks[block].last_runs()).sum();
    let successors = blocks.iter().flat_map(|block| &region.blocks[*block].successors).copied();
    let exits: BTreeSet<usize> = successors.filter(is_outside).collect();
    let left: u64 = exits.iter().map(|block| region.blocks[*block].runs()).sum();
    // The entry of a region is come to from elsewhere, too.
    let entries = match (*header == 0, exits.is_empty()) {
        (true, true) => return false,
        (true, false) => left,
        (false, true) => entered,
        (false, false) => left.min(entered),
    };
    region.blocks[*header].runs() >= LEAST_TURNS * entries.max(1)
}

/// Puts copies of a loop behind it: each leads to the next, and the last to the first.
fn repeat(region: &mut Region, Loop { header, blocks, .. }: &Loop, times: usize) {
    let first = region.blocks.len();
    let copy_of = |copy: usize, block: usize| match blocks.iter().position(|own| *own == block) {
        Some(at) if copy > 0 => first + (copy - 1) * blocks.len() + at,
        _ => block,
    };
    let original: Vec<Block> = blocks.iter().map(|block| region.blocks[*block].clone()).collect();
    for copy in 0..times {
        for (block, from) in original.iter().zip(blocks) {
            let mut block = block.clone();
            for successor in &mut block.successors {
                let within = if *successor == *header { (copy + 1) % times } else { copy };
                *successor = copy_of(within, *successor);
            }
            match copy {
                0 => region.blocks[*from] = block,
                _ => region.blocks.push(block),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use super::*;
    use crate::compilable::Undone;
    use crate::mode::Mode;
    use crate::region::Numbered;
    use crate::specialise::{Decodes, Place, Step};

    /// Nothing is due.
    const NOTHING: Due = Due { instructions: u64::MAX, checks: u64::MAX };

    fn empty_step() -> Step {
        Step {
            address: 0,
            word: None,
            size_cells: 1,
            seen_cells: 1,
            fetched: Vec::new(),
            counters: 0,
            wanted: 0,
            locals: Vec::new(),
            ops: Vec::new(),
            deferred: Vec::new(),
            unreached: Vec::new(),
            noted: Vec::new(),
            operations: Box::default(),
            touches: false,
            parts: 1,
            uses: OnceLock::new(),
            undone: Some(Undone::Nothing),
            decodes: Decodes::Always,
            is_undecoded: false,
        }
    }

    /// A region of blocks with as many steps as given, which ran so often, and what they go on with.
    fn region(blocks: &[(usize, u64, &[usize])]) -> Region {
        let block = |(at, (steps, runs, successors)): (u64, &(usize, u64, &[usize]))| {
            let place = Place::bare(16 * at);
            let step = |index| Numbered {
                number: (16 * at) as u32 + index as u32,
                step: Arc::new(empty_step()),
                mode: Mode::default(),
                runs: *runs,
                table: Vec::new(),
                precedes_return: false,
                calls: false,
                accesses_memory: false,
            };
            Block {
                place,
                steps: (0..*steps).map(step).collect(),
                successors: successors.to_vec(),
                targets: successors.iter().map(|block| (16 * *block as u64, Mode::default())).collect(),
                expected: Vec::new(),
                calls: Vec::new(),
                returns: false,
            }
        };
        Region {
            blocks: (0..).zip(blocks).map(block).collect(),
            reached: HashMap::default(),
            near: Default::default(),
            precise: Default::default(),
        }
    }

    fn successors(region: &Region) -> Vec<Vec<usize>> {
        region.blocks.iter().map(|block| block.successors.clone()).collect()
    }

    #[test]
    fn a_loop_goes_on_with_its_copies_and_leaves_from_each() {
        // In front, head and latch, behind.
        let mut region = region(&[(1, 1, &[1]), (10, 40, &[2, 3]), (15, 40, &[1]), (1, 1, &[])]);
        unroll(&mut region, &mut LongLoops::default(), NOTHING);
        let expected: [&[usize]; 6] = [&[1], &[2, 3], &[4], &[], &[5, 3], &[1]];
        assert_eq!(successors(&region), expected, "25 steps are there twice");
        assert_eq!(region.blocks[4].place, region.blocks[1].place);
        assert_eq!(region.blocks[4].targets, region.blocks[1].targets, "the same places lead there");
    }

    #[test]
    fn a_loop_of_few_steps_is_there_four_times() {
        let mut region = region(&[(3, 30, &[0, 1]), (1, 1, &[])]);
        unroll(&mut region, &mut LongLoops::default(), NOTHING);
        assert_eq!(successors(&region), [[2, 1].as_slice(), &[], &[3, 1], &[4, 1], &[0, 1]]);
    }

    #[test]
    fn loops_of_few_turns_or_many_steps_and_those_around_others_are_left() {
        let few: &[(usize, u64, &[usize])] = &[(1, 10, &[1]), (3, 40, &[1, 2]), (1, 10, &[])];
        let large: &[(usize, u64, &[usize])] = &[(MOST_STEPS + 1, 40, &[0, 1]), (1, 0, &[])];
        for blocks in [few, large] {
            let mut region = region(blocks);
            let before = successors(&region);
            unroll(&mut region, &mut LongLoops::default(), NOTHING);
            assert_eq!(successors(&region), before);
        }
        let mut nested = region(&[(1, 40, &[1]), (60, 400, &[1, 2]), (1, 40, &[0, 3]), (1, 0, &[])]);
        unroll(&mut nested, &mut LongLoops::default(), NOTHING);
        assert_eq!(successors(&nested), [[1].as_slice(), &[4, 2], &[0, 3], &[], &[1, 2]]);
    }

    #[test]
    fn what_is_found_of_a_loop_at_first_is_kept() {
        let mut long = LongLoops::default();
        unroll(&mut region(&[(3, 30, &[0, 1]), (1, 1, &[])]), &mut long, NOTHING);
        // Compiled by itself meanwhile: what is behind it ran on, and its turns were not seen.
        let around: &[(usize, u64, &[usize])] = &[(3, 30, &[0, 1]), (1, 30, &[])];
        let mut later = region(around);
        unroll(&mut later, &mut long, NOTHING);
        assert_eq!(later.blocks.len(), 5);
        long.clear();
        let mut unknown = region(around);
        unroll(&mut unknown, &mut long, NOTHING);
        assert_eq!(unknown.blocks.len(), 2);
    }

    #[test]
    fn what_is_due_soon_leaves_loops_as_they_are() {
        let blocks: &[(usize, u64, &[usize])] = &[(10, 30, &[0, 1]), (1, 1, &[])];
        let count = |due| {
            let mut region = region(blocks);
            unroll(&mut region, &mut LongLoops::default(), due);
            region.blocks.len()
        };
        assert_eq!(count(Due { instructions: 640, checks: 64 }), 5);
        assert_eq!(count(Due { instructions: 639, ..NOTHING }), 2);
        assert_eq!(count(Due { checks: 63, ..NOTHING }), 2);
    }

    #[test]
    fn a_loop_that_has_not_turned_yet_is_looked_at_again() {
        let mut long = LongLoops::default();
        let around = |turns| region(&[(1, 1, &[1]), (10, turns, &[1, 2]), (1, 1, &[])]);
        for (turns, blocks) in [(3, 3), (8, 6), (3, 6)] {
            let mut region = around(turns);
            unroll(&mut region, &mut long, NOTHING);
            assert_eq!(region.blocks.len(), blocks, "{turns} turns");
        }
    }
}
