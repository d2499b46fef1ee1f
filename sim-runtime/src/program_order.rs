//! Instructions in the order of the program, although they end in any order.

use std::collections::BTreeMap;

/// Finds which instruction went on with which.
///
/// What has ended is kept in runs of IDs without a gap, so that an instruction which never ends
/// costs nothing; the way over it is not known before it ends.
#[derive(Clone, Default)]
pub(crate) struct ProgramOrder {
    /// By the first ID.
    runs: BTreeMap<u64, EndedRun>,
}

/// Where an executed instruction stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub address: u64,
    /// Address of the cell behind it.
    pub successor: u64,
}

/// Instructions with IDs one behind the other, all of which have ended.
#[derive(Clone)]
struct EndedRun {
    last_id: u64,
    /// The first and the last that was executed, if one was.
    executed: Option<(Place, Place)>,
}

impl ProgramOrder {
    /// An instruction has ended: executed, or abandoned in some way. `tell` takes every jump that
    /// is known by that: from one instruction to the next executed, which does not stand behind it.
    pub(crate) fn end(&mut self, id: u64, executed: Option<Place>, mut tell: impl FnMut(u64, u64)) {
        let executed = executed.map(|place| (place, place));
        let (mut first_id, mut joined) = (id, EndedRun { last_id: id, executed });
        let before = self.runs.range(..id).next_back().filter(|(_, run)| run.last_id + 1 == id);
        if let Some(before) = before.map(|(first, _)| *first)
            && let Some(run) = self.runs.remove(&before)
        {
            first_id = before;
            joined = run.join(joined, &mut tell);
        }
        if let Some(run) = self.runs.remove(&(id + 1)) {
            joined = joined.join(run, &mut tell);
        }
        self.runs.insert(first_id, joined);
    }
}

impl EndedRun {
    fn join(self, next: EndedRun, tell: &mut impl FnMut(u64, u64)) -> EndedRun {
        let executed = match (self.executed, next.executed) {
            (Some((first, from)), Some((to, last))) => {
                if from.successor != to.address {
                    tell(from.address, to.address);
                }
                Some((first, last))
            }
            (here, there) => here.or(there),
        };
        EndedRun { last_id: next.last_id, executed }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, ProgramOrder};

    /// Ends instructions in the order given, by ID and address; the jumps that are told.
    fn jumps(ended: &[(u64, Option<u64>)]) -> Vec<(u64, u64)> {
        let mut order = ProgramOrder::default();
        let mut found = Vec::new();
        for (id, address) in ended {
            let place = address.map(|address| Place { address, successor: address + 1 });
            order.end(*id, place, |from, to| found.push((from, to)));
        }
        found
    }

    #[test]
    fn jumps_are_those_of_the_program_whatever_ends_first() {
        assert_eq!(jumps(&[(1, Some(10)), (2, Some(11)), (3, Some(5))]), [(11, 5)]);
        assert_eq!(jumps(&[(3, Some(5)), (1, Some(10)), (2, Some(11))]), [(11, 5)]);
    }

    #[test]
    fn what_was_abandoned_is_left_out() {
        assert_eq!(jumps(&[(1, Some(10)), (2, None), (4, Some(30)), (3, None)]), [(10, 30)]);
        assert_eq!(jumps(&[(1, Some(10)), (2, None), (3, Some(11))]), []);
    }

    #[test]
    fn an_instruction_that_does_not_end_hides_no_jump_but_that_over_it() {
        assert_eq!(jumps(&[(2, Some(10)), (3, Some(20)), (4, Some(30))]), [(10, 20), (20, 30)]);
    }
}
