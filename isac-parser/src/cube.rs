//! Sets of words as lists of cubes: exact intersection, difference and inclusion.
//!
//! A *cube* fixes some bits of a word and leaves the others open; a CODING without aliases is
//! one. A set is a union of cubes, which may overlap. Difference is the *sharp* operation of
//! two-level logic minimisation (R. K. Brayton et al., Logic Minimization Algorithms for VLSI
//! Synthesis, 1984, section 2.4) in its disjoint form: one part for each bit that the subtracted
//! cube fixes and the other leaves open.

use crate::word::{MAX_BITS, Word};

/// The words that agree with `value` in the bits of `mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cube {
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
    pub fn bit(self, bit: u32) -> Option<bool> {
        self.mask.has(bit).then(|| self.value.has(bit))
    }

    /// The bits that are fixed, ascending, and their values.
    pub(crate) fn fixed(self) -> impl Iterator<Item = (u32, bool)> {
        (0..MAX_BITS).filter_map(move |bit| Some((bit, self.bit(bit)?)))
    }

    /// How many bits it fixes.
    pub(crate) fn fixed_bits(self) -> u32 {
        self.mask.count_ones()
    }

    /// One word of the cube: its open bits are 0.
    pub(crate) fn example(self) -> Word {
        self.value
    }

    /// The words of both.
    pub(crate) fn intersect(self, other: Cube) -> Option<Cube> {
        let clash = (self.value ^ other.value) & self.mask & other.mask;
        clash.is_zero().then(|| Cube { mask: self.mask | other.mask, value: self.value | other.value })
    }

    /// The smallest cube around both.
    pub(crate) fn join(self, other: Cube) -> Cube {
        let mask = self.mask & other.mask & !(self.value ^ other.value);
        Cube { mask, value: self.value & mask }
    }

    /// The same with each fixed bit moved to where `positions` says; bits it does not name stay
    /// open.
    pub(crate) fn placed(self, positions: &[u32]) -> Cube {
        let fixed = (0u32..).zip(positions).filter_map(|(bit, to)| Some((*to, self.bit(bit)?)));
        fixed.fold(Cube::default(), |cube, (to, set)| cube.with_bit(to, set))
    }

    /// What the cube says of some bits alone, bit i of the result being bit `positions[i]`.
    pub(crate) fn projected(self, positions: &[u32]) -> Cube {
        let fixed = (0u32..).zip(positions).filter_map(|(to, bit)| Some((to, self.bit(*bit)?)));
        fixed.fold(Cube::default(), |cube, (to, set)| cube.with_bit(to, set))
    }

    /// The words with `bits` open bits put below each.
    pub(crate) fn shifted(self, bits: u32) -> Cube {
        (0..MAX_BITS.saturating_sub(bits))
            .filter_map(|bit| Some((bit, self.bit(bit)?)))
            .fold(Cube::default(), |cube, (bit, set)| cube.with_bit(bit + bits, set))
    }

    /// True if every word of `self` is one of `other`.
    pub(crate) fn is_within(self, other: Cube) -> bool {
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

/// A set has more than [`MAX_CUBES`] cubes, or the [`Budget`] is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyCubes;

/// Most cubes that a set, or a step towards one, may have.
pub(crate) const MAX_CUBES: usize = 4096;

/// How many pairs of cubes may still be compared.
///
/// Inclusion of cube sets is hard in general: some descriptions would take for ever.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget(u64);

impl Budget {
    /// Enough for any real instruction set, and spent within seconds.
    pub(crate) fn new() -> Budget {
        Budget(100_000_000)
    }

    /// Nothing may be compared.
    pub(crate) fn spent() -> Budget {
        Budget(0)
    }

    /// True if a question needed more than was left.
    pub(crate) fn is_spent(self) -> bool {
        self.0 == 0
    }

    fn spend(&mut self, pairs: usize) -> Result<(), TooManyCubes> {
        let left = self.0.checked_sub(pairs as u64);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(TooManyCubes)
    }
}

/// A union of cubes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CubeSet {
    cubes: Vec<Cube>,
    /// The smallest cube around all of them: most sets of an instruction set are already apart
    /// in it.
    hull: Cube,
}

impl CubeSet {
    /// The union of the cubes, simplified.
    pub(crate) fn new(cubes: Vec<Cube>, budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
        let cubes = simplify(cubes, budget)?;
        if cubes.len() > MAX_CUBES { Err(TooManyCubes) } else { Ok(CubeSet::of_simple(cubes)) }
    }

    /// The union of cubes none of which is part of another.
    pub(crate) fn of_disjoint(cubes: Vec<Cube>) -> CubeSet {
        CubeSet::of_simple(cubes)
    }

    fn of_simple(cubes: Vec<Cube>) -> CubeSet {
        let hull = cubes.iter().copied().reduce(Cube::join).unwrap_or_default();
        CubeSet { cubes, hull }
    }

    /// A cube around all of them; `None` if there is none.
    pub(crate) fn hull(&self) -> Option<Cube> {
        (!self.cubes.is_empty()).then_some(self.hull)
    }

    /// The cubes.
    pub(crate) fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// The words of some of both, as one cube.
    pub(crate) fn overlap(&self, other: &CubeSet, budget: &mut Budget) -> Result<Option<Cube>, TooManyCubes> {
        budget.spend(1)?;
        if self.hull.intersect(other.hull).is_none() {
            return Ok(None);
        }
        budget.spend(self.cubes.len() * other.cubes.len())?;
        let both = |a: &Cube| other.cubes.iter().find_map(|b| a.intersect(*b));
        Ok(self.cubes.iter().find_map(both))
    }

    /// The words that are in both.
    pub(crate) fn intersect(&self, other: &CubeSet, budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
        if self.hull.intersect(other.hull).is_none() {
            return Ok(CubeSet::default());
        }
        budget.spend(self.cubes.len() * other.cubes.len())?;
        let mut both = Vec::new();
        for cube in &self.cubes {
            both.extend(other.cubes.iter().filter_map(|other| cube.intersect(*other)));
            if both.len() > 4 * MAX_CUBES {
                return Err(TooManyCubes);
            }
        }
        CubeSet::new(both, budget)
    }

    /// What becomes of it where bits are moved, but never two to one place.
    pub(crate) fn each(&self, moved: impl Fn(Cube) -> Cube) -> CubeSet {
        CubeSet::of_simple(self.cubes.iter().map(|cube| moved(*cube)).collect())
    }

    /// What the words are in some bits alone.
    pub(crate) fn projected(&self, positions: &[u32], budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
        CubeSet::new(self.cubes.iter().map(|cube| cube.projected(positions)).collect(), budget)
    }

    /// True if every word of `self` is in `other`.
    pub(crate) fn is_within(&self, other: &CubeSet, budget: &mut Budget) -> Result<bool, TooManyCubes> {
        for cube in &self.cubes {
            let mut rest = vec![*cube];
            for subtracted in &other.cubes {
                rest = subtract(&rest, *subtracted, budget)?;
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
    pub(crate) fn without(&self, other: &CubeSet, budget: &mut Budget) -> Result<CubeSet, TooManyCubes> {
        let mut rest = self.cubes.clone();
        for subtracted in &other.cubes {
            rest = subtract(&rest, *subtracted, budget)?;
        }
        Ok(CubeSet::of_simple(rest))
    }

    /// True if every word is in it, as one cube.
    pub(crate) fn is_everything(&self) -> bool {
        self.cubes == [Cube::default()]
    }

    /// True if there is no word in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.cubes.is_empty()
    }
}

fn subtract(cubes: &[Cube], subtracted: Cube, budget: &mut Budget) -> Result<Vec<Cube>, TooManyCubes> {
    budget.spend(cubes.len())?;
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
fn simplify(mut cubes: Vec<Cube>, budget: &mut Budget) -> Result<Vec<Cube>, TooManyCubes> {
    loop {
        cubes.sort_unstable();
        cubes.dedup();
        let mut merged = Vec::with_capacity(cubes.len());
        let mut used = vec![false; cubes.len()];
        for i in 0..cubes.len() {
            if used[i] {
                continue;
            }
            let partner = partner_of(i, &cubes, &used, budget)?;
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
    budget.spend(cubes.len() * cubes.len())?;
    let is_within_another = |cube: &Cube| cubes.iter().any(|other| cube != other && cube.is_within(*other));
    Ok(cubes.iter().copied().filter(|cube| !is_within_another(cube)).collect())
}

/// A later, unused cube that becomes one with cube `i`, and what they become.
///
/// Only cubes of one mask do, and those stand together, since cubes are sorted by mask.
fn partner_of(
    i: usize,
    cubes: &[Cube],
    used: &[bool],
    budget: &mut Budget,
) -> Result<Option<(usize, Cube)>, TooManyCubes> {
    for j in i + 1..cubes.len() {
        if cubes[j].mask != cubes[i].mask {
            break;
        }
        budget.spend(1)?;
        if let (false, Some(cube)) = (used[j], cubes[i].merge(cubes[j])) {
            return Ok(Some((j, cube)));
        }
    }
    Ok(None)
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
        let cubes = texts.iter().map(|text| cube(text)).collect();
        CubeSet::new(cubes, &mut Budget::new()).unwrap()
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
                    assert_eq!(left.overlap(&right, &mut Budget::new()).unwrap().is_some(), both);
                    let rest: Vec<u32> =
                        left_words.iter().filter(|w| !right_words.contains(w)).copied().collect();
                    assert_eq!(words(&left.without(&right, &mut Budget::new()).unwrap()), rest);
                    assert_eq!(left.is_within(&right, &mut Budget::new()), Ok(rest.is_empty()));
                }
            }
        }
    }

    #[test]
    fn an_overlap_gives_a_word_of_both() {
        let overlap = set(&["1xx0"]).overlap(&set(&["0xxx", "x1xx"]), &mut Budget::new()).unwrap();
        let overlap = overlap.unwrap();
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
        let budget = &mut Budget::new();
        let everything = CubeSet::new(vec![Cube::default()], budget).unwrap();
        let pairs = (0..40).map(|pair| Cube::default().with_bit(2 * pair, true).with_bit(2 * pair + 1, true));
        let pairs = CubeSet::new(pairs.collect(), budget).unwrap();
        assert_eq!(everything.without(&pairs, budget), Err(TooManyCubes));
    }
}
