//! How long a word is, as far as the bits that are fetched first tell.

use std::collections::BTreeMap;

use super::{Cube, Decoding, Endian};
use crate::cube::{Budget, CubeSet};

/// The widest values that are compared with patterns.
const MAX_COMPUTED_BITS: u32 = 128;

/// The widths that words of a choice have, told apart by the bits that all of them begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSizes {
    /// Width of the shortest words in bits: so many are fetched first.
    pub shortest_bits: u32,
    /// Longer words: their width in bits, ascending, and the patterns of their first bits. All
    /// else, whether it is a word or not, is as long as the shortest.
    pub longer: Vec<(u32, Vec<Cube>)>,
}

impl WordSizes {
    /// The widths of a choice's words; `None` if the first bits do not tell them apart, or are too
    /// many to be listed.
    pub(crate) fn of(decoding: &Decoding, endian: Endian) -> Option<WordSizes> {
        let shortest_bits = decoding.paths.iter().map(|path| path.width_bits).min()?;
        let begin = match endian {
            Endian::Little => 0,
            Endian::Big => decoding.width_bits - shortest_bits,
        };
        let first: Vec<u32> = (begin..begin + shortest_bits).collect();
        if !decoding.is_listed() || shortest_bits > MAX_COMPUTED_BITS {
            return None;
        }
        let mut patterns: BTreeMap<u32, Vec<Cube>> = BTreeMap::new();
        for entry in &decoding.entries {
            let of_width = patterns.entry(decoding.paths[entry.path].width_bits).or_default();
            of_width.extend(entry.patterns.iter().map(|cube| cube.projected(&first)));
        }
        let budget = &mut Budget::new();
        let sets =
            patterns.into_iter().map(|(width, cubes)| CubeSet::new(cubes, budget).map(|set| (width, set)));
        let sets: Vec<(u32, CubeSet)> = sets.collect::<Result<_, _>>().ok()?;
        for (index, (_, left)) in sets.iter().enumerate() {
            for (_, right) in &sets[index + 1..] {
                if !matches!(left.overlap(right, budget), Ok(None)) {
                    return None;
                }
            }
        }
        let longer = sets.into_iter().filter(|(width, _)| *width > shortest_bits);
        let longer = longer.map(|(width, set)| (width, set.cubes().to_vec())).collect();
        Some(WordSizes { shortest_bits, longer })
    }
}
