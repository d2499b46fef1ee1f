//! Sets of counters.

/// A set of an instruction's counters, in as many bits as the model's instructions need.
pub trait Mask: Copy + Eq + Default + std::fmt::Debug + Into<u128> + 'static {
    /// Counters at most.
    const BITS: u32;

    /// The set of one counter.
    fn of(counter: u32) -> Self;

    /// What is in both.
    fn both(self, other: Self) -> Self;

    /// What is in one of them.
    fn either(self, other: Self) -> Self;

    /// What is in this one alone.
    fn without(self, other: Self) -> Self;
}

macro_rules! mask {
    ($type:ty) => {
        impl Mask for $type {
            const BITS: u32 = <$type>::BITS;

            #[inline(always)]
            fn of(counter: u32) -> Self {
                1 << counter
            }

            #[inline(always)]
            fn both(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn either(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn without(self, other: Self) -> Self {
                self & !other
            }
        }
    };
}

mask!(u64);
mask!(u128);
