//! Which blocks of a region are gone around.

use crate::region::Region;

/// Most loops that are looked at: large regions have many, and what is not known of some costs no more than a
/// little speed.
const MOST_LOOPS: usize = 256;

/// The order of a region's blocks, and its loops.
pub(crate) struct Loops {
    /// The blocks in reverse postorder: only what closes a circle goes back.
    pub(crate) order: Vec<usize>,
    /// Where each block is in that order.
    pub(crate) position: Vec<usize>,
    /// Blocks that circles come back to.
    pub(crate) headers: Vec<bool>,
    /// Circles to one header are one loop.
    pub(crate) loops: Vec<Loop>,
}

/// A loop, by indexes of the region's blocks.
pub(crate) struct Loop {
    /// Where it is entered.
    pub(crate) header: usize,
    /// All of its blocks, this one included.
    pub(crate) blocks: Vec<usize>,
    /// It is entered at its header alone, and has no loops within it.
    pub(crate) is_innermost: bool,
}

impl Loops {
    pub(crate) fn of(region: &Region) -> Loops {
        let order = order(region);
        let mut position = vec![0; order.len()];
        for (at, block) in order.iter().enumerate() {
            position[*block] = at;
        }
        let (headers, back) = back_ways(region, &position);
        let loops = loops(region, &back, &headers);
        Loops { order, position, headers, loops }
    }
}

/// The blocks that circles come back to, and the ways back, given where each block is in the order.
fn back_ways(region: &Region, position: &[usize]) -> (Vec<bool>, Vec<(usize, usize)>) {
    let mut headers = vec![false; region.blocks.len()];
    let mut back = Vec::new();
    for (index, block) in region.blocks.iter().enumerate() {
        for successor in &block.successors {
            if position[*successor] <= position[index] {
                headers[*successor] = true;
                back.push((index, *successor));
            }
        }
    }
    (headers, back)
}

/// The blocks in reverse postorder.
fn order(region: &Region) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; region.blocks.len()];
    let mut way = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = way.last_mut() {
        match region.blocks[*block].successors.get(*next) {
            Some(successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*successor], true) {
                    way.push((*successor, 0));
                }
            }
            None => {
                order.push(*block);
                way.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The loops of a region.
fn loops(region: &Region, back: &[(usize, usize)], headers: &[bool]) -> Vec<Loop> {
    let before = region.predecessors();
    let mut found = Vec::new();
    for header in (0..region.blocks.len()).filter(|block| headers[*block]).take(MOST_LOOPS) {
        let mut within = vec![false; region.blocks.len()];
        within[header] = true;
        let ends = back.iter().filter(|(_, to)| *to == header).map(|(from, _)| *from);
        let mut waiting: Vec<usize> = ends.collect();
        let mut blocks = vec![header];
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut within[block], true) {
                blocks.push(block);
                waiting.extend(&before[block]);
            }
        }
        let has_one_entry = header == 0 || !within[0];
        let is_plain = |block: &usize| *block == header || !headers[*block];
        let is_innermost = has_one_entry && blocks.iter().all(is_plain);
        found.push(Loop { header, blocks, is_innermost });
    }
    found
}
