//! Random numbers that a seed repeats on every machine.

/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A generator of its own for part `index` of what `seed` makes.
    pub(crate) fn of_part(seed: u64, index: usize) -> Random {
        Random(Random(seed ^ Random(index as u64).next()).next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.below_u64(limit as u64) as usize
    }

    /// True once in `chances` on average.
    pub(crate) fn once_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// A number below `limit`; 0 if that is 0.
    pub(crate) fn below_u64(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *self.choose(from)
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A value of `width` bits: as often a corner or next to one as any.
    pub(crate) fn value(&mut self, width: u32) -> u32 {
        let mask = u32::MAX >> (32 - width);
        let sign = 1 << (width - 1);
        let corner = *self.choose(&[0, 1, 2, 4, sign, sign - 1, mask, mask - 1, 31, 32]);
        let value = if self.once_in(2) { corner } else { self.next() as u32 };
        value & mask
    }
}
