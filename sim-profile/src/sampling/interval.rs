//! How often something happened of which a known share was counted, each time by itself.
//!
//! What was counted has a binomial distribution. The ends are those numbers beyond which what was counted, or
//! still more to that side, would be met in less than 2.5 % of all runs: exactly so (Clopper and Pearson, 1934)
//! where little was counted, and by the normal distribution with the score's variance (Wilson, 1927) and a
//! correction of a half for that counts are whole numbers where it was more. What was not counted at all is
//! never told, so that the lower end is asked of the runs alone that have counted something: otherwise it would
//! be too high for whatever happens rarely, in each run that tells of it.
//!
//! Only sums, products, quotients and roots are taken, whose results IEEE 754 lays down: the ends are the same
//! on every computer.

/// Half the width of a 95 % interval, in standard deviations.
const DEVIATIONS: f64 = 1.96;
/// The probability beyond each end.
const BEYOND: f64 = 0.025;
/// Up to so much is counted, the ends are exact.
const FEW: u64 = 100;
/// Of how many it is as good as certain that more than [`FEW`] are counted.
const CERTAIN: f64 = 400.0;

/// At least and at most how often something happened of which a share, above 0 and at most 1, was counted.
pub(super) fn times(counted: u64, share: f64) -> [f64; 2] {
    let missed = 1.0 - share;
    if missed <= 0.0 {
        return [counted as f64; 2];
    }
    if counted > FEW {
        let end = |corrected: f64, side: f64| {
            let spread = DEVIATIONS * DEVIATIONS * missed;
            let half = (spread * corrected + spread * spread / 4.0).sqrt();
            (corrected + spread / 2.0 + side * half) / share
        };
        let low = end(counted as f64 - 0.5, -1.0).max(counted as f64);
        return [low, end(counted as f64 + 0.5, 1.0)];
    }
    // Least number at which so much, of what is counted at all, is not too much any more.
    let low = match counted {
        0 | 1 => counted,
        _ => first(counted, |times| {
            let few = Few::of(times, share, counted - 1);
            1.0 - (few.upto - few.none) / (1.0 - few.none) > BEYOND
        }),
    };
    // The number before that at which it would be too little.
    let high = first(counted + 1, |times| Few::of(times, share, counted).upto < BEYOND) - 1;
    [low as f64, high as f64]
}

/// The first number from one on of which a condition holds that holds of all behind it, too.
fn first(from: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let mut step = 1;
    let mut above = from;
    while !holds(above) && above < u64::MAX {
        above = from.saturating_add(step);
        step = step.saturating_mul(2);
    }
    let mut below = from;
    while below < above {
        let middle = below + (above - below) / 2;
        if holds(middle) { above = middle } else { below = middle + 1 }
    }
    below
}

/// Probabilities of few being counted.
struct Few {
    /// Of none.
    none: f64,
    /// Of at most so many.
    upto: f64,
}

impl Few {
    /// Of `times` times, each counted with the probability `share`.
    fn of(times: u64, share: f64, most: u64) -> Few {
        if times as f64 * share > CERTAIN {
            return Few { none: 0.0, upto: 0.0 };
        }
        let none = power(1.0 - share, times);
        let (mut term, mut upto) = (none, none);
        for counted in 0..most.min(times) {
            term *= (times - counted) as f64 / (counted + 1) as f64 * (share / (1.0 - share));
            upto += term;
        }
        Few { none, upto }
    }
}

/// A power, by squaring.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut power, mut square, mut rest) = (1.0, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            power *= square;
        }
        square *= square;
        rest >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::{FEW, Few, power, times};

    /// Tables of exact limits of a Poisson distribution (Garwood, 1936), which a small share comes near to.
    #[test]
    fn upper_ends_are_those_of_the_tables() {
        for (counted, most) in [(0, 3.689), (1, 5.572), (2, 7.225), (10, 18.390), (20, 30.888)] {
            let [_, high] = times(counted, 1e-4);
            assert!((high * 1e-4 - most).abs() < 0.002, "{counted}: {high}");
        }
    }

    #[test]
    fn what_was_counted_once_may_have_happened_once() {
        assert_eq!([0.5, 0.02, 1e-6].map(|share| times(1, share)[0]), [1.0; 3]);
    }

    #[test]
    fn where_all_is_counted_nothing_is_left_open() {
        assert_eq!(
            [0, 1, 7, 1_000_000].map(|counted| times(counted, 1.0)),
            [0, 1, 7, 1_000_000].map(|n| [f64::from(n); 2])
        );
    }

    /// Whatever the number is: of the runs that have counted something, 95 % and more give an interval that
    /// holds it.
    #[test]
    fn intervals_hold_whatever_the_number_is() {
        for share in [0.5, 0.1, 0.02, 0.001] {
            let ends: Vec<[f64; 2]> = (0..=2 * FEW).map(|counted| times(counted, share)).collect();
            for expected in
                [0.001, 0.01, 0.05, 0.17, 0.4, 1.0, 2.0, 3.5, 5.0, 9.0, 17.0, 40.0, 80.0, 100.0, 120.0]
            {
                let number = ((expected / share) as u64).max(1);
                let upto = |most| Few::of(number, share, most);
                let told = 1.0 - upto(0).none;
                let held: f64 = (1..ends.len() as u64)
                    .filter(|counted| {
                        (ends[*counted as usize][0]..=ends[*counted as usize][1]).contains(&(number as f64))
                    })
                    .map(|counted| upto(counted).upto - upto(counted - 1).upto)
                    .sum();
                assert!(held / told >= 0.949, "{share} of {number}: {}", held / told);
            }
        }
    }

    #[test]
    fn ends_go_on_where_the_way_to_find_them_changes() {
        for share in [0.5, 0.02, 1e-5] {
            let [few, more] = [times(FEW, share), times(FEW + 1, share)];
            for (few, more) in few.into_iter().zip(more) {
                assert!(more > few && more - few < 0.03 * few, "{share}: {few} {more}");
            }
        }
    }

    #[test]
    fn a_power_is_one() {
        assert_eq!((power(0.5, 0), power(0.5, 10), power(2.0, 63)), (1.0, 1.0 / 1024.0, (1u64 << 63) as f64));
    }
}
