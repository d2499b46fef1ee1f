//! How often control goes round within a line.
//!
//! A step back is a turn as far as what it leads to has come to it again without leaving the line. A loop
//! whose body stands on other lines goes back at its end, too, which the compiler has put on the line of its
//! beginning; but control came to that end from elsewhere, and is counted there.

use std::collections::{BTreeMap, BTreeSet};

/// From, to, how often.
pub(super) type Step = ((u64, u64), u64);

/// Turns made by steps within a line, each pair given once.
pub(super) fn turns(steps: &[Step]) -> u64 {
    let is_back = |(from, to): (u64, u64)| to <= from;
    let back: BTreeSet<(u64, u64)> =
        steps.iter().map(|(step, _)| *step).filter(|step| is_back(*step)).collect();
    if back.is_empty() {
        return 0;
    }
    let mut left = Left { steps: BTreeMap::new() };
    for &((from, to), times) in steps {
        left.steps.entry(from).or_default().insert(to, times);
    }
    let mut turns = 0_u64;
    // What goes on forwards to where the step back begins is its loop; what is left may go back elsewhere.
    for goes_back in [false, true] {
        for &step in &back {
            // Forwards nothing comes back from behind where the step back begins.
            let allows = |other: (u64, u64)| goes_back || !is_back(other) && other.1 <= step.0;
            turns = turns.saturating_add(left.take_turns(step, allows));
        }
    }
    turns
}

/// Steps that belong to no turn yet, by where they begin.
struct Left {
    steps: BTreeMap<u64, BTreeMap<u64, u64>>,
}

impl Left {
    /// Takes away the turns that end with a step, by ways of steps that are allowed; how many they were.
    fn take_turns(&mut self, back: (u64, u64), allows: impl Fn((u64, u64)) -> bool) -> u64 {
        let (from, to) = back;
        let mut turns = 0_u64;
        if self.times(back) == 0 {
            return 0;
        }
        while let Some(mut way) = self.way((to, from), &allows) {
            way.push(back);
            let least = way.iter().map(|step| self.times(*step)).min().unwrap_or(0);
            if least == 0 {
                break;
            }
            for (from, to) in way {
                if let Some(times) = self.steps.get_mut(&from).and_then(|steps| steps.get_mut(&to)) {
                    *times -= least;
                }
            }
            turns = turns.saturating_add(least);
        }
        turns
    }

    fn times(&self, (from, to): (u64, u64)) -> u64 {
        self.steps.get(&from).and_then(|steps| steps.get(&to)).copied().unwrap_or(0)
    }

    /// A way from one address to another by steps that are left.
    fn way(&self, (from, to): (u64, u64), allows: impl Fn((u64, u64)) -> bool) -> Option<Vec<(u64, u64)>> {
        let mut came_from: BTreeMap<u64, u64> = BTreeMap::new();
        let mut waiting = vec![from];
        while let Some(address) = waiting.pop() {
            if address == to {
                let mut way = Vec::new();
                let mut here = to;
                while let Some(before) = came_from.get(&here).copied().filter(|_| here != from) {
                    way.push((before, here));
                    here = before;
                }
                return Some(way);
            }
            for (&next, &times) in self.steps.get(&address).into_iter().flatten() {
                if times > 0 && next != from && allows((address, next)) && !came_from.contains_key(&next) {
                    came_from.insert(next, address);
                    waiting.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::turns;

    #[test]
    fn a_loop_on_one_line_counts_its_turns() {
        // To the condition, into the body 10 times, back to the condition.
        assert_eq!(turns(&[((0, 20), 1), ((20, 10), 10), ((10, 14), 10), ((14, 20), 10)]), 10);
        assert_eq!(turns(&[((8, 8), 5)]), 5, "an instruction that is its own loop");
    }

    #[test]
    fn the_end_of_a_loop_that_is_elsewhere_is_no_turn() {
        // The body is between 4 and 40, on other lines.
        assert_eq!(turns(&[((0, 4), 64), ((40, 0), 63)]), 0);
    }

    #[test]
    fn turns_end_where_control_leaves_the_line() {
        // Of 10 that go back, 4 had come from elsewhere.
        assert_eq!(turns(&[((0, 8), 6), ((8, 0), 10)]), 6);
    }

    #[test]
    fn a_loop_within_a_loop_counts_the_turns_of_both() {
        // Outer from 0 to 30, 3 times; inner from 10 to 20, 12 times.
        let steps = [((0, 20), 3), ((20, 10), 12), ((10, 20), 12), ((20, 30), 3), ((30, 0), 2)];
        assert_eq!(turns(&steps), 14);
    }
}
