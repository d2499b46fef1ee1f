//! Values of operands: which are frequent, from where to where they go, how often it is the same.
//!
//! There may be any number of values, and of each operand a bounded number of them is counted (Metwally,
//! Agrawal and El Abbadi, *Efficient computation of frequent and top-k elements in data streams*, 2005,
//! "Space-Saving"): a value that has no counter takes that of the rarest one, and what it had counted
//! with it. So a counter never says too little, and it knows how much it may say too much; as long as
//! there are no more values than counters all is exact.

use std::collections::BTreeMap;

use crate::Word;

/// Values of one operand that have a counter.
pub const COUNTED_VALUES: usize = 64;

/// What accesses of one kind by an operation of an instruction to a resource: an operand, or a part of
/// memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValuePlace {
    /// Address of the instruction.
    pub address: u64,
    /// What was decoded there.
    pub word: Word,
    /// The operation's node in the decoding tree, in preorder.
    pub node: u32,
    /// The operation, by its index in the model.
    pub operation: u32,
    /// The resource, by its index in [`crate::ModelTables::resources`].
    pub resource: u32,
    /// What of the accesses it is.
    pub kind: ValueKind,
}

/// What of an access is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueKind {
    /// What is read.
    Read,
    /// The address in memory that it is read from.
    ReadAddress,
    /// What is written.
    Written,
    /// The address in memory that it is written to.
    WrittenAddress,
}

/// Values of every place that was seen.
pub type ValueTable = BTreeMap<ValuePlace, Values>;

/// A value with its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedValue {
    /// The value, at most its low 128 bits.
    pub value: u128,
    /// At most so often it was there.
    pub times: u64,
    /// Of these, so many may have been others.
    pub uncertain: u64,
}

/// The values of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// How many there were.
    pub times: u64,
    /// The lowest one, as an unsigned number.
    pub lowest: u128,
    /// The highest one.
    pub highest: u128,
    counted: Vec<CountedValue>,
}

impl Values {
    /// One value.
    pub fn new(value: u128) -> Values {
        let first = CountedValue { value, times: 1, uncertain: 0 };
        Values { times: 1, lowest: value, highest: value, counted: vec![first] }
    }

    /// One more value.
    pub fn add(&mut self, value: u128) {
        self.times = self.times.saturating_add(1);
        (self.lowest, self.highest) = (self.lowest.min(value), self.highest.max(value));
        if let Some(known) = self.counted.iter_mut().find(|counted| counted.value == value) {
            known.times = known.times.saturating_add(1);
            return;
        }
        if self.counted.len() < COUNTED_VALUES {
            self.counted.push(CountedValue { value, times: 1, uncertain: 0 });
            return;
        }
        // Of those that are equally rare, the first: the same on every computer.
        if let Some(rarest) = self.counted.iter_mut().min_by_key(|counted| counted.times) {
            let uncertain = rarest.times;
            *rarest = CountedValue { value, times: uncertain.saturating_add(1), uncertain };
        }
    }

    /// The values that have counters, the most frequent first; equally frequent ones by value.
    pub fn frequent(&self) -> Vec<CountedValue> {
        let mut sorted = self.counted.clone();
        sorted.sort_by(|left, right| right.times.cmp(&left.times).then(left.value.cmp(&right.value)));
        sorted
    }

    /// How many different values there were; none if they were too many to tell.
    pub fn distinct(&self) -> Option<usize> {
        let is_exact = self.counted.iter().all(|counted| counted.uncertain == 0);
        is_exact.then_some(self.counted.len())
    }

    /// How often the most frequent value was there, at least: of [`Values::times`] its *invariance*.
    pub fn invariant_times(&self) -> u64 {
        self.counted.iter().map(|counted| counted.times - counted.uncertain).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{COUNTED_VALUES, Values};

    fn values(values: impl IntoIterator<Item = u128>) -> Values {
        let mut values = values.into_iter();
        let mut table = Values::new(values.next().expect("a value"));
        values.for_each(|value| table.add(value));
        table
    }

    #[test]
    fn a_few_values_are_counted_exactly() {
        let table = values([3, 9, 3, 1, 3, 9]);
        let frequent: Vec<_> = table.frequent().iter().map(|value| (value.value, value.times)).collect();
        assert_eq!(frequent, [(3, 3), (9, 2), (1, 1)]);
        assert_eq!((table.times, table.lowest, table.highest), (6, 1, 9));
        assert_eq!((table.distinct(), table.invariant_times()), (Some(3), 3));
    }

    #[test]
    fn of_many_values_the_frequent_ones_are_kept_and_no_counter_says_too_little() {
        let mut state = 1u64;
        let mut exact: BTreeMap<u128, u64> = BTreeMap::new();
        let stream: Vec<u128> = (0..50_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Half of them are below 8, the others nearly all different.
                let (low, high) = (u128::from(state >> 33 & 7), u128::from(state >> 20));
                if state >> 63 == 0 { low } else { high }
            })
            .collect();
        stream.iter().for_each(|value| *exact.entry(*value).or_default() += 1);
        let table = values(stream);
        assert_eq!((table.times, table.distinct()), (50_000, None));
        for counted in table.frequent() {
            let truth = exact[&counted.value];
            assert!((counted.times - counted.uncertain..=counted.times).contains(&truth), "{counted:?}");
        }
        // Whatever is more frequent than the average counter has one.
        let kept: Vec<u128> = table.frequent().iter().map(|counted| counted.value).collect();
        let often = exact.iter().filter(|(_, times)| **times > 50_000 / COUNTED_VALUES as u64);
        let often: Vec<u128> = often.map(|(value, _)| *value).collect();
        assert_eq!(often.len(), 8);
        assert!(often.iter().all(|value| kept.contains(value)));
        assert!(table.invariant_times() <= *exact.values().max().expect("a value"));
    }
}
