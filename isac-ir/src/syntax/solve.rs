//! Computed values backwards: which fields make a text's value the one that is written.
//!
//! A value that adds up what each bit contributes, or that is the exclusive or of it, is solved bit
//! by bit; that is what offsets, sizes and scattered distances are. Of any other all values of few
//! bits are tried. Whatever is found is computed again, so that nothing is found that does not hold.

use std::collections::BTreeSet;

use super::Format;
use crate::behavior::{ExprKind, FieldId, walk_expressions};

/// So many bits are tried with all their values.
const MOST_TRIED_BITS: u32 = 16;

/// The fields that a format computes its value from; none where it computes nothing.
pub fn fields_of(format: &Format) -> BTreeSet<FieldId> {
    let mut found = BTreeSet::new();
    if let Format::Computed { value, .. } = format {
        walk_expressions(&value.body.statements, &mut |expr| {
            if let ExprKind::Field(field) = expr.kind {
                found.insert(field);
            }
        });
    }
    found
}

/// The fields for which a value is the wanted one: `fields` with some of its bits set, which are 0 in
/// there and named as field and bit, the least significant first.
pub fn solve(
    fields: &[u128],
    bits: &[(FieldId, u32)],
    wanted: i128,
    value: impl Fn(&[u128]) -> Option<i128>,
) -> Option<Vec<u128>> {
    let with = |set: &dyn Fn(usize) -> bool| {
        let mut all = fields.to_vec();
        for (index, (field, bit)) in bits.iter().enumerate() {
            all[*field as usize] |= u128::from(set(index)) << bit;
        }
        all
    };
    let holds = |found: Vec<u128>| (value(&found) == Some(wanted)).then_some(found);
    let none = value(&with(&|_| false));
    let alone: Option<Vec<i128>> = (0..bits.len()).map(|one| value(&with(&|index| index == one))).collect();
    if let (Some(none), Some(alone)) = (none, alone) {
        let sum = add_up(wanted.wrapping_sub(none), alone.iter().map(|value| value.wrapping_sub(none)));
        if let Some(found) = sum.and_then(|set| holds(with(&|index| set[index]))) {
            return Some(found);
        }
        let combined = combine((wanted ^ none) as u128, alone.iter().map(|value| (value ^ none) as u128));
        if let Some(found) = combined.and_then(|set| holds(with(&|index| set[index]))) {
            return Some(found);
        }
    }
    if bits.len() as u32 > MOST_TRIED_BITS {
        return None;
    }
    (0..1u32 << bits.len()).find_map(|number| holds(with(&|index| number >> index & 1 == 1)))
}

/// Which weights add up to a sum, where no two of them have the same lowest bit.
fn add_up(sum: i128, weights: impl Iterator<Item = i128>) -> Option<Vec<bool>> {
    let weights: Vec<i128> = weights.collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|index| weights[*index] != 0).collect();
    order.sort_by_key(|index| weights[*index].trailing_zeros());
    let mut set = vec![false; weights.len()];
    let mut left = sum;
    for index in order {
        let weight = weights[index];
        if left >> weight.trailing_zeros() & 1 == 1 {
            set[index] = true;
            left = left.wrapping_sub(weight);
        }
    }
    (left == 0).then_some(set)
}

/// Which patterns have an exclusive or that is the wanted one: Gauss's elimination.
fn combine(wanted: u128, patterns: impl Iterator<Item = u128>) -> Option<Vec<bool>> {
    // Each with the set of those that it is made of, as bits of a second number.
    let mut basis: Vec<(u128, u128)> = Vec::new();
    let mut count = 0;
    let reduced = |basis: &[(u128, u128)], mut pattern: (u128, u128)| {
        for (highest, made_of) in basis {
            if pattern.0 & (1 << highest.ilog2()) != 0 {
                pattern = (pattern.0 ^ highest, pattern.1 ^ made_of);
            }
        }
        pattern
    };
    for pattern in patterns.take(128) {
        let found = reduced(&basis, (pattern, 1 << count));
        count += 1;
        if found.0 != 0 {
            basis.push(found);
            basis.sort_by_key(|(pattern, _)| std::cmp::Reverse(*pattern));
        }
    }
    let (left, made_of) = reduced(&basis, (wanted, 0));
    (left == 0).then(|| (0..count).map(|index| made_of >> index & 1 == 1).collect())
}

#[cfg(test)]
mod tests {
    use super::solve;

    fn bits(field: u32, count: u32) -> Vec<(u32, u32)> {
        (0..count).map(|bit| (field, bit)).collect()
    }

    #[test]
    fn what_adds_up_is_solved() {
        let size = |fields: &[u128]| Some(fields[1] as i128 - fields[0] as i128 + 1);
        assert_eq!(solve(&[3, 0], &bits(1, 5), 8, size), Some(vec![3, 10]));
        assert_eq!(solve(&[3, 0], &bits(1, 5), -3, size), None);
        let signed = |fields: &[u128]| Some(fields[0] as i128 - 2 * (fields[0] as i128 & 0x20_0000));
        assert_eq!(solve(&[0], &bits(0, 22), -4, signed), Some(vec![0x3f_fffc]));
    }

    #[test]
    fn what_is_an_exclusive_or_is_solved() {
        // As in Thumb's BL: bits that are coded as their difference to the sign
        let distance = |fields: &[u128]| {
            let (sign, other, low) = (fields[0], fields[1], fields[2]);
            let bits = sign << 21 | (other ^ sign ^ 1) << 20 | low;
            Some(((bits << 106) as i128) >> 106)
        };
        let all = [bits(0, 1), bits(1, 1), bits(2, 20)].concat();
        for wanted in [0, 4, -4, 0x10_0004, -0x12_3456, 0x1f_ffff, -0x20_0000] {
            let found = solve(&[0, 0, 0], &all, wanted, distance).expect("it can be coded");
            assert_eq!(distance(&found), Some(wanted));
        }
        assert_eq!(solve(&[0, 0, 0], &all, 0x20_0000, distance), None);
    }

    #[test]
    fn what_is_neither_is_tried() {
        let square = |fields: &[u128]| Some((fields[0] * fields[0]) as i128);
        assert_eq!(solve(&[0], &bits(0, 8), 169, square), Some(vec![13]));
        assert_eq!(solve(&[0], &bits(0, 8), 170, square), None);
        let quotient = |fields: &[u128]| 100i128.checked_div(fields[0] as i128);
        assert_eq!(solve(&[0], &bits(0, 4), 20, quotient), Some(vec![5]));
    }
}
