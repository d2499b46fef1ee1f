//! Sets of words as lists of cubes: exact intersection, difference and inclusion.
//!
//! A *cube* fixes some bits of a word and leaves the others open; a CODING without aliases is
//! one. A set is a union of cubes, which may overlap. Difference is the *sharp* operation of
//! two-level logic minimisation (R. K. Brayton et al., Logic Minimization Algorithms for VLSI
//! Synthesis, 1984, section 2.4) in its disjoint form: one part for each bit that the subtracted
//! cube fixes and the other leaves open.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Most bits of a word.
pub(crate) const MAX_BITS: u32 = 256;

/// 256 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Word {
    high: u128,
    low: u128,
}

impl Word {
    /// The word with one bit set; none if the bit is beyond the word.
    pub(crate) fn of_bit(bit: u32) -> Word {
        match bit {
            0..128 => Word { high: 0, low: 1 << bit },
            128..MAX_BITS => Word { high: 1 << (bit - 128), low: 0 },
            _ => Word::default(),
        }
    }

    /// True if the bit is set.
    pub(crate) fn has(self, bit: u32) -> bool {
        !(self & Word::of_bit(bit)).is_zero()
    }

    fn is_zero(self) -> bool {
        self == Word::default()
    }

    fn lowest_bit(self) -> Option<u32> {
        match self {
            Word { low: 0, high: 0 } => None,
            Word { low: 0, high } => Some(128 + high.trailing_zeros()),
            Word { low, .. } => Some(low.trailing_zeros()),
        }
    }

    fn is_single_bit(self) -> bool {
        self.low.count_ones() + self.high.count_ones() == 1
    }

    /// The word as a number of `width` bits: in base two up to 16 bits, else in base sixteen.
    pub(crate) fn display(self, width: u32) -> String {
        if width <= 16 {
            let bit = |bit| if self.has(bit) { '1' } else { '0' };
            return format!("0b{}", (0..width).rev().map(bit).collect::<String>());
        }
        let digits = width.div_ceil(4) as usize;
        let all = format!("{:032x}{:032x}", self.high, self.low);
        format!("0x{}", &all[all.len().saturating_sub(digits)..])
    }
}

impl BitAnd for Word {
    type Output = Word;

    fn bitand(self, other: Word) -> Word {
        Word { high: self.high & other.high, low: self.low & other.low }
    }
}

impl BitOr for Word {
    type Output = Word;

    fn bitor(self, other: Word) -> Word {
        Word { high: self.high | other.high, low: self.low | other.low }
    }
}

impl BitXor for Word {
    type Output = Word;

    fn bitxor(self, other: Word) -> Word {
        Word { high: self.high ^ other.high, low: self.low ^ other.low }
    }
}

impl Not for Word {
    type Output = Word;

    fn not(self) -> Word {
        Word { high: !self.high, low: !self.low }
    }
}

/// The words that agree with `value` in the bits of `mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Cube {
    /// The fixed bits.
    mask: Word,
    /// Their values; 0 elsewhere.
    value: Word,
}

impl Cube {
    /// The same cube with one more bit fixed.
    pub(crate) fn with_bit(self, bit: u32, set: bool) -> Cube {
        let at = Word::of_bit(bit);
        let value = if set { self.value | at } else { self.value & !at };
        Cube { mask: self.mask | at, value }
    }

    /// The value of a bit, if it is fixed.
    pub(crate) fn bit(self, bit: u32) -> Option<bool> {
        self.mask.has(bit).then(|| self.value.has(bit))
    }

    /// One word of the cube: its open bits are 0.
    pub(crate) fn example(self) -> Word {
        self.value
    }

    /// The words of both.
    pub(crate) fn intersect(self, other: Cube) -> Option<Cube> {
        let clash = (self.value ^ other.value) & self.mask & other.mask;
        clash
            .is_zero()
            .then(|| Cube { mask: self.mask | other.mask, value: self.value | other.value })
    }

    /// True if every word of `self` is one of `other`.
    fn is_within(self, other: Cube) -> bool {
        (other.mask & !self.mask).is_zero() && ((self.value ^ other.value) & other.mask).is_zero()
    }

    /// The one cube that is exactly the union of both, if they differ in one fixed bit alone.
    fn merge(self, other: Cube) -> Option<Cube> {
        let differ = self.value ^ other.value;
        (self.mask == other.mask && differ.is_single_bit())
            .then(|| Cube { mask: self.mask & !differ, value: self.value & !differ })
    }

    /// Appends the words of `self` that are not in `other`, as disjoint cubes.
    fn sharp(self, other: Cube, parts: &mut Vec<Cube>) {
        if self.intersect(other).is_none() {
            parts.push(self);
            return;
        }
        let mut rest = self;
        let mut split = other.mask & !self.mask;
        while let Some(bit) = split.lowest_bit() {
            let inside = other.value.has(bit);
            parts.push(rest.with_bit(bit, !inside));
            rest = rest.with_bit(bit, inside);
            split = split & !Word::of_bit(bit);
        }
    }
}

/// There would be more cubes than the stated limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyCubes;

/// Most cubes that a set or a step towards one may have.
pub(crate) const MAX_CUBES: usize = 4096;

/// A union of cubes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CubeSet {
    cubes: Vec<Cube>,
}

impl CubeSet {
    /// The union of the cubes, simplified.
    pub(crate) fn new(cubes: Vec<Cube>) -> CubeSet {
        CubeSet { cubes: simplify(cubes) }
    }

    /// The cubes.
    pub(crate) fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// The words of some of both, as one cube.
    pub(crate) fn overlap(&self, other: &CubeSet) -> Option<Cube> {
        self.cubes.iter().find_map(|a| other.cubes.iter().find_map(|b| a.intersect(*b)))
    }

    /// True if every word of `self` is in `other`.
    pub(crate) fn is_within(&self, other: &CubeSet) -> Result<bool, TooManyCubes> {
        for cube in &self.cubes {
            let mut rest = vec![*cube];
            for subtracted in &other.cubes {
                rest = subtract(&rest, *subtracted)?;
                if rest.is_empty() {
                    break;
                }
            }
            if !rest.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The words of `self` that are not in `other`.
    pub(crate) fn without(&self, other: &CubeSet) -> Result<CubeSet, TooManyCubes> {
        let mut rest = self.cubes.clone();
        for subtracted in &other.cubes {
            rest = subtract(&rest, *subtracted)?;
        }
        Ok(CubeSet { cubes: rest })
    }

    /// True if there is no word in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.cubes.is_empty()
    }
}

fn subtract(cubes: &[Cube], subtracted: Cube) -> Result<Vec<Cube>, TooManyCubes> {
    let mut parts = Vec::with_capacity(cubes.len());
    for cube in cubes {
        cube.sharp(subtracted, &mut parts);
        if parts.len() > MAX_CUBES {
            return Err(TooManyCubes);
        }
    }
    Ok(parts)
}

/// Fewer cubes with the same union: pairs that differ in one bit become one, until none is left,
/// and cubes within others are dropped.
fn simplify(mut cubes: Vec<Cube>) -> Vec<Cube> {
    loop {
        cubes.sort_unstable();
        cubes.dedup();
        let mut merged = Vec::with_capacity(cubes.len());
        let mut used = vec![false; cubes.len()];
        for i in 0..cubes.len() {
            if used[i] {
                continue;
            }
            // Equal masks stand together, since cubes are sorted by mask.
            let partner = (i + 1..cubes.len())
                .take_while(|&j| cubes[j].mask == cubes[i].mask)
                .find_map(|j| (!used[j]).then(|| cubes[i].merge(cubes[j]).map(|c| (j, c)))?);
            match partner {
                Some((j, cube)) => {
                    used[j] = true;
                    merged.push(cube);
                }
                None => merged.push(cubes[i]),
            }
        }
        let done = merged.len() == cubes.len();
        cubes = merged;
        if done {
            break;
        }
    }
    let mut kept: Vec<Cube> = Vec::with_capacity(cubes.len());
    for (i, cube) in cubes.iter().enumerate() {
        let is_within_another = cubes
            .iter()
            .enumerate()
            .any(|(j, other)| i != j && cube.is_within(*other) && cube != other);
        if !is_within_another {
            kept.push(*cube);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube from `01x`, most significant bit first.
    fn cube(text: &str) -> Cube {
        let mut cube = Cube::default();
        for (bit, digit) in (0..).zip(text.bytes().rev()) {
            if digit != b'x' {
                cube = cube.with_bit(bit, digit == b'1');
            }
        }
        cube
    }

    fn set(texts: &[&str]) -> CubeSet {
        CubeSet::new(texts.iter().map(|text| cube(text)).collect())
    }

    /// The words of a set of four bits, one by one.
    fn words(set: &CubeSet) -> Vec<u32> {
        let member = |word: &u32| {
            let text = format!("{word:04b}");
            set.cubes().iter().any(|c| cube(&text).is_within(*c))
        };
        (0..16).filter(member).collect()
    }

    #[test]
    fn adjacent_cubes_become_one() {
        assert_eq!(set(&["00", "01", "10", "11"]).cubes(), [Cube::default()]);
        assert_eq!(set(&["00", "11"]).cubes().len(), 2);
        assert_eq!(set(&["0x", "01"]).cubes(), [cube("0x")]);
    }

    #[test]
    fn operations_agree_with_sets_of_words() {
        let texts = ["0000", "x1x0", "1xxx", "01x1", "xx11", "0x0x", "xxxx", "1001"];
        for a in texts {
            for b in texts {
                for c in texts {
                    let (left, right) = (set(&[a, c]), set(&[b]));
                    let (left_words, right_words) = (words(&left), words(&right));
                    let both = left_words.iter().any(|word| right_words.contains(word));
                    assert_eq!(left.overlap(&right).is_some(), both);
                    let rest: Vec<u32> =
                        left_words.iter().filter(|w| !right_words.contains(w)).copied().collect();
                    assert_eq!(words(&left.without(&right).unwrap()), rest);
                    assert_eq!(left.is_within(&right), Ok(rest.is_empty()));
                }
            }
        }
    }

    #[test]
    fn an_overlap_gives_a_word_of_both() {
        let overlap = set(&["1xx0"]).overlap(&set(&["0xxx", "x1xx"])).unwrap();
        assert_eq!(overlap, cube("11x0"));
        assert_eq!(overlap.example().display(4), "0b1100");
    }

    #[test]
    fn high_bits_are_kept_apart() {
        let low = Cube::default().with_bit(3, true);
        let high = Cube::default().with_bit(200, true);
        let both = low.intersect(high).unwrap();
        assert_eq!((both.bit(200), both.bit(3), both.bit(4)), (Some(true), Some(true), None));
        assert_eq!(both.example().display(204), format!("0x1{}8", "0".repeat(49)));
        assert!(both.is_within(low) && !low.is_within(high));
    }

    #[test]
    fn an_explosion_is_refused() {
        // x odd parity of many bits: each cube subtracted splits all the rest.
        let everything = CubeSet::new(vec![Cube::default()]);
        let pairs = (0..40).map(|pair| {
            Cube::default().with_bit(2 * pair, true).with_bit(2 * pair + 1, true)
        });
        assert_eq!(everything.without(&CubeSet::new(pairs.collect())), Err(TooManyCubes));
    }
}
