//! What was counted between two moments, and sums of that: without a look at the model, which
//! [`Recording::measure`] takes.

use std::collections::BTreeMap;

use super::recording::{Recording, StaticInstruction};

impl Recording {
    /// What was counted since `earlier`, which was taken of the same run, between two instructions.
    ///
    /// `None` if it is no earlier state of this run, or if a sum has reached its largest value, so that what was
    /// added to it is not known.
    #[must_use]
    pub fn since(&self, earlier: &Recording) -> Option<Recording> {
        Some(Recording {
            instructions: each_less(
                &self.instructions,
                &earlier.instructions,
                StaticInstruction::since,
                StaticInstruction::is_zero,
            )?,
            transfers: counts_less(&self.transfers, &earlier.transfers)?,
            cycles: less(self.cycles, earlier.cycles)?,
            extra_cycles: less(self.extra_cycles, earlier.extra_cycles)?,
            undecoded: less(self.undecoded, earlier.undecoded)?,
            undecoded_faults: counts_less(&self.undecoded_faults, &earlier.undecoded_faults)?,
            undecoded_extra_cycles: counts_less(
                &self.undecoded_extra_cycles,
                &earlier.undecoded_extra_cycles,
            )?,
            events: counts_less(&self.events, &earlier.events)?,
        })
    }

    /// Adds what was counted in another part of the same run.
    pub fn add(&mut self, other: &Recording) {
        for (key, counted) in &other.instructions {
            match self.instructions.get_mut(key) {
                Some(sum) => sum.add(counted),
                None => {
                    self.instructions.insert(key.clone(), counted.clone());
                }
            }
        }
        add_counts(&mut self.transfers, &other.transfers);
        add_counts(&mut self.undecoded_faults, &other.undecoded_faults);
        add_counts(&mut self.undecoded_extra_cycles, &other.undecoded_extra_cycles);
        add_counts(&mut self.events, &other.events);
        count(&mut self.cycles, other.cycles);
        count(&mut self.extra_cycles, other.extra_cycles);
        count(&mut self.undecoded, other.undecoded);
    }
}

impl StaticInstruction {
    /// Of the execution in which the run ended, the later one alone can know.
    fn since(&self, earlier: &StaticInstruction) -> Option<StaticInstruction> {
        let before = earlier.counters.iter().copied().chain(std::iter::repeat(0));
        let counters = self.counters.iter().zip(before).map(|(sum, before)| less(*sum, before));
        Some(StaticInstruction {
            executed: less(self.executed, earlier.executed)?,
            cancelled: less(self.cancelled, earlier.cancelled)?,
            faulted: less(self.faulted, earlier.faulted)?,
            extra_cycles: less(self.extra_cycles, earlier.extra_cycles)?,
            unfinished: less(self.unfinished, earlier.unfinished)?,
            counters: counters.collect::<Option<_>>()?,
            unreached: self.unreached.clone(),
        })
    }

    /// Whether it was never decoded and cost nothing.
    fn is_zero(&self) -> bool {
        let Self { executed, cancelled, faulted, extra_cycles, unfinished, .. } = self;
        [executed, cancelled, faulted, extra_cycles, unfinished].into_iter().all(|count| *count == 0)
    }

    fn add(&mut self, other: &StaticInstruction) {
        count(&mut self.executed, other.executed);
        count(&mut self.cancelled, other.cancelled);
        count(&mut self.faulted, other.faulted);
        count(&mut self.extra_cycles, other.extra_cycles);
        count(&mut self.unfinished, other.unfinished);
        if self.counters.len() < other.counters.len() {
            self.counters.resize(other.counters.len(), 0);
        }
        self.counters.iter_mut().zip(&other.counters).for_each(|(sum, times)| count(sum, *times));
        self.unreached.extend(&other.unreached);
    }
}

/// A sum without what was in it before; one that has reached its largest value tells no more.
fn less(sum: u64, before: u64) -> Option<u64> {
    sum.checked_sub(before).filter(|_| sum < u64::MAX)
}

/// Entries without what was in them before, those that are left.
fn each_less<K: Ord + Clone, V: Clone + Default>(
    ours: &BTreeMap<K, V>,
    theirs: &BTreeMap<K, V>,
    less: impl Fn(&V, &V) -> Option<V>,
    is_zero: impl Fn(&V) -> bool,
) -> Option<BTreeMap<K, V>> {
    let (mut left, nothing) = (BTreeMap::new(), V::default());
    let mut before = theirs.iter().peekable();
    for (key, value) in ours {
        let earlier = before.next_if(|(earlier, _)| *earlier == key).map_or(&nothing, |(_, value)| value);
        let value = less(value, earlier)?;
        if !is_zero(&value) {
            left.insert(key.clone(), value);
        }
    }
    // What was there before is there still.
    before.peek().is_none().then_some(left)
}

fn counts_less<K: Ord + Clone>(
    ours: &BTreeMap<K, u64>,
    theirs: &BTreeMap<K, u64>,
) -> Option<BTreeMap<K, u64>> {
    each_less(ours, theirs, |ours, theirs| less(*ours, *theirs), |count| *count == 0)
}

fn count(sum: &mut u64, times: u64) {
    *sum = sum.saturating_add(times);
}

fn add_counts<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (key, times) in others {
        match sums.get_mut(key) {
            Some(sum) => count(sum, *times),
            None => {
                sums.insert(key.clone(), *times);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of two instructions, of which the second has run so often.
    fn recording(executed: u64, counters: &[u64]) -> Recording {
        let mut recording = Recording { cycles: executed + 1, ..Recording::default() };
        recording.instruction(0, &[]).executed = 1;
        recording.transfers.insert((4, 4), executed);
        *recording.instruction(4, &[]) =
            StaticInstruction { executed, counters: counters.to_vec(), ..StaticInstruction::default() };
        recording
    }

    #[test]
    fn parts_add_up_to_what_was_counted() {
        let moments = [recording(1, &[]), recording(5, &[2]), recording(9, &[2, 7])];
        let mut sum = moments[0].clone();
        for pair in moments.windows(2) {
            let part = pair[1].since(&pair[0]).expect("it is a later state");
            assert_eq!(part.instructions.len(), 1);
            sum.add(&part);
        }
        assert_eq!(sum, moments[2]);
        assert_eq!(sum.since(&sum), Some(Recording::default()));
    }

    #[test]
    fn what_is_no_later_state_gives_no_part() {
        let (early, late) = (recording(1, &[1]), recording(5, &[2]));
        assert_eq!(early.since(&late), None);
        assert_eq!(Recording::default().since(&early), None);
        let full = Recording { cycles: u64::MAX, ..late };
        assert_eq!(full.since(&early), None);
    }
}
