//! Maps from pairs that come in the order of their keys.

use std::collections::BTreeMap;

/// The pairs as a map; of values under one key, `add` adds the second to the first. Keys that ascend make
/// it in linear time, several times as fast as insertions.
pub(crate) fn sum_ascending<K: Ord, V>(
    pairs: impl Iterator<Item = (K, V)>,
    add: impl Fn(&mut V, V),
) -> BTreeMap<K, V> {
    let mut sums: Vec<(K, V)> = Vec::with_capacity(pairs.size_hint().0);
    for (key, value) in pairs {
        match sums.last_mut().filter(|(last, _)| *last == key) {
            Some((_, sum)) => add(sum, value),
            None => sums.push((key, value)),
        }
    }
    sums.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::sum_ascending;

    #[test]
    fn values_under_one_key_are_summed() {
        let sums = sum_ascending([(1, 2), (1, 3), (4, 5)].into_iter(), |sum, value| *sum += value);
        assert_eq!(sums, [(1, 5), (4, 5)].into());
    }
}
