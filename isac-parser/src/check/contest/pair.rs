//! Which paths may share a word at all.
//!
//! Nearly all pairs of an instruction set differ in a bit that both fix. The paths are divided by the
//! bit that tells most of them apart, again and again, so that pairs of thousands of operands are
//! never looked at one by one.

use crate::cube::Cube;
use crate::proof::Undecided;
use crate::word::MAX_BITS;

/// Most pairs that are compared in one choice.
const MOST_PAIRS: usize = 8_000_000;

/// So few are compared with each other.
const FEW: usize = 8;

/// So many of a list say which bit divides it.
const MOST_ASKED: usize = 64;

/// The pairs of cubes that no bit tells apart, each as the smaller and the larger index, in the order of
/// the larger, then of the smaller one. What is `None` shares nothing.
///
/// # Errors
/// If there are too many.
pub(super) fn pairs_together(hulls: &[Option<Cube>]) -> Result<Vec<(usize, usize)>, Undecided> {
    let mut pairs = Vec::new();
    let all: Vec<usize> = (0..hulls.len()).filter(|index| hulls[*index].is_some()).collect();
    let mut waiting = vec![all];
    while let Some(list) = waiting.pop() {
        let hull = |index: usize| hulls[index].unwrap_or_default();
        if let Some(halves) = divided(&list, hull) {
            waiting.extend(halves);
            continue;
        }
        for (place, later) in list.iter().enumerate() {
            for earlier in &list[..place] {
                if hull(*later).intersect(hull(*earlier)).is_some() {
                    pairs.push((*earlier, *later));
                }
            }
            if pairs.len() > MOST_PAIRS {
                return Err(Undecided::Patterns);
            }
        }
    }
    pairs.sort_unstable_by_key(|(earlier, later)| (*later, *earlier));
    // What leaves a bit open is in both halves.
    pairs.dedup();
    Ok(pairs)
}

/// The list in two parts, so that each pair without a fixed bit between them is in one; `None` if that
/// would be no gain.
fn divided(list: &[usize], hull: impl Fn(usize) -> Cube) -> Option<[Vec<usize>; 2]> {
    if list.len() <= FEW {
        return None;
    }
    let step = list.len().div_ceil(MOST_ASKED);
    let mut counts = vec![[0usize; 2]; MAX_BITS as usize];
    for index in list.iter().step_by(step) {
        hull(*index).fixed().for_each(|(bit, set)| counts[bit as usize][usize::from(set)] += 1);
    }
    let bit = (0u32..).zip(&counts).max_by_key(|(_, [zeros, ones])| *zeros.min(ones)).map(|(bit, _)| bit)?;
    let part = |set: bool| -> Vec<usize> {
        list.iter().copied().filter(|index| hull(*index).bit(bit) != Some(!set)).collect()
    };
    let halves = [part(false), part(true)];
    let largest = halves.iter().map(Vec::len).max()?;
    let is_gain = largest * 4 <= list.len() * 3 && halves[0].len() + halves[1].len() <= list.len() * 5 / 4;
    is_gain.then_some(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube by its bits, the highest first.
    fn cube(bits: &str) -> Option<Cube> {
        let fixed = (0..).zip(bits.chars().rev()).filter(|(_, bit)| *bit != 'x');
        Some(fixed.fold(Cube::default(), |cube, (at, bit)| cube.with_bit(at, bit == '1')))
    }

    #[test]
    fn pairs_are_those_that_trying_all_finds() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 24
        };
        for fixed in [60, 150, 250] {
            let letter = |number: u32| {
                if number > fixed {
                    'x'
                } else if number & 1 == 1 {
                    '1'
                } else {
                    '0'
                }
            };
            let hulls: Vec<Option<Cube>> = (0..200)
                .map(|index| (index % 17 != 3).then(|| (0..10).map(|_| letter(random())).collect::<String>()))
                .map(|bits| bits.and_then(|bits| cube(&bits)))
                .collect();
            let mut expected = Vec::new();
            for later in 0..hulls.len() {
                for earlier in 0..later {
                    if let (Some(one), Some(other)) = (hulls[earlier], hulls[later])
                        && one.intersect(other).is_some()
                    {
                        expected.push((earlier, later));
                    }
                }
            }
            assert_eq!(pairs_together(&hulls), Ok(expected));
        }
    }

    #[test]
    fn a_hundred_thousand_that_differ_are_told_apart_at_once() {
        let hulls: Vec<Option<Cube>> = (0..100_000).map(|n| cube(&format!("{n:017b}"))).collect();
        assert_eq!(pairs_together(&hulls), Ok(Vec::new()));
        let open = vec![Some(Cube::default()); 5_000];
        assert_eq!(pairs_together(&open), Err(Undecided::Patterns));
    }
}
