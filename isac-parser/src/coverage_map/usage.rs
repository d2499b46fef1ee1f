//! What the words of a choice are won by, counted.
//!
//! The space of words is split at one bit after the other until a part belongs to one path as a
//! whole, or to none. Where that are too many parts, the words are circuits and are counted without
//! being split.

use std::collections::BTreeMap;

use crate::amount::Amount;
use crate::cube::{Budget, Cube, CubeSet};
use crate::model::Decoding;
use crate::proof::{Listed, Undecided, WordSpace};

/// Bits of patterns looked at for one target; beyond that, words are circuits.
const MAX_LOOKS: u64 = 50_000_000;

/// Most free patterns that are listed.
const MAX_PATTERNS: usize = 40;

/// What the words of a target are won by.
pub(super) struct Usage {
    pub(super) width_bits: u32,
    /// By path: the words that it wins.
    pub(super) won: Vec<Amount>,
    /// How many words nothing wins.
    pub(super) free: Amount,
    /// The largest patterns of these.
    pub(super) patterns: Listed,
    source: Source,
}

/// What further words are counted with.
enum Source {
    /// The parts that something wins.
    Parts(Vec<Cube>),
    Circuits(Box<WordSpace>),
}

impl Usage {
    /// Counts all words.
    pub(super) fn of(decoding: &Decoding) -> Result<Usage, Undecided> {
        match Parts::of(decoding) {
            Some(parts) => Ok(parts.usage()),
            None => Usage::of_circuits(decoding),
        }
    }

    fn of_circuits(decoding: &Decoding) -> Result<Usage, Undecided> {
        let space = WordSpace::of(decoding)?;
        let won = (0..decoding.paths.len()).map(|path| space.count_won(path));
        Ok(Usage {
            width_bits: decoding.width_bits,
            won: won.collect::<Result<Vec<Amount>, Undecided>>()?,
            free: space.count_free()?,
            patterns: space.list_free(MAX_PATTERNS)?,
            source: Source::Circuits(Box::new(space)),
        })
    }

    /// How many words are won by something, by the value of some of their bits, the highest first;
    /// without those of which there are none.
    pub(super) fn used_by_value(&mut self, bits: &[u32]) -> Result<BTreeMap<u32, Amount>, Undecided> {
        let mut used: BTreeMap<u32, Amount> = BTreeMap::new();
        for value in 0..1u32 << bits.len() {
            let set = |index: usize| value >> (bits.len() - 1 - index) & 1 == 1;
            let wanted: BTreeMap<u32, bool> =
                bits.iter().enumerate().map(|(index, bit)| (*bit, set(index))).collect();
            let amount = match &mut self.source {
                Source::Circuits(space) => space.count_used(&wanted)?,
                Source::Parts(parts) => count_with(parts, &wanted, self.width_bits),
            };
            if !amount.is_zero() {
                used.insert(value, amount);
            }
        }
        Ok(used)
    }
}

/// How many words of some cubes have these bits.
fn count_with(parts: &[Cube], wanted: &BTreeMap<u32, bool>, width_bits: u32) -> Amount {
    let mut sum = Amount::default();
    for part in parts {
        let open = wanted.keys().filter(|bit| part.bit(**bit).is_none()).count() as u32;
        if wanted.iter().all(|(bit, set)| part.bit(*bit).is_none_or(|fixed| fixed == *set)) {
            sum += Amount::power_of_two(width_bits - part.fixed_bits() - open);
        }
    }
    sum
}

/// The space of words, split.
struct Parts {
    looks: u64,
    width_bits: u32,
    won: Vec<Amount>,
    /// What something wins.
    used: Vec<Cube>,
    free: Vec<Cube>,
}

impl Parts {
    /// `None` if there are too many.
    fn of(decoding: &Decoding) -> Option<Parts> {
        let is_listed = decoding.entries.iter().all(|entry| entry.diagram.is_none())
            && decoding.paths.iter().all(|path| path.words.is_none());
        if !is_listed {
            return None;
        }
        let cubes: Vec<(usize, Cube)> = (decoding.entries.iter())
            .flat_map(|entry| entry.patterns.iter().map(|cube| (entry.path, *cube)))
            .collect();
        let mut parts = Parts {
            looks: MAX_LOOKS,
            width_bits: decoding.width_bits,
            won: vec![Amount::default(); decoding.paths.len()],
            used: Vec::new(),
            free: Vec::new(),
        };
        parts.look(&cubes, Cube::default())?;
        Some(parts)
    }

    /// Finds what wins the words of a part; of the cubes that share words with it the first wins.
    fn look(&mut self, cubes: &[(usize, Cube)], part: Cube) -> Option<()> {
        self.looks = self.looks.checked_sub((cubes.len() as u64 + 1) * u64::from(self.width_bits))?;
        let Some((path, first)) = cubes.first().copied() else {
            self.free.push(part);
            return Some(());
        };
        if part.is_within(first) || cubes.iter().all(|(other, _)| *other == path) && covers(cubes, part) {
            self.won[path] += Amount::power_of_two(self.width_bits - part.fixed_bits());
            self.used.push(part);
            return Some(());
        }
        let fixing = |bit: &u32| cubes.iter().filter(|(_, cube)| cube.bit(*bit).is_some()).count();
        let bit = (0..self.width_bits).filter(|bit| part.bit(*bit).is_none()).max_by_key(fixing)?;
        for set in [false, true] {
            let is_left = |(_, cube): &&(usize, Cube)| cube.bit(bit) != Some(!set);
            let rest: Vec<(usize, Cube)> = cubes.iter().filter(is_left).copied().collect();
            self.look(&rest, part.with_bit(bit, set))?;
        }
        Some(())
    }

    fn usage(self) -> Usage {
        let width_bits = self.width_bits;
        let size = |cube: &Cube| Amount::power_of_two(width_bits - cube.fixed_bits());
        let mut free = Amount::default();
        self.free.iter().for_each(|cube| free += size(cube));
        // Adjacent parts are joined into as few patterns as they become.
        let joined = CubeSet::new(self.free.clone(), &mut Budget::new());
        let mut cubes = joined.map_or(self.free, |set| set.cubes().to_vec());
        cubes.sort_by_cached_key(|cube| (cube.fixed_bits(), super::pattern(*cube, width_bits)));
        let hidden = cubes.len().saturating_sub(MAX_PATTERNS) as u128;
        cubes.truncate(MAX_PATTERNS);
        let (patterns, source) = (Listed { cubes, hidden }, Source::Parts(self.used));
        Usage { width_bits, won: self.won, free, patterns, source }
    }
}

fn covers(cubes: &[(usize, Cube)], part: Cube) -> bool {
    cubes.iter().any(|(_, cube)| part.is_within(*cube))
}

#[cfg(test)]
mod tests {
    use super::{Parts, Usage};
    use crate::cube::Cube;
    use crate::model::{Decoding, DecodingEntry, DecodingPath};

    const WIDTH: u32 = 7;

    fn decoding(seed: u64) -> Decoding {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let paths = 1 + next(5) as usize;
        let mut cube = || {
            (0..WIDTH).fold(Cube::default(), |cube, bit| match next(3) {
                2 => cube,
                digit => cube.with_bit(bit, digit == 1),
            })
        };
        let entries = (0..paths * 2).map(|n| DecodingEntry {
            path: n % paths,
            patterns: vec![cube(), cube()],
            diagram: None,
        });
        let path = DecodingPath { steps: Vec::new(), width_bits: WIDTH, words: None };
        Decoding {
            width_bits: WIDTH,
            entries: entries.collect(),
            paths: vec![path; paths],
            is_exact: true,
            is_known: true,
        }
    }

    #[test]
    fn parts_and_circuits_count_alike() {
        let bits = [6, 3, 0];
        for seed in 0..400 {
            let decoding = decoding(seed);
            let mut parts = Parts::of(&decoding).unwrap().usage();
            let mut circuits = Usage::of_circuits(&decoding).unwrap();
            assert_eq!(parts.won, circuits.won, "{seed}");
            assert_eq!(parts.free, circuits.free, "{seed}");
            let used = [&mut parts, &mut circuits].map(|usage| usage.used_by_value(&bits).unwrap());
            assert_eq!(used[0], used[1], "{seed}");
        }
    }
}
