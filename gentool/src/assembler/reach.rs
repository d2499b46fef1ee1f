//! How far a computed value reaches, for the message about one that does not.

use super::candidate::Values;

/// Values that some fields have, and what all of them have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// The least and the largest value that was found.
    pub(super) low: i128,
    pub(super) high: i128,
    /// All values are `low` plus a multiple of this, if it is not 0.
    pub(super) step: u128,
}

/// The reach of what is computed from some bits of fields, which are 0 in `values.fields`.
///
/// From all zeros and from all ones single bits are turned over as long as that leads further: exact
/// for what adds up what each bit contributes, as distances do; of anything else both ends are values
/// at least.
pub(super) fn reach_of(values: &Values<'_>, bits: &[(u32, u32)]) -> Option<Reach> {
    let value = |set: &[bool]| values.value(bits, set);
    let furthest = |is_better: &dyn Fn(i128, i128) -> bool| {
        [false, true].into_iter().filter_map(|begin| climb(vec![begin; bits.len()], &value, is_better)).fold(
            None,
            |best: Option<i128>, found| match best {
                Some(best) if !is_better(found, best) => Some(best),
                _ => Some(found),
            },
        )
    };
    let low = furthest(&|new, old| new < old)?;
    let high = furthest(&|new, old| new > old)?;
    let none = vec![false; bits.len()];
    let first = value(&none)?;
    let step = (0..bits.len()).try_fold(0, |step, one| {
        let mut set = none.clone();
        set[one] = true;
        Some(divisor(step, value(&set)?.abs_diff(first)))
    })?;
    Some(Reach { low, high, step })
}

/// Turns over bits one by one while that is better.
fn climb(
    mut set: Vec<bool>,
    value: &dyn Fn(&[bool]) -> Option<i128>,
    is_better: &dyn Fn(i128, i128) -> bool,
) -> Option<i128> {
    let mut best = value(&set)?;
    // Each turn settles one bit at least where bits add up.
    for _ in 0..=set.len() {
        let before = best;
        for one in 0..set.len() {
            set[one] ^= true;
            match value(&set) {
                Some(found) if is_better(found, best) => best = found,
                _ => set[one] ^= true,
            }
        }
        if best == before {
            break;
        }
    }
    Some(best)
}

/// The greatest common divisor.
fn divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
